/* Importing a URL that another crawler knows into a store and its frontier. */
#ifndef FRESHET_IMPORT_H
#define FRESHET_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "base/slice.h"
#include "base/url.h"
#include "base/w3cdate.h"
#include "store/lookup.h"
#include "store/store.h"

struct frontier;
struct ndjson;

/* A URL takes up to 32 kB, and the other members of a line need little. */
#define IMPORT_LINE_MAX (64 << 10)
#define IMPORT_WEIGHT_MAX 1000000.0

struct import_line {
	struct url url; /* owned: normalised */
	struct ndjson *object; /* owned, or NULL: the slices borrow from it */
	bool has_weight;
	double weight;
	int64_t fetched_s; /* 0: no fetch */
	int status; /* 200: also if absent */
	struct slice content_hash, etag, last_modified; /* empty: none */
	struct date lastmod;
};

/*
 * import_line_read(line, text, is_json, now_s): read a URL, or an object with
 * url and, if they are known, weight, fetched (a date, or seconds since the
 * Epoch), status, content_hash, etag, last_modified and lastmod.  A member that
 * is null is absent; other members are ignored.
 *
 * Returns NULL, or what is wrong with the line, static.  The line is zeroed
 * before it is first read, may be read into again, and must be released in any
 * case.
 */
const char *import_line_read(
    struct import_line *, struct slice text, bool is_json, int64_t now_s);
void import_line_release(struct import_line *);

/* Lines of an import, many at once, so that one search of the store serves them
 * all. */

struct import_row {
	struct import_line line; /* owned by the batch */
	const char *why; /* why the line is bad; NULL: it is good */
	bool is_blank;
	bool is_page; /* the URL was a page when the line was read */
	/* the document that lists the URL; NULL: the store was not searched,
	 * or has changed since */
	const struct listed *listed;
};

/* Zeroed but for the store: no lines. */
struct import_batch {
	struct store *store; /* borrowed */
	struct import_row *rows; /* owned */
	size_t count, cap, at; /* rows; at: the next one to be taken */
	size_t bytes; /* of their text */
	struct listed *listed; /* owned: of rows that are no pages yet */
	struct listed_search *search; /* owned; NULL: not begun */
	int searches; /* begun so far */
};

/*
 * A batch is filled, searched and emptied, over and over.
 *
 * import_batch_put(batch, text, is_json, now_s): add a line, read as
 * import_line_read() does; false: no more may be added.
 *
 * import_batch_search(batch): do one step of the search for all lines of the
 * batch; false: the search is over.
 *
 * import_batch_next(batch): after the search: the next line, valid until the
 * next call; NULL: there is none, and the batch is empty.
 * import_batch_is_stale(batch): the store has changed since the search, which
 * must be repeated.  The function returns false after too many repetitions;
 * lines then come without a search.
 */
bool import_batch_put(
    struct import_batch *, struct slice text, bool is_json, int64_t now_s);
bool import_batch_search(struct import_batch *);
bool import_batch_is_stale(const struct import_batch *);
const struct import_row *import_batch_next(struct import_batch *);
void import_batch_release(struct import_batch *);

struct import_totals {
	uint64_t added; /* new pages */
	uint64_t known; /* pages that existed before */
	/* of both: pages with a fetch that was not known before */
	uint64_t history;
	uint64_t unlisted; /* new pages that no document lists */
};

/* One import.  It remembers the roots of origins, which are looked up once. */
struct importer {
	struct store *store;
	struct names origins;
	int64_t *roots; /* owned: documents, by the number of the origin */
	size_t root_cap;
	struct import_totals totals;
};

void importer_init(struct importer *, struct store *);
void importer_release(struct importer *);

/*
 * frontier_import(frontier, importer, row, now_s): import a good row of a
 * batch, in the open transaction.
 *
 * A new URL becomes a page of the document that lists it; the function looks
 * for that document if the row came without a search.  A URL that no document
 * lists becomes a page of the root of its origin, a document that is never
 * read.  A weight replaces that of the page; a fetch counts if it is later
 * than all that are known.  The page may be leased from now on.
 */
void frontier_import(struct frontier *, struct importer *,
    const struct import_row *, int64_t now_s);

/* frontier_promote_listed(frontier, url): make a normalised URL that a document
 * lists, and that is no page yet, a page, in the open transaction.  Returns its
 * number; NONE: no document lists it, or the store has failed. */
uint32_t frontier_promote_listed(struct frontier *, struct slice url);

#endif
