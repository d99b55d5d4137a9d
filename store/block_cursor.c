/* A cursor over a segment or a delta. */
#include "store/block_cursor.h"

#include <sqlite3ext.h>

#include "store/db.h"

SQLITE_EXTENSION_INIT3

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
	if (cursor->code == SQLITE_OK)
		cursor->code = code == SQLITE_DONE ? SQLITE_CORRUPT_VTAB : code;
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

void
block_cursor_init(struct block_cursor *cursor, struct sqlite3 *db,
    bool is_of_deltas, uint64_t *read)
{
	static const char *const texts[] = {
	    "SELECT data FROM main.delta WHERE id = ?1",
	    "SELECT data FROM main.segment WHERE id = ?1",
	    "SELECT first_url FROM main.block_index WHERE id = ?1",
	    "SELECT last_url FROM main.block_index WHERE id = ?1"};
	struct sqlite3_stmt **stmts[] = {
	    &cursor->data, &cursor->data, &cursor->first, &cursor->last};

	*cursor = (struct block_cursor){.read = read};
	buf_init(&cursor->bytes, BLOCK_MAX_BYTES);
	cursor->reader = block_reader_new(pull, cursor);
	for (int i = is_of_deltas ? 0 : 1; i < (is_of_deltas ? 1 : 4); i++) {
		int code = sqlite3_prepare_v3(db, texts[i], -1,
		    SQLITE_PREPARE_PERSISTENT, stmts[i], NULL);

		if (cursor->code == SQLITE_OK)
			cursor->code = code;
	}
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
		if (cursor->code == SQLITE_OK)
			cursor->code = SQLITE_CORRUPT_VTAB;
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

/* The last block, from the current one on, whose first URL is not greater than
 * url; the current one if there is none. */
static uint32_t
find(struct block_cursor *cursor, struct slice url)
{
	uint32_t low = cursor->next > 0 ? cursor->next - 1 : 0;
	uint32_t high = cursor->blocks;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		int order = slice_order(first_url(cursor, middle), url);

		(void)sqlite3_reset(cursor->first);
		if (order <= 0)
			low = middle;
		else
			high = middle;
	}
	return low;
}

bool
block_cursor_narrow(
    struct block_cursor *cursor, const struct slice *until, struct buf *least)
{
	bool is_put;

	buf_clear(least);
	if (cursor->blocks == 0)
		return false;
	is_put = buf_put_slice(least, first_url(cursor, 0));
	(void)sqlite3_reset(cursor->first);
	if (until != NULL && slice_order(buf_text(least), *until) > 0)
		cursor->blocks = 0;
	else if (until != NULL)
		cursor->blocks = find(cursor, *until) + 1;
	return is_put && cursor->blocks > 0 && cursor->code == SQLITE_OK;
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
