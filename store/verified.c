/* What pages of an event answered: see verified.h. */
#include "store/verified.h"

#include "store/db.h"

void
store_verified_put(struct store *store, const struct verified *verified)
{
	struct sqlite3_stmt *stmt = db_use_ints(store, SQL_VERIFIED_PUT, 4,
	    (int64_t[]){verified->site_id, verified->number, verified->at_s,
		verified->status});

	db_bind_text(stmt, 5, verified->event);
	db_bind_text(stmt, 6, verified->url);
	/* NULL where there is none */
	if (verified->location.len > 0)
		db_bind_text(stmt, 7, verified->location);
	if (verified->why.len > 0)
		db_bind_text(stmt, 8, verified->why);
	(void)db_write(store, stmt);
}

static void
verified_rows(struct store *store, struct sqlite3_stmt *stmt,
    store_verified_fn *fn, void *arg)
{
	while (db_row(store, stmt)) {
		struct verified verified = {.number = db_small(store, stmt, 0),
		    .url = db_whole_url(store, stmt, 1),
		    .at_s = db_time(store, stmt, 2),
		    .status = (int)db_small(store, stmt, 3),
		    .location = db_url(store, stmt, 4),
		    .why = db_line(store, stmt, 5),
		    .site_id = db_id(store, stmt, 6),
		    .event = db_text(stmt, 7)};

		if (store->failed == DIAG_OK)
			fn(arg, &verified);
	}
}

void
store_each_verified(struct store *store, int64_t site_id, struct slice event,
    store_verified_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_id(
	    store, SQL_VERIFIED_EACH, site_id);

	db_bind_text(stmt, 2, event);
	verified_rows(store, stmt, fn, arg);
}

void
store_each_unverified(struct store *store, store_verified_fn *fn, void *arg)
{
	verified_rows(store, db_loop(store, SQL_VERIFIED_WAITING), fn, arg);
}
