/*
 * Rows of the past of sites.  Before the data stand a hash of all that follows,
 * and when they were computed.
 */
#include "store/past.h"

#include "base/hash.h"
#include "base/wire.h"
#include "store/db.h"

/* Nothing else of the store would tell that a row is damaged. */
static uint64_t
past_hash(
    struct store *store, int64_t site_id, int64_t until_s, struct slice rest)
{
	uint64_t key = store_hash_key(store) ^ (uint64_t)site_id << 32;

	return hash_key(rest, key ^ (uint64_t)until_s);
}

bool
store_past_get(struct store *store, int64_t site_id, uint64_t key,
    int64_t now_s, struct buf *data)
{
	struct sqlite3_stmt *stmt = db_use_ints(
	    store, SQL_PAST_GET, 3, (int64_t[]){site_id, (int64_t)key, now_s});
	bool is_there = db_row(store, stmt);

	if (is_there) {
		struct wire wire = {db_blob(stmt, 0), true};
		uint64_t hash = wire_get_fixed(&wire, 8);

		is_there = wire.ok &&
		    hash ==
			past_hash(store, site_id, db_int(stmt, 1), wire.in) &&
		    (int64_t)wire_get_fixed(&wire, 8) <= now_s && wire.ok &&
		    buf_put_slice(data, wire.in);
	}
	db_done(stmt);
	return is_there;
}

void
store_past_put(struct store *store, int64_t site_id, uint64_t key,
    int64_t now_s, int64_t until_s, struct slice data)
{
	struct sqlite3_stmt *stmt = db_use_ints(store, SQL_PAST_PUT, 3,
	    (int64_t[]){site_id, (int64_t)key, until_s});
	struct buf rest = BUF_UP_TO(SIZE_MAX), row = BUF_UP_TO(SIZE_MAX);

	wire_put_fixed(&rest, 8, (uint64_t)now_s);
	(void)buf_put_slice(&rest, data);
	wire_put_fixed(
	    &row, 8, past_hash(store, site_id, until_s, buf_text(&rest)));
	(void)buf_put_slice(&row, buf_text(&rest));
	db_bind_blob(stmt, 4, buf_text(&row));
	(void)db_write(store, stmt);
	buf_release(&rest);
	buf_release(&row);
}

void
store_past_drop(struct store *store, int64_t site_id)
{
	db_put_id(store, SQL_PAST_DROP, site_id);
}
