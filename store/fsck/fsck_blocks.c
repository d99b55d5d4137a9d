/* Fsck: the blocks of a segment or delta, row by row (J5, J8). */
#include "store/fsck/fsck_blocks.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/segment/bloom.h"

/* The row of the block index that belongs to a block, as it must be. */
struct fsck_block_index {
	struct fsck *fsck;
	struct sqlite3_stmt *get; /* owned */
	struct buf first_url; /* of the current block */
	struct buf last_url;
	struct buf bloom;
	uint64_t keys[BLOCK_ENTRIES];
	uint32_t count; /* of its entries */
};

static struct fsck_block_index *
index_new(struct fsck *fsck)
{
	struct fsck_block_index *block_index = mem_zero(sizeof(*block_index));

	block_index->fsck = fsck;
	block_index->get = db_make(fsck->store,
	    "SELECT first_url, last_url, bloom FROM block_index WHERE id = ?1");
	buf_init(&block_index->first_url, SIZE_MAX);
	buf_init(&block_index->last_url, SIZE_MAX);
	buf_init(&block_index->bloom, BLOOM_MAX_BYTES);
	return block_index;
}

static void
index_free(struct fsck_block_index *block_index)
{
	if (block_index == NULL)
		return;
	db_drop(block_index->get);
	buf_release(&block_index->first_url);
	buf_release(&block_index->last_url);
	buf_release(&block_index->bloom);
	free(block_index);
}

static void
index_begin(struct fsck_block_index *block_index)
{
	block_index->count = 0;
	buf_clear(&block_index->first_url);
	buf_clear(&block_index->last_url);
	buf_clear(&block_index->bloom);
}

static void
index_add(struct fsck_block_index *block_index, struct slice url)
{
	assert(block_index->count < BLOCK_ENTRIES); /* as the decoder checks */
	if (block_index->count == 0)
		(void)buf_put_slice(&block_index->first_url, url);
	buf_clear(&block_index->last_url);
	(void)buf_put_slice(&block_index->last_url, url);
	block_index->keys[block_index->count++] = bloom_key(url);
}

/* What is wrong with the current row; NULL: nothing.  Rows from a store of the
 * first schema have no last_url and no filter. */
static const char *
row_fault(const struct fsck_block_index *block_index)
{
	struct sqlite3_stmt *stmt = block_index->get;
	struct slice bloom = db_blob(stmt, 2);

	if (!slice_equal(db_text(stmt, 0), buf_text(&block_index->first_url)))
		return "its first URL is another";
	if (!db_is_null(stmt, 1) &&
	    !slice_equal(db_text(stmt, 1), buf_text(&block_index->last_url)))
		return "its last URL is another";
	if (bloom.len > 0 && !slice_equal(bloom, buf_text(&block_index->bloom)))
		return "its Bloom filter is that of other URLs";
	return NULL;
}

static void
index_repair(struct fsck_block_index *block_index, int64_t id)
{
	struct store *store = block_index->fsck->store;
	struct sqlite3_stmt *stmt = db_make(store,
	    "INSERT OR REPLACE INTO block_index (id, first_url, last_url, "
	    "bloom)"
	    " VALUES (?1, ?2, ?3, ?4)");

	if (stmt == NULL)
		return;
	db_bind_int(stmt, 1, id);
	db_bind_text(stmt, 2, buf_text(&block_index->first_url));
	db_bind_text(stmt, 3, buf_text(&block_index->last_url));
	db_bind_blob(stmt, 4, buf_text(&block_index->bloom));
	(void)db_write(store, stmt);
	db_drop(stmt);
}

static void
index_check(struct fsck_block_index *block_index, const struct fsck_finding *at,
    int64_t id)
{
	struct store *store = block_index->fsck->store;
	struct fsck_finding finding = *at;
	const char *fault = "there is none";

	if (block_index->count == 0 || block_index->get == NULL)
		return;
	bloom_make(&block_index->bloom, block_index->keys, block_index->count);
	db_done(block_index->get);
	db_bind_int(block_index->get, 1, id);
	if (db_row(store, block_index->get))
		fault = row_fault(block_index);
	db_done(block_index->get);
	if (fault == NULL || store->failed != DIAG_OK)
		return;
	finding.invariant = 8;
	finding.table = "block_index";
	finding.is_repaired = block_index->fsck->options->repairs;
	fsck_say(block_index->fsck, &finding, "of its block %lld: %s",
	    (long long)(id & (BLOCKS_MAX - 1)), fault);
	if (!finding.is_repaired)
		return;
	fsck_mend(block_index->fsck);
	index_repair(block_index, id);
	fsck_mended(block_index->fsck);
}

static const char each_segment[] =
    "SELECT id, count, data FROM segment"
    " WHERE id >= ?1 AND id <= ?2 ORDER BY id LIMIT 1";
static const char each_delta[] =
    "SELECT id, count, data FROM delta"
    " WHERE id >= ?1 AND id <= ?2 ORDER BY id LIMIT 1";
static const char segment_repair[] =
    "UPDATE segment SET count = ?2 WHERE id = ?1";
static const char delta_repair[] = "UPDATE delta SET count = ?2 WHERE id = ?1";

void
fsck_blocks_open(struct fsck_blocks *blocks, struct fsck *fsck, bool is_segment)
{
	*blocks = (struct fsck_blocks){
	    .fsck = fsck,
	    .at = {.table = is_segment ? "segment" : "delta"},
	    .next = db_make(
		fsck->store, is_segment ? each_segment : each_delta),
	};
	if (is_segment)
		blocks->block_index = index_new(fsck);
	buf_init(&blocks->data, BLOCK_MAX_BYTES);
}

void
fsck_blocks_close(struct fsck_blocks *blocks)
{
	block_reader_free(blocks->reader);
	index_free(blocks->block_index);
	db_drop(blocks->next);
	buf_release(&blocks->data);
}

static bool
is_segment(const struct fsck_blocks *blocks)
{
	return blocks->block_index != NULL;
}

static struct fsck_finding
at_block(const struct fsck_blocks *blocks, unsigned invariant)
{
	struct fsck_finding at = blocks->at;

	at.invariant = invariant;
	return at;
}

static void
repair_row(struct fsck_blocks *blocks)
{
	struct store *store = blocks->fsck->store;
	struct sqlite3_stmt *stmt = db_make(
	    store, is_segment(blocks) ? segment_repair : delta_repair);

	if (stmt == NULL)
		return;
	db_bind_int(stmt, 1, blocks->first_id + blocks->rows - 1);
	db_bind_int(stmt, 2, blocks->decoded);
	(void)db_write(store, stmt);
	db_drop(stmt);
}

/* The current row was decoded to its end: is its count right? */
static void
finish_row(struct fsck_blocks *blocks)
{
	struct fsck_finding at = at_block(blocks, 8);

	if (blocks->rows == 0 || blocks->is_broken)
		return;
	if (blocks->block_index != NULL)
		index_check(blocks->block_index, &blocks->at,
		    blocks->first_id + blocks->rows - 1);
	if (blocks->claimed == blocks->decoded)
		return;
	at.is_repaired = blocks->fsck->options->repairs;
	fsck_say(blocks->fsck, &at,
	    "block %u says that it holds %lld, it holds %u", blocks->rows - 1,
	    (long long)blocks->claimed, blocks->decoded);
	if (!at.is_repaired)
		return;
	fsck_mend(blocks->fsck);
	repair_row(blocks);
	fsck_mended(blocks->fsck);
}

static bool
take_row(struct fsck_blocks *blocks)
{
	struct sqlite3_stmt *stmt = blocks->next;
	struct fsck_finding at = at_block(blocks, 5);
	int64_t due = blocks->first_id + blocks->rows;

	if (db_int(stmt, 0) != due) {
		fsck_lose(blocks->fsck, &at, &blocks->loss,
		    "block %u is missing", blocks->rows);
		blocks->is_broken = true;
		return false;
	}
	blocks->rows++;
	blocks->claimed = db_int(stmt, 1);
	buf_clear(&blocks->data);
	/* A block that is too long, or empty, must not look like the end. */
	if (!buf_put_slice(&blocks->data, db_blob(stmt, 2)) ||
	    blocks->data.len == 0) {
		buf_clear(&blocks->data);
		(void)buf_put_char(&blocks->data, '\0');
	}
	return true;
}

static struct slice
pull(void *arg)
{
	struct fsck_blocks *blocks = arg;
	struct store *store = blocks->fsck->store;
	struct sqlite3_stmt *stmt = blocks->next;
	bool is_there;

	finish_row(blocks);
	blocks->decoded = 0;
	if (blocks->block_index != NULL)
		index_begin(blocks->block_index);
	if (stmt == NULL)
		return slice_make(NULL, 0);
	db_bind_int(stmt, 1, blocks->first_id + blocks->rows);
	db_bind_int(stmt, 2, blocks->first_id | (BLOCKS_MAX - 1));
	is_there = db_row(store, stmt) && take_row(blocks);
	db_done(stmt);
	return is_there ? buf_text(&blocks->data) : slice_make(NULL, 0);
}

void
fsck_blocks_begin(struct fsck_blocks *blocks, int64_t owner_id,
    int64_t document_id, struct slice where)
{
	block_reader_free(blocks->reader);
	blocks->reader = block_reader_new(pull, blocks);
	blocks->at.id = owner_id;
	blocks->loss = (struct fsck_loss){.document_id = document_id};
	blocks->at.where = where;
	blocks->first_id = BLOCK_ID(owner_id);
	blocks->rows = 0;
	blocks->is_broken = false;
}

/* Count a decoded entry or change, or report the reason for the end. */
static bool
count_one(struct fsck_blocks *blocks, bool is_there, struct slice url)
{
	struct fsck_finding at = at_block(blocks, 5);

	if (is_there) {
		blocks->decoded++;
		if (blocks->block_index != NULL)
			index_add(blocks->block_index, url);
		return true;
	}
	if (block_reader_damaged(blocks->reader)) {
		blocks->is_broken = true;
		fsck_lose(blocks->fsck, &at, &blocks->loss,
		    "block %u cannot be decoded, or is not in order",
		    blocks->rows - 1);
	}
	if (blocks->fsck->store->failed != DIAG_OK)
		blocks->is_broken = true;
	(void)fsck_ended(blocks->fsck, blocks->at.table);
	return false;
}

bool
fsck_blocks_entry(struct fsck_blocks *blocks, struct entry *entry)
{
	bool is_there = block_next(blocks->reader, entry);

	return count_one(blocks, is_there, entry->url);
}

bool
fsck_blocks_change(struct fsck_blocks *blocks, struct change *change)
{
	bool is_there = block_next_change(blocks->reader, change);

	return count_one(blocks, is_there, change->url);
}
