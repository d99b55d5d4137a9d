/* A session for each transaction, and its patchset at the COMMIT. */
#include "store/depot/recorder.h"

/* sqlite3.h declares the session extension for who says that it is there. */
#define SQLITE_ENABLE_PREUPDATE_HOOK
#define SQLITE_ENABLE_SESSION

#include <assert.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/schema.h"

struct recorder {
	struct store *store;
	const struct rows_schema *schema;
	struct recorder_events events;
	struct sqlite3_session *session; /* owned */
	struct rows_list *list; /* owned; of the COMMIT under way, or NULL */
};

/* Begin a session, for all tables.  It fails without memory alone.  A session
 * asks SQLite anew for each table that is touched, which costs 20 us each
 * [measured]: one for many readings is better than one for each. */
static void
recorder_begin(struct recorder *recorder)
{
	int code = sqlite3session_create(
	    recorder->store->db, "main", &recorder->session);

	if (code == SQLITE_OK)
		code = sqlite3session_attach(recorder->session, NULL);
	assert(schema_code(code) == DIAG_OK);
}

static enum diag_code
recorder_before_commit(void *arg)
{
	struct recorder *recorder = arg;
	void *bytes = NULL;
	int size = 0;
	int code = sqlite3session_patchset(recorder->session, &size, &bytes);

	rows_list_free(recorder->list); /* that COMMIT failed */
	recorder->list = NULL;
	if (code != SQLITE_OK)
		return schema_code(code);
	return rows_list_make(
	    recorder->schema, bytes, (size_t)size, &recorder->list);
}

/* The session ends only here: what was written outside of a transaction, or
 * before a COMMIT that failed, is told with the next one. */
static void
recorder_after_commit(void *arg)
{
	struct recorder *recorder = arg;
	struct rows_list *list = recorder->list;

	recorder->list = NULL;
	sqlite3session_delete(recorder->session);
	recorder_begin(recorder);
	recorder->events.changed(recorder->events.arg, list);
}

static void
recorder_settle(void *arg)
{
	struct recorder *recorder = arg;

	recorder->events.settle(recorder->events.arg);
}

static bool
recorder_is_full(void *arg)
{
	struct recorder *recorder = arg;

	return recorder->events.is_full(recorder->events.arg);
}

static void
recorder_close(void *arg)
{
	struct recorder *recorder = arg;

	recorder->events.closing(recorder->events.arg);
	sqlite3session_delete(recorder->session);
	rows_list_free(recorder->list);
	free(recorder);
}

void
recorder_new(struct store *store, const struct rows_schema *schema,
    const struct recorder_events *events)
{
	struct recorder *recorder = mem_zero(sizeof(*recorder));

	assert(!store->is_read_only && !store_pending(store));
	recorder->store = store;
	recorder->schema = schema;
	recorder->events = *events;
	recorder_begin(recorder);
	store->watcher = (struct commit_watcher){
	    .before = recorder_before_commit,
	    .after = recorder_after_commit,
	    .closing = recorder_close,
	    .settle = events->settle == NULL ? NULL : recorder_settle,
	    .is_full = events->is_full == NULL ? NULL : recorder_is_full,
	    .arg = recorder,
	};
}
