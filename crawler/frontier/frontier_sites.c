/* Sites, as the watch list has them: see frontier_sites.h. */
#include "crawler/frontier/frontier_sites.h"

#include "base/at_work.h"
#include "base/buf.h"
#include "crawler/frontier/frontier_hosts.h"
#include "crawler/frontier/frontier_tables.h"
#include "crawler/frontier/tag_table.h"
#include "crawler/frontier/url_parts.h"
#include "crawler/frontier/watch_schedule.h"
#include "sched/scheduler_hosts.h"
#include "store/document_list.h"
#include "store/site.h"
#include "store/watch.h"

#define HOST_MAX_BYTES 1024
#define HOUR_S 3600

static void
copy(struct strings *to, const struct strings *from)
{
	strings_release(to);
	for (size_t i = 0; from != NULL && i < from->count; i++)
		strings_add(to, slice_of(from->items[i]));
}

/* Take over the row of the watch list; NULL: the site has none. */
static void
set_watch(struct frontier *frontier, uint32_t number, struct site_item *site,
    const struct watch *watch)
{
	struct scheduler_site is = watch_schedule(watch);

	is.host = host_at(frontier->hosts, site->host)->number;
	is.wants_listing = site->is.wants_listing;
	copy(&site->tags, watch == NULL ? NULL : &watch->tags);
	is.tag = tag_mix(frontier->tags, &site->tags);
	site->is = is;
	site->is_late = false;
	site->is_watched = watch != NULL && watch->is_watched;
	site->is_removed = watch != NULL && !watch->is_watched;
	copy(&site->sections, watch == NULL ? NULL : &watch->sections);
	site_changed(frontier->sites, number);
	host_at(frontier->hosts, site->host)->per_hour = watch == NULL
	    ? 0
	    : watch->requests_per_hour;
}

uint32_t
site_put(struct frontier *frontier, int64_t site_id, struct slice name,
    const struct watch *watch)
{
	struct site_item site = {.id = site_id,
	    .host = host_put(frontier, name),
	    .robots = NONE,
	    .is.wants_listing = true};
	struct host_item *host = host_at(frontier->hosts, site.host);

	if (host->number == NONE)
		host->number = scheduler_add_host(
		    frontier->scheduler, &(struct scheduler_host){0});
	set_watch(frontier, site_count(frontier->sites), &site, watch);
	host_limit(frontier, site.host);
	site.number = scheduler_add_site(frontier->scheduler, &site.is);
	host_hold_again(frontier, site.host);
	return site_add(frontier->sites, &site);
}

uint32_t
site_find(struct frontier *frontier, int64_t site_id)
{
	uint32_t number = site_by_id(frontier->sites, site_id);
	struct watch watch;
	struct buf host;
	bool is_on_list;

	if (number != NONE)
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

void
site_follow(struct frontier *frontier, uint32_t number)
{
	struct site_item *site = site_at(frontier->sites, number);
	struct watch watch;
	bool is_on_list = store_watch_get(
	    frontier->options.store, site->id, &watch);

	set_watch(frontier, number, site, is_on_list ? &watch : NULL);
	if (is_on_list)
		watch_release(&watch);
	host_limit(frontier, site->host);
	scheduler_set_tag(frontier->scheduler, site->is.host, site->is.tag);
	scheduler_set_site(frontier->scheduler, site->number, &site->is);
}

void
site_at_work(const struct frontier *frontier, uint32_t number)
{
	at_work_site(at_work_name(slice_of(host_name(
	    frontier->hosts, site_at(frontier->sites, number)->host))));
}

bool
site_wants(const struct site_item *site, struct slice url)
{
	struct slice target;

	if (site->is_removed)
		return false;
	if (site->sections.count == 0)
		return true;
	target = url_parts(url).target;
	for (size_t i = 0; i < site->sections.count; i++) {
		struct slice section = slice_of(site->sections.items[i]);

		/* a section ends where a path segment does */
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

/* The requests an hour that the site can have: its host's rate, and no more
 * than each budget that it shares with others, as if the site had all of that.
 */
static double
rate_of(const struct frontier *frontier, const struct site_item *site)
{
	double rate = host_at(frontier->hosts, site->host)->rate;

	lower(&rate, frontier->options.requests_per_hour);
	for (size_t i = 0; i < tag_table_count(frontier->tags); i++)
		if (strings_has(&site->tags,
			slice_of(tag_table_at(frontier->tags, i)->name)))
			lower(&rate, tag_table_at(frontier->tags, i)->per_hour);
	return rate;
}

static uint64_t
count_documents(const struct frontier *frontier, const struct site_item *site)
{
	uint64_t n = 0;

	for (uint32_t i = site->documents; i != 0;
	     i = document_at(frontier->documents, i - 1)->next) {
		const struct document_item *document = document_at(
		    frontier->documents, i - 1);

		n += !document->is_robots && !document->is_replaced &&
		    !document->is_unlisted && !document->is_orphan;
	}
	return n;
}

struct frontier_round
site_round(const struct frontier *frontier, uint32_t number, bool of_pages)
{
	const struct site_item *site = site_at(frontier->sites, number);
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
	/* with sections nobody knows how many of the listed URLs are wanted */
	if (site->sections.count == 0 && site->listed > round.requests)
		round.requests = site->listed;
	return round;
}

void
site_leased(struct frontier *frontier, uint32_t number)
{
	struct site_item *site = site_at(frontier->sites, number);

	if (!site->is.wants_listing)
		return;
	site->is.wants_listing = false;
	scheduler_set_site(frontier->scheduler, site->number, &site->is);
}
