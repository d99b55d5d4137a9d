/* Lists of sites and documents. */
#include "store/document_list.h"

#include "store/db.h"

/* The current row, borrowed. */
static struct document_list_row
row_of(struct store *store, struct sqlite3_stmt *stmt)
{
	return (struct document_list_row){.id = db_id(store, stmt, 0),
	    .site_id = db_id(store, stmt, 1),
	    .parent_id = db_id(store, stmt, 2),
	    .url = db_whole_url(store, stmt, 3),
	    .kind = document_kind_find(db_text(stmt, 4)),
	    .last_read_s = db_time(store, stmt, 5),
	    .entries = db_count(store, stmt, 6),
	    .dated = db_count(store, stmt, 7),
	    .refused = db_count(store, stmt, 8),
	    .owed_s = db_time(store, stmt, 9)};
}

void
store_each_site(struct store *store, store_site_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_SITE_EACH);

	while (db_row(store, stmt)) {
		int64_t id = db_id(store, stmt, 0);
		struct slice host = db_url(store, stmt, 1);

		if (store->failed == DIAG_OK)
			fn(arg, id, host);
	}
	db_done(stmt);
}

void
store_each_found(struct store *store, store_found_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_FOUND_EACH);

	while (db_row(store, stmt))
		fn(arg, db_int(stmt, 0));
	db_done(stmt);
}

static void
each(struct store *store, struct sqlite3_stmt *stmt, store_document_list_fn *fn,
    void *arg)
{
	while (db_row(store, stmt)) {
		struct document_list_row row = row_of(store, stmt);

		if (store->failed == DIAG_OK)
			fn(arg, &row);
	}
	db_done(stmt);
}

void
store_each_document_list(
    struct store *store, store_document_list_fn *fn, void *arg)
{
	each(store, db_loop(store, SQL_DOCUMENT_LIST_EACH), fn, arg);
}

void
store_each_document_list_of(
    struct store *store, int64_t site_id, store_document_list_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_id(
	    store, SQL_DOCUMENT_LIST_OF, site_id);

	each(store, stmt, fn, arg);
}

void
store_each_untried(
    struct store *store, int64_t site_id, store_document_list_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_id(
	    store, SQL_DOCUMENT_LIST_UNTRIED, site_id);

	each(store, stmt, fn, arg);
}

bool
store_is_found(struct store *store, int64_t site_id)
{
	return db_has(store, db_use_id(store, SQL_FOUND_OF, site_id));
}

bool
store_document_list(struct store *store, int64_t id,
    struct document_list_row *row, struct buf *url)
{
	struct sqlite3_stmt *stmt = db_use_id(store, SQL_DOCUMENT_LIST_GET, id);
	bool is_there = db_row(store, stmt);
	if (is_there) {
		*row = row_of(store, stmt);
		is_there = store->failed == DIAG_OK;
	}
	if (is_there) {
		buf_clear(url);
		(void)buf_put_slice(url, row->url);
		row->url = buf_text(url);
	}
	db_done(stmt);
	return is_there;
}

bool
store_site_host(struct store *store, int64_t site_id, struct buf *host)
{
	struct sqlite3_stmt *stmt = db_use_id(store, SQL_SITE_HOST, site_id);
	bool is_there = db_row(store, stmt) && db_url(store, stmt, 0).len > 0;
	if (is_there)
		(void)buf_put_slice(host, db_text(stmt, 0));
	db_done(stmt);
	return is_there;
}
