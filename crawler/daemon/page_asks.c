/* Pages that the daemon itself asks: see page_asks.h. */
#include "crawler/daemon/page_asks.h"

#include <stdlib.h>
#include <string.h>

#include "base/civil.h"
#include "base/idmap.h"
#include "base/mem.h"
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
#include "store/hold.h"
#include "store/page.h"
#include "store/page_says.h"
#include "store/site_changes.h"
#include "store/verified.h"
#include "store/watch.h"

/* Between a reading and the look at its site: the other sitemaps of the site
 * are read meanwhile, and alerts tell an event 300 s after it is known. */
#define LOOK_S 60
/* A look takes longer the more a site has changed: it may take a 200th of the
 * time at most. */
#define LOOK_SHARE 200
#define KNOWN_S (2 * DAY_S) /* older events are not asked */
#define NEW_S (7 * DAY_S) /* older pages are not new */
#define AGAIN_S 900 /* after the driver returned a page */
#define GIVE_UP_S DAY_S /* a host that cannot be asked for so long */
#define REST_S 300 /* the clock of the machine may jump */
#define OUT_MOST 32 /* pages under way */
#define PAGE_BYTES (UINT64_C(1) << 20)
#define RECORD_KIND "titles" /* of store_learned() */

struct page_ask {
	uint64_t id;
	int64_t site_id;
	char *url; /* owned */
	char *event; /* owned: its name; NULL: the title is wanted */
	unsigned number; /* in the event */
	bool is_out; /* the driver has it */
	bool wants_body; /* its headers did not say enough */
	int64_t first_s; /* when it was first sent; 0: not yet */
	int64_t next_s; /* not to be sent before */
};

/* A site that wants something, or did. */
struct asking_site {
	int64_t id;
	char *host; /* owned */
	unsigned titles; /* new pages a day; 0: none */
	unsigned verify; /* pages of an event; 0: none */
	int64_t look_s; /* the next look at it; 0: none is planned */
	int64_t rest_until_s; /* no look before */
	bool is_open; /* an event is not known for sure yet */
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
page_asks_site_of(struct page_asks *asks, int64_t site_id)
{
	uint32_t place = idmap_get(&asks->by_id, site_id);

	return place == IDMAP_NONE ? NULL : &asks->sites[place];
}

/* The pages to ask. */

static void
page_asks_add(struct page_asks *asks, const struct verified *page)
{
	*MEM_PUSH(asks->pages, asks->count, asks->cap) = (struct page_ask){
	    .id = ++asks->last_id,
	    .site_id = page->site_id,
	    .url = slice_dup(page->url),
	    .event = page->event.len == 0 ? NULL : slice_dup(page->event),
	    .number = page->number};
}

static void
page_asks_on_unverified(void *arg, const struct verified *page)
{
	page_asks_add(arg, page);
}

static void
page_asks_remove(struct page_asks *asks, struct page_ask *page)
{
	asks->out -= page->is_out;
	free(page->url);
	free(page->event);
	*page = asks->pages[--asks->count];
}

static struct page_ask *
page_asks_find(struct page_asks *asks, uint64_t id)
{
	for (size_t i = 0; i < asks->count; i++)
		if (asks->pages[i].id == id)
			return &asks->pages[i];
	return NULL;
}

/* Answers. */

/* The page becomes one of the frontier, so that its title has a place; if
 * nothing lists it any more, nobody will look for it. */
static void
page_asks_put_title(struct page_asks *asks, const struct page_ask *page,
    const struct listed_page *answer)
{
	struct slice url = slice_of(page->url), none = {NULL, 0};
	bool is_good = answer != NULL && answer->end == PAGE_ANSWERED &&
	    answer->facts != NULL && answer->wall == NULL &&
	    !answer->is_soft_404;
	int64_t id = store_page_find(asks->how.store, url);

	if (id == 0) {
		(void)frontier_promote_listed(asks->how.frontier, url);
		id = store_page_find(asks->how.store, url);
	}
	if (id != 0)
		store_page_says_put(asks->how.store, id,
		    loop_now_s(asks->how.loop),
		    is_good ? answer->facts->title : none,
		    is_good ? answer->facts->description : none);
}

static void
page_asks_put_verified(struct page_asks *asks, const struct page_ask *page,
    const struct listed_page *answer)
{
	struct verified verified = {.site_id = page->site_id,
	    .event = slice_of(page->event),
	    .number = page->number,
	    .url = slice_of(page->url),
	    .at_s = loop_now_s(asks->how.loop),
	    .why = slice_of(ANSWER_NONE)};

	if (answer != NULL && answer->end == PAGE_DISALLOWED &&
	    answer->hops == 0) {
		verified.why = slice_of(ANSWER_FORBIDDEN);
	} else if (answer != NULL && answer->status != 0) {
		verified.status = answer->status;
		/* a target that was not asked is known all the same */
		if (answer->hops > 0 && answer->first_location.len > 0)
			verified.location = answer->final_status > 0 &&
				!answer->is_endless
			    ? answer->final_url
			    : answer->first_location;
		if (!slice_is_graphic(verified.location))
			verified.location = slice_of(NULL);
		verified.why = slice_of(answer->wall != NULL ? ANSWER_WALL
			: verified.location.len > 0          ? NULL
			: answer->noindex.len > 0            ? ANSWER_NOINDEX
			: answer->is_soft_404                ? ANSWER_SOFT
							     : NULL);
	}
	store_verified_put(asks->how.store, &verified);
}

/* Does the answer to HEAD leave open what GET would say: whether there is HEAD
 * at all, or what the page itself says of indexing? */
static bool
page_asks_wants_body(
    const struct page_ask *page, const struct listed_page *answer)
{
	int status = answer->status;

	return page->event != NULL && !page->wants_body && answer->hops == 0 &&
	    answer->wall == NULL &&
	    (status == 405 || status == 501 || status == 403 ||
		(status >= 200 && status < 300 && answer->noindex.len == 0));
}

/* The page has said all that it will say; NULL: nothing. */
static void
page_asks_end(struct page_asks *asks, struct page_ask *page,
    const struct listed_page *answer)
{
	if (page->event == NULL)
		page_asks_put_title(asks, page, answer);
	else
		page_asks_put_verified(asks, page, answer);
	page_asks_remove(asks, page);
	asks->how.written(asks->how.arg);
	loop_timer_set(asks->turn, 0);
}

static void
page_asks_on_page(void *arg, const struct listed_page *answer)
{
	struct page_asks *asks = arg;
	struct page_ask *page = page_asks_find(asks, answer->id);

	if (page == NULL)
		return;
	if (page_asks_wants_body(page, answer)) {
		page->wants_body = true;
		page->is_out = false;
		asks->out--;
		loop_timer_set(asks->turn, 0);
		return;
	}
	page_asks_end(asks, page, answer);
}

/* Its host is to be left alone, so the page is asked later; not for ever. */
static void
page_asks_on_returned(void *arg, uint64_t id)
{
	struct page_asks *asks = arg;
	struct page_ask *page = page_asks_find(asks, id);
	int64_t now_s = loop_now_s(asks->how.loop);

	if (page == NULL)
		return;
	if (now_s - page->first_s >= GIVE_UP_S) {
		page_asks_end(asks, page, NULL);
		return;
	}
	page->is_out = false;
	page->next_s = now_s + AGAIN_S;
	asks->out--;
	loop_timer_set(asks->turn, 0);
}

/* Requests. */

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

/* How many more new pages the site may be asked for today; those that wait are
 * not counted. */
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
page_asks_send(struct page_asks *asks, struct page_ask *page, int64_t now_s)
{
	struct asking_site *site = page_asks_site_of(asks, page->site_id);
	struct page_order order = {.site_id = page->site_id,
	    .url = slice_of(page->url),
	    .id = page->id,
	    .max_bytes = PAGE_BYTES,
	    .is_head = page->event != NULL && !page->wants_body};
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
	if (page->event == NULL && page->first_s == 0) {
		(void)site_titles_left(asks, site);
		site->asked++;
		site_put_record(asks, site);
	}
	if (page->first_s == 0)
		page->first_s = now_s;
	page->is_out = true;
	asks->out++;
	run_page(asks->how.run, asks->crawl, &order);
}

/* Looks. */

/* A walk over new pages, the newest readings first. */
struct titles_walk {
	struct page_asks *asks;
	const struct asking_site *site;
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
	struct page_says says;
	bool is_asked = false;

	(void)row;
	(void)move;
	if (change->kind != DELTA_ADDED ||
	    change->verdict != VERDICT_ACCEPTED ||
	    section_is_ignored(walk->sections, change->url))
		return true;
	if (store_page_says(walk->asks->how.store, change->url, &says)) {
		page_says_release(&says);
		return true;
	}
	for (size_t i = 0; i < walk->asks->count && !is_asked; i++)
		is_asked = walk->asks->pages[i].event == NULL &&
		    slice_is(change->url, walk->asks->pages[i].url);
	if (!is_asked) {
		page_asks_add(walk->asks,
		    &(struct verified){
			.site_id = walk->site->id, .url = change->url});
		walk->left--;
	}
	return walk->left > 0;
}

/* Take new pages of the site whose titles nobody knows. */
static void
site_look_titles(
    struct page_asks *asks, struct asking_site *site, int64_t now_s)
{
	struct titles_walk walk = {.asks = asks,
	    .site = site,
	    .sections = options_of_site(asks->how.options, slice_of(site->host))
			    ->sections.rules,
	    .left = site_titles_left(asks, site)};
	int64_t tomorrow_s = zone_day_s(site->day + 1);

	for (size_t i = 0; i < asks->count; i++)
		if (asks->pages[i].site_id == site->id &&
		    asks->pages[i].event == NULL &&
		    asks->pages[i].first_s == 0 && walk.left > 0)
			walk.left--;
	if (walk.left > 0)
		store_each_reading(asks->how.store,
		    (struct reading_from){.by = READINGS_OF_SITE,
			.id = site->id,
			.at_s = site->since_s > now_s - NEW_S ? site->since_s
							      : now_s - NEW_S},
		    titles_on_reading, &walk);
	for (size_t i = walk.count; i-- > 0 && walk.left > 0;)
		reading_change_walk(asks->how.store, &walk.rows[i], true, NULL,
		    titles_on_change, &walk);
	free(walk.rows);
	/* the others have their turn tomorrow */
	if (walk.left == 0 && (site->look_s == 0 || site->look_s > tomorrow_s))
		site->look_s = tomorrow_s;
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
	    .sample = site->verify};
	struct site_event_list list = {0};
	struct buf name = BUF_UP_TO(256);

	(void)events_gather(asks->how.store, site->id, &span, &list);
	site->is_open = false;
	for (size_t i = 0; i < list.count; i++) {
		const struct site_event *event = &list.items[i];

		site->is_open |= event->known_s == 0 ||
		    (event->kind == EVENT_MASS_DROP_WAITING &&
			event->end_s == 0);
		if (event->settles_s > now_s &&
		    (site->look_s == 0 || event->settles_s < site->look_s))
			site->look_s = event->settles_s;
		buf_clear(&name);
		site_event_name(&name, event, store_hash_key(asks->how.store));
		for (size_t k = 0; k < event->sample.count; k++) {
			struct verified page = {.site_id = site->id,
			    .event = buf_text(&name),
			    .number = (unsigned)k,
			    .url = slice_of(event->sample.items[k])};

			store_verified_put(asks->how.store, &page);
			page_asks_add(asks, &page);
		}
		if (event->sample.count > 0)
			asks->how.written(asks->how.arg);
	}
	buf_release(&name);
	site_event_list_release(&list);
}

static void
site_look(struct page_asks *asks, struct asking_site *site, int64_t now_s)
{
	int64_t began_ms = loop_now_ms(asks->how.loop);

	/* what is not counted yet may be no change of the site */
	if (store_number(asks->how.store, STORE_UNTALLIED_S, site->id, 0) !=
	    0) {
		site->look_s = now_s + LOOK_S;
		return;
	}
	site->look_s = 0;
	if (site->verify > 0)
		site_look_events(asks, site, now_s);
	if (site->titles > 0)
		site_look_titles(asks, site, now_s);
	site->rest_until_s = now_s +
	    (loop_now_ms(asks->how.loop) - began_ms) * LOOK_SHARE / 1000;
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

		if (!has_looked && site->look_s != 0 && site->look_s <= now_s) {
			site_look(asks, site, now_s);
			has_looked = true;
		}
		if (site->look_s != 0 && site->look_s < next_s)
			next_s = site->look_s;
	}
	for (size_t i = 0; i < asks->count && asks->out < OUT_MOST; i++) {
		struct page_ask *page = &asks->pages[i];
		int64_t ready_s;

		const struct asking_site *site = page_asks_site_of(
		    asks, page->site_id);
		/* its site may want that no more */
		if (page->is_out || site == NULL ||
		    (page->event == NULL ? site->titles : site->verify) == 0)
			continue;
		if (page->next_s <= now_s) {
			ready_s = frontier_ask(
			    asks->how.frontier, page->site_id, now_s);
			if (ready_s <= now_s) {
				page_asks_send(asks, page, now_s);
				continue;
			}
			page->next_s = ready_s;
		}
		if (page->next_s < next_s)
			next_s = page->next_s;
	}
	loop_timer_set(
	    asks->turn, next_s > now_s ? (next_s - now_s) * 1000 : 1);
}

/* The interface. */

/* Remember since when titles are wanted, across restarts. */
static void
site_get_record(struct page_asks *asks, struct asking_site *site)
{
	struct buf record = BUF_UP_TO(64);
	struct wire wire;
	int64_t now_s = loop_now_s(asks->how.loop);

	(void)store_learned_get(
	    asks->how.store, RECORD_KIND, site->id, &record);
	wire = (struct wire){buf_text(&record), true};
	site->since_s = (int64_t)wire_get_fixed(&wire, 8);
	site->day = (int64_t)wire_get_fixed(&wire, 8);
	site->asked = wire_get_fixed(&wire, 8);
	if (!wire.ok || site->since_s > now_s) {
		site->since_s = now_s;
		site->asked = 0;
		site_put_record(asks, site);
	}
	buf_release(&record);
}

void
page_asks_site(struct page_asks *asks, const struct watch *watch)
{
	const struct options_asks *own =
	    &options_of_site(asks->how.options, slice_of(watch->host))->asks;
	const char *titles = watch->titles.count > 0 ? watch->titles.items[0]
						     : own->titles;
	const char *verify = watch->verify.count > 0 ? watch->verify.items[0]
						     : own->verify;
	struct asking_site *site = page_asks_site_of(asks, watch->site_id);
	struct asking_site is = {.id = watch->site_id};
	double per_hour = 0;
	uint64_t pages = 0;

	if (titles != NULL && watch->is_watched)
		(void)value_amount(titles, true, &per_hour);
	if (verify != NULL && watch->is_watched)
		(void)value_number(verify, VALUE_MAX_VERIFY, &pages);
	is.titles = (unsigned)(per_hour * 24 + 0.5);
	is.verify = (unsigned)pages;
	if (is.titles == 0 && site != NULL && site->titles > 0)
		store_learned(
		    asks->how.store, RECORD_KIND, is.id, slice_of(NULL));
	if (site == NULL && is.titles + is.verify == 0)
		return;
	if (site == NULL) {
		idmap_put(&asks->by_id, is.id, (uint32_t)asks->site_count);
		site = MEM_PUSH(asks->sites, asks->site_count, asks->site_cap);
		*site = (struct asking_site){
		    .id = is.id, .host = mem_copy(watch->host)};
	}
	if (is.titles > 0 && site->titles == 0)
		site_get_record(asks, site);
	site->titles = is.titles;
	site->verify = is.verify;
	site->look_s = is.titles + is.verify == 0
	    ? 0
	    : loop_now_s(asks->how.loop) + LOOK_S;
	loop_timer_set(asks->turn, 0);
}

void
page_asks_read(
    struct page_asks *asks, int64_t site_id, const struct reading *reading)
{
	struct asking_site *site = page_asks_site_of(asks, site_id);
	const uint64_t *changes = reading->content.merge.changes;
	int64_t look_s;

	if (site == NULL || site->titles + site->verify == 0 ||
	    (!site->is_open &&
		(reading->outcome != OUTCOME_READ ||
		    changes[DELTA_ADDED] + changes[DELTA_REMOVED] +
			    changes[DELTA_GONE] ==
			0)))
		return;
	look_s = loop_now_s(asks->how.loop) + LOOK_S;
	if (look_s < site->rest_until_s)
		look_s = site->rest_until_s;
	if (site->look_s == 0 || look_s < site->look_s)
		site->look_s = look_s;
	loop_timer_set(asks->turn, 0);
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
	store_each_unverified(options->store, page_asks_on_unverified, asks);
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
		page_asks_remove(asks, &asks->pages[asks->count - 1]);
	for (size_t i = 0; i < asks->site_count; i++)
		free(asks->sites[i].host);
	loop_timer_free(asks->turn);
	free(asks->by_id.slots);
	free(asks->pages);
	free(asks->sites);
	free(asks);
}
