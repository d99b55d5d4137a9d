/* A cursor over a segment or a delta. */
#include "store/block_cursor.h"

#include <sqlite3ext.h>

#include "store/db.h"

SQLITE_EXTENSION_INIT3

static void
fail(struct block_cursor *cursor, int code)
{
	if (cursor->code == SQLITE_OK)
		cursor->code = code;
}

static void
prepare(struct block_cursor *cursor, struct sqlite3 *db, const char *sql,
    struct sqlite3_stmt **stmt)
{
	int code = sqlite3_prepare_v3(
	    db, sql, -1, SQLITE_PREPARE_PERSISTENT, stmt, NULL);

	if (code != SQLITE_OK)
		fail(cursor, code);
}

/* Step to the row of a block; the caller resets the statement. */
static bool
row(struct block_cursor *cursor, struct sqlite3_stmt *stmt, uint32_t block)
{
	int code = cursor->code;

	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(stmt, 1, cursor->first_id + block);
	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	if (code == SQLITE_ROW)
		return true;
	/* If a block is missing, the store is damaged. */
	fail(cursor, code == SQLITE_DONE ? SQLITE_CORRUPT_VTAB : code);
	return false;
}

/* A block_pull_fn. */
static struct slice
pull(void *arg)
{
	struct block_cursor *cursor = arg;
	struct slice bytes = slice_make(NULL, 0);

	if (cursor->next >= cursor->blocks)
		return bytes;
	buf_clear(&cursor->bytes);
	if (row(cursor, cursor->data, cursor->next)) {
		const void *p = sqlite3_column_blob(cursor->data, 0);
		int len = sqlite3_column_bytes(cursor->data, 0);

		(void)buf_put(&cursor->bytes, p, (size_t)len);
	}
	(void)sqlite3_reset(cursor->data);
	/* An empty block must not look like the end. */
	if (cursor->bytes.len == 0)
		(void)buf_put_char(&cursor->bytes, '\0');
	cursor->next++;
	cursor->at = 0;
	(*cursor->read)++;
	return buf_text(&cursor->bytes);
}

static void
init(struct block_cursor *cursor, uint64_t *read)
{
	*cursor = (struct block_cursor){.read = read};
	buf_init(&cursor->bytes, BLOCK_MAX_BYTES);
	cursor->reader = block_reader_new(pull, cursor);
}

void
block_cursor_segments(
    struct block_cursor *cursor, struct sqlite3 *db, uint64_t *read)
{
	init(cursor, read);
	prepare(cursor, db, "SELECT data FROM main.segment WHERE id = ?1",
	    &cursor->data);
	prepare(cursor, db,
	    "SELECT first_url FROM main.block_index WHERE id = ?1",
	    &cursor->first);
	prepare(cursor, db,
	    "SELECT last_url FROM main.block_index WHERE id = ?1",
	    &cursor->last);
}

void
block_cursor_deltas(
    struct block_cursor *cursor, struct sqlite3 *db, uint64_t *read)
{
	init(cursor, read);
	prepare(cursor, db, "SELECT data FROM main.delta WHERE id = ?1",
	    &cursor->data);
}

void
block_cursor_release(struct block_cursor *cursor)
{
	(void)sqlite3_finalize(cursor->data);
	(void)sqlite3_finalize(cursor->first);
	(void)sqlite3_finalize(cursor->last);
	block_reader_free(cursor->reader);
	buf_release(&cursor->bytes);
	*cursor = (struct block_cursor){0};
}

void
block_cursor_open(struct block_cursor *cursor, int64_t owner_id, int64_t blocks)
{
	if (blocks < 0 || blocks > BLOCKS_MAX || owner_id < 0 ||
	    owner_id > INT64_MAX >> BLOCK_ID_SHIFT) {
		fail(cursor, SQLITE_CORRUPT_VTAB);
		return;
	}
	cursor->first_id = owner_id << BLOCK_ID_SHIFT;
	cursor->blocks = (uint32_t)blocks;
	cursor->next = 0;
	block_reader_reset(cursor->reader, false);
}

bool
block_cursor_next(struct block_cursor *cursor, struct entry *entry)
{
	if (cursor->code != SQLITE_OK || !block_next(cursor->reader, entry))
		return false;
	cursor->at++;
	return true;
}

bool
block_cursor_change(struct block_cursor *cursor, struct change *change)
{
	if (cursor->code != SQLITE_OK ||
	    !block_next_change(cursor->reader, change))
		return false;
	cursor->at++;
	return true;
}

/* The first URL of a block, borrowed until `first` is reset; empty: none. */
static struct slice
first_url(struct block_cursor *cursor, uint32_t block)
{
	const void *p;
	int len;

	if (!row(cursor, cursor->first, block))
		return slice_make(NULL, 0);
	p = sqlite3_column_text(cursor->first, 0);
	len = sqlite3_column_bytes(cursor->first, 0);
	return slice_make(p, (size_t)len);
}

/* Is the first URL of a block less than or equal to url? */
static bool
is_from(struct block_cursor *cursor, uint32_t block, struct slice url)
{
	bool is_it = slice_order(first_url(cursor, block), url) <= 0;

	(void)sqlite3_reset(cursor->first);
	return is_it;
}

/* The last block, from the current one on, whose first URL is not greater than
 * url; the current one if there is none. */
static uint32_t
find(struct block_cursor *cursor, struct slice url)
{
	uint32_t low = cursor->next > 0 ? cursor->next - 1 : 0;
	uint32_t high = cursor->blocks;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (is_from(cursor, middle, url))
			low = middle;
		else
			high = middle;
	}
	return low;
}

bool
block_cursor_least(struct block_cursor *cursor, struct buf *url)
{
	buf_clear(url);
	if (cursor->blocks == 0)
		return false;
	bool is_put = buf_put_slice(url, first_url(cursor, 0));
	(void)sqlite3_reset(cursor->first);
	return is_put && cursor->code == SQLITE_OK;
}

void
block_cursor_until(struct block_cursor *cursor, struct slice url)
{
	if (cursor->blocks == 0)
		return;
	cursor->blocks = is_from(cursor, 0, url) ? find(cursor, url) + 1 : 0;
}

bool
block_cursor_seek(
    struct block_cursor *cursor, struct slice url, struct entry *entry)
{
	if (cursor->blocks == 0)
		return false;
	uint32_t block = find(cursor, url);
	if (cursor->next == 0 || block >= cursor->next) {
		/* Is the last URL of a block known, and less than url? */
		bool is_it = false;

		if (cursor->code == SQLITE_OK &&
		    sqlite3_bind_int64(cursor->last, 1,
			cursor->first_id + block) == SQLITE_OK &&
		    sqlite3_step(cursor->last) == SQLITE_ROW &&
		    sqlite3_column_type(cursor->last, 0) == SQLITE_TEXT) {
			const void *p = sqlite3_column_text(cursor->last, 0);
			int len = sqlite3_column_bytes(cursor->last, 0);

			is_it = slice_order(slice_make(p, (size_t)len), url) <
			    0;
		}
		/* A failure of this statement makes the next one fail, too,
		 * which reports it. */
		(void)sqlite3_reset(cursor->last);
		if (is_it)
			block++;
		cursor->next = block;
		block_reader_reset(cursor->reader, false);
	}
	while (block_cursor_next(cursor, entry))
		if (slice_order(entry->url, url) >= 0)
			return true;
	return false;
}

int64_t
block_cursor_place(const struct block_cursor *cursor)
{
	/* `at` goes up to BLOCK_ENTRIES, which is 2^12. */
	return (cursor->first_id + cursor->next - 1) << 13 | cursor->at;
}

int
block_cursor_code(const struct block_cursor *cursor)
{
	if (cursor->code == SQLITE_OK && cursor->reader != NULL &&
	    block_reader_damaged(cursor->reader))
		return SQLITE_CORRUPT_VTAB;
	return cursor->code;
}
