/* A report as tables in GitHub's Markdown, for the summary of a job. */
#include <ctype.h>
#include <string.h>

#include "base/human.h"
#include "crawler/chart/markup.h"
#include "crawler/cli/out.h"
#include "crawler/report/report_phrases.h"

#define ROWS 200
#define TARGETS 5 /* targets named in the heading */
#define PLACES 3 /* places shown of each finding */
#define WIDE 160 /* columns of a URL or a text */

/* Append the text with a numeric reference for all but letters, digits, blanks
 * and the characters in `plain`. A reference is text wherever it stands: it
 * cannot end a cell, be markup, or begin a link (CommonMark 0.31, section 2.5),
 * and within HTML it is the character. */
static void
put_references(struct buf *out, struct slice text, const char *plain)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.p[i];

		/* Bytes of UTF-8 are no markup; vis has made invisible
		 * characters visible. */
		if (c >= 0x80 || isalnum(c) || c == ' ' ||
		    strchr(plain, (char)c) != NULL)
			(void)buf_put_char(out, (char)c);
		else
			(void)buf_print(out, "&#%u;", c);
	}
}

static void
markdown_put_words(struct buf *out, const char *words)
{
	put_references(out, slice_of(words), ",;/()'\"-");
}

static void
put_foreign(struct buf *out, struct slice text)
{
	struct buf cut = BUF_UP_TO(SIZE_MAX);

	(void)vis_put_middle(&cut, text, WIDE);
	markup_put(out, "<code>");
	put_references(out, buf_text(&cut), "/,-");
	markup_put(out, "</code>");
	buf_release(&cut);
}

static void
markdown_put_link(struct buf *out, const char *url, struct slice shown)
{
	bool is_link = report_origin(slice_of(url)).len > 0;
	struct buf whole = {0};

	/* The link has the whole URL, and only what is shown is cut. */
	if (is_link) {
		vis_put(&whole, slice_of(url), SIZE_MAX);
		markup_put(out, "<a href=\"");
		put_references(out, buf_text(&whole), "/,-");
		markup_put(out, "\">");
		buf_release(&whole);
	}
	put_foreign(out, shown);
	if (is_link)
		markup_put(out, "</a>");
}

static void
put_sums(struct buf *out, const struct report *report)
{
	const uint64_t sums[] = {report->sitemaps, report->success,
	    report->has_errors, report->not_fetched, report->urls,
	    report->refused, report->errors, report->warnings};

	markup_print(out,
	    "| %s | success | has errors | couldn't fetch | URLs | URLs "
	    "refused "
	    "| errors | warnings |\n"
	    "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
	    report->indexes > 0 ? "sitemaps and indexes" : "sitemaps");
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		(void)buf_print(out, "| %s ", human_of(sums[i], NULL).text);
	markup_put(out, "|\n\n");
}

/* GitHub takes no summary of more than 1 MiB, so a finding has a few places
 * only. */
static void
markdown_put_group(struct buf *out, const struct report *report,
    const struct report_finding *finding)
{
	const struct diag_info *info = diag_info(finding->code);
	size_t shown = finding->sample_count < PLACES ? finding->sample_count
						      : PLACES;

	(void)buf_print(out, "| %s | <code>%s</code><br>",
	    severity_names[finding->severity], info->code);
	markdown_put_words(out, info->trigger);
	(void)buf_print(out, " | %s", human_of(finding->count, NULL).text);
	if (report->has_baseline)
		(void)buf_print(out, ", %s new",
		    human_of(finding->count - finding->known, NULL).text);
	markup_put(out, " | ");
	for (size_t i = 0; i < shown; i++) {
		if (i > 0)
			markup_put(out, "<br>");
		const struct report_sample *sample = &finding->samples[i];
		const struct report_document
		    *document = &report->documents[sample->document];

		markdown_put_link(
		    out, document->url, report_path(report->home, document));
		report_put_line(out, sample);
		if (sample->seen[0] != '\0') {
			markup_put(out, ": ");
			put_foreign(out, slice_of(sample->seen));
		}
	}
	if (shown > 0 && finding->count > shown)
		(void)buf_print(out, "<br>and %s more",
		    human_of(finding->count - shown, NULL).text);
	markup_put(out, " | ");
	markdown_put_words(out, report_remedy(report, finding).text);
	markup_put(out, " |\n");
}

/* Names and rows are those of the HTML page, in the columns that a summary has
 * room for. */
static void
markdown_put_document(struct buf *out, const struct report *report,
    const struct report_document *document)
{
	bool has_entries = document->status != REPORT_NOT_FETCHED &&
	    document->kind != KIND_ROBOTS;

	markup_put(out, "| ");
	markdown_put_link(
	    out, document->url, report_path(report->home, document));
	(void)buf_print(out, "<br>%s | ", report_kind_titles[document->kind]);
	size_t shown = 0;

	if (report_is_absent(document))
		markup_put(out, "there is none, all may be read");
	else if (document->failure == DIAG_NO_SITEMAP_FOUND)
		markup_put(out, "no sitemap was found");
	else
		markup_put(out, report_status_names[document->status]);
	for (size_t i = 0; i < document->finding_count; i++) {
		const struct report_finding *finding = &document->findings[i];

		if (finding->severity < SEVERITY_WARNING)
			continue;
		(void)buf_print(out, "%s<code>%s</code>",
		    shown++ == 0 ? ": " : ", ", diag_name(finding->code));
	}
	markup_put(out, " | ");
	if (has_entries)
		human_put(out, document->seen, NULL);
	markup_put(out, " | ");
	if (has_entries && document->entries > 0)
		(void)buf_print(out, "%u %%",
		    report_percent(document->dated, document->entries));
	markup_put(out, " | ");
	if (has_entries)
		report_put_age(out, &document->newest, report->began_s);
	markup_put(out, " |\n");
}

static void
end_rows(struct buf *out, struct report_rows *rows)
{
	markup_put(out, "\n");
	if (rows->hidden > 0) {
		report_put_hidden(
		    out, rows, " not shown; `-f json` lists all.");
		markup_put(out, "\n\n");
	}
	free(rows->items);
}

static void
markdown_table(struct out *out, const struct report *report, bool is_closed)
{
	struct buf *text = &out->text;
	struct report_table_row row;
	struct report_table table;
	const char *says, *what;

	if (!report_table_init(&table, report, is_closed, ROWS))
		return;
	(void)buf_print(text, "%s\n---\n\n", table.title);
	report_table_verdict(text, &table);
	if (!report_table_drop_well(&table)) {
		markup_put(text, "\n\n");
		return;
	}
	markup_put(text, "\n\n| page |");
	for (size_t k = 0; k < table.columns; k++) {
		markup_put(text, " ");
		markdown_put_words(text, table.heads[k]);
		markup_put(text, " |");
	}
	markup_put(text, "\n| --- |");
	for (size_t k = 0; k < table.columns; k++)
		markup_put(text, " --- |");
	markup_put(text, "\n");
	for (size_t i = 0; i < table.rows.count; i++) {
		report_table_row(&table, i, &row);
		markup_put(text, "| ");
		markdown_put_link(text, row.url, row.path);
		(void)buf_print(text, " | %s", row.cells[0]);
		/* Codes and notes stand behind the status. */
		for (size_t k = 0; !is_closed && k < row.page->code_count; k++)
			(void)buf_print(text, " <code>%s</code>",
			    diag_name(row.page->codes[k]));
		for (size_t k = 0;
		     !is_closed && report_page_note(row.page, k, &says, &what);
		     k++) {
			markup_put(text, "<br>");
			markdown_put_words(text, says);
			if (what[0] != '\0')
				put_foreign(text, slice_of(what));
		}
		for (size_t k = 1; k < table.columns; k++)
			(void)buf_print(text, " | %s", row.cells[k]);
		markup_put(text, " |\n");
		(void)out_line(out);
	}
	end_rows(text, &table.rows);
}

void
report_markdown(const struct report *report, struct out *out)
{
	/* a log that shows the page must have no "##" (see vis_put_lines) */
	markup_put(&out->text, "Sitemap check");
	for (size_t i = 0; i < report->target_count && i < TARGETS; i++) {
		markup_put(&out->text, i == 0 ? " of " : ", ");
		put_foreign(&out->text, slice_of(report_title(report, i)));
	}
	if (report->target_count > TARGETS)
		(void)buf_print(&out->text, " and %s more",
		    human_of(report->target_count - TARGETS, NULL).text);
	markup_put(&out->text, "\n===\n\n**");
	report_put_verdict(&out->text, report);
	markup_put(&out->text, "**");
	if (report->has_rules)
		markup_put(&out->text, "<br>");
	report_put_accepted(&out->text, report);
	markup_put(&out->text, "\n\n");

	put_sums(&out->text, report);
	markup_put(&out->text, "What was found\n---\n\n");
	if (!report_has_faults(report))
		markup_put(&out->text, "Nothing to complain of.\n");
	else
		markup_put(&out->text,
		    "| severity | finding | times | where | what to do |\n"
		    "| --- | --- | ---: | --- | --- |\n");
	for (size_t i = 0; i < report->group_count; i++) {
		if (report_is_aside(report, &report->groups[i]))
			continue;
		markdown_put_group(&out->text, report, &report->groups[i]);
		(void)out_line(out);
	}
	markup_put(&out->text, "\n");
	if (report_put_asides(&out->text, report))
		markup_put(&out->text, "\n\n");
	struct buf *text = &out->text;
	struct report_list list = {
	    report, 0, report->document_count, REPORT_ALL};
	struct report_rows rows;

	markup_put(text,
	    "Documents\n---\n\n"
	    "| document | status | entries | lastmod | newest |\n"
	    "| --- | --- | ---: | ---: | --- |\n");
	report_rows_init(&rows, &list, ROWS);
	for (size_t i = 0; i < rows.count; i++) {
		markdown_put_document(
		    text, report, &report->documents[rows.items[i]]);
		(void)out_line(out);
	}
	end_rows(text, &rows);
	markdown_table(out, report, false);
	markdown_table(out, report, true);
	struct buf words = BUF_UP_TO(SIZE_MAX), makers = BUF_UP_TO(SIZE_MAX);

	report_put_run(&words, report);
	if (report_put_generators(&makers, report))
		(void)buf_print(&words, "; %s", buf_str(&makers));
	markup_put(text, "freshet " FRESHET_VERSION ", ");
	markdown_put_words(text, buf_str(&words));
	buf_release(&words);
	buf_release(&makers);
	out_end_line(out);
}
