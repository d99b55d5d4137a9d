/*
 * One batch of the feed.
 *
 *	COLLECT: the changes of readings, then the outcomes of fetches, then the
 *	         pages that another robots.txt is about, then those of which
 *	         nothing is known any more, then the pages of sites that leave,
 *	         then those of sites that join; each stage begins when nothing
 *	         is left for those before it
 *	JUDGE:   how the store holds each collected page now
 *	TELL:    a line for each page that the consumer must know of
 *
 * A consumer may have applied a batch that it never acknowledges.  What it was
 * told there may be wrong by the time it asks again, and only the sequences
 * know that.  So a site joins and leaves in two steps: a batch puts it into a
 * list of the cursor, and its pages are told when that cursor was acknowledged;
 * whether a site's pages belong into the copy depends on acknowledged cursors
 * alone, not on the watch list.
 */
#include "crawler/feed/feed_batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/robots.h"
#include "base/sort.h"
#include "crawler/feed/feed_cursor.h"
#include "store/feed.h"
#include "store/left_page.h"
#include "store/lookup.h"
#include "store/page.h"
#include "store/proof.h"
#include "store/segment/block.h"
#include "store/site_list.h"
#include "store/watch.h"

/* How many sites join or leave at once: their ids are in the cursor. */
#define SITES_AT_ONCE 1000

/* MEMBER_JOINS: not all of its pages have been told. */
enum membership { MEMBER_LEAVES, MEMBER_JOINS, MEMBER_STAYS };

/* Why a page was collected. */
enum cause {
	CAUSE_SNAPSHOT = 1,
	CAUSE_NEW = 2,
	CAUSE_ACCEPTED = 4,
	CAUSE_ROBOTS = 8,
	CAUSE_TURNED = 16,
	CAUSE_CONTENT = 32,
	CAUSE_RETURNED = 64,
	CAUSE_LASTMOD = 128,
	CAUSE_PURPOSES = 4096,
	/* these alone are no reason for an upsert */
	CAUSE_GONE = 256,
	CAUSE_REFUSED = 512,
	CAUSE_LEFT = 1024,
	CAUSE_UNKNOWN = 2048
};

/* Causes of a page that the consumer may have. */
#define CAUSES_KNOWN                                                \
	(CAUSE_ROBOTS | CAUSE_TURNED | CAUSE_GONE | CAUSE_REFUSED | \
	    CAUSE_LEFT | CAUSE_UNKNOWN)

/* A collected page; its URL is the name of its number. */
struct feed_candidate {
	unsigned causes;
	int64_t site_id; /* of the first cause */
	int64_t new_s; /* when it was new first; 0: it was not */
	double believed; /* of CAUSE_LASTMOD */
	/* how the store holds it now: */
	bool is_known; /* found already: it need not be searched */
	/* an entry that is missed counts, and a page that left a window */
	bool is_listed;
	bool is_fit; /* and by an entry that the feed takes */
	bool is_accepted; /* and that the location rules accept */
	bool is_disallowed; /* by robots.txt */
	struct purposes said; /* by robots.txt */
	/* of the first of these that a site has all of whose pages were told */
	int64_t first_seen_s;
	struct date lastmod; /* the newest of these */
};

struct feed_batch {
	struct feed_options options;
	struct profile profile; /* for robots.txt */
	struct store *store;
	struct feed_cursor cursor;
	struct feed_ends ends;
	enum feed_sequence sequence; /* whose steps are collected */
	bool is_reset; /* the consumer begins anew */
	struct idmap members; /* to an enum membership */
	struct idmap selected; /* sites that the consumer wants */
	struct feed_sites member_ids, selected_ids;
	struct names urls;
	struct feed_candidate *items; /* owned */
	size_t count, cap;
	bool is_full;
	/* The robots.txt that was parsed last, and its origin. */
	struct buf origin;
	struct robots *robots; /* owned */
	bool has_unfit;
};

/* Which sites. */

/* A member of the consumer: its pages belong into the copy, or did so until
 * now. */
static void
on_member(void *arg, int64_t site_id)
{
	struct feed_batch *batch = arg;
	enum membership membership = MEMBER_STAYS;

	if (feed_sites_has(&batch->cursor.leaving, site_id))
		membership = MEMBER_LEAVES;
	else if (feed_sites_has(&batch->cursor.joining, site_id))
		membership = MEMBER_JOINS;
	feed_sites_add(&batch->member_ids, site_id);
	idmap_put(&batch->members, site_id, membership);
}

/* Does the consumer want this site now?  A site without a watch counts as
 * watched without tags. */
static void
on_site(void *arg, int64_t site_id, struct slice host)
{
	struct feed_batch *batch = arg;
	const char *tags = batch->options.consumer->tags;
	struct slice one = slice_of(tags);
	bool is_wanted = one.len == 0 ||
	    (slice_starts(one, slice_of(FEED_SITE)) &&
		slice_equal(slice_from(one, strlen(FEED_SITE)), host));
	struct watch watch;
	struct slice tag;

	if (store_watch_get(batch->store, site_id, &watch)) {
		/* Is one of the site's tags among those of the consumer, which
		 * are words between spaces? */
		while (!is_wanted && slice_next(&tags, ' ', &tag))
			is_wanted = strings_has(&watch.tags, tag);
		is_wanted = is_wanted && watch.is_watched;
		watch_release(&watch);
	}
	if (!is_wanted)
		return;
	feed_sites_add(&batch->selected_ids, site_id);
	idmap_put(&batch->selected, site_id, 1);
}

static bool
is_member(const struct feed_batch *batch, int64_t site_id)
{
	return idmap_get(&batch->members, site_id) != IDMAP_NONE;
}

/* Do pages of the site belong into the consumer's copy now? */
static bool
presents(const struct feed_batch *batch, int64_t site_id)
{
	return is_member(batch, site_id) &&
	    idmap_get(&batch->members, site_id) != MEMBER_LEAVES;
}

/* Beginning. */

/* Does the cursor know of what this store has not had yet? */
static bool
is_ahead(const struct feed_cursor *cursor, const struct feed_ends *ends)
{
	return cursor->reading_id > ends->reading_id ||
	    cursor->outcome_id > ends->outcome_id ||
	    cursor->robots_id > ends->robots_id ||
	    cursor->unknown_id > ends->unknown_id;
}

bool
feed_batch_new(const struct feed_options *options, struct feed_batch **out,
    const char **reset)
{
	struct feed_batch *batch = mem_zero(sizeof(*batch));
	struct feed_cursor *cursor = &batch->cursor;
	const struct feed_ends *ends = &batch->ends;
	struct slice text = slice_of(options->consumer->cursor);

	batch->options = *options;
	batch->profile = profile_default(PROFILE_GOOGLE);
	batch->store = options->store;
	batch->urls = (struct names){.key = store_hash_key(batch->store)};
	store_feed_ends(batch->store, &batch->ends);
	*reset = NULL;
	if (text.len == 0) {
		*reset = "new";
	} else if (!feed_cursor_parse(cursor, text) || is_ahead(cursor, ends)) {
		feed_batch_free(batch);
		return false;
	} else if (ends->pruned_reading_id > cursor->reading_id ||
	    ends->pruned_outcome_id > cursor->outcome_id ||
	    ends->pruned_robots_id > cursor->robots_id ||
	    ends->pruned_unknown_id > cursor->unknown_id) {
		/* Some of what it was not told is forgotten. */
		*reset = "history-pruned";
	}
	if (*reset != NULL) {
		feed_cursor_release(cursor);
		*cursor = (struct feed_cursor){.reading_id = ends->reading_id,
		    .outcome_id = ends->outcome_id,
		    .robots_id = ends->robots_id,
		    .unknown_id = ends->unknown_id};
	} else {
		/* The acknowledgement has put the changes of members into the
		 * store. */
		cursor->joined.count = cursor->left.count = 0;
		store_each_id(batch->store, IDS_OF_FEED, options->consumer->id,
		    on_member, batch);
	}
	cursor->is_reset = batch->is_reset = *reset != NULL;
	cursor->serial = options->consumer->serial;
	store_each_site(batch->store, 0, on_site, batch);
	*out = batch;
	return true;
}

void
feed_batch_free(struct feed_batch *batch)
{
	if (batch == NULL)
		return;
	feed_cursor_release(&batch->cursor);
	free(batch->members.slots);
	free(batch->selected.slots);
	free(batch->member_ids.ids);
	free(batch->selected_ids.ids);
	names_release(&batch->urls);
	robots_free(batch->robots);
	buf_release(&batch->origin);
	free(batch->items);
	free(batch);
}

/* Collecting. */

/* Collect a page; NULL: the batch is full. */
static struct feed_candidate *
collect(
    struct feed_batch *batch, struct slice url, unsigned cause, int64_t site_id)
{
	uint32_t number = names_find(&batch->urls, url);

	if (number == NAMES_NONE && batch->count >= batch->options.limit) {
		batch->is_full = true;
		return NULL;
	}
	if (number == NAMES_NONE) {
		number = names_put(&batch->urls, url);
		*MEM_PUSH(batch->items, batch->count,
		    batch->cap) = (struct feed_candidate){.site_id = site_id,
		    .believed = 1,
		    .first_seen_s = INT64_MAX};
	}
	batch->items[number].causes |= cause;
	return &batch->items[number];
}

/* A page is in the feed if a document has it, missed once or not, and the
 * location rules accept it there, or only the directory rule refuses it: its
 * site may speak for it all the same. */
static bool
is_taken(uint8_t verdict)
{
	return verdict == VERDICT_ACCEPTED || verdict == VERDICT_DIRECTORY;
}

/* Why a change of a document is one of the page; 0: it is none. */
static unsigned
cause_of(const struct feed_step *reading, const struct change *change)
{
	if (!tally_is_of_page(reading->pages, change))
		return 0;
	switch ((enum delta_kind)change->kind) {
	case DELTA_ADDED:
		return CAUSE_NEW;
	case DELTA_RETURNED:
	case DELTA_BACK:
		return CAUSE_RETURNED;
	case DELTA_REDATED:
		return CAUSE_LASTMOD;
	case DELTA_GONE:
		/* A page that was refused was told then, if ever. */
		return is_taken(change->verdict) ? CAUSE_GONE : 0;
	case DELTA_REFUSED:
		return CAUSE_REFUSED;
	case DELTA_ACCEPTED:
		return CAUSE_ACCEPTED;
	case DELTA_REMOVED: /* nothing is gone before a second reading */
	case DELTA_LEFT: /* nor is what only left a window */
	case DELTA_KINDS:
		break;
	}
	return 0;
}

/* The changes of a reading and, if it is whole (TALLY_WHOLE), all entries of
 * its document, merged in the order of URLs. */
struct reading_urls {
	struct block_source *delta, *segment;
	struct block_reader *changes, *entries; /* of them; NULL: not read */
	struct change change;
	struct entry entry;
	bool has_change, has_entry;
};

/* Collect what is behind the cursor of this reading; false if the batch is
 * full. */
static bool
collect_reading(struct feed_batch *batch, const struct feed_step *reading)
{
	char **after = &batch->cursor.reading_url;
	double others = reading->redated > 1 ? (double)(reading->redated - 1)
					     : 0;
	struct reading_urls urls = {0};
	bool goes_on = true;

	if (reading->has_delta) {
		urls.delta = block_source_new(
		    batch->store, BLOCKS_OF_DELTA, reading->id);
		urls.changes = block_source_reader(urls.delta);
		urls.has_change = block_next_change(urls.changes, &urls.change);
	}
	if ((reading->pages & TALLY_WHOLE) != 0) {
		urls.segment = block_source_new(
		    batch->store, BLOCKS_OF_SEGMENT, reading->document_id);
		urls.entries = block_source_reader(urls.segment);
		urls.has_entry = block_next(urls.entries, &urls.entry);
	}
	while (goes_on && (urls.has_change || urls.has_entry)) {
		/* Which of both comes next, as slice_order() has it? */
		int order = urls.has_entry ? 1 : -1;
		struct feed_candidate *page;
		struct slice url;
		unsigned causes = 0;

		if (urls.has_change && urls.has_entry)
			order = slice_order(urls.change.url, urls.entry.url);
		url = order <= 0 ? urls.change.url : urls.entry.url;
		if (order <= 0)
			causes = cause_of(reading, &urls.change);
		if (order >= 0 && urls.entry.missed == 0)
			causes |= (reading->pages & TALLY_PAGES) != 0
			    ? CAUSE_NEW
			    : CAUSE_GONE;
		if (causes != 0 &&
		    (*after == NULL ||
			slice_order(url, slice_of(*after)) > 0)) {
			page = collect(batch, url, causes, reading->site_id);
			if (page == NULL) {
				goes_on = false;
				break;
			}
			if ((causes & CAUSE_NEW) != 0 && page->new_s == 0)
				page->new_s = reading->at_s;
			/* A site that re-dates all pages at once tells nothing
			 * about any of them. */
			if ((causes & CAUSE_LASTMOD) != 0)
				page->believed = others < (double)reading->dated
				    ? 1 - others / (double)reading->dated
				    : 0;
			/* The batch may be full with this page; then the next
			 * one begins behind it. */
			if (batch->count == batch->options.limit) {
				free(*after);
				*after = slice_dup(url);
			}
		}
		if (order <= 0)
			urls.has_change = block_next_change(
			    urls.changes, &urls.change);
		if (order >= 0)
			urls.has_entry = block_next(urls.entries, &urls.entry);
	}
	block_source_close(urls.delta, "reading", reading->id);
	block_source_close(urls.segment, "reading", reading->id);
	return goes_on;
}

/* robots.txt. */

static struct robots *
batch_parse(const struct feed_batch *batch, struct slice body)
{
	return robots_parse(body, slice_of(ROBOTS_PRODUCT), &batch->profile,
	    (struct diag_sink){0});
}

/* May a page be fetched, as far as the last good robots.txt of its origin says,
 * and for what?  That its purposes are refused changes no verdict: the consumer
 * judges them. */
static struct robots_verdict
batch_judge(struct feed_batch *batch, struct slice url)
{
	size_t len = 0, slashes = 0;

	/* The origin ends at the third slash. */
	while (len < url.len && (slashes += url.p[len] == '/') < 3)
		len++;
	/* Parse the present robots.txt of an origin, as of the last good
	 * answer. */
	struct slice origin = slice_make(url.p, len);
	if (batch->origin.len == 0 ||
	    !slice_equal(buf_text(&batch->origin), origin)) {
		struct robots_fact fact;
		struct buf body = BUF_UP_TO(SIZE_MAX);

		buf_clear(&batch->origin);
		(void)buf_put_slice(&batch->origin, origin);
		robots_free(batch->robots);
		batch->robots = NULL;
		if (store_robots_get(batch->store, origin, &fact, &body) &&
		    fact.has_body)
			batch->robots = batch_parse(batch, fact.body);
		buf_release(&body);
	}
	return robots_verdict(batch->robots, slice_from(url, len));
}

/* The step of the sequence that is at hand. */
struct robots_step {
	struct feed_batch *batch;
	struct slice origin;
	struct robots *former; /* owned */
};

/* Collect the pages of a site on which the former and the present text differ.
 */
static void
on_origin_site(void *arg, int64_t site_id)
{
	struct robots_step *step = arg;
	struct feed_batch *batch = step->batch;
	struct feed_place *place = &batch->cursor.robots;
	struct site_list *list;
	struct entry entry;
	int64_t document_id;

	if (batch->is_full || site_id < place->site_id ||
	    !is_member(batch, site_id))
		return;
	if (site_id > place->site_id || place->url == NULL)
		feed_place_set(place, site_id, step->origin);
	list = site_list_new(
	    batch->store, site_id, slice_of(place->url), SITE_LIST_FEW);
	while (site_list_next(list, &document_id, &entry) &&
	    slice_starts(entry.url, step->origin)) {
		struct slice target = slice_from(entry.url, step->origin.len);
		struct robots_verdict was, is;

		/* The origin of the page may be longer. */
		if (target.len > 0 && target.p[0] != '/')
			continue;
		was = robots_verdict(step->former, target);
		is = batch_judge(batch, entry.url);
		if (was.is_allowed == is.is_allowed &&
		    was.said.yes == is.said.yes && was.said.no == is.said.no)
			continue;
		if (collect(batch, entry.url,
			was.is_allowed == is.is_allowed ? CAUSE_PURPOSES
							: CAUSE_ROBOTS,
			site_id) == NULL)
			break;
		feed_place_set(place, site_id, entry.url);
	}
	site_list_free(list);
	if (!batch->is_full)
		feed_place_set(place, site_id + 1, slice_of(""));
}

/* A step of the sequence that is at hand.  It is told as a whole, and the
 * cursor stands behind it, or the batch is full. */
static bool
batch_on_step(void *arg, const struct feed_step *step)
{
	struct feed_batch *batch = arg;
	struct feed_cursor *cursor = &batch->cursor;
	bool is_ours = is_member(batch, step->site_id);
	unsigned causes = (step->is_changed ? CAUSE_CONTENT : 0) |
	    (step->has_turned ? CAUSE_TURNED : 0);
	struct robots_step robots = {.batch = batch, .origin = step->url};

	switch (batch->sequence) {
	case FEED_READINGS:
		/* The URL of the cursor belongs to the next reading of the
		 * sequence, which may have been removed from the store
		 * since. */
		if (is_ours && !collect_reading(batch, step))
			return false;
		cursor->reading_id = step->id;
		free(cursor->reading_url);
		cursor->reading_url = NULL;
		break;
	case FEED_OUTCOMES:
		if (collect(batch, step->url, causes, step->site_id) == NULL)
			return false;
		cursor->outcome_id = step->id;
		break;
	case FEED_ROBOTS:
		/* A robots.txt was replaced: pages on which both texts differ
		 * are collected, of all sites with pages at that origin. */
		robots.former = batch_parse(batch, step->body);
		store_each_id(batch->store, IDS_OF_ORIGIN, step->origin_id,
		    on_origin_site, &robots);
		robots_free(robots.former);
		if (batch->is_full)
			return false;
		cursor->robots_id = step->id;
		feed_place_set(&cursor->robots, 0, slice_of(""));
		break;
	case FEED_UNKNOWN:
		/* a page of which nothing is known any more */
		if (is_ours &&
		    collect(batch, step->url, CAUSE_UNKNOWN, step->site_id) ==
			NULL)
			return false;
		cursor->unknown_id = step->id;
		break;
	}
	return true;
}

/* Sites that leave, and that join. */

/* Collect the pages of a site behind the place; false if the batch is full. */
static bool
collect_site(struct feed_batch *batch, struct feed_place *place, unsigned cause)
{
	int64_t site_id = place->site_id;
	struct site_list *list = site_list_new(
	    batch->store, site_id, slice_of(place->url), SITE_LIST_FEW);
	struct feed_candidate *page;
	struct entry entry;
	int64_t document_id;

	while (!batch->is_full && site_list_next(list, &document_id, &entry)) {
		if (cause == CAUSE_LEFT && !is_taken(entry.verdict))
			continue;
		page = collect(batch, entry.url, cause, site_id);
		if (page == NULL)
			break;
		feed_place_set(place, site_id, entry.url);
		if (cause != CAUSE_SNAPSHOT || page->causes != cause ||
		    entry.verdict != VERDICT_ACCEPTED)
			continue;
		page->is_known = page->is_listed = page->is_fit = true;
		page->is_accepted = true;
		page->lastmod = entry.lastmod;
	}
	site_list_free(list);
	return !batch->is_full;
}

/* Collect the pages of sites that join or leave. */
static void
collect_sites(struct feed_batch *batch, unsigned cause)
{
	struct feed_cursor *cursor = &batch->cursor;
	bool leaves = cause == CAUSE_LEFT;
	struct feed_sites *sites = leaves ? &cursor->leaving : &cursor->joining;
	struct feed_sites *done = leaves ? &cursor->left : &cursor->joined;
	struct feed_place *place = leaves ? &cursor->leaving_at
					  : &cursor->joining_at;

	while (sites->count > 0) {
		if (!feed_sites_has(sites, place->site_id))
			feed_place_set(place, sites->ids[0], slice_of(""));
		if (!collect_site(batch, place, cause))
			return;
		feed_sites_add(done, place->site_id);
		feed_sites_remove(sites, place->site_id);
	}
	feed_place_set(place, 0, slice_of(""));
}

/* Collect what the consumer is to be told, stage after stage, until the batch
 * is full.  A stage that is over leaves its sequence at its end. */
static void
collect_all(struct feed_batch *batch)
{
	struct feed_cursor *cursor = &batch->cursor;
	bool goes_on = true;
	const struct {
		enum feed_sequence sequence;
		int64_t after_id;
		int64_t *told_id; /* NULL: as far as its steps go */
		int64_t end_id;
	} sequences[] = {
	    {FEED_READINGS, cursor->reading_id + 1, &cursor->reading_id,
		batch->ends.reading_id},
	    {FEED_OUTCOMES, cursor->outcome_id, &cursor->outcome_id,
		batch->ends.outcome_id},
	    {FEED_ROBOTS, cursor->robots_id, NULL, 0},
	    {FEED_UNKNOWN, cursor->unknown_id, &cursor->unknown_id,
		batch->ends.unknown_id},
	};

	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++) {
		batch->sequence = sequences[i].sequence;
		store_each_feed_step(batch->store, batch->sequence,
		    sequences[i].after_id, batch_on_step, batch);
		if (batch->is_full)
			return;
		if (sequences[i].told_id != NULL)
			*sequences[i].told_id = sequences[i].end_id;
	}

	/* Members that are not wanted any more leave with the next batch. */
	collect_sites(batch, CAUSE_LEFT);
	for (size_t i = 0; i < batch->member_ids.count && !batch->is_full &&
	     cursor->leaving.count < SITES_AT_ONCE;
	     i++) {
		int64_t id = batch->member_ids.ids[i];

		if (!presents(batch, id) ||
		    idmap_get(&batch->selected, id) != IDMAP_NONE)
			continue;
		feed_sites_add(&cursor->leaving, id);
		/* It need not be told what has not been told yet. */
		feed_sites_remove(&cursor->joining, id);
	}
	batch->is_full = batch->is_full || cursor->leaving.count > 0;
	if (batch->is_full)
		return;

	/* Sites that are wanted join with the next batch, but for one that has
	 * left in this one. */
	collect_sites(batch, CAUSE_SNAPSHOT);
	if (batch->is_full)
		return;
	for (size_t i = 0; i < batch->selected_ids.count && goes_on; i++) {
		int64_t id = batch->selected_ids.ids[i];
		bool has_left = feed_sites_has(&cursor->left, id);

		if (is_member(batch, id) && !has_left)
			continue;
		if (batch->is_reset && batch->options.begins_now) {
			feed_sites_add(&cursor->joined, id);
			continue;
		}
		goes_on = cursor->joining.count < SITES_AT_ONCE && !has_left;
		if (!goes_on)
			break;
		feed_sites_add(&cursor->joining, id);
		/* Whoever begins anew forgets what was told without an
		 * acknowledgement: all sites join at once. */
		if (batch->is_reset)
			idmap_put(&batch->members, id, MEMBER_JOINS);
	}
	if (batch->is_reset)
		collect_sites(batch, CAUSE_SNAPSHOT);
	batch->is_full = !goes_on || cursor->joining.count > 0;
}

/* Judging. */

/* The pages that are searched; rows[i] is of candidate numbers[i]. */
struct page_search {
	struct feed_batch *batch;
	struct listed *rows; /* owned */
	uint32_t *numbers; /* owned */
};

/* A document lists a page that is searched: note how. */
static void
batch_on_entry(void *arg, struct listed *row, int64_t site_id,
    int64_t document_id, const struct entry *entry)
{
	struct page_search *search = arg;
	struct feed_candidate
	    *page = &search->batch->items[search->numbers[row - search->rows]];

	(void)document_id;
	if (!presents(search->batch, site_id))
		return;
	page->is_listed = true;
	if (!is_taken(entry->verdict))
		return;
	if (idmap_get(&search->batch->members, site_id) == MEMBER_STAYS &&
	    entry->first_seen_s < page->first_seen_s)
		page->first_seen_s = entry->first_seen_s;
	if (!page->is_fit || entry->lastmod.epoch_s > page->lastmod.epoch_s)
		page->lastmod = entry->lastmod;
	page->is_fit = true;
	page->is_accepted = page->is_accepted ||
	    entry->verdict == VERDICT_ACCEPTED;
}

/* Find how the store holds the collected pages now: in one pass over the
 * documents for all of them, because each block is decoded once then. */
static void
search_pages(struct feed_batch *batch)
{
	struct page_search search = {.batch = batch};
	struct listed_search *listed;
	size_t count = 0;

	search.rows = mem_zero((batch->count + 1) * sizeof(*search.rows));
	search.numbers = mem_zero((batch->count + 1) * sizeof(*search.numbers));
	for (uint32_t i = 0; i < batch->count; i++) {
		if (batch->items[i].is_known)
			continue;
		search.numbers[count] = i;
		search.rows[count++].url = slice_of(
		    names_text(&batch->urls, i));
	}
	if (count > 0) {
		listed = listed_search_new(
		    batch->store, search.rows, count, batch_on_entry, &search);
		while (listed_search_some(listed, UINT32_MAX))
			;
		listed_search_free(listed);
	}
	free(search.rows);
	free(search.numbers);
	/* A page that left a window is held as the window listed it last. */
	for (uint32_t i = 0; i < batch->count; i++) {
		struct feed_candidate *page = &batch->items[i];
		struct left_page left;

		if (page->is_listed || !presents(batch, page->site_id) ||
		    !store_left_page(batch->store, page->site_id,
			slice_of(names_text(&batch->urls, i)), &left))
			continue;
		page->is_listed = true;
		page->is_fit = is_taken(left.verdict);
		page->is_accepted = left.verdict == VERDICT_ACCEPTED;
	}
}

struct asked_page {
	const char *url;
	struct feed_candidate *page;
};

static const struct sort_key asked_by_url[] = {
    {SORT_KEY(struct asked_page, url), false}, {0}};

/* Telling. */

/* Why the page must not be in the consumer's copy; NULL: it belongs there. */
static const char *
why_absent(struct feed_batch *batch, const struct feed_candidate *page,
    struct slice url)
{
	int64_t unfit; /* enum page_unfit, or as a later version says */

	if (!page->is_listed && (page->causes & CAUSE_LEFT) != 0)
		return "site-left";
	if (!page->is_listed &&
	    (page->causes & (CAUSE_UNKNOWN | CAUSE_GONE)) == CAUSE_UNKNOWN)
		return "unknown";
	if (!page->is_listed)
		return "gone";
	if (!page->is_fit)
		return "refused";
	if (page->is_disallowed)
		return "disallowed";
	unfit = batch->has_unfit ? store_number(batch->store, STORE_UNFIT,
				       store_page_find(batch->store, url), 0)
				 : PAGE_FIT;
	if (unfit == PAGE_NOT_FOUND)
		return "not-found";
	if (unfit == PAGE_ELSEWHERE)
		return "moved";
	return unfit == PAGE_NOINDEX ? "noindex" : NULL;
}

/* The first of these that is a cause is told. */
static const struct {
	unsigned cause;
	const char *why;
} reasons[] = {{CAUSE_SNAPSHOT, "snapshot"}, {CAUSE_NEW, "new"},
    {CAUSE_ACCEPTED, "accepted"}, {CAUSE_ROBOTS, "allowed"},
    {CAUSE_TURNED, "fit"}, {CAUSE_CONTENT, "content"},
    {CAUSE_RETURNED, "returned"}, {CAUSE_LASTMOD, "lastmod"},
    {CAUSE_PURPOSES, "purposes"}};

/* Tell a page, if the consumer must know of it.  A delete is told only of a
 * page that it may have. */
static bool
batch_tell(
    struct feed_batch *batch, uint32_t number, feed_page_fn *fn, void *arg)
{
	const struct feed_candidate *page = &batch->items[number];
	struct feed_page line = {
	    .url = slice_of(names_text(&batch->urls, number)),
	    .site_id = page->site_id,
	    .believed = 1};

	line.why = why_absent(batch, page, line.url);
	line.is_delete = line.why != NULL;
	if (line.is_delete && (page->causes & CAUSES_KNOWN) == 0)
		return true;
	if (!line.is_delete) {
		/* Another document had it before: it was told then. */
		bool was_there = (page->causes & ~(unsigned)CAUSE_NEW) == 0 &&
		    !page->is_known && page->first_seen_s < page->new_s;

		for (size_t i = 0; line.why == NULL && !was_there &&
		     i < sizeof(reasons) / sizeof(reasons[0]);
		     i++)
			if ((page->causes & reasons[i].cause) != 0)
				line.why = reasons[i].why;
		line.purposes = page->said;
		line.lastmod = page->lastmod;
		line.is_outside = !page->is_accepted;
		if (line.why != NULL && strcmp(line.why, "lastmod") == 0)
			line.believed = page->believed;
	}
	return line.why == NULL || fn(arg, &line);
}

bool
feed_batch_run(struct feed_batch *batch, feed_page_fn *fn, void *arg,
    struct buf *cursor, bool *has_more)
{
	bool goes_on = true;

	collect_all(batch);
	search_pages(batch);
	/* In the order of URLs, so that each robots.txt is parsed once. */
	struct asked_page *asked = mem_zero(
	    (batch->count + 1) * sizeof(*asked));
	size_t count = 0;

	for (uint32_t i = 0; i < batch->count; i++)
		if (batch->items[i].is_fit)
			asked[count++] = (struct asked_page){
			    names_text(&batch->urls, i), &batch->items[i]};
	sort_rows(asked, count, sizeof(*asked), asked_by_url);
	for (size_t i = 0; i < count; i++) {
		struct robots_verdict verdict = batch_judge(
		    batch, slice_of(asked[i].url));

		asked[i].page->is_disallowed = !verdict.is_allowed;
		asked[i].page->said = verdict.said;
	}
	free(asked);
	batch->has_unfit = store_number(batch->store, STORE_HAS_UNFIT, 0, 0) !=
	    0;
	for (uint32_t i = 0; i < batch->count && goes_on; i++)
		goes_on = batch_tell(batch, i, fn, arg);
	if (!goes_on || store_failed(batch->store) != DIAG_OK)
		return false;
	feed_cursor_print(&batch->cursor, cursor);
	*has_more = batch->is_full;
	return true;
}

/* A consumer acknowledges what it applied, in its own time; a cursor of a
 * consumer that was forgotten since has another serial. */
bool
feed_ack(struct store *store, const struct feed_consumer *consumer,
    struct slice text, int64_t now_s)
{
	struct feed_cursor cursor;
	const struct {
		const struct feed_sites *sites;
		bool is_member;
	} changes[] = {{&cursor.left, false}, {&cursor.joining, true},
	    {&cursor.joined, true}};
	struct feed_ends ends;
	bool is_good;

	store_feed_ends(store, &ends);
	is_good = feed_cursor_parse(&cursor, text) &&
	    cursor.serial == consumer->serial && !is_ahead(&cursor, &ends);
	if (is_good) {
		if (cursor.is_reset)
			store_feed_member(store, consumer->id, 0, false);
		for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]);
		     i++)
			for (size_t k = 0; k < changes[i].sites->count; k++)
				store_feed_member(store, consumer->id,
				    changes[i].sites->ids[k],
				    changes[i].is_member);
		store_feed_ack(store, consumer->id, text, now_s);
	}
	feed_cursor_release(&cursor);
	return is_good;
}
