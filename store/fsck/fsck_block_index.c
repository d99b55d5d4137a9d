/* Fsck: what is known beside each block of a segment (J8). */
#include "store/fsck/fsck_block_index.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/segment/bloom.h"

struct fsck_block_index *
fsck_block_index_new(struct fsck *fsck)
{
	struct fsck_block_index *block_index = mem_zero(sizeof(*block_index));

	block_index->fsck = fsck;
	block_index->get = db_make(fsck->store,
	    "SELECT first_url, last_url, sieve FROM fence WHERE id = ?1");
	buf_init(&block_index->first_url, SIZE_MAX);
	buf_init(&block_index->last_url, SIZE_MAX);
	buf_init(&block_index->bloom, BLOOM_MAX_BYTES);
	return block_index;
}

void
fsck_block_index_free(struct fsck_block_index *block_index)
{
	if (block_index == NULL)
		return;
	db_drop(block_index->get);
	buf_release(&block_index->first_url);
	buf_release(&block_index->last_url);
	buf_release(&block_index->bloom);
	free(block_index);
}

void
fsck_block_index_begin(struct fsck_block_index *block_index)
{
	block_index->count = 0;
	buf_clear(&block_index->first_url);
	buf_clear(&block_index->last_url);
	buf_clear(&block_index->bloom);
}

void
fsck_block_index_add(struct fsck_block_index *block_index, struct slice url)
{
	assert(block_index->count < BLOCK_ENTRIES); /* or it was not decoded */
	if (block_index->count == 0)
		(void)buf_put_slice(&block_index->first_url, url);
	buf_clear(&block_index->last_url);
	(void)buf_put_slice(&block_index->last_url, url);
	block_index->keys[block_index->count++] = bloom_key(url);
}

/* What is wrong with the row at hand, NULL: nothing.  What a store of the
 * first schema never knew may be missing. */
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
		return "its sieve is that of other URLs";
	return NULL;
}

static void
repair(struct fsck_block_index *block_index, int64_t id)
{
	struct store *store = block_index->fsck->store;
	struct sqlite3_stmt *stmt = db_make(store,
	    "INSERT OR REPLACE INTO fence (id, first_url, last_url, sieve)"
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

void
fsck_block_index_check(struct fsck_block_index *block_index,
    const struct fsck_finding *at, int64_t id)
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
	finding.table = "fence";
	finding.is_repaired = block_index->fsck->options->repairs;
	fsck_say(block_index->fsck, &finding, "of its block %lld: %s",
	    (long long)(id & (BLOCKS_MAX - 1)), fault);
	if (!finding.is_repaired)
		return;
	fsck_mend(block_index->fsck);
	repair(block_index, id);
	fsck_mended(block_index->fsck);
}
