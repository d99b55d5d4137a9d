/* The URLs that a site lists, and those that left its windows, each once. */
#include "store/site_list.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "store/db.h"
#include "store/query.h"

/* A walk over what the documents of a site list, window by window. */

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
	bool has_urls_only; /* see site_walk_new() */
	/* Which entries of the block's document are pages, not children. */
	bool takes_listed, takes_missed;
	struct block_source block; /* owned; current, if has_block is true */
	uint64_t work;
};

static const struct sort_key by_text[] = {{.type = SORT_TEXT}, {0}};

struct site_walk *
site_walk_new(
    struct store *store, int64_t site_id, uint64_t entries, bool has_urls_only)
{
	struct site_walk *walk = mem_zero(sizeof(*walk));
	uint64_t counts[2] = {0}; /* of entries and of blocks */

	db_counts(store, db_use_id(store, SQL_SITE_BLOCKS, site_id), 2, counts);
	*walk = (struct site_walk){.store = store,
	    .site_id = site_id,
	    .entries = counts[0],
	    .windows = 1,
	    .has_urls_only = has_urls_only};
	if (walk->entries > entries) {
		/* Find the ends of the windows. */
		size_t windows = (size_t)(walk->entries / entries + 1);
		char **urls = mem_alloc(SAMPLE * sizeof(*urls));
		/* Windows end at the first URLs of some blocks, which are
		 * spread over the whole site. */
		struct sqlite3_stmt *stmt = db_bind(
		    db_loop(walk->store, SQL_SITE_BLOCK_INDEXES),
		    DB_ROW(AS_INT(walk->site_id), AS_STR("")));
		uint64_t stride = counts[1] / SAMPLE + 1;
		size_t samples = 0;

		for (uint64_t i = 0;
		     samples < SAMPLE && db_row(walk->store, stmt); i++)
			if (i % stride == 0)
				urls[samples++] = slice_dup(db_text(stmt, 1));
		db_done(stmt);
		sort_rows(urls, samples, sizeof(*urls), by_text);

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
		one_block_close(&walk->block);
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

bool
site_walk_window(struct site_walk *walk)
{
	end_window(walk);
	if (walk->at == walk->windows || walk->entries == 0)
		return false;
	walk->at++;
	walk->block_indexes = db_bind(
	    db_loop(walk->store, SQL_SITE_BLOCK_INDEXES),
	    DB_ROW(AS_INT(walk->site_id), AS_STR("")));
	return true;
}

/* Where a URL lies: -1 before the current window, 0 in it, 1 behind it. */
static int
window_side(const struct site_walk *walk, struct slice url)
{
	if (walk->at < walk->windows &&
	    slice_order(url, slice_of(walk->ends[walk->at - 1])) >= 0)
		return 1;
	return walk->at > 1 &&
		slice_order(url, slice_of(walk->ends[walk->at - 2])) < 0
	    ? -1
	    : 0;
}

/* Open the next block that reaches into the window; false if there is none. */
static bool
next_block(struct site_walk *walk)
{
	struct sqlite3_stmt *stmt = walk->block_indexes;

	if (walk->has_block)
		one_block_close(&walk->block);
	walk->has_block = false;
	while (db_row(walk->store, stmt)) {
		bool is_index = document_kind_find(db_text(stmt, 3)) ==
		    KIND_INDEX;

		walk->work++;
		/* Rows of the first schema have no last URL. */
		if (window_side(walk, db_text(stmt, 1)) > 0 ||
		    (!db_is_null(stmt, 2) &&
			window_side(walk, db_text(stmt, 2)) < 0))
			continue;
		walk->takes_listed = !is_index;
		walk->takes_missed = db_int(stmt, 4) != 0;
		walk->work += BLOCK_WORK;
		walk->has_block = true;
		one_block_open(
		    &walk->block, walk->store, db_id(walk->store, stmt, 0));
		/* All entries of the document are listed and accepted. */
		if (walk->has_urls_only && db_int(stmt, 6) == 0)
			block_reader_reset(walk->block.reader, true);
		return true;
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
		int side = 1;

		if (walk->has_block && block_next(walk->block.reader, entry))
			side = window_side(walk, entry->url);
		if (side == 0 &&
		    (entry->missed > 0 ? walk->takes_missed
				       : walk->takes_listed))
			break;
		if (side == 1 && !next_block(walk)) {
			end_window(walk);
			return false;
		}
	}
	*document_id = walk->block.first_id >> BLOCK_ID_SHIFT;
	return true;
}

uint64_t
site_walk_work(const struct site_walk *walk)
{
	return walk->work;
}

/* The list. */

/* An entry of one document. */
struct listed_entry {
	struct entry entry;
	/* where the URL of the entry begins in the text of the list */
	size_t at;
	int64_t document_id;
};

struct site_list {
	struct site_walk *walk; /* owned */
	struct buf text; /* the URLs of the window */
	struct listed_entry *items; /* owned; the entries of the window */
	size_t count, cap;
	size_t next; /* item that site_list_next() returns next */
	char *after; /* owned; only URLs after this one come; empty: all */
	struct store *store;
	int64_t site_id;
	/* Owned; the next page that left a window, which may be listed; NULL:
	 * none is left. */
	char *left;
	uint8_t left_verdict;
	char *left_before; /* owned; the one before; NULL: none was */
};

/* Move to the next page that left a window, after that URL. */
static void
next_left(struct site_list *list, struct slice after)
{
	struct store *store = list->store;
	struct sqlite3_stmt *stmt = db_bind(db_loop(store, SQL_LEFT_EACH),
	    DB_ROW(AS_INT(list->site_id), AS_TEXT(after)));
	char *before = list->left;

	list->left = NULL;
	if (db_row(store, stmt)) {
		struct slice url = db_whole_url(store, stmt, 0);

		list->left_verdict = (uint8_t)db_int(stmt, 1);
		if (store->failed == DIAG_OK)
			list->left = slice_dup(url);
	}
	db_done(stmt);
	free(list->left_before);
	list->left_before = before;
}

struct site_list *
site_list_new(
    struct store *store, int64_t site_id, struct slice after, uint64_t entries)
{
	struct site_list *list = mem_zero(sizeof(*list));

	list->store = store;
	list->site_id = site_id;
	list->walk = site_walk_new(store, site_id, entries, false);
	/* Leave out the windows that end before the URL. */
	while (list->walk->at + 1 < list->walk->windows &&
	    slice_order(slice_of(list->walk->ends[list->walk->at]), after) <= 0)
		list->walk->at++;
	list->after = slice_dup(after);
	next_left(list, after);
	return list;
}

void
site_list_free(struct site_list *list)
{
	if (list == NULL)
		return;
	site_walk_free(list->walk);
	buf_release(&list->text);
	free(list->items);
	free(list->after);
	free(list->left);
	free(list->left_before);
	free(list);
}

/* Of several entries with one URL, the one that says best how the site lists
 * the URL comes first. */
static int
by_url(const void *a, const void *b)
{
	const struct listed_entry *one = a, *other = b;
	int order = slice_order(one->entry.url, other->entry.url);

	/* Most URLs differ. */
	if (order == 0)
		order = (one->entry.missed > 0) - (other->entry.missed > 0);
	if (order == 0 && one->entry.missed == 0)
		order = (one->entry.verdict != VERDICT_ACCEPTED) -
		    (other->entry.verdict != VERDICT_ACCEPTED);
	if (order == 0)
		order = one->document_id < other->document_id ? -1 : 1;
	return order;
}

/* Load the next window that has entries; false if there is none. */
static bool
load(struct site_list *list)
{
	struct listed_entry item;

	list->count = list->next = 0;
	buf_clear(&list->text);
	while (list->count == 0 && site_walk_window(list->walk))
		while (site_walk_next(
		    list->walk, &item.document_id, &item.entry)) {
			if (slice_order(
				item.entry.url, slice_of(list->after)) <= 0)
				continue;
			item.at = list->text.len;
			(void)buf_put_slice(&list->text, item.entry.url);
			*MEM_PUSH(list->items, list->count, list->cap) = item;
		}
	for (size_t i = 0; i < list->count; i++)
		list->items[i].entry.url = slice_make(
		    list->text.p + list->items[i].at,
		    list->items[i].entry.url.len);
	if (list->count == 0)
		return false;
	qsort(list->items, list->count, sizeof(*list->items), by_url);
	return true;
}

bool
site_list_next(
    struct site_list *list, int64_t *document_id, struct entry *entry)
{
	bool has_item = list->next < list->count || load(list);
	int order = !has_item ? 1 : -1;
	struct slice url;

	if (!has_item && list->left == NULL)
		return false;
	if (has_item && list->left != NULL)
		order = slice_order(
		    list->items[list->next].entry.url, slice_of(list->left));
	if (order >= 0)
		next_left(list, slice_of(list->left));
	if (order > 0) {
		*document_id = 0;
		*entry = (struct entry){.url = slice_of(list->left_before),
		    .verdict = list->left_verdict};
		return true;
	}
	*document_id = list->items[list->next].document_id;
	*entry = list->items[list->next].entry;
	url = entry->url;
	while (list->next < list->count &&
	    slice_equal(list->items[list->next].entry.url, url))
		list->next++;
	return true;
}
