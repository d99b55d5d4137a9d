/*
 * Pages of a site that moved.
 *
 * 1. Read the changes of the site by which pages came (ADDED) and went (GONE):
 *    the events.
 * 2. Pair the events whose URLs the user named, one and what it became.
 * 3. Pair the events whose URLs differ in scheme or `www.` only.
 * 4. Guess for each other URL that went what it became: a URL that came, with
 *    the same rest behind another prefix.  Each guess is a vote for this pair
 *    of prefixes.
 * 5. In the order of votes, pair all events that have these prefixes.
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
#include "base/url.h"
#include "store/changes.h"
#include "store/db.h"
#include "store/page.h"
#include "store/query.h"

#define PAIRS_LEAST 5 /* pages that a renamed prefix must have */
#define VOTES_LEAST 2 /* votes that two prefixes need before they are tried */
#define RESTS_MOST 8 /* rests of a URL that are tried, the shortest first */
#define GROUP_MOST 32 /* events with the same key or rest; more say nothing */
#define TRIES_MOST 4000000 /* events that are looked at for all prefixes */
#define NONE UINT32_MAX

/* A page came to the site, or left it.  Events are named by their index. */
struct event {
	struct moved_page page; /* the url in it is owned */
	uint32_t other; /* the other event of its pair; NONE: not paired */
	uint32_t guess; /* if GONE: the event of what it may have become */
	/* how many bytes both URLs end with; 0: no guess, or the whole path was
	 * given */
	uint32_t rest;
	bool is_configured; /* if GONE: the user gave its pair */
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

static void
add_event(struct site_changes *changes, const struct moved_page *page)
{
	struct event *event;

	changes->events = mem_grow(changes->events, &changes->cap,
	    changes->count + 1, sizeof(*changes->events));
	event = &changes->events[changes->count++];
	*event = (struct event){.page = *page, .other = NONE, .guess = NONE};
	event->page.url = slice_make(slice_dup(page->url), page->url.len);
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
		to = find_added(changes, from, buf_text(url));
		if (to == NONE)
			continue;
		pair(changes, from, to);
		event->is_configured = true;
		event->rest = (uint32_t)renamed.rest.len;
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

/* Step 3: URLs that differ in scheme or `www.` only. */

/* The URL without its scheme and `www.`. */
static struct slice
key_of(struct slice url)
{
	const char *at = memmem(url.p, url.len, "://", 3);

	if (at != NULL)
		url = slice_from(url, (size_t)(at + 3 - url.p));
	if (slice_starts(url, slice_of("www.")))
		url = slice_from(url, 4);
	return url;
}

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
			    !slice_equal(key_of(gone->page.url),
				key_of(added->page.url)))
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

static void
pair_same_keys(struct site_changes *changes)
{
	struct hashed_event *items = NULL;
	size_t count = 0, cap = 0;

	for (uint32_t i = 0; i < changes->count; i++) {
		const struct moved_page *page = &changes->events[i].page;

		if (page->kind != DELTA_REMOVED)
			items = add_hashed(items, &count, &cap,
			    (struct hashed_event){
				hash_key(key_of(page->url), changes->key), i,
				0});
	}
	each_group(changes, items, count, pair_group);
	free(items);
}

/* Steps 4 and 5: prefixes that were renamed. */

/* Find the rests of a URL: what follows each folder, with the slash before it,
 * the shortest first.  Returns how many there are. */
static size_t
rests_of(struct slice url, size_t starts[RESTS_MOST])
{
	const char *scheme = memmem(url.p, url.len, "://", 3);
	size_t host = scheme == NULL ? 0 : (size_t)(scheme + 3 - url.p);
	size_t end = host, count = 0;

	while (end < url.len && url.p[end] != '?')
		end++;
	/* A "/" that ends the path is no rest. */
	for (size_t at = end; at > host && count < RESTS_MOST; at--)
		if (url.p[at - 1] == '/' && at < url.len)
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

/* May the page that went have become the one that came, whose URL has the same
 * rest? */
static bool
may_guess(const struct event *from, const struct event *to, uint32_t rest)
{
	struct slice a = from->page.url, b = to->page.url;

	return may_pair(from, to) && from->rest < rest && a.len >= rest &&
	    b.len >= rest &&
	    slice_equal(
		slice_from(a, a.len - rest), slice_from(b, b.len - rest)) &&
	    !is_release(a, b);
}

/* Make guesses for the events of a group, whose URLs have the same rest.  A
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
		struct slice url = event->page.url;
		size_t rests = rests_of(url, starts);

		if (event->page.kind == DELTA_REMOVED || event->other != NONE)
			continue;
		for (size_t k = 0; k < rests; k++)
			items = add_hashed(items, &count, &cap,
			    (struct hashed_event){
				hash_key(
				    slice_from(url, starts[k]), changes->key),
				i, (uint32_t)(url.len - starts[k])});
	}
	each_group(changes, items, count, guess_group);
	free(items);
}

static struct slice
prefix_of(const struct event *event, uint32_t rest)
{
	return slice_make(event->page.url.p, event->page.url.len - rest);
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

		if (from->guess == NONE)
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

/* The times of the earliest pairs of a renamed prefix. */
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

/* Pair all events that have the prefixes of a vote, unless there are too few.
 * `url` is room for one URL.  Returns how many events were looked at. */
static size_t
rename_prefix(
    struct site_changes *changes, const struct vote *vote, struct buf *url)
{
	const struct event *model = &changes->events[vote->event];
	struct slice before = prefix_of(model, model->rest);
	struct slice after = prefix_of(
	    &changes->events[model->guess], model->rest);
	size_t first = first_of(
	    changes, changes->gone, changes->gone_count, before);
	struct earliest earliest = {.count = 0};
	size_t paired = 0, i = first;

	for (; i < changes->gone_count; i++) {
		uint32_t from = changes->gone[i], to;
		struct slice old = changes->events[from].page.url;

		if (!slice_starts(old, before))
			break;
		if (changes->events[from].other != NONE ||
		    old.len == before.len || old.p[before.len] != '/')
			continue;
		buf_clear(url);
		(void)buf_put_slice(url, after);
		(void)buf_put_slice(url, slice_from(old, before.len));
		to = find_added(changes, from, buf_text(url));
		if (to == NONE)
			continue;
		pair(changes, from, to);
		changes->events[from].guess = vote->event;
		changes->events[from].rest = NONE; /* paired by this vote */
		earliest_add(
		    &earliest, pair_read_s(changes, &changes->events[from]));
		paired++;
	}
	for (size_t k = first; k < i; k++) {
		struct event *from = &changes->events[changes->gone[k]];

		if (from->rest != NONE)
			continue;
		from->rest = 0;
		from->enough_s = earliest.read_s[PAIRS_LEAST - 1];
		if (paired >= PAIRS_LEAST || from->other == NONE)
			continue;
		changes->events[from->other].other = NONE;
		from->other = NONE;
	}
	return i - first;
}

static void
pair_prefixes(struct site_changes *changes)
{
	struct vote *votes;
	struct buf url;
	size_t count, tries = 0;

	guess_pages(changes);
	votes = count_votes(changes, &count);
	buf_init(&url, SIZE_MAX);
	for (size_t i = 0; i < count && tries < TRIES_MOST; i++)
		if (changes->events[votes[i].event].other == NONE)
			tries += rename_prefix(changes, &votes[i], &url);
	buf_release(&url);
	free(votes);
}

/* Step 6: redirects that fetchers reported. */

/* Where the redirects of a page lead, and room for URLs. */
struct following {
	struct store *store;
	struct url base, target;
};

/* Pair a page that went with the first page to which it redirected and that
 * came; if it has a pair already, note when a redirect first proved that. */
static void
follow(struct site_changes *changes, struct following *following, uint32_t from)
{
	struct event *event = &changes->events[from];
	struct slice target;
	struct sqlite3_stmt *stmt;
	int64_t page_id = store_page_find(following->store, event->page.url);

	if (page_id == 0 || event->is_configured ||
	    url_resolve(&following->base, event->page.url, NULL,
		(struct diag_sink){0}) != DIAG_OK)
		return;
	stmt = db_loop(following->store, SQL_PAGE_REDIRECTS);
	db_bind_int(stmt, 1, page_id);
	while (event->redirect_s == 0 && db_row(following->store, stmt)) {
		if (url_resolve(&following->target, db_text(stmt, 1),
			&following->base, (struct diag_sink){0}) != DIAG_OK)
			continue;
		target = url_text(&following->target);
		if (event->other == NONE) {
			uint32_t to = find_added(changes, from, target);

			if (to == NONE)
				continue;
			pair(changes, from, to);
			event->is_redirected = true;
		}
		if (slice_equal(target, changes->events[event->other].page.url))
			event->redirect_s = db_time(following->store, stmt, 0);
	}
	db_done(stmt);
}

static void
follow_redirects(struct site_changes *changes, const struct going *goings,
    struct store *store)
{
	struct following following = {.store = store};
	struct sqlite3_stmt *stmt = db_use(store, SQL_HAS_REDIRECTS);
	bool has_redirects = db_row(store, stmt);

	db_done(stmt);
	if (!has_redirects)
		return;
	url_init(&following.base);
	url_init(&following.target);
	for (size_t i = 0; i < changes->gone_count; i++)
		follow(changes, &following, goings[i].event);
	url_release(&following.base);
	url_release(&following.target);
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
		    .rest = from->is_configured ? from->rest : 0};
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
	read_changes(changes, store, site_id, from_s);
	sort_events(changes);
	if (changes->gone_count > 0 && changes->added_count > 0) {
		goings = goings_of(changes);
		pair_configured(changes, goings, renamings);
		pair_same_keys(changes);
		pair_prefixes(changes);
		follow_redirects(changes, goings, store);
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
	for (size_t i = 0; i < changes->count; i++)
		free((char *)(uintptr_t)changes->events[i].page.url.p);
	free(changes->events);
	free(changes->gone);
	free(changes->added);
	free(changes->removed);
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
