/* Lines of an import, many at once, so that one search of the store serves them
 * all. */
#ifndef FRESHET_IMPORT_BATCH_H
#define FRESHET_IMPORT_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/frontier/import_line.h"
#include "store/listed.h"
#include "store/store.h"

struct import_batch;

struct import_row {
	struct import_line line; /* owned by the batch */
	const char *why; /* why the line is bad; NULL: it is good */
	bool is_blank;
	bool is_page; /* the URL was a page when the line was read */
	/* the document that lists the URL; NULL: the store was not searched,
	 * or has changed since */
	const struct listed *listed;
};

struct import_batch *import_batch_new(struct store *);
void import_batch_free(struct import_batch *);

/*
 * A batch is filled, searched and emptied, over and over.
 *
 * import_batch_put(batch, text, is_json, now_s): add a line, read as
 * import_line_read() does.  import_batch_is_full(batch): no more may be added.
 * import_batch_count(batch): how many lines it has.
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
void import_batch_put(
    struct import_batch *, struct slice text, bool is_json, int64_t now_s);
bool import_batch_is_full(const struct import_batch *);
size_t import_batch_count(const struct import_batch *);
bool import_batch_search(struct import_batch *);
bool import_batch_is_stale(const struct import_batch *);
const struct import_row *import_batch_next(struct import_batch *);

#endif
