/* A report for people: documents, then findings, then one line. */
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "crawler/cli/out.h"
#include "crawler/report/report_phrases.h"

#define TEXT_COLUMNS 80 /* of sentences, at most */

struct text_report {
	const struct report *report;
	struct out *out;
	struct buf cell; /* one cell before it is padded */
	/* The width of the page: that of the terminal. In a file or a pipe
	 * lines are wrapped at TEXT_COLUMNS, and no text is cut. */
	size_t columns;
	bool is_cut;
	size_t from, to; /* the documents of one origin */
	/* that origin, which their URLs are printed without */
	struct slice home;
	/* widths in the table at hand */
	size_t name_columns, count_columns, newest_columns;
};

#define NAME_LEAST 12

/* Print a foreign value. On a terminal its middle is cut out if it is longer.
 * Returns the number of columns. */
static size_t
text_middle(struct text_report *text, struct slice value, size_t columns)
{
	return vis_put_middle(
	    &text->out->text, value, text->is_cut ? columns : SIZE_MAX);
}

static void
text_names(struct text_report *text, size_t rest)
{
	if (text->is_cut && text->name_columns + rest > text->columns)
		text->name_columns = rest + NAME_LEAST > text->columns
		    ? NAME_LEAST
		    : text->columns - rest;
}

/* Print a paragraph: long lines are hard to read, also where there is room. */
static void
text_sentence(struct text_report *text, const char *first, const char *words)
{
	out_wrapped_to(&text->out->text, first, words,
	    text->columns < TEXT_COLUMNS ? text->columns : TEXT_COLUMNS);
}

static void
text_say(struct text_report *text)
{
	if (text->cell.len > 0)
		out_sentence(text->out, "", 2, buf_text(&text->cell), SIZE_MAX);
	buf_clear(&text->cell);
}

static void
text_words(struct text_report *text, const char *words, enum severity severity)
{
	if (severity != SEVERITY_NONE)
		out_severity(text->out, severity);
	(void)buf_put_slice(&text->out->text, slice_of(words));
	if (severity != SEVERITY_NONE)
		out_severity(text->out, SEVERITY_NONE);
}

static void
text_end_rows(struct text_report *text, struct report_rows *rows)
{
	struct buf *out = &text->out->text;

	if (rows->hidden > 0) {
		(void)buf_print(out, "  ... and ");
		report_put_hidden(out, rows, ", which -f json or html lists");
		out_end_line(text->out);
	}
	free(rows->items);
}

static void
widen_names(struct text_report *text, struct slice name)
{
	size_t columns;

	buf_clear(&text->cell);
	vis_put(&text->cell, name, SIZE_MAX);
	columns = slice_chars(buf_text(&text->cell));
	if (columns > text->name_columns)
		text->name_columns = columns;
}

/* Notes: what a document's row has no column for. */

#define FULL_PERCENT 90 /* percent of a limit from which it is mentioned */

/* Print the note in the cell, which is cleared, on a new line if it does not
 * fit; *column is the one behind it. */
static void
put_note(struct text_report *text, size_t *column)
{
	bool is_first = *column == 0;
	bool is_full = *column + 2 + text->cell.len + 1 > text->columns;

	(void)buf_print(&text->out->text, "%s%s",
	    is_first      ? "      "
		: is_full ? ",\n      "
			  : ", ",
	    buf_str(&text->cell));
	*column = (is_first || is_full ? 6 : *column + 2) + text->cell.len;
	buf_clear(&text->cell);
}

/* Print the notes of a document, if any; has_size: its size is printed already,
 * and how many entries the dates are of. */
static void
text_notes(struct text_report *text, const struct report_document *document,
    bool has_size)
{
	unsigned entries = 0, bytes = 0;

	if (document->max_entries > 0)
		entries = report_percent(document->seen, document->max_entries);
	if (document->max_bytes > 0)
		bytes = report_percent(
		    document->decoded_bytes, document->max_bytes);
	unsigned percent = entries > bytes ? entries : bytes;
	size_t column = 0;

	buf_clear(&text->cell);
	for (size_t i = 0; i < document->finding_count; i++) {
		const struct report_finding *finding = &document->findings[i];

		/* Remarks have their place below the tables. */
		if (finding->severity < SEVERITY_WARNING)
			continue;
		(void)buf_print(&text->cell, "%s", diag_name(finding->code));
		if (finding->count > 1)
			(void)buf_print(&text->cell, " x %s",
			    human_of(finding->count, NULL).text);
		put_note(text, &column);
	}
	/* The share of dates is of fewer entries than the row counts. */
	if (!has_size && report_has_others(document)) {
		(void)buf_print(&text->cell, "lastmod of %s",
		    human_of(document->entries, "accepted URL").text);
		put_note(text, &column);
	}
	if (document->status != REPORT_NOT_FETCHED && !document->is_complete &&
	    document->seen > 0) {
		(void)buf_print(&text->cell, "not read to the end");
		put_note(text, &column);
	}
	if (percent >= FULL_PERCENT && !has_size) {
		struct buf size = BUF_UP_TO(SIZE_MAX);

		report_put_size(&size, document);
		/* in parts: a line of a narrow terminal cannot hold it */
		for (const char *at = buf_str(&size), *comma; at != NULL;
		     at = comma == NULL ? NULL : comma + 2) {
			comma = strstr(at, ", ");
			(void)buf_put(&text->cell, at,
			    comma == NULL ? strlen(at) : (size_t)(comma - at));
			put_note(text, &column);
		}
		buf_release(&size);
	}
	if (column > 0)
		out_end_line(text->out);
}

#define ROWS 40 /* of one table */
#define READ_COLUMNS 14 /* "couldn't fetch" */
#define LASTMOD_COLUMNS 7

/* Put "200  gzip  1.1 kB" into the cell. */
static void
put_facts(struct text_report *text, const struct report_document *document)
{
	struct buf *cell = &text->cell;

	buf_clear(cell);
	if (report_is_absent(document)) {
		(void)buf_print(cell, "%d  there is none, all may be read",
		    document->http_status);
		return;
	}
	if (document->http_status != 0 &&
	    report_origin(slice_of(document->url)).len > 0)
		(void)buf_print(cell, "%d", document->http_status);
	if (document->gzip_layers > 0)
		(void)buf_print(cell, cell->len > 0 ? "  gzip" : "gzip");
	if (document->wire_bytes > 0)
		(void)buf_print(cell, "%s%s", cell->len > 0 ? "  " : "",
		    human_scaled(document->wire_bytes, human_bytes).text);
}

static void
text_put_head(struct text_report *text, const struct report_document *document)
{
	struct buf *out = &text->out->text;
	const char *title = report_kind_titles[document->kind];
	size_t columns = strlen(title) + 2;
	size_t from;

	(void)buf_print(out, "%s  ", title);
	from = out->len;
	vis_put(out, slice_of(document->url), SIZE_MAX);
	columns += slice_chars(slice_make(out->p + from, out->len - from));
	put_facts(text, document);
	if (text->cell.len > 0) {
		if (columns + 3 + text->cell.len > text->columns)
			out_end_line(text->out);
		(void)buf_put(out, "   ", 3);
		(void)buf_put_slice(out, buf_text(&text->cell));
	}
	out_end_line(text->out);
	if (document->final_url != NULL) {
		(void)buf_print(out, "   redirected to ");
		vis_put(out, slice_of(document->final_url), SIZE_MAX);
		out_end_line(text->out);
	}
}

/* Print how many entries are dated, and the newest date; dates of refused
 * entries are not kept. */
static void
put_lastmod(struct text_report *text, const struct report_document *document)
{
	struct buf *out = &text->out->text;

	if (document->entries == 0)
		return;
	if (document->dated == 0) {
		(void)buf_print(out, "   no lastmod");
		return;
	}
	(void)buf_print(out, "   lastmod %u %%",
	    report_percent(document->dated, document->entries));
	if (report_has_others(document))
		(void)buf_print(out, " of %s",
		    human_of(document->entries, "accepted URL").text);
	(void)buf_print(out, "   newest ");
	report_put_age(out, &document->newest, text->report->began_s);
}

/* A document that was not fetched has no numbers, which is not the same as 0.
 */
static void
put_document_row(
    struct text_report *text, const struct report_document *document)
{
	struct buf *out = &text->out->text;
	bool has_entries = document->status != REPORT_NOT_FETCHED;
	size_t used, from;

	(void)buf_put(out, "  ", 2);
	used = text_middle(
	    text, report_path(text->home, document), text->name_columns);
	(void)buf_print(out, "%*s%*s  ", (int)(text->name_columns - used + 2),
	    "", (int)text->count_columns,
	    has_entries ? human_of(document->seen, NULL).text : "-");
	if (has_entries && document->entries > 0)
		(void)buf_print(out, "%*u %%  ", LASTMOD_COLUMNS - 2,
		    report_percent(document->dated, document->entries));
	else
		(void)buf_print(out, "%*s  ", LASTMOD_COLUMNS, "-");
	from = out->len;
	report_put_age(out, &document->newest, text->report->began_s);
	out_pad(text->out, from, text->newest_columns + 2);
	text_words(text, report_status_names[document->status],
	    report_severity(document));
	out_end_line(text->out);
	text_notes(text, document, false);
}

/* Widths follow from the rows that are shown, so a long list costs no room for
 * what it leaves out. */
static void
put_table(struct text_report *text, uint32_t head)
{
	struct buf *out = &text->out->text;
	const struct report *report = text->report;
	struct report_list list = {report, text->from, text->to, head};
	struct report_rows rows;

	report_rows_init(&rows, &list, ROWS);
	size_t rest;

	text->name_columns = strlen("SITEMAP");
	text->count_columns = strlen("URLS");
	text->newest_columns = strlen("NEWEST");
	for (size_t i = 0; i < rows.count; i++) {
		const struct report_document
		    *document = &text->report->documents[rows.items[i]];

		size_t digits = strlen(human_of(document->seen, NULL).text);

		widen_names(text, report_path(text->home, document));
		if (digits > text->count_columns)
			text->count_columns = digits;
		buf_clear(&text->cell);
		report_put_age(
		    &text->cell, &document->newest, text->report->began_s);
		if (text->cell.len > text->newest_columns)
			text->newest_columns = text->cell.len;
	}
	rest = 2 + 2 + text->count_columns + 2 + LASTMOD_COLUMNS + 2 +
	    text->newest_columns + 2 + READ_COLUMNS;
	text_names(text, rest);
	(void)buf_print(out, "  %-*s  %*s  %*s  %-*s  STATUS\n",
	    (int)text->name_columns, "SITEMAP", (int)text->count_columns,
	    "URLS", LASTMOD_COLUMNS, "LASTMOD", (int)text->newest_columns,
	    "NEWEST");
	for (size_t i = 0; i < rows.count; i++)
		put_document_row(text, &report->documents[rows.items[i]]);
	text_end_rows(text, &rows);
}

static void
text_put_part(struct text_report *text, uint64_t n, const char *what)
{
	struct buf *out = &text->out->text;
	struct buf *cell = &text->cell;
	const char *line = out->len > 0 ? memrchr(out->p, '\n', out->len)
					: NULL;
	size_t columns = line == NULL ? out->len
				      : out->len - (size_t)(line + 1 - out->p);

	if (n == 0)
		return;
	buf_clear(cell);
	(void)buf_print(cell, "%s %s", human_of(n, NULL).text, what);
	(void)buf_print(out, "%s",
	    columns + 3 + cell->len > text->columns ? "\n    " : "   ");
	(void)buf_put_slice(out, buf_text(cell));
}

static void
put_entries(struct text_report *text, uint64_t n, const char *what)
{
	char words[64];

	(void)snprintf(
	    words, sizeof(words), "%s %s", n == 1 ? "entry" : "entries", what);
	text_put_part(text, n, words);
}

/* Print "  14 sitemaps   11 success   2 have errors". Returns how many are
 * here; `listed` is how many the index lists. */
static uint64_t
text_put_counts(struct text_report *text, uint32_t head, uint64_t listed)
{
	struct buf *out = &text->out->text;
	uint64_t counts[3] = {0};
	uint64_t here;

	for (size_t i = text->from; i < text->to; i++)
		if (report_is_under(text->report, i, head))
			counts[text->report->documents[i].status]++;
	here = counts[0] + counts[1] + counts[2];
	(void)buf_print(out, "  %s",
	    here > 0 || listed == 0 ? human_of(here, "sitemap").text
				    : "no further sitemap");
	text_put_part(text, counts[REPORT_SUCCESS], "success");
	text_put_part(text, counts[REPORT_HAS_ERRORS],
	    counts[REPORT_HAS_ERRORS] == 1 ? "has errors" : "have errors");
	text_put_part(text, counts[REPORT_NOT_FETCHED], "could not be fetched");
	/* What the index lists and the table does not have needs a reason, or
	 * the numbers look wrong. */
	if (listed > here) {
		uint64_t others = listed - here;
		const struct report_document *document = &text->report
							      ->documents[head];
		uint64_t known = 0;

		for (size_t i = 0; i < document->finding_count; i++)
			if (document->findings[i].code == DIAG_DUPLICATE_CHILD)
				known = document->findings[i].count;
		if (known > others)
			known = others;
		put_entries(text, known, "listed already");
		put_entries(text, others - known, "not read");
	}
	out_end_line(text->out);
	return here;
}

static void
put_loose(struct text_report *text)
{
	const struct report *report = text->report;
	size_t count = 0, last = 0;

	for (size_t i = text->from; i < text->to; i++)
		if (report_is_under(report, i, UINT32_MAX)) {
			count++;
			last = i;
		}
	if (count == 1) {
		/* A sitemap alone needs no table. */
		const struct report_document *document = &report
							      ->documents[last];
		struct buf *out = &text->out->text;

		text_put_head(text, document);
		(void)buf_put(out, "  ", 2);
		text_words(text, report_status_names[document->status],
		    report_severity(document));
		if (document->status != REPORT_NOT_FETCHED) {
			put_lastmod(text, document);
			(void)buf_put(out, "\n  ", 3);
			report_put_size(out, document);
		}
		out_end_line(text->out);
		text_notes(text, document, true);
	} else if (count > 1) {
		struct buf *out = &text->out->text;

		(void)buf_print(out, "sitemaps");
		if (text->report->home.len == 0 && text->home.len > 0) {
			(void)buf_print(out, " of ");
			vis_put(out, text->home, SIZE_MAX);
		}
		/* who asks for sitemaps alone is told of no index, though
		 * there may be one */
		(void)buf_print(out, " without an index that was read");
		out_end_line(text->out);

		(void)text_put_counts(text, UINT32_MAX, 0);
		put_table(text, UINT32_MAX);
	}
}

static void
put_origin(struct text_report *text)
{
	const struct report *report = text->report;

	for (size_t i = text->from; i < text->to; i++) {
		const struct report_document *document = &report->documents[i];
		/* A child that claims to be an index and is refused gets no
		 * part of its own: its row says all.  The first child of an
		 * index stands right behind it. */
		bool is_head = document->kind == KIND_ROBOTS ||
		    (document->kind == KIND_INDEX &&
			(document->parent >= report->document_count ||
			    (i + 1 < report->document_count &&
				report_is_under(report, i + 1, (uint32_t)i))));

		if (is_head) {
			text_put_head(text, document);
			if (document->status != REPORT_SUCCESS) {
				(void)buf_put(&text->out->text, "  ", 2);
				text_words(text,
				    report_status_names[document->status],
				    SEVERITY_ERROR);
				out_end_line(text->out);
			}
			text_notes(text, document, false);
			if (document->kind == KIND_INDEX &&
			    document->status != REPORT_NOT_FETCHED &&
			    text_put_counts(
				text, (uint32_t)i, document->accepted) > 0)
				put_table(text, (uint32_t)i);
		}
	}
	put_loose(text);
	for (size_t i = text->from; i < text->to; i++)
		if (report->documents[i].failure == DIAG_NO_SITEMAP_FOUND) {
			vis_put(&text->out->text,
			    slice_of(report->documents[i].url), SIZE_MAX);
			(void)buf_print(&text->out->text, "  ");
			text_words(
			    text, "no sitemap was found", SEVERITY_ERROR);
			out_end_line(text->out);
		}
}

static void
text_documents(struct text_report *text)
{
	const struct report *report = text->report;

	/* Documents are sorted by origin, so the next one with another origin
	 * begins a new part. */
	while (text->to < report->document_count) {
		if (text->to > 0)
			out_end_line(text->out);
		text->from = text->to;
		text->home = report_origin(
		    slice_of(report->documents[text->from].url));
		/* With the origin's documents goes all that its indexes list.
		 */
		while (++text->to < report->document_count &&
		    (report->documents[text->to].parent <
			    report->document_count ||
			slice_equal(text->home,
			    report_origin(
				slice_of(report->documents[text->to].url)))))
			continue;
		put_origin(text);
	}
	if (text->from > 0)
		out_end_line(text->out);
}

#define STATUS_COLUMNS 17 /* "301 to disallowed" */
#define INDEX_COLUMNS 7 /* "noindex" */
#define CANONICAL_COLUMNS 9 /* the heading */

static void
text_table(struct text_report *text, bool is_closed)
{
	static const char *const heads[] = {"STATUS", "INDEX", "CANONICAL"};
	static const size_t widths[] = {
	    STATUS_COLUMNS, INDEX_COLUMNS, CANONICAL_COLUMNS};
	struct buf *out = &text->out->text;
	struct report_table_row row;
	struct report_table table;
	size_t width[REPORT_AGENTS_MAX], rest = 2;
	const char *says, *what;

	if (!report_table_init(&table, text->report, is_closed, ROWS))
		return;
	buf_clear(&text->cell);
	report_table_verdict(&text->cell, &table);
	text_say(text);
	if (!report_table_drop_well(&table))
		return;
	for (size_t k = 0; k < table.columns; k++) {
		width[k] = is_closed ? strlen(table.heads[k]) : widths[k];
		rest += 2 + width[k];
	}
	/* The pages have what the other columns leave. */
	text->name_columns = strlen("PAGE");
	for (size_t i = 0; i < table.rows.count; i++) {
		report_table_row(&table, i, &row);
		widen_names(text, row.path);
	}
	text_names(text, rest);
	(void)buf_print(out, "  %-*s", (int)text->name_columns, "PAGE");
	for (size_t k = 0; k < table.columns; k++)
		(void)buf_print(out, "  %-*s",
		    k + 1 == table.columns ? 0 : (int)width[k],
		    is_closed ? table.heads[k] : heads[k]);
	out_end_line(text->out);
	for (size_t i = 0; i < table.rows.count; i++) {
		report_table_row(&table, i, &row);
		(void)buf_put(out, "  ", 2);
		(void)buf_print(out, "%*s",
		    (int)(text->name_columns -
			text_middle(text, row.path, text->name_columns)),
		    "");
		for (size_t k = 0; k < table.columns; k++) {
			(void)buf_put(out, "  ", 2);
			text_words(text, row.cells[k],
			    k == 0 && !is_closed ? row.page->severity
						 : SEVERITY_NONE);
			size_t used = strlen(row.cells[k]);

			/* "yes" is longer than the shortest names of agents */
			if (k + 1 < table.columns && used < width[k])
				(void)buf_print(
				    out, "%*s", (int)(width[k] - used), "");
		}
		out_end_line(text->out);
		/* What has no column stands below. */
		for (size_t k = 0;
		     !is_closed && report_page_note(row.page, k, &says, &what);
		     k++) {
			(void)buf_print(out, "%*s", 6, "");
			(void)buf_print(out, "%s", says);
			(void)text_middle(text, slice_of(what),
			    text->columns - 6 - strlen(says));
			out_end_line(text->out);
		}
	}
	text_end_rows(text, &table.rows);
}

#define EXAMPLES 3 /* samples of one code */
#define CODE_COLUMNS 26
#define PLACE_REST 20 /* columns beside the path of a sample */

static void
put_group(struct text_report *text, const struct report_finding *finding)
{
	struct buf *out = &text->out->text;
	const struct diag_info *info = diag_info(finding->code);
	size_t max = finding->severity == SEVERITY_INFO ? 1 : EXAMPLES;
	size_t shown;

	(void)buf_put(out, "  ", 2);
	text_words(text, info->code, finding->severity);
	(void)buf_print(out, "%*s",
	    (int)(strlen(info->code) < CODE_COLUMNS
		    ? CODE_COLUMNS - strlen(info->code)
		    : 1),
	    "");
	out_grouped(text->out, finding->count, 9);
	if (text->report->has_baseline)
		(void)buf_print(out, ", %s new",
		    human_of(finding->count - finding->known, NULL).text);
	out_end_line(text->out);
	text_sentence(text, "    ", info->trigger);
	shown = finding->sample_count < max ? finding->sample_count : max;
	for (size_t i = 0; i < shown; i++) {
		const struct report_sample *sample = &finding->samples[i];
		size_t from, used = 6;

		(void)buf_print(out, "%*s", 6, "");
		used += text_middle(text,
		    report_path(text->report->home,
			&text->report->documents[sample->document]),
		    text->columns - PLACE_REST);
		from = out->len;
		report_put_line(out, sample);
		used += out->len - from;
		buf_clear(&text->cell);
		vis_put(&text->cell, slice_of(sample->seen), SIZE_MAX);
		if (text->cell.len == 0) {
			out_end_line(text->out);
		} else if (used + 2 + slice_chars(buf_text(&text->cell)) <=
		    text->columns) {
			(void)buf_print(out, ": %s\n", buf_str(&text->cell));
		} else {
			/* What was seen stands below its place, if the line is
			 * too short. */
			(void)buf_put(out, ":\n", 2);
			out_sentence_cut(text->out,
			    &(struct out_sentence){"        ", 8,
				slice_of(sample->seen), TEXT_COLUMNS, false},
			    3);
		}
	}
	if (finding->severity > SEVERITY_INFO && shown > 0 &&
	    finding->count > shown) {
		(void)buf_print(out, "      ... and %s more\n",
		    human_of(finding->count - shown, NULL).text);
	}
	struct report_remedy remedy = report_remedy(text->report, finding);

	if (strcmp(remedy.text, "none") != 0)
		text_sentence(text, "    remedy: ", remedy.text);
	(void)out_line(text->out);
}

static void
put_groups(struct text_report *text, enum severity severity, const char *title)
{
	struct buf *out = &text->out->text;
	const struct report *report = text->report;
	uint64_t kinds = 0, times = 0;

	for (size_t i = 0; i < report->group_count; i++)
		if (report->groups[i].severity == severity &&
		    !report_is_aside(report, &report->groups[i])) {
			kinds++;
			times += report->groups[i].count;
		}
	if (kinds == 0)
		return;
	text_words(text, title, severity);
	(void)buf_print(out, " (%s, %s)\n", human_of(kinds, "kind").text,
	    human_of(times, "time").text);
	for (size_t i = 0; i < report->group_count; i++)
		if (report->groups[i].severity == severity &&
		    !report_is_aside(report, &report->groups[i]))
			put_group(text, &report->groups[i]);
}

static void
put_last_line(struct text_report *text)
{
	const struct report *report = text->report;
	struct buf *out = &text->out->text;
	size_t columns;
	struct buf sums = BUF_UP_TO(256);

	(void)buf_print(&sums, "%s", human_of(report->urls, "URL").text);
	if (report->refused > 0)
		(void)buf_print(&sums, " accepted, %s refused",
		    human_of(report->refused, NULL).text);
	(void)buf_print(
	    &sums, " \xc2\xb7 %s", human_time(report->spent_ms, false).text);
	buf_clear(&text->cell);
	report_put_verdict(&text->cell, report);
	columns = slice_chars(buf_text(&text->cell)) + 3 +
	    slice_chars(buf_text(&sums));
	text_words(text, buf_str(&text->cell),
	    report_is_bad(report) ? SEVERITY_ERROR : SEVERITY_NONE);
	(void)buf_print(out, columns > text->columns ? "\n" : " \xc2\xb7 ");
	(void)buf_put_slice(out, buf_text(&sums));
	out_end_line(text->out);
	buf_clear(&text->cell);
	report_put_accepted(&text->cell, report);
	text_say(text);
	report_put_uncompared(&text->cell, report);
	text_say(text);
	if (report->agent != NULL)
		(void)buf_print(
		    &text->cell, "robots.txt was judged for %s", report->agent);
	text_say(text);
	if (report_is_unconfined(report)) {
		(void)buf_print(
		    out, "readers not sandboxed: %s", report->sandbox);
		out_end_line(text->out);
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
	text_table(&text, false);
	text_table(&text, true);
	buf_clear(&text.cell);
	if (report_put_generators(&text.cell, report)) {
		text_sentence(&text, "", buf_str(&text.cell));
		out_end_line(out);
	}
	/* Worst first; whoever reads no further has seen what matters. */
	put_groups(&text, SEVERITY_ERROR, "errors");
	put_groups(&text, SEVERITY_WARNING, "warnings");
	put_groups(&text, SEVERITY_INFO, "remarks");
	if (report->group_count > 0)
		(void)buf_print(
		    &out->text, "freshet help CODE says more on each\n");
	buf_clear(&text.cell);
	if (report_put_asides(&text.cell, text.report))
		text_sentence(&text, "", buf_str(&text.cell));
	put_last_line(&text);
	buf_release(&text.cell);
}
