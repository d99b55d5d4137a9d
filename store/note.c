/* Notes that people keep about days of a site. */
#include "store/note.h"

#include "store/db.h"

enum note_change
store_note_add(
    struct store *store, int64_t site_id, int64_t at_s, struct slice text)
{
	struct sqlite3_stmt *stmt = db_use_ints(
	    store, SQL_NOTE_COUNT, 2, (int64_t[]){site_id, at_s});
	int64_t same = 0, all = 0;

	db_bind_text(stmt, 3, text);
	if (db_row(store, stmt)) {
		all = db_int(stmt, 0);
		same = db_int(stmt, 1);
	}
	db_done(stmt);
	if (same > 0)
		return NOTE_SAME;
	if (all >= NOTE_MOST)
		return NOTE_FULL;
	stmt = db_use_ints(store, SQL_NOTE_PUT, 2, (int64_t[]){site_id, at_s});
	db_bind_text(stmt, 3, text);
	(void)db_write(store, stmt);
	return NOTE_ADDED;
}

bool
store_note_remove(struct store *store, int64_t site_id, int64_t at_s)
{
	if (!db_has(store,
		db_use_ints(store, SQL_NOTE_AT, 2, (int64_t[]){site_id, at_s})))
		return false;
	db_put_ints(store, SQL_NOTE_DROP, 2, (int64_t[]){site_id, at_s});
	return true;
}

void
store_each_note(
    struct store *store, int64_t site_id, store_note_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_id(store, SQL_NOTE_EACH, site_id);

	while (db_row(store, stmt)) {
		int64_t at_s = db_time(store, stmt, 0);

		if (store->failed == DIAG_OK)
			fn(arg, at_s, db_text(stmt, 1));
	}
	db_done(stmt);
}
