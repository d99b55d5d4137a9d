/* Rows of the past of sites. */
#include "store/past.h"

#include "store/db.h"

bool
store_past_get(struct store *store, int64_t site_id, uint64_t key,
    int64_t now_s, struct buf *data)
{
	struct sqlite3_stmt *stmt = db_use_ints(
	    store, SQL_PAST_GET, 3, (int64_t[]){site_id, (int64_t)key, now_s});
	bool is_there = db_row(store, stmt) &&
	    buf_put_slice(data, db_blob(stmt, 0));

	db_done(stmt);
	return is_there;
}

void
store_past_put(struct store *store, int64_t site_id, uint64_t key,
    int64_t until_s, struct slice data)
{
	struct sqlite3_stmt *stmt = db_use_ints(store, SQL_PAST_PUT, 3,
	    (int64_t[]){site_id, (int64_t)key, until_s});

	db_bind_blob(stmt, 4, data);
	(void)db_write(store, stmt);
}

void
store_past_drop(struct store *store, int64_t site_id)
{
	db_put_id(store, SQL_PAST_DROP, site_id);
}
