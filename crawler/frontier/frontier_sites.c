/* Sites, as the watch list has them. */
#include "crawler/frontier/frontier_sites.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/civil.h"
#include "base/url.h"
#include "crawler/frontier/frontier_tables.h"
#include "store/document.h"
#include "store/watch.h"

void
site_dirty(struct frontier *f, uint32_t site)
{
	if (!site_at(f, site)->is_dirty)
		number_list_add(&f->dirty_sites, site);
	site_at(f, site)->is_dirty = true;
}

void
site_suspect(struct frontier *f, uint32_t site)
{
	if (!site_at(f, site)->is_suspect)
		number_list_add(&f->suspects, site);
	site_at(f, site)->is_suspect = true;
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
	struct scheduler_site is = scheduler_site_default;

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

/* What the scheduler is to be told of a site of that host, whose row of the
 * watch list is given; NULL: it has none. */
static struct scheduler_site
site_schedule(struct frontier *f, uint32_t host, const struct watch *watch)
{
	struct scheduler_site is = watch_schedule(watch);

	is.host = f->hosts->items[host]->limit;
	is.tag = watch == NULL ? SCHEDULER_NONE : tag_mix(f, &watch->tags);
	f->hosts->items[host]->per_hour = watch == NULL
	    ? 0
	    : watch->requests_per_hour;
	return is;
}

/* Take over the rest of that row. */
static void
site_set_watch(struct frontier *f, uint32_t number, const struct watch *watch)
{
	struct sched_site *site = site_at(f, number);

	strings_release(&site->tags);
	for (size_t i = 0; watch != NULL && i < watch->tags.count; i++)
		strings_add(&site->tags, slice_of(watch->tags.items[i]));
	strings_release(&site->sections);
	for (size_t i = 0; watch != NULL && i < watch->sections.count; i++)
		strings_add(
		    &site->sections, slice_of(watch->sections.items[i]));
	site->is_late = false;
	site->is_watched = watch != NULL && watch->is_watched;
	site->is_removed = watch != NULL && !watch->is_watched;
	f->sites.changes++;
}

uint32_t
site_put(struct frontier *f, int64_t site_id, struct slice name,
    const struct watch *watch)
{
	uint32_t host = host_keep(f, name), number;
	struct scheduler_site is;

	if (f->hosts->items[host]->limit == NONE)
		f->hosts->items[host]->limit = scheduler_add_host(
		    f->scheduler, &(struct scheduler_host){0});
	is = site_schedule(f, host, watch);
	is.wants_listing = true;
	host_limit(f, host);
	number = scheduler_add_site(f->scheduler, &is);
	/* the scheduler has just learned of the host, which may be held */
	for (int kind = 0; kind < HELD_KINDS; kind++)
		if (f->hosts->items[host]->held_s[kind] > f->context.now_s)
			host_tell_hold(
			    f, f->hosts->items[host], (enum held_kind)kind);
	site_at(f, number)->id = site_id;
	site_at(f, number)->host = host;
	site_set_watch(f, number, watch);
	idmap_put(&f->sites.by_id, site_id, number);
	site_suspect(f, number);
	return number;
}

uint32_t
site_find(struct frontier *f, int64_t site_id)
{
	uint32_t number = idmap_get(&f->sites.by_id, site_id);
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
	uint32_t host = site_at(f, number)->host;
	struct watch watch;
	bool is_on_list = store_watch_get(
	    f->store, site_at(f, number)->id, &watch);
	struct scheduler_site is = site_schedule(
	    f, host, is_on_list ? &watch : NULL);

	is.wants_listing = site_at(f, number)->is.wants_listing;
	site_set_watch(f, number, is_on_list ? &watch : NULL);
	if (is_on_list)
		watch_release(&watch);
	host_limit(f, host);
	scheduler_set_tag(f->scheduler, is.host, is.tag);
	scheduler_set_site(f->scheduler, number, &is);
}

bool
site_wants(const struct sched_site *site, struct slice url)
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

struct frontier_round
site_round(const struct frontier *f, uint32_t number, bool of_pages)
{
	const struct sched_site *site = site_at(f, number);
	/* The requests an hour that the site can have: the rate of its host,
	 * limited by each budget that the site shares with others, as if the
	 * site could use all of that budget.  0: no limit. */
	double rate = f->hosts->items[site->host]->rate;
	double all = f->context.options.requests_per_hour;

	if (all > 0 && (rate <= 0 || all < rate))
		rate = all;
	for (size_t i = 0; i < f->tags.count; i++) {
		const struct tag_item *tag = &f->tags.items[i];

		if (tag->per_hour > 0 && (rate <= 0 || tag->per_hour < rate) &&
		    strings_has(&site->tags, slice_of(tag->name)))
			rate = tag->per_hour;
	}
	struct frontier_round round = {.most_s = of_pages
		? site->is.page_ceiling_s
		: site->is.reading_ceiling_s,
	    .each_s = rate > 0 ? HOUR_S / rate : 0};

	if (!of_pages) {
		uint64_t n = 0;

		for (uint32_t i = site->first; i != 0;
		     i = document_at(f, i - 1)->next_of_site) {
			const struct sched_source *document = document_at(
			    f, i - 1);

			n += !document->is_robots && !document->is_unlisted &&
			    !document->is_orphan;
		}
		round.requests = n;
		return round;
	}
	round.requests = site->own_pages > site->orphan_pages
	    ? site->own_pages - site->orphan_pages
	    : 0;
	/* with sections nobody knows how many of the listed URLs are wanted */
	if (site->sections.count == 0 && site->listed > round.requests)
		round.requests = site->listed;
	return round;
}

void
site_leased(struct frontier *f, uint32_t number)
{
	const struct sched_site *site = site_at(f, number);
	struct scheduler_site is = site->is;

	if (!is.wants_listing)
		return;
	is.wants_listing = false;
	scheduler_set_site(f->scheduler, number, &is);
}
