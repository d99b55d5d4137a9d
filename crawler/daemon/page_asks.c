/* Pages that the daemon itself asks: see page_asks.h. */
#include "crawler/daemon/page_asks.h"

#include <stdlib.h>
#include <string.h>

#include "base/civil.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/section.h"
#include "base/zone.h"
#include "crawler/cli/options_sites.h"
#include "crawler/cli/options_value.h"
#include "crawler/crawl/run.h"
#include "crawler/event/loop.h"
#include "crawler/events/event_answers.h"
#include "crawler/events/past.h"
#include "crawler/frontier/frontier.h"
#include "crawler/frontier/import.h"
#include "crawler/parse/page.h"
#include "store/document.h"
#include "store/page.h"
#include "store/page_says.h"
#include "store/site_changes.h"
#include "store/watch.h"

/* From a reading to the look at its site: the other sitemaps of the site are
 * read meanwhile; and alerts tell an event EVENTS_LAG_S after it is known. */
#define LOOK_S 60
#define KNOWN_S (2 * DAY_S) /* older events are not asked */
#define NEW_S (7 * DAY_S) /* older pages are not new */
#define AGAIN_S 900 /* after the driver returned a page */
#define REST_S 300 /* the clock of the machine may jump */
#define PAGE_BYTES (UINT64_C(1) << 20)

struct page_ask {
	uint64_t id;
	int64_t site_id;
	char *url; /* owned */
	char *event; /* owned: its name; empty: the title is wanted */
	unsigned number; /* in the event */
	bool wants_body; /* its headers did not say enough */
	int64_t next_s; /* not to be sent before; INT64_MAX: it is sent */
};

/* A site that wants something, or did. */
struct asking_site {
	int64_t id;
	char *host; /* owned */
	uint64_t titles; /* new pages a day; 0: none */
	uint64_t verify; /* pages of an event; 0: none */
	int64_t look_s; /* the next look at it; INT64_MAX: none is planned */
};

struct page_asks {
	struct page_asks_options how;
	struct loop_timer *turn; /* owned */
	struct asking_site *sites; /* owned */
	size_t site_count, site_cap;
	struct idmap places; /* in sites, by site */
	struct page_ask *pages; /* owned */
	size_t count, cap;
	uint64_t last_id;
	uint32_t crawl; /* of the driver, if has_crawl */
	bool has_crawl;
};

/* The pages to ask. */

static void
page_asks_add(void *arg, const struct verified *page)
{
	struct page_asks *asks = arg;

	*MEM_PUSH(asks->pages, asks->count, asks->cap) = (struct page_ask){
	    .id = ++asks->last_id,
	    .site_id = page->site_id,
	    .url = slice_dup(page->url),
	    .event = slice_dup(page->event),
	    .number = page->number};
}

static void
page_asks_remove(struct page_asks *asks, struct page_ask *page)
{
	free(page->url);
	free(page->event);
	*page = asks->pages[--asks->count];
}

/* The page comes back from the driver. */
static struct page_ask *
page_asks_back(struct page_asks *asks, uint64_t id, int64_t next_s)
{
	struct page_ask *page = asks->pages;

	while (page->id != id)
		page++;
	page->next_s = next_s;
	loop_timer_set(asks->turn, 0);
	return page;
}

/* The page becomes one of the frontier, so that its title has a place; if
 * nothing lists it any more, nobody will look for it. */
static void
put_title(
    struct page_asks *asks, struct slice url, const struct listed_page *answer)
{
	struct store *store = asks->how.store;
	struct slice none = slice_of(NULL);
	bool is_good = answer->end == PAGE_ANSWERED && answer->facts != NULL &&
	    answer->wall == NULL && !answer->is_soft_404;

	int64_t page_id = store_page_find(store, url);

	if (page_id == 0) {
		(void)frontier_promote_listed(asks->how.frontier, url);
		page_id = store_page_find(store, url);
	}
	if (page_id != 0)
		store_page_says_put(store, page_id, loop_now_s(asks->how.loop),
		    is_good ? answer->facts->title : none,
		    is_good ? answer->facts->description : none);
}

static void
put_verified(struct page_asks *asks, const struct page_ask *page,
    const struct listed_page *answer)
{
	bool is_end = answer->hops == 0;
	/* where a redirect leads is known, also if that was not asked */
	struct slice location = is_end     ? slice_of(NULL)
	    : answer->end == PAGE_ANSWERED ? answer->final_url
					   : answer->first_location;
	const char *why = answer->wall != NULL  ? ANSWER_WALL
	    : is_end && answer->noindex.len > 0 ? ANSWER_NOINDEX
	    : is_end && answer->is_soft_404     ? ANSWER_SOFT
	    : answer->status != 0               ? NULL
	    : answer->end == PAGE_DISALLOWED    ? ANSWER_FORBIDDEN
						: ANSWER_NONE;

	store_verified_put(asks->how.store,
	    &(struct verified){.site_id = page->site_id,
		.event = slice_of(page->event),
		.number = page->number,
		.url = slice_of(page->url),
		.at_s = loop_now_s(asks->how.loop),
		.status = answer->status,
		.location = slice_is_graphic(location) ? location
						       : slice_of(NULL),
		.why = slice_of(why)});
}

static void
page_asks_on_page(void *arg, const struct listed_page *answer)
{
	struct page_asks *asks = arg;
	struct page_ask *page = page_asks_back(asks, answer->id, 0);
	int status = answer->status;
	bool is_title = page->event[0] == '\0';

	/* GET says what HEAD leaves open: whether there is only no HEAD, and
	 * what the page itself says of indexing */
	if (!is_title && !page->wants_body && answer->hops == 0 &&
	    answer->wall == NULL &&
	    (status == 405 || status == 501 || status == 403 ||
		(status >= 200 && status < 300 && answer->noindex.len == 0))) {
		page->wants_body = true;
		return;
	}
	if (is_title)
		put_title(asks, slice_of(page->url), answer);
	else
		put_verified(asks, page, answer);
	page_asks_remove(asks, page);
	asks->how.written(asks->how.arg);
}

/* Its host is to be left alone. */
static void
page_asks_on_returned(void *arg, uint64_t id, int64_t held_ms)
{
	struct page_asks *asks = arg;

	(void)held_ms;
	(void)page_asks_back(asks, id, loop_now_s(asks->how.loop) + AGAIN_S);
}

static void
page_asks_send(struct page_asks *asks, struct page_ask *page)
{
	struct page_order order = {.site_id = page->site_id,
	    .url = slice_of(page->url),
	    .id = page->id,
	    .max_bytes = PAGE_BYTES,
	    .is_head = page->event[0] != '\0' && !page->wants_body};
	struct crawl_options crawl = {.max_urls = UINT64_MAX,
	    .takes_pages = true,
	    .page = page_asks_on_page,
	    .page_returned = page_asks_on_returned,
	    .arg = asks};

	if (!asks->has_crawl) {
		asks->crawl = run_crawl(asks->how.run, &crawl);
		run_start(asks->how.run, asks->crawl);
		asks->has_crawl = true;
	}
	page->next_s = INT64_MAX;
	run_page(asks->how.run, asks->crawl, &order);
}

/* Looks. */

/* A walk over the new pages of a site, of the oldest readings first. */
struct titles_walk {
	struct page_asks *asks;
	const struct asking_site *site;
	const struct section_rules *sections;
	struct site_changes *moves; /* owned: what moved */
	int64_t day_s; /* when today began */
	struct strings urls; /* owned: the latest that nobody asked */
	uint64_t today; /* those that were asked today, or wait for that */
};

static bool
titles_on_change(void *arg, const struct reading_row *row,
    const struct change *change, const struct move *move)
{
	struct titles_walk *walk = arg;
	const struct page_asks *asks = walk->asks;
	struct strings *urls = &walk->urls;
	bool waits = false;
	int64_t asked_s;

	(void)row;
	/* a page that moved is not new */
	if (change->kind != DELTA_ADDED || move != NULL ||
	    change->verdict != VERDICT_ACCEPTED ||
	    section_is_ignored(walk->sections, change->url))
		return true;
	asked_s = store_page_says(asks->how.store, change->url).asked_s;
	for (size_t i = 0; i < asks->count && asked_s == 0 && !waits; i++)
		waits = asks->pages[i].event[0] == '\0' &&
		    slice_is(change->url, asks->pages[i].url);
	walk->today += waits || asked_s >= walk->day_s;
	if (waits || asked_s != 0)
		return true;
	strings_add(urls, change->url);
	if (urls->count > walk->site->titles) {
		free(urls->items[0]);
		memmove(urls->items, urls->items + 1,
		    --urls->count * sizeof(*urls->items));
	}
	return true;
}

static bool
titles_on_reading(void *arg, const struct reading_row *row)
{
	const struct titles_walk *walk = arg;

	if (row->is_counted && row->site[DELTA_ADDED] > 0)
		reading_change_walk(walk->asks->how.store, row, true,
		    walk->moves, titles_on_change, arg);
	return true;
}

/* Take new pages of the site whose titles nobody knows. */
static void
site_look_titles(struct page_asks *asks, struct asking_site *site,
    int64_t now_s, const struct options *options)
{
	struct titles_walk walk = {.asks = asks,
	    .site = site,
	    .sections = options->sections.rules,
	    .moves = site_changes_new(asks->how.store, site->id,
		options->moves.renamings, now_s - NEW_S),
	    .day_s = zone_day_s(zone_day(now_s))};
	struct reading_from from = {
	    .by = READINGS_OF_SITE, .id = site->id, .at_s = now_s - NEW_S};

	store_each_reading(asks->how.store, from, titles_on_reading, &walk);
	for (size_t i = walk.urls.count; i-- > 0; walk.today++) {
		struct verified page = {
		    .site_id = site->id, .url = slice_of(walk.urls.items[i])};

		if (walk.today < site->titles)
			page_asks_add(asks, &page);
		/* the others have their turn tomorrow */
		else if (zone_day_s(zone_day(now_s) + 1) < site->look_s)
			site->look_s = zone_day_s(zone_day(now_s) + 1);
	}
	strings_release(&walk.urls);
	site_changes_free(walk.moves);
}

/* Take pages of the events that are known since the last look. */
static void
site_look_events(struct page_asks *asks, struct asking_site *site,
    int64_t now_s, const struct options *options)
{
	struct events_span span = {.since_s = now_s - KNOWN_S,
	    .until_s = now_s + 1,
	    .now_s = now_s,
	    .wants_doubtful = true,
	    .sections = options->sections.rules,
	    .renamings = options->moves.renamings,
	    .sample = (unsigned)site->verify};
	struct site_event_list list = {0};
	struct site_past past;

	past_open(&past, asks->how.store, site->id, &span, PAST_KNOWN);
	(void)past_events(&past, &span, &list);
	past_release(&past);
	for (size_t i = 0; i < list.count; i++) {
		const struct site_event *event = &list.items[i];
		/* it waits for a time, or for a reading that may change
		 * nothing */
		int64_t known_s = event->settles_s > now_s ? event->settles_s
							   : now_s + HOUR_S;

		if (event->settles_s > 0 && known_s < site->look_s)
			site->look_s = known_s;
		for (size_t k = 0; k < event->sample.count; k++) {
			struct verified page = {.site_id = site->id,
			    .event = slice_of(event->name),
			    .number = (unsigned)k,
			    .url = slice_of(event->sample.items[k])};

			store_verified_put(asks->how.store, &page);
			page_asks_add(asks, &page);
			asks->how.written(asks->how.arg);
		}
	}
	site_event_list_release(&list);
}

/* The turn: at most one look, so that the loop goes on; then the pages whose
 * time has come. */
static void
page_asks_turn(void *arg)
{
	struct page_asks *asks = arg;
	int64_t now_s = loop_now_s(asks->how.loop);
	int64_t next_s = now_s + REST_S;
	bool has_looked = false;

	loop_doing(asks->how.loop, "pages to ask");
	for (size_t i = 0; i < asks->site_count; i++) {
		struct asking_site *site = &asks->sites[i];

		if (!has_looked && site->look_s <= now_s) {
			const struct options *options = options_of_site(
			    asks->how.options, slice_of(site->host));

			has_looked = true;
			site->look_s = INT64_MAX;
			/* what is not counted yet may be no change */
			if (store_number(asks->how.store, STORE_UNTALLIED_S,
				site->id, 0) != 0)
				site->look_s = now_s + LOOK_S;
			else if (site->verify > 0)
				site_look_events(asks, site, now_s, options);
			if (site->titles > 0)
				site_look_titles(asks, site, now_s, options);
		}
		if (site->look_s < next_s)
			next_s = site->look_s;
	}
	for (size_t i = 0; i < asks->count; i++) {
		struct page_ask *page = &asks->pages[i];
		uint32_t place = idmap_get(&asks->places, page->site_id);

		/* its site may want that no more */
		if (place == IDMAP_NONE ||
		    (page->event[0] == '\0' ? asks->sites[place].titles
					    : asks->sites[place].verify) == 0)
			continue;
		if (page->next_s <= now_s)
			page->next_s = frontier_ask(
			    asks->how.frontier, page->site_id, now_s);
		if (page->next_s <= now_s)
			page_asks_send(asks, page);
		else if (page->next_s < next_s)
			next_s = page->next_s;
	}
	loop_timer_set(
	    asks->turn, next_s > now_s ? (next_s - now_s) * 1000 : 1);
}

/* The interface. */

void
page_asks_site(struct page_asks *asks, const struct watch *watch)
{
	const struct options_asks *own =
	    &options_of_site(asks->how.options, slice_of(watch->host))->asks;
	/* what was typed is stronger than the watch list */
	const char *titles = watch->titles.count > 0 && !own->is_titles_typed
	    ? watch->titles.items[0]
	    : own->titles;
	const char *verify = watch->verify.count > 0 && !own->is_verify_typed
	    ? watch->verify.items[0]
	    : own->verify;
	uint32_t place = idmap_get(&asks->places, watch->site_id);
	struct asking_site *site;
	double per_hour = 0;

	if (place == IDMAP_NONE && titles == NULL && verify == NULL)
		return;
	if (place == IDMAP_NONE) {
		place = (uint32_t)asks->site_count;
		idmap_put(&asks->places, watch->site_id, place);
		*MEM_PUSH(asks->sites, asks->site_count,
		    asks->site_cap) = (struct asking_site){
		    .id = watch->site_id, .host = mem_copy(watch->host)};
	}
	site = &asks->sites[place];
	site->titles = site->verify = 0;
	if (titles != NULL && watch->is_watched &&
	    value_amount(titles, true, &per_hour))
		site->titles = (uint64_t)(per_hour * 24 + 0.5);
	if (verify != NULL && watch->is_watched)
		(void)value_number(verify, VALUE_MAX_VERIFY, &site->verify);
	site->look_s = site->titles + site->verify == 0
	    ? INT64_MAX
	    : loop_now_s(asks->how.loop) + LOOK_S;
	loop_timer_set(asks->turn, 0);
}

void
page_asks_read(
    struct page_asks *asks, int64_t site_id, const struct reading *reading)
{
	uint32_t place = idmap_get(&asks->places, site_id);
	const uint64_t *changes = reading->content.merge.changes;
	int64_t look_s = loop_now_s(asks->how.loop) + LOOK_S;
	struct asking_site *site;

	if (place == IDMAP_NONE ||
	    (changes[DELTA_ADDED] + changes[DELTA_REMOVED] +
			changes[DELTA_RETURNED] + changes[DELTA_GONE] ==
		    0 &&
		findings_get(&reading->content.findings, DIAG_MASS_DROP) ==
		    NULL))
		return;
	site = &asks->sites[place];
	if (site->titles + site->verify > 0 && look_s < site->look_s) {
		site->look_s = look_s;
		loop_timer_set(asks->turn, 0);
	}
}

struct page_asks *
page_asks_new(const struct page_asks_options *options)
{
	struct page_asks *asks = mem_zero(sizeof(*asks));

	asks->how = *options;
	asks->turn = loop_timer_new(options->loop, page_asks_turn, asks);
	store_each_verified(
	    options->store, 0, slice_of(NULL), page_asks_add, asks);
	return asks;
}

void
page_asks_free(struct page_asks *asks)
{
	if (asks == NULL)
		return;
	if (asks->has_crawl)
		run_drop(asks->how.run, asks->crawl);
	while (asks->count > 0)
		page_asks_remove(asks, asks->pages);
	for (size_t i = 0; i < asks->site_count; i++)
		free(asks->sites[i].host);
	loop_timer_free(asks->turn);
	free(asks->pages);
	free(asks->sites);
	free(asks->places.slots);
	free(asks);
}
