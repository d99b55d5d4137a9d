/* Sites, as the watch list has them. */
#include "crawler/frontier/frontier_sites.h"

#include <stdlib.h>

#include "base/at_work.h"
#include "base/buf.h"
#include "base/civil.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "crawler/frontier/host_table.h"
#include "crawler/frontier/tag_table.h"
#include "crawler/frontier/url_parts.h"
#include "sched/scheduler_hosts.h"
#include "store/document_list.h"
#include "store/site.h"
#include "store/watch.h"

struct frontier_sites {
	const struct frontier_context *context;
	struct host_table *hosts;
	struct tag_table *tags;
	struct site_item *items; /* owned, and their strings */
	size_t count, cap;
	struct idmap by_id;
	uint64_t changes;
	struct number_list dirty, suspect;
};

struct frontier_sites *
frontier_sites_new(const struct frontier_context *context,
    struct host_table *hosts, struct tag_table *tags)
{
	struct frontier_sites *table = mem_zero(sizeof(*table));

	table->context = context;
	table->hosts = hosts;
	table->tags = tags;
	return table;
}

void
frontier_sites_free(struct frontier_sites *table)
{
	for (size_t i = 0; i < table->count; i++) {
		strings_release(&table->items[i].sections);
		strings_release(&table->items[i].tags);
	}
	free(table->items);
	idmap_release(&table->by_id);
	free(table->dirty.items);
	free(table->suspect.items);
	free(table);
}

uint32_t
site_by_id(const struct frontier_sites *table, int64_t id)
{
	return idmap_get(&table->by_id, id);
}

struct site_item *
site_at(const struct frontier_sites *table, uint32_t site)
{
	return &table->items[site];
}

uint32_t
site_count(const struct frontier_sites *table)
{
	return (uint32_t)table->count;
}

uint64_t
site_changes(const struct frontier_sites *table)
{
	return table->changes;
}

void
site_dirty(struct frontier_sites *table, uint32_t site)
{
	if (!table->items[site].is_dirty)
		number_list_add(&table->dirty, site);
	table->items[site].is_dirty = true;
}

struct number_list *
site_dirty_list(struct frontier_sites *table)
{
	return &table->dirty;
}

void
site_suspect(struct frontier_sites *table, uint32_t site)
{
	if (!table->items[site].is_suspect)
		number_list_add(&table->suspect, site);
	table->items[site].is_suspect = true;
}

struct number_list *
site_suspect_list(struct frontier_sites *table)
{
	return &table->suspect;
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

/* Take over the row of the watch list; NULL: the site has none. */
static void
site_set_watch(struct frontier_sites *table, struct site_item *site,
    const struct watch *watch)
{
	struct scheduler_site is = watch_schedule(watch);

	is.host = host_at(table->hosts, site->host)->number;
	is.wants_listing = site->is.wants_listing;
	copy(&site->tags, watch == NULL ? NULL : &watch->tags);
	is.tag = tag_mix(table->tags, &site->tags);
	site->is = is;
	site->is_late = false;
	site->is_watched = watch != NULL && watch->is_watched;
	site->is_removed = watch != NULL && !watch->is_watched;
	copy(&site->sections, watch == NULL ? NULL : &watch->sections);
	table->changes++;
	host_at(table->hosts, site->host)->per_hour = watch == NULL
	    ? 0
	    : watch->requests_per_hour;
}

uint32_t
site_put(struct frontier_sites *table, int64_t site_id, struct slice name,
    const struct watch *watch)
{
	struct site_item site = {.id = site_id,
	    .host = host_put(table->hosts, name),
	    .robots = NONE,
	    .is.wants_listing = true};
	struct host_item *host = host_at(table->hosts, site.host);

	if (host->number == NONE)
		host->number = scheduler_add_host(
		    table->context->scheduler, &(struct scheduler_host){0});
	site_set_watch(table, &site, watch);
	host_limit(table->hosts, site.host);
	site.number = scheduler_add_site(table->context->scheduler, &site.is);
	host_hold_again(table->hosts, site.host);
	/* A new site, which is suspect; the table takes over its strings. */
	uint32_t number = (uint32_t)table->count++;

	table->items = mem_grow(
	    table->items, &table->cap, table->count, sizeof(*table->items));
	table->items[number] = site;
	idmap_put(&table->by_id, site.id, number);
	site_suspect(table, number);
	return number;
}

uint32_t
site_find(struct frontier_sites *table, int64_t site_id)
{
	uint32_t number = site_by_id(table, site_id);
	struct watch watch;
	struct buf host;
	bool is_on_list;

	if (number != NONE)
		return number;
	buf_init(&host, HOST_MAX_BYTES);
	if (site_id <= 0 ||
	    !store_site_host(table->context->options.store, site_id, &host)) {
		buf_release(&host);
		return NONE;
	}
	is_on_list = store_watch_get(
	    table->context->options.store, site_id, &watch);
	number = site_put(
	    table, site_id, buf_text(&host), is_on_list ? &watch : NULL);
	if (is_on_list)
		watch_release(&watch);
	buf_release(&host);
	return number;
}

void
site_follow(struct frontier_sites *table, uint32_t number)
{
	struct site_item *site = site_at(table, number);
	struct watch watch;
	bool is_on_list = store_watch_get(
	    table->context->options.store, site->id, &watch);

	site_set_watch(table, site, is_on_list ? &watch : NULL);
	if (is_on_list)
		watch_release(&watch);
	host_limit(table->hosts, site->host);
	scheduler_set_tag(
	    table->context->scheduler, site->is.host, site->is.tag);
	scheduler_set_site(table->context->scheduler, site->number, &site->is);
}

void
site_at_work(const struct frontier_sites *table, uint32_t number)
{
	at_work_site(at_work_name(
	    slice_of(host_name(table->hosts, site_at(table, number)->host))));
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
site_rate(const struct frontier_sites *table, uint32_t number)
{
	const struct site_item *site = site_at(table, number);
	double rate = host_at(table->hosts, site->host)->rate;

	lower(&rate, table->context->options.requests_per_hour);
	for (size_t i = 0; i < tag_table_count(table->tags); i++)
		if (strings_has(&site->tags,
			slice_of(tag_table_at(table->tags, i)->name)))
			lower(&rate, tag_table_at(table->tags, i)->per_hour);
	return rate;
}

void
site_leased(struct frontier_sites *table, uint32_t number)
{
	struct site_item *site = site_at(table, number);

	if (!site->is.wants_listing)
		return;
	site->is.wants_listing = false;
	scheduler_set_site(table->context->scheduler, site->number, &site->is);
}
