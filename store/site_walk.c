/* A walk over what the documents of a site list, window by window. */
#include "store/site_walk.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/one_block.h"
#include "store/segment/reading.h"

/* How many URLs of the block index are sampled to find where windows end.  With
 * so many, windows have their intended size to within some percent. */
#define SAMPLE 4096
#define BLOCK_WORK 100 /* microseconds that decoding a block costs */

struct site_walk {
	struct store *store;
	int64_t site_id;
	uint64_t entries; /* the entries of the site, with the missed ones */
	/* Owned, with its URLs: ends[i] is the first URL behind window i.  The
	 * last window has no end. */
	char **ends;
	size_t windows; /* how many windows there are */
	size_t at; /* the number of the current window, from 1 */
	struct sqlite3_stmt *block_indexes; /* NULL: outside of a window */
	bool has_block;
	bool has_urls_only; /* see site_walk_urls_only() */
	/* Which entries of the block's document are pages, not children. */
	bool takes_listed, takes_missed;
	struct one_block
	    block; /* owned; the current one, if has_block is true */
	uint64_t work;
};

static void
count(struct site_walk *walk, uint64_t *blocks)
{
	struct sqlite3_stmt *stmt = db_use(walk->store, SQL_SITE_BLOCKS);

	*blocks = 0;
	db_bind_int(stmt, 1, walk->site_id);
	if (db_row(walk->store, stmt)) {
		walk->entries = db_count(walk->store, stmt, 0);
		*blocks = db_count(walk->store, stmt, 1);
	}
	db_done(stmt);
}

static int
by_url(const void *a, const void *b)
{
	const char *const *one = a, *const *other = b;

	return slice_order(slice_of(*one), slice_of(*other));
}

struct site_walk *
site_walk_new(struct store *store, int64_t site_id, uint64_t entries)
{
	struct site_walk *walk = mem_zero(sizeof(*walk));
	uint64_t blocks;

	*walk = (struct site_walk){
	    .store = store, .site_id = site_id, .windows = 1};
	count(walk, &blocks);
	if (walk->entries > entries) {
		/* Find the ends of the windows. */
		size_t windows = (size_t)(walk->entries / entries + 1);
		char **urls = mem_alloc(SAMPLE * sizeof(*urls));
		/* Windows end at the first URLs of some blocks, which are
		 * spread over the whole site. */
		struct sqlite3_stmt *stmt = db_loop_id(
		    walk->store, SQL_SITE_BLOCK_INDEXES, walk->site_id);
		uint64_t stride = blocks / SAMPLE + 1;
		size_t samples = 0;

		db_bind_text(stmt, 2, slice_of(""));
		for (uint64_t i = 0;
		     samples < SAMPLE && db_row(walk->store, stmt); i++)
			if (i % stride == 0)
				urls[samples++] = slice_dup(db_text(stmt, 1));
		db_done(stmt);
		qsort(urls, samples, sizeof(*urls), by_url);

		if (windows > samples)
			windows = samples > 0 ? samples : 1;
		walk->ends = mem_zero(windows * sizeof(*walk->ends));
		for (size_t i = 1; i < windows; i++)
			walk->ends[i - 1] = mem_copy(
			    urls[i * samples / windows]);
		walk->windows = windows;
		for (size_t i = 0; i < samples; i++)
			free(urls[i]);
		free(urls);
	}
	return walk;
}

static void
end_window(struct site_walk *walk)
{
	if (walk->has_block)
		one_block_close(&walk->block, walk->store);
	walk->has_block = false;
	if (walk->block_indexes != NULL)
		db_done(walk->block_indexes);
	walk->block_indexes = NULL;
}

void
site_walk_free(struct site_walk *walk)
{
	if (walk == NULL)
		return;
	end_window(walk);
	for (size_t i = 0; walk->ends != NULL && i + 1 < walk->windows; i++)
		free(walk->ends[i]);
	free(walk->ends);
	one_block_release(&walk->block);
	free(walk);
}

void
site_walk_urls_only(struct site_walk *walk)
{
	walk->has_urls_only = true;
}

bool
site_walk_window(struct site_walk *walk)
{
	end_window(walk);
	if (walk->at == walk->windows || walk->entries == 0)
		return false;
	walk->at++;
	walk->block_indexes = db_loop(walk->store, SQL_SITE_BLOCK_INDEXES);
	db_bind_int(walk->block_indexes, 1, walk->site_id);
	db_bind_text(walk->block_indexes, 2, slice_of(""));
	return true;
}

void
site_walk_skip(struct site_walk *walk, struct slice url)
{
	while (walk->at + 1 < walk->windows &&
	    slice_order(slice_of(walk->ends[walk->at]), url) <= 0)
		walk->at++;
}

static bool
is_below(const struct site_walk *walk, struct slice url)
{
	return walk->at > 1 &&
	    slice_order(url, slice_of(walk->ends[walk->at - 2])) < 0;
}

static bool
is_above(const struct site_walk *walk, struct slice url)
{
	return walk->at < walk->windows &&
	    slice_order(url, slice_of(walk->ends[walk->at - 1])) >= 0;
}

/* Open the next block that reaches into the window; false if there is none. */
static bool
next_block(struct site_walk *walk)
{
	struct sqlite3_stmt *stmt = walk->block_indexes;

	if (walk->has_block)
		one_block_close(&walk->block, walk->store);
	walk->has_block = false;
	while (db_row(walk->store, stmt)) {
		bool is_index = document_kind_find(db_text(stmt, 3)) ==
		    KIND_INDEX;

		walk->work++;
		/* Rows of the first schema have no last URL. */
		if (is_above(walk, db_text(stmt, 1)) ||
		    (!db_is_null(stmt, 2) && is_below(walk, db_text(stmt, 2))))
			continue;
		walk->takes_listed = !is_index;
		walk->takes_missed = db_int(stmt, 4) != 0;
		walk->work += BLOCK_WORK;
		walk->has_block = one_block_open(
		    &walk->block, walk->store, db_id(walk->store, stmt, 0));
		/* All entries of the document are listed and accepted. */
		if (walk->has_block && walk->has_urls_only &&
		    db_int(stmt, 6) == 0)
			block_reader_urls_only(walk->block.reader);
		return walk->has_block;
	}
	return false;
}

bool
site_walk_next(
    struct site_walk *walk, int64_t *document_id, struct entry *entry)
{
	if (walk->block_indexes == NULL)
		return false;
	for (;;) {
		bool is_wanted;

		if (!walk->has_block ||
		    !block_next(walk->block.reader, entry) ||
		    is_above(walk, entry->url)) {
			if (next_block(walk))
				continue;
			end_window(walk);
			return false;
		}
		is_wanted = entry->missed > 0 ? walk->takes_missed
					      : walk->takes_listed;
		if (is_wanted && !is_below(walk, entry->url))
			break;
	}
	*document_id = walk->block.id >> BLOCK_ID_SHIFT;
	return true;
}

uint64_t
site_walk_work(const struct site_walk *walk)
{
	return walk->work;
}
