/* Sites: their rows, their crawls and their totals. */
#include "store/site.h"

#include "store/db.h"

int64_t
store_site_find(struct store *store, struct slice host)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_SITE_GET);

	db_bind_text(stmt, 1, host);
	return db_first_id(store, stmt);
}

int64_t
store_site(struct store *store, struct slice host)
{
	struct sqlite3_stmt *stmt;
	int64_t id = store_site_find(store, host);

	if (id != 0)
		return id;
	stmt = db_use(store, SQL_SITE_MAKE);
	db_bind_text(stmt, 1, host);
	return db_write(store, stmt) ? db_last_id(store) : 0;
}

static void
set_crawl(struct store *store, int64_t site_id, int64_t begun_s)
{
	db_put_ints(
	    store, SQL_SITE_CRAWL_SET, 2, (int64_t[]){site_id, begun_s});
}

int64_t
store_crawl_begin(
    struct store *store, int64_t site_id, int64_t now_s, bool *is_resumed)
{
	int64_t begun_s = db_first_time(
	    store, db_use_id(store, SQL_SITE_CRAWL, site_id));
	/* If the crawl began in the future, its time comes from another
	 * clock. */
	*is_resumed = begun_s > 0 && begun_s <= now_s &&
	    now_s - begun_s <= CRAWL_RESUME_S;
	if (*is_resumed)
		return begun_s;
	set_crawl(store, site_id, now_s);
	return now_s;
}

void
store_crawl_end(struct store *store, int64_t site_id)
{
	set_crawl(store, site_id, 0);
}

bool
store_first_read(struct store *store, int64_t site_id)
{
	if (!db_has(store, db_use_id(store, SQL_SITE_IS_BEGUN, site_id)))
		return false;
	return db_write(store, db_use_id(store, SQL_SITE_BASELINE, site_id));
}

bool
store_is_baseline(struct store *store, int64_t document_id)
{
	return db_first(
		   store, db_use_id(store, SQL_IS_BASELINE, document_id)) != 0;
}

uint32_t
store_children_without(struct store *store, int64_t site_id, int64_t index_id)
{
	return (uint32_t)db_first(store,
	    db_use_ints(
		store, SQL_SITE_CHILDREN, 2, (int64_t[]){site_id, index_id}));
}

static int64_t
stale_since_s(struct store *store, int64_t site_id)
{
	return db_first_time(store, db_use_id(store, SQL_SITE_STALE, site_id));
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
		    .failing_robots = (uint64_t)db_int(stmt, 7),
		    .failing_indexes = (uint64_t)db_int(stmt, 8),
		    .failing_since_s = db_time(store, stmt, 9)};
	db_done(stmt);
	totals->stale_since_s = stale_since_s(store, site_id);
	if (totals->refused == 0)
		return;
	stmt = db_use_id(store, SQL_SITE_REFUSED_BY, site_id);
	if (db_row(store, stmt))
		totals->refused_by = verdict_of(diag_find(db_text(stmt, 0)));
	db_done(stmt);
}

void
store_site_waiting(
    struct store *store, int64_t site_id, uint64_t *documents, uint64_t *urls)
{
	struct sqlite3_stmt *stmt = db_use_id(store, SQL_SITE_WAITING, site_id);

	if (db_row(store, stmt)) {
		*documents += db_count(store, stmt, 0);
		*urls += db_count(store, stmt, 1);
	}
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

struct site_numbers
store_site_stored(struct store *store, int64_t site_id)
{
	struct sqlite3_stmt *stmt = db_use_id(store, SQL_SITE_STORED, site_id);
	struct site_numbers numbers = {0};

	if (db_row(store, stmt))
		numbers = (struct site_numbers){
		    .listed = db_count(store, stmt, 0),
		    .refused = db_count(store, stmt, 1)};
	db_done(stmt);
	return numbers;
}

bool
store_is_untallied(struct store *store, int64_t site_id)
{
	return site_id > 0 && store_untallied(store, site_id - 1) == site_id;
}

uint64_t
store_site_entries(struct store *store, int64_t site_id)
{
	struct sqlite3_stmt *stmt = db_use_id(store, SQL_SITE_BLOCKS, site_id);
	uint64_t entries = 0;

	if (db_row(store, stmt))
		entries = db_count(store, stmt, 0);
	db_done(stmt);
	return entries;
}

int64_t
store_untallied(struct store *store, int64_t after_id)
{
	return db_first_id(store, db_use_id(store, SQL_TALLY_NEXT, after_id));
}

int64_t
store_untallied_since(struct store *store, int64_t site_id)
{
	return db_first_time(
	    store, db_use_id(store, SQL_UNTALLIED_SINCE, site_id));
}
