/* Sites, their crawls, and links between documents. */
#include "store/store.h"

#include "base/mem.h"
#include "store/care.h"
#include "store/commit.h"
#include "store/db.h"
#include "store/site.h"

uint64_t
store_bytes(struct store *store)
{
	int64_t pages = care_number(store, "PRAGMA page_count") -
	    care_number(store, "PRAGMA freelist_count");

	return (uint64_t)pages *
	    (uint64_t)care_number(store, "PRAGMA page_size");
}

int64_t
store_site_find(struct store *store, struct slice host)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_SITE_GET);
	int64_t id = 0;

	db_bind_text(stmt, 1, host);
	if (db_row(store, stmt))
		id = db_id(store, stmt, 0);
	db_done(stmt);
	return id;
}

uint32_t
store_children_without(struct store *store, int64_t site_id, int64_t index_id)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_SITE_CHILDREN);
	int64_t count = 0;

	db_bind_int(stmt, 1, site_id);
	db_bind_int(stmt, 2, index_id);
	if (db_row(store, stmt))
		count = db_int(stmt, 0);
	db_done(stmt);
	return (uint32_t)count;
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
	struct sqlite3_stmt *stmt = db_use(store, SQL_SITE_CRAWL_SET);

	db_bind_int(stmt, 1, site_id);
	db_bind_int(stmt, 2, begun_s);
	(void)db_write(store, stmt);
}

int64_t
store_crawl_begin(
    struct store *store, int64_t site_id, int64_t now_s, bool *is_resumed)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_SITE_CRAWL);
	int64_t begun_s = 0;

	db_bind_int(stmt, 1, site_id);
	if (db_row(store, stmt))
		begun_s = db_time(store, stmt, 0);
	db_done(stmt);
	/* One that began in the future was timed by another clock. */
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
	struct sqlite3_stmt *stmt = db_use(store, SQL_SITE_IS_BEGUN);
	bool is_begun;

	db_bind_int(stmt, 1, site_id);
	is_begun = db_row(store, stmt);
	db_done(stmt);
	if (!is_begun)
		return false;
	stmt = db_use(store, SQL_SITE_BASELINE);
	db_bind_int(stmt, 1, site_id);
	return db_write(store, stmt);
}

bool
store_is_baseline(struct store *store, int64_t document_id)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_IS_BASELINE);
	bool is_baseline;

	db_bind_int(stmt, 1, document_id);
	is_baseline = db_row(store, stmt) && db_int(stmt, 0) != 0;
	db_done(stmt);
	return is_baseline;
}

/* Links wait in memory for the reading of their index: a crash between two
 * commits must not leave an index with half of its children. */
void
store_links_begin(struct store *store, int64_t index_id)
{
	commit_links(store, index_id)->count = 0;
}

void
store_link(struct store *store, int64_t index_id, int64_t child_id,
    const struct date *lastmod)
{
	struct link_set *set = commit_links(store, index_id);

	set->items = mem_grow(
	    set->items, &set->cap, set->count + 1, sizeof(*set->items));
	set->items[set->count++] = (struct link){child_id, *lastmod};
}

void
store_each_child(
    struct store *store, int64_t index_id, store_child_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_LINK_CHILDREN);

	db_bind_int(stmt, 1, index_id);
	while (db_row(store, stmt)) {
		struct date lastmod = db_date(stmt, 1);
		int64_t child_id = db_id(store, stmt, 0);

		if (store->failed == DIAG_OK)
			fn(arg, child_id, &lastmod);
	}
	db_done(stmt);
}

void
store_children_after(struct store *store, int64_t index_id, bool is_held,
    int64_t after_id, unsigned most, store_child_url_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_LINK_CHILDREN_AFTER);

	db_bind_int(stmt, 1, index_id);
	db_bind_int(stmt, 2, after_id);
	db_bind_int(stmt, 3, most);
	db_bind_int(stmt, 4, is_held);
	while (db_row(store, stmt)) {
		struct date lastmod = db_date(stmt, 1);
		int64_t child_id = db_id(store, stmt, 0);
		struct slice url = db_whole_url(store, stmt, 4);

		if (store->failed == DIAG_OK)
			fn(arg, child_id, url, &lastmod);
	}
	db_done(stmt);
}

unsigned
store_other_parents(
    struct store *store, int64_t child_id, int64_t index_id, unsigned most)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_LINK_OTHERS);
	unsigned count = 0;

	db_bind_int(stmt, 1, child_id);
	db_bind_int(stmt, 2, index_id);
	db_bind_int(stmt, 3, most);
	if (db_row(store, stmt))
		count = (unsigned)db_int(stmt, 0);
	db_done(stmt);
	return count;
}

bool
store_has_other_parent(struct store *store, int64_t child_id, int64_t index_id)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_LINK_OTHER);
	bool has_one;

	db_bind_int(stmt, 1, child_id);
	db_bind_int(stmt, 2, index_id);
	has_one = db_row(store, stmt) && db_int(stmt, 0) != 0;
	db_done(stmt);
	return has_one;
}

void
store_each_parent(
    struct store *store, int64_t child_id, store_parent_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_LINK_PARENTS);

	db_bind_int(stmt, 1, child_id);
	while (db_row(store, stmt)) {
		struct slice url = db_url(store, stmt, 1);
		int64_t index_id = db_id(store, stmt, 0);

		if (store->failed == DIAG_OK)
			fn(arg, index_id, url);
	}
	db_done(stmt);
}
