/* Fsck: what is known beside each block of a segment (J8). */
#include "store/fsck/fsck_fence.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store/care.h"
#include "store/db.h"
#include "store/segment/sieve.h"

struct fsck_fence *
fsck_fence_new(struct fsck *fsck)
{
	struct fsck_fence *fence = mem_zero(sizeof(*fence));

	fence->fsck = fsck;
	fence->get = care_statement(fsck->store,
	    "SELECT first_url, last_url, sieve FROM fence WHERE id = ?1");
	buf_init(&fence->first_url, SIZE_MAX);
	buf_init(&fence->last_url, SIZE_MAX);
	buf_init(&fence->sieve, SIEVE_MAX_BYTES);
	return fence;
}

void
fsck_fence_free(struct fsck_fence *fence)
{
	if (fence == NULL)
		return;
	db_drop(fence->get);
	buf_release(&fence->first_url);
	buf_release(&fence->last_url);
	buf_release(&fence->sieve);
	free(fence);
}

void
fsck_fence_begin(struct fsck_fence *fence)
{
	fence->count = 0;
	buf_clear(&fence->first_url);
	buf_clear(&fence->last_url);
	buf_clear(&fence->sieve);
}

void
fsck_fence_add(struct fsck_fence *fence, struct slice url)
{
	assert(fence->count < BLOCK_ENTRIES); /* or it was not decoded */
	if (fence->count == 0)
		(void)buf_put_slice(&fence->first_url, url);
	buf_clear(&fence->last_url);
	(void)buf_put_slice(&fence->last_url, url);
	fence->keys[fence->count++] = sieve_key(url);
}

/* What is wrong with the row at hand, NULL: nothing.  What a store of the
 * first schema never knew may be missing. */
static const char *
row_fault(const struct fsck_fence *fence)
{
	struct sqlite3_stmt *stmt = fence->get;
	struct slice sieve = db_blob(stmt, 2);

	if (!slice_equal(db_text(stmt, 0), buf_text(&fence->first_url)))
		return "its first URL is another";
	if (!db_is_null(stmt, 1) &&
	    !slice_equal(db_text(stmt, 1), buf_text(&fence->last_url)))
		return "its last URL is another";
	if (sieve.len > 0 && !slice_equal(sieve, buf_text(&fence->sieve)))
		return "its sieve is that of other URLs";
	return NULL;
}

static void
repair(struct fsck_fence *fence, int64_t id)
{
	struct store *store = fence->fsck->store;
	struct sqlite3_stmt *stmt = care_statement(store,
	    "INSERT OR REPLACE INTO fence (id, first_url, last_url, sieve)"
	    " VALUES (?1, ?2, ?3, ?4)");

	if (stmt == NULL)
		return;
	db_bind_int(stmt, 1, id);
	db_bind_text(stmt, 2, buf_text(&fence->first_url));
	db_bind_text(stmt, 3, buf_text(&fence->last_url));
	db_bind_blob(stmt, 4, buf_text(&fence->sieve));
	(void)db_write(store, stmt);
	db_drop(stmt);
}

void
fsck_fence_check(
    struct fsck_fence *fence, const struct fsck_finding *at, int64_t id)
{
	struct store *store = fence->fsck->store;
	struct fsck_finding finding = *at;
	const char *fault = "there is none";

	if (fence->count == 0 || fence->get == NULL)
		return;
	sieve_make(&fence->sieve, fence->keys, fence->count);
	db_done(fence->get);
	db_bind_int(fence->get, 1, id);
	if (db_row(store, fence->get))
		fault = row_fault(fence);
	db_done(fence->get);
	if (fault == NULL || store->failed != DIAG_OK)
		return;
	finding.invariant = 8;
	finding.table = "fence";
	finding.is_repaired = fence->fsck->options->repairs;
	fsck_say(fence->fsck, &finding, "of its block %lld: %s",
	    (long long)(id & (BLOCKS_MAX - 1)), fault);
	if (!finding.is_repaired)
		return;
	fsck_mend(fence->fsck);
	repair(fence, id);
	fsck_mended(fence->fsck);
}
