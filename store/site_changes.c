/*
 * Pages of a site that moved.
 *
 * 1. Read the changes of the site by which pages came (ADDED) and went (GONE):
 *    the events.
 * 2. Pair the events whose URLs the user named, one and what it became.
 * 3. Pair the events whose URLs differ in scheme or `www.` only, and then those
 *    that differ in spelling only (base/spelling.h), whose keys are the same.
 * 4. Guess for each other URL that went what it became: a URL that came, with
 *    the same rest of its key behind another prefix.  Each guess is a vote for
 *    this pair of prefixes.
 * 5. In the order of votes, pair all events that have these prefixes, if there
 *    is evidence for the renaming.
 * 6. Pair the events of which a fetcher reported that the one URL redirects to
 *    the other.
 *
 * If a URL came and went more than once, the first event of its going is paired
 * with the first event of its coming.
 */
#include "store/site_changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/renaming.h"
#include "base/spelling.h"
#include "base/url.h"
#include "store/changes.h"
#include "store/db.h"
#include "store/page.h"
#include "store/query.h"
#include "store/site_list.h"

#define PAIRS_LEAST 5 /* pages that a renamed prefix must have */
#define VOTES_LEAST 2 /* votes that two prefixes need before they are tried */
#define RESTS_MOST 8 /* rests of a URL that are tried, the shortest first */
#define GROUP_MOST 32 /* events with the same key or rest; more say nothing */
#define TRIES_MOST 4000000 /* events that are looked at for all prefixes */
#define LOOKS_MOST 4000000 /* likewise pages that are listed */
#define LETTERS_LEAST 4 /* that a rest needs in order to be a name */
#define LONG_LEAST 3 /* digits of a long number */
/* A renaming is one change of a site: what goes and what comes is seen within
 * a day of each other, or two if the two sitemaps are not read together. */
#define TOGETHER_S (2 * INT64_C(86400))
#define NONE UINT32_MAX

/* A page came to the site, or left it.  Events are named by their index. */
struct event {
	struct moved_page page; /* the url in it is owned */
	struct slice key; /* owned; see base/spelling.h */
	uint32_t other; /* the other event of its pair; NONE: not paired */
	uint32_t guess; /* if GONE: the event of what it may have become */
	uint32_t rest; /* how many bytes both keys end with; 0: no guess */
	/* If GONE: pages of this class lie in one folder, and their last
	 * segments differ in digits only. */
	uint64_t class;
	uint64_t name; /* if GONE: the hash of the last segment; 0: no name */
	bool is_configured; /* if GONE: the user gave its pair */
	struct move_star star; /* if so: what stands for it */
	/* If GONE and paired by a renamed prefix: when there were enough pairs.
	 */
	int64_t enough_s;
	/* If GONE: when its URL was first seen to redirect to that of its pair;
	 * 0: never. */
	int64_t redirect_s;
	bool is_redirected; /* if GONE: nothing else proves its pair */
};

/* An event, and the hash of its key or of one of its rests. */
struct hashed_event {
	uint64_t hash;
	uint32_t event;
	uint32_t rest; /* bytes of the rest */
};

/* A vote that one prefix was renamed to another. */
struct vote {
	uint64_t from, to; /* hashes of the prefixes */
	uint32_t event; /* the GONE event whose guess is this vote */
	uint32_t count; /* votes for the same prefixes */
};

struct site_changes {
	struct event *events; /* owned */
	size_t count, cap;
	bool is_compared;
	uint64_t key; /* of hashes */
	uint32_t *gone, *added, *removed; /* owned; events in order of URLs */
	uint32_t *gone_keys, *added_keys; /* owned; the same in order of keys */
	struct store *store; /* borrowed, while the pairs are looked for */
	int64_t site_id;
	bool has_redirects;
	size_t looks; /* pages of the site's listing that were looked at */
	size_t gone_count, added_count, removed_count;
	struct move *moves; /* owned */
	size_t move_count, move_cap;
	struct move_part *parts; /* owned; in order of readings and places */
	size_t part_count;
};

/* A change of a reading that belongs to a move. */
struct move_part {
	int64_t reading_id;
	uint32_t at;
	uint32_t move;
	enum delta_kind kind;
};

/* Step 1: the events. */

/* What the last segment of a key is called: its text, where all runs of digits
 * are alike.  A name has some letters; numbers have none. */
struct segment {
	uint64_t class, name;
};

static struct segment
segment_of(const struct site_changes *changes, struct slice key)
{
	struct segment segment = {0};
	struct buf text;
	size_t folder, letters = 0;

	for (folder = key.len; folder > 0 && key.p[folder - 1] != '/';)
		folder--;
	buf_init(&text, SIZE_MAX);
	for (size_t i = folder; i < key.len; i++) {
		bool is_digit = key.p[i] >= '0' && key.p[i] <= '9';

		/* a letter of another script is %XX */
		if (key.p[i] == '%' && key.len - i > 2) {
			(void)buf_put_slice(&text, slice_make(key.p + i, 3));
			i += 2;
			letters++;
			continue;
		}
		letters += key.p[i] >= 'a' && key.p[i] <= 'z';
		if (is_digit && i > folder && key.p[i - 1] >= '0' &&
		    key.p[i - 1] <= '9')
			continue;
		(void)buf_put_char(&text, is_digit ? '0' : key.p[i]);
	}
	if (letters >= LETTERS_LEAST)
		segment.name = hash_key(buf_text(&text), changes->key) | 1;
	segment.class = hash_key(
	    buf_text(&text), hash_key(slice_make(key.p, folder), changes->key));
	buf_release(&text);
	return segment;
}

static void
add_event(struct site_changes *changes, const struct moved_page *page)
{
	struct event *event;
	struct segment segment;
	struct buf key;

	changes->events = mem_grow(changes->events, &changes->cap,
	    changes->count + 1, sizeof(*changes->events));
	event = &changes->events[changes->count++];
	*event = (struct event){.page = *page, .other = NONE, .guess = NONE};
	event->page.url = slice_make(slice_dup(page->url), page->url.len);
	buf_init(&key, SIZE_MAX);
	spelling_key(&key, page->url);
	event->key = slice_make(slice_dup(buf_text(&key)), key.len);
	buf_release(&key);
	if (page->kind != DELTA_GONE)
		return;
	segment = segment_of(changes, event->key);
	event->class = segment.class;
	event->name = segment.name;
}

/* A reading in which pages of the site came or went. */
struct changing {
	int64_t id, document_id, at_s, since_s;
};

/* Add the events of a reading. */
static void
add_changes(struct site_changes *changes, struct store *store,
    const struct changing *reading)
{
	struct moved_page page = {.reading_id = reading->id,
	    .document_id = reading->document_id,
	    .read_s = reading->at_s};
	struct reading_row row = {
	    .at_s = reading->at_s, .since_s = reading->since_s};
	struct block_source *source = block_source_delta(
	    store, page.reading_id);
	struct block_reader *reader = block_source_reader(source);
	struct change change;
	struct buf bits;

	buf_init(&bits, SIZE_MAX);
	store_elsewhere(store, page.reading_id, &bits);
	for (; block_next_change(reader, &change); page.at++) {
		if ((change.kind != DELTA_ADDED && change.kind != DELTA_GONE &&
			change.kind != DELTA_REMOVED) ||
		    elsewhere_has(buf_text(&bits), page.at))
			continue;
		page.url = change.url;
		page.kind = change.kind;
		page.verdict = change.verdict;
		page.at_s = reading_at_s(&row, change.kind);
		page.lastmod = change.kind == DELTA_ADDED ? change.after
							  : change.before;
		add_event(changes, &page);
	}
	if (block_reader_damaged(reader))
		db_damaged(store, NULL,
		    "reading %lld: its blocks cannot be decoded",
		    (long long)page.reading_id);
	block_source_free(source);
	buf_release(&bits);
}

static void
read_changes(struct site_changes *changes, struct store *store, int64_t site_id,
    int64_t from_s)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_SITE_CHANGING);
	struct changing *rows = NULL;
	size_t row_count = 0, cap = 0;
	uint64_t count = 0;

	db_bind_int(stmt, 1, site_id);
	db_bind_int(
	    stmt, 2, from_s > CHANGES_APART_S ? from_s - CHANGES_APART_S : 0);
	/* Each reading has a change, so these are no more than CHANGES_MOST. */
	while (count <= CHANGES_MOST && db_row(store, stmt)) {
		rows = mem_grow(rows, &cap, row_count + 1, sizeof(*rows));
		rows[row_count++] = (struct changing){
		    .id = db_id(store, stmt, 0),
		    .document_id = db_id(store, stmt, 1),
		    .at_s = db_time(store, stmt, 2),
		    .since_s = db_time(store, stmt, 3)};
		count += db_count(store, stmt, 4);
	}
	db_done(stmt);
	changes->is_compared = count <= CHANGES_MOST;
	/* A damaged store may have more changes than it counts. */
	for (size_t i = 0; i < row_count && changes->is_compared &&
	     changes->count <= CHANGES_MOST;
	     i++)
		add_changes(changes, store, &rows[i]);
	free(rows);
}

static int
by_url(const void *a, const void *b)
{
	const struct event *one = a, *other = b;
	int order = slice_order(one->page.url, other->page.url);

	if (order != 0)
		return order;
	if (one->page.at_s != other->page.at_s)
		return one->page.at_s < other->page.at_s ? -1 : 1;
	return one->page.reading_id < other->page.reading_id
	    ? -1
	    : one->page.reading_id > other->page.reading_id;
}

/* An event in the order of keys; among the same ones, of events. */
struct keyed {
	struct slice key;
	uint32_t event;
};

static int
by_key(const void *a, const void *b)
{
	const struct keyed *one = a, *other = b;
	int order = slice_order(one->key, other->key);

	if (order != 0)
		return order;
	return one->event < other->event ? -1 : one->event > other->event;
}

/* The events of a list in order of keys; owned by the caller. */
static uint32_t *
sort_keys(
    const struct site_changes *changes, const uint32_t *list, size_t count)
{
	struct keyed *items = mem_zero((count + 1) * sizeof(*items));
	uint32_t *sorted = mem_zero((count + 1) * sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		items[i] = (struct keyed){
		    changes->events[list[i]].key, list[i]};
	qsort(items, count, sizeof(*items), by_key);
	for (size_t i = 0; i < count; i++)
		sorted[i] = items[i].event;
	free(items);
	return sorted;
}

static void
sort_events(struct site_changes *changes)
{
	size_t size = (changes->count + 1) * sizeof(*changes->gone);

	if (changes->count > 0)
		qsort(changes->events, changes->count, sizeof(*changes->events),
		    by_url);
	changes->gone = mem_zero(size);
	changes->added = mem_zero(size);
	changes->removed = mem_zero(size);
	for (uint32_t i = 0; i < changes->count; i++) {
		uint8_t kind = changes->events[i].page.kind;

		if (kind == DELTA_GONE)
			changes->gone[changes->gone_count++] = i;
		else if (kind == DELTA_ADDED)
			changes->added[changes->added_count++] = i;
		else
			changes->removed[changes->removed_count++] = i;
	}
	changes->gone_keys = sort_keys(
	    changes, changes->gone, changes->gone_count);
	changes->added_keys = sort_keys(
	    changes, changes->added, changes->added_count);
}

/* The position in a sorted list of the first event whose URL is not below url.
 */
static size_t
first_of(const struct site_changes *changes, const uint32_t *list, size_t count,
    struct slice url)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (slice_order(changes->events[list[mid]].page.url, url) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The same in a list that is sorted by keys. */
static size_t
first_of_key(const struct site_changes *changes, const uint32_t *list,
    size_t count, struct slice key)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (slice_order(changes->events[list[mid]].key, key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* May the two events form a pair, as far as their URLs do not matter? */
static bool
may_pair(const struct event *from, const struct event *to)
{
	int64_t apart_s = from->page.at_s - to->page.at_s;

	return from->page.kind == DELTA_GONE && to->page.kind == DELTA_ADDED &&
	    from->other == NONE && to->other == NONE &&
	    apart_s <= CHANGES_APART_S && apart_s >= -CHANGES_APART_S &&
	    !slice_equal(from->page.url, to->page.url);
}

static void
pair(struct site_changes *changes, uint32_t from, uint32_t to)
{
	changes->events[from].other = to;
	changes->events[to].other = from;
}

/* The first event by which url came and which may pair with `from`, or NONE. */
static uint32_t
find_added(const struct site_changes *changes, uint32_t from, struct slice url)
{
	size_t i = first_of(changes, changes->added, changes->added_count, url);

	for (; i < changes->added_count &&
	     slice_equal(changes->events[changes->added[i]].page.url, url);
	     i++)
		if (may_pair(&changes->events[from],
			&changes->events[changes->added[i]]))
			return changes->added[i];
	return NONE;
}

/* The same for a key. */
static uint32_t
find_added_key(
    const struct site_changes *changes, uint32_t from, struct slice key)
{
	const uint32_t *added = changes->added_keys;
	size_t i = first_of_key(changes, added, changes->added_count, key);

	for (; i < changes->added_count &&
	     slice_equal(changes->events[added[i]].key, key);
	     i++)
		if (may_pair(
			&changes->events[from], &changes->events[added[i]]))
			return added[i];
	return NONE;
}

/* Step 2: renamings that the user gave. */

/* Pair a page that went with what it became, as the first renaming says whose
 * new URL came.  `url` is room for one URL. */
static void
pair_renamed(struct site_changes *changes, uint32_t from,
    const struct renamings *renamings, struct buf *url)
{
	struct event *event = &changes->events[from];
	struct slice path = url_path_of(event->page.url);
	struct renamed renamed;
	size_t at = 0;

	while (renamings_next(renamings, &at, path, &renamed)) {
		uint32_t to;

		buf_clear(url);
		(void)buf_put_slice(url,
		    slice_make(
			event->page.url.p, event->page.url.len - path.len));
		(void)buf_put_slice(url, renamed.to);
		(void)buf_put_slice(url, renamed.rest);
		(void)buf_put_slice(url, renamed.tail);
		to = find_added(changes, from, buf_text(url));
		if (to == NONE)
			continue;
		pair(changes, from, to);
		event->is_configured = true;
		event->star = (struct move_star){(uint32_t)renamed.rest.len,
		    (uint32_t)(path.len - renamed.rest.len -
			(size_t)(renamed.rest.p - path.p)),
		    (uint32_t)renamed.tail.len};
		return;
	}
}

/* When a page went. */
struct going {
	int64_t at_s;
	uint32_t event;
};

static int
by_going(const void *a, const void *b)
{
	const struct going *one = a, *other = b;

	if (one->at_s != other->at_s)
		return one->at_s < other->at_s ? -1 : 1;
	return one->event < other->event ? -1 : one->event > other->event;
}

/* The pages that went, the first one first; owned by the caller. */
static struct going *
goings_of(const struct site_changes *changes)
{
	struct going *goings = mem_zero(changes->gone_count * sizeof(*goings));

	for (size_t i = 0; i < changes->gone_count; i++)
		goings[i] = (struct going){
		    changes->events[changes->gone[i]].page.at_s,
		    changes->gone[i]};
	qsort(goings, changes->gone_count, sizeof(*goings), by_going);
	return goings;
}

static void
pair_configured(struct site_changes *changes, const struct going *goings,
    const struct renamings *renamings)
{
	struct buf url;

	if (renamings == NULL)
		return;
	buf_init(&url, SIZE_MAX);
	for (size_t i = 0; i < changes->gone_count; i++)
		pair_renamed(changes, goings[i].event, renamings, &url);
	buf_release(&url);
}

/* Groups of events with the same hash. */

static struct hashed_event *
add_hashed(struct hashed_event *items, size_t *count, size_t *cap,
    struct hashed_event item)
{
	items = mem_grow(items, cap, *count + 1, sizeof(*items));
	items[(*count)++] = item;
	return items;
}

/* Compare by hash, then by the order of events: by URL and time. */
static int
by_hash(const void *a, const void *b)
{
	const struct hashed_event *one = a, *other = b;

	if (one->hash != other->hash)
		return one->hash < other->hash ? -1 : 1;
	return one->event < other->event ? -1 : one->event > other->event;
}

typedef void group_fn(
    struct site_changes *, const struct hashed_event *items, size_t count);

static void
each_group(struct site_changes *changes, struct hashed_event *items,
    size_t count, group_fn *fn)
{
	if (count > 0)
		qsort(items, count, sizeof(*items), by_hash);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && items[end].hash == items[i].hash;)
			end++;
		if (end - i > 1 && end - i <= GROUP_MOST)
			fn(changes, &items[i], end - i);
	}
}

/* Step 3: URLs that differ in scheme or `www.`, or in spelling only. */

/* Pair the events of a group.  In each step the first page that came is paired
 * with the first of the pages that went and may have become it. */
static void
pair_group(struct site_changes *changes, const struct hashed_event *items,
    size_t count)
{
	for (;;) {
		uint32_t to = NONE, from = NONE;

		for (size_t i = 0; i < count * count; i++) {
			uint32_t a = items[i / count].event;
			uint32_t b = items[i % count].event;
			const struct event *gone = &changes->events[a];
			const struct event *added = &changes->events[b];

			if (!may_pair(gone, added) ||
			    !slice_equal(gone->key, added->key))
				continue;
			if (to != NONE &&
			    (added->page.at_s > changes->events[to].page.at_s ||
				(added->page.at_s ==
					changes->events[to].page.at_s &&
				    gone->page.at_s >=
					changes->events[from].page.at_s)))
				continue;
			to = b;
			from = a;
		}
		if (to == NONE)
			return;
		pair(changes, from, to);
	}
}

/* Pair what has the same key, and, if is_narrow, is spelt alike, too. */
static void
pair_same_keys(struct site_changes *changes, bool is_narrow)
{
	struct hashed_event *items = NULL;
	size_t count = 0, cap = 0;

	for (uint32_t i = 0; i < changes->count; i++) {
		const struct event *event = &changes->events[i];

		if (event->page.kind != DELTA_REMOVED && event->other == NONE)
			items = add_hashed(items, &count, &cap,
			    (struct hashed_event){
				hash_key(is_narrow
					? spelling_rest(event->page.url)
					: event->key,
				    changes->key),
				i, 0});
	}
	each_group(changes, items, count, pair_group);
	free(items);
}

/* Steps 4 and 5: prefixes that were renamed. */

/* Find the rests of a key: what follows each folder, with the slash before it,
 * the shortest first.  Returns how many there are. */
static size_t
rests_of(struct slice key, size_t starts[RESTS_MOST])
{
	size_t end = 0, count = 0;

	while (end < key.len && key.p[end] != '?')
		end++;
	for (size_t at = end; at > 0 && count < RESTS_MOST; at--)
		if (key.p[at - 1] == '/' && at < key.len)
			starts[count++] = at - 1;
	return count;
}

/* Is it a version, or a year: "2.17.0", "v3", "2026"? */
static bool
is_version(struct slice text)
{
	if (text.len > 1 && (text.p[0] == 'v' || text.p[0] == 'V'))
		text = slice_from(text, 1);
	if (text.len == 0 || text.p[0] < '0' || text.p[0] > '9')
		return false;
	for (size_t i = 0; i < text.len; i++)
		if ((text.p[i] < '0' || text.p[i] > '9') && text.p[i] != '.' &&
		    text.p[i] != '-' && text.p[i] != '_')
			return false;
	return true;
}

/* The folder that begins there; empty: a page begins there. */
static struct slice
folder_at(struct slice url, size_t at)
{
	const char *end = memchr(url.p + at, '/', url.len - at);

	return end == NULL ? slice_make(url.p + at, 0)
			   : slice_make(url.p + at, (size_t)(end - url.p) - at);
}

/* Is the first folder in which the URLs differ a version in both?  An old
 * version left when a new one came: no page moved. */
static bool
is_release(struct slice from, struct slice to)
{
	size_t first = 0;

	for (size_t i = 0; i < from.len && i < to.len && from.p[i] == to.p[i];
	     i++)
		if (from.p[i] == '/')
			first = i + 1;
	return is_version(folder_at(from, first)) &&
	    is_version(folder_at(to, first));
}

/* May the page that went have become the one that came, whose key has the same
 * rest? */
static bool
may_guess(const struct event *from, const struct event *to, uint32_t rest)
{
	struct slice a = from->key, b = to->key;

	return may_pair(from, to) && from->rest < rest && a.len >= rest &&
	    b.len >= rest &&
	    slice_equal(
		slice_from(a, a.len - rest), slice_from(b, b.len - rest)) &&
	    !is_release(a, b);
}

/* Make guesses for the events of a group, whose keys have the same rest.  A
 * page became the one that came nearest to the time when it went: a rename is
 * one change of the site, and other sections may have pages of the same name
 * that came or went within weeks. */
static void
guess_group(struct site_changes *changes, const struct hashed_event *items,
    size_t count)
{
	bool is_used[GROUP_MOST] = {false};

	for (;;) {
		size_t from = count, to = count;
		int64_t nearest_s = INT64_MAX;

		for (size_t i = 0; i < count * count; i++) {
			const struct event
			    *a = &changes->events[items[i / count].event],
			    *b = &changes->events[items[i % count].event];
			int64_t apart_s = a->page.at_s > b->page.at_s
			    ? a->page.at_s - b->page.at_s
			    : b->page.at_s - a->page.at_s;

			if (is_used[i / count] || is_used[i % count] ||
			    apart_s >= nearest_s ||
			    !may_guess(a, b, items[0].rest))
				continue;
			from = i / count;
			to = i % count;
			nearest_s = apart_s;
		}
		if (from == count)
			return;
		is_used[from] = is_used[to] = true;
		changes->events[items[from].event].rest = items[0].rest;
		changes->events[items[from].event].guess = items[to].event;
	}
}

static void
guess_pages(struct site_changes *changes)
{
	struct hashed_event *items = NULL;
	size_t count = 0, cap = 0;
	size_t starts[RESTS_MOST];

	for (uint32_t i = 0; i < changes->count; i++) {
		const struct event *event = &changes->events[i];
		struct slice key = event->key;
		size_t rests = rests_of(key, starts);

		if (event->page.kind == DELTA_REMOVED || event->other != NONE)
			continue;
		for (size_t k = 0; k < rests; k++)
			items = add_hashed(items, &count, &cap,
			    (struct hashed_event){
				hash_key(
				    slice_from(key, starts[k]), changes->key),
				i, (uint32_t)(key.len - starts[k])});
	}
	each_group(changes, items, count, guess_group);
	free(items);
}

static struct slice
prefix_of(const struct event *event, uint32_t rest)
{
	return slice_make(event->key.p, event->key.len - rest);
}

static int
by_prefixes(const void *a, const void *b)
{
	const struct vote *one = a, *other = b;

	if (one->from != other->from)
		return one->from < other->from ? -1 : 1;
	if (one->to != other->to)
		return one->to < other->to ? -1 : 1;
	return one->event < other->event ? -1 : one->event > other->event;
}

/* Compare so that the pairs with the most votes come first. */
static int
by_count(const void *a, const void *b)
{
	const struct vote *one = a, *other = b;

	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	return one->event < other->event ? -1 : one->event > other->event;
}

/* The pairs of prefixes that have enough votes, each once; owned by the caller.
 */
static struct vote *
count_votes(const struct site_changes *changes, size_t *count)
{
	struct vote *votes = mem_zero(
	    (changes->gone_count + 1) * sizeof(*votes));
	size_t all = 0;

	*count = 0;
	for (size_t i = 0; i < changes->gone_count; i++) {
		const struct event *from = &changes->events[changes->gone[i]];

		if (from->guess == NONE || from->other != NONE)
			continue;
		votes[all++] = (struct vote){
		    hash_key(prefix_of(from, from->rest), changes->key),
		    hash_key(
			prefix_of(&changes->events[from->guess], from->rest),
			changes->key),
		    changes->gone[i], 1};
	}
	qsort(votes, all, sizeof(*votes), by_prefixes);
	for (size_t i = 0, end; i < all; i = end) {
		for (end = i; end < all && votes[end].from == votes[i].from &&
		     votes[end].to == votes[i].to;)
			end++;
		votes[i].count = (uint32_t)(end - i);
		if (votes[i].count >= VOTES_LEAST)
			votes[(*count)++] = votes[i];
	}
	qsort(votes, *count, sizeof(*votes), by_count);
	return votes;
}

/* When both events of a pair were read. */
static int64_t
pair_read_s(const struct site_changes *changes, const struct event *from)
{
	const struct moved_page *to = &changes->events[from->other].page;

	return from->page.read_s > to->read_s ? from->page.read_s : to->read_s;
}

/* The times of the earliest evidence of a renamed prefix. */
struct earliest {
	int64_t read_s[PAIRS_LEAST]; /* sorted */
	size_t count;
};

static void
earliest_add(struct earliest *earliest, int64_t read_s)
{
	size_t i = earliest->count;

	if (i == PAIRS_LEAST) {
		if (read_s >= earliest->read_s[--i])
			return;
	} else {
		earliest->count++;
	}
	for (; i > 0 && earliest->read_s[i - 1] > read_s; i--)
		earliest->read_s[i] = earliest->read_s[i - 1];
	earliest->read_s[i] = read_s;
}

/* A hash, and when something of that hash was read. */
struct read_hash {
	uint64_t hash;
	int64_t read_s;
};

static int
by_hash_and_time(const void *a, const void *b)
{
	const struct read_hash *one = a, *other = b;

	if (one->hash != other->hash)
		return one->hash < other->hash ? -1 : 1;
	return one->read_s < other->read_s ? -1 : one->read_s > other->read_s;
}

/* Pages that went and that are alike but for their numbers. */
struct alike {
	uint64_t class;
	uint64_t pages; /* that there were before any went */
	uint64_t gone; /* of these */
	bool is_apart; /* some went long before or after they came elsewhere */
	int64_t most_s; /* when most had a guess; INT64_MAX: never */
};

static int
by_class(const void *a, const void *b)
{
	const struct alike *one = a, *other = b;

	return one->class < other->class ? -1 : one->class > other->class;
}

/* A renaming of a prefix that is tried. */
struct trial {
	struct site_changes *changes;
	const struct event *model;
	struct slice before, after; /* prefixes of keys */
	size_t first, end; /* the range of gone_keys that begin with before */
	uint32_t *pairs; /* owned; the GONE events that were paired */
	size_t count, cap;
	struct alike *alike; /* owned; by class */
	size_t alike_count;
	int64_t first_s; /* when the first one of these went */
	uint64_t *rests; /* owned; of pages that still have the old prefix */
	size_t rest_count, rest_cap;
	uint64_t both; /* rests that are listed with both prefixes */
	uint64_t after_pages; /* that are listed with the new prefix */
	struct buf text;
};

static void
trial_release(struct trial *trial)
{
	free(trial->pairs);
	free(trial->alike);
	free(trial->rests);
	buf_release(&trial->text);
}

static struct alike *
alike_find(const struct trial *trial, uint64_t class)
{
	struct alike key = {.class = class};

	return trial->alike_count == 0
	    ? NULL
	    : bsearch(&key, trial->alike, trial->alike_count,
		  sizeof(*trial->alike), by_class);
}

/* The classes of the pages that were paired. */
static void
find_alike(struct trial *trial)
{
	size_t count = 0;

	trial->alike = mem_zero((trial->count + 1) * sizeof(*trial->alike));
	for (size_t i = 0; i < trial->count; i++) {
		const struct event *from = &trial->changes
						->events[trial->pairs[i]];

		trial->alike[i] = (struct alike){
		    .class = from->class, .most_s = INT64_MAX};
		if (i == 0 || from->page.at_s < trial->first_s)
			trial->first_s = from->page.at_s;
	}
	qsort(trial->alike, trial->count, sizeof(*trial->alike), by_class);
	for (size_t i = 0; i < trial->count; i++) {
		if (count == 0 ||
		    trial->alike[count - 1].class != trial->alike[i].class)
			trial->alike[count++] = trial->alike[i];
	}
	trial->alike_count = count;
}

/* The hash of a rest; its key has the prefix. */
static uint64_t
hash_rest(const struct trial *trial, struct slice key, struct slice prefix)
{
	return hash_key(slice_from(key, prefix.len), trial->changes->key);
}

/* Is a page that came one that the site had listed before?  Then it is back,
 * and whatever went at another time did not become it. */
static bool
is_back(const struct site_changes *changes, const struct event *to)
{
	struct slice url = to->page.url;
	size_t i = first_of(changes, changes->gone, changes->gone_count, url);

	return i < changes->gone_count &&
	    slice_equal(changes->events[changes->gone[i]].page.url, url) &&
	    changes->events[changes->gone[i]].page.at_s < to->page.at_s;
}

/* Did the page of that URL come after the first one of the pairs went? */
static bool
came_since(const struct trial *trial, struct slice url)
{
	const struct site_changes *changes = trial->changes;
	size_t i = first_of(changes, changes->added, changes->added_count, url);

	for (; i < changes->added_count &&
	     slice_equal(changes->events[changes->added[i]].page.url, url);
	     i++)
		if (changes->events[changes->added[i]].page.at_s >=
		    trial->first_s)
			return true;
	return false;
}

/* A page is listed that has the old prefix, and had it before. */
static void
count_old(struct trial *trial, struct slice url, struct slice key)
{
	struct alike *alike = alike_find(
	    trial, segment_of(trial->changes, key).class);

	if (came_since(trial, url))
		return;
	if (alike != NULL)
		alike->pages++;
	trial->rests = mem_grow(trial->rests, &trial->rest_cap,
	    trial->rest_count + 1, sizeof(*trial->rests));
	trial->rests[trial->rest_count++] = hash_rest(
	    trial, key, trial->before);
}

static int
by_number(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

/* A page is listed that has the new prefix. */
static void
count_new(struct trial *trial, struct slice url, struct slice key)
{
	uint64_t hash = hash_rest(trial, key, trial->after);

	(void)url;
	trial->after_pages++;
	trial->both += trial->rest_count > 0 &&
	    bsearch(&hash, trial->rests, trial->rest_count, sizeof(hash),
		by_number) != NULL;
}

/* Call fn for all URLs that are listed and lie in the folder that is the prefix
 * of an event's key. */
static void
each_listed(struct trial *trial, const struct event *model, struct slice prefix,
    void (*fn)(struct trial *, struct slice url, struct slice key))
{
	struct slice url = model->page.url;
	struct site_list *list;
	struct buf folder;
	struct entry entry;
	int64_t document_id;

	buf_init(&folder, SIZE_MAX);
	(void)buf_put_slice(
	    &folder, slice_make(url.p, spelling_skip(url) + prefix.len));
	(void)buf_put_char(&folder, '/');
	list = site_list_new_after(
	    trial->changes->store, trial->changes->site_id, buf_text(&folder));
	while (trial->changes->looks++ < LOOKS_MOST &&
	    site_list_next(list, &document_id, &entry) &&
	    slice_starts(entry.url, buf_text(&folder))) {
		buf_clear(&trial->text);
		spelling_key(&trial->text, entry.url);
		if (trial->text.len > prefix.len)
			fn(trial, entry.url, buf_text(&trial->text));
	}
	site_list_free(list);
	buf_release(&folder);
}

/* Were a page that went and its guess seen to change together? */
static bool
is_together(const struct event *from, const struct event *to)
{
	int64_t apart_s = from->page.at_s - to->page.at_s;

	return apart_s <= TOGETHER_S && apart_s >= -TOGETHER_S;
}

/* Are the last segments of all pairs numbers that no new folder begins with? */
static bool
has_long_numbers(const struct trial *trial)
{
	for (size_t i = 0; i < trial->count; i++) {
		struct slice key = trial->changes->events[trial->pairs[i]].key;
		size_t digits = 0, most = 0;

		for (size_t k = key.len; k > 0 && key.p[k - 1] != '/'; k--) {
			bool is_digit = key.p[k - 1] >= '0' &&
			    key.p[k - 1] <= '9';

			digits = is_digit ? digits + 1 : 0;
			most = digits > most ? digits : most;
		}
		if (most < LONG_LEAST)
			return false;
	}
	return true;
}

/* How many of the pages that are alike must have come elsewhere: half of them;
 * a quarter, if half of them went, and the new folder has little else; few, if
 * the new folder has nothing else, and their numbers are long, as those of
 * products are that get a folder of their own. */
static uint64_t
most_of(const struct trial *trial, const struct alike *alike, bool is_whole)
{
	bool is_enough = is_whole && !alike->is_apart &&
	    alike->gone * 2 >= alike->pages;

	if (!alike->is_apart && trial->count >= trial->after_pages &&
	    has_long_numbers(trial))
		return PAIRS_LEAST;
	return is_enough ? (alike->pages + 3) / 4 : (alike->pages + 1) / 2;
}

/* Find when most pages of each class had gone and come elsewhere, with any
 * prefix: pages of one folder may have moved to several ones.  They came and
 * went together, unless the new folder has little else. */
static void
find_most(struct trial *trial)
{
	const struct site_changes *changes = trial->changes;
	bool is_whole = trial->count * 2 >= trial->after_pages;
	struct read_hash *items = mem_zero(
	    (trial->end - trial->first + 1) * sizeof(*items));
	size_t count = 0;

	for (size_t i = trial->first; i < trial->end; i++) {
		const struct event *from = &changes
						->events[changes->gone_keys[i]];
		struct alike *alike = alike_find(trial, from->class);
		const struct event *to;

		if (alike == NULL ||
		    from->page.at_s < trial->first_s - TOGETHER_S)
			continue;
		alike->pages++;
		alike->gone++;
		if (from->guess == NONE)
			continue;
		to = &changes->events[from->guess];
		if (!is_together(from, to)) {
			alike->is_apart = true;
			if (!is_whole || is_back(changes, to))
				continue;
		}
		items[count++] = (struct read_hash){from->class,
		    from->page.read_s > to->page.read_s ? from->page.read_s
							: to->page.read_s};
	}
	qsort(items, count, sizeof(*items), by_hash_and_time);
	for (size_t i = 0, end; i < count; i = end) {
		struct alike *alike = alike_find(trial, items[i].hash);
		uint64_t most = most_of(trial, alike, is_whole);

		for (end = i; end < count && items[end].hash == items[i].hash;)
			end++;
		if (most <= end - i)
			alike->most_s = items[i + most - 1].read_s;
	}
	free(items);
}

static bool follow(struct site_changes *, struct url *base, struct url *target,
    uint32_t from, bool may_pair_it);

/* When a redirect of one of the pairs was reported first; 0: none was. */
static int64_t
first_redirect(const struct trial *trial)
{
	struct site_changes *changes = trial->changes;
	int64_t first_s = 0;
	struct url base, target;

	if (!changes->has_redirects)
		return 0;
	url_init(&base);
	url_init(&target);
	for (size_t i = 0; i < trial->count; i++) {
		struct event *from = &changes->events[trial->pairs[i]];

		from->redirect_s = 0;
		if (follow(changes, &base, &target, trial->pairs[i], false) &&
		    (first_s == 0 || from->redirect_s < first_s))
			first_s = from->redirect_s;
		from->redirect_s = 0;
	}
	url_release(&base);
	url_release(&target);
	return first_s;
}

/*
 * Is there evidence that the prefix was renamed?  Five pages whose last
 * segments are different names are evidence, unless both folders have many
 * names in common.  Numbers prove nothing but that most pages which are alike
 * left, and came elsewhere (find_most()).  A redirect proves all pairs.
 * Returns when there was enough evidence; 0: there is not.
 */
static int64_t
evidence_of(struct trial *trial)
{
	struct site_changes *changes = trial->changes;
	struct earliest earliest = {.count = 0};
	struct read_hash *names;
	size_t name_count = 0;
	int64_t redirect_s;

	if (trial->count < PAIRS_LEAST)
		return 0;
	find_alike(trial);
	each_listed(trial, trial->model, trial->before, count_old);
	if (trial->rest_count > 0)
		qsort(trial->rests, trial->rest_count, sizeof(*trial->rests),
		    by_number);
	each_listed(trial, &changes->events[trial->model->guess], trial->after,
	    count_new);
	find_most(trial);
	names = mem_zero(trial->count * sizeof(*names));
	for (size_t i = 0; i < trial->count && trial->both * 2 < trial->count;
	     i++) {
		const struct event *from = &changes->events[trial->pairs[i]];
		const struct event *to = &changes->events[from->other];
		int64_t read_s = pair_read_s(changes, from);
		const struct alike *alike = alike_find(trial, from->class);

		if (alike->most_s != INT64_MAX)
			earliest_add(&earliest,
			    read_s > alike->most_s ? read_s : alike->most_s);
		else if (from->name != 0 &&
		    (is_together(from, to) || !is_back(changes, to)))
			names[name_count++] = (struct read_hash){
			    from->name, read_s};
	}
	qsort(names, name_count, sizeof(*names), by_hash_and_time);
	for (size_t i = 0; i < name_count; i++)
		if (i == 0 || names[i].hash != names[i - 1].hash)
			earliest_add(&earliest, names[i].read_s);
	free(names);
	if (earliest.count == PAIRS_LEAST)
		return earliest.read_s[PAIRS_LEAST - 1];
	redirect_s = first_redirect(trial);
	if (redirect_s == 0)
		return 0;
	earliest.count = 0;
	for (size_t i = 0; i < trial->count; i++) {
		int64_t read_s = pair_read_s(
		    changes, &changes->events[trial->pairs[i]]);

		earliest_add(
		    &earliest, read_s > redirect_s ? read_s : redirect_s);
	}
	return earliest.read_s[PAIRS_LEAST - 1];
}

/* Pair all events that have the prefixes of a vote, unless nothing proves that
 * they moved.  Returns how many events were looked at. */
static size_t
rename_prefix(struct site_changes *changes, const struct vote *vote)
{
	const struct event *model = &changes->events[vote->event];
	struct trial trial = {.changes = changes,
	    .model = model,
	    .before = prefix_of(model, model->rest),
	    .after = prefix_of(&changes->events[model->guess], model->rest)};
	int64_t enough_s;

	buf_init(&trial.text, SIZE_MAX);
	trial.first = trial.end = first_of_key(
	    changes, changes->gone_keys, changes->gone_count, trial.before);
	for (; trial.end < changes->gone_count; trial.end++) {
		uint32_t from = changes->gone_keys[trial.end], to;
		struct slice old = changes->events[from].key;

		if (!slice_starts(old, trial.before))
			break;
		/* the page of the folder itself moves with the folder */
		if (changes->events[from].other != NONE ||
		    (old.len > trial.before.len &&
			old.p[trial.before.len] != '/'))
			continue;
		buf_clear(&trial.text);
		(void)buf_put_slice(&trial.text, trial.after);
		(void)buf_put_slice(
		    &trial.text, slice_from(old, trial.before.len));
		to = find_added_key(changes, from, buf_text(&trial.text));
		if (to == NONE)
			continue;
		pair(changes, from, to);
		trial.pairs = mem_grow(trial.pairs, &trial.cap, trial.count + 1,
		    sizeof(*trial.pairs));
		trial.pairs[trial.count++] = from;
	}
	enough_s = evidence_of(&trial);
	for (size_t i = 0; i < trial.count; i++) {
		struct event *from = &changes->events[trial.pairs[i]];

		from->enough_s = enough_s;
		if (enough_s > 0)
			continue;
		changes->events[from->other].other = NONE;
		from->other = NONE;
	}
	trial_release(&trial);
	return trial.end - trial.first;
}

static void
pair_prefixes(struct site_changes *changes)
{
	struct vote *votes;
	size_t count, tries = 0;

	guess_pages(changes);
	votes = count_votes(changes, &count);
	for (size_t i = 0; i < count && tries < TRIES_MOST; i++)
		if (changes->events[votes[i].event].other == NONE)
			tries += rename_prefix(changes, &votes[i]);
	free(votes);
}

/* Step 6: redirects that fetchers reported. */

/* Find when a page that went was first seen to redirect to its pair, and note
 * that; with may_pair_it, a page without a pair is paired with the first page
 * to which it redirected and that came.  base and target are room for URLs.
 * Returns whether it has such a redirect. */
static bool
follow(struct site_changes *changes, struct url *base, struct url *target,
    uint32_t from, bool may_pair_it)
{
	struct event *event = &changes->events[from];
	struct slice text;
	struct sqlite3_stmt *stmt;
	int64_t page_id = store_page_find(changes->store, event->page.url);

	if (page_id == 0 || event->is_configured ||
	    url_resolve(base, event->page.url, NULL, (struct diag_sink){0}) !=
		DIAG_OK)
		return false;
	stmt = db_loop(changes->store, SQL_PAGE_REDIRECTS);
	db_bind_int(stmt, 1, page_id);
	while (event->redirect_s == 0 && db_row(changes->store, stmt)) {
		if (url_resolve(target, db_text(stmt, 1), base,
			(struct diag_sink){0}) != DIAG_OK)
			continue;
		text = url_text(target);
		if (event->other == NONE) {
			uint32_t to = may_pair_it
			    ? find_added(changes, from, text)
			    : NONE;

			if (to == NONE)
				continue;
			pair(changes, from, to);
			event->is_redirected = true;
		}
		if (slice_equal(text, changes->events[event->other].page.url))
			event->redirect_s = db_time(changes->store, stmt, 0);
	}
	db_done(stmt);
	return event->redirect_s > 0;
}

static void
follow_redirects(struct site_changes *changes, const struct going *goings)
{
	struct url base, target;

	if (!changes->has_redirects)
		return;
	url_init(&base);
	url_init(&target);
	for (size_t i = 0; i < changes->gone_count; i++)
		(void)follow(changes, &base, &target, goings[i].event, true);
	url_release(&base);
	url_release(&target);
}

static bool
has_redirects(struct store *store)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_HAS_REDIRECTS);
	bool has_any = db_row(store, stmt);

	db_done(stmt);
	return has_any;
}

/* The result. */

/* When the pair of a page that went was known, and whether by a redirect. */
static int64_t
pair_known_s(const struct site_changes *changes, const struct event *from,
    bool *is_redirected)
{
	int64_t read_s = pair_read_s(changes, from);
	int64_t known_s = read_s > from->enough_s ? read_s : from->enough_s;
	int64_t redirect_s = read_s > from->redirect_s ? read_s
						       : from->redirect_s;

	*is_redirected = from->is_redirected ||
	    (from->redirect_s > 0 && redirect_s < known_s);
	return *is_redirected ? redirect_s : known_s;
}

/* Find the reading that missed the page before it was gone. */
static void
find_removed(const struct site_changes *changes, struct move *move)
{
	size_t i = first_of(
	    changes, changes->removed, changes->removed_count, move->from.url);

	for (; i < changes->removed_count; i++) {
		const struct moved_page
		    *page = &changes->events[changes->removed[i]].page;

		if (!slice_equal(page->url, move->from.url))
			return;
		if (page->reading_id >= move->from.reading_id ||
		    page->at_s < move->from.at_s)
			continue;
		move->was_removed = true;
		move->removed = *page;
	}
}

static int
by_time(const void *a, const void *b)
{
	const struct move *one = a, *other = b;

	if (one->to.at_s != other->to.at_s)
		return one->to.at_s < other->to.at_s ? -1 : 1;
	return slice_order(one->to.url, other->to.url);
}

static int
by_place(const void *a, const void *b)
{
	const struct move_part *one = a, *other = b;

	if (one->reading_id != other->reading_id)
		return one->reading_id < other->reading_id ? -1 : 1;
	return one->at < other->at ? -1 : one->at > other->at;
}

static void
add_part(
    struct site_changes *changes, size_t move, const struct moved_page *page)
{
	changes->parts[changes->part_count++] = (struct move_part){
	    page->reading_id, page->at, (uint32_t)move,
	    (enum delta_kind)page->kind};
}

static void
put_moves(struct site_changes *changes)
{
	for (size_t i = 0; i < changes->gone_count; i++) {
		const struct event *from = &changes->events[changes->gone[i]];
		struct move *move;

		if (from->other == NONE)
			continue;
		changes->moves = mem_grow(changes->moves, &changes->move_cap,
		    changes->move_count + 1, sizeof(*changes->moves));
		move = &changes->moves[changes->move_count++];
		*move = (struct move){.from = from->page,
		    .to = changes->events[from->other].page,
		    .is_configured = from->is_configured,
		    .star = from->star};
		move->known_s = pair_known_s(
		    changes, from, &move->is_redirected);
		find_removed(changes, move);
	}
	if (changes->move_count == 0)
		return;
	qsort(changes->moves, changes->move_count, sizeof(*changes->moves),
	    by_time);
	changes->parts = mem_zero(
	    3 * changes->move_count * sizeof(*changes->parts));
	for (size_t i = 0; i < changes->move_count; i++) {
		add_part(changes, i, &changes->moves[i].from);
		add_part(changes, i, &changes->moves[i].to);
		if (changes->moves[i].was_removed)
			add_part(changes, i, &changes->moves[i].removed);
	}
	qsort(changes->parts, changes->part_count, sizeof(*changes->parts),
	    by_place);
}

struct site_changes *
site_changes_new(struct store *store, int64_t site_id,
    const struct renamings *renamings, int64_t from_s)
{
	struct site_changes *changes = mem_zero(sizeof(*changes));
	struct going *goings;

	changes->key = store_hash_key(store);
	changes->store = store;
	changes->site_id = site_id;
	changes->has_redirects = has_redirects(store);
	read_changes(changes, store, site_id, from_s);
	sort_events(changes);
	if (changes->gone_count > 0 && changes->added_count > 0) {
		goings = goings_of(changes);
		pair_configured(changes, goings, renamings);
		pair_same_keys(changes, true);
		pair_same_keys(changes, false);
		pair_prefixes(changes);
		follow_redirects(changes, goings);
		free(goings);
	}
	put_moves(changes);
	return changes;
}

void
site_changes_free(struct site_changes *changes)
{
	if (changes == NULL)
		return;
	for (size_t i = 0; i < changes->count; i++) {
		free((char *)(uintptr_t)changes->events[i].page.url.p);
		free((char *)(uintptr_t)changes->events[i].key.p);
	}
	free(changes->events);
	free(changes->gone);
	free(changes->added);
	free(changes->removed);
	free(changes->gone_keys);
	free(changes->added_keys);
	free(changes->moves);
	free(changes->parts);
	free(changes);
}

bool
site_changes_are_compared(const struct site_changes *changes)
{
	return changes->is_compared;
}

const struct move *
site_changes_move(const struct site_changes *changes, size_t i)
{
	return i < changes->move_count ? &changes->moves[i] : NULL;
}

enum delta_kind
site_changes_find(const struct site_changes *changes, int64_t reading_id,
    uint64_t at, const struct move **move)
{
	struct move_part key = {.reading_id = reading_id, .at = (uint32_t)at};
	const struct move_part *part = NULL;

	if (changes->part_count > 0)
		part = bsearch(&key, changes->parts, changes->part_count,
		    sizeof(*changes->parts), by_place);
	if (part == NULL)
		return DELTA_KINDS;
	*move = &changes->moves[part->move];
	return part->kind;
}
