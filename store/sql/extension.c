/*
 * The public tables for the sqlite3 shell and other programs that load
 * extensions: `.load libfreshet_sql` on a connection whose main database is a
 * store.
 */
#include <sqlite3ext.h>

#include "store/schema.h"
#include "store/sql/public.h"

SQLITE_EXTENSION_INIT1

#define BUSY_MS 5000 /* as the program itself waits */

/* SQLite makes this name from the name of the file. */
int sqlite3_freshetsql_init(
    struct sqlite3 *, char **why, const sqlite3_api_routines *);

int
sqlite3_freshetsql_init(
    struct sqlite3 *db, char **why, const sqlite3_api_routines *api)
{
	SQLITE_EXTENSION_INIT2(api);
	struct buf reason = BUF_UP_TO(1024);
	int code = SQLITE_OK;

	/* At its end a crawl locks the store for a moment, to empty the log;
	 * the shell would not wait for that. */
	(void)sqlite3_busy_timeout(db, BUSY_MS);
	if (schema_check(db, &schema_current, true, &reason) != DIAG_OK) {
		*why = sqlite3_mprintf(
		    "open a store of freshet first, then load this: %s",
		    buf_str(&reason));
		code = SQLITE_ERROR;
	}
	buf_release(&reason);
	if (code == SQLITE_OK)
		code = vtab_register(db);
	/* HOSTILE F17: one process writes and checkpoints, and the shell is
	 * another one.  So a connection that is open for writing may only read
	 * from now on. */
	if (code == SQLITE_OK)
		code = sqlite3_db_config(
		    db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	if (code == SQLITE_OK && sqlite3_db_readonly(db, "main") != 1)
		code = sqlite3_exec(db,
		    "PRAGMA wal_autocheckpoint = 0; PRAGMA query_only = ON",
		    NULL, NULL, NULL);
	if (code != SQLITE_OK && *why == NULL)
		*why = sqlite3_mprintf("%s", sqlite3_errmsg(db));
	return code;
}
