/* A report as one HTML page that loads nothing and runs nothing. */
#include <inttypes.h>

#include "base/human.h"
#include "crawler/chart/markup.h"
#include "crawler/cli/out.h"
#include "crawler/report/report_format.h"
#include "crawler/report/report_phrases.h"
#include "crawler/report/report_rows.h"

#define ROWS 1000
#define TARGETS 5 /* targets named in the heading */

/* Listed pages. */

static void
put_page_state(struct buf *out, const struct report_page *page)
{
	const char *says, *what;

	(void)buf_print(out, "<td><span class=\"state %s\">",
	    page->severity == SEVERITY_NONE ? "good"
					    : severity_name(page->severity));
	report_put_page_status(out, page);
	markup_put(out, "</span>");
	for (size_t i = 0; i < page->code_count; i++)
		(void)buf_print(out, " <a class=\"%s\" href=\"#%s\">%s</a>",
		    severity_name(page->severity), diag_name(page->codes[i]),
		    diag_name(page->codes[i]));
	for (size_t i = 0; report_page_note(page, i, &says, &what); i++) {
		(void)buf_print(out, "<br><span class=\"soft url\">%s", says);
		markup_cut(out, slice_of(what));
		markup_put(out, "</span>");
	}
	markup_put(out, "</td>");
}

static void
put_page_row(struct buf *out, const struct report *report,
    const struct report_page *page)
{
	markup_put(out, "<tr>");
	markup_put(out, "<td>");
	markup_link(out, slice_of(page->url), report_page_path(report, page));
	markup_put(out, "</td>");
	put_page_state(out, page);
	(void)buf_print(out,
	    "<td data-name=\"index\"><span>%s</span></td>"
	    "<td data-name=\"canonical\"><span>%s</span></td></tr>\n",
	    report_page_index(page), report_page_canonical(page));
}

/* End the table of the rows, and its section. */
static void
end_rows(struct buf *text, struct report_rows *rows)
{
	markup_put(text, "</tbody>\n</table>\n");
	if (rows->hidden > 0) {
		markup_put(text, "<p class=\"soft\">");
		report_put_hidden(text, rows);
		markup_put(text, " not shown; -f json lists all.</p>\n");
	}
	report_rows_release(rows);
	markup_put(text, "</section>\n");
}

/* A section with up to 1,000 listed pages, if there are any. */
static void
report_html_pages(const struct report *report, struct out *out)
{
	struct buf *text = &out->text;
	struct report_rows rows;

	if (report->page_count == 0)
		return;
	report_page_rows_init(&rows, report, ROWS);
	markup_put(text, "<section>\n<h2>Listed pages</h2>\n<p>");
	report_put_pages_verdict(text, report);
	markup_put(text,
	    ".</p>\n<table class=\"cards\">\n<thead><tr><th "
	    "scope=\"col\">page</th>"
	    "<th scope=\"col\">status</th><th scope=\"col\">index</th>"
	    "<th scope=\"col\">canonical</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < rows.count; i++) {
		put_page_row(text, report, &report->pages[rows.items[i]]);
		(void)out_line(out);
	}
	end_rows(text, &rows);
}

/* Who may fetch which page, if several agents were judged. */
static void
report_html_closed(const struct report *report, struct out *out)
{
	struct buf *text = &out->text;

	if (report->agent_count < 2 || report->closed == 0)
		return;
	markup_put(text, "<section>\n<h2>Who may fetch what</h2>\n<p>");
	(void)report_put_closed(text, report);
	markup_put(text,
	    ".</p>\n<table class=\"cards\">\n<thead><tr><th "
	    "scope=\"col\">page</th>");
	for (size_t i = 0; i < report->agent_count; i++)
		(void)buf_print(
		    text, "<th scope=\"col\">%s</th>", report->agents[i].name);
	markup_put(text, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < report->closed_count; i++) {
		const struct report_closed *closed = &report->closed_pages[i];

		markup_put(text, "<tr><td>");
		markup_link(text, slice_of(closed->url),
		    report_closed_path(report, closed));
		markup_put(text, "</td>");
		for (size_t k = 0; k < report->agent_count; k++)
			(void)buf_print(text,
			    "<td data-name=\"%s\"><span>%s</span></td>",
			    report->agents[k].name,
			    (closed->agents >> k & 1) == 0 ? "yes" : "no");
		markup_put(text, "</tr>\n");
		(void)out_line(out);
	}
	markup_put(text, "</tbody>\n</table>\n");
	if (report->closed > report->closed_count) {
		markup_put(text, "<p class=\"soft\">... and ");
		human_count(text, report->closed - report->closed_count);
		markup_put(text, " more.</p>\n");
	}
	markup_put(text, "</section>\n");
}

static void
put_tile(struct buf *out, const char *name, uint64_t n, const char *class)
{
	(void)buf_print(out, "<div><dt>%s</dt><dd", name);
	if (class != NULL && n > 0)
		(void)buf_print(out, " class=\"%s\"", class);
	markup_put(out, ">");
	human_count(out, n);
	markup_put(out, "</dd></div>\n");
}

static void
put_tiles(struct buf *out, const struct report *report)
{
	markup_put(out, "<dl class=\"tiles\">\n");
	put_tile(out, report->indexes > 0 ? "sitemaps and indexes" : "sitemaps",
	    report->sitemaps, NULL);
	put_tile(out, "success", report->success, "good");
	put_tile(out, "has errors", report->has_errors, "error");
	put_tile(out, "couldn&apos;t fetch", report->not_fetched, "error");
	put_tile(out, "URLs", report->urls, NULL);
	if (report->refused > 0)
		put_tile(out, "URLs refused", report->refused, "error");
	(void)buf_print(out, "<div><dt>with lastmod</dt><dd>%u %%</dd></div>\n",
	    report_percent(report->dated, report->entries));
	put_tile(out, "errors", report->errors, "error");
	put_tile(out, "warnings", report->warnings, "warning");
	markup_put(out, "</dl>\n");
}

static void
put_targets(struct buf *out, const struct report *report)
{
	for (size_t i = 0; i < report->target_count && i < TARGETS; i++) {
		markup_put(out,
		    i == 0 ? " of <span class=\"url\">"
			   : ", <span class=\"url\">");
		markup_cut(out, slice_of(report_title(report, i)));
		markup_put(out, "</span>");
	}
	if (report->target_count > TARGETS) {
		markup_put(out, " and ");
		human_count(out, report->target_count - TARGETS);
		markup_put(out, " more");
	}
}

static void
put_head(struct buf *out, const struct report *report)
{
	struct buf title;

	buf_init(&title, SIZE_MAX);
	(void)buf_print(&title, "%s: sitemap check",
	    report->target_count > 0 ? report_title(report, 0) : "");
	markup_begin(out, buf_text(&title));
	buf_release(&title);
	markup_put(out, "<header>\n<h1>Sitemap check");
	put_targets(out, report);
	markup_put(out, "</h1>\n<p class=\"verdict ");
	markup_put(out, report_is_bad(report) ? "error\">" : "good\">");
	report_put_verdict(out, report);
	markup_put(out, "</p>\n<p class=\"soft\">read ");
	time_print(out, report->began_s);
	markup_put(out, " in ");
	human_spent(out, report->spent_ms);
	markup_put(out, ", judged by profile ");
	markup_text(out, slice_of(report->profile));
	if (report->agent != NULL) {
		markup_put(out, ", robots.txt for ");
		markup_text(out, slice_of(report->agent));
	}
	if (report_is_unconfined(report)) {
		markup_put(out, "; readers not sandboxed: ");
		markup_text(out, slice_of(report->sandbox));
	}
	if (report->uncompared > 0)
		markup_put(out, "; ");
	(void)report_put_uncompared(out, report);
	if (report->has_rules)
		markup_put(out, "<br>");
	(void)report_put_accepted(out, report);
	markup_put(out, "</p>\n</header>\n<main>\n");
}

static void
put_sample(struct buf *out, const struct report *report,
    const struct report_sample *sample)
{
	const struct report_document *document = report_sample_document(
	    report, sample);
	struct buf seen;

	markup_put(out, "<li>");
	if (document != NULL)
		markup_link(out, slice_of(document->url),
		    report_path(report->home, document));
	report_put_line(out, sample);
	buf_init(&seen, SIZE_MAX);
	report_put_seen(&seen, sample);
	if (seen.len > 0) {
		markup_put(out, ": <code>");
		markup_cut(out, buf_text(&seen));
		markup_put(out, "</code>");
	}
	buf_release(&seen);
	markup_put(out, "</li>\n");
}

/* Whether it is the first finding of its code; one of another severity may
 * follow. */
static bool
is_first(const struct report *report, const struct report_finding *finding)
{
	const struct report_finding *other = report->groups;

	while (other < finding && other->code != finding->code)
		other++;
	return other == finding;
}

static void
put_group(struct buf *out, const struct report *report,
    const struct report_finding *finding)
{
	const struct diag_info *info = diag_info(finding->code);
	const char *severity = severity_name(finding->severity);
	struct buf remedy;

	(void)buf_print(out, "<details class=\"%s\"", severity);
	if (is_first(report, finding))
		(void)buf_print(out, " id=\"%s\"", info->code);
	(void)buf_print(out, "%s>\n<summary><code>%s</code> ",
	    finding->severity == SEVERITY_ERROR ? " open" : "", info->code);
	markup_text(out, slice_of(info->trigger));
	(void)buf_print(out, " <span class=\"soft\">%s, ", severity);
	human_plural(out, finding->count, "time");
	if (report->has_baseline) {
		markup_put(out, ", ");
		human_count(out, finding->count - finding->known);
		markup_put(out, " new");
	}
	markup_put(out, "</span></summary>\n<p><b>What to do:</b> ");
	buf_init(&remedy, SIZE_MAX);
	report_put_remedy(&remedy, report, finding);
	markup_text(out, buf_text(&remedy));
	buf_release(&remedy);
	markup_put(out, "</p>\n");
	if (info->search_console[0] != '(') {
		markup_put(out, "<p><b>In Search Console:</b> ");
		markup_text(out, slice_of(info->search_console));
		markup_put(out, "</p>\n");
	}
	if (finding->sample_count > 0)
		markup_put(out, "<ul>\n");
	for (size_t i = 0; i < finding->sample_count; i++)
		put_sample(out, report, &finding->samples[i]);
	if (finding->sample_count > 0 &&
	    finding->count > finding->sample_count) {
		markup_put(out, "<li class=\"soft\">and ");
		human_count(out, finding->count - finding->sample_count);
		markup_put(out, " more</li>\n");
	}
	markup_put(out,
	    finding->sample_count > 0 ? "</ul>\n</details>\n" : "</details>\n");
}

/* The codes that ask for nothing, in one sentence. */
static void
put_asides(struct buf *out, const struct report *report)
{
	struct buf asides;

	buf_init(&asides, SIZE_MAX);
	if (report_put_asides(&asides, report)) {
		markup_put(out, "<p class=\"soft\">");
		/* documents link to their codes */
		for (size_t i = 0; i < report->group_count; i++)
			if (report_is_aside(report, &report->groups[i]) &&
			    is_first(report, &report->groups[i]))
				(void)buf_print(out, "<span id=\"%s\"></span>",
				    diag_info(report->groups[i].code)->code);
		markup_text(out, slice_of(buf_str(&asides)));
		markup_put(out, "</p>\n");
	}
	buf_release(&asides);
}

static void
put_groups(struct out *out, const struct report *report)
{
	markup_put(&out->text, "<section>\n<h2>What was found</h2>\n");
	if (!report_has_faults(report))
		markup_put(&out->text, "<p>Nothing to complain of.</p>\n");
	for (size_t i = 0; i < report->group_count; i++) {
		if (report_is_aside(report, &report->groups[i]))
			continue;
		put_group(&out->text, report, &report->groups[i]);
		(void)out_line(out);
	}
	put_asides(&out->text, report);
	markup_put(&out->text, "</section>\n");
}

/* Search Console's words, and the codes. */
static void
put_state(struct buf *out, const struct report_document *document)
{
	if (report_is_absent(document)) {
		markup_put(out,
		    "<td><span class=\"soft\">there is none, all may be read"
		    "</span>");
	} else {
		(void)buf_print(out, "<td><span class=\"state %s\">",
		    document->status == REPORT_SUCCESS ? "good" : "error");
		markup_text(out,
		    slice_of(report_leads_nowhere(document)
			    ? "no sitemap was found"
			    : report_status_name(document->status)));
		markup_put(out, "</span>");
	}
	for (size_t i = 0; i < document->finding_count; i++) {
		const struct report_finding *finding = &document->findings[i];
		const char *code = diag_name(finding->code);

		if (finding->severity < SEVERITY_WARNING)
			continue;
		(void)buf_print(out, " <a class=\"%s\" href=\"#%s\">%s</a>",
		    severity_name(finding->severity), code, code);
		if (finding->count > 1) {
			markup_put(out, " &times;&#8239;");
			human_count(out, finding->count);
		}
	}
	markup_put(out, "</td>");
}

/* Where the document is, and how it came. */
static void
put_name(struct buf *out, const struct report *report,
    const struct report_document *document)
{
	markup_put(out, "<td>");
	markup_link(
	    out, slice_of(document->url), report_path(report->home, document));
	(void)buf_print(out, "<br><span class=\"soft\">%s",
	    report_kind_title(document->kind));
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
}

/* The size, with its limit if there is one. */
static void
put_size(struct buf *out, const struct report_document *document)
{
	markup_put(out, "<td class=\"n\" data-name=\"size\"><span>");
	report_put_bytes(out, document);
	if (document->max_bytes > 0) {
		markup_put(out, "<br> <span class=\"soft\">limit ");
		report_put_max_bytes(out, document);
		markup_put(out, "</span>");
	}
	markup_put(out, "</span></td>");
}

static void
put_entries(struct buf *out, const struct report_document *document)
{
	unsigned percent = report_percent(document->dated, document->entries);
	bool is_index = document->kind == KIND_INDEX;

	(void)buf_print(out, "<td class=\"n\" data-name=\"%s\"><span>",
	    is_index ? "sitemaps" : "URLs");
	human_count(out, document->seen);
	if (document->max_entries > 0) {
		markup_put(out, "<br> <span class=\"soft\">limit ");
		human_count(out, document->max_entries);
		markup_put(out, "</span>");
	}
	if (document->refused > 0) {
		markup_put(out, "<br> <span class=\"error\">");
		human_count(out, document->refused);
		markup_put(out, " refused</span>");
	}
	markup_put(
	    out, "</span></td><td class=\"n\" data-name=\"lastmod\"><span>");
	if (document->entries > 0)
		(void)buf_print(out,
		    "%u %%<meter min=\"0\" max=\"100\" value=\"%u\"></meter>",
		    percent, percent);
	else
		markup_put(out, "-");
	if (report_has_others(document)) {
		markup_put(out, "<br> <span class=\"soft\">of ");
		human_count(out, document->entries);
		markup_put(out, " accepted</span>");
	}
	markup_put(out, "</span></td>");
}

static void
put_row(struct buf *out, const struct report *report,
    const struct report_document *document)
{
	bool is_child = document->parent < report->document_count &&
	    report->documents[document->parent].kind == KIND_INDEX;
	bool has_entries = document->status != REPORT_NOT_FETCHED &&
	    document->kind != KIND_ROBOTS;

	markup_put(out,
	    is_child ? "<tr class=\"child\">"
		: document->kind == KIND_INDEX || document->kind == KIND_ROBOTS
		? "<tr class=\"head\">"
		: "<tr>");
	put_name(out, report, document);
	put_state(out, document);
	if (has_entries) {
		put_entries(out, document);
		markup_put(
		    out, "<td class=\"when\" data-name=\"newest\"><span>");
		report_put_age(out, &document->newest, report->began_s);
		markup_put(out, "</span></td>");
		put_size(out, document);
	} else {
		markup_put(out, "<td class=\"empty\" colspan=\"4\"></td>");
	}
	markup_put(out, "</tr>\n");
}

static void
put_documents(struct out *out, const struct report *report)
{
	struct buf *text = &out->text;
	struct report_list list = {
	    report, 0, report->document_count, REPORT_ALL};
	struct report_rows rows;

	markup_put(text,
	    "<section>\n<h2>Documents</h2>\n<table "
	    "class=\"cards\">\n<thead><tr>"
	    "<th scope=\"col\">document</th><th scope=\"col\">status</th>"
	    "<th scope=\"col\" class=\"n\">entries</th>"
	    "<th scope=\"col\" class=\"n\">lastmod</th>"
	    "<th scope=\"col\">newest</th>"
	    "<th scope=\"col\" class=\"n\">size</th></tr></thead>\n<tbody>\n");
	report_rows_init(&rows, &list, ROWS);
	for (size_t i = 0; i < rows.count; i++) {
		put_row(text, report, &report->documents[rows.items[i]]);
		(void)out_line(out);
	}
	end_rows(text, &rows);
}

void
report_html(const struct report *report, struct out *out)
{
	put_head(&out->text, report);
	put_tiles(&out->text, report);
	put_groups(out, report);
	put_documents(out, report);
	report_html_pages(report, out);
	report_html_closed(report, out);
	markup_put(&out->text, "</main>\n");
	markup_end(&out->text, "freshet help CODE says more on each finding.");
	(void)out_line(out);
}
