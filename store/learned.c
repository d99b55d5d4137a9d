/* What the scheduler learned about things other than pages. */
#include "store/learned.h"

#include "store/db.h"

void
store_learned(
    struct store *store, const char *kind, int64_t id, struct slice data)
{
	struct sqlite3_stmt *stmt = db_use(
	    store, data.len > 0 ? SQL_LEARNED_PUT : SQL_LEARNED_DROP);

	db_bind_str(stmt, 1, kind);
	db_bind_int(stmt, 2, id);
	if (data.len > 0)
		db_bind_blob(stmt, 3, data);
	(void)db_write(store, stmt);
}

bool
store_learned_get(
    struct store *store, const char *kind, int64_t id, struct buf *data)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_LEARNED_GET);

	db_bind_str(stmt, 1, kind);
	db_bind_int(stmt, 2, id);
	bool is_there = db_row(store, stmt) &&
	    buf_put_slice(data, db_blob(stmt, 0));
	db_done(stmt);
	return is_there;
}

void
store_each_learned(
    struct store *store, const char *kind, store_learned_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_LEARNED_EACH);

	db_bind_str(stmt, 1, kind);
	while (db_row(store, stmt))
		fn(arg, db_int(stmt, 0), db_blob(stmt, 1));
	db_done(stmt);
}
