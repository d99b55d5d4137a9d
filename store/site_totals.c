/* Sites in numbers. */
#include "store/site_totals.h"

#include "store/db.h"

static int64_t
stale_since_s(struct store *store, int64_t site_id)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_SITE_STALE);
	int64_t since_s = 0;

	db_bind_int(stmt, 1, site_id);
	if (db_row(store, stmt))
		since_s = db_time(store, stmt, 0);
	db_done(stmt);
	return since_s;
}

void
store_site_totals(
    struct store *store, int64_t site_id, struct site_totals *totals)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_SITE_TOTALS);

	*totals = (struct site_totals){0};
	db_bind_int(stmt, 1, site_id);
	if (db_row(store, stmt))
		*totals = (struct site_totals){
		    .documents = (uint64_t)db_int(stmt, 0),
		    .indexes = (uint64_t)db_int(stmt, 1),
		    .failing = (uint64_t)db_int(stmt, 2),
		    .refused = db_count(store, stmt, 3),
		    .last_read_s = db_time(store, stmt, 4),
		    .waiting = (uint64_t)db_int(stmt, 5),
		    .waiting_urls = (uint64_t)db_int(stmt, 6),
		    .failing_robots = (uint64_t)db_int(stmt, 7)};
	db_done(stmt);
	totals->stale_since_s = stale_since_s(store, site_id);
	if (totals->refused == 0)
		return;
	stmt = db_use(store, SQL_SITE_REFUSED_BY);
	db_bind_int(stmt, 1, site_id);
	if (db_row(store, stmt))
		totals->refused_by = verdict_of(diag_find(db_text(stmt, 0)));
	db_done(stmt);
}

void
store_each_site_pages(struct store *store, store_site_pages_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_SITE_PAGES);

	while (db_row(store, stmt))
		fn(arg, db_int(stmt, 0), (uint64_t)db_int(stmt, 1));
	db_done(stmt);
}
