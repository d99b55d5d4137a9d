/* A report as one HTML page that loads nothing and runs nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/sort.h"
#include "crawler/chart/markup.h"
#include "crawler/cli/out.h"
#include "crawler/cli/reference.h"
#include "crawler/report/report_phrases.h"

#define ROWS 1000
#define TARGETS 5 /* targets named in the heading */

/* Choices without a script: radio buttons stand before what they act on, which
 * has the class "items".  The class of a button says what the style does when
 * it is chosen: "sev-error" hides items that are not of that class, "by-1" to
 * "by-3" order them by the rank that put_ranks() gave them. */

/* The class is a kind and what it is of: "sev-" and "error". */
static void
put_choice(struct buf *out, const char *name, const char *kind, const char *of,
    const char *text, bool is_first)
{
	(void)buf_print(out,
	    "<input class=\"pick %s%s\" type=\"radio\" name=\"%s\" "
	    "id=\"%s-%s%s\"%s><label for=\"%s-%s%s\">%s</label>\n",
	    kind, of, name, name, kind, of, is_first ? " checked" : "", name,
	    kind, of, text);
}

static void
put_severities(struct buf *out, const char *name, const char *all,
    const char *const texts[4], const uint64_t counts[4])
{
	/* A choice of one is none. */
	size_t several = 0;

	for (size_t i = 0; i < 4; i++)
		several += counts[i] > 0;
	if (several < 2)
		return;
	put_choice(out, name, "sev-", "all", all, true);
	for (size_t i = 4; i-- > 0;) {
		char label[96];

		if (counts[i] == 0)
			continue;
		(void)snprintf(label, sizeof(label), "%s %s", texts[i],
		    human_of(counts[i], NULL).text);
		put_choice(out, name, "sev-", severity_names[i], label, false);
	}
	markup_put(out, "<br>\n");
}

/* What an item is sorted by: a number, the largest first, or a text; what is
 * equal keeps the order of the page. */
struct html_order {
	int64_t number;
	const char *text;
	uint64_t place;
};

static const struct sort_key html_keys[] = {
    {SORT_KEY(struct html_order, number), true},
    {SORT_KEY(struct html_order, text), false},
    {SORT_KEY(struct html_order, place), false}, {0}};

/* The rank of each of the items, whose order is used up; for free(). */
static uint32_t *
ranks_of(struct html_order *items, size_t count)
{
	uint32_t *ranks = mem_alloc((count + 1) * sizeof(*ranks));

	for (size_t i = 0; i < count; i++)
		items[i].place = i;
	sort_rows(items, count, sizeof(*items), html_keys);
	for (size_t i = 0; i < count; i++)
		ranks[items[i].place] = (uint32_t)i;
	free(items);
	return ranks;
}

/* Append the classes of a rank below 1,000: a letter for each decimal place,
 * and its digit.  The first key has the letters a, b and c. */
static void
put_ranks(struct buf *out, uint32_t *const *ranks, size_t keys, size_t item)
{
	for (size_t key = 0; key < keys; key++) {
		uint32_t rank = ranks[key][item];
		uint32_t digits[] = {
		    rank / 100 % 10, rank / 10 % 10, rank % 10};

		for (size_t i = 0; i < 3; i++)
			if (digits[i] > 0)
				(void)buf_print(out, " %c%u",
				    (char)('a' + 3 * key + i), digits[i]);
	}
}

/* The status, the codes that link to their findings, and the notes. */
static void
put_page_state(
    struct buf *out, const struct report_page *page, const char *status)
{
	const char *says, *what;

	(void)buf_print(out, "<td><span class=\"state %s\">%s</span>",
	    page->severity == SEVERITY_NONE ? "good"
					    : severity_names[page->severity],
	    status);
	for (size_t i = 0; i < page->code_count; i++)
		(void)buf_print(out, " <a class=\"%s\" href=\"#%s\">%s</a>",
		    severity_names[page->severity], diag_name(page->codes[i]),
		    diag_name(page->codes[i]));
	for (size_t i = 0; report_page_note(page, i, &says, &what); i++)
		markup_print(out, "<br><span class=\"soft url\">%s%c</span>",
		    says, what);
	markup_put(out, "</td>");
}

static void
html_end_rows(struct buf *text, struct report_rows *rows)
{
	markup_put(text, "</tbody>\n</table>\n");
	/* A browser is slow with more rows than these. */
	if (rows->hidden > 0) {
		markup_put(text, "<p class=\"soft\">");
		report_put_hidden(text, rows, " not shown; -f json lists all.");
		markup_put(text, "</p>\n");
	}
	free(rows->items);
	markup_put(text, "</section>\n");
}

static void
html_table(const struct report *report, struct out *out, bool is_closed)
{
	struct buf *text = &out->text;
	struct report_table_row row;
	struct report_table table;

	if (!report_table_init(&table, report, is_closed, ROWS))
		return;
	markup_print(text, "<section id=\"%s\">\n<h2>%s</h2>\n<p>", table.id,
	    table.title);
	report_table_verdict(text, &table);
	markup_put(text,
	    ".</p>\n<table class=\"cards\">\n<thead><tr><th "
	    "scope=\"col\">page</th>");
	for (size_t k = 0; k < table.columns; k++)
		markup_print(text, "<th scope=\"col\">%s</th>", table.heads[k]);
	markup_put(text, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < table.rows.count; i++) {
		report_table_row(&table, i, &row);
		markup_put(text, "<tr><td>");
		markup_link(text, slice_of(row.url), row.path);
		markup_put(text, "</td>");
		if (!is_closed)
			put_page_state(text, row.page, row.cells[0]);
		for (size_t k = is_closed ? 0 : 1; k < table.columns; k++)
			(void)buf_print(text,
			    "<td data-name=\"%s\"><span>%s</span></td>",
			    table.heads[k], row.cells[k]);
		markup_put(text, "</tr>\n");
		(void)out_line(out);
	}
	html_end_rows(text, &table.rows);
}

static bool
has_size(const struct report_document *document)
{
	return document->status != REPORT_NOT_FETCHED &&
	    document->kind != KIND_ROBOTS;
}

/* A link leads to a part that is there, and to no other. */
static void
put_contents(struct buf *out, const struct report *report)
{
	const struct {
		bool is_there;
		const char *link;
	} parts[] = {
	    {true, "<a href=\"#found\">What was found</a>\n"},
	    {report->dated > 0, "<a href=\"#dates\">Dates</a>\n"},
	    {true, "<a href=\"#documents\">Documents</a>\n"},
	    {report->page_count > 0, "<a href=\"#pages\">Listed pages</a>\n"},
	    {report->agent_count >= 2 && report->closed > 0,
		"<a href=\"#agents\">Who may fetch what</a>\n"},
	};

	markup_put(out, "<nav aria-label=\"Contents\">\n");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		markup_put(out, parts[i].is_there ? parts[i].link : "");
	markup_put(out, "</nav>\n");
}

static void
html_put_head(struct buf *out, const struct report *report)
{
	struct buf title = BUF_UP_TO(SIZE_MAX), makers = BUF_UP_TO(SIZE_MAX);

	(void)buf_print(&title, "%s: sitemap check",
	    report->target_count > 0 ? report_title(report, 0) : "");
	markup_begin(out, buf_text(&title));
	buf_release(&title);
	markup_put(out, "<header>\n<h1>Sitemap check");
	for (size_t i = 0; i < report->target_count && i < TARGETS; i++)
		markup_print(out, "%s <span class=\"url\">%c</span>",
		    i == 0 ? " of" : ",", report_title(report, i));
	if (report->target_count > TARGETS)
		markup_print(out, " and %s more",
		    human_of(report->target_count - TARGETS, NULL).text);
	markup_print(out, "</h1>\n<p class=\"verdict %s\">",
	    report_is_bad(report) ? "error" : "good");
	report_put_verdict(out, report);
	report_put_run(&makers, report);
	markup_print(out, "</p>\n<p class=\"soft\">%t", buf_str(&makers));
	buf_clear(&makers);
	if (report->has_rules)
		markup_put(out, "<br>");
	report_put_accepted(out, report);
	markup_put(out, "</p>\n");
	if (report_put_generators(&makers, report))
		markup_print(
		    out, "<p class=\"soft\">%t</p>\n", buf_str(&makers));
	buf_release(&makers);
	put_contents(out, report);
	markup_put(out, "</header>\n<main>\n");
}

/* Whether it is the first finding of its code; one of another severity may
 * follow. */
static bool
html_is_first(const struct report *report, const struct report_finding *finding)
{
	const struct report_finding *other = report->groups;

	while (other < finding && other->code != finding->code)
		other++;
	return other == finding;
}

static void
put_sources(struct buf *out, enum diag_code code)
{
	const struct reference_example *example = &reference_examples[code];
	const char *rules = diag_info(code)->rule;
	const struct reference_rule *rule = reference_rule(
	    slice_make(rules, strcspn(rules, " ")));

	markup_put(out, "<p class=\"soft\">Source: ");
	for (size_t i = 0; i < REFERENCE_SOURCES; i++) {
		const struct reference_source *source = &example->sources[i];

		if (source->title == NULL)
			break;
		markup_link(
		    out, slice_of(source->link), slice_of(source->title));
		markup_put(out, "; ");
	}
	/* The sources are what others say; the rule is what freshet makes of
	 * it. */
	markup_print(out, "freshet&apos;s rule %s", rules);
	if (rule != NULL)
		markup_print(out, " (%t)", rule->place);
	markup_put(out, "</p>\n");
}

static void
put_half(struct buf *out, const char *title, const char *text)
{
	(void)buf_print(out, "<div><b>%s</b>\n<pre>", title);
	/* Line after line, because markup_text() makes line feeds visible. */
	while (*text != '\0') {
		size_t len = strcspn(text, "\n");

		markup_text(out, slice_make(text, len));
		(void)buf_put_char(out, '\n');
		text += len + (text[len] == '\n');
	}
	markup_put(out, "</pre></div>\n");
}

static void
put_example(struct buf *out, enum diag_code code)
{
	const struct reference_example *example = &reference_examples[code];

	if (example->before != NULL) {
		markup_put(out, "<details class=\"data\"><summary>an example");
		if (example->with != NULL)
			markup_print(
			    out, ", with <code>%t</code>", example->with);
		markup_put(out, "</summary>\n<div class=\"halves\">\n");
		put_half(out, "with this finding", example->before);
		put_half(out, "without", example->after);
		markup_put(out, "</div>\n");
	}
	if (example->note != NULL)
		markup_print(out, "<p>%t</p>\n", example->note);
	markup_put(out, example->before != NULL ? "</details>\n" : "");
}

/* Only errors are open from the beginning: a page of a large site has many
 * findings. */
static void
html_put_group(struct buf *out, const struct report *report,
    const struct report_finding *finding, uint32_t *const *ranks)
{
	const struct diag_info *info = diag_info(finding->code);
	const char *severity = severity_names[finding->severity];

	markup_print(
	    out, "<details class=\"%s item sev-%s", severity, severity);
	put_ranks(out, ranks, 2, (size_t)(finding - report->groups));
	markup_put(out, "\"");
	if (html_is_first(report, finding))
		markup_print(out, " id=\"%s\"", info->code);
	markup_print(out,
	    "%s>\n<summary><code>%s</code> %t <span class=\"soft\">%s, %s",
	    finding->severity == SEVERITY_ERROR ? " open" : "", info->code,
	    info->trigger, severity, human_of(finding->count, "time").text);
	if (report->has_baseline)
		markup_print(out, ", %s new",
		    human_of(finding->count - finding->known, NULL).text);
	markup_print(out, "</span></summary>\n<p><b>What to do:</b> %t</p>\n",
	    report_remedy(report, finding).text);
	if (info->search_console[0] != '(')
		markup_print(out, "<p><b>In Search Console:</b> %t</p>\n",
		    info->search_console);
	if (finding->sample_count > 0)
		markup_put(out, "<ul>\n");
	for (size_t i = 0; i < finding->sample_count; i++) {
		const struct report_sample *sample = &finding->samples[i];
		const struct report_document
		    *document = &report->documents[sample->document];

		markup_put(out, "<li>");
		markup_link(out, slice_of(document->url),
		    report_path(report->home, document));
		report_put_line(out, sample);
		if (sample->seen[0] != '\0')
			markup_print(out, ": <code>%c</code>", sample->seen);
		markup_put(out, "</li>\n");
	}
	if (finding->sample_count > 0 && finding->count > finding->sample_count)
		markup_print(out, "<li class=\"soft\">and %s more</li>\n",
		    human_of(finding->count - finding->sample_count, NULL)
			.text);
	markup_put(out, finding->sample_count > 0 ? "</ul>\n" : "");
	put_sources(out, finding->code);
	if (html_is_first(report, finding))
		put_example(out, finding->code);
	markup_put(out, "</details>\n");
}

/* Filters and orders, if there is something to choose from. */
static void
put_group_choices(struct buf *out, const struct report *report)
{
	static const char *const texts[] = {
	    "", "remarks", "warnings", "errors"};
	uint64_t counts[4] = {0};
	uint64_t all = 0;

	for (size_t i = 0; i < report->group_count; i++)
		if (!report_is_aside(report, &report->groups[i])) {
			counts[report->groups[i].severity]++;
			all++;
		}
	if (all < 2)
		return;
	put_severities(out, "show", "all findings", texts, counts);
	put_choice(out, "order", "by-", "0", "worst first", true);
	put_choice(out, "order", "by-", "1", "most often first", false);
	put_choice(out, "order", "by-", "2", "by name", false);
}

/* Search Console's words, and the codes. */
static void
put_state(struct buf *out, const struct report_document *document)
{
	if (report_is_absent(document))
		markup_put(out,
		    "<td><span class=\"soft\">there is none, all may be read"
		    "</span>");
	else
		markup_print(out, "<td><span class=\"state %s\">%t</span>",
		    document->status == REPORT_SUCCESS ? "good" : "error",
		    document->failure == DIAG_NO_SITEMAP_FOUND
			? "no sitemap was found"
			: report_status_names[document->status]);
	for (size_t i = 0; i < document->finding_count; i++) {
		const struct report_finding *finding = &document->findings[i];
		const char *code = diag_name(finding->code);

		if (finding->severity < SEVERITY_WARNING)
			continue;
		markup_print(out, " <a class=\"%s\" href=\"#%s\">%s</a>",
		    severity_names[finding->severity], code, code);
		if (finding->count > 1)
			markup_print(out, " &times;&#8239;%s",
			    human_of(finding->count, NULL).text);
	}
	markup_put(out, "</td>");
}

/* The share of dates is of accepted entries, and is said so where others were
 * read. */
static void
html_put_entries(struct buf *out, const struct report_document *document,
    const struct report_document *usual)
{
	unsigned percent = report_percent(document->dated, document->entries);
	bool is_index = document->kind == KIND_INDEX;

	(void)buf_print(out, "<td class=\"n\" data-name=\"%s\"><span>%s",
	    is_index ? "sitemaps" : "URLs",
	    human_of(document->seen, NULL).text);
	if (document->max_entries != usual->max_entries)
		markup_print(out, "<br> <span class=\"soft\">limit %s</span>",
		    human_of(document->max_entries, NULL).text);
	if (document->refused > 0)
		markup_print(out,
		    "<br> <span class=\"error\">%s refused</span>",
		    human_of(document->refused, NULL).text);
	markup_put(
	    out, "</span></td><td class=\"n\" data-name=\"lastmod\"><span>");
	if (document->entries > 0)
		(void)buf_print(out,
		    "%u %%<meter min=\"0\" max=\"100\" value=\"%u\"></meter>",
		    percent, percent);
	else
		markup_put(out, "-");
	if (report_has_others(document))
		markup_print(out,
		    "<br> <span class=\"soft\">of %s accepted</span>",
		    human_of(document->entries, NULL).text);
	markup_put(out, "</span></td>");
}

/* What all rows of documents need. */
struct row_context {
	const struct report *report;
	/* its limits stand above the table; those of other sites may differ, as
	 * their profiles do */
	const struct report_document *usual;
	uint32_t *ranks[3]; /* owned */
};

/* The classes of a row are what the choices above the table filter and sort by.
 */
static void
html_put_row(struct buf *out, const struct row_context *context,
    const struct report_rows *rows, size_t row)
{
	const struct report *report = context->report;
	const struct report_document
	    *document = &report->documents[rows->items[row]];
	/* A child of a robots.txt stands at the left edge: that names it, and
	 * is no index. */
	bool is_child = document->parent < report->document_count &&
	    report->documents[document->parent].kind == KIND_INDEX;
	bool is_head = document->kind == KIND_INDEX ||
	    document->kind == KIND_ROBOTS;

	markup_print(out, "<tr class=\"item sev-%s%s",
	    severity_names[report_severity(document)],
	    is_child      ? " child"
		: is_head ? " head"
			  : "");
	put_ranks(out, context->ranks, 3, row);
	/* Where the document is, and how it came. */
	markup_put(out, "\"><td>");
	markup_link(
	    out, slice_of(document->url), report_path(report->home, document));
	(void)buf_print(out, "<br><span class=\"soft\">%s",
	    report_kind_titles[document->kind]);
	if (document->http_status != 0 &&
	    report_origin(slice_of(document->url)).len > 0)
		(void)buf_print(out, ", HTTP %d", document->http_status);
	if (document->gzip_layers > 0)
		markup_put(out, ", gzip");
	if (document->status != REPORT_NOT_FETCHED && !document->is_complete &&
	    document->seen > 0)
		markup_put(out, ", not read to the end");
	if (document->final_url != NULL) {
		markup_put(out, ", redirected to ");
		markup_link(out, slice_of(document->final_url),
		    slice_of(document->final_url));
	}
	markup_put(out, "</span></td>");
	put_state(out, document);
	if (has_size(document)) {
		html_put_entries(out, document, context->usual);
		markup_put(
		    out, "<td class=\"when\" data-name=\"newest\"><span>");
		report_put_age(out, &document->newest, report->began_s);
		/* The size, with its limit if that differs from those of others
		 * or is near. */
		markup_put(out,
		    "</span></td><td class=\"n\" data-name=\"size\"><span>");
		report_put_bytes(out, document, false);
		if (document->max_bytes != context->usual->max_bytes ||
		    report_is_near_limit(document)) {
			markup_put(out, "<br> <span class=\"soft\">limit ");
			report_put_bytes(out, document, true);
			markup_put(out, "</span>");
		}
		markup_put(out, "</span></td>");
	} else {
		markup_put(out, "<td class=\"empty\" colspan=\"4\"></td>");
	}
	markup_put(out, "</tr>\n");
}

/* Ranks are classes: a style cannot sort by content, and the page has no
 * script. */
static void
put_documents(struct out *out, const struct report *report)
{
	struct buf *text = &out->text;
	struct report_list list = {
	    report, 0, report->document_count, REPORT_ALL};
	struct row_context context = {.report = report};
	struct report_rows rows;

	for (size_t i = report->document_count; i-- > 0;)
		if (has_size(&report->documents[i]))
			context.usual = &report->documents[i];
	report_rows_init(&rows, &list, ROWS);
	/* by address, by entries, and by the newest date */
	for (int key = 0; key < 3; key++) {
		struct html_order *order = mem_zero(
		    (rows.count + 1) * sizeof(*order));

		for (size_t i = 0; i < rows.count; i++) {
			const struct report_document
			    *document = &report->documents[rows.items[i]];

			order[i].text = key == 0 ? document->url : NULL;
			order[i].number = key == 1 ? (int64_t)document->seen
			    : key == 2 &&
				document->newest.precision != DATE_NONE
			    ? document->newest.epoch_s + DATE_BOUND_S
			    : 0;
		}
		context.ranks[key] = ranks_of(order, rows.count);
	}
	markup_put(text, "<section id=\"documents\">\n<h2>Documents</h2>\n");
	if (context.usual != NULL)
		(void)buf_print(text,
		    "<p class=\"soft\">Limits of a document: %s entries and %s "
		    "(%s bytes) uncompressed.</p>\n",
		    human_of(context.usual->max_entries, NULL).text,
		    human_scaled(context.usual->max_bytes, human_bytes).text,
		    human_of(context.usual->max_bytes, NULL).text);
	if (rows.count >= 2) {
		static const char *const texts[] = {
		    "neither", "", "with warnings", "with errors"};
		uint64_t counts[4] = {0};

		for (size_t i = 0; i < rows.count; i++)
			counts[report_severity(
			    &report->documents[rows.items[i]])]++;
		put_severities(text, "rows", "all documents", texts, counts);
		put_choice(text, "sort", "by-", "0", "worst first", true);
		put_choice(text, "sort", "by-", "1", "by address", false);
		put_choice(
		    text, "sort", "by-", "2", "most entries first", false);
		put_choice(text, "sort", "by-", "3", "newest first", false);
	}
	markup_table(text, "cards items",
	    "document|status|entries#|lastmod#|newest|size#");
	for (size_t i = 0; i < rows.count; i++) {
		html_put_row(text, &context, &rows, i);
		(void)out_line(out);
	}
	html_end_rows(text, &rows);
	for (size_t key = 0; key < 3; key++)
		free(context.ranks[key]);
}

void
report_html(const struct report *report, struct out *out)
{
	html_put_head(&out->text, report);
	markup_put(&out->text, "<dl class=\"tiles\">\n");
	markup_tile(&out->text,
	    report->indexes > 0 ? "sitemaps and indexes" : "sitemaps",
	    report->sitemaps, NULL);
	markup_tile(&out->text, "success", report->success, "good");
	markup_tile(&out->text, "has errors", report->has_errors, "error");
	markup_tile(
	    &out->text, "couldn&apos;t fetch", report->not_fetched, "error");
	markup_tile(&out->text, "URLs", report->urls, NULL);
	if (report->refused > 0)
		markup_tile(
		    &out->text, "URLs refused", report->refused, "error");
	(void)buf_print(&out->text,
	    "<div><dt>with lastmod</dt><dd>%u %%</dd></div>\n",
	    report_percent(report->dated, report->entries));
	markup_tile(&out->text, "errors", report->errors, "error");
	markup_tile(&out->text, "warnings", report->warnings, "warning");
	markup_put(&out->text, "</dl>\n");

	size_t groups = report->group_count;
	struct html_order *by_times = mem_zero(
	    (groups + 1) * sizeof(*by_times));
	struct html_order *by_code = mem_zero((groups + 1) * sizeof(*by_code));

	for (size_t i = 0; i < groups; i++) {
		by_times[i].number = (int64_t)report->groups[i].count;
		by_code[i].text = diag_name(report->groups[i].code);
	}
	uint32_t *ranks[] = {
	    ranks_of(by_times, groups), ranks_of(by_code, groups)};

	markup_put(
	    &out->text, "<section id=\"found\">\n<h2>What was found</h2>\n");
	if (!report_has_faults(report))
		markup_put(&out->text, "<p>Nothing to complain of.</p>\n");
	put_group_choices(&out->text, report);
	markup_put(&out->text, "<div class=\"items\">\n");
	for (size_t i = 0; i < report->group_count; i++) {
		if (report_is_aside(report, &report->groups[i]))
			continue;
		html_put_group(&out->text, report, &report->groups[i], ranks);
		(void)out_line(out);
	}
	markup_put(&out->text, "</div>\n");
	struct buf asides = BUF_UP_TO(SIZE_MAX);

	if (report_put_asides(&asides, report)) {
		markup_put(&out->text, "<p class=\"soft\">");
		/* documents link to their codes */
		for (size_t i = 0; i < report->group_count; i++)
			if (report_is_aside(report, &report->groups[i]) &&
			    html_is_first(report, &report->groups[i]))
				markup_print(&out->text,
				    "<span id=\"%s\"></span>",
				    diag_name(report->groups[i].code));
		markup_print(&out->text, "%t</p>\n", buf_str(&asides));
	}
	buf_release(&asides);

	markup_put(&out->text, "</section>\n");
	free(ranks[0]);
	free(ranks[1]);
	/* Without dates there is no chart; the finding says so. */
	if (report->dated > 0) {
		markup_put(&out->text,
		    "<section id=\"dates\">\n<h2>Dates</h2>\n"
		    "<div class=\"plots\">\n");
		chart_ages(&out->text, report->ages);
		markup_put(&out->text, "</div>\n</section>\n");
		(void)out_line(out);
	}
	put_documents(out, report);
	html_table(report, out, false);
	html_table(report, out, true);
	markup_put(&out->text, "</main>\n");
	markup_end(&out->text, "freshet help CODE says more on each finding.");
	(void)out_line(out);
}
