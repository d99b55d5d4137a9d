/*
 * What each COMMIT of a store changed, by SQLite's session extension.
 *
 * The session is there from the first write to the COMMIT that makes it
 * durable, and knows which rows were touched; rows that look as before, as
 * after a ROLLBACK, are no changes.  It does not see changes of the schema,
 * VACUUM and REINDEX, none of which changes a row; and what migrations do is
 * done before a recorder can be there.
 */
#ifndef FRESHET_RECORDER_H
#define FRESHET_RECORDER_H

#include "store/depot/rows.h"
#include "store/store.h"

struct recorder;

/*
 * changed: a COMMIT was made, and changed this; the list is the callee's.  It
 * is called before the `done` functions of store_flush, and may read the store.
 *
 * closing: the store is about to close.  Nothing waits for a COMMIT; what did
 * is rolled back.  The store may be read, if it has not failed.  Afterwards the
 * recorder is freed.
 */
struct recorder_events {
	void (*changed)(void *arg, struct rows_list *);
	void (*closing)(void *arg);
	/* as those of struct commit_watcher; NULL: changed() makes durable */
	void (*settle)(void *arg);
	bool (*is_full)(void *arg);
	void *arg;
};

/*
 * recorder_new(store, schema, events):
 * Tell what each COMMIT from now on changes.  The store is open for writing and
 * has just been opened: while there is no session, SQLite prepares statements
 * that remove all rows of a table at once, which no session sees.  The recorder
 * is the store's, which frees it when it is closed.
 */
void recorder_new(
    struct store *, const struct rows_schema *, const struct recorder_events *);

#endif
