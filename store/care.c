/* What the care for the store has in common. */
#include "store/care.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include "store/db.h"

struct sqlite3_stmt *
care_statement(struct store *store, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	int code;

	if (store->failed != DIAG_OK)
		return NULL;
	code = sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL);
	if (code != SQLITE_OK)
		db_fail_prepare(store, code);
	return stmt;
}

bool
care_run(struct store *store, const char *sql)
{
	struct sqlite3_stmt *stmt = care_statement(store, sql);

	db_run(store, stmt);
	db_drop(stmt);
	return store->failed == DIAG_OK;
}

int64_t
care_number(struct store *store, const char *sql)
{
	struct sqlite3_stmt *stmt = care_statement(store, sql);
	int64_t number = 0;

	if (db_row(store, stmt))
		number = db_int(stmt, 0);
	db_drop(stmt);
	return number;
}

uint64_t
care_file_bytes(const struct store *store, const char *suffix)
{
	struct stat st;
	struct buf name;

	buf_init(&name, SIZE_MAX);
	(void)buf_print(&name, "%s%s", store->path, suffix);
	bool is_there = stat(buf_str(&name), &st) == 0;
	buf_release(&name);
	return is_there ? (uint64_t)st.st_size : 0;
}

bool
care_snapshot(struct store *store)
{
	/* BEGIN alone takes none: the first read does. */
	if (care_run(store, "BEGIN"))
		(void)care_number(store, "SELECT count(*) FROM meta");
	return store->failed == DIAG_OK;
}

void
care_release(struct store *store)
{
	if (!sqlite3_get_autocommit(store->db))
		(void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}
