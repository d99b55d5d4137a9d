/* The write-ahead log: cut when nothing is in it that the database lacks. */
#include "store/rest.h"

#include <assert.h>
#include <sqlite3.h>

#include "store/care.h"
#include "store/db.h"

int
rest_cut(const struct store *store)
{
	int code;

	/* A backup may read for minutes. */
	(void)sqlite3_busy_timeout(store->db, 0);
	code = sqlite3_wal_checkpoint_v2(
	    store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	(void)sqlite3_busy_timeout(store->db, DB_BUSY_MS);
	return code;
}

bool
store_rest(struct store *store)
{
	assert(!store_pending(store));
	/* F17: one process writes and checkpoints. */
	if (store->is_read_only || store->failed != DIAG_OK)
		return false;
	/* A scratch store has no such log. */
	return store->is_scratch || care_file_bytes(store, "-wal") == 0 ||
	    rest_cut(store) == SQLITE_OK;
}
