/* The migrations that make the tables of the store; these are in schema.sql. */
#include "store/schema.h"

#include <sqlite3ext.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

#include "store/schema.inc"

SQLITE_EXTENSION_INIT3

/* How long a reader waits for the tables of a store that is being made. */
#define MAKING_MS 1000
#define MAKING_STEP_MS 20

_Static_assert(LENGTH(steps) == SCHEMA_VERSION, "steps of schema.sql");

const struct schema schema_current = {steps, SCHEMA_VERSION, NULL};

enum diag_code
schema_code(int sqlite_code)
{
	switch (sqlite_code & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return DIAG_OK;
	case SQLITE_NOMEM:
		(void)mem_alloc(SIZE_MAX / 2); /* ends the process */
		return DIAG_DISK_FULL;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return DIAG_STORE_LOCKED;
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_READONLY:
		return DIAG_STORE_UNUSABLE;
	case SQLITE_FULL:
	case SQLITE_IOERR:
	case SQLITE_PROTOCOL:
		return DIAG_DISK_FULL;
	default:
		/* These codes are CORRUPT, NOTADB, and those that only a
		 * damaged schema causes: a table is missing, or a value has
		 * another type. */
		return DIAG_STORE_DAMAGED;
	}
}

/* Get the numbers that a statement answers in one row. */
static int
schema_ask(struct sqlite3 *db, const char *sql, int64_t *numbers, int count)
{
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v3(db, sql, -1, 0, &stmt, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	for (int i = 0; code == SQLITE_ROW && i < count; i++)
		numbers[i] = sqlite3_column_int64(stmt, i);
	sqlite3_finalize(stmt);
	return code == SQLITE_ROW ? SQLITE_OK : code;
}

enum diag_code
schema_check(struct sqlite3 *db, const struct schema *schema, bool is_read_only,
    struct buf *why)
{
	/* In one statement: another process may make the store between two. */
	static const char state[] =
	    "SELECT application_id, user_version,"
	    " (SELECT count(*) FROM sqlite_schema)"
	    " FROM pragma_application_id, pragma_user_version";
	int64_t is[3] = {0};
	int code = schema_ask(db, state, is, 3);
	bool is_empty = is[0] == 0 && is[1] == 0 && is[2] == 0;

	/* A first crawl may just be making the store, whose tables come with
	 * one COMMIT. */
	for (int ms = 0;
	     code == SQLITE_OK && is_empty && is_read_only && ms < MAKING_MS;
	     ms += MAKING_STEP_MS) {
		(void)sqlite3_sleep(MAKING_STEP_MS);
		code = schema_ask(db, state, is, 3);
		is_empty = is[0] == 0 && is[1] == 0 && is[2] == 0;
	}
	int64_t application_id = is[0], version = is[1];

	if (code != SQLITE_OK) {
		int kind = code & 0xff;

		/* SQLite looks for a file beside the store, and cannot make it:
		 * what it says of that would tell nobody what to do. */
		(void)buf_print(why, "%s",
		    is_read_only &&
			    (kind == SQLITE_READONLY || kind == SQLITE_CANTOPEN)
			? "nothing may be written beside it: look as its "
			  "owner, at a copy, or while 'freshet run' holds it"
			: sqlite3_errmsg(db));
		return schema_code(code);
	}
	/* The file may be written, as was looked at before. */
	if (!is_read_only && sqlite3_db_readonly(db, "main") > 0) {
		(void)buf_print(why,
		    "its header says that only a newer SQLite may write it");
		return DIAG_STORE_DAMAGED;
	}
	/* A crash before the first step leaves a database without tables. */
	if (is_empty && is_read_only) {
		(void)buf_print(why, "nothing was stored in it yet");
		return DIAG_STORE_UNUSABLE;
	}
	if (!is_empty &&
	    (application_id != SCHEMA_APPLICATION_ID || version < 1)) {
		(void)buf_print(why, "it is a database of something else");
		return DIAG_STORE_DAMAGED;
	}
	if (version > schema->count) {
		(void)buf_print(why,
		    "its schema %lld is newer than %d, the newest known",
		    (long long)version, schema->count);
		return DIAG_STORE_DAMAGED;
	}
	if (version < schema->count && is_read_only) {
		(void)buf_print(why,
		    "its schema %lld is older than %d;"
		    " 'freshet db migrate' makes it newer",
		    (long long)version, schema->count);
		return DIAG_STORE_UNUSABLE;
	}
	return DIAG_OK;
}

int
schema_version(struct sqlite3 *db)
{
	int64_t version = 0;

	(void)schema_ask(db, "PRAGMA user_version", &version, 1);
	return (int)version;
}

enum diag_code
schema_migrate(struct sqlite3 *db, const struct schema *schema)
{
	int64_t version = 0;
	int code = schema_ask(db, "PRAGMA user_version", &version, 1);

	if (code != SQLITE_OK || version >= schema->count)
		return schema_code(code);
	code = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = schema_ask(db, "PRAGMA user_version", &version, 1);
	if (code == SQLITE_OK && version == 0 && schema->whole != NULL) {
		code = sqlite3_exec(db, schema->whole, NULL, NULL, NULL);
		version = schema->count;
	}
	while (code == SQLITE_OK && version < schema->count) {
		int64_t before = version;

		code = sqlite3_exec(
		    db, schema->steps[before], NULL, NULL, NULL);
		if (code == SQLITE_OK)
			code = schema_ask(
			    db, "PRAGMA user_version", &version, 1);
		if (code == SQLITE_OK && version != before + 1)
			code = SQLITE_CORRUPT;
	}
	if (code == SQLITE_OK)
		code = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	if (!sqlite3_get_autocommit(db))
		(void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return schema_code(code);
}
