/* URLs and changes as csv, tsv, NDJSON, a list of URLs or a sitemap. */
#include "crawler/inspect/export_format.h"

#include <string.h>

#include "base/out_json.h"
#include "base/suggestion.h"
#include "base/zone.h"
#include "crawler/cli/out.h"

#define AT(member) offsetof(struct export_row, member)

static const struct export_column of_entries[] = {{"loc", EXPORT_URL, AT(loc)},
    {"lastmod", EXPORT_DATE, AT(lastmod)}, {"precision", EXPORT_PRECISION, 0},
    {"document", EXPORT_URL, AT(document)},
    {"first_seen", EXPORT_TIME, AT(first_seen_s)},
    {"redated", EXPORT_TIME, AT(redated_s)}, {"state", EXPORT_STATE, 0},
    {"refused", EXPORT_REFUSED, 0}, {"title", EXPORT_TEXT, AT(title)},
    {"description", EXPORT_TEXT, AT(description)}};
static const struct export_column of_changes[EXPORT_COLUMNS] = {
    {"document", EXPORT_URL, AT(document)},
    {"reading", EXPORT_NUMBER, AT(reading)}, {"at", EXPORT_TIME, AT(at_s)},
    {"kind", EXPORT_WORD, AT(kind)}, {"loc", EXPORT_URL, AT(loc)},
    {"before", EXPORT_DATE, AT(before)}, {"after", EXPORT_DATE, AT(after)},
    {"refused", EXPORT_REFUSED, 0}, {"from", EXPORT_URL, AT(from)},
    {"title", EXPORT_TEXT, AT(title)},
    {"description", EXPORT_TEXT, AT(description)}};

static bool
add_column(struct export_writer *writer, const struct export_column *known,
    size_t count, struct slice name)
{
	struct suggestion suggestion;

	/* People type "url" or "date": the nearest column is named. */
	suggestion_init(&suggestion, name);
	for (size_t i = 0; i < count; i++) {
		const char *text = known[i].name;

		suggestion_try(&suggestion, text);
		if (!slice_is(name, text))
			continue;
		/* Two columns of one name are none that a program could tell
		 * apart. */
		for (size_t k = 0; k < writer->count; k++)
			if (writer->columns[k] == &known[i]) {
				complain("'--columns' names '%s' twice", text);
				return false;
			}
		writer->columns[writer->count++] = &known[i];
		writer->has_texts |= known[i].kind == EXPORT_TEXT;
		return true;
	}
	complain_unknown("'--columns': ", "column", name, &suggestion,
	    "freshet help export");
	return false;
}

bool
export_writer_init(struct export_writer *writer, enum export_format format,
    enum export_rows rows, const char *list)
{
	bool has_changes = rows == EXPORT_CHANGES;
	const struct export_column *known = has_changes ? of_changes
							: of_entries;
	size_t count = has_changes ? LENGTH(of_changes) : LENGTH(of_entries);

	*writer = (struct export_writer){.format = format};
	for (; list == NULL && known[writer->count].kind != EXPORT_TEXT;
	     writer->count++)
		writer->columns[writer->count] = &known[writer->count];
	while (list != NULL) {
		size_t len = strcspn(list, ",");

		if (!add_column(writer, known, count,
			slice_trim(slice_make(list, len))))
			return false;
		list = list[len] == '\0' ? NULL : list + len + 1;
	}
	return true;
}

/* Rows that follow each other often have the same date. To copy its text costs
 * a tenth of the time that it takes to format the date. */
static void
format_put_date(struct export_writer *writer, size_t column, struct buf *out,
    const struct date *date, bool is_ours)
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
		zone_print(out, date->epoch_s, ZONE_FULL);
	else
		date_print(out, date);
	/* A text that does not fit is made anew each time. */
	len = out->len - from;
	if (len > sizeof(writer->last[column].text))
		len = 0;
	memcpy(text, out->p + from, len);
	writer->last[column].len = len;
	writer->last[column].date = *date;
}

/* Append the value of a column, for NDJSON if there is no separator. */
static void
format_put_cell(struct export_writer *writer, size_t k, struct buf *out,
    const struct export_row *row, char separator)
{
	const struct export_column *column = writer->columns[k];
	const void *value = (const char *)row + column->at;
	struct slice text = {0}; /* empty: no value */
	struct date date = {0}; /* without a precision: no value */
	bool is_ours = column->kind == EXPORT_TIME && separator != '\0';

	switch (column->kind) {
	case EXPORT_NUMBER:
		(void)buf_print(
		    out, "%lld", (long long)*(const int64_t *)value);
		return;
	case EXPORT_DATE:
		date = *(const struct date *)value;
		break;
	case EXPORT_TIME:
		date.epoch_s = *(const int64_t *)value;
		date.precision = date.epoch_s == 0 ? DATE_NONE : DATE_SECOND;
		break;
	case EXPORT_URL:
	case EXPORT_TEXT:
		text = *(const struct slice *)value;
		break;
	case EXPORT_WORD:
		text = slice_of(*(const char *const *)value);
		break;
	case EXPORT_PRECISION:
		text = slice_of(date_precisions[row->lastmod.precision]);
		break;
	case EXPORT_STATE:
		text = slice_of(row->is_removed ? "removed" : "listed");
		break;
	case EXPORT_REFUSED:
		/* of an entry of long ago the rule may not be known */
		if (row->verdict != VERDICT_ACCEPTED)
			text = slice_of(row->verdict == VERDICTS
				? "refused"
				: diag_name(verdict_codes[row->verdict]));
		break;
	}
	if (date.precision != DATE_NONE) {
		if (separator == '\0')
			(void)buf_put_char(out, '"');
		format_put_date(writer, k, out, &date, is_ours);
		if (separator == '\0')
			(void)buf_put_char(out, '"');
	} else if (separator == '\0' && text.len == 0) {
		(void)buf_put(out, "null", 4);
	} else if (separator == '\0') {
		json_put(out, text);
	} else if (column->kind == EXPORT_URL || column->kind == EXPORT_TEXT) {
		csv_put(out, text, separator);
	} else {
		(void)buf_put_slice(out, text);
	}
}

void
export_begin(const struct export_writer *writer, struct buf *out)
{
	char separator = writer->format == EXPORT_TSV ? '\t' : ',';

	switch (writer->format) {
	case EXPORT_CSV:
	case EXPORT_TSV:
		for (size_t i = 0; i < writer->count; i++) {
			if (i > 0)
				(void)buf_put_char(out, separator);
			(void)buf_put_slice(
			    out, slice_of(writer->columns[i]->name));
		}
		(void)buf_put_char(out, '\n');
		break;
	/* The head of a sitemap without extensions: what is exported has none.
	 */
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
	char separator = writer->format == EXPORT_TSV ? '\t' : ',';

	switch (writer->format) {
	case EXPORT_CSV:
	case EXPORT_TSV:
		for (size_t i = 0; i < writer->count; i++) {
			if (i > 0)
				(void)buf_put_char(out, separator);
			format_put_cell(writer, i, out, row, separator);
		}
		(void)buf_put_char(out, '\n');
		break;
	case EXPORT_JSONL:
		out_json_line(out, NULL);
		for (size_t i = 0; i < writer->count; i++) {
			out_json_key(out, writer->columns[i]->name);
			format_put_cell(writer, i, out, row, '\0');
		}
		out_json_line_end(out);
		break;
	/* No escapes: what reads a list of URLs takes each line as it is. */
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
			format_put_date(writer, 0, out, &row->lastmod, false);
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
