/* How the store talks to SQLite: the one place that sees result codes. */
#include "store/db.h"

#include <assert.h>
#include <sqlite3.h>

#include "store/schema.h"

static const char *const sql[SQL_COUNT] = {
#define STATEMENT(name, text) [SQL_##name] = text,
#include "store/statements.def"
#undef STATEMENT
};

bool
db_prepare(struct store *store)
{
	for (int i = 0; i < SQL_COUNT; i++)
		if (sqlite3_prepare_v3(store->db, sql[i], -1,
			SQLITE_PREPARE_PERSISTENT, &store->statements[i],
			NULL) != SQLITE_OK)
			return false;
	return true;
}

void
db_finalize(struct store *store)
{
	for (int i = 0; i < SQL_COUNT; i++) {
		sqlite3_finalize(store->statements[i]);
		store->statements[i] = NULL;
		for (int k = 0; k < DB_LOOPS; k++) {
			sqlite3_finalize(store->loops[i][k]);
			store->loops[i][k] = NULL;
		}
	}
}

void
db_fail(struct store *store, enum diag_code code)
{
	assert(code != DIAG_OK);
	/* One process writes; who else holds the lock, is a bug (F17). */
	assert(code != DIAG_STORE_LOCKED || store->is_read_only);
	/* A folder that became read-only is no different from a full disk. */
	if (code == DIAG_STORE_UNUSABLE)
		code = DIAG_DISK_FULL;
	if (store->failed == DIAG_OK)
		store->failed = code;
}

struct sqlite3_stmt *
db_use(struct store *store, enum statement statement)
{
	struct sqlite3_stmt *stmt = store->statements[statement];

	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
	return stmt;
}

static struct sqlite3_stmt *
prepare(struct store *store, enum statement statement)
{
	struct sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v3(
	    store->db, sql[statement], -1, 0, &stmt, NULL);

	if (code != SQLITE_OK)
		db_fail(store, schema_code(code));
	return stmt;
}

struct sqlite3_stmt *
db_loop(struct store *store, enum statement statement)
{
	for (int i = 0; i < DB_LOOPS; i++) {
		struct sqlite3_stmt **stmt = &store->loops[statement][i];

		if (*stmt == NULL)
			*stmt = prepare(store, statement);
		if (*stmt == NULL)
			return NULL;
		if (!sqlite3_stmt_busy(*stmt)) {
			sqlite3_clear_bindings(*stmt);
			return *stmt;
		}
	}
	assert(false); /* loops within loops */
	return NULL;
}

void
db_drop(struct sqlite3_stmt *stmt)
{
	sqlite3_finalize(stmt);
}

bool
db_row(struct store *store, struct sqlite3_stmt *stmt)
{
	if (stmt == NULL || store->failed != DIAG_OK)
		return false;
	int code = sqlite3_step(stmt);
	if (code == SQLITE_ROW)
		return true;
	sqlite3_reset(stmt);
	if (code != SQLITE_DONE)
		db_fail(store, schema_code(code));
	return false;
}

void
db_run(struct store *store, struct sqlite3_stmt *stmt)
{
	while (db_row(store, stmt))
		;
}

void
db_done(struct sqlite3_stmt *stmt)
{
	sqlite3_reset(stmt);
}

bool
db_begin(struct store *store)
{
	assert(!store->is_read_only);
	if (store->failed != DIAG_OK)
		return false;
	if (!store->is_writing) {
		db_run(store, db_use(store, SQL_BEGIN));
		store->is_writing = store->failed == DIAG_OK;
	}
	return store->is_writing;
}

bool
db_write(struct store *store, struct sqlite3_stmt *stmt)
{
	if (!db_begin(store))
		return false;
	db_run(store, stmt);
	return store->failed == DIAG_OK;
}

int64_t
db_last_id(const struct store *store)
{
	return sqlite3_last_insert_rowid(store->db);
}
