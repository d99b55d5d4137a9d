/*
 * Finding the sitemaps that list URLs.  The URLs are sorted, and the block
 * index is read in the order of documents.  All URLs that lie between the ends
 * of a block, and pass its Bloom filter, are searched in one decoding of the
 * block.
 */
#include "store/listed.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/document.h"
#include "store/lookup.h"
#include "store/query.h"
#include "store/segment/block.h"
#include "store/segment/bloom.h"

struct wanted {
	struct listed *row;
	uint64_t key; /* the key of Bloom filters */
};

struct listed_search {
	struct store *store;
	/* owned: URLs that are not found yet, in order */
	struct wanted *wanted;
	size_t count;
	size_t *passed; /* owned: indices of wanted that a block may hold */
	int64_t next_id; /* the next row of the block index */
	listed_entry_fn *fn; /* gets all entries; NULL: the rows are filled */
	void *arg;
	uint64_t segments_replaced; /* the number when the search began */
	struct one_block block; /* owned */
};

static int
order_of(const void *a, const void *b)
{
	const struct wanted *one = a, *other = b;

	return slice_order(one->row->url, other->row->url);
}

struct listed_search *
listed_search_new(struct store *store, struct listed *rows, size_t count)
{
	struct listed_search *search = mem_zero(sizeof(*search));

	search->store = store;
	search->segments_replaced = store->segments_replaced;
	search->wanted = mem_zero((count + 1) * sizeof(*search->wanted));
	search->passed = mem_zero((count + 1) * sizeof(*search->passed));
	search->count = count;
	for (size_t i = 0; i < count; i++) {
		rows[i].document_id = 0;
		rows[i].lastmod = (struct date){0};
		rows[i].first_seen_s = 0;
		search->wanted[i] = (struct wanted){
		    &rows[i], bloom_key(rows[i].url)};
	}
	qsort(search->wanted, count, sizeof(*search->wanted), order_of);
	return search;
}

struct listed_search *
listed_each_new(struct store *store, struct listed *rows, size_t count,
    listed_entry_fn *fn, void *arg)
{
	struct listed_search *search = listed_search_new(store, rows, count);

	search->fn = fn;
	search->arg = arg;
	return search;
}

void
listed_search_free(struct listed_search *search)
{
	if (search == NULL)
		return;
	one_block_release(&search->block);
	free(search->passed);
	free(search->wanted);
	free(search);
}

bool
listed_search_holds(const struct listed_search *search)
{
	return search->segments_replaced == search->store->segments_replaced;
}

/* The first wanted URL that is not less than url (least is 0), or that is
 * greater than url (1). */
static size_t
first_from(const struct listed_search *search, struct slice url, int least)
{
	size_t first = 0, last = search->count;

	while (first < last) {
		size_t middle = first + (last - first) / 2;

		if (slice_order(search->wanted[middle].row->url, url) < least)
			first = middle + 1;
		else
			last = middle;
	}
	return first;
}

/* Find those of the wanted URLs from first to end that pass the Bloom filter of
 * a block; returns their number. */
static size_t
pass(struct listed_search *search, int64_t id, size_t first, size_t end)
{
	struct sqlite3_stmt *stmt = db_use_id(
	    search->store, SQL_BLOCK_INDEX_BLOOM, id);
	struct slice bloom = slice_make(NULL, 0);
	size_t count = 0;

	if (db_row(search->store, stmt))
		bloom = db_blob(stmt, 0);
	for (size_t i = first; i < end; i++)
		if (search->wanted[i].row->document_id == 0 &&
		    bloom_passes(bloom, search->wanted[i].key))
			search->passed[count++] = i;
	db_done(stmt);
	return count;
}

/* A block of a document, and which of its entries are pages. */
struct listed_block {
	int64_t id, site_id;
	bool takes_listed, takes_missed;
};

/* Compare the entries of a block with the URLs that passed, both in order. */
static void
look_into(struct listed_search *search, const struct listed_block *place,
    size_t count)
{
	struct one_block *block = &search->block;
	struct entry entry;
	size_t at = 0;

	if (!one_block_open(block, search->store, place->id))
		return;
	while (at < count && block_next(block->reader, &entry)) {
		struct listed *row = NULL;
		int order = -1;

		while (at < count) {
			row = search->wanted[search->passed[at]].row;
			order = slice_order(row->url, entry.url);
			if (order > 0)
				break;
			if (order == 0) {
				int64_t document_id = place->id >>
				    BLOCK_ID_SHIFT;

				/* Entries of an index are children, and no
				 * pages. */
				if (entry.missed > 0 ? place->takes_missed
						     : place->takes_listed) {
					if (search->fn != NULL) {
						search->fn(search->arg, row,
						    place->site_id, document_id,
						    &entry);
					} else if (entry.verdict ==
					    VERDICT_ACCEPTED) {
						row->document_id = document_id;
						row->lastmod = entry.lastmod;
						row->first_seen_s =
						    entry.first_seen_s;
					}
				}
			}
			at++;
		}
	}
	one_block_close(block, search->store);
}

bool
listed_search_some(struct listed_search *search, uint32_t block_indexes)
{
	struct sqlite3_stmt *stmt = db_loop(search->store,
	    search->fn != NULL ? SQL_BLOCK_INDEXES_ALL
			       : SQL_BLOCK_INDEXES_FROM);
	uint64_t passed = 0;

	db_bind_int(stmt, 1, search->next_id);
	while (passed < block_indexes && search->count > 0 &&
	    db_row(search->store, stmt)) {
		/* Search the block of the row, if its URLs and its Bloom filter
		 * say that it may hold one that is wanted. */
		bool is_each = search->fn != NULL;
		struct listed_block place = {.id = db_int(stmt, 0),
		    .site_id = is_each ? db_id(search->store, stmt, 3) : 0,
		    .takes_listed = !is_each || db_int(stmt, 4) != 0,
		    .takes_missed = !is_each || db_int(stmt, 5) != 0};
		size_t first = first_from(search, db_text(stmt, 1), 0);
		size_t end = search->count, count = 0;

		/* Rows of the first schema have no last URL. */
		if (!db_is_null(stmt, 2))
			end = first_from(search, db_text(stmt, 2), 1);
		if (first < end)
			count = pass(search, place.id, first, end);
		if (count > 0)
			look_into(search, &place, count);
		passed += count > 0 ? LISTED_BLOCK : 1;
		search->next_id = (int64_t)((uint64_t)db_int(stmt, 0) + 1);
	}
	db_done(stmt);
	/* URLs that were found need not be searched in later blocks. */
	size_t left = 0;

	for (size_t i = 0; i < search->count; i++)
		if (search->wanted[i].row->document_id == 0)
			search->wanted[left++] = search->wanted[i];
	search->count = left;
	return passed >= block_indexes && search->count > 0;
}

/* The search for one URL. */
struct listed_one {
	struct store *store;
	struct listed *row;
};

static bool
is_sitemap(struct store *store, int64_t document_id)
{
	struct document_list_row document;
	struct buf url;
	bool is_one;

	buf_init(&url, SIZE_MAX);
	is_one = store_document_list(store, document_id, &document, &url) &&
	    document.kind != KIND_INDEX && document.kind != KIND_ROBOTS;
	buf_release(&url);
	return is_one;
}

static void
on_listing(void *arg, int64_t document_id, const struct entry *entry)
{
	const struct listed_one *one = arg;

	if (one->row->document_id != 0 || entry->verdict != VERDICT_ACCEPTED ||
	    !is_sitemap(one->store, document_id))
		return;
	one->row->document_id = document_id;
	one->row->lastmod = entry->lastmod;
	one->row->first_seen_s = entry->first_seen_s;
}

void
listed_find(struct store *store, struct listed *row)
{
	struct listed_one one = {store, row};

	row->document_id = 0;
	row->lastmod = (struct date){0};
	row->first_seen_s = 0;
	store_each_listing(store, row->url, on_listing, &one);
}
