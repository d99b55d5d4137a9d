/* A report as one HTML page that loads nothing and runs nothing. */
#include <inttypes.h>

#include "base/human.h"
#include "base/vis.h"
#include "crawler/cli/out.h"
#include "crawler/report/report_format.h"
#include "crawler/report/report_phrases.h"
#include "crawler/report/report_rows.h"

#define ROWS 1000
#define TARGETS 5 /* targets named in the heading */
#define WIDE 160 /* columns of a URL or text; a link has the whole URL */

/* The text between <style> and </style>. The page's Content-Security-Policy
 * names its SHA-256 in base64, so that no other style acts, nor any style
 * attribute: whoever changes the text changes the hash. */
#define REPORT_HTML_STYLE_HASH "aBJnbhNO0heHI8zWTH54w/YnOn7v6EhWqdBroDV68aI="

/* clang-format off */
static const char report_html_style[] =
    ":root{color-scheme:light dark;--back:#fff;--card:#f4f5f7;--text:#1a1d21;"
    "--soft:#5a626c;--line:#d9dde2;--link:#0b57d0;--bad:#b3261e;"
    "--warn:#8a5300;--good:#1b6e37;--info:#2b5a8c}\n"
    "@media(prefers-color-scheme:dark){:root{--back:#14171a;--card:#1e2226;"
    "--text:#e7e9ec;--soft:#a2abb5;--line:#343a41;--link:#8ab4f8;"
    "--bad:#ff8a80;--warn:#f5b74f;--good:#7bd193;--info:#8fbbe8}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:75rem;padding:1rem;background:var(--back);"
    "color:var(--text);font:16px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0}\n"
    "h2{font-size:1.2rem;margin:2rem 0 .75rem}\n"
    "a{color:var(--link)}\n"
    "a,code,.url{overflow-wrap:anywhere;unicode-bidi:isolate}\n"
    "code{font:.9em/1.4 ui-monospace,monospace}\n"
    ".soft,footer{color:var(--soft);font-size:.9rem}\n"
    ".verdict{font-size:1.15rem;font-weight:600}\n"
    ".error{color:var(--bad)}.warning{color:var(--warn)}"
    ".info{color:var(--info)}.good{color:var(--good)}\n"
    ".tiles{display:grid;gap:.6rem;margin:1rem 0;"
    "grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr))}\n"
    ".tiles div{background:var(--card);border-radius:.5rem;"
    "padding:.6rem .8rem}\n"
    ".tiles dt{color:var(--soft);font-size:.85rem}\n"
    ".tiles dd{margin:0;font-size:1.3rem;font-weight:600;"
    "font-variant-numeric:tabular-nums}\n"
    "details{background:var(--card);border-radius:.5rem;"
    "border-left:.3rem solid var(--line);margin:.6rem 0;"
    "padding:.6rem .8rem}\n"
    "details.error{border-color:var(--bad)}"
    "details.warning{border-color:var(--warn)}"
    "details.info{border-color:var(--info)}"
    "details>*{color:var(--text)}\n"
    "summary{cursor:pointer}\n"
    "summary code{font-weight:600;margin-right:.4rem}\n"
    "summary .soft{white-space:nowrap}\n"
    "details.error summary code{color:var(--bad)}"
    "details.warning summary code{color:var(--warn)}"
    "details.info summary code{color:var(--info)}\n"
    "details p{margin:.5rem 0}\n"
    "details ul{margin:.5rem 0;padding-left:1.2rem}li.soft{list-style:none}\n"
    "table{border-collapse:collapse;width:100%}\n"
    "th{color:var(--soft);font-size:.85rem;font-weight:600;text-align:left}\n"
    "th,td{border-bottom:1px solid var(--line);padding:.45rem .6rem;"
    "vertical-align:top}\n"
    "td.n,th.n{text-align:right;white-space:nowrap;"
    "font-variant-numeric:tabular-nums}\n"
    "td.when{white-space:nowrap}\n"
    "tr.head td{background:var(--card)}\n"
    "tr.child td:first-child{padding-left:1.4rem}\n"
    "td a.error,td a.warning{white-space:nowrap}\n"
    ".state{font-weight:600;white-space:nowrap}\n"
    "meter{display:block;width:5rem;height:.5rem;margin-left:auto}\n"
    "@media(max-width:56rem){body{padding:.75rem}"
    "table,tbody,tr,td{display:block;width:100%}"
    "thead{display:none}"
    "tr{border-bottom:1px solid var(--line);padding:.5rem 0}"
    "tr.head{background:var(--card);padding:.5rem}"
    "td,tr.child td:first-child{border:0;padding:.1rem 0}"
    "td.n,td.when{display:flex;justify-content:space-between;"
    "text-align:right;gap:1rem}"
    "td[data-name]::before{content:attr(data-name);color:var(--soft);"
    "font-size:.9rem}"
    "td.n br{display:none}td.empty{display:none}meter{display:none}}\n"
    "@media print{body{max-width:none}details{break-inside:avoid}}\n";
/* clang-format on */

static void
put(struct buf *out, const char *markup)
{
	(void)buf_print(out, "%s", markup);
}

/* Append the text, cut in the middle if it is long. */
static void
put_cut(struct buf *out, struct slice text)
{
	struct buf cut;

	buf_init(&cut, SIZE_MAX);
	(void)vis_put_middle(&cut, text, WIDE);
	xml_put(out, buf_text(&cut));
	buf_release(&cut);
}

static void
put_text(struct buf *out, const char *text)
{
	report_put_xml(out, slice_of(text));
}

/* A link if the scheme is that of a web page. Text and attribute are escaped
 * alike. */
static void
put_link(struct buf *out, const char *url, struct slice shown)
{
	bool is_link = report_origin(slice_of(url)).len > 0;

	if (is_link) {
		put(out, "<a rel=\"noreferrer nofollow\" href=\"");
		put_text(out, url);
		put(out, "\">");
	} else {
		put(out, "<span class=\"url\">");
	}
	put_cut(out, shown);
	put(out, is_link ? "</a>" : "</span>");
}

/* Listed pages. */

static void
put_page_state(struct buf *out, const struct report_page *page)
{
	const char *says, *what;

	(void)buf_print(out, "<td><span class=\"state %s\">",
	    page->severity == SEVERITY_NONE ? "good"
					    : severity_name(page->severity));
	report_put_page_status(out, page);
	put(out, "</span>");
	for (size_t i = 0; i < page->code_count; i++)
		(void)buf_print(out, " <a class=\"%s\" href=\"#%s\">%s</a>",
		    severity_name(page->severity), diag_name(page->codes[i]),
		    diag_name(page->codes[i]));
	for (size_t i = 0; report_page_note(page, i, &says, &what); i++) {
		(void)buf_print(out, "<br><span class=\"soft url\">%s", says);
		put_cut(out, slice_of(what));
		put(out, "</span>");
	}
	put(out, "</td>");
}

static void
put_page_row(struct buf *out, const struct report *report,
    const struct report_page *page)
{
	put(out, "<tr>");
	put(out, "<td>");
	put_link(out, page->url, report_page_path(report, page));
	put(out, "</td>");
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
	put(text, "</tbody>\n</table>\n");
	if (rows->hidden > 0) {
		put(text, "<p class=\"soft\">");
		report_put_hidden(text, rows);
		put(text, " not shown; -f json lists all.</p>\n");
	}
	report_rows_release(rows);
	put(text, "</section>\n");
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
	put(text, "<section>\n<h2>Listed pages</h2>\n<p>");
	report_put_pages_verdict(text, report);
	put(text,
	    ".</p>\n<table>\n<thead><tr><th scope=\"col\">page</th>"
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
	put(text, "<section>\n<h2>Who may fetch what</h2>\n<p>");
	(void)report_put_closed(text, report);
	put(text, ".</p>\n<table>\n<thead><tr><th scope=\"col\">page</th>");
	for (size_t i = 0; i < report->agent_count; i++)
		(void)buf_print(
		    text, "<th scope=\"col\">%s</th>", report->agents[i].name);
	put(text, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < report->closed_count; i++) {
		const struct report_closed *closed = &report->closed_pages[i];

		put(text, "<tr><td>");
		put_link(text, closed->url, report_closed_path(report, closed));
		put(text, "</td>");
		for (size_t k = 0; k < report->agent_count; k++)
			(void)buf_print(text,
			    "<td data-name=\"%s\"><span>%s</span></td>",
			    report->agents[k].name,
			    (closed->agents >> k & 1) == 0 ? "yes" : "no");
		put(text, "</tr>\n");
		(void)out_line(out);
	}
	put(text, "</tbody>\n</table>\n");
	if (report->closed > report->closed_count) {
		put(text, "<p class=\"soft\">... and ");
		human_count(text, report->closed - report->closed_count);
		put(text, " more.</p>\n");
	}
	put(text, "</section>\n");
}

static void
put_tile(struct buf *out, const char *name, uint64_t n, const char *class)
{
	(void)buf_print(out, "<div><dt>%s</dt><dd", name);
	if (class != NULL && n > 0)
		(void)buf_print(out, " class=\"%s\"", class);
	put(out, ">");
	human_count(out, n);
	put(out, "</dd></div>\n");
}

static void
put_tiles(struct buf *out, const struct report *report)
{
	put(out, "<dl class=\"tiles\">\n");
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
	put(out, "</dl>\n");
}

static void
put_targets(struct buf *out, const struct report *report)
{
	for (size_t i = 0; i < report->target_count && i < TARGETS; i++) {
		put(out,
		    i == 0 ? " of <span class=\"url\">"
			   : ", <span class=\"url\">");
		put_cut(out, slice_of(report_title(report, i)));
		put(out, "</span>");
	}
	if (report->target_count > TARGETS) {
		put(out, " and ");
		human_count(out, report->target_count - TARGETS);
		put(out, " more");
	}
}

static void
put_head(struct buf *out, const struct report *report)
{
	put(out,
	    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\""
	    "default-src 'none'; style-src 'sha256-" REPORT_HTML_STYLE_HASH
	    "'; base-uri 'none'; form-action 'none'\">\n"
	    "<meta name=\"viewport\" "
	    "content=\"width=device-width, initial-scale=1\">\n"
	    "<meta name=\"referrer\" content=\"no-referrer\">\n"
	    "<meta name=\"robots\" content=\"noindex\">\n<title>");
	if (report->target_count > 0)
		put_cut(out, slice_of(report_title(report, 0)));
	put(out, ": sitemap check</title>\n<style>");
	put(out, report_html_style);
	put(out, "</style>\n</head>\n<body>\n<header>\n<h1>Sitemap check");
	put_targets(out, report);
	put(out, "</h1>\n<p class=\"verdict ");
	put(out, report_is_bad(report) ? "error\">" : "good\">");
	report_put_verdict(out, report);
	put(out, "</p>\n<p class=\"soft\">read ");
	time_print(out, report->began_s);
	put(out, " in ");
	human_spent(out, report->spent_ms);
	put(out, ", judged by profile ");
	put_text(out, report->profile);
	if (report->agent != NULL) {
		put(out, ", robots.txt for ");
		put_text(out, report->agent);
	}
	if (report_is_unconfined(report)) {
		put(out, "; readers not sandboxed: ");
		put_text(out, report->sandbox);
	}
	if (report->uncompared > 0)
		put(out, "; ");
	(void)report_put_uncompared(out, report);
	if (report->has_rules)
		put(out, "<br>");
	(void)report_put_accepted(out, report);
	put(out, "</p>\n</header>\n<main>\n");
}

static void
put_sample(struct buf *out, const struct report *report,
    const struct report_sample *sample)
{
	const struct report_document *document = report_sample_document(
	    report, sample);
	struct buf seen;

	put(out, "<li>");
	if (document != NULL)
		put_link(
		    out, document->url, report_path(report->home, document));
	report_put_line(out, sample);
	buf_init(&seen, SIZE_MAX);
	report_put_seen(&seen, sample);
	if (seen.len > 0) {
		put(out, ": <code>");
		put_cut(out, buf_text(&seen));
		put(out, "</code>");
	}
	buf_release(&seen);
	put(out, "</li>\n");
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
	put_text(out, info->trigger);
	(void)buf_print(out, " <span class=\"soft\">%s, ", severity);
	human_plural(out, finding->count, "time");
	if (report->has_baseline) {
		put(out, ", ");
		human_count(out, finding->count - finding->known);
		put(out, " new");
	}
	put(out, "</span></summary>\n<p><b>What to do:</b> ");
	buf_init(&remedy, SIZE_MAX);
	report_put_remedy(&remedy, report, finding);
	report_put_xml(out, buf_text(&remedy));
	buf_release(&remedy);
	put(out, "</p>\n");
	if (info->search_console[0] != '(') {
		put(out, "<p><b>In Search Console:</b> ");
		put_text(out, info->search_console);
		put(out, "</p>\n");
	}
	if (finding->sample_count > 0)
		put(out, "<ul>\n");
	for (size_t i = 0; i < finding->sample_count; i++)
		put_sample(out, report, &finding->samples[i]);
	if (finding->sample_count > 0 &&
	    finding->count > finding->sample_count) {
		put(out, "<li class=\"soft\">and ");
		human_count(out, finding->count - finding->sample_count);
		put(out, " more</li>\n");
	}
	put(out,
	    finding->sample_count > 0 ? "</ul>\n</details>\n" : "</details>\n");
}

/* The codes that ask for nothing, in one sentence. */
static void
put_asides(struct buf *out, const struct report *report)
{
	struct buf asides;

	buf_init(&asides, SIZE_MAX);
	if (report_put_asides(&asides, report)) {
		put(out, "<p class=\"soft\">");
		/* documents link to their codes */
		for (size_t i = 0; i < report->group_count; i++)
			if (report_is_aside(report, &report->groups[i]) &&
			    is_first(report, &report->groups[i]))
				(void)buf_print(out, "<span id=\"%s\"></span>",
				    diag_info(report->groups[i].code)->code);
		put_text(out, buf_str(&asides));
		put(out, "</p>\n");
	}
	buf_release(&asides);
}

static void
put_groups(struct out *out, const struct report *report)
{
	put(&out->text, "<section>\n<h2>What was found</h2>\n");
	if (!report_has_faults(report))
		put(&out->text, "<p>Nothing to complain of.</p>\n");
	for (size_t i = 0; i < report->group_count; i++) {
		if (report_is_aside(report, &report->groups[i]))
			continue;
		put_group(&out->text, report, &report->groups[i]);
		(void)out_line(out);
	}
	put_asides(&out->text, report);
	put(&out->text, "</section>\n");
}

/* Search Console's words, and the codes. */
static void
put_state(struct buf *out, const struct report_document *document)
{
	if (report_is_absent(document)) {
		put(out,
		    "<td><span class=\"soft\">there is none, all may be read"
		    "</span>");
	} else {
		(void)buf_print(out, "<td><span class=\"state %s\">",
		    document->status == REPORT_SUCCESS ? "good" : "error");
		put_text(out,
		    report_leads_nowhere(document)
			? "no sitemap was found"
			: report_status_name(document->status));
		put(out, "</span>");
	}
	for (size_t i = 0; i < document->finding_count; i++) {
		const struct report_finding *finding = &document->findings[i];
		const char *code = diag_name(finding->code);

		if (finding->severity < SEVERITY_WARNING)
			continue;
		(void)buf_print(out, " <a class=\"%s\" href=\"#%s\">%s</a>",
		    severity_name(finding->severity), code, code);
		if (finding->count > 1) {
			put(out, " &times;&#8239;");
			human_count(out, finding->count);
		}
	}
	put(out, "</td>");
}

/* Where the document is, and how it came. */
static void
put_name(struct buf *out, const struct report *report,
    const struct report_document *document)
{
	put(out, "<td>");
	put_link(out, document->url, report_path(report->home, document));
	(void)buf_print(out, "<br><span class=\"soft\">%s",
	    report_kind_title(document->kind));
	if (document->http_status != 0 &&
	    report_origin(slice_of(document->url)).len > 0)
		(void)buf_print(out, ", HTTP %d", document->http_status);
	if (document->gzip_layers > 0)
		put(out, ", gzip");
	if (document->status != REPORT_NOT_FETCHED && !document->is_complete &&
	    document->seen > 0)
		put(out, ", not read to the end");
	if (document->final_url != NULL) {
		put(out, ", redirected to ");
		put_link(
		    out, document->final_url, slice_of(document->final_url));
	}
	put(out, "</span></td>");
}

/* The size, with its limit if there is one. */
static void
put_size(struct buf *out, const struct report_document *document)
{
	put(out, "<td class=\"n\" data-name=\"size\"><span>");
	human_bytes(out, document->decoded_bytes);
	if (document->max_bytes > 0) {
		put(out, "<br> <span class=\"soft\">limit ");
		human_bytes(out, document->max_bytes);
		put(out, "</span>");
	}
	put(out, "</span></td>");
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
		put(out, "<br> <span class=\"soft\">limit ");
		human_count(out, document->max_entries);
		put(out, "</span>");
	}
	if (document->refused > 0) {
		put(out, "<br> <span class=\"error\">");
		human_count(out, document->refused);
		put(out, " refused</span>");
	}
	put(out, "</span></td><td class=\"n\" data-name=\"lastmod\"><span>");
	if (document->entries > 0)
		(void)buf_print(out,
		    "%u %%<meter min=\"0\" max=\"100\" value=\"%u\"></meter>",
		    percent, percent);
	else
		put(out, "-");
	if (report_has_others(document)) {
		put(out, "<br> <span class=\"soft\">of ");
		human_count(out, document->entries);
		put(out, " accepted</span>");
	}
	put(out, "</span></td>");
}

static void
put_row(struct buf *out, const struct report *report,
    const struct report_document *document)
{
	bool is_child = document->parent < report->document_count &&
	    report->documents[document->parent].kind == KIND_INDEX;
	bool has_entries = document->status != REPORT_NOT_FETCHED &&
	    document->kind != KIND_ROBOTS;

	put(out,
	    is_child ? "<tr class=\"child\">"
		: document->kind == KIND_INDEX || document->kind == KIND_ROBOTS
		? "<tr class=\"head\">"
		: "<tr>");
	put_name(out, report, document);
	put_state(out, document);
	if (has_entries) {
		put_entries(out, document);
		put(out, "<td class=\"when\" data-name=\"newest\"><span>");
		report_put_age(out, &document->newest, report->began_s);
		put(out, "</span></td>");
		put_size(out, document);
	} else {
		put(out, "<td class=\"empty\" colspan=\"4\"></td>");
	}
	put(out, "</tr>\n");
}

static void
put_documents(struct out *out, const struct report *report)
{
	struct buf *text = &out->text;
	struct report_list list = {
	    report, 0, report->document_count, REPORT_ALL};
	struct report_rows rows;

	put(text,
	    "<section>\n<h2>Documents</h2>\n<table>\n<thead><tr>"
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
	put(&out->text,
	    "</main>\n<footer>\n<p>freshet " FRESHET_VERSION
	    "; freshet help CODE says more on each finding.</p>\n"
	    "</footer>\n</body>\n</html>\n");
	(void)out_line(out);
}
