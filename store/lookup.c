/* Lookups of URLs: of one, or of many at once. */
#include "store/lookup.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "store/db.h"
#include "store/segment/bloom.h"

void
store_each_listing(
    struct store *store, struct slice url, store_listing_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_bind(
	    db_loop(store, SQL_BLOCK_INDEX_AROUND), DB_ROW(AS_TEXT(url)));
	struct block_source block = {0};
	uint64_t key = bloom_key(url);

	while (db_row(store, stmt))
		if (bloom_passes(db_blob(stmt, 1), key)) {
			int64_t block_id = db_int(stmt, 0);
			struct entry entry;
			int order = -1;

			one_block_open(&block, store, block_id);
			while (order < 0 && block_next(block.reader, &entry))
				order = slice_order(entry.url, url);
			if (order == 0)
				fn(arg, block_id >> BLOCK_ID_SHIFT, &entry);
			one_block_close(&block);
		}
	db_done(stmt);
	one_block_release(&block);
}

/* The kind of the URL's change in the delta of a reading; DELTA_KINDS: none. */
static enum delta_kind
kind_in(struct store *store, int64_t reading_id, struct slice url)
{
	struct block_source *source = block_source_new(
	    store, BLOCKS_OF_DELTA, reading_id);
	struct block_reader *reader = block_source_reader(source);
	struct change change;
	enum delta_kind kind = DELTA_KINDS;
	int order = -1;

	while (order < 0 && block_next_change(reader, &change)) {
		order = slice_order(change.url, url);
		if (order == 0)
			kind = (enum delta_kind)change.kind;
	}
	block_source_close(source, NULL, 0);
	return kind;
}

bool
store_gone(struct store *store, struct slice url, struct slice host,
    struct gone_row *gone)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_READINGS_GONE);
	int64_t document_id = 0, absent_s = 0;
	bool is_found = false;

	db_bind_text(stmt, 1, host);
	while (!is_found && db_row(store, stmt)) {
		enum delta_kind kind;

		gone->reading_id = db_int(stmt, 0);
		kind = kind_in(store, gone->reading_id, url);
		is_found = kind == DELTA_GONE || kind == DELTA_LEFT;
		gone->is_left = kind == DELTA_LEFT;
		if (!is_found)
			continue;
		gone->at_s = db_time(store, stmt, 1);
		gone->document = slice_dup(db_url(store, stmt, 2));
		document_id = db_id(store, stmt, 3);
		absent_s = db_time(store, stmt, 4);
	}
	db_done(stmt);
	/* Find the last whole reading before, unless it was pruned.  A document
	 * that ended may have lacked the URL before. */
	bool goes_on = is_found;

	while (goes_on) {
		stmt = db_use_ints(store, SQL_READING_WHOLE_BEFORE, 3,
		    (int64_t[]){document_id, gone->reading_id,
			absent_s > 0 ? absent_s : gone->at_s});
		goes_on = db_row(store, stmt);
		if (goes_on) {
			gone->reading_id = db_id(store, stmt, 0);
			gone->at_s = db_time(store, stmt, 1);
		}
		db_done(stmt);
		goes_on = goes_on &&
		    kind_in(store, gone->reading_id, url) == DELTA_REMOVED;
	}
	return is_found;
}

int64_t
store_refused_since(struct store *store, int64_t document_id, struct slice url)
{
	struct sqlite3_stmt *stmt = db_loop_id(
	    store, SQL_READINGS_REFUSING, document_id);
	int64_t at_s = 0;

	while (at_s == 0 && db_row(store, stmt))
		if (kind_in(store, db_int(stmt, 0), url) == DELTA_REFUSED)
			at_s = db_time(store, stmt, 1);
	db_done(stmt);
	return at_s;
}

void
store_each_proof(
    struct store *store, struct slice url, store_proof_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_PROOF_LINES);

	db_bind_text(stmt, 1, url);
	while (db_row(store, stmt)) {
		struct slice origin = db_url(store, stmt, 0);

		if (store->failed == DIAG_OK)
			fn(arg, origin, (uint32_t)db_int(stmt, 1));
	}
}

void
store_each_sample(struct store *store, store_sample_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_STANDING_SAMPLES);

	while (db_row(store, stmt)) {
		struct sample_row row = {
		    .document_id = db_int(stmt, 0),
		    .code = db_text(stmt, 1),
		    .line = (uint32_t)db_int(stmt, 2),
		    .text = db_text(stmt, 3),
		};

		fn(arg, &row);
	}
}

int64_t
store_standing(struct store *store, int64_t document_id, struct buf *host)
{
	struct sqlite3_stmt *stmt = db_use_id(
	    store, SQL_DOCUMENT_STANDING, document_id);
	int64_t reading_id = 0;

	if (db_row(store, stmt)) {
		reading_id = db_int(stmt, 0);
		(void)buf_put_slice(host, db_text(stmt, 1));
	}
	db_done(stmt);
	return reading_id;
}

/* URLs as segments and samples of findings hold them. */

/* How many bytes at the end of a cut sample may belong to an incomplete escape
 * or letter. */
#define CUT 8

bool
raw_url_is(struct slice text, const struct url *base, struct slice wanted,
    enum diag_code *code)
{
	struct slice made;
	struct url url = {0};
	bool is_it = false;

	*code = url_parse_raw(&url, text, base);
	made = url_text(&url);
	if (*code == DIAG_OK && text.len >= FINDING_TEXT_MAX && made.len > CUT)
		is_it = slice_starts(
		    wanted, slice_make(made.p, made.len - CUT));
	else if (*code == DIAG_OK)
		is_it = slice_equal(made, wanted);
	url_release(&url);
	return is_it;
}

/* Many URLs at once. */

size_t
url_search_from(const struct url_search *search, struct slice url, int least)
{
	size_t first = 0, last = search->count;

	while (first < last) {
		size_t middle = first + (last - first) / 2;

		if (slice_order(search->items[middle].url, url) < least)
			first = middle + 1;
		else
			last = middle;
	}
	return first;
}

void
url_search_add(struct url_search *search, struct slice url, void *of)
{
	*MEM_PUSH(
	    search->items, search->count, search->cap) = (struct searched_url){
	    .url = url, .key = bloom_key(url), .of = of};
}

void
url_search_release(struct url_search *search)
{
	one_block_release(&search->block);
	free(search->items);
	free(search->passed);
}

uint64_t
url_search_block(struct url_search *search, struct sqlite3_stmt *row)
{
	int64_t id = db_id(search->store, row, 0);
	int64_t document_id = id >> BLOCK_ID_SHIFT;
	size_t first = url_search_from(search, db_text(row, 1), 0);
	/* Rows of the first schema have no last URL. */
	size_t end = db_is_null(row, 2)
	    ? search->count
	    : url_search_from(search, db_text(row, 2), 1);
	size_t count = 0, at = 0;
	struct slice bloom = slice_make(NULL, 0);
	struct sqlite3_stmt *stmt;
	struct entry entry;

	if (first >= end)
		return 1;
	search->passed = mem_grow(search->passed, &search->passed_cap,
	    end - first, sizeof(*search->passed));
	/* The Bloom filter tells which of these URLs the block cannot hold. */
	stmt = db_use_id(search->store, SQL_BLOCK_INDEX_BLOOM, id);
	if (db_row(search->store, stmt))
		bloom = db_blob(stmt, 0);
	for (size_t i = first; i < end; i++)
		if (bloom_passes(bloom, search->items[i].key) &&
		    search->is_wanted(
			search->arg, search->items[i].of, document_id))
			search->passed[count++] = i;
	db_done(stmt);
	if (count == 0)
		return 1 + (end - first) / 64;
	one_block_open(&search->block, search->store, id);
	/* The entries of the block and the URLs that passed are both in order,
	 * so one decoding finds all of them. */
	while (at < count && block_next(search->block.reader, &entry))
		for (; at < count; at++) {
			const struct searched_url
			    *item = &search->items[search->passed[at]];
			int order = slice_order(item->url, entry.url);

			if (order > 0)
				break;
			if (order == 0)
				search->found(
				    search->arg, item->of, document_id, &entry);
		}
	one_block_close(&search->block);
	return LISTED_BLOCK;
}

/* The sitemaps that list URLs. */

struct listed_search {
	/* the URLs that are not found yet, each of a struct listed */
	struct url_search urls;
	int64_t next_id; /* the next row of the block index */
	listed_entry_fn *fn; /* gets all entries; NULL: the rows are filled */
	void *arg;
	uint64_t segments_replaced; /* the number when the search began */
	/* Of the block at hand: its site, and which entries are pages. */
	int64_t site_id;
	bool takes_listed, takes_missed;
};

static const struct sort_key by_url[] = {
    {SORT_KEY(struct searched_url, url)}, {0}};

static bool
listed_is_wanted(void *arg, void *of, int64_t document_id)
{
	(void)arg;
	(void)document_id;
	return ((const struct listed *)of)->document_id == 0;
}

static void
listed_found(
    void *arg, void *of, int64_t document_id, const struct entry *entry)
{
	const struct listed_search *search = arg;
	struct listed *row = of;

	/* Entries of an index are children, and no pages. */
	if (entry->missed > 0 ? !search->takes_missed : !search->takes_listed)
		return;
	if (search->fn != NULL) {
		search->fn(
		    search->arg, row, search->site_id, document_id, entry);
	} else if (entry->verdict == VERDICT_ACCEPTED) {
		row->document_id = document_id;
		row->lastmod = entry->lastmod;
		row->first_seen_s = entry->first_seen_s;
	}
}

struct listed_search *
listed_search_new(struct store *store, struct listed *rows, size_t count,
    listed_entry_fn *fn, void *arg)
{
	struct listed_search *search = mem_zero(sizeof(*search));

	search->fn = fn;
	search->arg = arg;
	search->segments_replaced = store->segments_replaced;
	search->urls = (struct url_search){.store = store,
	    .is_wanted = listed_is_wanted,
	    .found = listed_found,
	    .arg = search};
	for (size_t i = 0; i < count; i++) {
		rows[i] = (struct listed){.url = rows[i].url};
		url_search_add(&search->urls, rows[i].url, &rows[i]);
	}
	sort_rows(
	    search->urls.items, count, sizeof(*search->urls.items), by_url);
	return search;
}

void
listed_search_free(struct listed_search *search)
{
	if (search == NULL)
		return;
	url_search_release(&search->urls);
	free(search);
}

bool
listed_search_holds(const struct listed_search *search)
{
	return search->segments_replaced ==
	    search->urls.store->segments_replaced;
}

bool
listed_search_some(struct listed_search *search, uint32_t block_indexes)
{
	struct url_search *urls = &search->urls;
	struct store *store = urls->store;
	bool is_each = search->fn != NULL;
	struct sqlite3_stmt *stmt = db_loop_id(store,
	    is_each ? SQL_BLOCK_INDEXES_ALL : SQL_BLOCK_INDEXES_FROM,
	    search->next_id);
	uint64_t passed = 0;
	size_t left = 0;

	while (
	    passed < block_indexes && urls->count > 0 && db_row(store, stmt)) {
		search->site_id = is_each ? db_id(store, stmt, 3) : 0;
		search->takes_listed = !is_each || db_int(stmt, 4) != 0;
		search->takes_missed = !is_each || db_int(stmt, 5) != 0;
		passed += url_search_block(urls, stmt);
		search->next_id = (int64_t)((uint64_t)db_int(stmt, 0) + 1);
	}
	db_done(stmt);
	/* URLs that were found need not be searched in later blocks. */
	for (size_t i = 0; i < urls->count; i++)
		if (listed_is_wanted(NULL, urls->items[i].of, 0))
			urls->items[left++] = urls->items[i];
	urls->count = left;
	return passed >= block_indexes && urls->count > 0;
}

/* The search for one URL. */
struct listed_one {
	struct store *store;
	struct listed *row;
};

static void
on_listing(void *arg, int64_t document_id, const struct entry *entry)
{
	const struct listed_one *one = arg;
	struct document_list_row document;

	if (one->row->document_id != 0 || entry->verdict != VERDICT_ACCEPTED)
		return;
	/* What an index or a robots.txt lists are no pages. */
	if (store_document_list(one->store, document_id, &document) &&
	    document.kind != KIND_INDEX && document.kind != KIND_ROBOTS)
		*one->row = (struct listed){.url = one->row->url,
		    .document_id = document_id,
		    .lastmod = entry->lastmod,
		    .first_seen_s = entry->first_seen_s};
}

void
listed_find(struct store *store, struct listed *row)
{
	struct listed_one one = {store, row};

	*row = (struct listed){.url = row->url};
	store_each_listing(store, row->url, on_listing, &one);
}
