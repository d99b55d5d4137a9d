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

/*
 * document_row(store, stmt, *document):
 * Copy the current row, and look up the date that the document's indexes give
 * it.  Returns false if the row is none that this program writes: the store has
 * failed, and there is nothing to release.
 */
bool document_row(struct store *, struct sqlite3_stmt *, struct document *);

/* row_put_counts(store, document_id, counts, blocks): store the counts of the
 * document's segment, which has so many blocks. */
void row_put_counts(struct store *, int64_t document_id,
    const struct merge_counts *, size_t blocks);

/* row_origin_find(store, origin): the id of an origin, 0: unknown.
 * row_origin_id(store, origin): the same, but a new origin is made; 0 if the
 * store has failed. */
int64_t row_origin_find(struct store *, struct slice origin);
int64_t row_origin_id(struct store *, struct slice origin);

#endif
