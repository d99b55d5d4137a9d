/* Lines of an import, many at once, so that one search of the store does for
 * all of them. */
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
	const char *why; /* it is bad; NULL: it is not */
	bool is_blank; /* it says nothing */
	bool is_page; /* it was one when the line was read */
	const struct listed *listed; /* what lists it; NULL: not searched, or
				      * no longer true */
};

struct import_batch *import_batch_new(struct store *);
void import_batch_free(struct import_batch *);

/*
 * A batch is filled, searched and emptied, over and over.
 *
 * import_batch_put(batch, text, is_json, now_s): one more line, as
 * import_line_read has it.  import_batch_is_full: then no more.
 * import_batch_count: so many are in it.
 * import_batch_search(batch): of all lines that are left, some of the search;
 * false: it is over.
 * import_batch_next(batch): after that: one after the other, valid until the
 * next call; NULL: there is none, and the batch is empty.
 * import_batch_is_stale(batch): what was found may not hold any more: search
 * again.  When that goes on, no longer: then lines come as not searched.
 */
void import_batch_put(
    struct import_batch *, struct slice text, bool is_json, int64_t now_s);
bool import_batch_is_full(const struct import_batch *);
size_t import_batch_count(const struct import_batch *);
bool import_batch_search(struct import_batch *);
bool import_batch_is_stale(const struct import_batch *);
const struct import_row *import_batch_next(struct import_batch *);

#endif
