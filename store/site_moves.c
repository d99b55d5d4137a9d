/*
 * Pairs of pages that moved.
 *
 * 1. Pair the pages whose URLs the user named, one and what it became.
 * 2. Pair those whose URLs differ in scheme or `www.` only, and then those that
 *    differ in spelling only (base/renaming.h), whose keys are the same.
 * 3. Guess for each other URL that went what it became: a URL that came, with
 *    the same rest of its key behind another prefix.  Each guess is a vote for
 *    this pair of prefixes.
 * 4. In the order of votes, pair all pages that have these prefixes, if there
 *    is evidence for the renaming.
 * 5. Pair the pages of which a fetcher reported that the one URL redirects to
 *    the other.
 *
 * If a URL came and went more than once, the first event of its going is paired
 * with the first event of its coming.
 */
#include "store/site_moves.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/renaming.h"
#include "base/sort.h"
#include "base/url.h"
#include "store/db.h"
#include "store/site_list.h"

#define PAIRS_LEAST 5 /* pages that a renamed prefix must have */
#define VOTES_LEAST 2 /* votes that two prefixes need before they are tried */
#define RESTS_MOST 8 /* rests of a URL that are tried, the shortest first */
#define GROUP_MOST 32 /* events with the same key or rest; more say nothing */
#define TRIES_MOST 4000000 /* events that are looked at for all prefixes */
#define LOOKS_MOST 4000000 /* likewise pages that are listed */
/* Folders of so many pages, all of which go and come at once, do not have the
 * same names because all folders of that kind have them. */
#define WHOLE_LEAST 100
#define LETTERS_LEAST 4 /* that a rest needs in order to be a name */
#define LONG_LEAST 3 /* digits of a long number */
/* A renaming is one change of a site: what goes and what comes is seen within
 * a day of each other, or two if the two sitemaps are not read together. */
#define TOGETHER_S (2 * INT64_C(86400))
#define NONE UINT32_MAX

/* A page came to the site, or left it.  Events are named by their index, and
 * are in the order of their keys, URLs and times. */
struct event {
	const struct moved_page *page; /* borrowed */
	struct slice key; /* owned; see base/renaming.h */
	uint32_t other; /* the other event of its pair; NONE: not paired */
	uint32_t guess; /* if GONE: the event of what it may have become */
	uint32_t rest; /* how many bytes both keys end with; 0: no guess */
	/* If GONE: pages of this class lie in one folder, and their last
	 * segments differ in digits only. */
	uint64_t class;
	uint64_t name; /* if GONE: the hash of the last segment; 0: no name */
	bool is_configured; /* if GONE: the user gave its pair */
	struct move_star star; /* if so: what stands for it */
	/* If GONE and paired by a renamed prefix: since when enough were. */
	int64_t enough_s;
	/* If GONE: when its URL was first seen to redirect to that of its pair;
	 * 0: never. */
	int64_t redirect_s;
	bool is_redirected; /* if GONE: nothing else proves its pair */
};

struct site_moves {
	const struct site_moves_options *options; /* borrowed */
	struct event *events; /* owned */
	size_t count;
	uint64_t key; /* of hashes */
	uint32_t *gone; /* owned; the GONE events, the first one first */
	size_t gone_count;
	bool has_redirects;
	size_t looks; /* pages of the site's listing that were looked at */
};

/* A hash, with an event and a number of bytes, or with a time. */
struct hashed {
	uint64_t hash;
	int64_t read_s;
	uint32_t event, rest;
};

static const struct sort_key by_hash[] = {{SORT_KEY(struct hashed, hash)},
    {SORT_KEY(struct hashed, read_s)}, {SORT_KEY(struct hashed, event)}, {0}};
static const struct sort_key by_hash_only[] = {
    {SORT_KEY(struct hashed, hash)}, {0}};

/* The events. */

/* What the last segment of a key is called: its text, where all runs of digits
 * are alike.  A name has some letters; numbers have none. */
struct segment {
	uint64_t class, name;
};

static struct segment
segment_of(const struct site_moves *moves, struct slice key)
{
	struct segment segment = {0};
	struct buf text = BUF_UP_TO(SIZE_MAX);
	size_t folder, letters = 0;

	for (folder = key.len; folder > 0 && key.p[folder - 1] != '/';)
		folder--;
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
		segment.name = hash_key(buf_text(&text), moves->key) | 1;
	segment.class = hash_key(
	    buf_text(&text), hash_key(slice_make(key.p, folder), moves->key));
	buf_release(&text);
	return segment;
}

static struct slice
key_of(struct slice url)
{
	struct buf key = BUF_UP_TO(SIZE_MAX);
	struct slice owned;

	spelling_key(&key, url);
	owned = slice_make(slice_dup(buf_text(&key)), key.len);
	buf_release(&key);
	return owned;
}

static int
by_key(const void *a, const void *b)
{
	const struct event *one = a, *other = b;
	int order = slice_order(one->key, other->key);

	if (order == 0)
		order = slice_order(one->page->url, other->page->url);
	if (order != 0)
		return order;
	if (one->page->at_s != other->page->at_s)
		return one->page->at_s < other->page->at_s ? -1 : 1;
	return one->page->reading_id < other->page->reading_id
	    ? -1
	    : one->page->reading_id > other->page->reading_id;
}

/* The first event whose key is not below that one. */
static size_t
first_of(const struct site_moves *moves, struct slice key)
{
	size_t low = 0, high = moves->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (slice_order(moves->events[mid].key, key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Did a page of that URL and key come, or go, from that time on and before the
 * other? */
static bool
has_event(const struct site_moves *moves, struct slice url, struct slice key,
    uint8_t kind, int64_t from_s, int64_t before_s)
{
	for (size_t i = first_of(moves, key);
	     i < moves->count && slice_equal(moves->events[i].key, key); i++) {
		const struct moved_page *page = moves->events[i].page;

		if (page->kind == kind && slice_equal(page->url, url) &&
		    page->at_s >= from_s && page->at_s < before_s)
			return true;
	}
	return false;
}

/* May the two events form a pair, as far as their URLs do not matter? */
static bool
may_pair(const struct event *from, const struct event *to)
{
	int64_t apart_s = from->page->at_s - to->page->at_s;

	return from->page->kind == DELTA_GONE &&
	    to->page->kind == DELTA_ADDED && from->other == NONE &&
	    to->other == NONE && apart_s <= MOVES_APART_S &&
	    apart_s >= -MOVES_APART_S &&
	    !slice_equal(from->page->url, to->page->url);
}

/* The first event by which a page of that key, or of that URL if there is one,
 * came, and that may pair with `from`; or NONE. */
static uint32_t
find_added(const struct site_moves *moves, uint32_t from, struct slice key,
    const struct slice *url)
{
	struct slice own = {0};
	uint32_t found = NONE;

	if (url != NULL)
		key = own = key_of(*url);
	for (size_t i = first_of(moves, key); found == NONE &&
	     i < moves->count && slice_equal(moves->events[i].key, key);
	     i++)
		if (may_pair(&moves->events[from], &moves->events[i]) &&
		    (url == NULL ||
			slice_equal(moves->events[i].page->url, *url)))
			found = (uint32_t)i;
	free((char *)(uintptr_t)own.p);
	return found;
}

/* Step 1: renamings that the user gave. */

/* Pair pages that went with what they became, as the first renaming of each
 * says whose new URL came. */
static void
pair_configured(struct site_moves *moves)
{
	const struct renamings *renamings = moves->options->renamings;
	struct buf url = BUF_UP_TO(SIZE_MAX);

	for (size_t i = 0; renamings != NULL && i < moves->gone_count; i++) {
		struct event *event = &moves->events[moves->gone[i]];
		struct slice path = url_path_of(event->page->url);
		struct renamed renamed;
		size_t at = 0;

		while (event->other == NONE &&
		    renamings_next(renamings, &at, path, &renamed)) {
			struct slice text;
			uint32_t to;

			buf_clear(&url);
			(void)buf_put_slice(&url,
			    slice_make(event->page->url.p,
				event->page->url.len - path.len));
			(void)buf_put_slice(&url, renamed.to);
			(void)buf_put_slice(&url, renamed.rest);
			(void)buf_put_slice(&url, renamed.tail);
			text = buf_text(&url);
			to = find_added(moves, moves->gone[i], text, &text);
			if (to == NONE)
				continue;
			event->other = to;
			moves->events[to].other = moves->gone[i];
			event->is_configured = true;
			event->star = (struct move_star){
			    (uint32_t)renamed.rest.len,
			    (uint32_t)(path.len - renamed.rest.len -
				(size_t)(renamed.rest.p - path.p)),
			    (uint32_t)renamed.tail.len};
		}
	}
	buf_release(&url);
}

/* Steps 2 and 3: guesses. */

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

/* May the page that went have become the one that came, with the same rest? */
static bool
may_guess(const struct event *from, const struct event *to, uint32_t rest)
{
	struct slice a = from->key, b = to->key;
	size_t first = 0;

	if (!may_pair(from, to) || from->rest >= rest || a.len < rest ||
	    b.len < rest ||
	    !slice_equal(
		slice_from(a, a.len - rest), slice_from(b, b.len - rest)))
		return false;
	/* If the first folder in which the URLs differ is a version in both, an
	 * old version left when a new one came: no page moved. */
	for (size_t i = 0; i < a.len && i < b.len && a.p[i] == b.p[i]; i++)
		if (a.p[i] == '/')
			first = i + 1;
	return !is_version(folder_at(a, first)) ||
	    !is_version(folder_at(b, first));
}

/* Make guesses for the events of a group, whose keys have the same rest.  A
 * page became the one that came nearest to the time when it went: a rename is
 * one change of the site, and other sections may have pages of the same name
 * that came or went within weeks. */
static void
guess_group(struct site_moves *moves, const struct hashed *items, size_t count)
{
	bool is_used[GROUP_MOST] = {false};

	for (;;) {
		size_t from = count, to = count;
		int64_t nearest_s = INT64_MAX;

		for (size_t i = 0; i < count * count; i++) {
			const struct event
			    *a = &moves->events[items[i / count].event],
			    *b = &moves->events[items[i % count].event];
			int64_t apart_s = a->page->at_s > b->page->at_s
			    ? a->page->at_s - b->page->at_s
			    : b->page->at_s - a->page->at_s;

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
		moves->events[items[from].event].rest = items[0].rest;
		moves->events[items[from].event].guess = items[to].event;
	}
}

/* What the URLs of a page that went and one that came have in common. */
enum likeness {
	LIKE_REST_OF_URL, /* all but the scheme and `www.` */
	LIKE_KEY,
	LIKE_REST_OF_KEY
};

/* Guess what the pages became that have no pair.  What is one URL but for its
 * spelling is paired: each such guess is right. */
static void
guess_pages(struct site_moves *moves, enum likeness likeness)
{
	struct hashed *items = NULL;
	size_t count = 0, cap = 0;

	for (uint32_t i = 0; i < moves->count; i++) {
		const struct event *event = &moves->events[i];
		size_t starts[RESTS_MOST] = {0}, rests = 1;
		struct slice key = event->key;

		if (event->other != NONE)
			continue;
		if (likeness == LIKE_REST_OF_KEY) {
			/* The rests of a key: what follows each folder, with
			 * the slash before it, the shortest first. */
			size_t at = 0;

			while (at < key.len && key.p[at] != '?')
				at++;
			for (rests = 0; at > 0 && rests < RESTS_MOST; at--)
				if (key.p[at - 1] == '/' && at < key.len)
					starts[rests++] = at - 1;
		}
		items = mem_grow(items, &cap, count + rests, sizeof(*items));
		for (size_t k = 0; k < rests; k++)
			items[count++] = (struct hashed){
			    .hash = hash_key(likeness == LIKE_REST_OF_URL
				    ? spelling_rest(event->page->url)
				    : slice_from(key, starts[k]),
				moves->key),
			    .event = i,
			    .rest = (uint32_t)(key.len - starts[k])};
	}
	sort_rows(items, count, sizeof(*items), by_hash);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && items[end].hash == items[i].hash;)
			end++;
		if (end - i > 1 && end - i <= GROUP_MOST)
			guess_group(moves, &items[i], end - i);
	}
	free(items);
	for (size_t i = 0;
	     likeness != LIKE_REST_OF_KEY && i < moves->gone_count; i++) {
		struct event *from = &moves->events[moves->gone[i]];

		if (from->other == NONE && from->guess != NONE) {
			from->other = from->guess;
			moves->events[from->guess].other = moves->gone[i];
		}
		from->guess = NONE;
		from->rest = 0;
	}
}

/* The pairs of prefixes that have enough votes, each once, by a GONE event
 * whose guess is such a vote; those with the most votes come first.  Owned by
 * the caller. */
static struct hashed *
count_votes(const struct site_moves *moves, size_t *count)
{
	struct hashed *votes = mem_zero(
	    (moves->gone_count + 1) * sizeof(*votes));
	size_t all = 0;

	*count = 0;
	for (size_t i = 0; i < moves->gone_count; i++) {
		const struct event *from = &moves->events[moves->gone[i]];
		struct slice before = from->key, after;

		if (from->guess == NONE || from->other != NONE)
			continue;
		after = moves->events[from->guess].key;
		before.len -= from->rest;
		after.len -= from->rest;
		votes[all++] = (struct hashed){
		    .hash = hash_key(after, hash_key(before, moves->key)),
		    .event = moves->gone[i]};
	}
	sort_rows(votes, all, sizeof(*votes), by_hash);
	for (size_t i = 0, end; i < all; i = end) {
		for (end = i; end < all && votes[end].hash == votes[i].hash;)
			end++;
		/* by_hash() puts the least number first */
		if (end - i >= VOTES_LEAST)
			votes[(*count)++] = (struct hashed){
			    .hash = UINT64_MAX - (end - i),
			    .event = votes[i].event};
	}
	sort_rows(votes, *count, sizeof(*votes), by_hash);
	return votes;
}

/* Step 4: prefixes that were renamed. */

/* Pages that went and that are alike but for their numbers. */
struct alike {
	uint64_t class;
	uint64_t pages; /* that there were before any went */
	uint64_t gone; /* of these */
	bool is_apart; /* some went long before or after they came elsewhere */
	int64_t most_s; /* when most had a guess; INT64_MAX: never */
};

/* A renaming of a prefix that is tried. */
struct trial {
	struct site_moves *moves;
	const struct event *model;
	struct slice before, after; /* prefixes of keys */
	size_t first, end; /* the range of events that begin with before */
	uint32_t *pairs; /* owned; the GONE events that were paired */
	size_t count, cap;
	int64_t first_s; /* when the first one of these went */
	struct alike *alike; /* owned; by class */
	size_t alike_count;
	struct hashed
	    *rests; /* owned; of pages that still have the old prefix */
	size_t rest_count, rest_cap;
	uint64_t both; /* rests that are listed with both prefixes */
	uint64_t after_pages; /* that are listed with the new prefix */
	struct hashed
	    *own; /* owned; the rests of the pairs, `event` is a pair */
	bool *is_common; /* owned; pairs whose rest a third folder has, too */
	struct buf text;
};

static const struct sort_key by_class[] = {
    {SORT_KEY(struct alike, class)}, {0}};

static struct alike *
alike_find(const struct trial *trial, uint64_t class)
{
	struct alike key = {.class = class};

	return sort_find(&key, trial->alike, trial->alike_count,
	    sizeof(*trial->alike), by_class);
}

/* Find the classes of the pages that were paired, and when the first went. */
static void
find_alike(struct trial *trial)
{
	size_t count = 0;

	trial->alike = mem_zero((trial->count + 1) * sizeof(*trial->alike));
	for (size_t i = 0; i < trial->count; i++) {
		const struct event *from = &trial->moves
						->events[trial->pairs[i]];

		trial->alike[i] = (struct alike){
		    .class = from->class, .most_s = INT64_MAX};
		if (i == 0 || from->page->at_s < trial->first_s)
			trial->first_s = from->page->at_s;
	}
	sort_rows(trial->alike, trial->count, sizeof(*trial->alike), by_class);
	for (size_t i = 0; i < trial->count; i++) {
		if (count == 0 ||
		    trial->alike[count - 1].class != trial->alike[i].class)
			trial->alike[count++] = trial->alike[i];
	}
	trial->alike_count = count;
}

/* A page is listed that has the old prefix, and had it before. */
static void
count_old(struct trial *trial, struct slice url, struct slice key)
{
	struct alike *alike = alike_find(
	    trial, segment_of(trial->moves, key).class);

	/* It came after the first one of the pairs went. */
	if (has_event(
		trial->moves, url, key, DELTA_ADDED, trial->first_s, INT64_MAX))
		return;
	if (alike != NULL)
		alike->pages++;
	*MEM_PUSH(
	    trial->rests, trial->rest_count, trial->rest_cap) = (struct hashed){
	    .hash = hash_key(
		slice_from(key, trial->before.len), trial->moves->key)};
}

/* A page is listed that has the new prefix. */
static void
count_new(struct trial *trial, struct slice url, struct slice key)
{
	struct hashed rest = {
	    .hash = hash_key(
		slice_from(key, trial->after.len), trial->moves->key)};

	(void)url;
	trial->after_pages++;
	trial->both += sort_find(&rest, trial->rests, trial->rest_count,
			   sizeof(rest), by_hash_only) != NULL;
}

/* The length of the folder in which a prefix is, with its slash; 0: the prefix
 * is a host. */
static size_t
parent_of(struct slice prefix)
{
	size_t len = prefix.len;

	while (len > 0 && prefix.p[len - 1] != '/')
		len--;
	return len;
}

/* A page is, or was, in the folder that has the old and the new one.  If it
 * stays while the pairs go, note which rest they have in common. */
static void
note_common(struct trial *trial, struct slice url, struct slice key)
{
	size_t parent = parent_of(trial->before);
	size_t end = parent + folder_at(key, parent).len;
	struct slice prefix = slice_make(key.p, end);
	struct hashed rest = {
	    .hash = hash_key(slice_from(key, end), trial->moves->key)};
	const struct hashed *own;

	if (slice_equal(prefix, trial->before) ||
	    slice_equal(prefix, trial->after))
		return;
	own = sort_find(
	    &rest, trial->own, trial->count, sizeof(rest), by_hash_only);
	if (own != NULL &&
	    !has_event(
		trial->moves, url, key, DELTA_ADDED, trial->first_s, INT64_MAX))
		trial->is_common[own->event] = true;
}

/* Call fn for all URLs that are listed and begin as the URL of an event, for so
 * many bytes of its key, which end a folder's name or its slash. */
static void
each_listed(struct trial *trial, const struct event *model, size_t len,
    void (*fn)(struct trial *, struct slice url, struct slice key))
{
	struct slice url = model->page->url;
	struct site_list *list;
	struct buf folder = BUF_UP_TO(SIZE_MAX);
	struct entry entry;
	int64_t document_id;

	(void)buf_put(
	    &folder, url.p, (size_t)(spelling_rest(url).p - url.p) + len);
	if (len == 0 || model->key.p[len - 1] != '/')
		(void)buf_put_char(&folder, '/');
	list = site_list_new(trial->moves->options->store,
	    trial->moves->options->site_id, buf_text(&folder), SITE_LIST_FEW);
	while (trial->moves->looks++ < LOOKS_MOST &&
	    site_list_next(list, &document_id, &entry) &&
	    slice_starts(entry.url, buf_text(&folder))) {
		buf_clear(&trial->text);
		spelling_key(&trial->text, entry.url);
		if (trial->text.len > len)
			fn(trial, entry.url, buf_text(&trial->text));
	}
	site_list_free(list);
	buf_release(&folder);
}

/* Find which rests of the pairs a third folder beside both has, too, and has
 * had before.  Such a rest is what any folder of that kind has: those of a
 * language, or of a branch.  Pages that went later were there, too, so that the
 * answer stays the same.  It is not asked of a large folder that became another
 * one as a whole, such as a version of a manual.  Returns how many there are of
 * pages that nothing else in their folder is like. */
static size_t
find_common(struct trial *trial)
{
	struct site_moves *moves = trial->moves;
	size_t parent = parent_of(trial->before), common = 0, single = 0;
	struct slice folder = slice_make(trial->before.p, parent);

	trial->is_common = mem_zero(trial->count * sizeof(*trial->is_common));
	for (size_t i = 0; i < trial->alike_count; i++)
		single += trial->alike[i].pages < 2;
	if (parent == 0 || parent != parent_of(trial->after) ||
	    !slice_starts(trial->after, folder) || single == 0)
		return 0;
	if (trial->count >= WHOLE_LEAST &&
	    trial->rest_count * 10 <= trial->count &&
	    trial->after_pages * 9 <= trial->count * 10)
		return 0;
	trial->own = mem_zero(trial->count * sizeof(*trial->own));
	for (uint32_t i = 0; i < trial->count; i++)
		trial->own[i] = (struct hashed){
		    .hash = hash_key(
			slice_from(moves->events[trial->pairs[i]].key,
			    trial->before.len),
			moves->key),
		    .event = i};
	sort_rows(trial->own, trial->count, sizeof(*trial->own), by_hash);
	each_listed(trial, trial->model, parent, note_common);
	for (size_t i = first_of(moves, folder);
	     i < moves->count && slice_starts(moves->events[i].key, folder);
	     i++)
		if (moves->events[i].page->kind == DELTA_GONE &&
		    moves->events[i].page->at_s > trial->first_s)
			note_common(trial, moves->events[i].page->url,
			    moves->events[i].key);
	for (size_t i = 0; i < trial->count; i++)
		common += trial->is_common[i] &&
		    alike_find(trial, moves->events[trial->pairs[i]].class)
			    ->pages < 2;
	return common;
}

/* Are the last segments of all pairs numbers that no new folder begins with? */
static bool
has_long_numbers(const struct trial *trial)
{
	for (size_t i = 0; i < trial->count; i++) {
		struct slice key = trial->moves->events[trial->pairs[i]].key;
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

/* Find when most pages of each class had gone and come elsewhere, with any
 * prefix: pages of one folder may have moved to several ones.  They came and
 * went together, unless the new folder has little else.  Most are half of them;
 * a quarter, if half of them went, and the new folder has little else; few, if
 * the new folder has nothing else, and their numbers are long, as those of
 * products are that get a folder of their own. */
static void
find_most(struct trial *trial)
{
	const struct site_moves *moves = trial->moves;
	bool is_whole = trial->count * 2 >= trial->after_pages;
	bool is_own = trial->count >= trial->after_pages &&
	    has_long_numbers(trial);
	struct hashed *items = mem_zero(
	    (trial->end - trial->first + 1) * sizeof(*items));
	size_t count = 0;

	for (size_t i = trial->first; i < trial->end; i++) {
		const struct event *from = &moves->events[i], *to;
		struct alike *alike = from->page->kind == DELTA_GONE
		    ? alike_find(trial, from->class)
		    : NULL;

		if (alike == NULL ||
		    from->page->at_s < trial->first_s - TOGETHER_S)
			continue;
		alike->pages++;
		alike->gone++;
		if (from->guess == NONE)
			continue;
		to = &moves->events[from->guess];
		/* Were both seen to change together? */
		int64_t apart_s = from->page->at_s - to->page->at_s;

		if (apart_s > TOGETHER_S || apart_s < -TOGETHER_S) {
			alike->is_apart = true;
			/* If the site had listed the page before, it is back,
			 * and nothing that went at another time became it. */
			if (!is_whole ||
			    has_event(moves, to->page->url, to->key, DELTA_GONE,
				INT64_MIN, to->page->at_s))
				continue;
		}
		items[count++] = (struct hashed){.hash = from->class,
		    .read_s = from->page->read_s > to->page->read_s
			? from->page->read_s
			: to->page->read_s};
	}
	sort_rows(items, count, sizeof(*items), by_hash);
	for (size_t i = 0, end; i < count; i = end) {
		struct alike *alike = alike_find(trial, items[i].hash);
		uint64_t most = (alike->pages + 1) / 2;

		if (is_own && !alike->is_apart)
			most = PAIRS_LEAST;
		else if (is_whole && !alike->is_apart &&
		    alike->gone * 2 >= alike->pages)
			most = (alike->pages + 3) / 4;
		for (end = i; end < count && items[end].hash == items[i].hash;)
			end++;
		if (most <= end - i)
			alike->most_s = items[i + most - 1].read_s;
	}
	free(items);
}

static bool follow(struct site_moves *, uint32_t from, bool may_pair_it);

/* When both events of a pair were read. */
static int64_t
pair_read_s(const struct site_moves *moves, const struct event *from)
{
	const struct moved_page *to = moves->events[from->other].page;

	return from->page->read_s > to->read_s ? from->page->read_s
					       : to->read_s;
}

/* When enough of the items were read that have different hashes; 0: there are
 * not enough. */
static int64_t
enough_s(struct hashed *items, size_t count)
{
	size_t kept = 0;

	sort_rows(items, count, sizeof(*items), by_hash);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || items[i].hash != items[i - 1].hash)
			items[kept++].read_s = items[i].read_s;
	for (size_t i = 0; i < kept; i++)
		items[i].hash = 0;
	sort_rows(items, kept, sizeof(*items), by_hash);
	return kept < PAIRS_LEAST ? 0 : items[PAIRS_LEAST - 1].read_s;
}

/* Is there evidence that the prefix was renamed?  Five pages whose last
 * segments are different names are evidence, unless both folders have many
 * names in common, or a third one has these names.  Numbers prove nothing but
 * that most pages which are alike left, and came elsewhere (find_most()).  A
 * redirect proves all pairs.  Returns when there was enough evidence; 0: there
 * is not. */
static int64_t
evidence_of(struct trial *trial)
{
	struct site_moves *moves = trial->moves;
	struct hashed *proofs;
	size_t count = 0, common;
	int64_t found_s;

	if (trial->count < PAIRS_LEAST)
		return 0;
	find_alike(trial);
	each_listed(trial, trial->model, trial->before.len, count_old);
	sort_rows(
	    trial->rests, trial->rest_count, sizeof(*trial->rests), by_hash);
	each_listed(trial, &moves->events[trial->model->guess],
	    trial->after.len, count_new);
	find_most(trial);
	common = find_common(trial);
	proofs = mem_zero(trial->count * sizeof(*proofs));
	for (size_t i = 0; i < trial->count && trial->both * 2 < trial->count;
	     i++) {
		const struct event *from = &moves->events[trial->pairs[i]];
		const struct event *to = &moves->events[from->other];
		const struct alike *alike = alike_find(trial, from->class);
		int64_t read_s = pair_read_s(moves, from);
		int64_t apart_s = from->page->at_s - to->page->at_s;

		if (trial->is_common[i] &&
		    (alike->pages < 2 || common >= PAIRS_LEAST))
			continue;
		if (alike->most_s != INT64_MAX)
			proofs[count++] = (struct hashed){.hash = i,
			    .read_s = read_s > alike->most_s ? read_s
							     : alike->most_s};
		else if (from->name != 0 &&
		    ((apart_s <= TOGETHER_S && apart_s >= -TOGETHER_S) ||
			!has_event(moves, to->page->url, to->key, DELTA_GONE,
			    INT64_MIN, to->page->at_s)))
			proofs[count++] = (struct hashed){
			    .hash = from->name, .read_s = read_s};
	}
	found_s = enough_s(proofs, count);
	if (found_s == 0) {
		/* When a redirect of a pair was reported first; 0: none was. */
		int64_t first_s = 0;

		for (size_t i = 0;
		     trial->moves->has_redirects && i < trial->count; i++) {
			struct event *from = &trial->moves
						  ->events[trial->pairs[i]];

			from->redirect_s = 0;
			if (follow(trial->moves, trial->pairs[i], false) &&
			    (first_s == 0 || from->redirect_s < first_s))
				first_s = from->redirect_s;
			from->redirect_s = 0;
		}
		int64_t redirect_s = first_s;

		count = redirect_s > 0 ? trial->count : 0;
		for (size_t i = 0; i < count; i++) {
			int64_t read_s = pair_read_s(
			    moves, &moves->events[trial->pairs[i]]);

			proofs[i] = (struct hashed){.hash = i,
			    .read_s = read_s > redirect_s ? read_s
							  : redirect_s};
		}
		found_s = enough_s(proofs, count);
	}
	free(proofs);
	return found_s;
}

/* Pair all events that have the prefixes of a GONE event and its guess, unless
 * nothing proves that they moved.  Returns how many events were looked at. */
static size_t
rename_prefix(struct site_moves *moves, uint32_t voter)
{
	const struct event *model = &moves->events[voter];
	struct trial trial = {.moves = moves,
	    .model = model,
	    .before = model->key,
	    .after = moves->events[model->guess].key};
	int64_t known_s;

	trial.before.len -= model->rest;
	trial.after.len -= model->rest;
	trial.first = trial.end = first_of(moves, trial.before);
	for (; trial.end < moves->count; trial.end++) {
		uint32_t from = (uint32_t)trial.end, to;
		struct slice old = moves->events[from].key;

		if (!slice_starts(old, trial.before))
			break;
		/* the page of the folder itself moves with the folder */
		if (moves->events[from].page->kind != DELTA_GONE ||
		    moves->events[from].other != NONE ||
		    (old.len > trial.before.len &&
			old.p[trial.before.len] != '/'))
			continue;
		buf_clear(&trial.text);
		(void)buf_put_slice(&trial.text, trial.after);
		(void)buf_put_slice(
		    &trial.text, slice_from(old, trial.before.len));
		to = find_added(moves, from, buf_text(&trial.text), NULL);
		if (to == NONE)
			continue;
		moves->events[from].other = to;
		moves->events[to].other = from;
		*MEM_PUSH(trial.pairs, trial.count, trial.cap) = from;
	}
	known_s = evidence_of(&trial);
	for (size_t i = 0; i < trial.count; i++) {
		struct event *from = &moves->events[trial.pairs[i]];

		from->enough_s = known_s;
		if (known_s > 0)
			continue;
		moves->events[from->other].other = NONE;
		from->other = NONE;
	}
	free(trial.pairs);
	free(trial.alike);
	free(trial.rests);
	free(trial.own);
	free(trial.is_common);
	buf_release(&trial.text);
	return trial.end - trial.first;
}

/* Step 5: redirects that fetchers reported. */

/* Find when a page that went was first seen to redirect to its pair, and note
 * that; with may_pair_it, a page without a pair is paired with the first page
 * to which it redirected and that came.  Returns whether it has one. */
static bool
follow(struct site_moves *moves, uint32_t from, bool may_pair_it)
{
	struct store *store = moves->options->store;
	struct event *event = &moves->events[from];
	int64_t page_id = event->is_configured
	    ? 0
	    : store_page_find(store, event->page->url);
	struct sqlite3_stmt *stmt;
	struct url base = {0}, target = {0};

	if (page_id == 0)
		return false;
	stmt = db_loop_id(store, SQL_PAGE_REDIRECTS, page_id);
	while (event->redirect_s == 0 &&
	    url_resolve(&base, event->page->url, NULL) == DIAG_OK &&
	    db_row(store, stmt)) {
		if (url_resolve(&target, db_text(stmt, 1), &base) != DIAG_OK)
			continue;
		if (event->other == NONE && may_pair_it) {
			struct slice text = url_text(&target);
			uint32_t to = find_added(moves, from, text, &text);

			if (to == NONE)
				continue;
			event->other = to;
			moves->events[to].other = from;
			event->is_redirected = true;
		}
		if (event->other != NONE &&
		    slice_equal(url_text(&target),
			moves->events[event->other].page->url))
			event->redirect_s = db_time(store, stmt, 0);
	}
	db_done(stmt);
	url_release(&base);
	url_release(&target);
	return event->redirect_s > 0;
}

/* The result. */

struct move *
site_moves_find(const struct site_moves_options *options, size_t *count)
{
	struct site_moves moves = {
	    .options = options, .key = store_hash_key(options->store)};
	struct move *found;

	moves.has_redirects = db_has(
	    options->store, db_use(options->store, SQL_HAS_REDIRECTS));
	/* Make events of the pages, and find those of pages that went. */
	struct hashed *gone;

	moves.count = moves.options->count;
	moves.events = mem_zero((moves.count + 1) * sizeof(*moves.events));
	moves.gone = mem_zero((moves.count + 1) * sizeof(*moves.gone));
	gone = mem_zero((moves.count + 1) * sizeof(*gone));
	for (size_t i = 0; i < moves.count; i++) {
		const struct moved_page *page = &moves.options->pages[i];

		moves.events[i] = (struct event){.page = page,
		    .key = key_of(page->url),
		    .other = NONE,
		    .guess = NONE};
	}
	if (moves.count > 0)
		qsort(moves.events, moves.count, sizeof(*moves.events), by_key);
	for (uint32_t i = 0; i < moves.count; i++) {
		struct event *event = &moves.events[i];
		struct segment segment;

		if (event->page->kind != DELTA_GONE)
			continue;
		segment = segment_of(&moves, event->key);
		event->class = segment.class;
		event->name = segment.name;
		gone[moves.gone_count++] = (struct hashed){
		    .read_s = event->page->at_s, .event = i};
	}
	sort_rows(gone, moves.gone_count, sizeof(*gone), by_hash);
	for (size_t i = 0; i < moves.gone_count; i++)
		moves.gone[i] = gone[i].event;
	free(gone);

	pair_configured(&moves);
	guess_pages(&moves, LIKE_REST_OF_URL);
	guess_pages(&moves, LIKE_KEY);
	/* In the order of votes, try the prefixes of the guesses. */
	struct hashed *votes;
	size_t vote_count, tries = 0;

	guess_pages(&moves, LIKE_REST_OF_KEY);
	votes = count_votes(&moves, &vote_count);
	for (size_t i = 0; i < vote_count && tries < TRIES_MOST; i++)
		if (moves.events[votes[i].event].other == NONE)
			tries += rename_prefix(&moves, votes[i].event);
	free(votes);
	for (size_t i = 0; moves.has_redirects && i < moves.gone_count; i++)
		(void)follow(&moves, moves.gone[i], true);
	found = mem_zero((moves.gone_count + 1) * sizeof(*found));
	*count = 0;
	for (size_t i = 0; i < moves.gone_count; i++) {
		const struct event *from = &moves.events[moves.gone[i]];
		int64_t read_s, known_s, redirect_s;

		if (from->other == NONE)
			continue;
		read_s = pair_read_s(&moves, from);
		known_s = read_s > from->enough_s ? read_s : from->enough_s;
		redirect_s = read_s > from->redirect_s ? read_s
						       : from->redirect_s;
		bool is_redirected = from->is_redirected ||
		    (from->redirect_s > 0 && redirect_s < known_s);

		found[(*count)++] = (struct move){.from = *from->page,
		    .to = *moves.events[from->other].page,
		    .is_configured = from->is_configured,
		    .star = from->star,
		    .is_redirected = is_redirected,
		    .known_s = is_redirected ? redirect_s : known_s};
	}
	for (size_t i = 0; i < moves.count; i++)
		free((char *)(uintptr_t)moves.events[i].key.p);
	free(moves.events);
	free(moves.gone);
	return found;
}
