/*
 * What each COMMIT of a store changed, by SQLite's hook before each change.
 *
 * A row that was touched is told as it is at the COMMIT, in the columns that
 * changed meanwhile, though they may be again what they were before.  After a
 * ROLLBACK nothing is told; the store has no savepoints.  The hook does not see
 * changes of the schema, VACUUM and REINDEX, none of which changes a row; and
 * what migrations do is done before a recorder can be there.
 */
#ifndef FRESHET_RECORDER_H
#define FRESHET_RECORDER_H

#include "store/depot/rows.h"
#include "store/store.h"

struct recorder;

/* A COMMIT was made, and changed this; the list is the callee's.  It is called
 * before the `done` functions of store_flush, and may read the store. */
typedef void recorder_fn(void *arg, struct rows_list *);

/*
 * recorder_new(store, schema, changed, arg):
 * Tell what each COMMIT from now on changes.  The store is open for writing and
 * has just been opened: while there is no hook, SQLite prepares statements that
 * remove all rows of a table at once, which no hook sees.  The recorder
 * is the store's, which frees it when it is closed.
 */
void recorder_new(
    struct store *, const struct rows_schema *, recorder_fn *, void *arg);

#endif
