/* Sites of the frontier, as the watch list has them: see frontier_sites.h. */
#include "crawler/frontier/frontier_sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/at_work.h"
#include "base/mem.h"
#include "crawler/frontier/frontier_documents.h"
#include "crawler/frontier/frontier_holds.h"
#include "crawler/frontier/frontier_homes.h"
#include "crawler/frontier/frontier_hosts.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_orphans.h"
#include "crawler/frontier/frontier_parts.h"
#include "crawler/frontier/frontier_tags.h"
#include "crawler/frontier/watch_schedule.h"
#include "sched/scheduler_events.h"
#include "sched/scheduler_hosts.h"

#define HOST_MAX_BYTES 1024
#define HOUR_S 3600

static void
copy(struct strings *to, const struct strings *from)
{
	strings_release(to);
	for (size_t i = 0; from != NULL && i < from->count; i++)
		strings_add(to, slice_of(from->items[i]));
}

static void
believe(struct frontier *frontier, uint32_t number, struct site_at *site,
    const struct watch *watch)
{
	struct scheduler_site is = watch_schedule(watch);

	is.host = frontier->hosts[site->host].number;
	is.wants_listing = site->is.wants_listing;
	copy(&site->tags, watch == NULL ? NULL : &watch->tags);
	is.tag = tags_mix(frontier, &site->tags);
	site->is = is;
	site->is_late = false;
	site->is_watched = watch != NULL && watch->is_watched;
	site->is_removed = watch != NULL && !watch->is_watched;
	copy(&site->sections, watch == NULL ? NULL : &watch->sections);
	frontier
	    ->sites_changed[frontier->sites_told++ % SITES_CHANGED] = number;
	frontier->hosts[site->host].per_hour = watch == NULL
	    ? 0
	    : watch->requests_per_hour;
}

uint32_t
site_put(struct frontier *frontier, int64_t site_id, struct slice name,
    const struct watch *watch)
{
	uint32_t number = (uint32_t)frontier->site_count;
	struct site_at site = {.id = site_id,
	    .host = host_put(frontier, name),
	    .robots = NONE,
	    .is.wants_listing = true};
	struct host_at *host = &frontier->hosts[site.host];

	if (host->number == NONE)
		host->number = scheduler_add_host(
		    frontier->scheduler, &(struct scheduler_host){0});
	believe(frontier, number, &site, watch);
	host_limit(frontier, site.host);
	site.number = scheduler_add_site(frontier->scheduler, &site.is);
	host_tell_held(frontier, site.host);
	frontier->sites = mem_grow(frontier->sites, &frontier->site_cap,
	    (size_t)number + 1, sizeof(*frontier->sites));
	frontier->sites[frontier->site_count++] = site;
	idmap_put(&frontier->site_of, site_id, number);
	orphans_doubt(frontier, number);
	return number;
}

void
site_at_work(const struct frontier *frontier, uint32_t number)
{
	at_work_site(at_work_name(slice_of(
	    names_text(&frontier->host_names, frontier->sites[number].host))));
}

uint32_t
site_find(struct frontier *frontier, int64_t site_id)
{
	uint32_t number = idmap_get(&frontier->site_of, site_id);
	struct watch watch;
	struct buf host;
	bool is_on_list;

	if (number != IDMAP_NONE)
		return number;
	buf_init(&host, HOST_MAX_BYTES);
	if (site_id <= 0 ||
	    !store_site_host(frontier->options.store, site_id, &host)) {
		buf_release(&host);
		return NONE;
	}
	is_on_list = store_watch_get(frontier->options.store, site_id, &watch);
	number = site_put(
	    frontier, site_id, buf_text(&host), is_on_list ? &watch : NULL);
	if (is_on_list)
		watch_release(&watch);
	buf_release(&host);
	return number;
}

bool
site_wants(const struct site_at *site, struct slice url)
{
	struct slice target;

	if (site->is_removed)
		return false;
	if (site->sections.count == 0)
		return true;
	target = frontier_url(url).target;
	for (size_t i = 0; i < site->sections.count; i++) {
		struct slice section = slice_of(site->sections.items[i]);

		/* a prefix is cut at a slash */
		if (section.len > 0 && section.p[section.len - 1] == '/')
			section.len--;
		if (slice_starts(target, section) &&
		    (target.len == section.len ||
			target.p[section.len] == '/' ||
			target.p[section.len] == '?'))
			return true;
	}
	return false;
}

static void
lower(double *per_hour, double other)
{
	if (other > 0 && (*per_hour <= 0 || other < *per_hour))
		*per_hour = other;
}

/* What its host allows, and each budget that it shares with others, as if it
 * had all of that. */
static double
rate_of(const struct frontier *frontier, const struct site_at *site)
{
	double rate = frontier->hosts[site->host].rate;

	lower(&rate, frontier->options.requests_per_hour);
	for (size_t i = 0; i < frontier->tag_count; i++)
		if (strings_has(&site->tags, slice_of(frontier->tags[i].name)))
			lower(&rate, frontier->tags[i].per_hour);
	return rate;
}

static uint64_t
count_documents(const struct frontier *frontier, const struct site_at *site)
{
	uint64_t n = 0;

	for (uint32_t i = site->documents; i != 0;
	     i = frontier->documents[i - 1].next) {
		const struct document_at *document = &frontier
							  ->documents[i - 1];

		n += !document->is_robots && !document->is_replaced &&
		    !document->is_unlisted && !document->is_orphan;
	}
	return n;
}

struct frontier_round
site_round(const struct frontier *frontier, uint32_t number, bool of_pages)
{
	const struct site_at *site = &frontier->sites[number];
	double rate = rate_of(frontier, site);
	struct frontier_round round = {.most_s = of_pages
		? site->is.page_ceiling_s
		: site->is.reading_ceiling_s,
	    .each_s = rate > 0 ? HOUR_S / rate : 0};

	if (!of_pages) {
		round.requests = count_documents(frontier, site);
		return round;
	}
	round.requests = site->pages > site->orphan_pages
	    ? site->pages - site->orphan_pages
	    : 0;
	/* with sections it is not known how many of those listed are wanted */
	if (site->sections.count == 0 && site->listed > round.requests)
		round.requests = site->listed;
	return round;
}

void
site_taken(struct frontier *frontier, uint32_t number)
{
	struct site_at *site = &frontier->sites[number];

	if (!site->is.wants_listing)
		return;
	site->is.wants_listing = false;
	scheduler_set_site(frontier->scheduler, site->number, &site->is);
}

/* Its pages and documents are wanted, or not. */
static void
review(struct frontier *frontier, uint32_t site, bool are_pages_others)
{
	/* to go through all of the store's is a matter of milliseconds */
	uint32_t left = are_pages_others ? frontier->sites[site].pages : 0;

	for (uint32_t i = 0; i < frontier->page_count && left > 0; i++) {
		if (frontier->documents[frontier->pages[i].document].site !=
		    site)
			continue;
		left--;
		home_wanted(frontier, i);
	}
	for (uint32_t i = frontier->sites[site].documents; i != 0;
	     i = frontier->documents[i - 1].next) {
		document_listed(frontier, i - 1);
		document_wanted(frontier, i - 1);
		if (frontier->documents[i - 1].is_left)
			frontier_document_back(frontier,
			    frontier->documents[i - 1].id, frontier->now_s);
	}
}

/* What the list says of it now, into the scheduler. */
static void
follow(struct frontier *frontier, struct site_at *site)
{
	struct watch watch;
	bool is_on_list = store_watch_get(
	    frontier->options.store, site->id, &watch);

	believe(frontier, (uint32_t)(site - frontier->sites), site,
	    is_on_list ? &watch : NULL);
	if (is_on_list)
		watch_release(&watch);
	host_limit(frontier, site->host);
	scheduler_set_tag(frontier->scheduler, site->is.host, site->is.tag);
	scheduler_set_site(frontier->scheduler, site->number, &site->is);
}

static bool
are_same(const struct strings *a, const struct strings *b)
{
	bool are_same = a->count == b->count;

	for (size_t i = 0; i < a->count && are_same; i++)
		are_same = strcmp(a->items[i], b->items[i]) == 0;
	return are_same;
}

void
frontier_watch_changed(
    struct frontier *frontier, int64_t site_id, int64_t now_s)
{
	struct strings sections;
	struct site_at *site;
	bool is_new, was_removed;
	uint32_t number;

	(void)frontier_clock(frontier, now_s);
	if (site_id == 0) {
		tags_changed(frontier);
		return;
	}
	is_new = idmap_get(&frontier->site_of, site_id) == IDMAP_NONE;
	number = site_find(frontier, site_id);
	if (number == NONE || is_new)
		return;
	site = &frontier->sites[number];
	was_removed = site->is_removed;
	sections = site->sections;
	site->sections = (struct strings){0};
	follow(frontier, site);
	shelves_return(frontier, number);
	review(frontier, number,
	    was_removed != site->is_removed ||
		!are_same(&sections, &site->sections));
	strings_release(&sections);
	orphans_doubt(frontier, number);
}

void
sites_release(struct frontier *frontier)
{
	for (size_t i = 0; i < frontier->site_count; i++) {
		strings_release(&frontier->sites[i].sections);
		strings_release(&frontier->sites[i].tags);
	}
	free(frontier->sites);
	free(frontier->documents);
}
