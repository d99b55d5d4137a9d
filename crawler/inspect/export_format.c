/* URLs and changes as csv, tsv, NDJSON, a list of URLs or a sitemap. */
#include "crawler/inspect/export_format.h"

#include <string.h>

#include "base/out_json.h"
#include "base/suggestion.h"
#include "base/vis.h"
#include "base/zone.h"
#include "crawler/cli/out.h"

static const char *const names[COLUMN_COUNT] = {[COLUMN_LOC] = "loc",
    [COLUMN_LASTMOD] = "lastmod",
    [COLUMN_PRECISION] = "precision",
    [COLUMN_DOCUMENT] = "document",
    [COLUMN_FIRST_SEEN] = "first_seen",
    [COLUMN_REDATED] = "redated",
    [COLUMN_STATE] = "state",
    [COLUMN_READING] = "reading",
    [COLUMN_AT] = "at",
    [COLUMN_KIND] = "kind",
    [COLUMN_BEFORE] = "before",
    [COLUMN_AFTER] = "after",
    [COLUMN_REFUSED] = "refused",
    [COLUMN_FROM] = "from"};

static const enum export_column of_entries[] = {COLUMN_LOC, COLUMN_LASTMOD,
    COLUMN_PRECISION, COLUMN_DOCUMENT, COLUMN_FIRST_SEEN, COLUMN_REDATED,
    COLUMN_STATE, COLUMN_REFUSED};
static const enum export_column of_changes[] = {COLUMN_DOCUMENT, COLUMN_READING,
    COLUMN_AT, COLUMN_KIND, COLUMN_LOC, COLUMN_BEFORE, COLUMN_AFTER,
    COLUMN_REFUSED, COLUMN_FROM};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Add a column, if it is among the known ones. */
static bool
add_column(struct export_writer *writer, const enum export_column *known,
    size_t count, struct slice name)
{
	struct suggestion suggestion;

	suggestion_init(&suggestion, name);
	for (size_t i = 0; i < count; i++) {
		const char *text = names[known[i]];

		suggestion_try(&suggestion, text, strlen(text));
		if (!slice_is(name, text))
			continue;
		for (size_t k = 0; k < writer->count; k++)
			if (writer->columns[k] == known[i]) {
				complain("'--columns' names '%s' twice", text);
				return false;
			}
		writer->columns[writer->count++] = known[i];
		return true;
	}
	if (suggestion.best != NULL)
		complain("'--columns': unknown column '%.*s'; did you mean "
			 "'%s'?",
		    (int)name.len, name.p, suggestion.best);
	else
		complain("'--columns': unknown column '%.*s'; see 'freshet "
			 "help export'",
		    (int)name.len, name.p);
	return false;
}

bool
export_writer_init(struct export_writer *writer, enum export_format format,
    enum export_rows rows, const char *list)
{
	bool has_changes = rows == EXPORT_CHANGES;
	const enum export_column *known = has_changes ? of_changes : of_entries;
	size_t count = has_changes ? LENGTH(of_changes) : LENGTH(of_entries);

	*writer = (struct export_writer){.format = format};
	if (list == NULL) {
		memcpy(writer->columns, known, count * sizeof(*known));
		writer->count = count;
		return true;
	}
	for (;;) {
		size_t len = strcspn(list, ",");

		if (!add_column(writer, known, count,
			slice_trim(slice_make(list, len))))
			return false;
		if (list[len] == '\0')
			return true;
		list += len + 1;
	}
}

enum cell_kind { CELL_URL, CELL_WORD, CELL_DATE, CELL_NUMBER };

/* The value of one column in one row. */
struct cell {
	enum cell_kind kind;
	struct slice text; /* for URL and WORD; empty: no value */
	struct date date; /* for DATE; DATE_NONE: no value */
	bool is_ours; /* the date is a time of freshet's, not of the site */
	int64_t number;
};

static struct cell
url_cell(struct slice text)
{
	return (struct cell){.kind = CELL_URL, .text = text};
}

static struct cell
word_cell(const char *word)
{
	return (struct cell){.kind = CELL_WORD, .text = slice_of(word)};
}

static struct cell
date_cell(const struct date *date)
{
	return (struct cell){.kind = CELL_DATE, .date = *date};
}

/* A moment; 0: never. */
static struct cell
time_cell(int64_t epoch_s)
{
	return (struct cell){.kind = CELL_DATE,
	    .is_ours = true,
	    .date = {.epoch_s = epoch_s,
		.precision = epoch_s == 0 ? DATE_NONE : DATE_SECOND}};
}

static struct cell
cell_of(enum export_column column, const struct export_row *row)
{
	switch (column) {
	case COLUMN_LOC:
		return url_cell(row->loc);
	case COLUMN_LASTMOD:
		return date_cell(&row->lastmod);
	case COLUMN_PRECISION:
		return word_cell(date_precision_name(&row->lastmod));
	case COLUMN_DOCUMENT:
		return url_cell(row->document);
	case COLUMN_FIRST_SEEN:
		return time_cell(row->first_seen_s);
	case COLUMN_REDATED:
		return time_cell(row->redated_s);
	case COLUMN_STATE:
		return word_cell(row->is_removed ? "removed" : "listed");
	case COLUMN_READING:
		return (struct cell){
		    .kind = CELL_NUMBER, .number = row->reading};
	case COLUMN_AT:
		return time_cell(row->at_s);
	case COLUMN_KIND:
		return word_cell(row->kind);
	case COLUMN_BEFORE:
		return date_cell(&row->before);
	case COLUMN_AFTER:
		return date_cell(&row->after);
	case COLUMN_REFUSED:
		if (row->verdict == VERDICT_ACCEPTED)
			return word_cell("");
		return word_cell(row->verdict == VERDICTS
			? "refused"
			: diag_name(verdict_code(row->verdict)));
	case COLUMN_FROM:
		return url_cell(row->from);
	case COLUMN_COUNT:
		break;
	}
	return (struct cell){.kind = CELL_WORD};
}

/* Rows that follow each other often have the same date. To copy its text costs
 * a tenth of the time that it takes to format the date. */
static void
format_put_date(struct export_writer *writer, enum export_column column,
    struct buf *out, const struct date *date, bool is_ours)
{
	char *text = writer->last[column].text;
	const struct date *last = &writer->last[column].date;
	size_t from = out->len;
	size_t len = writer->last[column].len;

	if (len > 0 && last->epoch_s == date->epoch_s &&
	    last->nanos == date->nanos && last->precision == date->precision) {
		(void)buf_put(out, text, len);
		return;
	}
	if (is_ours)
		zone_print(out, date->epoch_s);
	else
		date_print(out, date);
	len = out->len - from;
	if (len > sizeof(writer->last[column].text))
		len = 0;
	memcpy(text, out->p + from, len);
	writer->last[column].len = len;
	writer->last[column].date = *date;
}

void
export_begin(const struct export_writer *writer, struct buf *out)
{
	switch (writer->format) {
	case EXPORT_CSV:
	case EXPORT_TSV:
		for (size_t i = 0; i < writer->count; i++) {
			if (i > 0)
				(void)buf_put_char(out,
				    writer->format == EXPORT_TSV ? '\t' : ',');
			(void)buf_put_slice(
			    out, slice_of(names[writer->columns[i]]));
		}
		(void)buf_put_char(out, '\n');
		break;
	case EXPORT_SITEMAP:
		(void)buf_put_slice(out,
		    slice_of("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			     "<urlset xmlns=\"http://www.sitemaps.org/schemas/"
			     "sitemap/0.9\">\n"));
		break;
	case EXPORT_JSONL:
	case EXPORT_URLS:
		break;
	}
}

void
export_put(
    struct export_writer *writer, struct buf *out, const struct export_row *row)
{
	switch (writer->format) {
	case EXPORT_CSV:
	case EXPORT_TSV:
		for (size_t i = 0; i < writer->count; i++) {
			if (i > 0)
				(void)buf_put_char(out,
				    writer->format == EXPORT_TSV ? '\t' : ',');
			enum export_column column = writer->columns[i];
			char separator = writer->format == EXPORT_TSV ? '\t'
								      : ',';
			struct cell cell = cell_of(column, row);

			switch (cell.kind) {
			case CELL_URL:
				csv_put(out, cell.text, separator);
				break;
			case CELL_WORD:
				(void)buf_put_slice(out, cell.text);
				break;
			case CELL_DATE:
				if (cell.date.precision != DATE_NONE)
					format_put_date(writer, column, out,
					    &cell.date, cell.is_ours);
				break;
			case CELL_NUMBER:
				(void)buf_print(
				    out, "%lld", (long long)cell.number);
				break;
			}
		}
		(void)buf_put_char(out, '\n');
		break;
	case EXPORT_JSONL:
		out_json_line(out, NULL);
		for (size_t i = 0; i < writer->count; i++) {
			struct cell cell = cell_of(writer->columns[i], row);

			out_json_key(out, names[writer->columns[i]]);
			if (cell.kind == CELL_NUMBER) {
				(void)buf_print(
				    out, "%lld", (long long)cell.number);
			} else if (cell.kind == CELL_DATE
				? cell.date.precision == DATE_NONE
				: cell.text.len == 0) {
				(void)buf_put(out, "null", 4);
			} else if (cell.kind == CELL_DATE) {
				(void)buf_put_char(out, '"');
				format_put_date(writer, writer->columns[i], out,
				    &cell.date, false);
				(void)buf_put_char(out, '"');
			} else {
				json_put(out, cell.text);
			}
		}
		out_json_line_end(out);
		break;
	case EXPORT_URLS:
		(void)buf_put_slice(out, row->loc);
		(void)buf_put_char(out, '\n');
		break;
	case EXPORT_SITEMAP:
		(void)buf_put_slice(out, slice_of("<url><loc>"));
		xml_put(out, row->loc);
		(void)buf_put_slice(out, slice_of("</loc>"));
		if (row->lastmod.precision != DATE_NONE) {
			(void)buf_put_slice(out, slice_of("<lastmod>"));
			format_put_date(
			    writer, COLUMN_LASTMOD, out, &row->lastmod, false);
			(void)buf_put_slice(out, slice_of("</lastmod>"));
		}
		(void)buf_put_slice(out, slice_of("</url>\n"));
		break;
	}
}

void
export_end(const struct export_writer *writer, struct buf *out)
{
	if (writer->format == EXPORT_SITEMAP)
		(void)buf_put_slice(out, slice_of("</urlset>\n"));
}
