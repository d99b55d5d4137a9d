/* Inside the store: rows of documents and origins. */
#ifndef FRESHET_DOCUMENT_ROW_H
#define FRESHET_DOCUMENT_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct document;
struct merge_counts;
struct sqlite3_stmt;
struct store;

/* How many columns document_row reads; others may follow them. */
#define DOCUMENT_COLUMN_COUNT 24

/* document_row(store, stmt, *document): the document of the row at hand, a
 * copy; what its indexes say of it is looked up.  False: it is none that this
 * program writes, the store has failed, and nothing is to be released. */
bool document_row(struct store *, struct sqlite3_stmt *, struct document *);

/* row_put_counts(store, document_id, counts, blocks): what the document's
 * segment of so many blocks counts up to. */
void row_put_counts(struct store *, int64_t document_id,
    const struct merge_counts *, size_t blocks);

/* row_origin_id(store, origin): the origin of that name, made when it is new;
 * 0 when the store has failed. */
int64_t row_origin_id(struct store *, struct slice origin);

#endif
