/* Pages that the daemon itself asks: see page_asks.h. */
#include "crawler/daemon/page_asks.h"

#include <stdlib.h>

#include "base/civil.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/section.h"
#include "base/wire.h"
#include "base/zone.h"
#include "crawler/cli/options_sites.h"
#include "crawler/cli/options_value.h"
#include "crawler/crawl/run.h"
#include "crawler/event/loop.h"
#include "crawler/events/events.h"
#include "crawler/frontier/frontier.h"
#include "crawler/frontier/import.h"
#include "crawler/parse/page.h"
#include "store/document.h"
#include "store/hold.h"
#include "store/page.h"
#include "store/site_changes.h"
#include "store/watch.h"

/* From a reading to the look at its site: the other sitemaps of the site are
 * read meanwhile. */
#define LOOK_S 60
/* Between two looks: a look reads four months of readings.  Alerts tell an
 * event EVENTS_LAG_S after it is known. */
#define LOOKS_S EVENTS_LAG_S
#define KNOWN_S (2 * DAY_S) /* older events are not asked */
#define NEW_S (7 * DAY_S) /* older pages are not new */
#define AGAIN_S 900 /* after the driver returned a page */
#define REST_S 300 /* the clock of the machine may jump */
#define OUT_MOST 32 /* pages under way */
#define PAGE_BYTES (UINT64_C(1) << 20)
#define RECORD_KIND "titles" /* of store_learned() */

struct page_ask {
	uint64_t id;
	int64_t site_id;
	char *url; /* owned */
	char *event; /* owned: its name; empty: the title is wanted */
	unsigned number; /* in the event */
	bool was_sent;
	bool is_out; /* the driver has it */
	bool wants_body; /* its headers did not say enough */
	int64_t next_s; /* not to be sent before */
};

/* A site that wants something, or did. */
struct asking_site {
	int64_t id;
	char *host; /* owned */
	uint64_t titles; /* new pages a day; 0: none */
	uint64_t verify; /* pages of an event; 0: none */
	int64_t look_s; /* the next look at it; INT64_MAX: none is planned */
	int64_t looked_s;
	/* stored: pages that were listed before are not new; so many were
	 * asked on that day */
	int64_t since_s, day;
	uint64_t asked;
};

struct page_asks {
	struct page_asks_options how;
	struct loop_timer *turn; /* owned */
	struct asking_site *sites; /* owned */
	size_t site_count, site_cap;
	struct idmap by_id; /* places in sites */
	struct page_ask *pages; /* owned */
	size_t count, cap;
	uint64_t last_id;
	unsigned out; /* pages that the driver has */
	uint32_t crawl; /* of the driver, if has_crawl */
	bool has_crawl;
};

static struct asking_site *
asking_site_of(const struct page_asks *asks, int64_t site_id)
{
	uint32_t place = idmap_get(&asks->by_id, site_id);

	return place == IDMAP_NONE ? NULL : &asks->sites[place];
}

/* Something of the store has changed, or the plan has. */
static void
page_asks_wake(struct page_asks *asks, bool has_written)
{
	if (has_written)
		asks->how.written(asks->how.arg);
	loop_timer_set(asks->turn, 0);
}

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
	page->is_out = false;
	page->next_s = next_s;
	asks->out--;
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

	if (store_page_find(store, url) == 0)
		(void)frontier_promote_listed(asks->how.frontier, url);
	if (store_page_find(store, url) != 0)
		store_page_says_put(store, store_page_find(store, url),
		    loop_now_s(asks->how.loop),
		    is_good ? answer->facts->title : none,
		    is_good ? answer->facts->description : none);
}

static void
put_verified(struct page_asks *asks, const struct page_ask *page,
    const struct listed_page *answer)
{
	struct verified verified = {.site_id = page->site_id,
	    .event = slice_of(page->event),
	    .number = page->number,
	    .url = slice_of(page->url),
	    .at_s = loop_now_s(asks->how.loop),
	    .status = answer->status};
	const char *why = answer->status != 0 ? NULL
	    : answer->end == PAGE_DISALLOWED  ? ANSWER_FORBIDDEN
					      : ANSWER_NONE;

	/* where a redirect leads is known, also if that was not asked */
	if (answer->hops > 0)
		verified.location = answer->end == PAGE_ANSWERED
		    ? answer->final_url
		    : answer->first_location;
	if (!slice_is_graphic(verified.location))
		verified.location = slice_of(NULL);
	if (answer->wall != NULL)
		why = ANSWER_WALL;
	else if (answer->noindex.len > 0 && answer->hops == 0)
		why = ANSWER_NOINDEX;
	else if (answer->is_soft_404 && answer->hops == 0)
		why = ANSWER_SOFT;
	verified.why = slice_of(why);
	store_verified_put(asks->how.store, &verified);
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
	bool wants_body = !is_title && !page->wants_body && answer->hops == 0 &&
	    answer->wall == NULL &&
	    (status == 405 || status == 501 || status == 403 ||
		(status >= 200 && status < 300 && answer->noindex.len == 0));

	page->wants_body |= wants_body;
	if (is_title)
		put_title(asks, slice_of(page->url), answer);
	else if (!wants_body)
		put_verified(asks, page, answer);
	if (!wants_body)
		page_asks_remove(asks, page);
	page_asks_wake(asks, !wants_body);
}

/* Its host is to be left alone. */
static void
page_asks_on_returned(void *arg, uint64_t id)
{
	struct page_asks *asks = arg;

	(void)page_asks_back(asks, id, loop_now_s(asks->how.loop) + AGAIN_S);
	page_asks_wake(asks, false);
}

/* How many more new pages the site may be asked for today. */
static uint64_t
site_titles_left(struct page_asks *asks, struct asking_site *site)
{
	int64_t day = zone_day(loop_now_s(asks->how.loop));

	if (site->day != day) {
		site->day = day;
		site->asked = 0;
	}
	return site->titles > site->asked ? site->titles - site->asked : 0;
}

static void
site_put_record(struct page_asks *asks, const struct asking_site *site)
{
	struct buf record = BUF_UP_TO(64);

	wire_put_fixed(&record, 8, (uint64_t)site->since_s);
	wire_put_fixed(&record, 8, (uint64_t)site->day);
	wire_put_fixed(&record, 8, site->asked);
	store_learned(
	    asks->how.store, RECORD_KIND, site->id, buf_text(&record));
	buf_release(&record);
	asks->how.written(asks->how.arg);
}

static void
page_asks_send(struct page_asks *asks, struct page_ask *page)
{
	struct asking_site *site = asking_site_of(asks, page->site_id);
	bool is_title = page->event[0] == '\0';
	struct page_order order = {.site_id = page->site_id,
	    .url = slice_of(page->url),
	    .id = page->id,
	    .max_bytes = PAGE_BYTES,
	    .is_head = !is_title && !page->wants_body};
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
	if (is_title && !page->was_sent) {
		(void)site_titles_left(asks, site);
		site->asked++;
		site_put_record(asks, site);
	}
	page->was_sent = page->is_out = true;
	asks->out++;
	run_page(asks->how.run, asks->crawl, &order);
}

/* Looks. */

/* A walk over new pages, of the newest readings first. */
struct titles_walk {
	struct page_asks *asks;
	int64_t site_id;
	const struct section_rules *sections;
	struct reading_row *rows; /* owned */
	size_t count, cap;
	uint64_t left; /* so many more pages are taken */
};

static bool
titles_on_reading(void *arg, const struct reading_row *row)
{
	struct titles_walk *walk = arg;

	if (row->is_counted && row->site[DELTA_ADDED] > 0)
		*MEM_PUSH(walk->rows, walk->count, walk->cap) = *row;
	return true;
}

static bool
titles_on_change(void *arg, const struct reading_row *row,
    const struct change *change, const struct move *move)
{
	struct titles_walk *walk = arg;
	struct page_asks *asks = walk->asks;
	bool is_taken = change->kind != DELTA_ADDED ||
	    change->verdict != VERDICT_ACCEPTED ||
	    section_is_ignored(walk->sections, change->url) ||
	    store_page_was_asked(asks->how.store, change->url);

	(void)row;
	(void)move;
	for (size_t i = 0; i < asks->count && !is_taken; i++)
		is_taken = asks->pages[i].event[0] == '\0' &&
		    slice_is(change->url, asks->pages[i].url);
	if (is_taken)
		return true;
	page_asks_add(asks,
	    &(struct verified){.site_id = walk->site_id, .url = change->url});
	return --walk->left > 0;
}

/* Take new pages of the site whose titles nobody knows. */
static void
site_look_titles(
    struct page_asks *asks, struct asking_site *site, int64_t now_s)
{
	const struct options *options = options_of_site(
	    asks->how.options, slice_of(site->host));
	struct titles_walk walk = {.asks = asks,
	    .site_id = site->id,
	    .sections = options->sections.rules,
	    .left = site_titles_left(asks, site)};
	struct reading_from from = {.by = READINGS_OF_SITE,
	    .id = site->id,
	    .at_s = site->since_s > now_s - NEW_S ? site->since_s
						  : now_s - NEW_S};

	for (size_t i = 0; i < asks->count && walk.left > 0; i++)
		walk.left -= asks->pages[i].site_id == site->id &&
		    asks->pages[i].event[0] == '\0' && !asks->pages[i].was_sent;
	if (walk.left > 0)
		store_each_reading(
		    asks->how.store, from, titles_on_reading, &walk);
	while (walk.count > 0 && walk.left > 0)
		reading_change_walk(asks->how.store, &walk.rows[--walk.count],
		    true, NULL, titles_on_change, &walk);
	free(walk.rows);
	/* the others have their turn tomorrow */
	if (walk.left == 0 && site->look_s > zone_day_s(site->day + 1))
		site->look_s = zone_day_s(site->day + 1);
}

/* Take pages of the events that are known since the last look. */
static void
site_look_events(
    struct page_asks *asks, struct asking_site *site, int64_t now_s)
{
	const struct options *options = options_of_site(
	    asks->how.options, slice_of(site->host));
	struct events_span span = {.since_s = now_s - KNOWN_S,
	    .until_s = now_s + 1,
	    .now_s = now_s,
	    .wants_doubtful = true,
	    .sections = options->sections.rules,
	    .renamings = options->moves.renamings,
	    .sample = (unsigned)site->verify};
	struct site_event_list list = {0};
	struct buf name = BUF_UP_TO(SIZE_MAX);

	(void)events_gather(asks->how.store, site->id, &span, &list);
	for (size_t i = 0; i < list.count; i++) {
		const struct site_event *event = &list.items[i];

		/* it waits for a time, or for a reading that may change
		 * nothing */
		int64_t known_s = event->settles_s > now_s ? event->settles_s
							   : now_s + HOUR_S;

		if (event->settles_s > 0 && known_s < site->look_s)
			site->look_s = known_s;
		buf_clear(&name);
		site_event_name(&name, event, store_hash_key(asks->how.store));
		for (size_t k = 0; k < event->sample.count; k++) {
			struct verified page = {.site_id = site->id,
			    .event = buf_text(&name),
			    .number = (unsigned)k,
			    .url = slice_of(event->sample.items[k])};

			store_verified_put(asks->how.store, &page);
			page_asks_add(asks, &page);
			asks->how.written(asks->how.arg);
		}
	}
	buf_release(&name);
	site_event_list_release(&list);
}

static void
site_look(struct page_asks *asks, struct asking_site *site, int64_t now_s)
{
	site->look_s = INT64_MAX;
	site->looked_s = now_s;
	/* what is not counted yet may be no change of the site */
	if (store_number(asks->how.store, STORE_UNTALLIED_S, site->id, 0) != 0)
		site->look_s = now_s + LOOK_S;
	else if (site->verify > 0)
		site_look_events(asks, site, now_s);
	if (site->titles > 0)
		site_look_titles(asks, site, now_s);
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
			site_look(asks, site, now_s);
			has_looked = true;
		}
		if (site->look_s < next_s)
			next_s = site->look_s;
	}
	for (size_t i = 0; i < asks->count && asks->out < OUT_MOST; i++) {
		struct page_ask *page = &asks->pages[i];
		const struct asking_site *site = asking_site_of(
		    asks, page->site_id);

		/* its site may want that no more */
		if (page->is_out || site == NULL ||
		    (page->event[0] == '\0' ? site->titles : site->verify) == 0)
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
	const char *titles = watch->titles.count > 0 ? watch->titles.items[0]
						     : own->titles;
	const char *verify = watch->verify.count > 0 ? watch->verify.items[0]
						     : own->verify;
	struct asking_site *site = asking_site_of(asks, watch->site_id);
	struct buf record = BUF_UP_TO(64);
	double per_hour = 0;

	if (site == NULL && titles == NULL && verify == NULL)
		return;
	if (site == NULL) {
		idmap_put(
		    &asks->by_id, watch->site_id, (uint32_t)asks->site_count);
		site = MEM_PUSH(asks->sites, asks->site_count, asks->site_cap);
		*site = (struct asking_site){
		    .id = watch->site_id, .host = mem_copy(watch->host)};
	}
	site->titles = site->verify = 0;
	if (titles != NULL && watch->is_watched &&
	    value_amount(titles, true, &per_hour))
		site->titles = (uint64_t)(per_hour * 24 + 0.5);
	if (verify != NULL && watch->is_watched)
		(void)value_number(verify, VALUE_MAX_VERIFY, &site->verify);
	site->look_s = INT64_MAX;
	if (site->titles + site->verify > 0)
		site->look_s = loop_now_s(asks->how.loop) + LOOK_S;
	/* Since when are titles wanted?  That is kept across restarts. */
	if (store_learned_get(
		asks->how.store, RECORD_KIND, site->id, &record)) {
		struct wire wire = {buf_text(&record), true};

		site->since_s = (int64_t)wire_get_fixed(&wire, 8);
		site->day = (int64_t)wire_get_fixed(&wire, 8);
		site->asked = wire_get_fixed(&wire, 8);
		if (site->titles == 0)
			store_learned(asks->how.store, RECORD_KIND, site->id,
			    slice_of(NULL));
	} else if (site->titles > 0) {
		site->since_s = loop_now_s(asks->how.loop);
		site->asked = 0;
		site_put_record(asks, site);
	}
	buf_release(&record);
	page_asks_wake(asks, false);
}

void
page_asks_read(
    struct page_asks *asks, int64_t site_id, const struct reading *reading)
{
	struct asking_site *site = asking_site_of(asks, site_id);
	const struct content *content = &reading->content;
	const uint64_t *changes = content->merge.changes;
	int64_t look_s = loop_now_s(asks->how.loop) + LOOK_S;

	if (site == NULL || site->titles + site->verify == 0 ||
	    (changes[DELTA_ADDED] + changes[DELTA_REMOVED] +
			changes[DELTA_RETURNED] + changes[DELTA_GONE] ==
		    0 &&
		findings_get(&content->findings, DIAG_MASS_DROP) == NULL))
		return;
	if (look_s < site->looked_s + LOOKS_S)
		look_s = site->looked_s + LOOKS_S;
	if (look_s < site->look_s) {
		site->look_s = look_s;
		page_asks_wake(asks, false);
	}
}

static void
page_asks_on_watch(void *arg, const struct watch *watch)
{
	page_asks_site(arg, watch);
}

struct page_asks *
page_asks_new(const struct page_asks_options *options)
{
	struct page_asks *asks = mem_zero(sizeof(*asks));

	asks->how = *options;
	asks->turn = loop_timer_new(options->loop, page_asks_turn, asks);
	store_each_watch(options->store, page_asks_on_watch, asks);
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
	free(asks->by_id.slots);
	free(asks->pages);
	free(asks->sites);
	free(asks);
}
