/* Sites: their rows, their crawls, their totals, and what is kept of them. */
#include "store/site.h"

#include "base/civil.h"
#include "store/db.h"

int64_t
store_site_find(struct store *store, struct slice host)
{
	return db_first_id(store, db_use_text(store, SQL_SITE_GET, host));
}

int64_t
store_site(struct store *store, struct slice host)
{
	int64_t id = store_site_find(store, host);

	if (id == 0 && db_write(store, db_use_text(store, SQL_SITE_MAKE, host)))
		id = db_last_id(store);
	return id;
}

int64_t
store_crawl_begin(
    struct store *store, int64_t site_id, int64_t now_s, bool *is_resumed)
{
	int64_t begun_s = db_first_time(
	    store, db_use_id(store, SQL_SITE_CRAWL, site_id));
	/* If the crawl began in the future, its time is another clock's. */
	*is_resumed = begun_s > 0 && begun_s <= now_s &&
	    now_s - begun_s <= CRAWL_RESUME_S;
	if (*is_resumed)
		return begun_s;
	db_put_ints(store, SQL_SITE_CRAWL_SET, 2, (int64_t[]){site_id, now_s});
	return now_s;
}

void
store_crawl_end(struct store *store, int64_t site_id)
{
	db_put_ints(store, SQL_SITE_CRAWL_SET, 2, (int64_t[]){site_id, 0});
}

bool
store_first_read(struct store *store, int64_t site_id)
{
	if (!db_has(store, db_use_id(store, SQL_SITE_IS_BEGUN, site_id)))
		return false;
	return db_write(store, db_use_id(store, SQL_SITE_BASELINE, site_id));
}

void
store_site_totals(
    struct store *store, int64_t site_id, struct site_totals *totals)
{
	struct sqlite3_stmt *stmt = db_use_id(store, SQL_SITE_TOTALS, site_id);

	*totals = (struct site_totals){0};
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
	totals->stale_since_s = db_first_time(
	    store, db_use_id(store, SQL_SITE_STALE, site_id));
	if (totals->refused == 0)
		return;
	stmt = db_use_id(store, SQL_SITE_REFUSED_BY, site_id);
	if (db_row(store, stmt))
		totals->refused_by = verdict_of(diag_find(db_text(stmt, 0)));
	db_done(stmt);
}

void
store_site_sum(struct store *store, int64_t site_id, int64_t after_id,
    struct site_sum *sum)
{
	static const enum delta_kind kinds[] = {DELTA_ADDED, DELTA_REMOVED,
	    DELTA_RETURNED, DELTA_REDATED, DELTA_GONE, DELTA_REFUSED,
	    DELTA_ACCEPTED, DELTA_LEFT, DELTA_BACK};
	uint64_t waiting[2] = {0}, stored[2] = {0}, changes[DELTA_KINDS] = {0};

	db_counts(
	    store, db_use_id(store, SQL_SITE_WAITING, site_id), 2, waiting);
	sum->waiting += waiting[0];
	sum->waiting_urls += waiting[1];
	/* the numbers that the latest tally stored */
	db_counts(store, db_use_id(store, SQL_SITE_STORED, site_id), 2, stored);
	sum->numbers.listed += stored[0];
	sum->numbers.refused += stored[1];
	db_counts(store,
	    db_use_ints(
		store, SQL_SITE_CHANGED, 2, (int64_t[]){site_id, after_id}),
	    DELTA_KINDS, changes);
	for (int i = 0; i < DELTA_KINDS; i++)
		sum->changes[kinds[i]] += changes[i];
}

void
store_each_site_pages(struct store *store, store_site_pages_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_SITE_PAGES);

	while (db_row(store, stmt))
		fn(arg, db_int(stmt, 0), (uint64_t)db_int(stmt, 1));
}

/* What the documents of a site make the store keep. */

/* What storing a content adds. */
struct added {
	int64_t total, today;
};

static struct added
added_by(struct store *store, int64_t document_id, int64_t reading_id,
    const struct content *content)
{
	/* The bytes of the segment that the store had of the document count
	 * against those of the new one. */
	int64_t bytes = db_first(store,
	    db_use_ints(store, SQL_SEGMENT_BYTES, 2,
		(int64_t[]){BLOCK_ID(document_id),
		    BLOCK_ID(document_id) + BLOCKS_MAX}));
	int64_t segment = (int64_t)block_list_bytes(&content->segment) - bytes;
	int64_t delta = (int64_t)block_list_bytes(&content->delta);
	struct added added = {.total = segment + delta};

	/* Was the document read before that reading? */
	if (db_has(store,
		db_use_ints(store, SQL_READING_EARLIER, 2,
		    (int64_t[]){document_id, reading_id})))
		added.today = delta + (segment > 0 ? segment : 0);
	return added;
}

struct kept_bytes
store_kept(struct store *store, int64_t site_id, int64_t document_id,
    const struct content *content, int64_t now_s)
{
	uint64_t counts[2] = {0};
	struct kept_bytes kept;
	struct added added = {0};

	db_counts(store,
	    db_use_ints(
		store, SQL_SITE_KEPT, 2, (int64_t[]){site_id, now_s / DAY_S}),
	    2, counts);
	kept = (struct kept_bytes){.total = counts[0], .today = counts[1]};
	if (content != NULL)
		added = added_by(store, document_id, INT64_MAX, content);
	kept.today += (uint64_t)added.today;
	if (added.total >= 0)
		kept.total += (uint64_t)added.total;
	else if (kept.total > (uint64_t)-added.total)
		kept.total -= (uint64_t)-added.total;
	else
		kept.total = 0;
	return kept;
}

void
store_keep(struct store *store, int64_t site_id, int64_t document_id,
    int64_t reading_id, const struct content *content)
{
	struct added added = added_by(store, document_id, reading_id, content);

	if (added.total == 0 && added.today == 0)
		return;
	db_put_ints(store, SQL_SITE_KEEP, 4,
	    (int64_t[]){site_id, reading_id, added.total, added.today});
}

void
store_kept_fill(
    struct store *store, int64_t site_id, int64_t now_s, uint64_t bytes)
{
	db_put_ints(store, SQL_SITE_KEPT_FILL, 3,
	    (int64_t[]){site_id, now_s / DAY_S, bytes});
}
