/* Rows of origins. */
#include "store/origin.h"

#include "store/db.h"

int64_t
store_origin_find(struct store *store, struct slice origin)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_ORIGIN_GET);

	db_bind_text(stmt, 1, origin);
	return db_first_id(store, stmt);
}

int64_t
store_origin_make(struct store *store, struct slice origin)
{
	int64_t id = store_origin_find(store, origin);
	struct sqlite3_stmt *stmt;

	if (id != 0)
		return id;
	stmt = db_use(store, SQL_ORIGIN_MAKE);
	db_bind_text(stmt, 1, origin);
	return db_write(store, stmt) ? db_last_id(store) : 0;
}
