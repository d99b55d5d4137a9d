/* Decoding a single block of a segment. */
#include "store/one_block.h"

#include <stdlib.h>

#include "store/db.h"
#include "store/segment/block.h"

static struct slice
pull_once(void *arg)
{
	struct one_block *block = arg;
	struct slice all = block->rest;

	block->rest = slice_make(NULL, 0);
	return all;
}

static void
no_block(struct store *store, int64_t id)
{
	struct sqlite3_stmt *stmt = db_use_id(
	    store, SQL_DOCUMENT_URL, id >> BLOCK_ID_SHIFT);
	char *url = NULL;

	if (db_row(store, stmt))
		url = slice_dup(db_text(stmt, 0));
	db_done(stmt);
	db_damaged(store, NULL,
	    "segment %lld: block %lld of '%s' cannot be decoded", (long long)id,
	    (long long)(id & (BLOCKS_MAX - 1)), url == NULL ? "" : url);
	free(url);
}

bool
one_block_open(struct one_block *block, struct store *store, int64_t id)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_SEGMENT_GET);
	bool is_there;

	if (block->reader == NULL) {
		buf_init(&block->data, BLOCK_MAX_BYTES);
		block->reader = block_reader_new(pull_once, block);
	}
	buf_clear(&block->data);
	db_bind_int(stmt, 1, id);
	is_there = db_row(store, stmt) &&
	    buf_put_slice(&block->data, db_blob(stmt, 0));
	db_done(stmt);
	if (!is_there || block->data.len == 0) {
		no_block(store, id);
		return false;
	}
	block_reader_reset(block->reader);
	block->rest = buf_text(&block->data);
	block->id = id;
	return true;
}

void
one_block_close(struct one_block *block, struct store *store)
{
	if (block_reader_damaged(block->reader))
		no_block(store, block->id);
}

void
one_block_release(struct one_block *block)
{
	block_reader_free(block->reader);
	buf_release(&block->data);
	*block = (struct one_block){0};
}
