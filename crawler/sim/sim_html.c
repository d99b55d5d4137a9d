/* The studies of `sim` as one HTML page that loads nothing and runs nothing. */
#include "crawler/sim/sim_html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/human.h"
#include "base/mem.h"
#include "base/strings.h"
#include "crawler/chart/chart.h"
#include "crawler/chart/markup.h"
#include "crawler/sim/sim_study.h"
#include "crawler/sim/sim_text.h"

/* What the policies learned of dates: points for many sitemaps, a table for
 * few. */

static void
put_text(struct buf *out, const char *text)
{
	markup_text(out, slice_of(text));
}

static void
put_two_digits(struct buf *out, double value)
{
	if (isfinite(value))
		(void)buf_print(out, "%.2f", value);
	else
		markup_put(out, "-");
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
	struct chart_point *points = mem_zero(
	    (study->document_count + 1) * sizeof(*points));
	struct chart_points all = {.points = points,
	    .words = {
		.x_text = "true", .y_text = "learned", .put = put_two_digits}};
	struct buf title, note;

	for (size_t i = 0; i < study->document_count; i++) {
		const struct sim_honesty *learned = &row->honesty[i];
		const struct study_document *truth = &study->documents[i];
		double x = what->is_recall ? truth->recall : truth->precision;

		/* without a true move there is no recall to learn */
		if (!learned->is_known || truth->precision < 0 || x < 0 ||
		    learned->moves < STUDY_LEAST_MOVES)
			continue;
		points[all.count++] = (struct chart_point){
		    study->sites[truth->site].name, x,
		    what->is_recall ? learned->recall : learned->precision};
	}
	buf_init(&title, 1 << 16);
	buf_init(&note, 1 << 16);
	(void)buf_print(&title, "%s of dates, learned by %s", what->name,
	    row->policy->name);
	(void)buf_print(&note,
	    "%s; a dot is a sitemap with %d moves or more, after the last day",
	    what->is_recall ? "share of changes that moved the date"
			    : "share of moved dates that had a change",
	    STUDY_LEAST_MOVES);
	all.words.title = buf_str(&title);
	all.words.note = buf_str(&note);
	if (all.count > 0)
		chart_points(out, &all);
	buf_release(&title);
	buf_release(&note);
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
		markup_put(out, "<td class=\"n\">-</td>");
}

/* A table, if there are few sitemaps. */
static void
sim_html_documents(struct buf *out, const struct study *study)
{
	const struct study_row *row = study_learner(study);

	if (row == NULL || study->document_count > STUDY_FEW)
		return;
	markup_put(out, "<h3>Dates, learned by ");
	put_text(out, row->policy->name);
	markup_put(out,
	    "</h3>\n<div class=\"wide\" tabindex=\"0\">\n<table>\n<thead><tr>"
	    "<th scope=\"col\">site</th><th scope=\"col\" "
	    "class=\"n\">moves</th>"
	    "<th scope=\"col\" class=\"n\">precision</th>"
	    "<th scope=\"col\" class=\"n\">true</th>"
	    "<th scope=\"col\" class=\"n\">recall</th>"
	    "<th scope=\"col\" class=\"n\">true</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < study->document_count; i++) {
		const struct study_document *truth = &study->documents[i];
		const struct sim_honesty *learned = &row->honesty[i];

		markup_put(out, "<tr><td>");
		put_text(out, study->sites[truth->site].name);
		markup_put(out, "</td><td class=\"n\">");
		human_count(out, learned->moves);
		markup_put(out, "</td>");
		put_number(out, learned->is_known, learned->precision);
		put_number(out, true, truth->precision);
		put_number(out, learned->is_known, learned->recall);
		put_number(out, true, truth->recall);
		markup_put(out, "</tr>\n");
	}
	markup_put(out, "</tbody>\n</table>\n</div>\n");
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

	markup_put(out,
	    "<details>\n<summary>What the tables say</summary>\n"
	    "<dl class=\"terms\">\n");
	for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++)
		(void)buf_print(
		    out, "<dt>%s</dt><dd>%s</dd>\n", terms[i][0], terms[i][1]);
	markup_put(out, "</dl>\n</details>\n");
}

void
sim_html_begin(struct out *out)
{
	markup_begin(&out->text, slice_of("freshet: policies compared"));
	markup_put(&out->text,
	    "<header>\n"
	    "<h1>What to fetch next: policies compared</h1>\n"
	    "<p>A page is fresh while its last fetch gave what a fetch would "
	    "give now. Policies that may make the same number of requests "
	    "are compared by freshness: the share of the weight of all "
	    "listed pages that is fresh, in the days that count.</p>\n");
	put_columns_help(&out->text);
	markup_put(&out->text, "</header>\n<main>\n");
	(void)out_line(out);
}

void
sim_html_end(struct out *out)
{
	markup_put(&out->text, "</main>\n");
	markup_end(&out->text, "intervals are of 95 %, over the seeds.");
	(void)out_line(out);
}

static void
put_top(struct buf *out, const struct study *study)
{
	const struct study_plan *plan = study->plan;
	const struct sim_options *options = &plan->options;

	markup_put(out, "<h2>");
	put_text(out, plan->name);
	markup_put(out, "</h2>\n<p class=\"soft\">");
	put_text(out, plan->text);
	markup_put(out, ": ");
	human_plural(out, study->page_count, "page");
	markup_put(out, " of ");
	human_plural(out, study->site_count, "site");
	markup_put(out, ", ");
	human_plural(out, study->day_count, "day");
	markup_put(out, ", ");
	human_plural(out, plan->seeds, "seed");
	markup_put(out, "; ");
	sim_put_rate(out, options->requests_per_day);
	markup_put(out, " requests; ");
	sim_put_readings(out, options);
	(void)buf_print(out, "; days %zu to %zu count</p>\n",
	    study->window.from + 1, study->window.to);
}

static double
mean(const struct study_row *row, enum study_figure figure)
{
	return sim_sample_mean(&row->figures[figure]);
}

/* The freshness of each policy, and the bound. */
static void
put_bars(struct buf *out, const struct study *study)
{
	struct chart_bar *bars = mem_zero(
	    (study->row_count + 1) * sizeof(*bars));
	struct chart_bars all = {.bars = bars,
	    .count = study->row_count,
	    .is_ranked = true,
	    .mark = study->has_bound[study->best]
		? sim_sample_mean(&study->bounds[study->best])
		: NAN,
	    .mark_text = "bound",
	    .words = {.title = "Freshness",
		.note = "share of the weight of all pages that is fresh",
		.x_text = "freshness",
		.y_text = "policy",
		.put = sim_put_share}};

	for (size_t i = 0; i < study->row_count; i++) {
		const struct study_row *row = &study->rows[i];

		bars[i] = (struct chart_bar){.name = row->policy->name,
		    .value = mean(row, STUDY_FRESHNESS),
		    .error = sim_sample_error(&row->figures[STUDY_FRESHNESS])};
	}
	chart_bars(out, &all);
	free(bars);
}

/* The largest whole tenth below all values that count. */
static double
low_of(const struct chart_lines *all)
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
	size_t count = study->row_count < CHART_COLOURS ? study->row_count
							: CHART_COLOURS;
	struct chart_line *lines = mem_zero((count + 1) * sizeof(*lines));
	double *values = mem_zero(
	    (count * study->day_count + 1) * sizeof(*values));
	struct strings names = {0};
	struct chart_lines all = {.lines = lines,
	    .count = count,
	    .length = study->day_count,
	    .high = 1,
	    .marked_from = (double)study->window.from,
	    .words = {.title = "Over time",
		.note = "days that count are shaded",
		.x_text = "day",
		.y_text = "freshness",
		.put = sim_put_share}};

	for (size_t day = 0; day < study->day_count; day++) {
		struct buf name;

		buf_init(&name, 32);
		(void)buf_print(&name, "%zu", day + 1);
		strings_add(&names, buf_text(&name));
		buf_release(&name);
	}
	for (size_t i = 0; i < count; i++) {
		const struct study_row *row = line_row(study, i, count);
		double *days = values + i * study->day_count;

		for (size_t day = 0; day < study->day_count; day++)
			days[day] = sim_sample_mean(&row->days[day]);
		lines[i] = (struct chart_line){row->policy->name, days};
	}
	all.names = (const char *const *)names.items;
	all.low = low_of(&all);
	chart_lines(out, &all);
	strings_release(&names);
	free(values);
	free(lines);
}

typedef void put_fn(struct buf *, double);

static void
put_td(struct buf *out, const char *name, put_fn *format, double value)
{
	(void)buf_print(out, "<td class=\"n\" data-name=\"%s\"><span>", name);
	format(out, value);
	markup_put(out, "</span></td>");
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
	markup_put(
	    out, row == study->rows ? "<tr class=\"first\"><td>" : "<tr><td>");
	put_text(out, row->policy->name);
	markup_put(out, "<span class=\"what\">");
	put_text(out, row->policy->text);
	markup_put(
	    out, "</span></td><td class=\"n\" data-name=\"freshness\"><span>");
	sim_put_share(out, mean(row, STUDY_FRESHNESS));
	put_error(out, &row->figures[STUDY_FRESHNESS]);
	markup_put(
	    out, "</span></td><td class=\"n\" data-name=\"behind\"><span>");
	if (row == study->rows) {
		markup_put(out, "-");
	} else {
		(void)buf_print(out, "%.1f", 100 * mean(row, STUDY_BEHIND));
		put_error(out, &row->figures[STUDY_BEHIND]);
	}
	markup_put(out, "</span></td>");
	for (size_t i = 0; i < COLUMNS; i++)
		if (is_shown(study, i))
			put_td(out, columns[i].name, columns[i].format,
			    mean(row, columns[i].figure));
	markup_put(out, "</tr>\n");
}

static void
put_table(struct out *out, const struct study *study)
{
	struct buf *text = &out->text;

	markup_put(text,
	    "<div class=\"wide\" tabindex=\"0\">\n<table "
	    "class=\"cards\">\n<thead><tr>"
	    "<th scope=\"col\">policy</th>"
	    "<th scope=\"col\" class=\"n\">freshness</th>"
	    "<th scope=\"col\" class=\"n\">behind</th>");
	for (size_t i = 0; i < COLUMNS; i++)
		if (is_shown(study, i))
			(void)buf_print(text,
			    "<th scope=\"col\" class=\"n\">%s</th>",
			    columns[i].name);
	markup_put(text, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < study->row_count; i++) {
		put_row(text, study, &study->rows[i]);
		(void)out_line(out);
	}
	markup_put(text, "</tbody>\n</table>\n</div>\n");
	for (int i = 0; i < STUDY_BOUNDS; i++) {
		if (!study->has_bound[i])
			continue;
		(void)buf_print(
		    text, "<p class=\"soft\">bound, %s: ", study_bound_text(i));
		sim_put_share(text, sim_sample_mean(&study->bounds[i]));
		markup_put(text, "</p>\n");
	}
}

static void
put_share_cell(struct buf *out, double share, const char *class)
{
	(void)buf_print(out, "<td class=\"%s\">", class);
	sim_put_share(out, share);
	markup_put(out, "</td>");
}

static void
put_class_heads(struct buf *out, const struct study *study)
{
	markup_put(out,
	    "<h3>Freshness by the dates of the site</h3>\n"
	    "<div class=\"wide\" tabindex=\"0\">\n<table>\n<thead><tr>"
	    "<th scope=\"col\">policy</th>");
	for (size_t i = 0; i < study->class_count; i++)
		if (study->class_weights[i] > 0)
			(void)buf_print(out,
			    "<th scope=\"col\" class=\"n\">%s</th>",
			    study->class_names[i]);
	markup_put(
	    out, "</tr></thead>\n<tbody>\n<tr><td class=\"soft\">weight</td>");
	for (size_t i = 0; i < study->class_count; i++)
		if (study->class_weights[i] > 0)
			put_share_cell(out, study->class_weights[i], "n soft");
	markup_put(out, "</tr>\n");
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

		markup_put(
		    text, j == 0 ? "<tr class=\"first\"><td>" : "<tr><td>");
		put_text(text, row->policy->name);
		markup_put(text, "</td>");
		for (size_t i = 0; i < study->class_count; i++)
			if (study->class_weights[i] > 0)
				put_share_cell(text,
				    sim_sample_mean(&row->classes[i]), "n");
		markup_put(text, "</tr>\n");
		(void)out_line(out);
	}
	markup_put(text, "</tbody>\n</table>\n</div>\n");
}

void
sim_html(struct out *out, const struct study *study, size_t number)
{
	struct buf *text = &out->text;

	(void)buf_print(text, "<section id=\"s%zu\">\n", number);
	put_top(text, study);
	markup_put(text, "<div class=\"plots\">\n");
	put_bars(text, study);
	put_lines(text, study);
	(void)out_line(out);
	sim_html_honesty(text, study);
	markup_put(text, "</div>\n");
	put_table(out, study);
	put_classes(out, study);
	sim_html_documents(text, study);
	markup_put(text, "</section>\n");
	(void)out_line(out);
}
