/* Sites, as the watch list has them. */
#include "crawler/frontier/frontier_sites.h"

#include <stdlib.h>

#include "base/at_work.h"
#include "base/buf.h"
#include "base/civil.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "crawler/frontier/frontier_tables.h"
#include "crawler/frontier/url_parts.h"
#include "sched/scheduler_hosts.h"
#include "store/document.h"
#include "store/site.h"
#include "store/watch.h"

uint32_t
site_by_id(const struct frontier *f, int64_t id)
{
	return idmap_get(&f->sites.by_id, id);
}

void
site_dirty(struct frontier *f, uint32_t site)
{
	if (!f->sites.items[site].is_dirty)
		number_list_add(&f->dirty_sites, site);
	f->sites.items[site].is_dirty = true;
}

void
site_suspect(struct frontier *f, uint32_t site)
{
	if (!f->sites.items[site].is_suspect)
		number_list_add(&f->suspects, site);
	f->sites.items[site].is_suspect = true;
}

#define HOST_MAX_BYTES 1024

/* The watch list. */

/* Set the bounds that were given, and move the default ones if they cross. */
static void
site_bound(
    int64_t least_s, int64_t most_s, int64_t *floor_s, int64_t *ceiling_s)
{
	if (least_s > 0)
		*floor_s = least_s;
	if (most_s > 0)
		*ceiling_s = most_s;
	if (*floor_s <= *ceiling_s)
		return;
	if (least_s > 0)
		*ceiling_s = *floor_s;
	else
		*floor_s = *ceiling_s;
}

struct scheduler_site
watch_schedule(const struct watch *watch)
{
	struct scheduler_site is = scheduler_site_default();

	if (watch == NULL)
		return is;
	is.weight = watch->weight;
	site_bound(watch->every_least_s, watch->every_most_s,
	    &is.reading_floor_s, &is.reading_ceiling_s);
	site_bound(watch->page_least_s, watch->page_most_s, &is.page_floor_s,
	    &is.page_ceiling_s);
	/* an interval or a budget of the operator replaces the reading quota */
	if (watch->every_least_s > 0 || watch->every_most_s > 0 ||
	    watch->requests_per_hour > 0)
		is.readings_per_day = 0;
	if (watch->page_least_s > 0 || watch->page_most_s > 0 ||
	    watch->requests_per_hour > 0)
		is.pages_per_day = 0;
	return is;
}

static void
copy(struct strings *to, const struct strings *from)
{
	strings_release(to);
	for (size_t i = 0; from != NULL && i < from->count; i++)
		strings_add(to, slice_of(from->items[i]));
}

/* Take over the row of the watch list; NULL: the site has none.  Returns what
 * the scheduler is to be told. */
static struct scheduler_site
site_set_watch(
    struct frontier *f, struct site_item *site, const struct watch *watch)
{
	struct scheduler_site is = watch_schedule(watch);

	is.host = host_at(f->hosts, site->host)->number;
	copy(&site->tags, watch == NULL ? NULL : &watch->tags);
	is.tag = tag_mix(f, &site->tags);
	site->is_late = false;
	site->is_watched = watch != NULL && watch->is_watched;
	site->is_removed = watch != NULL && !watch->is_watched;
	copy(&site->sections, watch == NULL ? NULL : &watch->sections);
	f->sites.changes++;
	host_at(f->hosts, site->host)->per_hour = watch == NULL
	    ? 0
	    : watch->requests_per_hour;
	return is;
}

uint32_t
site_put(struct frontier *f, int64_t site_id, struct slice name,
    const struct watch *watch)
{
	struct site_item site = {
	    .id = site_id, .host = host_put(f->hosts, name), .robots = NONE};
	struct host_item *host = host_at(f->hosts, site.host);
	struct scheduler_site is;

	if (host->number == NONE)
		host->number = scheduler_add_host(
		    f->scheduler, &(struct scheduler_host){0});
	is = site_set_watch(f, &site, watch);
	is.wants_listing = true;
	host_limit(f->hosts, site.host);
	site.number = scheduler_add_site(f->scheduler, &is);
	host_hold_again(f->hosts, site.host);
	/* A new site, which is suspect; the table takes over its strings. */
	uint32_t number = (uint32_t)f->sites.count++;

	f->sites.items = mem_grow(f->sites.items, &f->sites.cap, f->sites.count,
	    sizeof(*f->sites.items));
	f->sites.items[number] = site;
	idmap_put(&f->sites.by_id, site.id, number);
	site_suspect(f, number);
	return number;
}

uint32_t
site_find(struct frontier *f, int64_t site_id)
{
	uint32_t number = site_by_id(f, site_id);
	struct watch watch;
	struct buf host;
	bool is_on_list;

	if (number != NONE)
		return number;
	buf_init(&host, HOST_MAX_BYTES);
	if (site_id <= 0 || !store_site_host(f->store, site_id, &host)) {
		buf_release(&host);
		return NONE;
	}
	is_on_list = store_watch_get(f->store, site_id, &watch);
	number = site_put(
	    f, site_id, buf_text(&host), is_on_list ? &watch : NULL);
	if (is_on_list)
		watch_release(&watch);
	buf_release(&host);
	return number;
}

void
site_follow(struct frontier *f, uint32_t number)
{
	struct site_item *site = site_at(f, number);
	struct scheduler_site is;
	struct watch watch;
	bool is_on_list = store_watch_get(f->store, site->id, &watch);

	is = site_set_watch(f, site, is_on_list ? &watch : NULL);
	is.wants_listing = site_rules(f, site)->wants_listing;
	if (is_on_list)
		watch_release(&watch);
	host_limit(f->hosts, site->host);
	scheduler_set_tag(f->scheduler, is.host, is.tag);
	scheduler_set_site(f->scheduler, site->number, &is);
}

void
site_at_work(const struct frontier *f, uint32_t number)
{
	at_work_site(at_work_name(
	    slice_of(host_name(f->hosts, site_at(f, number)->host))));
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

double
site_rate(const struct frontier *f, uint32_t number)
{
	const struct site_item *site = site_at(f, number);
	double rate = host_at(f->hosts, site->host)->rate;

	lower(&rate, f->context.options.requests_per_hour);
	for (size_t i = 0; i < f->tags.count; i++)
		if (strings_has(&site->tags, slice_of(f->tags.items[i].name)))
			lower(&rate, f->tags.items[i].per_hour);
	return rate;
}

void
site_leased(struct frontier *f, uint32_t number)
{
	const struct site_item *site = site_at(f, number);
	struct scheduler_site is = *site_rules(f, site);

	if (!is.wants_listing)
		return;
	is.wants_listing = false;
	scheduler_set_site(f->scheduler, site->number, &is);
}
