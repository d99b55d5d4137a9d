/* A report for people: documents, then findings, then one line. */
#include <string.h>

#include "base/human.h"
#include "base/vis.h"
#include "crawler/cli/out.h"
#include "crawler/report/report_format.h"
#include "crawler/report/report_phrases.h"
#include "crawler/report/report_rows.h"
#include "crawler/report/report_text_documents.h"
#include "crawler/report/report_text_parts.h"

/* Listed pages. */

#define ROWS 40
#define STATUS_COLUMNS 17 /* "301 to disallowed" */
#define INDEX_COLUMNS 7 /* "noindex" */
#define CANONICAL_COLUMNS 9 /* the heading */
#define REST_COLUMNS \
	(2 + 2 + STATUS_COLUMNS + 2 + INDEX_COLUMNS + 2 + CANONICAL_COLUMNS)

static void
put_row(struct text_report *text, const struct report_page *page)
{
	struct buf *out = &text->out->text;
	const char *says, *what;
	size_t used;

	(void)buf_put(out, "  ", 2);
	used = text_middle(
	    text, report_page_path(text->report, page), text->name_columns);
	text_spaces(out, text->name_columns - used + 2);
	buf_clear(&text->cell);
	report_put_page_status(&text->cell, page);
	text_words(text, buf_str(&text->cell), page->severity);
	used = text->cell.len;
	text_spaces(out, STATUS_COLUMNS - used + 2);
	(void)buf_print(out, "%-*s  %s", INDEX_COLUMNS, report_page_index(page),
	    report_page_canonical(page));
	text_end_line(text);
	for (size_t i = 0; report_page_note(page, i, &says, &what); i++) {
		text_spaces(out, 6);
		(void)buf_print(out, "%s", says);
		(void)text_middle(
		    text, slice_of(what), text->columns - 6 - strlen(says));
		text_end_line(text);
	}
}

/* Print the listed pages that were fetched, if any. */
static void
text_pages(struct text_report *text)
{
	const struct report *report = text->report;
	struct buf *out = &text->out->text;
	struct report_rows rows;

	if (report->page_count == 0)
		return;
	report_page_rows_init(&rows, report, ROWS);
	buf_clear(&text->cell);
	report_put_pages_verdict(&text->cell, report);
	text_line(text);
	text->name_columns = strlen("PAGE");
	for (size_t i = 0; i < rows.count; i++) {
		size_t name;

		buf_clear(&text->cell);
		vis_put(&text->cell,
		    report_page_path(report, &report->pages[rows.items[i]]),
		    SIZE_MAX);
		name = slice_chars(buf_text(&text->cell));
		if (name > text->name_columns)
			text->name_columns = name;
	}
	text_names(text, REST_COLUMNS);

	(void)buf_print(out, "  %-*s  %-*s  %-*s  CANONICAL\n",
	    (int)text->name_columns, "PAGE", STATUS_COLUMNS, "STATUS",
	    INDEX_COLUMNS, "INDEX");
	for (size_t i = 0; i < rows.count; i++)
		put_row(text, &report->pages[rows.items[i]]);
	text_end_rows(text, &rows);
}

/* Print who may fetch which page, if several agents were judged. */
static void
text_closed(struct text_report *text)
{
	const struct report *report = text->report;
	struct buf *out = &text->out->text;
	size_t shown = report->closed_count < ROWS ? report->closed_count
						   : ROWS;
	size_t rest = 2;

	buf_clear(&text->cell);
	if (!report_put_closed(&text->cell, report))
		return;
	text_line(text);
	for (size_t i = 0; i < report->agent_count; i++)
		rest += 2 + strlen(report->agents[i].name);
	text->name_columns = strlen("PAGE");
	for (size_t i = 0; i < shown; i++) {
		size_t name;

		buf_clear(&text->cell);
		vis_put(&text->cell,
		    report_closed_path(report, &report->closed_pages[i]),
		    SIZE_MAX);
		name = slice_chars(buf_text(&text->cell));
		if (name > text->name_columns)
			text->name_columns = name;
	}
	text_names(text, rest);
	(void)buf_print(out, "  %-*s", (int)text->name_columns, "PAGE");
	for (size_t i = 0; i < report->agent_count; i++)
		(void)buf_print(out, "  %s", report->agents[i].name);
	text_end_line(text);
	for (size_t i = 0; i < shown; i++) {
		const struct report_closed *closed = &report->closed_pages[i];
		size_t used;

		(void)buf_put(out, "  ", 2);
		used = text_middle(text, report_closed_path(report, closed),
		    text->name_columns);
		text_spaces(out, text->name_columns - used);
		for (size_t k = 0; k < report->agent_count; k++)
			(void)buf_print(out, "  %-*s",
			    k + 1 == report->agent_count
				? 0
				: (int)strlen(report->agents[k].name),
			    (closed->agents >> k & 1) == 0 ? "yes" : "no");
		text_end_line(text);
	}
	if (report->closed > shown)
		(void)buf_print(out, "  ... and %s more\n",
		    human_n(report->closed - shown).text);
}

#define EXAMPLES 3 /* samples of one code */
#define CODE_COLUMNS 26
#define PLACE_REST 20 /* columns beside the path of a sample */

/* Print the text of a sample behind its place, or below it if the line is too
 * short. */
static void
put_seen(struct text_report *text, size_t used, struct slice value)
{
	struct buf *out = &text->out->text;

	buf_clear(&text->cell);
	vis_put(&text->cell, value, SIZE_MAX);
	if (used + 2 + slice_chars(buf_text(&text->cell)) <= text->columns) {
		(void)buf_put(out, ": ", 2);
		(void)buf_put_slice(out, buf_text(&text->cell));
		return;
	}
	(void)buf_put(out, ":\n", 2);
	text_spaces(out, 8);
	text_wrapped(text, value, 8);
}

/* Print one code: its meaning, its samples, and what to do. */
static void
put_group(struct text_report *text, const struct report_finding *finding)
{
	struct buf *out = &text->out->text;
	const struct diag_info *info = diag_info(finding->code);
	size_t max = finding->severity == SEVERITY_INFO ? 1 : EXAMPLES;
	size_t shown;

	(void)buf_put(out, "  ", 2);
	text_words(text, info->code, finding->severity);
	text_spaces(out,
	    strlen(info->code) < CODE_COLUMNS
		? CODE_COLUMNS - strlen(info->code)
		: 1);
	out_grouped(text->out, finding->count, 9);
	if (text->report->has_baseline)
		(void)buf_print(out, ", %s new",
		    human_n(finding->count - finding->known).text);
	text_end_line(text);
	text_sentence(text, "    ", info->trigger);
	shown = finding->sample_count < max ? finding->sample_count : max;
	for (size_t i = 0; i < shown; i++) {
		/* Print "path line 9: text". */
		const struct report_sample *sample = &finding->samples[i];
		const struct report_document *document = report_sample_document(
		    text->report, sample);
		size_t from, used = 6;
		struct buf seen;

		text_spaces(out, 6);
		if (document != NULL)
			used += text_middle(text,
			    report_path(text->report->home, document),
			    text->columns - PLACE_REST);
		from = out->len;
		report_put_line(out, sample);
		used += out->len - from;
		buf_init(&seen, SIZE_MAX);
		report_put_seen(&seen, sample);
		if (seen.len > 0)
			put_seen(text, used, buf_text(&seen));
		buf_release(&seen);
		text_end_line(text);
	}
	if (finding->severity > SEVERITY_INFO && shown > 0 &&
	    finding->count > shown) {
		(void)buf_print(out, "      ... and %s more\n",
		    human_n(finding->count - shown).text);
	}
	if (finding->severity > SEVERITY_INFO) {
		buf_clear(&text->cell);
		report_put_remedy(&text->cell, text->report, finding);
		text_sentence(text, "    remedy: ", buf_str(&text->cell));
	}
	(void)out_line(text->out);
}

/* Does the code stand among those of that severity? */
static bool
is_shown(const struct text_report *text, const struct report_finding *finding,
    enum severity severity)
{
	return finding->severity == severity &&
	    !report_is_aside(text->report, finding);
}

/* Print the codes of one severity. */
static void
put_groups(struct text_report *text, enum severity severity, const char *title)
{
	struct buf *out = &text->out->text;
	const struct report *report = text->report;
	uint64_t kinds = 0, times = 0;

	for (size_t i = 0; i < report->group_count; i++)
		if (is_shown(text, &report->groups[i], severity)) {
			kinds++;
			times += report->groups[i].count;
		}
	if (kinds == 0)
		return;
	text_words(text, title, severity);
	(void)buf_print(out, " (%s, %s)\n", human_of(kinds, "kind").text,
	    human_of(times, "time").text);
	for (size_t i = 0; i < report->group_count; i++)
		if (is_shown(text, &report->groups[i], severity))
			put_group(text, &report->groups[i]);
}

/* Print the verdict, and the sums if there is room. */
static void
put_last_line(struct text_report *text)
{
	const struct report *report = text->report;
	struct buf *out = &text->out->text;
	size_t columns;
	struct buf sums;

	buf_init(&sums, 256);
	human_plural(&sums, report->urls, "URL");
	if (report->refused > 0)
		(void)buf_print(&sums, " accepted, %s refused",
		    human_n(report->refused).text);
	(void)buf_print(&sums, " \xc2\xb7 ");
	human_spent(&sums, report->spent_ms);
	buf_clear(&text->cell);
	report_put_verdict(&text->cell, report);
	columns = slice_chars(buf_text(&text->cell)) + 3 +
	    slice_chars(buf_text(&sums));
	text_words(text, buf_str(&text->cell),
	    report_is_bad(report) ? SEVERITY_ERROR : SEVERITY_NONE);
	(void)buf_print(out, columns > text->columns ? "\n" : " \xc2\xb7 ");
	(void)buf_put_slice(out, buf_text(&sums));
	text_end_line(text);
	buf_clear(&text->cell);
	if (report_put_accepted(&text->cell, report))
		text_line(text);
	buf_clear(&text->cell);
	if (report_put_uncompared(&text->cell, report))
		text_line(text);
	if (report->agent != NULL) {
		buf_clear(&text->cell);
		(void)buf_print(
		    &text->cell, "robots.txt was judged for %s", report->agent);
		text_line(text);
	}
	if (report_is_unconfined(report)) {
		(void)buf_print(
		    out, "readers not sandboxed: %s", report->sandbox);
		text_end_line(text);
	}
	buf_release(&sums);
}

void
report_text(const struct report *report, struct out *out)
{
	struct text_report text = {.report = report,
	    .out = out,
	    .columns = out->columns > 0 ? out->columns : TEXT_COLUMNS,
	    .is_cut = out->columns > 0};

	buf_init(&text.cell, 1 << 18);
	text_documents(&text);
	text_pages(&text);
	text_closed(&text);
	put_groups(&text, SEVERITY_ERROR, "errors");
	put_groups(&text, SEVERITY_WARNING, "warnings");
	put_groups(&text, SEVERITY_INFO, "remarks");
	if (report->group_count > 0)
		(void)buf_print(
		    &out->text, "freshet help CODE says more on each\n");
	/* Print the codes that ask for nothing in one sentence. */
	buf_clear(&text.cell);
	if (report_put_asides(&text.cell, text.report))
		text_sentence(&text, "", buf_str(&text.cell));
	put_last_line(&text);
	buf_release(&text.cell);
}
