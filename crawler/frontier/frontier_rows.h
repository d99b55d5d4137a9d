/* Which pages come next, of many documents, within bounds of memory. */
#ifndef FRESHET_FRONTIER_ROWS_H
#define FRESHET_FRONTIER_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/slice.h"

/* Bytes of all pages that are remembered. */
#define ROWS_BYTES_MAX (32u << 20)
/* And so many documents. */
#define ROWS_MAX 131072

enum { ROW_LINES = 2 };

struct row_page {
	struct slice url;
	int64_t lastmod_s;
	bool is_day;
};

/* Pages packed one behind the other; the last is next. */
struct row_line {
	char *bytes; /* owned */
	uint32_t len, cap;
};

struct row {
	uint32_t document;
	uint32_t room; /* bytes that it might have when it was filled */
	bool is_one; /* the second line is as the first */
	struct row_line lines[ROW_LINES];
};

struct listed_rows {
	struct row *items; /* owned */
	size_t count, cap;
	struct idmap of; /* documents, each plus one */
	size_t bytes; /* of memory, of all lines */
	size_t hand; /* the next that is cut when there are too many */
	uint64_t fills;
	char *text; /* owned: the URL that was taken last */
};

/* row_page_bytes(url): what a page takes of a line.  row_line_make(line,
 * bytes): it is empty, and has room for so many.  row_line_add(line, page): it
 * is next; there is room for it. */
size_t row_page_bytes(struct slice url);
void row_line_make(struct row_line *, size_t bytes);
void row_line_add(struct row_line *, const struct row_page *);

void rows_release(struct listed_rows *);

/*
 * rows_room(rows, document): so many bytes may be remembered of it now: its
 * share, if all get the same of one half; of the other half twice what it had,
 * if that is used up: where few of many documents are asked for, these get
 * most.
 * rows_put(rows, row): instead of what was remembered of its document; its
 * lines are taken over.  Where that is too much others forget what comes last
 * in them.
 */
size_t rows_room(const struct listed_rows *, uint32_t document);
void rows_put(struct listed_rows *, const struct row *);

/* rows_take(rows, document, line, page): the next of it.  The URL is
 * terminated, and valid until the next call.  False: none is remembered. */
bool rows_take(
    struct listed_rows *, uint32_t document, int line, struct row_page *);

/* rows_forget(rows, document): what is remembered of it. */
void rows_forget(struct listed_rows *, uint32_t document);

#endif
