/*
 * The events of a site, from its readings.
 *
 * 1. Pair the pages that moved: they are neither new nor gone.
 * 2. Go through the readings in the order of commits: add the events of single
 *    documents (documents.h), and count the pages that came to a section or
 *    left it, and the new pages of each day.
 * 3. Count how many pages the sections that changed have now.
 * 4. Find which sections were launched or are gone, and which days are against
 *    the habit of the site (site_sections.h).
 * 5. Of all these, keep what became known within a span.
 */
#include "crawler/events/events.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/renaming.h"
#include "base/section.h"
#include "base/sort.h"
#include "base/url.h"
#include "base/vis.h"
#include "base/zone.h"
#include "crawler/events/event_answers.h"
#include "crawler/events/site_sections.h"
#include "store/document.h"
#include "store/page.h"
#include "store/page_says.h"
#include "store/proof.h"
#include "store/query.h"
#include "store/siblings.h"
#include "store/site_changes.h"
#include "store/site_list.h"

struct new_page {
	uint64_t hash;
	size_t event; /* index in the list */
	int64_t
	    gone_s; /* when it went, before it came; 0: it was never there */
};

#define HEADLINES_MOST 3 /* in the sentence of an event */
#define HEADLINE_BYTES 120

struct coming_back {
	struct store *store;
	const struct section_rules *sections;
	struct site_event_list *list;
	size_t from;
	struct new_page *pages; /* owned; sorted by hash in the second pass */
	size_t count, cap;
	int64_t last_id; /* of the readings that brought them */
	bool has_titles; /* some pages of the store have said theirs */
};

static bool
brings(const struct site_event *event, const struct reading_row *row)
{
	return (event->kind == EVENT_SECTION_LAUNCHED ||
		   event->kind == EVENT_BURST) &&
	    row->id >= event->first_reading_id &&
	    row->id <= event->last_reading_id;
}

/* Keep the new pages of the events, by hash: they may be many. */
static bool
events_take_new(void *arg, const struct reading_row *row,
    const struct change *change, const struct move *move)
{
	struct coming_back *back = arg;

	(void)move;
	if (change->kind != DELTA_ADDED ||
	    section_is_ignored(back->sections, change->url))
		return true;
	for (size_t i = back->from; i < back->list->count; i++) {
		struct site_event *event = &back->list->items[i];

		if (!brings(event, row) ||
		    (event->section != NULL &&
			!slice_is(section_of(back->sections, change->url),
			    event->section)))
			continue;
		*MEM_PUSH(
		    back->pages, back->count, back->cap) = (struct new_page){
		    .hash = hash_key(change->url, store_hash_key(back->store)),
		    .event = i};
		if (back->has_titles &&
		    event->headlines.count < HEADLINES_MOST) {
			struct slice title =
			    store_page_says(back->store, change->url).title;
			struct buf cut = BUF_UP_TO(HEADLINE_BYTES);

			vis_put(&cut, title, HEADLINE_BYTES);
			if (title.len > 0)
				strings_add(&event->headlines, buf_text(&cut));
			buf_release(&cut);
		}
	}
	return true;
}

static bool
find_new(void *arg, const struct reading_row *row)
{
	struct coming_back *back = arg;
	bool is_one = false;

	for (size_t i = back->from; i < back->list->count; i++)
		is_one = is_one || brings(&back->list->items[i], row);
	if (!is_one || row->site[DELTA_ADDED] == 0)
		return row->id <= back->last_id;
	reading_change_walk(
	    back->store, row, true, NULL, events_take_new, back);
	return true;
}

static const struct sort_key new_by_hash[] = {
    {SORT_KEY(struct new_page, hash), false}, {0}};

/* A page that went before the event that brings it was gone before, and is
 * back. The last time counts. */
static bool
take_gone(void *arg, const struct reading_row *row, const struct change *change,
    const struct move *move)
{
	struct coming_back *back = arg;
	struct new_page key = {
	    .hash = hash_key(change->url, store_hash_key(back->store))};
	struct new_page *page;

	(void)move;
	if (change->kind != DELTA_GONE)
		return true;
	page = sort_find(
	    &key, back->pages, back->count, sizeof(*page), new_by_hash);
	if (page == NULL)
		return true;
	/* the first of them, which may be of several events */
	while (page > back->pages && page[-1].hash == key.hash)
		page--;
	for (; page < back->pages + back->count && page->hash == key.hash;
	     page++)
		if (row->id < back->list->items[page->event].first_reading_id)
			page->gone_s = delta_at_s(
			    DELTA_GONE, row->at_s, row->since_s);
	return true;
}

static bool
find_gone(void *arg, const struct reading_row *row)
{
	struct coming_back *back = arg;

	if (row->id > back->last_id)
		return false;
	if (row->site[DELTA_GONE] == 0)
		return true;
	reading_change_walk(back->store, row, true, NULL, take_gone, back);
	return true;
}

/* Fill in, for the launches and bursts in the list from that index on, how many
 * of their pages were gone before, and when the last of these went.  Reads all
 * readings of the site in which pages went, if there is such an event. */
static void
events_came_back(struct store *store, int64_t site_id,
    const struct section_rules *sections, struct site_event_list *list,
    size_t from)
{
	struct coming_back back = {.store = store,
	    .sections = sections,
	    .list = list,
	    .from = from,
	    .has_titles = store_number(store, STORE_HAS_TITLES, 0, 0) > 0};
	int64_t first_s = INT64_MAX;

	for (size_t i = from; i < list->count; i++) {
		const struct site_event *event = &list->items[i];

		/* other kinds count no pages that came */
		if (event->kind != EVENT_SECTION_LAUNCHED &&
		    event->kind != EVENT_BURST)
			continue;
		if (event->at_s < first_s)
			first_s = event->at_s;
		if (event->last_reading_id > back.last_id)
			back.last_id = event->last_reading_id;
	}
	if (back.last_id == 0)
		return;
	store_each_reading(store,
	    (struct reading_from){.by = READINGS_OF_SITE,
		.id = site_id,
		.at_s = first_s,
		.has_delta = true},
	    find_new, &back);
	if (back.count > 0) {
		sort_rows(
		    back.pages, back.count, sizeof(*back.pages), new_by_hash);
		store_each_reading(store,
		    (struct reading_from){.by = READINGS_OF_SITE,
			.id = site_id,
			.has_delta = true},
		    find_gone, &back);
	}
	for (size_t i = 0; i < back.count; i++) {
		struct site_event *event = &list->items[back.pages[i].event];

		if (back.pages[i].gone_s == 0)
			continue;
		event->back++;
		if (back.pages[i].gone_s > event->away_s)
			event->away_s = back.pages[i].gone_s;
	}
	/* later readings may have added to the pages of a told event */
	for (size_t i = from; i < list->count; i++)
		if (list->items[i].back > list->items[i].count)
			list->items[i].back = list->items[i].count;
	free(back.pages);
}

/* Readings before the window: for habits, and for changes of pages (an event
 * may become known two weeks after a week of changes). */
#define HABIT_S ((SILENCE_DAYS + 30) * DAY_S)
#define PAGES_S EVENTS_MOVED_S
#define MOVED_LEAST 5 /* pages with the same prefixes */
#define MOVED_WITHIN_S (7 * DAY_S)
#define GROUPS_OPEN 64 /* groups of moves that may still grow */

/* A pair, in the order in which pairs were known. */
struct known_move {
	const struct move *move;
	int64_t known_s; /* of the move */
	size_t place; /* in the order of new pages */
};

struct moved_counts {
	uint64_t came, gone;
};

/* Where pages moved from and to: prefixes of URLs, folders, or patterns of URLs
 * with a star. */
struct move_ends {
	struct buf from, to;
};

struct event_gathering {
	struct store *store;
	int64_t site_id;
	const struct events_span *window;
	struct site_event_list list;
	struct documents *documents; /* owned */
	struct site_sections sections;
	struct open_documents open;
	struct habit habit;
	const struct site_changes *changes; /* borrowed */
	struct idmap moved; /* places in counts, by reading */
	struct moved_counts *counts; /* owned */
	size_t count, cap;
	int64_t uncounted_s; /* see struct events_found */
	struct buf text;
	struct move_ends ends;
	/* the reading at hand: */
	const struct reading_row *row;
	struct document_facts facts;
	/* ignored pages of it, by kind of change, moved ones, too */
	uint64_t ignored[DELTA_KINDS];
	/* a silence may begin: */
	int64_t published_s; /* the last new pages; 0: none yet */
	/* when it is a silence if nothing new comes; 0: the site has no habit,
	 * or the event is added */
	int64_t silent_s;
	uint64_t longest;
	int64_t until_s; /* see struct events_found */
	/* the baseline: */
	int64_t first_s; /* the first reading of a sitemap; 0: none */
	int64_t first_reading_id;
	uint64_t came, gone; /* all pages since */
	uint64_t present; /* now */
	int64_t first_seen_s; /* the earliest of these */
};

/* Moves. */

static struct moved_counts *
counts_of(struct event_gathering *gathering, int64_t reading_id)
{
	uint32_t place = idmap_get(&gathering->moved, reading_id);

	if (place != IDMAP_NONE)
		return &gathering->counts[place];
	gathering->counts = mem_grow(gathering->counts, &gathering->cap,
	    gathering->count + 1, sizeof(*gathering->counts));
	idmap_put(&gathering->moved, reading_id, (uint32_t)gathering->count);
	gathering->counts[gathering->count] = (struct moved_counts){0};
	return &gathering->counts[gathering->count++];
}

/* The URL up to the slash of its last folder, without it; an origin stays. */
static struct slice
folder_of(struct slice url)
{
	size_t path_len = url_path_of(url).len;

	while (path_len > 0 && url.p[url.len - 1] != '/') {
		path_len--;
		url.len--;
	}
	url.len -= path_len > 0;
	return url;
}

static void
put_ends(struct move_ends *ends, struct slice from, struct slice to)
{
	buf_clear(&ends->from);
	buf_clear(&ends->to);
	(void)buf_put_slice(&ends->from, from);
	(void)buf_put_slice(&ends->to, to);
}

/* The ends of a move that the user gave: the URLs without the text of the star,
 * and their folders, so that one event tells of many pages, unless these are
 * the same.  What follows the star is shown. */
static void
given_ends(struct move_ends *ends, const struct move *move)
{
	const struct move_star *star = &move->star;
	struct slice from = move->from.url, to = move->to.url;
	struct slice old, new;

	from.len -= star->len + star->from_tail;
	to.len -= star->len + star->to_tail;
	if (star->from_tail + star->to_tail > 0) {
		put_ends(ends, from, to);
		(void)buf_print(&ends->from, "*%.*s", (int)star->from_tail,
		    move->from.url.p + move->from.url.len - star->from_tail);
		(void)buf_print(&ends->to, "*%.*s", (int)star->to_tail,
		    move->to.url.p + move->to.url.len - star->to_tail);
		return;
	}
	old = folder_of(from);
	new = folder_of(to);
	if (slice_equal(old, new))
		put_ends(ends, from, to);
	else
		put_ends(ends, old, new);
}

/* How many bytes two URLs have in common at the end, from a slash of their
 * paths on.  Letter case matters, or does not. */
static size_t
common_of(struct slice from, struct slice to, bool has_case)
{
	size_t common = 0, rest = 0;

	while (common < from.len && common < to.len) {
		char a = from.p[from.len - common - 1];
		char b = to.p[to.len - common - 1];

		if (has_case ? a != b : ascii_lower(a) != ascii_lower(b))
			break;
		common++;
		if (a == '/')
			rest = common;
	}
	return rest;
}

/* The ends of a move without what both have in common.  If the URLs are spelt
 * otherwise behind that, the ends are patterns; and if nothing but letter case
 * differs, they are origins. */
static void
spelt_ends(struct move_ends *ends, const struct move *move)
{
	struct slice from_tail, to_tail;
	struct slice from = spelling_stem(move->from.url, &from_tail);
	struct slice to = spelling_stem(move->to.url, &to_tail);
	bool is_same = slice_equal(from_tail, to_tail);
	size_t rest = is_same ? common_of(from, to, true) : 0;

	if (rest == 0)
		rest = common_of(url_path_of(from), url_path_of(to), false);
	from.len -= rest;
	to.len -= rest;
	put_ends(ends, from, to);
	if (is_same)
		return;
	(void)buf_print(&ends->from, "/*%.*s", (int)from_tail.len, from_tail.p);
	(void)buf_print(&ends->to, "/*%.*s", (int)to_tail.len, to_tail.p);
}

/* Is what became known at later_s too late for an event that was known at
 * known_s? */
static bool
events_is_late(
    const struct event_gathering *gathering, int64_t known_s, int64_t later_s)
{
	return gathering->window->is_as_told &&
	    later_s >= known_s + EVENTS_LAG_S;
}

/* The event of moves between these prefixes that goes on; NULL: none does. */
static struct site_event *
events_group_of(struct event_gathering *gathering, struct slice from,
    struct slice to, const struct move *move)
{
	struct site_event_list *list = &gathering->list;
	size_t least = list->count > GROUPS_OPEN ? list->count - GROUPS_OPEN
						 : 0;

	for (size_t i = list->count; i-- > least;) {
		struct site_event *event = &list->items[i];

		if (move->known_s - event->first_known_s < MOVED_WITHIN_S &&
		    event->is_configured == move->is_configured &&
		    slice_is(from, event->from) && slice_is(to, event->to))
			return event;
	}
	return NULL;
}

/* How many pages make an event of moves: what the user says needs no proof, and
 * a redirect is one. */
static uint64_t
events_least_of(const struct site_event *event)
{
	return event->is_configured || event->is_redirected ? 1 : MOVED_LEAST;
}

static void
keep_section(char **section, struct slice other)
{
	if (*section == NULL || slice_is(other, *section))
		return;
	free(*section);
	*section = NULL;
}

/* Count a move in both readings, and in the event of moves between the same
 * ends.  An event is known with the page that makes it large enough; what is
 * known later adds to it. */
static void
add_move(struct event_gathering *gathering, const struct move *move)
{
	const struct section_rules *sections = gathering->window->sections;
	bool is_from_ignored = section_is_ignored(sections, move->from.url);
	bool is_to_ignored = section_is_ignored(sections, move->to.url);
	struct slice from = move->from.url, to = move->to.url;
	bool was_enough;
	struct site_event *event;

	/* Count in the readings that a page moved; events_on_change() counts
	 * what is ignored.
	 */
	if (!is_from_ignored &&
	    !events_is_late(gathering, move->from.read_s, move->known_s))
		counts_of(gathering, move->from.reading_id)->gone++;
	if (!is_to_ignored &&
	    !events_is_late(gathering, move->to.read_s, move->known_s))
		counts_of(gathering, move->to.reading_id)->came++;
	if (!is_to_ignored)
		documents_moved(
		    gathering->documents, move->to.read_s, move->known_s);

	if (is_from_ignored || is_to_ignored)
		return;
	if (move->is_configured)
		given_ends(&gathering->ends, move);
	else if (move->is_redirected) {
		/* The ends of a move that a redirect proves: what differs, or
		 * the folders if nothing but a slash at the end is common. */
		size_t rest = common_of(from, to, true);

		from.len -= rest;
		to.len -= rest;
		if (rest > 1)
			put_ends(&gathering->ends, from, to);
		else
			put_ends(
			    &gathering->ends, folder_of(from), folder_of(to));
	} else
		spelt_ends(&gathering->ends, move);
	from = buf_text(&gathering->ends.from);
	to = buf_text(&gathering->ends.to);
	event = events_group_of(gathering, from, to, move);
	if (event == NULL)
		event = site_event_add(&gathering->list,
		    (struct site_event){.kind = EVENT_PAGES_MOVED,
			.at_s = move->to.at_s,
			.first_known_s = move->known_s,
			.document_id = move->to.document_id,
			.first_reading_id = move->to.reading_id,
			.is_configured = move->is_configured,
			.section = slice_dup(
			    section_of(sections, move->from.url)),
			.to_section = slice_dup(
			    section_of(sections, move->to.url)),
			.from = slice_dup(from),
			.to = slice_dup(to)});
	if (event == NULL)
		return;
	was_enough = event->count >= events_least_of(event);
	if (was_enough &&
	    events_is_late(gathering, event->known_s, move->known_s))
		return;
	event->count++;
	keep_section(&event->section, section_of(sections, move->from.url));
	keep_section(&event->to_section, section_of(sections, move->to.url));
	if (move->to.at_s < event->at_s)
		event->at_s = move->to.at_s;
	if (move->to.at_s > event->end_s)
		event->end_s = move->to.at_s;
	event->last_reading_id = move->from.reading_id;
	if (was_enough)
		return;
	event->is_redirected = move->is_redirected;
	event->known_s = move->known_s;
}

static const struct sort_key events_by_known[] = {
    {SORT_KEY(struct known_move, known_s), false},
    {SORT_KEY(struct known_move, place), false}, {0}};

static void
events_add_moves(struct event_gathering *gathering)
{
	struct site_event_list *list = &gathering->list;
	size_t count = 0, all = gathering->changes->move_count;
	struct known_move *moves = mem_zero((all + 1) * sizeof(*moves));

	for (size_t i = 0; i < all; i++) {
		const struct move *move = &gathering->changes->moves[i];

		moves[i] = (struct known_move){move, move->known_s, i};
	}
	sort_rows(moves, all, sizeof(*moves), events_by_known);
	for (size_t i = 0; i < all; i++)
		add_move(gathering, moves[i].move);
	free(moves);
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].count < events_least_of(&list->items[i]))
			site_event_release(&list->items[i]);
		else
			list->items[count++] = list->items[i];
	}
	list->count = count;
}

/* Readings. */

static void
events_on_finding(void *arg, const struct finding_row *finding)
{
	struct event_gathering *gathering = arg;
	struct document_facts *facts = &gathering->facts;
	enum diag_code code = diag_find(finding->code);
	unsigned long long held, of;

	buf_clear(&gathering->text);
	(void)buf_put_slice(&gathering->text, finding->text);
	if (code == DIAG_MASS_DROP &&
	    sscanf(buf_str(&gathering->text), "%llu of %llu", &held, &of) ==
		2) {
		facts->held = held;
		facts->held_of = of;
		facts->is_still_held = strstr(buf_str(&gathering->text),
					   " still ") != NULL;
	} else if (code == DIAG_SITEMAP_LINE_LOST) {
		facts->has_lost_line = true;
	} else if (code != DIAG_OK &&
	    (code == gathering->row->failure || code == DIAG_VERDICT_CHANGED) &&
	    facts->text.len == 0) {
		struct slice said = finding->text;

		/* Without a text of its own it says what its code means, up to
		 * what the profiles make of it. */
		if (said.len == 0)
			said = slice_make(diag_info(code)->trigger,
			    strcspn(diag_info(code)->trigger, ";"));
		facts->text = slice_of(slice_dup(said));
	}
}

/* A page came or went by the reading: count it in its section, or among the
 * ignored ones. */
static bool
events_on_change(void *arg, const struct reading_row *row,
    const struct change *change, const struct move *move)
{
	struct event_gathering *gathering = arg;
	const struct section_rules *sections = gathering->window->sections;
	struct section_change page = {
	    .section = section_of(sections, change->url),
	    .reading_id = row->id,
	    .read_s = row->at_s,
	    .at_s = delta_at_s(change->kind, row->at_s, row->since_s),
	    .is_gone = change->kind == DELTA_GONE,
	    .moved_s = move == NULL ? 0 : move->known_s};

	if (change->kind != DELTA_ADDED && change->kind != DELTA_GONE &&
	    change->kind != DELTA_REMOVED)
		return true;
	if (section_is_ignored(sections, change->url))
		gathering->ignored[change->kind]++;
	else if (change->kind != DELTA_REMOVED &&
	    row->at_s >= gathering->window->since_s - PAGES_S)
		site_sections_change(&gathering->sections, &page);
	return true;
}

static void
add_sections(struct event_gathering *gathering)
{
	const struct reading_row *row = gathering->row;

	bool has_ignored = section_ignores(gathering->window->sections);

	memset(gathering->ignored, 0, sizeof(gathering->ignored));
	/* before that, only the ignored ones matter, for the habit */
	if (!row->has_delta ||
	    row->site[DELTA_ADDED] + row->site[DELTA_GONE] +
		    (has_ignored ? row->site[DELTA_REMOVED] : 0) ==
		0 ||
	    (row->at_s < gathering->window->since_s - PAGES_S && !has_ignored))
		return;
	reading_change_walk(gathering->store, row, true, gathering->changes,
	    events_on_change, gathering);
}

static void
add_habit(struct event_gathering *gathering, bool is_unseen)
{
	const struct reading_row *row = gathering->row;
	uint64_t pages = gathering->facts.new_pages;
	struct habit_day *day;

	/* the clock may have been wrong then */
	if (row->at_s > gathering->window->now_s) {
		events_until(&gathering->until_s, row->at_s);
		return;
	}
	day = habit_day(&gathering->habit, row->at_s);
	/* Does the reading tell which pages a sitemap lists? */
	if ((row->is_read || row->outcome == OUTCOME_UNCHANGED) &&
	    row->kind != KIND_ROBOTS && row->lists_pages)
		day->is_read = true;
	if (pages > 0) {
		day->pages += pages;
		day->late += is_unseen ? pages : 0;
		if (day->first_reading_id == 0)
			day->first_reading_id = row->id;
		day->last_reading_id = row->id;
		gathering->published_s = row->at_s;
		gathering->silent_s = habit_silent_from(
		    &gathering->habit, row->at_s, &gathering->longest);
		return;
	}
	if (gathering->silent_s == 0 || row->at_s < gathering->silent_s)
		return;
	if (!documents_are_seen(gathering->documents,
		gathering->published_s - SILENCE_DAYS * DAY_S, row->at_s)) {
		/* documents_are_seen() visits all documents, so it is called
		 * once an hour, not for each reading */
		gathering->silent_s = row->at_s + HOUR_S;
		return;
	}
	gathering->silent_s = 0;
	(void)site_event_add(&gathering->list,
	    (struct site_event){.kind = EVENT_SILENCE,
		.at_s = gathering->published_s,
		.known_s = row->at_s,
		.end_s = row->at_s,
		.count = (uint64_t)(zone_day(row->at_s) -
		    zone_day(gathering->published_s)),
		.of = gathering->longest,
		.last_reading_id = row->id});
}

/* Did the reading fail because the host speaks only http?  Nobody needs its
 * https robots.txt, so that is no event. */
static bool
is_spare(const struct event_gathering *gathering, const struct reading_row *row)
{
	struct document document;
	struct slice origin;
	bool is_robots;

	if (row->outcome != OUTCOME_FAILED || row->status != 0 ||
	    !store_document_get(gathering->store, row->document_id, &document))
		return false;
	origin = slice_of(document.url);
	origin.len -= url_path_of(origin).len;
	is_robots = strcmp(document.url + origin.len, "/robots.txt") == 0 &&
	    robots_is_spare(gathering->store, origin, 0);
	document_release(&document);
	return is_robots;
}

static void
subtract(uint64_t *count, uint64_t less)
{
	*count -= less < *count ? less : *count;
}

/* Everything that is made from one reading, in the order in which it is
 * needed. */
static bool
events_on_reading(void *arg, const struct reading_row *row)
{
	struct event_gathering *gathering = arg;
	struct document_facts *facts = &gathering->facts;
	uint32_t place = idmap_get(&gathering->moved, row->id);
	const uint64_t *changes;
	bool is_unseen;

	gathering->row = row;
	*facts = (struct document_facts){.row = row,
	    .new_pages = row->site[DELTA_ADDED],
	    .gone_pages = row->site[DELTA_GONE]};
	if (place != IDMAP_NONE) {
		const struct moved_counts *moved = &gathering->counts[place];

		subtract(&facts->new_pages, moved->came);
		subtract(&facts->gone_pages, moved->gone);
	}
	add_sections(gathering);
	subtract(&facts->new_pages, gathering->ignored[DELTA_ADDED]);
	subtract(&facts->gone_pages, gathering->ignored[DELTA_GONE]);
	if (!row->is_counted && row->has_delta &&
	    row->site[DELTA_ADDED] + row->site[DELTA_GONE] > 0 &&
	    (gathering->uncounted_s == 0 || row->at_s < gathering->uncounted_s))
		gathering->uncounted_s = row->at_s;
	/* what comes and goes with a session is not counted, but present */
	changes = row->sessions > 0 ? row->changes : row->site;
	gathering->came += changes[DELTA_ADDED];
	gathering->gone += changes[DELTA_GONE];
	if (gathering->first_s == 0 && row->is_read && row->lists_pages &&
	    row->kind != KIND_ROBOTS && row->entries > 0) {
		gathering->first_s = row->has_delta ? -1 : row->at_s;
		gathering->first_reading_id = row->id;
	}
	if (row->outcome != OUTCOME_UNCHANGED)
		store_each_finding(
		    gathering->store, row->id, events_on_finding, gathering);
	subtract(&facts->held, gathering->ignored[DELTA_REMOVED]);
	buf_clear(&gathering->text);
	if (row->sessions == SESSION_READINGS &&
	    row->at_s >= gathering->window->since_s)
		(void)session_part_find(
		    gathering->store, row->id, &gathering->text);
	facts->part = buf_text(&gathering->text);
	is_unseen = documents_unseen(gathering->documents, row);
	if (!is_spare(gathering, row))
		documents_reading(
		    gathering->documents, facts, &gathering->list);
	add_habit(gathering, is_unseen);
	free((char *)(uintptr_t)facts->text.p);
	return true;
}

/* The new pages of a day, and of the days before, that were still taken for new
 * when they were counted, and had moved when the day was settled. */
static struct habit_moved
moved_until(
    const struct event_gathering *gathering, int64_t number, int64_t settled_s)
{
	struct habit_moved moved = {{0}};

	if (!gathering->window->is_as_told)
		return moved;
	for (size_t i = 0; i < gathering->changes->move_count; i++) {
		const struct move *move = &gathering->changes->moves[i];
		int64_t before = number - zone_day(move->to.read_s);

		if (before >= 0 && before <= HABIT_DAYS &&
		    events_is_late(gathering, move->to.read_s, move->known_s) &&
		    !events_is_late(gathering, settled_s, move->known_s) &&
		    !section_is_ignored(
			gathering->window->sections, move->to.url))
			moved.pages[before]++;
	}
	return moved;
}

/* Look at each day of the window, and a month before it, for a burst.  The
 * pages of a day are settled some days after it. */
static void
add_bursts(struct event_gathering *gathering)
{
	int64_t number = zone_day(gathering->window->since_s - PAGES_S);
	int64_t day_s;

	for (; (day_s = zone_day_s(number)) < gathering->window->now_s;
	     number++) {
		const struct habit_day *day = habit_day(
		    &gathering->habit, day_s);
		struct site_event event = {.kind = EVENT_BURST,
		    .at_s = day_s,
		    .first_reading_id = day->first_reading_id,
		    .last_reading_id = day->last_reading_id};
		struct habit_moved moved;

		if (day->pages < BURST_LEAST)
			continue;
		event.end_s = zone_day_s(number + 1);
		event.known_s = open_documents_settled(
		    &gathering->open, event.end_s);
		moved = moved_until(gathering, number, event.known_s);
		event.count = habit_burst(
		    &gathering->habit, day_s, &moved, &event.of);
		if (event.known_s == 0) {
			event.settles_s = event.end_s + SETTLED_LEAST_S;
			event.is_doubtful = !open_documents_is_none(
			    &gathering->open);
		}
		if (event.count > 0)
			(void)site_event_add(&gathering->list, event);
	}
}

static void
add_of_site(struct event_gathering *gathering)
{
	bool has_begun = gathering->first_s >= gathering->window->since_s;

	if (!gathering->changes->is_compared || gathering->sections.is_full)
		return;
	if (has_begun || gathering->sections.step_count > 0) {
		const struct section_rules *sections = gathering->window
							   ->sections;
		struct site_list *list = site_list_new(gathering->store,
		    gathering->site_id, slice_of(""), SITE_LIST_ALL);
		struct entry entry;
		int64_t document_id;

		while (site_list_next(list, &document_id, &entry)) {
			if (!section_is_ignored(sections, entry.url))
				site_sections_list(&gathering->sections,
				    section_of(sections, entry.url));
			/* A page that left a window still belongs to its
			 * section. */
			gathering->present++;
			if (document_id == 0)
				continue;
			if (gathering->first_seen_s == 0 ||
			    entry.first_seen_s < gathering->first_seen_s)
				gathering->first_seen_s = entry.first_seen_s;
		}
		site_list_free(list);
	}
	if (has_begun) {
		/* The site was read for the first time within the readings at
		 * hand, unless it lists pages that were seen before: then older
		 * readings were forgotten. */
		uint64_t pages = gathering->present + gathering->gone;

		if (gathering->first_s > 0 &&
		    gathering->first_seen_s >= gathering->first_s &&
		    pages > gathering->came) {
			(void)site_event_add(&gathering->list,
			    (struct site_event){.kind = EVENT_FIRST_READING,
				.at_s = gathering->first_s,
				.known_s = gathering->first_s,
				.end_s = gathering->first_s,
				.count = pages - gathering->came,
				.first_reading_id = gathering->first_reading_id,
				.last_reading_id = gathering
						       ->first_reading_id});
		}
	}
	site_sections_events(&gathering->sections, &gathering->open,
	    &gathering->habit,
	    gathering->window->is_as_told ? EVENTS_LAG_S : SECTIONS_AS_KNOWN,
	    &gathering->list);
	add_bursts(gathering);
}

/* All is read in one transaction, so that no reading comes in between.  Moves
 * are needed first: all else counts pages that are new or gone and did not
 * move. */
void
events_find(struct store *store, int64_t site_id,
    const struct events_span *window, const struct site_changes *changes,
    struct events_found *found)
{
	struct event_gathering gathering = {.store = store,
	    .site_id = site_id,
	    .window = window,
	    .changes = changes,
	    .documents = documents_new(
		window->is_as_told ? EVENTS_LAG_S : DOCUMENTS_AS_KNOWN),
	    .open = {.now_s = window->now_s, .until_s = INT64_MAX},
	    .until_s = INT64_MAX};
	int64_t from_s = window->since_s > HABIT_S ? window->since_s - HABIT_S
						   : 0;

	gathering.sections.names.key = store_hash_key(store);
	gathering.habit.first_day = zone_day(from_s);
	events_add_moves(&gathering);
	store_each_reading(store,
	    (struct reading_from){
		.by = READINGS_OF_SITE, .id = site_id, .at_s = from_s},
	    events_on_reading, &gathering);
	documents_end(gathering.documents, &gathering.open, &gathering.list);
	add_of_site(&gathering);
	robots_events(store, site_id, window, &gathering.list);
	events_came_back(store, site_id, window->sections, &gathering.list, 0);
	*found = (struct events_found){.list = gathering.list,
	    .uncounted_s = gathering.uncounted_s,
	    .has_too_many = !changes->is_compared || gathering.sections.is_full,
	    .until_s = gathering.open.until_s < gathering.until_s
		? gathering.open.until_s
		: gathering.until_s};
	documents_free(gathering.documents);
	site_sections_release(&gathering.sections);
	free(gathering.open.items);
	free(gathering.habit.days);
	free(gathering.moved.slots);
	free(gathering.counts);
	buf_release(&gathering.text);
	buf_release(&gathering.ends.from);
	buf_release(&gathering.ends.to);
}

static void
count_seed(void *arg, struct slice url)
{
	(void)url;
	(*(unsigned *)arg)++;
}

/* Did the robots.txt of an event name a sitemap again?  It names one now, or
 * later readings say that it lost its lines again.  Roots that the operator
 * removed end the finding sitemap-line-lost, too. */
static bool
is_line_back(struct store *store, const struct site_event_list *list, size_t at)
{
	const struct site_event *event = &list->items[at];
	struct slice origin = slice_of(event->document);
	unsigned back = 0;

	for (size_t i = at + 1; i < list->count; i++)
		back += list->items[i].kind == EVENT_LINE_LOST &&
		    list->items[i].document_id == event->document_id;
	origin.len -= url_path_of(origin).len;
	if (back == 0)
		store_each_url(store, URLS_SEEDS, 0, origin, count_seed, &back);
	return back > 0;
}

enum events_gap
events_of_span(struct store *store, int64_t site_id, struct events_found *found,
    const struct events_span *span, const struct site_changes *changes,
    struct site_event_list *out)
{
	/* believed only if all changes are counted, or if it is known which
	 * pages moved */
	static const bool need_counts[EVENT_KINDS] = {
	    [EVENT_FIRST_READING] = true,
	    [EVENT_SECTION_LAUNCHED] = true,
	    [EVENT_SECTION_GONE] = true,
	    [EVENT_PAGES_MOVED] = true,
	    [EVENT_BURST] = true,
	    [EVENT_SILENCE] = true};
	/* a reading that is too late for the events of the span need not be
	 * counted */
	bool is_uncounted = found->uncounted_s != 0 &&
	    !(span->is_as_told &&
		found->uncounted_s >= span->until_s + EVENTS_LAG_S);
	enum events_gap gap = is_uncounted ? EVENTS_UNCOUNTED
	    : found->has_too_many          ? EVENTS_TOO_MANY
					   : EVENTS_WHOLE;
	size_t from = out->count;

	for (size_t i = 0; i < found->list.count; i++) {
		struct site_event *event = &found->list.items[i];
		struct document document;
		/* Did the event become known in the span, or is it open at its
		 * end? */
		bool is_in = event->known_s == 0
		    ? span->until_s > span->now_s && !span->is_as_told &&
			(span->wants_doubtful || !event->is_doubtful)
		    : event->known_s >= span->since_s &&
			event->known_s < span->until_s;
		bool has_ended = event->kind == EVENT_MASS_DROP_WAITING &&
		    event->end_s > 0 && event->end_s < span->until_s &&
		    !span->is_as_told;
		bool is_kept = is_in && !has_ended &&
		    (gap == EVENTS_WHOLE || !need_counts[event->kind]);

		if (is_kept && event->document_id > 0 &&
		    store_document_get(store, event->document_id, &document)) {
			event->document = mem_copy(document.url);
			document_release(&document);
		}
		if (event->kind == EVENT_LINE_BACK && event->document != NULL)
			is_kept = is_line_back(store, &found->list, i);
		/* when it is told that it waits, its end is not known */
		if (event->kind == EVENT_MASS_DROP_WAITING && span->is_as_told)
			event->end_s = 0;
		if (is_kept)
			(void)site_event_add(out, *event);
		else
			site_event_release(event);
	}
	out->has_more = out->has_more || found->list.has_more;
	free(found->list.items);
	found->list = (struct site_event_list){0};
	for (size_t i = from; i < out->count; i++)
		event_answers_fill(&out->items[i],
		    &(struct event_site){
			store, site_id, changes, span->sections, span->sample});
	site_event_list_sort(out);
	return gap;
}
