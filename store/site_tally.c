/*
 * What a site lists, and which changes are the site's.
 *
 *	changes of its readings, sorted by URL  ->  blocks that may hold them
 *	-> before and now, of each URL  ->  numbers, and bits of each reading
 *
 * Where there are more changes than are to be kept in memory, those of some
 * URLs are taken, then those of others.
 */
#include "store/site_tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "store/db.h"
#include "store/one_block.h"
#include "store/page.h"
#include "store/query.h"
#include "store/segment/bloom.h"
#include "store/site_walk.h"

#define PASS_CHANGES 65536 /* in memory at once */
#define CHANGES_WORK 8 /* read in a microsecond */
#define BLOCK_WORK 150 /* microseconds that one costs */
#define COUNT_ENTRIES 300000 /* that are counted at once: 4 MB */
#define COUNT_LEAST 1024 /* places of the table */

/* A reading, and what of it is the site's. */
struct told {
	int64_t id, document_id;
	unsigned pages;
	uint64_t changes[DELTA_KINDS];
	char *elsewhere; /* owned: bits of its changes */
	size_t elsewhere_len;
};

/* A change that matters. */
struct item {
	char *url; /* owned */
	uint32_t len;
	uint32_t reading; /* of tally.readings */
	uint32_t at; /* in its delta */
	uint8_t kind, verdict;
	bool was_listed;
};

/* How a URL is listed. */
struct standing {
	bool is_listed, is_accepted, is_missing;
};

/* A URL, and the items that are about it. */
struct page {
	size_t first, count;
	uint64_t key; /* of Bloom filters */
	struct standing before, now;
};

/* Hashes of URLs, open addressing; the lowest bit: it is accepted; 0: free. */
struct table {
	uint64_t *places; /* owned */
	size_t size, used; /* size is a power of two */
};

enum stage { STAGE_READ, STAGE_SEEK, STAGE_COUNT, STAGE_OVER };

struct tally {
	struct store *store;
	int64_t site_id, upto_id;
	enum stage stage;
	bool is_counted; /* all of it is */
	struct told *readings; /* owned */
	size_t reading_count, reading_cap;
	uint64_t changes; /* of these readings */
	uint64_t passes, pass;
	size_t next; /* reading */
	struct item *items; /* owned */
	size_t item_count, item_cap;
	struct page *pages; /* owned */
	size_t page_count, page_cap;
	size_t *passed; /* owned: pages that a block may hold */
	size_t passed_cap;
	/* STAGE_SEEK: the block that was looked into last, and the URL of its
	 * document (owned; NULL: none was). */
	int64_t sought_id;
	char *sought_url;
	struct site_walk *walk; /* NULL: none */
	uint64_t walked; /* of its work */
	struct table table;
	uint64_t key;
	struct site_numbers numbers;
};

/* Beginning. */

static void
add_reading(struct tally *tally, struct sqlite3_stmt *stmt)
{
	struct store *store = tally->store;

	tally->readings = mem_grow(tally->readings, &tally->reading_cap,
	    tally->reading_count + 1, sizeof(*tally->readings));
	tally->readings[tally->reading_count++] = (struct told){
	    .id = db_id(store, stmt, 0),
	    .document_id = db_id(store, stmt, 1),
	    .pages = (unsigned)db_int(stmt, 2)};
}

struct tally *
tally_new(struct store *store, int64_t site_id)
{
	struct tally *tally = mem_zero(sizeof(*tally));
	struct sqlite3_stmt *stmt = db_use(store, SQL_TALLY_STATE);
	int64_t tallied_id = 0;

	*tally = (struct tally){.store = store,
	    .site_id = site_id,
	    .stage = STAGE_OVER,
	    .key = store_hash_key(store)};
	db_bind_int(stmt, 1, site_id);
	if (db_row(store, stmt)) {
		tally->numbers.listed = db_count(store, stmt, 0);
		tally->numbers.refused = db_count(store, stmt, 1);
		tallied_id = db_int(stmt, 2);
		tally->upto_id = db_int(stmt, 3);
		tally->stage = db_int(stmt, 4) ? STAGE_READ : STAGE_OVER;
		tally->is_counted = db_int(stmt, 5) != 0;
	}
	db_done(stmt);
	stmt = db_use(store, SQL_TALLY_READINGS);
	db_bind_int(stmt, 1, site_id);
	db_bind_int(stmt, 2, tallied_id);
	while (tally->stage != STAGE_OVER && db_row(store, stmt)) {
		add_reading(tally, stmt);
		tally->changes += db_count(store, stmt, 3);
	}
	db_done(stmt);
	tally->passes = tally->changes / PASS_CHANGES + 1;
	return tally;
}

uint64_t
tally_changes(const struct tally *tally)
{
	return tally->changes;
}

static void
drop_items(struct tally *tally)
{
	for (size_t i = 0; i < tally->item_count; i++)
		free(tally->items[i].url);
	tally->item_count = tally->page_count = 0;
}

void
tally_free(struct tally *tally)
{
	if (tally == NULL)
		return;
	drop_items(tally);
	free(tally->items);
	free(tally->pages);
	free(tally->passed);
	free(tally->sought_url);
	for (size_t i = 0; i < tally->reading_count; i++)
		free(tally->readings[i].elsewhere);
	free(tally->readings);
	site_walk_free(tally->walk);
	free(tally->table.places);
	free(tally);
}

/* Changes. */

static void
mark_elsewhere(struct told *told, size_t at)
{
	if (at / 8 >= told->elsewhere_len) {
		told->elsewhere = mem_resize(told->elsewhere, at / 8 + 1);
		memset(told->elsewhere + told->elsewhere_len, 0,
		    at / 8 + 1 - told->elsewhere_len);
		told->elsewhere_len = at / 8 + 1;
	}
	told->elsewhere[at / 8] = (char)(told->elsewhere[at / 8] | 1 << at % 8);
}

/* is_of_page(told, change): not of a child, when it was an index. */
static bool
is_of_page(const struct told *told, const struct change *change)
{
	unsigned bit = TALLY_PAGES;

	if (change->kind == DELTA_REMOVED)
		bit = TALLY_PAGES_BEFORE;
	else if (change->kind == DELTA_GONE)
		bit = change->was_listed ? TALLY_PAGES_BEFORE
					 : TALLY_PAGES_GONE;
	return (told->pages & bit) != 0;
}

static void
take_change(
    struct tally *tally, size_t number, size_t at, const struct change *change)
{
	if (!is_of_page(&tally->readings[number], change)) {
		mark_elsewhere(&tally->readings[number], at);
		return;
	}
	/* Dates are those of a document. */
	if (change->kind == DELTA_REDATED ||
	    bloom_key(change->url) % tally->passes != tally->pass)
		return;
	tally->items = mem_grow(tally->items, &tally->item_cap,
	    tally->item_count + 1, sizeof(*tally->items));
	tally->items[tally->item_count++] = (struct item){
	    .url = slice_dup(change->url),
	    .len = (uint32_t)change->url.len,
	    .reading = (uint32_t)number,
	    .at = (uint32_t)at,
	    .kind = change->kind,
	    .verdict = change->verdict,
	    .was_listed = change->was_listed};
}

/* read_changes(tally, number): those of a reading that this pass is about;
 * answers how many there are. */
static uint64_t
read_changes(struct tally *tally, size_t number)
{
	int64_t id = tally->readings[number].id;
	struct block_source *source = block_source_delta(tally->store, id);
	struct block_reader *reader = block_reader_new(
	    block_source_pull, source);
	struct change change;
	size_t at = 0;

	while (block_next_change(reader, &change))
		take_change(tally, number, at++, &change);
	if (block_reader_damaged(reader))
		db_damaged(tally->store, NULL,
		    "reading %lld: its blocks cannot be decoded",
		    (long long)id);
	block_reader_free(reader);
	block_source_free(source);
	return at;
}

static struct slice
item_url(const struct item *item)
{
	return slice_make(item->url, item->len);
}

static struct slice
page_url(const struct tally *tally, const struct page *page)
{
	return item_url(&tally->items[page->first]);
}

/* By URL; of one URL as they came. */
static int
by_url(const void *a, const void *b)
{
	const struct item *one = a, *other = b;
	int order = slice_order(item_url(one), item_url(other));

	if (order != 0)
		return order;
	return one->reading < other->reading ? -1
					     : one->reading > other->reading;
}

/* find_pages(tally): from items to pages. */
static void
find_pages(struct tally *tally)
{
	if (tally->item_count == 0)
		return;
	qsort(tally->items, tally->item_count, sizeof(*tally->items), by_url);
	for (size_t i = 0; i < tally->item_count; i++) {
		struct slice url = item_url(&tally->items[i]);

		if (tally->page_count > 0 &&
		    slice_equal(
			page_url(tally, &tally->pages[tally->page_count - 1]),
			url)) {
			tally->pages[tally->page_count - 1].count++;
			continue;
		}
		tally->pages = mem_grow(tally->pages, &tally->page_cap,
		    tally->page_count + 1, sizeof(*tally->pages));
		tally->pages[tally->page_count++] = (struct page){
		    .first = i, .count = 1, .key = bloom_key(url)};
	}
}

/* What documents list now. */

/* first_from(tally, url, least): the first page whose order to url is at least
 * that: 0, not below it; 1, above it. */
static size_t
first_from(const struct tally *tally, struct slice url, int least)
{
	size_t low = 0, high = tally->page_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (slice_order(page_url(tally, &tally->pages[mid]), url) <
		    least)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void
stand(struct standing *standing, const struct entry *entry)
{
	standing->is_missing |= entry->missed > 0;
	standing->is_listed |= entry->missed == 0;
	standing->is_accepted |= entry->missed == 0 &&
	    entry->verdict == VERDICT_ACCEPTED;
}

/* is_changed(tally, page, document_id): by one of the readings? */
static bool
is_changed(
    const struct tally *tally, const struct page *page, int64_t document_id)
{
	for (size_t i = 0; i < page->count; i++) {
		const struct item *item = &tally->items[page->first + i];

		if (tally->readings[item->reading].document_id == document_id)
			return true;
	}
	return false;
}

struct taking {
	bool listed, missed; /* of that document these are pages */
};

/* look_into(tally, id, count, taking): the entries of a block beside the pages
 * that it may hold, both in order. */
static void
look_into(struct tally *tally, int64_t id, size_t count, struct taking taking)
{
	struct one_block block = {0};
	struct entry entry;
	size_t at = 0;

	if (!one_block_open(&block, tally->store, id))
		return;
	while (at < count && block_next(block.reader, &entry)) {
		struct page *page = &tally->pages[tally->passed[at]];
		int order = slice_order(page_url(tally, page), entry.url);

		while (order < 0 && ++at < count) {
			page = &tally->pages[tally->passed[at]];
			order = slice_order(page_url(tally, page), entry.url);
		}
		if (order != 0 || at == count)
			continue;
		at++;
		if (entry.missed > 0 ? !taking.missed : !taking.listed)
			continue;
		stand(&page->now, &entry);
		stand(&page->before, &entry);
	}
	one_block_close(&block, tally->store);
}

/* pass(tally, id, first, end): which of these the block may hold; how many.
 * What its document changed of a page is known. */
static size_t
pass(struct tally *tally, int64_t id, size_t first, size_t end)
{
	struct sqlite3_stmt *stmt = db_use(tally->store, SQL_BLOCK_INDEX_BLOOM);
	struct slice bloom = slice_make(NULL, 0);
	size_t count = 0;

	tally->passed = mem_grow(tally->passed, &tally->passed_cap, end - first,
	    sizeof(*tally->passed));
	db_bind_int(stmt, 1, id);
	if (db_row(tally->store, stmt))
		bloom = db_blob(stmt, 0);
	for (size_t i = first; i < end; i++)
		if (bloom_passes(bloom, tally->pages[i].key) &&
		    !is_changed(tally, &tally->pages[i], id >> BLOCK_ID_SHIFT))
			tally->passed[count++] = i;
	db_done(stmt);
	return count;
}

/* seek_block(tally, stmt): the fence at hand; answers what it cost. */
static uint64_t
seek_block(struct tally *tally, struct sqlite3_stmt *stmt)
{
	int64_t id = db_id(tally->store, stmt, 0);
	size_t first = first_from(tally, db_text(stmt, 1), 0);
	size_t end = tally->page_count, count = 0;
	struct taking taking = {
	    .listed = document_kind_find(db_text(stmt, 3)) != KIND_INDEX,
	    .missed = db_int(stmt, 4) != 0};

	if (!db_is_null(stmt, 2))
		end = first_from(tally, db_text(stmt, 2), 1);
	if (first < end)
		count = pass(tally, id, first, end);
	if (count > 0)
		look_into(tally, id, count, taking);
	return count > 0 ? BLOCK_WORK
			 : 1 + (end > first ? end - first : 0) / 64;
}

/* seek(tally, work): in the documents of the site, by URL; true when it is
 * done. */
static bool
seek(struct tally *tally, uint64_t work)
{
	struct sqlite3_stmt *stmt = db_loop(
	    tally->store, SQL_SITE_BLOCK_INDEXES);
	char *from = tally->sought_url == NULL ? slice_dup(slice_of(""))
					       : tally->sought_url;
	uint64_t done = 0;
	bool is_over = tally->page_count == 0;

	tally->sought_url = slice_dup(slice_of(from));
	db_bind_int(stmt, 1, tally->site_id);
	db_bind_text(stmt, 2, slice_of(from));
	while (!is_over && done < work) {
		struct slice url;

		is_over = !db_row(tally->store, stmt);
		if (is_over)
			break;
		url = db_text(stmt, 5);
		if (slice_is(url, from) && db_int(stmt, 0) <= tally->sought_id)
			continue;
		done += seek_block(tally, stmt);
		tally->sought_id = db_int(stmt, 0);
		if (!slice_is(url, tally->sought_url)) {
			free(tally->sought_url);
			tally->sought_url = slice_dup(url);
		}
	}
	db_done(stmt);
	free(from);
	return is_over;
}

/* What became of each page. */

static void
unite(struct standing *standing, struct standing other)
{
	standing->is_listed |= other.is_listed;
	standing->is_accepted |= other.is_accepted;
	standing->is_missing |= other.is_missing;
}

/* stood(item), stands(item): how its document listed the page before it; and
 * after it. */
static struct standing
stood(const struct item *item)
{
	struct standing standing = {0};

	switch ((enum delta_kind)item->kind) {
	case DELTA_ADDED:
	case DELTA_KINDS:
		break;
	case DELTA_RETURNED:
		standing.is_missing = true;
		break;
	case DELTA_GONE:
		standing.is_listed = item->was_listed;
		standing.is_missing = !item->was_listed;
		break;
	case DELTA_REMOVED:
	case DELTA_REDATED:
	case DELTA_REFUSED:
	case DELTA_ACCEPTED:
		standing.is_listed = true;
		break;
	}
	standing.is_accepted = standing.is_listed &&
	    (item->kind == DELTA_REFUSED ||
		(item->kind != DELTA_ACCEPTED &&
		    item->verdict == VERDICT_ACCEPTED));
	return standing;
}

static struct standing
stands(const struct item *item)
{
	struct standing standing = {0};

	switch ((enum delta_kind)item->kind) {
	case DELTA_GONE:
	case DELTA_KINDS:
		break;
	case DELTA_REMOVED:
		standing.is_missing = true;
		break;
	case DELTA_ADDED:
	case DELTA_RETURNED:
	case DELTA_REDATED:
	case DELTA_REFUSED:
	case DELTA_ACCEPTED:
		standing.is_listed = true;
		break;
	}
	standing.is_accepted = standing.is_listed &&
	    item->verdict == VERDICT_ACCEPTED;
	return standing;
}

/* stand_changed(tally, page): in the documents that changed it: the first
 * change of each says how it was there, the last how it is. */
static void
stand_changed(struct tally *tally, struct page *page)
{
	for (size_t i = 0; i < page->count; i++) {
		const struct item *item = &tally->items[page->first + i];
		int64_t id = tally->readings[item->reading].document_id;
		struct page earlier = {.first = page->first, .count = i};
		struct page later = {
		    .first = page->first + i + 1, .count = page->count - i - 1};

		if (!is_changed(tally, &earlier, id))
			unite(&page->before, stood(item));
		if (!is_changed(tally, &later, id))
			unite(&page->now, stands(item));
	}
}

/* What became of it for the site: what it appears by, and what it went by. */
struct fate {
	bool is_new, is_back, is_missed, is_gone, is_refused, is_accepted;
};

static bool
is_fate(const struct fate *fate, uint8_t kind)
{
	switch ((enum delta_kind)kind) {
	case DELTA_ADDED:
		return fate->is_new;
	case DELTA_RETURNED:
		return fate->is_back;
	case DELTA_REMOVED:
		return fate->is_missed;
	case DELTA_GONE:
		return fate->is_gone;
	case DELTA_REFUSED:
		return fate->is_refused;
	case DELTA_ACCEPTED:
		return fate->is_accepted;
	case DELTA_REDATED:
	case DELTA_KINDS:
		break;
	}
	return true;
}

static bool
appears(const struct item *item)
{
	return item->kind == DELTA_ADDED || item->kind == DELTA_RETURNED;
}

/* say(tally, item, fate): is it by this item?  Then by no other of its kind. */
static void
say(struct tally *tally, const struct item *item, struct fate *fate)
{
	struct told *told = &tally->readings[item->reading];

	if (!is_fate(fate, item->kind)) {
		mark_elsewhere(told, item->at);
		return;
	}
	told->changes[item->kind]++;
	if (appears(item))
		fate->is_new = fate->is_back = false;
	else if (item->kind == DELTA_REMOVED || item->kind == DELTA_GONE)
		fate->is_missed = fate->is_gone = false;
	else
		fate->is_refused = fate->is_accepted = false;
}

static void
judge(struct tally *tally, const struct page *page)
{
	const struct standing *was = &page->before, *is = &page->now;
	const struct item *items = &tally->items[page->first];
	bool was_known = was->is_listed || was->is_missing;
	struct fate fate = {/* it may have been missed again since */
	    .is_new = !was_known && (is->is_listed || is->is_missing),
	    .is_back = is->is_listed && !was->is_listed && was->is_missing,
	    .is_missed = !is->is_listed && is->is_missing &&
		(was->is_listed || !was_known),
	    .is_gone = !is->is_listed && !is->is_missing && was_known,
	    .is_refused = is->is_listed && !is->is_accepted && was->is_accepted,
	    .is_accepted = is->is_accepted && was->is_listed &&
		!was->is_accepted};

	tally->numbers.listed += is->is_listed;
	tally->numbers.listed -= was->is_listed;
	tally->numbers.refused += is->is_listed && !is->is_accepted;
	tally->numbers.refused -= was->is_listed && !was->is_accepted;
	/* What appears did so first, what goes went last. */
	for (size_t i = 0; i < page->count; i++)
		if (appears(&items[i]))
			say(tally, &items[i], &fate);
	for (size_t i = page->count; i > 0; i--)
		if (!appears(&items[i - 1]))
			say(tally, &items[i - 1], &fate);
}

static void
judge_all(struct tally *tally)
{
	for (size_t i = 0; i < tally->page_count; i++) {
		stand_changed(tally, &tally->pages[i]);
		judge(tally, &tally->pages[i]);
	}
}

/* Counting. */

static void
table_put(struct tally *tally, struct slice url, bool is_accepted)
{
	struct table *table = &tally->table;
	uint64_t hash = hash_key(url, tally->key) >> 1;
	size_t at = (size_t)hash & (table->size - 1);

	hash += hash == 0; /* which is a free place */
	while (table->places[at] != 0 && table->places[at] >> 1 != hash)
		at = (at + 1) & (table->size - 1);
	if (table->places[at] == 0) {
		table->used++;
		tally->numbers.listed++;
		tally->numbers.refused += !is_accepted;
		table->places[at] = hash << 1 | is_accepted;
	} else if (is_accepted && (table->places[at] & 1) == 0) {
		tally->numbers.refused--;
		table->places[at] |= 1;
	}
}

/* table_grow(table): twice as large: more came in one window than was
 * estimated. */
static void
table_grow(struct table *table)
{
	struct table grown = {0};

	grown.size = table->size == 0 ? COUNT_LEAST : 2 * table->size;
	grown.places = mem_zero(grown.size * sizeof(*grown.places));
	for (size_t i = 0; i < table->size; i++) {
		uint64_t hash = table->places[i];
		size_t at = (size_t)(hash >> 1) & (grown.size - 1);

		if (hash == 0)
			continue;
		while (grown.places[at] != 0)
			at = (at + 1) & (grown.size - 1);
		grown.places[at] = hash;
		grown.used++;
	}
	free(table->places);
	*table = grown;
}

/* are_apart(tally): no two documents can list one URL: then their numbers are
 * the site's. */
static bool
are_apart(struct tally *tally)
{
	struct sqlite3_stmt *stmt = db_use(tally->store, SQL_SITE_APART);
	bool is_known;

	db_bind_int(stmt, 1, tally->site_id);
	is_known = db_row(tally->store, stmt) && db_int(stmt, 2) == 0;
	if (is_known)
		tally->numbers = (struct site_numbers){
		    .listed = db_count(tally->store, stmt, 0),
		    .refused = db_count(tally->store, stmt, 1)};
	db_done(stmt);
	return is_known;
}

static void
begin_count(struct tally *tally)
{
	tally->stage = STAGE_OVER;
	if (are_apart(tally))
		return;
	tally->stage = STAGE_COUNT;
	tally->numbers = (struct site_numbers){0};
	tally->walk = site_walk_new(
	    tally->store, tally->site_id, COUNT_ENTRIES);
}

/* count(tally, work): true when it is done. */
static bool
count(struct tally *tally, uint64_t work)
{
	int64_t document_id;
	struct entry entry;
	uint64_t end = work > UINT64_MAX - tally->walked ? UINT64_MAX
							 : tally->walked + work;

	while (tally->walked < end) {
		if (!site_walk_next(tally->walk, &document_id, &entry)) {
			if (!site_walk_window(tally->walk))
				return true;
			if (tally->table.used > 0)
				memset(tally->table.places, 0,
				    tally->table.size *
					sizeof(*tally->table.places));
			tally->table.used = 0;
			continue;
		}
		if (tally->table.used * 4 >= tally->table.size * 3)
			table_grow(&tally->table);
		if (entry.missed == 0)
			table_put(tally, entry.url,
			    entry.verdict == VERDICT_ACCEPTED);
		tally->walked = site_walk_work(tally->walk);
	}
	return false;
}

/* All of it. */

static void
begin_pass(struct tally *tally)
{
	drop_items(tally);
	tally->next = 0;
	tally->sought_id = 0;
	free(tally->sought_url);
	tally->sought_url = NULL;
	tally->stage = STAGE_READ;
}

static void
end_pass(struct tally *tally)
{
	judge_all(tally);
	if (++tally->pass < tally->passes) {
		begin_pass(tally);
		return;
	}
	drop_items(tally);
	if (tally->is_counted)
		begin_count(tally);
	else
		tally->stage = STAGE_OVER;
}

static void
read_some(struct tally *tally, uint64_t work)
{
	uint64_t done = 0;

	while (tally->next < tally->reading_count && done < work)
		done += 1 + read_changes(tally, tally->next++) / CHANGES_WORK;
	if (tally->next < tally->reading_count)
		return;
	find_pages(tally);
	tally->stage = STAGE_SEEK;
}

bool
tally_some(struct tally *tally, uint64_t work)
{
	if (store_failed(tally->store) != DIAG_OK)
		return false;
	switch (tally->stage) {
	case STAGE_READ:
		read_some(tally, work);
		break;
	case STAGE_SEEK:
		if (seek(tally, work))
			end_pass(tally);
		break;
	case STAGE_COUNT:
		if (count(tally, work))
			tally->stage = STAGE_OVER;
		break;
	case STAGE_OVER:
		break;
	}
	return tally->stage != STAGE_OVER;
}

bool
tally_is_made(const struct tally *tally)
{
	return tally->stage == STAGE_OVER;
}

void
tally_put(const struct tally *tally, struct store *store)
{
	struct sqlite3_stmt *stmt;

	for (size_t i = 0; i < tally->reading_count; i++) {
		const struct told *told = &tally->readings[i];

		stmt = db_use(store, SQL_READING_SITE);
		db_bind_int(stmt, 1, told->id);
		db_bind_int(stmt, 2, (int64_t)told->changes[DELTA_ADDED]);
		db_bind_int(stmt, 3, (int64_t)told->changes[DELTA_REMOVED]);
		db_bind_int(stmt, 4, (int64_t)told->changes[DELTA_RETURNED]);
		db_bind_int(stmt, 5, (int64_t)told->changes[DELTA_GONE]);
		if (told->elsewhere != NULL)
			db_bind_blob(stmt, 6,
			    slice_make(told->elsewhere, told->elsewhere_len));
		(void)db_write(store, stmt);
	}
	stmt = db_use(store, SQL_TALLY_PUT);
	db_bind_int(stmt, 1, tally->site_id);
	db_bind_int(stmt, 2, (int64_t)tally->numbers.listed);
	db_bind_int(stmt, 3, (int64_t)tally->numbers.refused);
	db_bind_int(stmt, 4, tally->upto_id);
	(void)db_write(store, stmt);
}

struct site_numbers
store_site_numbers(struct store *store, int64_t site_id)
{
	struct site_numbers numbers;
	struct tally *tally;
	bool is_begun = db_read_begin(store);

	tally = tally_new(store, site_id);
	while (tally_some(tally, UINT64_MAX))
		;
	numbers = tally->numbers;
	tally_free(tally);
	if (is_begun)
		db_read_end(store);
	return numbers;
}

struct site_numbers
store_site_recount(struct store *store, int64_t site_id)
{
	struct tally *tally = mem_zero(sizeof(*tally));
	struct site_numbers numbers;

	*tally = (struct tally){
	    .store = store, .site_id = site_id, .key = store_hash_key(store)};
	begin_count(tally);
	while (tally_some(tally, UINT64_MAX))
		;
	numbers = tally->numbers;
	tally_free(tally);
	return numbers;
}

struct site_numbers
store_site_stored(struct store *store, int64_t site_id)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_SITE_STORED);
	struct site_numbers numbers = {0};

	db_bind_int(stmt, 1, site_id);
	if (db_row(store, stmt))
		numbers = (struct site_numbers){
		    .listed = db_count(store, stmt, 0),
		    .refused = db_count(store, stmt, 1)};
	db_done(stmt);
	return numbers;
}

void
store_site_changed(struct store *store, int64_t site_id, int64_t after_id,
    uint64_t changes[DELTA_KINDS])
{
	static const enum delta_kind kinds[] = {DELTA_ADDED, DELTA_REMOVED,
	    DELTA_RETURNED, DELTA_REDATED, DELTA_GONE, DELTA_REFUSED,
	    DELTA_ACCEPTED};
	struct sqlite3_stmt *stmt = db_use(store, SQL_SITE_CHANGED);

	db_bind_int(stmt, 1, site_id);
	db_bind_int(stmt, 2, after_id);
	if (db_row(store, stmt))
		for (int i = 0; i < DELTA_KINDS; i++)
			changes[kinds[i]] += db_count(store, stmt, i);
	db_done(stmt);
}

bool
store_is_untallied(struct store *store, int64_t site_id)
{
	return site_id > 0 && store_untallied(store, site_id - 1) == site_id;
}

uint64_t
store_site_entries(struct store *store, int64_t site_id)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_SITE_BLOCKS);
	uint64_t entries = 0;

	db_bind_int(stmt, 1, site_id);
	if (db_row(store, stmt))
		entries = db_count(store, stmt, 0);
	db_done(stmt);
	return entries;
}

int64_t
store_untallied(struct store *store, int64_t after_id)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_TALLY_NEXT);
	int64_t site_id = 0;

	db_bind_int(stmt, 1, after_id);
	if (db_row(store, stmt))
		site_id = db_id(store, stmt, 0);
	db_done(stmt);
	return site_id;
}
