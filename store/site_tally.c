/*
 * How many URLs a site lists, and which changes of its documents are changes of
 * the site.
 *
 *	READ:  the changes of all readings that are not tallied yet, by URL
 *	SEEK:  search the blocks of the site that may list these URLs, too;
 *	       then compare how the site listed each URL before and lists it now
 *	COUNT: count all entries of the site, if its numbers are not known yet
 *	OVER:  site_tally_put() may store the outcome
 *
 * COUNT takes the hashes of all URLs from memory of the first readings
 * (url_hashes.h), and then needs the store no more, or unpacks all segments.
 *
 * If there are more changes than memory should hold, READ and SEEK run several
 * times, each time for another share of the URLs.
 */
#include "store/site_tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/lookup.h"
#include "store/segment/bloom.h"
#include "store/siblings.h"
#include "store/site_list.h"
#include "store/url_hashes.h"

/* A page that is away no longer was never away: since it was gone from another
 * document, or since the same document lacked it.  Two readings may find a day
 * as long as that. */
#define BACK_S 86400
#define BACK_SAME_S (BACK_S + BACK_S / 2)
#define PASS_CHANGES 65536 /* how many changes are in memory at once */
#define CHANGES_WORK 8 /* how many changes are read in a microsecond */
/* Entries of a window; their table takes 8 MB.  A block is decoded once for
 * each window that it reaches into. */
#define COUNT_ENTRIES 500000
#define SESSION_PAGES 5 /* that come at once, at least */
#define HASHES_WORK 200 /* how many hashes are read in a microsecond */

/* A reading, and which of its changes are changes of the site. */
struct tallied_reading {
	int64_t id, document_id, at_s;
	int64_t since_s; /* if it was tallied before: what is gone was absent */
	unsigned pages; /* TALLY_PAGES and so on */
	uint64_t added, entries; /* of the document */
	/* how often its URLs changed by a session part alone; known as soon as
	 * its changes were read */
	uint64_t sessions;
	bool is_left_out; /* its URLs alone changed */
	bool is_in_turns; /* and no date is news of a page */
	uint64_t changes[DELTA_KINDS]; /* changes of the site */
	/* Owned.  Bit i is set if change i of the delta is none of the site. */
	char *elsewhere;
	size_t elsewhere_len;
};

struct tallied_readings {
	struct tallied_reading *items; /* owned */
	size_t count, cap;
};

/* A change of one page in one document. */
struct page_change {
	char *url; /* owned */
	uint32_t len;
	uint32_t reading; /* index into readings of struct site_tally */
	uint32_t at; /* position in the delta of that reading */
	uint8_t kind, verdict;
	bool was_listed;
};

/* How some documents hold a page. */
struct presence {
	bool is_listed; /* at least one document lists the page */
	/* at least one document lists the page and is allowed to */
	bool is_accepted;
	/* at least one document has the page as a missed entry */
	bool is_missing;
};

/* A page with changes, and how the site held it before and holds it now. */
struct changed_page {
	size_t first, count; /* the changes of the page, in page_changes */
	struct presence before, now;
};

enum tally_stage { STAGE_READ, STAGE_SEEK, STAGE_COUNT, STAGE_OVER };

struct site_tally {
	struct store *store;
	int64_t site_id;
	int64_t upto_id; /* the latest reading that the tally includes */
	int64_t tallied_id; /* the latest one of the tally before */
	enum tally_stage stage;
	bool is_counted; /* STAGE_COUNT is needed */
	struct tallied_readings readings;
	/* Readings that were tallied before, and are tallied anew. */
	struct tallied_readings left_out;
	/* Readings of the tallies before.  Their pages that are back soon were
	 * not gone; changes counts these. */
	struct tallied_readings amended;
	uint64_t changes; /* the number of changes of all these readings */
	/* how many passes (shares of the URLs), and which this is */
	uint64_t passes, pass;
	size_t next; /* STAGE_READ: the next reading */
	struct page_change *page_changes; /* owned */
	size_t page_change_count, page_change_cap;
	struct changed_page *pages; /* owned */
	size_t page_count, page_cap;
	struct url_search search; /* for the pages in blocks; STAGE_SEEK */
	/* Of the block at hand: which entries are pages, not children. */
	bool takes_listed, takes_missed;
	/* STAGE_SEEK: the last block that was searched, and the URL of its
	 * document (owned; NULL: no block was searched yet). */
	int64_t last_block_id;
	char *last_url;
	struct site_walk *walk; /* owned; STAGE_COUNT */
	uint64_t walked; /* the work of the walk so far */
	/* Owned; STAGE_COUNT; then walk is NULL. */
	struct url_hashes_walk *hashes;
	uint64_t key; /* of url_place() */
	struct url_set set; /* the URLs of the window */
	struct site_numbers numbers;
};

/* The tally as a whole. */

enum site_tally_state
site_tally_state(const struct site_tally *tally)
{
	if (tally->stage == STAGE_OVER)
		return TALLY_IS_DONE;
	return tally->hashes == NULL ? TALLY_NEEDS_STORE : TALLY_IS_ALONE;
}

uint64_t
site_tally_size(const struct site_tally *tally)
{
	uint64_t entries = 0;

	db_counts(tally->store,
	    db_use_id(tally->store, SQL_SITE_BLOCKS, tally->site_id), 1,
	    &entries);
	return entries > tally->changes ? entries : tally->changes;
}

/* Add an empty reading. */
static struct tallied_reading *
readings_add(struct tallied_readings *readings)
{
	return MEM_PUSH(readings->items, readings->count, readings->cap);
}

void
site_tally_free(struct site_tally *tally)
{
	if (tally == NULL)
		return;
	for (size_t i = 0; i < tally->page_change_count; i++)
		free(tally->page_changes[i].url);
	free(tally->page_changes);
	free(tally->pages);
	url_search_release(&tally->search);
	free(tally->last_url);
	struct tallied_readings *const lists[] = {
	    &tally->readings, &tally->left_out, &tally->amended};

	for (size_t i = 0; i < LENGTH(lists); i++) {
		for (size_t k = 0; k < lists[i]->count; k++)
			free(lists[i]->items[k].elsewhere);
		free(lists[i]->items);
	}
	site_walk_free(tally->walk);
	url_hashes_walk_free(tally->hashes);
	free(tally->set.places);
	free(tally);
}

/* STAGE_READ: the changes of the readings. */

/* Note that a change of the reading is no change of the site. */
static void
mark_elsewhere(struct tallied_reading *reading, size_t at)
{
	if (at / 8 >= reading->elsewhere_len) {
		reading->elsewhere = mem_resize(reading->elsewhere, at / 8 + 1);
		memset(reading->elsewhere + reading->elsewhere_len, 0,
		    at / 8 + 1 - reading->elsewhere_len);
		reading->elsewhere_len = at / 8 + 1;
	}
	reading->elsewhere[at / 8] = (char)(reading->elsewhere[at / 8] |
	    1 << at % 8);
}

static void
take_change(struct site_tally *tally, size_t number, size_t at,
    const struct change *change)
{
	if (!tally_is_of_page(tally->readings.items[number].pages, change)) {
		mark_elsewhere(&tally->readings.items[number], at);
		return;
	}
	/* Changes of dates are looked at by document. */
	if (change->kind == DELTA_REDATED) {
		if (tally->readings.items[number].is_in_turns)
			mark_elsewhere(&tally->readings.items[number], at);
		return;
	}
	if (bloom_key(change->url) % tally->passes != tally->pass)
		return;
	*MEM_PUSH(tally->page_changes, tally->page_change_count,
	    tally->page_change_cap) = (struct page_change){
	    .url = slice_dup(change->url),
	    .len = (uint32_t)change->url.len,
	    .reading = (uint32_t)number,
	    .at = (uint32_t)at,
	    .kind = change->kind,
	    .verdict = change->verdict,
	    .was_listed = change->was_listed};
}

/* Now it is known that the URLs of the document change at every reading: leave
 * out the readings in which they did. */
static void
leave_out_first(struct site_tally *tally, size_t number)
{
	const struct tallied_reading *reading = &tally->readings.items[number];
	struct sqlite3_stmt *stmt;

	for (size_t i = number; i-- > 0;) {
		struct tallied_reading *other = &tally->readings.items[i];

		if (other->document_id != reading->document_id)
			continue;
		if (other->sessions == 0)
			return;
		other->is_left_out = true;
	}
	/* Those that were tallied before come last. */
	stmt = db_loop_ints(tally->store, SQL_READING_SESSION_FIRST, 2,
	    (int64_t[]){reading->document_id, tally->readings.items[0].id});
	while (db_row(tally->store, stmt)) {
		struct tallied_reading *left = readings_add(&tally->left_out);
		struct block_source *source;
		struct change change;

		*left = (struct tallied_reading){
		    .id = db_id(tally->store, stmt, 0), .sessions = 1};
		source = block_source_new(
		    tally->store, BLOCKS_OF_DELTA, left->id);
		for (size_t at = 0;
		     block_next_change(block_source_reader(source), &change);
		     at++)
			if (change.kind != DELTA_REDATED)
				mark_elsewhere(left, at);
		block_source_close(source, NULL, 0);
	}
}

/* Count how often in a row the URLs of the document changed by a session part
 * alone, up to the reading: once more, if most of its URLs changed so.  A
 * reading that only loses the URLs of an earlier one decides nothing. */
static void
count_sessions(struct site_tally *tally, size_t number)
{
	struct tallied_reading *items = tally->readings.items;
	struct tallied_reading *reading = &items[number];
	bool is_change = false;
	size_t before = number;
	struct buf part = BUF_UP_TO(SIZE_MAX);

	if (reading->added >= SESSION_PAGES &&
	    reading->added * 2 >= reading->entries)
		is_change = session_part_find(tally->store, reading->id, &part);
	buf_release(&part);
	if (is_change || reading->added == 0) {
		/* how often before: this tally knows it, or the store does */
		while (before > 0 &&
		    items[before - 1].document_id != reading->document_id)
			before--;
		reading->sessions = before > 0
		    ? items[before - 1].sessions
		    : session_readings(
			  tally->store, reading->document_id, reading->id);
		reading->sessions += is_change;
	}
	reading->is_left_out = reading->sessions >= SESSION_READINGS;
	if (reading->is_left_out && reading->added > 0 &&
	    reading->sessions == SESSION_READINGS)
		leave_out_first(tally, number);
}

/* Compare by URL, then by the order of the readings. */
static int
by_url(const void *a, const void *b)
{
	const struct page_change *one = a, *other = b;
	int order = slice_order(
	    slice_make(one->url, one->len), slice_make(other->url, other->len));

	if (order != 0)
		return order;
	return one->reading < other->reading ? -1
					     : one->reading > other->reading;
}

/* STAGE_SEEK: the documents whose readings did not change the pages. */

static void
add_presence(struct presence *presence, struct presence other)
{
	presence->is_listed |= other.is_listed;
	presence->is_accepted |= other.is_accepted;
	presence->is_missing |= other.is_missing;
}

/* Does no change of the page come from a reading of this document?  If one
 * does, the document is not searched for the page: its changes say how it holds
 * the page. */
static bool
is_unchanged(void *arg, void *of, int64_t document_id)
{
	const struct site_tally *tally = arg;
	const struct changed_page *page = of;

	for (size_t i = 0; i < page->count; i++) {
		const struct page_change
		    *change = &tally->page_changes[page->first + i];

		if (tally->readings.items[change->reading].document_id ==
		    document_id)
			return false;
	}
	return true;
}

/* Add an entry of a document whose readings did not change the page: it holds
 * the page now as it did before. */
static void
seek_found(void *arg, void *of, int64_t document_id, const struct entry *entry)
{
	const struct site_tally *tally = arg;
	struct changed_page *page = of;
	bool is_missing = entry->missed > 0;
	struct presence presence = {.is_missing = is_missing,
	    .is_listed = !is_missing,
	    .is_accepted = !is_missing && entry->verdict == VERDICT_ACCEPTED};

	(void)document_id;
	if (is_missing ? !tally->takes_missed : !tally->takes_listed)
		return;
	add_presence(&page->now, presence);
	add_presence(&page->before, presence);
}

/* Search blocks for about `work` microseconds, document by document in the
 * order of their URLs.  Returns true if no block is left. */
static bool
seek(struct site_tally *tally, uint64_t work)
{
	char *from = tally->last_url == NULL ? slice_dup(slice_of(""))
					     : tally->last_url;
	struct sqlite3_stmt *stmt = db_bind(
	    db_loop(tally->store, SQL_SITE_BLOCK_INDEXES),
	    DB_ROW(AS_INT(tally->site_id), AS_STR(from)));
	uint64_t done = 0;
	bool is_over = tally->page_count == 0;

	tally->last_url = slice_dup(slice_of(from));
	while (!is_over && done < work) {
		struct slice url;

		is_over = !db_row(tally->store, stmt);
		if (is_over)
			break;
		url = db_text(stmt, 5);
		if (slice_is(url, from) &&
		    db_int(stmt, 0) <= tally->last_block_id)
			continue;
		tally->takes_listed = document_kind_find(db_text(stmt, 3)) !=
		    KIND_INDEX;
		tally->takes_missed = db_int(stmt, 4) != 0;
		done += url_search_block(&tally->search, stmt);
		tally->last_block_id = db_int(stmt, 0);
		if (!slice_is(url, tally->last_url)) {
			free(tally->last_url);
			tally->last_url = slice_dup(url);
		}
	}
	db_done(stmt);
	free(from);
	return is_over;
}

/* What happened to each page. */

/* How the document of a change held the page before the change, or after. */
static struct presence
presence_of(const struct page_change *change, bool is_before)
{
	enum standing standing = is_before
	    ? delta_before(change->kind, change->was_listed)
	    : delta_rows[change->kind].after;
	bool is_accepted = change->verdict == VERDICT_ACCEPTED;

	/* The verdict is that after the change. */
	if (is_before && change->kind == DELTA_REFUSED)
		is_accepted = true;
	if (is_before && change->kind == DELTA_ACCEPTED)
		is_accepted = false;
	return (struct presence){.is_listed = standing == STANDING_LISTED,
	    .is_missing = standing == STANDING_MISSED,
	    .is_accepted = standing == STANDING_LISTED && is_accepted};
}

/* If the change stands for what happened at the site, count it, and do not let
 * later changes count for the same: has_kind are the kinds of changes that can
 * still stand for it.  If not, mark it as a change of the document alone. */
static void
attribute(struct site_tally *tally, const struct page_change *change,
    bool has_kind[DELTA_KINDS])
{
	struct tallied_reading *reading = &tally->readings
					       .items[change->reading];

	if (reading->is_left_out || !has_kind[change->kind]) {
		mark_elsewhere(reading, change->at);
		return;
	}
	reading->changes[change->kind]++;
	for (unsigned kind = 0; kind < DELTA_KINDS; kind++)
		if (delta_rows[kind].way == delta_rows[change->kind].way)
			has_kind[kind] = false;
}

static void
judge(struct site_tally *tally, const struct changed_page *page)
{
	const struct presence *was = &page->before, *is = &page->now;
	const struct page_change *changes = &tally->page_changes[page->first];
	bool was_known = was->is_listed || was->is_missing;
	/* a new page may be missed again by now */
	bool is_new = !was_known && (is->is_listed || is->is_missing);
	/* what the last document said that listed the page decides between GONE
	 * and LEFT */
	bool is_gone = !is->is_listed && !is->is_missing && was_known;
	bool has_kind[DELTA_KINDS] = {[DELTA_ADDED] = is_new,
	    [DELTA_BACK] = is_new,
	    [DELTA_RETURNED] = is->is_listed && !was->is_listed &&
		was->is_missing,
	    [DELTA_REMOVED] = !is->is_listed && is->is_missing &&
		(was->is_listed || !was_known),
	    [DELTA_GONE] = is_gone,
	    [DELTA_LEFT] = is_gone,
	    [DELTA_REFUSED] = is->is_listed && !is->is_accepted &&
		was->is_accepted,
	    [DELTA_ACCEPTED] = is->is_accepted && was->is_listed &&
		!was->is_accepted};

	tally->numbers.listed += is->is_listed;
	tally->numbers.listed -= was->is_listed;
	tally->numbers.refused += is->is_listed && !is->is_accepted;
	tally->numbers.refused -= was->is_listed && !was->is_accepted;
	/* The first change by which a page appears counts as the page's coming,
	 * and the last by which it disappears as its going. */
	for (size_t i = 0; i < page->count; i++)
		if (delta_rows[changes[i].kind].way == DELTA_COMES)
			attribute(tally, &changes[i], has_kind);
	for (size_t i = page->count; i > 0; i--)
		if (delta_rows[changes[i - 1].kind].way != DELTA_COMES)
			attribute(tally, &changes[i - 1], has_kind);
}

/* SPEC R-120: did the page, which the site did not know, come so soon after it
 * was gone by that reading that it was never away? */
static bool
came_back(const struct site_tally *tally, const struct changed_page *page,
    const struct tallied_reading *gone)
{
	if (page->before.is_listed || page->before.is_missing)
		return false;
	for (size_t i = 0; i < page->count; i++) {
		const struct page_change
		    *change = &tally->page_changes[page->first + i];
		const struct tallied_reading
		    *reading = &tally->readings.items[change->reading];

		if (change->kind == DELTA_ADDED)
			return reading->at_s <=
			    (reading->document_id == gone->document_id
				    ? gone->since_s + BACK_SAME_S
				    : gone->at_s + BACK_S);
	}
	return false;
}

/* Take back what a reading of an earlier tally told of pages that came back. */
static void
amend(struct site_tally *tally, struct sqlite3_stmt *stmt)
{
	int64_t id = db_id(tally->store, stmt, 0);
	struct slice elsewhere = db_blob(stmt, 4);
	struct tallied_reading *gone = NULL;

	/* An earlier pass may have amended it for other pages. */
	for (size_t i = 0; i < tally->amended.count && gone == NULL; i++)
		if (tally->amended.items[i].id == id)
			gone = &tally->amended.items[i];
	if (gone == NULL) {
		gone = readings_add(&tally->amended);
		*gone = (struct tallied_reading){.id = id,
		    .document_id = db_id(tally->store, stmt, 1),
		    .pages = (unsigned)db_int(stmt, 2),
		    .at_s = db_time(tally->store, stmt, 3),
		    .since_s = db_time(tally->store, stmt, 5),
		    .elsewhere_len = elsewhere.len};
		if (elsewhere.len > 0) {
			gone->elsewhere = mem_alloc(elsewhere.len);
			memcpy(gone->elsewhere, elsewhere.p, elsewhere.len);
		}
	}
	struct block_source *source = block_source_new(
	    tally->store, BLOCKS_OF_DELTA, gone->id);
	struct block_reader *reader = block_source_reader(source);
	struct change change;

	for (size_t at = 0; block_next_change(reader, &change); at++) {
		size_t i = url_search_from(&tally->search, change.url, 0);

		if (change.kind != DELTA_GONE || i == tally->page_count ||
		    !slice_equal(tally->search.items[i].url, change.url) ||
		    !tally_is_of_page(gone->pages, &change) ||
		    elsewhere_has(
			slice_make(gone->elsewhere, gone->elsewhere_len), at) ||
		    !came_back(tally, &tally->pages[i], gone))
			continue;
		/* as if it had been missed once ever since */
		tally->pages[i].before.is_missing = true;
		mark_elsewhere(gone, at);
		gone->changes[DELTA_GONE]++;
	}
	block_source_close(source, NULL, 0);
}

/* STAGE_COUNT: all entries of the site. */

/* Get the sums of the numbers of all documents of the site.  Returns true if no
 * two of them can list the same URL, so that these are the site's numbers. */
static bool
find_sums(struct site_tally *tally, struct site_numbers *sums)
{
	struct store *store = tally->store;
	struct sqlite3_stmt *stmt = db_use_id(
	    store, SQL_SITE_RANGES, tally->site_id);
	struct buf last = {0}; /* the last URL of the document before */
	bool are_apart = true;

	*sums = (struct site_numbers){0};
	while (db_row(store, stmt)) {
		sums->listed += db_count(store, stmt, 0);
		sums->refused += db_count(store, stmt, 1);
		if (db_is_null(stmt, 3) ||
		    (last.len > 0 &&
			slice_order(buf_text(&last), db_text(stmt, 2)) >= 0))
			are_apart = false;
		buf_clear(&last);
		(void)buf_put_slice(&last, db_text(stmt, 3));
	}
	buf_release(&last);
	return are_apart && store->failed == DIAG_OK;
}

static void
begin_count(struct site_tally *tally)
{
	struct site_numbers sums;
	uint64_t entries = 0;

	if (find_sums(tally, &sums)) {
		tally->numbers = sums;
		tally->stage = STAGE_OVER;
		return;
	}
	tally->stage = STAGE_COUNT;
	tally->numbers = (struct site_numbers){0};
	db_counts(tally->store,
	    db_use_id(tally->store, SQL_SITE_BLOCKS, tally->site_id), 1,
	    &entries);
	url_set_init(
	    &tally->set, entries < COUNT_ENTRIES ? entries : COUNT_ENTRIES);
	tally->walk = site_walk_new(
	    tally->store, tally->site_id, COUNT_ENTRIES, true);
}

/* All URLs of the window were added. */
static void
count_window(struct site_tally *tally)
{
	url_set_clear(&tally->set);
	tally->numbers = (struct site_numbers){
	    .listed = tally->set.urls, .refused = tally->set.refused};
}

/* Count entries for about `work` microseconds; returns true if none is left. */
static bool
count(struct site_tally *tally, uint64_t work)
{
	int64_t document_id;
	struct entry entry;
	uint64_t end = work > UINT64_MAX - tally->walked ? UINT64_MAX
							 : tally->walked + work;

	while (tally->walked < end) {
		if (!site_walk_next(tally->walk, &document_id, &entry)) {
			count_window(tally);
			if (!site_walk_window(tally->walk))
				return true;
			continue;
		}
		if (entry.missed == 0)
			url_set_add(&tally->set,
			    url_place(tally->key,
				(bloom_key(entry.url) & ~UINT64_C(1)) |
				    (entry.verdict == VERDICT_ACCEPTED)));
		tally->walked = site_walk_work(tally->walk);
	}
	return false;
}

/* Count hashes for about `work` microseconds; true: none is left. */
static bool
count_hashes(struct site_tally *tally, uint64_t work)
{
	for (uint64_t done = 0; done < work;) {
		size_t count;
		const uint64_t *some = url_hashes_next(tally->hashes, &count);

		if (some != NULL) {
			for (size_t i = 0; i < count; i++)
				url_set_add(&tally->set, some[i]);
			done += 1 + URL_HASHES_SOME / HASHES_WORK;
			continue;
		}
		count_window(tally);
		if (!url_hashes_next_window(tally->hashes))
			return true;
	}
	return false;
}

/* The stages. */

static void
end_pass(struct site_tally *tally)
{
	for (size_t i = 0; i < tally->page_count; i++) {
		/* Add the documents that changed the page: the first change of
		 * each document says how the document held the page before, its
		 * last change how it does now.
		 */
		for (size_t k = 0; k < tally->pages[i].count; k++) {
			const struct page_change *change =
			    &tally->page_changes[tally->pages[i].first + k];
			int64_t id = tally->readings.items[change->reading]
					 .document_id;
			struct changed_page earlier = {
			    .first = tally->pages[i].first, .count = k};
			struct changed_page later = {
			    .first = tally->pages[i].first + k + 1,
			    .count = tally->pages[i].count - k - 1};

			if (is_unchanged(tally, &earlier, id))
				add_presence(&tally->pages[i].before,
				    presence_of(change, true));
			if (is_unchanged(tally, &later, id))
				add_presence(&tally->pages[i].now,
				    presence_of(change, false));
		}
	}
	int64_t since_s = INT64_MAX;
	struct sqlite3_stmt *stmt;

	for (size_t i = 0; i < tally->readings.count; i++)
		if (tally->readings.items[i].added > 0 &&
		    tally->readings.items[i].at_s < since_s)
			since_s = tally->readings.items[i].at_s;
	if (since_s != INT64_MAX) {
		/* The last reading that was made long before, by halving; ids
		 * ascend with time, unless the clock was set. */
		int64_t low = 0, high = tally->tallied_id;

		while (low < high) {
			int64_t mid = low + (high - low) / 2;

			stmt = db_use_id(
			    tally->store, SQL_READING_AT_AFTER, mid);
			if (!db_row(tally->store, stmt) ||
			    db_time(tally->store, stmt, 0) >=
				since_s - BACK_SAME_S)
				high = mid;
			else
				low = mid + 1;
			db_done(stmt);
		}
		stmt = db_loop_ints(tally->store, SQL_TALLY_GONE, 3,
		    (int64_t[]){tally->site_id, low, tally->tallied_id});
		while (db_row(tally->store, stmt))
			amend(tally, stmt);
	}
	for (size_t i = 0; i < tally->page_count; i++)
		judge(tally, &tally->pages[i]);
	/* Drop the changes of the pass. */
	for (size_t i = 0; i < tally->page_change_count; i++)
		free(tally->page_changes[i].url);
	tally->page_change_count = tally->page_count = tally->search.count = 0;
	if (++tally->pass < tally->passes) {
		tally->next = 0;
		tally->last_block_id = 0;
		free(tally->last_url);
		tally->last_url = NULL;
		tally->stage = STAGE_READ;
		return;
	}
	if (tally->is_counted)
		begin_count(tally);
	else
		tally->stage = STAGE_OVER;
}

static void
read_some(struct site_tally *tally, uint64_t work)
{
	uint64_t done = 0;

	for (; tally->next < tally->readings.count && done < work;
	     tally->next++) {
		if (tally->pass == 0)
			count_sessions(tally, tally->next);
		/* Keep the changes of the reading that are about the URLs of
		 * this pass. */
		int64_t id = tally->readings.items[tally->next].id;
		struct block_source *source = block_source_new(
		    tally->store, BLOCKS_OF_DELTA, id);
		struct block_reader *reader = block_source_reader(source);
		struct change change;
		size_t at = 0;

		while (block_next_change(reader, &change))
			take_change(tally, tally->next, at++, &change);
		block_source_close(source, "reading", id);
		done += 1 + at / CHANGES_WORK;
	}
	if (tally->next < tally->readings.count)
		return;
	/* Sort the changes, and make a page of the changes of each URL. */
	if (tally->page_change_count != 0) {
		qsort(tally->page_changes, tally->page_change_count,
		    sizeof(*tally->page_changes), by_url);
		for (size_t i = 0; i < tally->page_change_count; i++) {
			const struct page_change
			    *change = &tally->page_changes[i];
			struct slice url = slice_make(change->url, change->len);

			size_t last = tally->page_count - 1;

			if (tally->page_count > 0) {
				change = &tally->page_changes[tally->pages[last]
								  .first];
				if (slice_equal(
					slice_make(change->url, change->len),
					url)) {
					tally->pages[last].count++;
					continue;
				}
			}
			*MEM_PUSH(tally->pages, tally->page_count,
			    tally->page_cap) = (struct changed_page){
			    .first = i, .count = 1};
		}
		/* The pages lie still from here on, so the search may point to
		 * them. */
		for (size_t i = 0; i < tally->page_count; i++) {
			const struct page_change *change =
			    &tally->page_changes[tally->pages[i].first];

			url_search_add(&tally->search,
			    slice_make(change->url, change->len),
			    &tally->pages[i]);
		}
	}
	tally->stage = STAGE_SEEK;
}

struct site_tally *
site_tally_new(struct store *store, int64_t site_id)
{
	struct site_tally *tally = mem_zero(sizeof(*tally));
	struct sqlite3_stmt *stmt = db_use_id(store, SQL_TALLY_STATE, site_id);
	*tally = (struct site_tally){.store = store,
	    .site_id = site_id,
	    .stage = STAGE_OVER,
	    .search = {.store = store,
		.is_wanted = is_unchanged,
		.found = seek_found,
		.arg = tally},
	    .key = store_hash_key(store)};
	if (db_row(store, stmt)) {
		tally->numbers.listed = db_count(store, stmt, 0);
		tally->numbers.refused = db_count(store, stmt, 1);
		tally->tallied_id = db_int(stmt, 2);
		tally->upto_id = db_int(stmt, 3);
		tally->stage = db_int(stmt, 4) ? STAGE_READ : STAGE_OVER;
		tally->is_counted = db_int(stmt, 5) != 0;
	}
	db_done(stmt);
	stmt = db_use_ints(store, SQL_TALLY_READINGS, 2,
	    (int64_t[]){site_id, tally->tallied_id});
	while (tally->stage != STAGE_OVER && db_row(store, stmt)) {
		*readings_add(&tally->readings) = (struct tallied_reading){
		    .id = db_id(store, stmt, 0),
		    .document_id = db_id(store, stmt, 1),
		    .pages = (unsigned)db_int(stmt, 2),
		    .added = db_count(store, stmt, 4),
		    .entries = db_count(store, stmt, 5),
		    .at_s = db_time(store, stmt, 6),
		    .is_in_turns = db_int(stmt, 7) != 0};
		tally->changes += db_count(store, stmt, 3);
	}
	db_done(stmt);
	tally->passes = tally->changes / PASS_CHANGES + 1;
	if (tally->is_counted && tally->stage != STAGE_OVER &&
	    tally->readings.count == 0 && store->url_hashes != NULL) {
		/* If the changes are not needed, and the store is not: count by
		 * the sums, or by the hashes of the first readings if all are
		 * there. */
		struct url_hashes *hashes = tally->store->url_hashes;
		struct site_numbers sums;

		if (find_sums(tally, &sums)) {
			tally->numbers = sums;
			tally->stage = STAGE_OVER;
		} else if (sums.listed > 0 &&
		    url_hashes_count(hashes, tally->site_id) == sums.listed) {
			tally->hashes = url_hashes_walk_new(
			    hashes, tally->site_id);
			uint64_t window = tally->hashes->runs.hashes /
			    tally->hashes->windows;

			tally->stage = STAGE_COUNT;
			tally->numbers = (struct site_numbers){0};
			url_set_init(&tally->set,
			    window < COUNT_ENTRIES ? window : COUNT_ENTRIES);
		}
	}
	return tally;
}

bool
site_tally_some(struct site_tally *tally, uint64_t work)
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
		if (tally->hashes != NULL ? count_hashes(tally, work)
					  : count(tally, work))
			tally->stage = STAGE_OVER;
		break;
	case STAGE_OVER:
		break;
	}
	return tally->stage != STAGE_OVER;
}

static void
put_reading(struct store *store, const struct tallied_reading *reading)
{
	const uint64_t *changes = reading->changes;

	(void)db_put(store, SQL_READING_SITE,
	    DB_ROW(AS_INT(reading->id), AS_INT(changes[DELTA_ADDED]),
		AS_INT(changes[DELTA_REMOVED]), AS_INT(changes[DELTA_RETURNED]),
		AS_INT(changes[DELTA_GONE]),
		AS_IF(reading->elsewhere != NULL,
		    AS_BLOB(slice_make(
			reading->elsewhere, reading->elsewhere_len))),
		AS_INT(changes[DELTA_LEFT]), AS_INT(changes[DELTA_BACK]),
		AS_INT(reading->sessions)));
	if (reading->elsewhere == NULL)
		return;
	db_put_ints(store, SQL_WINDOW_SHIFTS, 2,
	    (int64_t[]){reading->id, WINDOW_HABIT});
}

void
site_tally_put(const struct site_tally *tally, struct store *store)
{
	if (store->url_hashes != NULL)
		url_hashes_drop(store->url_hashes, tally->site_id);
	/* The site is counted again, without them. */
	if (tally->hashes != NULL && tally->hashes->is_failed)
		return;
	/* What is tallied anew is as that tally says, so it comes last. */
	for (size_t i = 0; i < tally->amended.count; i++) {
		const struct tallied_reading *reading = &tally->amended
							     .items[i];

		if (reading->changes[DELTA_GONE] == 0)
			continue;
		(void)db_put(store, SQL_READING_UNGONE,
		    DB_ROW(AS_INT(reading->id),
			AS_INT(reading->changes[DELTA_GONE]),
			AS_BLOB(slice_make(
			    reading->elsewhere, reading->elsewhere_len))));
	}
	for (size_t i = 0; i < tally->readings.count; i++)
		put_reading(store, &tally->readings.items[i]);
	for (size_t i = 0; i < tally->left_out.count; i++)
		put_reading(store, &tally->left_out.items[i]);
	db_put_ints(store, SQL_TALLY_PUT, 4,
	    (int64_t[]){tally->site_id, tally->numbers.listed,
		tally->numbers.refused, tally->upto_id});
}

struct site_numbers
store_site_numbers(struct store *store, int64_t site_id, bool is_recount)
{
	struct site_numbers numbers;
	struct site_tally *tally;
	bool is_begun = store_read_begin(store);

	if (is_recount) {
		tally = mem_zero(sizeof(*tally));
		*tally = (struct site_tally){.store = store,
		    .site_id = site_id,
		    .key = store_hash_key(store)};
		begin_count(tally);
	} else {
		tally = site_tally_new(store, site_id);
	}
	while (site_tally_some(tally, UINT64_MAX))
		;
	numbers = tally->numbers;
	site_tally_free(tally);
	if (is_begun)
		store_read_end(store);
	return numbers;
}
