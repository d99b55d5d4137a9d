/* The tables of the frontier: hosts, origins, tags, folders, ready queues and
 * pages; and its clock. */
#include "crawler/frontier/frontier_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/civil.h"
#include "base/page_filter.h"
#include "crawler/frontier/frontier_lease.h"
#include "sched/scheduler.h"
#include "store/page.h"
#include "store/watch.h"

/* Hosts: their limits, their holds and their delays. */

/* Hosts with long delays are looked at together, every GRAIN_MS. */
#define GRAIN_MS 20
#define LONG_MS 200
/* A host that freshet waits for is looked at again after this time. */
#define BUSY_MS 80
/* No host is left alone for longer before it is looked at again. */
#define PAUSE_S 1
/* options.held is not called for a hold that is longer by less. */
#define HOLD_NEWS_S 60

/* A share of nothing: one request a year. */
#define SHARE_LEAST 1e-4
#define RENEW_S 10 /* until a share is asked for again */
#define AGAIN_S 2 /* the same, if it is nothing */
/* Pages count as wanted for so long after a fetcher asked for some. */
#define ASKED_S 600

void
host_limit(struct frontier *f, uint32_t number)
{
	struct host *host = f->hosts->items[number];
	double per_hour = host->per_hour;
	bool is_budget = per_hour > 0;

	host_set_delay(f->hosts, host);
	if (host->delay_ms > 0 &&
	    (per_hour <= 0 || per_hour > HOUR_MS / (double)host->delay_ms)) {
		per_hour = HOUR_MS / (double)host->delay_ms;
		is_budget = false;
	}
	host->rate = per_hour;
	if (host->limit != NONE)
		scheduler_set_host(f->scheduler, host->limit,
		    &(struct scheduler_host){.requests_per_hour = per_hour,
			.burst_ms = f->options.burst_ms,
			.is_budget = is_budget});
}

uint32_t
host_keep(struct frontier *f, struct slice name)
{
	uint32_t number = host_put(f->hosts, name);
	struct host *host = f->hosts->items[number];

	if (host->is_kept)
		return number;
	host->is_kept = true;
	host_limit(f, number);
	return number;
}

/* A page may be leased when the host is ready. */
static void
note_paced(struct frontier *f, const struct host *host, int64_t ready_ms)
{
	if (host->delay_ms >= LONG_MS)
		ready_ms += GRAIN_MS - 1 - (ready_ms + GRAIN_MS - 1) % GRAIN_MS;
	if (ready_ms < f->paced_ms)
		f->paced_ms = ready_ms;
}

bool
host_lets(struct frontier *f, const struct frontier_consumer *consumer,
    uint32_t number)
{
	struct host *host = f->hosts->items[number];
	int64_t now_ms = host_table_now_ms(f->hosts);
	int64_t ready_ms, delay_ms;
	enum host_why why;

	/* The driver of another process may have asked the host: the request
	 * log knows that, also of documents that could not be read. */
	if (!host->is_recalled && f->hosts->clock_ms != NULL) {
		int64_t last_s = store_asked_s(f->store,
		    names_slice(&f->hosts->names, number), f->now_s, &delay_ms);

		host_recall(f->hosts, host, last_s, f->now_s, delay_ms);
	}
	ready_ms = host_ready_ms(f->hosts, host, HOST_PAGES, &why);
	/* A consumer spaces the pages itself that it has at once, and the
	 * scheduler sees to it that it does not get too many. */
	if (why == HOST_FREE ||
	    (why != HOST_BUSY && why != HOST_HELD && !consumer->is_spaced &&
		host->limit != NONE &&
		(host->leases > 0 || f->hosts->clock_ms == NULL))) {
		if (host_reserve(f->hosts, host, HOST_PAGES))
			return true;
		why = HOST_BUSY;
	}
	if (why == HOST_BUSY)
		ready_ms = now_ms + BUSY_MS;
	note_paced(f, host, ready_ms);
	/* An event that nobody tells may let it be asked earlier. */
	if (ready_ms > now_ms + PAUSE_S * SECOND_MS)
		ready_ms = now_ms + PAUSE_S * SECOND_MS;
	if (host->waiting[HOST_PAGES] > 0) {
		ranking_remove(&f->ready.turns, number);
		ranking_put(&f->ready.paced, number, (double)ready_ms);
		f->ready.is_lent |= host->leases > 0;
	}
	return false;
}

bool
frontier_has_paced(const struct frontier *f)
{
	return f->paced_ms != INT64_MAX;
}

int64_t
frontier_paced_ms(struct frontier *f)
{
	int64_t wait_ms = INT64_MAX;

	if (f->paced_ms != INT64_MAX)
		wait_ms = f->paced_ms - host_table_now_ms(f->hosts);
	f->paced_ms = INT64_MAX;
	return wait_ms > 0 ? wait_ms : 1;
}

void
host_report_hold(
    struct frontier *f, uint32_t hold, int64_t until_s, const char *why)
{
	struct frontier_held held = {
	    .host = names_slice(&f->hosts->names, hold / HELD_KINDS),
	    .is_pages = hold % HELD_KINDS == HELD_PAGES,
	    .until_s = until_s,
	    .why = why};

	f->options.held(f->options.arg, &held);
}

int64_t
frontier_hold_over_s(const struct frontier *f)
{
	const struct ranking_item *first = ranking_first(&f->holds);

	return first == NULL ? FRONTIER_NEVER : (int64_t)first->key;
}

void
host_tell_hold(struct frontier *f, const struct host *host, enum held_kind kind)
{
	if (host->limit == NONE)
		return;
	if (host->held_s[kind] <= f->now_s)
		scheduler_unhold(f->scheduler, host->limit, kind);
	else
		scheduler_hold(f->scheduler, host->limit, kind, f->now_s,
		    host->held_s[kind] - f->now_s);
}

/* The follower of the table: tell the scheduler and options.held of a hold;
 * nothing is saved. */
static void
host_on_held(void *arg, struct host *host, enum held_kind kind, const char *why)
{
	struct frontier *f = arg;
	int64_t until_s = host->held_s[kind];
	uint32_t hold = host->number * HELD_KINDS + kind;
	const struct ranking_item *known = ranking_find(&f->holds, hold);
	bool is_known = known != NULL;
	bool is_news = !is_known || (double)until_s > known->key + HOLD_NEWS_S;

	/* A host that only the driver knew must not lose its number before the
	 * end of the hold is reported. */
	(void)host_keep(f, names_slice(&f->hosts->names, host->number));
	if (f->options.held != NULL) {
		if (until_s > f->now_s) {
			ranking_put(&f->holds, hold, (double)until_s);
			if (is_news)
				host_report_hold(f, hold, until_s, why);
		} else if (is_known) {
			ranking_remove(&f->holds, hold);
			host_report_hold(f, hold, 0, why);
		}
	}
	host_tell_hold(f, host, kind);
	ready_wake(f, host->number);
}

struct hold_times
host_times(const struct frontier *f, uint32_t number)
{
	const int64_t *held_s = f->hosts->items[number]->held_s;
	struct hold_times times = {0};

	if (held_s[HELD_ALL] > f->now_s)
		times.all_s = held_s[HELD_ALL];
	if (held_s[HELD_PAGES] > f->now_s)
		times.pages_s = held_s[HELD_PAGES];
	return times;
}

int64_t
host_held_s(const struct host *host)
{
	return host->held_s[HELD_ALL] > host->held_s[HELD_PAGES]
	    ? host->held_s[HELD_ALL]
	    : host->held_s[HELD_PAGES];
}

/* Origins and their robots.txt. */

/* A few seconds of matching rules with stars; then the origin is disallowed. */
#define ORIGIN_WORK UINT64_C(4000000000)

uint32_t
origin_put(struct frontier *f, struct slice name, uint32_t site)
{
	uint32_t number = names_put(&f->origins.names, name);
	uint32_t host;

	if (number < f->origins.count)
		return number;
	*MEM_PUSH(f->origins.items, f->origins.count,
	    f->origins.cap) = (struct origin_item){0};
	host = host_keep(f, url_parts(name).host);
	*origin_at(f, number) = (struct origin_item){
	    .host = host, .site = site, .next = f->hosts->items[host]->origins};
	f->hosts->items[host]->origins = number + 1;
	return number;
}

void
origin_know(struct frontier *f, uint32_t number)
{
	const struct frontier_options *options = &f->options;
	struct origin_item *origin = origin_at(f, number);
	struct host *host = f->hosts->items[origin->host];
	int64_t now_s = f->now_s;
	const struct profile *profile;
	uint32_t was_ms = origin->crawl_delay_ms, most_ms = 0;
	struct robots_fact fact;
	struct buf body = BUF_UP_TO(SIZE_MAX);

	if (origin->is_judged)
		return;
	profile = &options
		       ->rules(options->rules_arg,
			   names_slice(&f->hosts->names, origin->host))
		       ->profile;
	origin->is_judged = true;
	origin->has_rules = false;
	origin->repairs = profile->robots_repair == SWITCH_ON;
	origin->fallback = FRONTIER_ROBOTS_UNKNOWN;
	if (store_robots_get(f->store, names_slice(&f->origins.names, number),
		&fact, &body)) {
		bool is_closed = robots_is_closed(f->store,
		    site_at(f, origin->site)->id, profile, &fact, now_s);

		origin->fallback = is_closed ? FRONTIER_ROBOTS_CLOSED
					     : FRONTIER_ROBOTS_ALLOW;
		origin->has_rules = !is_closed && fact.has_body &&
		    !robots_is_old(&fact, profile, now_s);
	}
	buf_release(&body);
	/* SPEC R-105: the largest Crawl-delay of its origins counts for the
	 * host. */
	origin->crawl_delay_ms = origin->has_rules
	    ? robots_delay_ms(
		  store_rules(f->store, names_slice(&f->origins.names, number),
		      slice_of(ROBOTS_PRODUCT), origin->repairs))
	    : 0;
	if (origin->crawl_delay_ms == was_ms)
		return;
	for (uint32_t i = host->origins; i != 0; i = origin_at(f, i - 1)->next)
		if (origin_at(f, i - 1)->crawl_delay_ms > most_ms)
			most_ms = origin_at(f, i - 1)->crawl_delay_ms;
	host->crawl_delay_ms[HOST_PAGES] = most_ms;
	host_limit(f, origin->host);
}

enum frontier_robots
origin_judge(struct frontier *f, uint32_t number, struct slice target,
    const struct page_filter *filter, struct robots_verdict *out)
{
	struct origin_item *origin = origin_at(f, number);
	struct robots_verdict verdict;

	if (out != NULL)
		*out = (struct robots_verdict){0};
	origin_know(f, number);
	if (origin->fallback != FRONTIER_ROBOTS_ALLOW || !origin->has_rules)
		return (enum frontier_robots)origin->fallback;
	if (origin->work > ORIGIN_WORK)
		return FRONTIER_ROBOTS_REFUSE;
	/* the rules are parsed if that was not done yet */
	verdict = robots_page_verdict(
	    store_rules(f->store, names_slice(&f->origins.names, number),
		slice_of(ROBOTS_PRODUCT), origin->repairs),
	    target, page_filter_purposes(filter));
	verdict.rule = slice_of("");
	origin->work += verdict.work;
	f->origins.work += verdict.work;
	if (out != NULL)
		*out = verdict;
	return verdict.is_allowed ? FRONTIER_ROBOTS_ALLOW
				  : FRONTIER_ROBOTS_REFUSE;
}

void
page_reopen(struct frontier *f, uint32_t number)
{
	struct sched_page *page = page_at(f, number);

	if ((page->owner_flags & PAGE_CLOSED) == 0)
		return;
	origin_at(f, page->origin)->closed--;
	page->owner_flags &= (uint8_t)~PAGE_CLOSED;
	page_return(f, number);
}

void
origin_changed(struct frontier *f, uint32_t number)
{
	struct origin_item *origin = origin_at(f, number);
	bool was_judged = origin->is_judged || origin->crawl_delay_ms > 0;

	origin->is_judged = false;
	origin->work = 0;
	/* a new Crawl-delay holds from now on, not from the next page on */
	if (was_judged)
		(void)origin_judge(f, number, slice_of(""), NULL, NULL);
	host_limit(f, origin->host);
	/* A list of these pages would cost each page of the program eight
	 * bytes.  Going through all takes milliseconds, once a day. */
	for (uint32_t i = 0;
	     i < f->scheduler->pages.count && origin->closed > 0; i++)
		if (page_at(f, i)->origin == number)
			page_reopen(f, i);
}

/* Tags with a budget. */

/* Tell the scheduler the budget of the tag, or of all, or the share of it. */
static void
tag_limit(struct frontier *f, const struct tag_item *tag)
{
	double most = frontier_has_shares(f) ? fmax(tag->share, SHARE_LEAST)
					     : tag->per_hour;
	struct scheduler_host limit = {
	    .requests_per_hour = fmin(most, tag->per_hour),
	    .is_budget = tag == &f->all};

	if (tag == &f->all) {
		scheduler_limit_all(f->scheduler, &limit);
	} else {
		limit.burst_ms = f->options.burst_ms;
		scheduler_limit_tag(f->scheduler, tag->number, &limit);
	}
}

/* Set the budget of a tag, which may be new; 0: none. */
static void
tag_put(void *arg, struct slice name, double per_hour)
{
	struct frontier *f = arg;
	struct tag_table *table = &f->tags;
	size_t i = 0;

	while (i < table->count && !slice_is(name, table->items[i].name))
		i++;
	if (i == table->count) {
		*MEM_PUSH(table->items, table->count,
		    table->cap) = (struct tag_item){.name = slice_dup(name),
		    .number = scheduler_add_tag(
			f->scheduler, SCHEDULER_NONE, SCHEDULER_NONE)};
	}
	table->items[i].per_hour = per_hour;
	tag_limit(f, &table->items[i]);
}

void
tag_table_load(struct frontier *f)
{
	struct tag_table *table = &f->tags;

	for (size_t i = 0; i < table->count; i++)
		table->items[i].per_hour = 0;
	if (f->all.per_hour > 0)
		tag_limit(f, &f->all);
	store_each_tag_budget(f->store, tag_put, f);
	for (size_t i = 0; i < table->count; i++)
		if (table->items[i].per_hour <= 0)
			tag_put(f, slice_of(table->items[i].name), 0);
}

bool
frontier_next_share(
    struct frontier *f, int64_t now_s, struct frontier_share *share)
{
	bool has_fetchers = f->leased_s + ASKED_S > now_s;

	for (size_t i = 0; frontier_has_shares(f) && i <= f->tags.count; i++) {
		struct tag_item *tag = i == 0 ? &f->all : &f->tags.items[i - 1];

		if (tag->per_hour <= 0 ||
		    now_s < tag->asked_s + (tag->share > 0 ? RENEW_S : AGAIN_S))
			continue;
		tag->asked_s = now_s;
		*share = (struct frontier_share){
		    .name = i == 0 ? "" : tag->name, .per_hour = tag->per_hour};
		/* The pages of which fetchers ask here, and the sitemaps. */
		for (uint32_t k = 0; k < f->scheduler->sites.count; k++) {
			const struct sched_site *site = site_at(f, k);

			if (site->is_watched &&
			    (i == 0 ||
				strings_has(&site->tags, slice_of(tag->name))))
				share->wanted += 1 +
				    (has_fetchers ? (double)site->listed : 0);
		}
		return true;
	}
	return false;
}

void
frontier_set_share(struct frontier *f, const char *name, double per_hour)
{
	struct tag_item *tag = &f->all;

	for (size_t i = 0; name[0] != '\0' && i < f->tags.count; i++)
		if (strcmp(name, f->tags.items[i].name) == 0)
			tag = &f->tags.items[i];
	if (per_hour == tag->share || (tag == &f->all) != (name[0] == '\0'))
		return;
	tag->share = per_hour;
	/* what it was before is free for others when it is asked for again */
	tag->asked_s = 0;
	tag_limit(f, tag);
	if (f->options.wanted != NULL)
		f->options.wanted(f->options.arg);
}

uint32_t
tag_mix(struct frontier *f, const struct strings *tags)
{
	struct tag_table *table = &f->tags;
	uint32_t number = SCHEDULER_NONE;

	/* the order of the table, so that each set of tags has one mix */
	for (size_t i = 0; i < table->count; i++) {
		uint32_t tag = table->items[i].number;
		size_t k = 0;

		if (!strings_has(tags, slice_of(table->items[i].name)))
			continue;
		if (number == SCHEDULER_NONE) {
			number = tag;
			continue;
		}
		/* the tag below those before it, made when it is new */
		while (k < table->mix_count &&
		    (table->mixes[k].above != number ||
			table->mixes[k].tag != tag))
			k++;
		if (k == table->mix_count) {
			*MEM_PUSH(table->mixes, table->mix_count,
			    table->mix_cap) = (struct tag_pair){.above = number,
			    .tag = tag,
			    .number = scheduler_add_tag(
				f->scheduler, number, tag)};
		}
		number = table->mixes[k].number;
	}
	return number;
}

/* Folders of sites. */

#define DEEPEST 9 /* folders, with that of the host, as in traces */
#define LEARNED_MAX 4096

static const char section_kind[] = "section";

/* Write the path of a URL, without its query, to text and return its length.
 * Each run of digits becomes one '#', so that releases and years are one
 * folder.  The slash at the end is left out: such a URL is a page of the folder
 * above. */
static size_t
section_path_of(struct slice url, char text[SECTION_PATH_MAX])
{
	struct slice target = url_parts(url).target;
	size_t len = 0;

	for (size_t i = 0; i < target.len && len < SECTION_PATH_MAX; i++) {
		char c = target.p[i];

		if (c == '?')
			break;
		if (c >= '0' && c <= '9')
			c = '#';
		if (c != '#' || len == 0 || text[len - 1] != '#')
			text[len++] = c;
	}
	return len > 1 && text[len - 1] == '/' ? len - 1 : len;
}

/* Make the section of a folder.  A site with very many folders has no section
 * for the rest: they count as the folder above. */
static uint32_t
section_make(struct frontier *f, uint32_t site, int64_t key, uint32_t above)
{
	uint32_t number = sections_add(&f->scheduler->sections, site, above);
	struct buf data = BUF_UP_TO(LEARNED_MAX);

	if (number == above)
		return above;
	idmap_put(&f->section_by_key, key, number);
	f->scheduler->sections.items[number - 1].key = key;
	if (store_learned_get(f->store, section_kind, key, &data))
		(void)scheduler_load_section(
		    f->scheduler, number, buf_text(&data));
	buf_release(&data);
	return number;
}

/* Go through the folders of a path, from the top, and return the last section.
 * A folder without a section counts as the folder above, or a section is made.
 */
static uint32_t
section_of_path(
    struct frontier *f, uint32_t site, struct slice path, bool makes)
{
	/* The store's hash key makes the keys of folders the same in each run,
	 * and unknown to whoever chooses the URLs. */
	uint64_t seed = store_hash_key(f->store) ^
	    (uint64_t)site_at(f, site)->id * 11400714819323198485u;
	uint32_t number = 0;
	int depth = 0;

	for (size_t i = 0; i < path.len && depth < DEEPEST; i++) {
		uint32_t found;
		int64_t key;

		if (path.p[i] != '/')
			continue;
		depth++;
		key = (int64_t)(hash_key(slice_make(path.p, i + 1), seed) &
		    (uint64_t)INT64_MAX);
		if (key == 0)
			key = 1;
		found = idmap_get(&f->section_by_key, key);
		if (found != IDMAP_NONE)
			number = found;
		else if (makes)
			number = section_make(f, site, key, number);
	}
	return number;
}

uint32_t
section_put(struct frontier *f, uint32_t site, struct slice url)
{
	char text[SECTION_PATH_MAX];
	size_t len = section_path_of(url, text);

	return section_of_path(f, site, slice_make(text, len), true);
}

double
section_rate(struct frontier *f, uint32_t site, struct slice url,
    struct section_memo *memo)
{
	char text[SECTION_PATH_MAX];
	size_t len = section_path_of(url, text);

	while (len > 0 && text[len - 1] != '/')
		len--;
	/* a sitemap lists folder after folder, so the memo mostly hits */
	if (len > 0 && len == memo->len && memcmp(text, memo->folder, len) == 0)
		return memo->rate;
	memo->len = len;
	memcpy(memo->folder, text, len);
	memo->rate = section_mean(&f->scheduler->sections, site,
	    section_of_path(f, site, slice_make(text, len), false));
	return memo->rate;
}

void
sections_save(struct frontier *f)
{
	struct buf data = BUF_UP_TO(LEARNED_MAX);

	for (size_t i = 0; i < f->dirty_sections.end; i++) {
		uint32_t number = f->dirty_sections.items[i];
		struct section *section = &f->scheduler->sections
					       .items[number - 1];

		buf_clear(&data);
		scheduler_save_section(f->scheduler, number, &data);
		store_learned(
		    f->store, section_kind, section->key, buf_text(&data));
		section->is_dirty = false;
	}
	f->dirty_sections.end = 0;
	buf_release(&data);
}

/* The ready queues. */

/* With so many pages in its queue a host is paused for so long, or until it has
 * fewer: who looks once a minute would have one more chosen each time, and all
 * would go out beside those that the budget allows then. */
#define READY_FULL 8
#define READY_FULL_S 600
/* Where so many pages of a site wait at another host, that of the site is
 * paused briefly. */
#define READY_OTHER_FULL 1000
/* A host that waits for a lease to end is paused until then, or until somebody
 * else has taken its pages.  Without a pause one page after the other would be
 * chosen, as fast as the budget allows, and all would go out at once. */
#define READY_MOST_S DAY_S

void
ready_add(struct frontier *f, uint32_t number, int64_t ready_s)
{
	struct sched_page *page = page_at(f, number);
	uint32_t name = page_host_of(f, page);
	uint32_t site_host = site_at(f, page_site_of(f, page))->host;
	struct host *host = f->hosts->items[name];
	bool is_other = name != site_host, is_full;
	int64_t least_s = PAUSE_S, pause_s = 0;

	if (!is_other)
		pause_s = ready_s == FRONTIER_NEVER ? READY_MOST_S
						    : ready_s - f->now_s;
	page->owner_flags |= PAGE_READY;
	fifo_put(&host->ready, number);
	host->waiting[HOST_PAGES]++;
	site_at(f, page_site_of(f, page))->ready++;
	if (host->waiting[HOST_PAGES] == 1) {
		ranking_put(&f->ready.turns, name, ++f->ready.turn);
		ranking_put(&f->ready.own, name, (double)ready_s);
	}
	is_full = host->waiting[HOST_PAGES] >=
	    (is_other ? READY_OTHER_FULL : READY_FULL);
	if (is_full && !is_other)
		least_s = READY_FULL_S;
	if (!is_full && pause_s <= 0)
		return;
	if (pause_s < least_s)
		pause_s = least_s;
	scheduler_hold(f->scheduler, f->hosts->items[site_host]->limit,
	    HELD_PAUSE, f->now_s, pause_s);
}

/* This page of the host waits no more. */
static void
ready_less(struct frontier *f, uint32_t name, const struct sched_page *page)
{
	struct host *host = f->hosts->items[name];
	uint32_t paused =
	    f->hosts->items[site_at(f, page_site_of(f, page))->host]->limit;
	bool is_empty = --host->waiting[HOST_PAGES] == 0;
	int64_t held_s;

	site_at(f, page_site_of(f, page))->ready--;
	if (is_empty) {
		ranking_remove(&f->ready.turns, name);
		ranking_remove(&f->ready.paced, name);
		ranking_remove(&f->ready.own, name);
		ranking_remove(&f->ready.slots, name);
	} else if (host->waiting[HOST_PAGES] != READY_FULL - 1) {
		return;
	}
	held_s = scheduler_held_s(f->scheduler, paused, HELD_PAUSE);
	/* while pages wait, a longer pause is one for a lease */
	if (held_s > f->now_s &&
	    (is_empty || held_s <= f->now_s + READY_FULL_S))
		scheduler_unhold(f->scheduler, paused, HELD_PAUSE);
}

void
ready_wait(struct frontier *f, uint32_t name, int64_t ready_s)
{
	if (f->hosts->items[name]->waiting[HOST_PAGES] == 0)
		return;
	ranking_remove(&f->ready.slots, name);
	ranking_put(&f->ready.own, name, (double)ready_s);
}

void
ready_wait_slot(struct frontier *f, uint32_t name)
{
	ranking_remove(&f->ready.own, name);
	if (ranking_find(&f->ready.slots, name) == NULL)
		ranking_put(&f->ready.slots, name, ++f->ready.turn);
}

/* Let all consumers look at the host. */
static void
ready_unpace(struct frontier *f, uint32_t name)
{
	if (ranking_find(&f->ready.paced, name) == NULL)
		return;
	ranking_remove(&f->ready.paced, name);
	ranking_put(&f->ready.turns, name, ++f->ready.turn);
}

void
ready_end_pace(struct frontier *f, bool is_all)
{
	const struct ranking_item *first;
	int64_t now_ms = host_table_now_ms(f->hosts);

	while ((first = ranking_first(&f->ready.paced)) != NULL &&
	    (is_all || first->key <= (double)now_ms))
		ready_unpace(f, first->number);
	f->ready.is_lent &= first != NULL;
	if (first != NULL)
		note_paced(
		    f, f->hosts->items[first->number], (int64_t)first->key);
}

void
ready_wake(struct frontier *f, uint32_t name)
{
	ready_unpace(f, name);
	if (ranking_find(&f->ready.slots, name) == NULL)
		ready_wait(f, name, 0);
}

uint32_t
ready_take(struct frontier *f, uint32_t name)
{
	struct host *host = f->hosts->items[name];
	uint32_t number = fifo_take(&host->ready);
	struct sched_page *page = page_at(f, number);

	page->owner_flags &= (uint8_t)~PAGE_READY;
	ready_less(f, name, page);
	return number;
}

static bool
ready_is_in(void *arg, uint32_t number)
{
	const struct frontier *f = arg;

	return (page_at(f, number)->owner_flags & PAGE_READY) != 0;
}

void
ready_drop(struct frontier *f, uint32_t number)
{
	struct sched_page *page = page_at(f, number);
	struct origin_item *origin = origin_at(f, page->origin);
	struct host *host = f->hosts->items[origin->host];
	bool was_ready = (page->owner_flags & PAGE_READY) != 0;

	if ((page->owner_flags & PAGE_CLOSED) != 0)
		origin->closed--;
	page->owner_flags &= (uint8_t) ~(
	    PAGE_READY | PAGE_CLOSED | PAGE_INELIGIBLE | PAGE_PASSED);
	if (!was_ready)
		return;
	/* A queue is short: its host is paused when pages wait there. */
	fifo_keep(&host->ready, ready_is_in, f);
	ready_less(f, origin->host, page);
}

void
ready_return(struct frontier *f, uint32_t number)
{
	if ((page_at(f, number)->owner_flags & PAGE_READY) == 0)
		return;
	ready_drop(f, number);
	page_return(f, number);
}

void
ready_return_site(struct frontier *f, uint32_t number)
{
	const struct sched_site *site = site_at(f, number);

	/* Nearly always, all pages of a site are at the host of the site, whose
	 * queue comes before those of all hosts. */
	for (uint32_t i = 0; i <= f->hosts->count && site->ready > 0; i++) {
		const struct host *host = host_kept(
		    f->hosts, i == 0 ? site->host : i - 1);

		if (host == NULL)
			continue;
		/* from the end, since what goes out moves all behind it */
		for (size_t k = fifo_count(&host->ready); k-- > 0;) {
			uint32_t page = host->ready
					    .items[host->ready.first + k];

			if (page_site_of(f, page_at(f, page)) == number)
				ready_return(f, page);
		}
	}
}

#define TICK_S 1 /* of the scheduler: intervals may be seconds */

struct frontier *
frontier_tables_new(const struct frontier_options *options)
{
	struct frontier *f = mem_zero(sizeof(*f));
	struct scheduler_options of = scheduler_options_default;

	of.tick_s = TICK_S;
	of.requests_per_hour = options->requests_per_hour;
	of.reads_documents = options->reads_documents;
	of.asks_apart = true;
	f->store = options->store;
	f->scheduler = scheduler_new(&of);
	f->options = *options;
	f->hosts = options->hosts;
	if (f->hosts == NULL) {
		f->hosts = host_table_new(
		    options->rules, options->rules_arg, options->hash_key);
		f->hosts->others = options->others;
	}
	f->hosts->followers[HOST_PAGES] = (struct host_follower){
	    .held = host_on_held, .arg = f};
	f->all = (struct tag_item){
	    .per_hour = options->requests_per_hour, .number = SCHEDULER_NONE};
	f->paced_ms = INT64_MAX;
	f->origins.names = (struct names){.key = options->hash_key};
	buf_init(&f->told_url, URL_MAX_BYTES);
	return f;
}

void
consumer_forget(struct consumer_table *table, size_t number)
{
	if (table->items[number] == NULL)
		return;
	free(table->items[number]->items);
	free(table->items[number]);
	table->items[number] = NULL;
}

void
frontier_free(struct frontier *f)
{
	if (f == NULL)
		return;
	buf_release(&f->told_url);
	candidate_cache_release(&f->candidates);
	for (size_t i = 0; i < PASSED_FILTERS; i++)
		free(f->passed.filters[i].text);
	free(f->passed.items);
	ranking_release(&f->ready.turns);
	ranking_release(&f->ready.paced);
	ranking_release(&f->ready.own);
	ranking_release(&f->ready.slots);
	ranking_release(&f->lease_ends);
	for (size_t i = 0; i < f->consumer_table.count; i++)
		consumer_forget(&f->consumer_table, i);
	free(f->consumer_table.items);
	free(f->section_by_key.slots);
	free(f->document_by_id.slots);
	free(f->origins.items);
	names_release(&f->origins.names);
	for (uint32_t i = 0; i < f->scheduler->sites.count; i++)
		strings_release(&site_at(f, i)->tags);
	free(f->sites.by_id.slots);
	free(f->dirty_pages.items);
	free(f->dirty_documents.items);
	free(f->dirty_sites.items);
	free(f->dirty_sections.items);
	free(f->suspects.items);
	for (size_t i = 0; i < f->tags.count; i++)
		free(f->tags.items[i].name);
	free(f->tags.items);
	free(f->tags.mixes);
	f->hosts->followers[HOST_PAGES] = (struct host_follower){0};
	if (f->options.hosts == NULL)
		host_table_free(f->hosts);
	ranking_release(&f->holds);
	free(f->page_by_url.slots);
	scheduler_free(f->scheduler);
	free(f);
}

int64_t
frontier_clock(struct frontier *f, int64_t now_s)
{
	if (now_s > f->now_s)
		f->now_s = now_s;
	if (now_s > f->hosts->now_s)
		f->hosts->now_s = now_s;
	return f->now_s;
}

int64_t
page_key(const struct frontier *f, struct slice url)
{
	int64_t key = (int64_t)(hash_key(url, f->options.hash_key) &
	    (uint64_t)INT64_MAX);

	return key == 0 ? 1 : key;
}

uint32_t
page_by_id(const struct frontier *f, int64_t id)
{
	size_t first = 0, last = f->scheduler->pages.count;
	size_t guess = 0;

	/* Most ids rise by one from page to page, so that no search is needed:
	 * among a million pages it would wait for memory twenty times. */
	if (last > 0 && id > page_at(f, 0)->id)
		guess = (size_t)(id - page_at(f, 0)->id);
	if (guess < last && page_at(f, (uint32_t)guess)->id == id)
		return (uint32_t)guess;
	while (first < last) {
		size_t middle = first + (last - first) / 2;

		if (page_at(f, (uint32_t)middle)->id < id)
			first = middle + 1;
		else
			last = middle;
	}
	if (first < f->scheduler->pages.count &&
	    page_at(f, (uint32_t)first)->id == id)
		return (uint32_t)first;
	return NONE;
}

void
page_dirty(struct frontier *f, uint32_t number)
{
	struct sched_page *page = page_at(f, number);

	if ((page->owner_flags & PAGE_DIRTY) == 0)
		fifo_put(&f->dirty_pages, number);
	page->owner_flags |= PAGE_DIRTY;
}

void
page_return(struct frontier *f, uint32_t number)
{
	scheduler_give_back(f->scheduler, f->now_s,
	    &(struct scheduler_choice){
		.kind = SCHEDULER_PAGE, .number = number});
}

const char *
frontier_why(enum scheduler_reason reason)
{
	static const char *const names[] = {
	    [REASON_VALUE] = "value",
	    [REASON_NEW] = "new",
	    [REASON_CEILING] = "ceiling",
	    [REASON_INTERVAL] = "interval",
	    [REASON_REMOVED] = "removed",
	    [REASON_OWED] = "owed",
	};

	return names[reason];
}
