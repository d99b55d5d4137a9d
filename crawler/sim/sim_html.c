/* The studies of `sim` as one HTML page that loads nothing and runs nothing. */
#include "crawler/sim/sim_html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/human.h"
#include "base/mem.h"
#include "base/vis.h"
#include "crawler/sim/sim_study.h"
#include "crawler/sim/sim_svg.h"
#include "crawler/sim/sim_text.h"

/* The text between <style> and </style>. The page's Content-Security-Policy
 * names its SHA-256 in base64, so that browsers use no other style and no style
 * attribute. When the text changes, the hash must change, too. */
#define SIM_HTML_STYLE_HASH "GF63YOmAls9CDhDmr9avE9D8FB7obqjbS3yv2IS6tH0="

/* clang-format off */
static const char sim_html_style[] =
    ":root{color-scheme:light dark;--back:#fff;--card:#f4f5f7;--text:#1a1d21;"
    "--soft:#5a626c;--line:#d9dde2;--bar:#9aa5b1;--first:#0b57d0;"
    "--c0:#0b57d0;--c1:#b3261e;--c2:#1b6e37;--c3:#8a5300;--c4:#6a3ea1;"
    "--c5:#00707a;--c6:#a0206f;--c7:#5a626c}\n"
    "@media(prefers-color-scheme:dark){:root{--back:#14171a;--card:#1e2226;"
    "--text:#e7e9ec;--soft:#a2abb5;--line:#343a41;--bar:#6b7681;"
    "--first:#8ab4f8;--c0:#8ab4f8;--c1:#ff8a80;--c2:#7bd193;--c3:#f5b74f;"
    "--c4:#c3a1f0;--c5:#6fd3dc;--c6:#f29bd0;--c7:#a2abb5}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:75rem;padding:1rem;background:var(--back);"
    "color:var(--text);font:16px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0}\n"
    "h2{font-size:1.25rem;margin:2.5rem 0 .25rem;overflow-wrap:anywhere}\n"
    "h3{font-size:1rem;margin:0 0 .5rem}\n"
    "p{margin:.25rem 0 .75rem}\n"
    ".soft,footer{color:var(--soft);font-size:.9rem}\n"
    ".plots{display:grid;gap:1rem;margin:1rem 0;"
    "grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr))}\n"
    "figure{background:var(--card);border-radius:.5rem;margin:0;"
    "padding:.8rem;min-width:0}\n"
    "svg{display:block;width:100%;max-width:34rem;height:auto}\n"
    "svg text{fill:var(--text);font:11px system-ui,sans-serif}\n"
    "svg .value{font-variant-numeric:tabular-nums}\n"
    "svg .axis{fill:var(--soft);font-size:10px}\n"
    "svg .end{text-anchor:end}svg .mid{text-anchor:middle}\n"
    ".bar{fill:var(--bar)}.first{fill:var(--first)}"
    ".shade{fill:var(--line);opacity:.4}\n"
    ".grid{stroke:var(--line)}.error{stroke:var(--text)}"
    ".mark{stroke:var(--soft);stroke-dasharray:3 3}\n"
    "circle{fill:var(--first);fill-opacity:.55}\n"
    ".line{fill:none;stroke-width:1.6;stroke-linejoin:round}\n"
    ".l0{stroke:var(--c0)}.l1{stroke:var(--c1)}.l2{stroke:var(--c2)}"
    ".l3{stroke:var(--c3)}.l4{stroke:var(--c4)}.l5{stroke:var(--c5)}"
    ".l6{stroke:var(--c6)}.l7{stroke:var(--c7)}\n"
    ".key{list-style:none;margin:.5rem 0 0;padding:0;display:flex;"
    "flex-wrap:wrap;gap:.2rem 1rem;font-size:.85rem}\n"
    ".key svg{display:inline-block;width:1.4rem;height:.5rem;"
    "margin-right:.3rem;vertical-align:middle}\n"
    ".wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;width:100%;font-size:.95rem}\n"
    "th{color:var(--soft);font-size:.85rem;font-weight:600;text-align:left}\n"
    "th,td{border-bottom:1px solid var(--line);padding:.35rem .6rem;"
    "vertical-align:top}\n"
    "td.n,th.n{text-align:right;white-space:nowrap;"
    "font-variant-numeric:tabular-nums}\n"
    ".what{display:block;color:var(--soft);font-size:.85rem;font-weight:400;"
    "max-width:22rem}\n"
    "details{margin:0 0 1rem}summary{cursor:pointer}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;"
    "margin:.5rem 0}dt{font-weight:600}dd{margin:0;color:var(--soft)}\n"
    "tr.first td{font-weight:600}td.soft{white-space:nowrap}\n"
    "@media(max-width:44rem){body{padding:.75rem}dl{display:block}"
    ".what{max-width:none}"
    "table.cards,.cards tbody,.cards tr,.cards td{display:block;width:100%}"
    ".cards thead{display:none}"
    ".cards tr{border-bottom:1px solid var(--line);padding:.5rem 0}"
    ".cards td{border:0;padding:.1rem 0}"
    ".cards td.n{display:flex;justify-content:space-between;gap:1rem}"
    ".cards td[data-name]::before{content:attr(data-name);color:var(--soft);"
    "font-size:.9rem}}\n"
    "@media print{body{max-width:none}figure{break-inside:avoid}}\n";
/* clang-format on */

/* What the policies learned of dates: points for many sitemaps, a table for
 * few. */

static void
put(struct buf *out, const char *markup)
{
	(void)buf_put_slice(out, slice_of(markup));
}

static void
put_text(struct buf *out, const char *text)
{
	xml_put(out, slice_of(text));
}

/* Learned values against true ones. */
struct points {
	const char *name;
	bool is_recall;
};

static void
put_points(struct buf *out, const struct study *study,
    const struct study_row *row, const struct points *what)
{
	struct svg_point *points = mem_zero(
	    (study->document_count + 1) * sizeof(*points));
	struct svg_points all = {.points = points,
	    .x_text = "true",
	    .y_text = "learned",
	    .title = what->name};

	for (size_t i = 0; i < study->document_count; i++) {
		const struct sim_honesty *learned = &row->honesty[i];
		const struct study_document *truth = &study->documents[i];
		double x = what->is_recall ? truth->recall : truth->precision;

		/* without a true move there is no recall to learn */
		if (!learned->is_known || truth->precision < 0 || x < 0 ||
		    learned->moves < STUDY_LEAST_MOVES)
			continue;
		points[all.count++] = (struct svg_point){
		    x, what->is_recall ? learned->recall : learned->precision};
	}
	if (all.count > 0) {
		(void)buf_print(
		    out, "<figure>\n<h3>%s of dates, learned by ", what->name);
		put_text(out, row->policy->name);
		put(out, "</h3>\n");
		svg_points(out, &all);
		(void)buf_print(out,
		    "<p class=\"soft\">%s; a dot is a sitemap with %d moves or "
		    "more, after the last day</p>\n</figure>\n",
		    what->is_recall ? "share of changes that moved the date"
				    : "share of moved dates that had a change",
		    STUDY_LEAST_MOVES);
	}
	free(points);
}

/* Plots, if there are many sitemaps. */
static void
sim_html_honesty(struct buf *out, const struct study *study)
{
	static const struct points both[] = {
	    {"Precision", false}, {"Recall", true}};
	const struct study_row *row = study_learner(study);

	if (study->document_count <= STUDY_FEW)
		return;
	for (size_t i = 0; row != NULL && i < 2; i++)
		put_points(out, study, row, &both[i]);
}

static void
put_number(struct buf *out, bool is_known, double value)
{
	if (is_known && value >= 0)
		(void)buf_print(out, "<td class=\"n\">%.2f</td>", value);
	else
		put(out, "<td class=\"n\">-</td>");
}

/* A table, if there are few sitemaps. */
static void
sim_html_documents(struct buf *out, const struct study *study)
{
	const struct study_row *row = study_learner(study);

	if (row == NULL || study->document_count > STUDY_FEW)
		return;
	put(out, "<h3>Dates, learned by ");
	put_text(out, row->policy->name);
	put(out,
	    "</h3>\n<div class=\"wide\">\n<table>\n<thead><tr>"
	    "<th scope=\"col\">site</th><th scope=\"col\" "
	    "class=\"n\">moves</th>"
	    "<th scope=\"col\" class=\"n\">precision</th>"
	    "<th scope=\"col\" class=\"n\">true</th>"
	    "<th scope=\"col\" class=\"n\">recall</th>"
	    "<th scope=\"col\" class=\"n\">true</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < study->document_count; i++) {
		const struct study_document *truth = &study->documents[i];
		const struct sim_honesty *learned = &row->honesty[i];

		put(out, "<tr><td>");
		put_text(out, study->sites[truth->site].name);
		put(out, "</td><td class=\"n\">");
		human_count(out, learned->moves);
		put(out, "</td>");
		put_number(out, learned->is_known, learned->precision);
		put_number(out, true, truth->precision);
		put_number(out, learned->is_known, learned->recall);
		put_number(out, true, truth->recall);
		put(out, "</tr>\n");
	}
	put(out, "</tbody>\n</table>\n</div>\n");
}

/* What the columns mean. */
static void
put_columns_help(struct buf *out)
{
	static const char *const terms[][2] = {
	    {"bound",
		"what no policy can beat; those below each table know the "
		"rates of pages, or the future"},
	    {"behind",
		"points of freshness less than the first policy, compared "
		"seed by seed: its interval says if the difference is chance"},
	    {"gap closed",
		"of the way from fifo, everything in turn, to the bound"},
	    {"age",
		"mean time since the first change that was not fetched; 0 "
		"while fresh"},
	    {"delay",
		"median time from a change to the fetch that saw it; the top "
		"10 % are the pages that weigh most"},
	    {"fetches, readings", "requests for pages, and for sitemaps"},
	    {"changed", "share of the fetches that found a change"},
	    {"equal", "requests that it takes to be as fresh as the first"},
	};

	put(out, "<details>\n<summary>What the tables say</summary>\n<dl>\n");
	for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++)
		(void)buf_print(
		    out, "<dt>%s</dt><dd>%s</dd>\n", terms[i][0], terms[i][1]);
	put(out, "</dl>\n</details>\n");
}

void
sim_html_begin(struct out *out)
{
	put(&out->text,
	    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\""
	    "default-src 'none'; style-src 'sha256-" SIM_HTML_STYLE_HASH
	    "'; base-uri 'none'; form-action 'none'\">\n"
	    "<meta name=\"viewport\" "
	    "content=\"width=device-width, initial-scale=1\">\n"
	    "<meta name=\"referrer\" content=\"no-referrer\">\n"
	    "<meta name=\"robots\" content=\"noindex\">\n"
	    "<title>freshet: policies compared</title>\n<style>");
	put(&out->text, sim_html_style);
	put(&out->text,
	    "</style>\n</head>\n<body>\n<header>\n"
	    "<h1>What to fetch next: policies compared</h1>\n"
	    "<p>A page is fresh while its last fetch gave what a fetch would "
	    "give now. Policies that may make the same number of requests "
	    "are compared by freshness: the share of the weight of all "
	    "listed pages that is fresh, in the days that count.</p>\n");
	put_columns_help(&out->text);
	put(&out->text, "</header>\n<main>\n");
	(void)out_line(out);
}

void
sim_html_end(struct out *out)
{
	put(&out->text,
	    "</main>\n<footer>\n<p>freshet " FRESHET_VERSION
	    "; intervals are of 95 %, over the seeds.</p>\n</footer>\n"
	    "</body>\n</html>\n");
	(void)out_line(out);
}

static void
put_top(struct buf *out, const struct study *study)
{
	const struct study_plan *plan = study->plan;
	const struct sim_options *options = &plan->options;

	put(out, "<h2>");
	put_text(out, plan->name);
	put(out, "</h2>\n<p class=\"soft\">");
	put_text(out, plan->text);
	put(out, ": ");
	human_plural(out, study->page_count, "page");
	put(out, " of ");
	human_plural(out, study->site_count, "site");
	put(out, ", ");
	human_plural(out, study->day_count, "day");
	put(out, ", ");
	human_plural(out, plan->seeds, "seed");
	put(out, "; ");
	sim_put_rate(out, options->requests_per_day);
	put(out, " requests; ");
	sim_put_readings(out, options);
	(void)buf_print(out, "; days %zu to %zu count</p>\n",
	    study->window.from + 1, study->window.to);
}

static double
mean(const struct study_row *row, enum study_figure figure)
{
	return sim_sample_mean(&row->figures[figure]);
}

static char *
share_text(double share)
{
	struct buf text;

	buf_init(&text, 64);
	sim_put_share(&text, share);
	return buf_take(&text);
}

/* The freshness of each policy, and the bound. */
static void
put_bars(struct buf *out, const struct study *study)
{
	struct svg_bar *bars = mem_zero(study->row_count * sizeof(*bars));
	char **texts = mem_zero(study->row_count * sizeof(*texts));
	struct svg_bars all = {.bars = bars,
	    .count = study->row_count,
	    .mark = study->has_bound[study->best]
		? sim_sample_mean(&study->bounds[study->best])
		: NAN,
	    .mark_text = "bound",
	    .title = "Freshness of each policy"};

	for (size_t i = 0; i < study->row_count; i++) {
		const struct study_row *row = &study->rows[i];

		texts[i] = share_text(mean(row, STUDY_FRESHNESS));
		bars[i] = (struct svg_bar){.name = row->policy->name,
		    .value = mean(row, STUDY_FRESHNESS),
		    .error = sim_sample_error(&row->figures[STUDY_FRESHNESS]),
		    .text = texts[i]};
	}
	put(out, "<figure>\n<h3>Freshness</h3>\n");
	svg_bars(out, &all);
	put(out, "</figure>\n");
	for (size_t i = 0; i < study->row_count; i++)
		free(texts[i]);
	free(texts);
	free(bars);
}

static void
put_key(struct buf *out, const struct svg_lines *all)
{
	put(out, "<ul class=\"key\">\n");
	for (size_t i = 0; i < all->count; i++) {
		(void)buf_print(out,
		    "<li><svg viewBox=\"0 0 28 10\"><path class=\"line l%zu\" "
		    "d=\"M0 5L28 5\"/></svg>",
		    all->lines[i].colour);
		put_text(out, all->lines[i].name);
		put(out, "</li>\n");
	}
	put(out, "</ul>\n");
}

/* The largest whole tenth below all values that count. */
static double
low_of(const struct svg_lines *all)
{
	double low = 1;

	for (size_t i = 0; i < all->count; i++)
		for (size_t day = all->length / 4; day < all->length; day++)
			low = fmin(low, all->lines[i].values[day]);
	low = floor(low * 5) / 5;
	return low < 0.8 ? fmax(low, 0) : 0.8;
}

/* The row of the i-th line: first the policies in their order; the last line is
 * fifo, with which the others are compared. */
static const struct study_row *
line_row(const struct study *study, size_t i, size_t count)
{
	if (i + 1 == count)
		for (size_t j = count; j < study->row_count; j++)
			if (strcmp(study->rows[j].policy->name, "fifo") == 0)
				return &study->rows[j];
	return &study->rows[i];
}

/* Freshness over time. */
static void
put_lines(struct buf *out, const struct study *study)
{
	size_t count = study->row_count < SVG_COLOURS ? study->row_count
						      : SVG_COLOURS;
	struct svg_line *lines = mem_zero(count * sizeof(*lines));
	double *values = mem_zero(
	    (count * study->day_count + 1) * sizeof(*values));
	struct svg_lines all = {.lines = lines,
	    .count = count,
	    .length = study->day_count,
	    .high = 1,
	    .marked_from = (double)study->window.from,
	    .x_text = "days; those that count are shaded",
	    .title = "Freshness of each policy over time"};

	for (size_t i = 0; i < count; i++) {
		const struct study_row *row = line_row(study, i, count);
		double *days = values + i * study->day_count;

		for (size_t day = 0; day < study->day_count; day++)
			days[day] = sim_sample_mean(&row->days[day]);
		lines[i] = (struct svg_line){row->policy->name, days, i};
	}
	all.low = low_of(&all);
	put(out, "<figure>\n<h3>Over time</h3>\n");
	svg_lines(out, &all);
	put_key(out, &all);
	put(out, "</figure>\n");
	free(values);
	free(lines);
}

typedef void put_fn(struct buf *, double);

static void
put_td(struct buf *out, const char *name, put_fn *format, double value)
{
	(void)buf_print(out, "<td class=\"n\" data-name=\"%s\"><span>", name);
	format(out, value);
	put(out, "</span></td>");
}

static const struct {
	enum study_figure figure;
	const char *name;
	put_fn *format;
} columns[] = {
    {STUDY_GAP, "gap closed", sim_put_share},
    {STUDY_SHARE, "of the bound", sim_put_share},
    {STUDY_AGE, "age", sim_put_days},
    {STUDY_DELAY, "delay", sim_put_days},
    {STUDY_DELAY_TOP, "delay, top 10 %", sim_put_days},
    {STUDY_FETCHES, "fetches", sim_put_rate},
    {STUDY_FOUND, "changed", sim_put_share},
    {STUDY_READINGS, "readings", sim_put_rate},
    {STUDY_REQUESTS, "equal", sim_put_rate},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static bool
is_shown(const struct study *study, size_t column)
{
	return columns[column].figure != STUDY_REQUESTS ||
	    study->plan->wants_equal;
}

static void
put_error(struct buf *out, const struct sim_sample *sample)
{
	double error = sim_sample_error(sample);

	if (!isnan(error))
		(void)buf_print(out, " &#177; %.1f", 100 * error);
}

static void
put_row(struct buf *out, const struct study *study, const struct study_row *row)
{
	put(out, row == study->rows ? "<tr class=\"first\"><td>" : "<tr><td>");
	put_text(out, row->policy->name);
	put(out, "<span class=\"what\">");
	put_text(out, row->policy->text);
	put(out, "</span></td><td class=\"n\" data-name=\"freshness\"><span>");
	sim_put_share(out, mean(row, STUDY_FRESHNESS));
	put_error(out, &row->figures[STUDY_FRESHNESS]);
	put(out, "</span></td><td class=\"n\" data-name=\"behind\"><span>");
	if (row == study->rows) {
		put(out, "-");
	} else {
		(void)buf_print(out, "%.1f", 100 * mean(row, STUDY_BEHIND));
		put_error(out, &row->figures[STUDY_BEHIND]);
	}
	put(out, "</span></td>");
	for (size_t i = 0; i < COLUMNS; i++)
		if (is_shown(study, i))
			put_td(out, columns[i].name, columns[i].format,
			    mean(row, columns[i].figure));
	put(out, "</tr>\n");
}

static void
put_table(struct out *out, const struct study *study)
{
	struct buf *text = &out->text;

	put(text,
	    "<div class=\"wide\">\n<table class=\"cards\">\n<thead><tr>"
	    "<th scope=\"col\">policy</th>"
	    "<th scope=\"col\" class=\"n\">freshness</th>"
	    "<th scope=\"col\" class=\"n\">behind</th>");
	for (size_t i = 0; i < COLUMNS; i++)
		if (is_shown(study, i))
			(void)buf_print(text,
			    "<th scope=\"col\" class=\"n\">%s</th>",
			    columns[i].name);
	put(text, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < study->row_count; i++) {
		put_row(text, study, &study->rows[i]);
		(void)out_line(out);
	}
	put(text, "</tbody>\n</table>\n</div>\n");
	for (int i = 0; i < STUDY_BOUNDS; i++) {
		if (!study->has_bound[i])
			continue;
		(void)buf_print(
		    text, "<p class=\"soft\">bound, %s: ", study_bound_text(i));
		sim_put_share(text, sim_sample_mean(&study->bounds[i]));
		put(text, "</p>\n");
	}
}

static void
put_share_cell(struct buf *out, double share, const char *class)
{
	(void)buf_print(out, "<td class=\"%s\">", class);
	sim_put_share(out, share);
	put(out, "</td>");
}

static void
put_class_heads(struct buf *out, const struct study *study)
{
	put(out,
	    "<h3>Freshness by the dates of the site</h3>\n"
	    "<div class=\"wide\">\n<table>\n<thead><tr>"
	    "<th scope=\"col\">policy</th>");
	for (size_t i = 0; i < study->class_count; i++)
		if (study->class_weights[i] > 0)
			(void)buf_print(out,
			    "<th scope=\"col\" class=\"n\">%s</th>",
			    study->class_names[i]);
	put(out, "</tr></thead>\n<tbody>\n<tr><td class=\"soft\">weight</td>");
	for (size_t i = 0; i < study->class_count; i++)
		if (study->class_weights[i] > 0)
			put_share_cell(out, study->class_weights[i], "n soft");
	put(out, "</tr>\n");
}

/* A line for each policy by kind of site, if there are several. */
static void
put_classes(struct out *out, const struct study *study)
{
	struct buf *text = &out->text;

	if (study->class_count < 2)
		return;
	put_class_heads(text, study);
	for (size_t j = 0; j < study->row_count; j++) {
		const struct study_row *row = &study->rows[j];

		put(text, j == 0 ? "<tr class=\"first\"><td>" : "<tr><td>");
		put_text(text, row->policy->name);
		put(text, "</td>");
		for (size_t i = 0; i < study->class_count; i++)
			if (study->class_weights[i] > 0)
				put_share_cell(text,
				    sim_sample_mean(&row->classes[i]), "n");
		put(text, "</tr>\n");
		(void)out_line(out);
	}
	put(text, "</tbody>\n</table>\n</div>\n");
}

void
sim_html(struct out *out, const struct study *study, size_t number)
{
	struct buf *text = &out->text;

	(void)buf_print(text, "<section id=\"s%zu\">\n", number);
	put_top(text, study);
	put(text, "<div class=\"plots\">\n");
	put_bars(text, study);
	put_lines(text, study);
	(void)out_line(out);
	sim_html_honesty(text, study);
	put(text, "</div>\n");
	put_table(out, study);
	put_classes(out, study);
	sim_html_documents(text, study);
	put(text, "</section>\n");
	(void)out_line(out);
}
