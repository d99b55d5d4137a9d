/* Rows of entries and changes as csv, tsv, NDJSON, URLs or a sitemap. */
#ifndef FRESHET_EXPORT_FORMAT_H
#define FRESHET_EXPORT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/w3cdate.h"
#include "crawler/cli/options.h"
#include "store/segment/entry.h"

/* One row; the slices are borrowed. */
struct export_row {
	struct slice loc;
	struct slice document;
	/* URLs */
	struct date lastmod;
	int64_t first_seen_s;
	int64_t redated_s; /* 0: never */
	bool is_removed;
	/* changes */
	int64_t reading;
	int64_t at_s;
	const char *kind;
	enum verdict verdict; /* URLs and changes */
	struct date before;
	struct date after;
	/* where the page moved from; empty: it did not move */
	struct slice from;
	/* what the page says of itself: foreign text; empty: not known */
	struct slice title, description;
};

#define EXPORT_COLUMNS 11 /* of changes; entries have fewer */

struct export_writer {
	enum export_format format;
	const struct export_column *columns[EXPORT_COLUMNS]; /* static */
	size_t count;
	bool has_texts; /* a column is EXPORT_TEXT */
	/* last value of each column as text, because dates repeat */
	struct {
		struct date date;
		char text[40];
		size_t len; /* 0: no value yet */
	} last[EXPORT_COLUMNS];
};

/* A column, and where its value is. */
struct export_column {
	const char *name;
	enum export_kind {
		EXPORT_URL,
		EXPORT_TEXT, /* foreign; only if it is named */
		EXPORT_WORD,
		EXPORT_DATE,
		EXPORT_TIME, /* a moment of freshet's; 0: never */
		EXPORT_NUMBER,
		EXPORT_PRECISION, /* of lastmod */
		EXPORT_STATE,
		EXPORT_REFUSED
	} kind;
	size_t at; /* offset in struct export_row; the last three need none */
};

/* export_writer_init(writer, format, rows, list): `list` names columns, with
 * commas between them; NULL: all columns of such rows but foreign texts.
 * Returns false after one line on stderr if a name is unknown or repeated. */
enum export_rows { EXPORT_ENTRIES, EXPORT_CHANGES };
bool export_writer_init(struct export_writer *, enum export_format,
    enum export_rows, const char *list);

/* export_begin(writer, out), export_end(writer, out): append what stands before
 * and behind the rows. export_put(writer, row, out): append one row with its
 * line end; a sitemap takes URLs only. */
void export_begin(const struct export_writer *, struct buf *out);
void export_put(
    struct export_writer *, struct buf *out, const struct export_row *);
void export_end(const struct export_writer *, struct buf *out);

#endif
