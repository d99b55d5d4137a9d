/* Pages: their rows, their state and their leases. */
#include "store/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "store/db.h"

struct page_memory {
	bool has_hash_key;
	uint64_t hash_key; /* valid if has_hash_key */
	struct buf bytes; /* the texts of the latest store_page_get */
};

struct page_memory *
page_memory_new(void)
{
	struct page_memory *memory = mem_zero(sizeof(*memory));

	buf_init(&memory->bytes, SIZE_MAX);
	return memory;
}

void
page_memory_free(struct page_memory *memory)
{
	if (memory == NULL)
		return;
	buf_release(&memory->bytes);
	free(memory);
}

void
page_memory_forget_key(struct page_memory *memory)
{
	memory->has_hash_key = false;
}

uint64_t
store_hash_key(struct store *store)
{
	struct page_memory *memory = store->page_memory;
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

uint64_t
store_page_key(struct store *store, struct slice url)
{
	return hash_key(url, store_hash_key(store));
}

static int64_t
find(struct store *store, uint64_t key, struct slice url)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_PAGE_FIND);
	int64_t id = 0;

	db_bind_int(stmt, 1, (int64_t)key);
	while (id == 0 && db_row(store, stmt))
		if (slice_equal(db_text(stmt, 1), url))
			id = db_id(store, stmt, 0);
	db_done(stmt);
	return id;
}

int64_t
store_page_find(struct store *store, struct slice url)
{
	return find(store, store_page_key(store, url), url);
}

int64_t
store_page_add(struct store *store, int64_t document_id, struct slice url)
{
	uint64_t key = store_page_key(store, url);
	int64_t id = find(store, key, url);
	struct sqlite3_stmt *stmt;

	if (id != 0)
		return id;
	stmt = db_use(store, SQL_PAGE_MAKE);
	db_bind_int(stmt, 1, (int64_t)key);
	db_bind_int(stmt, 2, document_id);
	db_bind_text(stmt, 3, url);
	if (!db_write(store, stmt))
		return 0;
	id = db_last_id(store);
	stmt = db_use(store, SQL_STATE_MAKE);
	db_bind_int(stmt, 1, id);
	return db_write(store, stmt) ? id : 0;
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
	    .has_lastmod = !db_is_null(stmt, 4),
	    .lastmod_s = db_time(store, stmt, 4),
	    .is_day = db_int(stmt, 5) != 0,
	    .is_listed = db_int(stmt, 6) != 0,
	    .fetched_s = db_time(store, stmt, 7),
	    .status = (int)db_int(stmt, 8),
	    .has_hash = !db_is_null(stmt, 9),
	    .hash = (uint64_t)db_int(stmt, 9),
	    .etag = db_line(store, stmt, 10),
	    .last_modified = db_line(store, stmt, 11),
	    .done = db_small(store, stmt, 12),
	    .learned = db_blob(stmt, 13),
	    .leases = db_small(store, stmt, 14),
	    .lease_until_s = db_time(store, stmt, 15),
	    .lease_asked_s = db_time(store, stmt, 16),
	    .unfit = db_small(store, stmt, 17),
	};

	row.has_lease = row.lease_until_s > 0 && row.leases > row.done;
	return row;
}

/* Copy a text into bytes that the next store_page_get overwrites. */
static void
keep(struct buf *bytes, struct slice *text)
{
	size_t at = bytes->len;

	(void)buf_put_slice(bytes, *text);
	text->p = bytes->p + at;
}

bool
store_page_get(struct store *store, int64_t id, struct page_row *row)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_PAGE_GET);
	struct buf *bytes = &store->page_memory->bytes;

	db_bind_int(stmt, 1, id);
	bool is_there = db_row(store, stmt);
	if (is_there) {
		*row = page_row(store, stmt);
		is_there = store->failed == DIAG_OK;
	}
	if (is_there) {
		buf_clear(bytes);
		(void)buf_reserve(bytes,
		    row->url.len + row->etag.len + row->last_modified.len +
			row->learned.len + 1);
		keep(bytes, &row->url);
		keep(bytes, &row->etag);
		keep(bytes, &row->last_modified);
		keep(bytes, &row->learned);
	}
	db_done(stmt);
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
	db_done(stmt);
}

void
store_page_learned(struct store *store, int64_t id, struct slice learned)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_STATE_LEARNED);

	db_bind_int(stmt, 1, id);
	if (learned.len > 0)
		db_bind_blob(stmt, 2, learned);
	(void)db_write(store, stmt);
}

void
store_page_weight(struct store *store, int64_t id, float weight)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_STATE_WEIGHT);

	db_bind_int(stmt, 1, id);
	db_bind_real(stmt, 2, (double)weight);
	(void)db_write(store, stmt);
}

void
store_page_set_document(struct store *store, int64_t id, int64_t document_id)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_PAGE_SET_DOCUMENT);

	db_bind_int(stmt, 1, id);
	db_bind_int(stmt, 2, document_id);
	(void)db_write(store, stmt);
}

void
store_page_listing(
    struct store *store, int64_t id, const struct page_listing *told)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_STATE_LISTING);

	db_bind_int(stmt, 1, id);
	if (told->has_lastmod)
		db_bind_int(stmt, 2, told->lastmod_s);
	db_bind_int(stmt, 3, told->has_lastmod && told->is_day);
	db_bind_int(stmt, 4, told->is_listed);
	(void)db_write(store, stmt);
}

bool
store_lease(struct store *store, int64_t page_id, uint32_t number,
    int64_t now_s, int64_t until_s)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_LEASE_GIVE);

	db_bind_int(stmt, 1, page_id);
	db_bind_int(stmt, 2, number);
	db_bind_int(stmt, 3, now_s);
	db_bind_int(stmt, 4, until_s);
	return db_write(store, stmt);
}

void
store_lease_end(struct store *store, int64_t page_id)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_LEASE_END);

	db_bind_int(stmt, 1, page_id);
	(void)db_write(store, stmt);
}
