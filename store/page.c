/* Pages: their rows, their state and their leases. */
#include "store/page.h"

#include <string.h>

#include "base/mem.h"
#include "store/db.h"

void
page_memory_drop(struct page_memory *memory, int64_t id)
{
	struct kept_row *kept = memory->kept == NULL
	    ? NULL
	    : &memory->kept[(uint64_t)id % KEPT_ROWS];

	if (kept != NULL && kept->row.id == id) {
		kept->row.id = 0;
		buf_release(&kept->bytes);
	}
	if (memory->row.id == id)
		memory->row.id = 0;
}

uint64_t
store_hash_key(struct store *store)
{
	struct page_memory *memory = &store->page_memory;
	struct sqlite3_stmt *stmt;

	if (memory->has_hash_key)
		return memory->hash_key;
	stmt = db_use(store, SQL_PAGE_KEY);
	if (db_row(store, stmt)) {
		struct slice key = db_blob(stmt, 0);

		memory->has_hash_key = key.len == sizeof(memory->hash_key);
		if (memory->has_hash_key)
			memcpy(&memory->hash_key, key.p, key.len);
		else
			db_damaged(store, stmt, "hash_key is no key");
	}
	db_done(stmt);
	return memory->hash_key;
}

int64_t
store_page_find(struct store *store, struct slice url)
{
	struct sqlite3_stmt *stmt = db_use_id(store, SQL_PAGE_FIND,
	    (int64_t)hash_key(url, store_hash_key(store)));
	int64_t id = 0;

	while (id == 0 && db_row(store, stmt))
		if (slice_equal(db_text(stmt, 1), url))
			id = db_id(store, stmt, 0);
	db_done(stmt);
	return id;
}

int64_t
store_page_add(struct store *store, int64_t document_id, struct slice url)
{
	int64_t id = store_page_find(store, url);

	if (id != 0)
		return id;
	if (!db_put(store, SQL_PAGE_MAKE,
		DB_ROW(AS_INT(hash_key(url, store_hash_key(store))),
		    AS_INT(document_id), AS_TEXT(url))))
		return 0;
	id = db_last_id(store);
	db_put_id(store, SQL_STATE_MAKE, id);
	return store->failed == DIAG_OK ? id : 0;
}

/* The current row, borrowed from the statement. */
static struct page_row
page_row(struct store *store, struct sqlite3_stmt *stmt)
{
	struct page_row row = {
	    .id = db_id(store, stmt, 0),
	    .document_id = db_id(store, stmt, 1),
	    .url = db_url(store, stmt, 2),
	    .weight = (float)db_real(store, stmt, 3),
	    .lastmod = db_date(stmt, 4),
	    .first_seen_s = db_time(store, stmt, 7),
	    .is_listed = db_int(stmt, 8) != 0,
	    .fetched_s = db_time(store, stmt, 9),
	    .status = (int)db_int(stmt, 10),
	    .has_hash = !db_is_null(stmt, 11),
	    .hash = (uint64_t)db_int(stmt, 11),
	    .etag = db_line(store, stmt, 12),
	    .last_modified = db_line(store, stmt, 13),
	    .done = db_small(store, stmt, 14),
	    .learned = db_blob(stmt, 15),
	    .leases = db_small(store, stmt, 16),
	    .lease_until_s = db_time(store, stmt, 17),
	    .lease_asked_s = db_time(store, stmt, 18),
	    .unfit = db_small(store, stmt, 19),
	};

	row.has_lease = row.lease_until_s > 0 && row.leases > row.done;
	return row;
}

/* Copy the texts of a row into bytes that it borrows from then on. */
static void
keep_texts(struct buf *bytes, struct page_row *row)
{
	struct slice *const texts[] = {
	    &row->url, &row->etag, &row->last_modified, &row->learned};

	buf_clear(bytes);
	(void)buf_reserve(bytes,
	    row->url.len + row->etag.len + row->last_modified.len +
		row->learned.len + 1);
	for (size_t i = 0; i < LENGTH(texts); i++) {
		size_t at = bytes->len;

		(void)buf_put_slice(bytes, *texts[i]);
		texts[i]->p = bytes->p + at;
	}
}

bool
store_page_get(struct store *store, int64_t id, struct page_row *row)
{
	struct page_memory *memory = &store->page_memory;
	const struct kept_row *kept = memory->kept == NULL
	    ? NULL
	    : &memory->kept[(uint64_t)id % KEPT_ROWS];
	bool is_there = kept != NULL && kept->row.id == id && id != 0 &&
	    store->failed == DIAG_OK;

	if (is_there) {
		*row = kept->row;
		keep_texts(&memory->bytes, row);
	} else {
		struct sqlite3_stmt *stmt = db_use_id(store, SQL_PAGE_GET, id);

		is_there = db_row(store, stmt);
		if (is_there)
			*row = page_row(store, stmt);
		is_there = is_there && store->failed == DIAG_OK;
		/* Its texts belong to the statement. */
		if (is_there)
			keep_texts(&memory->bytes, row);
		db_done(stmt);
	}
	memory->row = is_there ? *row : (struct page_row){0};
	return is_there;
}

void
store_each_page(struct store *store, store_page_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_PAGE_EACH);

	while (db_row(store, stmt)) {
		struct page_row row = page_row(store, stmt);

		if (store->failed == DIAG_OK)
			fn(arg, &row);
	}
}

void
store_page_set(struct store *store, int64_t id, const struct page_told *told)
{
	page_memory_drop(&store->page_memory, id);
	if (told->learned != NULL)
		(void)db_put(store, SQL_STATE_LEARNED,
		    DB_ROW(AS_INT(id),
			AS_IF(
			    told->learned->len > 0, AS_BLOB(*told->learned))));
	if (told->weight != NULL)
		(void)db_put(store, SQL_STATE_WEIGHT,
		    DB_ROW(AS_INT(id), AS_REAL((double)*told->weight)));
	if (told->listing != NULL)
		(void)db_put(store, SQL_STATE_LISTING,
		    DB_ROW(AS_INT(id), AS_DATE(&told->listing->lastmod),
			AS_INT(told->listing->is_listed),
			AS_INT(told->listing->first_seen_s)));
	if (told->document_id != 0)
		db_put_ints(store, SQL_PAGE_SET_DOCUMENT, 2,
		    (int64_t[]){id, told->document_id});
}

bool
store_lease(struct store *store, int64_t page_id, uint32_t number,
    int64_t now_s, int64_t until_s)
{
	struct page_row row = store->page_memory.row;

	page_memory_drop(&store->page_memory, page_id);
	if (until_s == 0) {
		db_put_id(store, SQL_LEASE_END, page_id);
		return store->failed == DIAG_OK;
	}
	db_put_ints(store, SQL_LEASE_GIVE, 4,
	    (int64_t[]){page_id, number, now_s, until_s});
	if (store->failed != DIAG_OK)
		return false;
	if (row.id != page_id)
		return true;
	row.leases = number;
	row.lease_asked_s = now_s;
	row.lease_until_s = until_s;
	row.has_lease = until_s > 0 && number > row.done;
	/* Keep the row for its result. */
	struct page_memory *memory = &store->page_memory;

	if (memory->bytes.len >= KEPT_BYTES)
		return true;
	if (memory->kept == NULL) {
		memory->kept = mem_zero(KEPT_ROWS * sizeof(*memory->kept));
		for (size_t i = 0; i < KEPT_ROWS; i++)
			buf_init(&memory->kept[i].bytes, KEPT_BYTES);
	}
	struct kept_row *kept = &memory->kept[(uint64_t)row.id % KEPT_ROWS];
	kept->row = row;
	keep_texts(&kept->bytes, &kept->row);
	return true;
}
