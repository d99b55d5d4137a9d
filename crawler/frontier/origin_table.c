/* Origins and their robots.txt. */
#include "crawler/frontier/origin_table.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/url.h"
#include "crawler/frontier/frontier_sites.h"
#include "crawler/frontier/host_table.h"
#include "crawler/frontier/url_parts.h"
#include "store/proof.h"
#include "store/robots_fallback.h"
#include "store/site.h"

struct origin_table {
	const struct frontier_context *context;
	struct host_table *hosts;
	struct frontier_sites *sites;
	struct page_table *pages;
	struct names names;
	struct origin_item *items; /* owned */
	size_t count, cap;
	/* what matching rules has cost: */
	uint64_t work; /* so far */
	uint64_t work_most; /* origin_judge_if_cheap() stops there */
};

struct origin_table *
origin_table_new(const struct frontier_context *context,
    struct host_table *hosts, struct frontier_sites *sites,
    struct page_table *pages)
{
	struct origin_table *table = mem_zero(sizeof(*table));

	table->context = context;
	table->hosts = hosts;
	table->sites = sites;
	table->pages = pages;
	names_init(&table->names, context->options.hash_key);
	return table;
}

void
origin_table_free(struct origin_table *table)
{
	names_release(&table->names);
	free(table->items);
	free(table);
}

uint32_t
origin_find(const struct origin_table *table, struct slice name)
{
	return names_find(&table->names, name);
}

struct origin_item *
origin_at(const struct origin_table *table, uint32_t origin)
{
	return &table->items[origin];
}

const char *
origin_name(const struct origin_table *table, uint32_t origin)
{
	return names_text(&table->names, origin);
}

uint32_t
origin_count(const struct origin_table *table)
{
	return (uint32_t)table->count;
}

/* A few seconds of matching rules with stars; then the origin is disallowed. */
#define ORIGIN_WORK UINT64_C(4000000000)

uint32_t
origin_put(struct origin_table *table, struct slice name, uint32_t site)
{
	uint32_t number = names_put(&table->names, name);
	uint32_t host;

	if (number < table->count)
		return number;
	table->items = mem_grow(table->items, &table->cap, (size_t)number + 1,
	    sizeof(*table->items));
	table->items[number] = (struct origin_item){0};
	table->count = (size_t)number + 1;
	host = host_put(table->hosts, url_parts(name).host);
	*origin_at(table, number) = (struct origin_item){.host = host,
	    .site = site,
	    .next = host_at(table->hosts, host)->origins};
	host_at(table->hosts, host)->origins = number + 1;
	return number;
}

/* The rules of the origin; they are parsed if that was not done yet. */
static const struct robots *
origin_rules(const struct origin_table *table, uint32_t number)
{
	return store_rules(table->context->options.store,
	    slice_of(origin_name(table, number)), slice_of(ROBOTS_PRODUCT),
	    table->items[number].repairs);
}

void
origin_know(struct origin_table *table, uint32_t number)
{
	const struct frontier_options *options = &table->context->options;
	struct origin_item *origin = origin_at(table, number);
	struct host_item *host = host_at(table->hosts, origin->host);
	int64_t now_s = table->context->now_s;
	const struct profile *profile;
	uint32_t was_ms = origin->crawl_delay_ms, most_ms = 0;
	struct robots_fact fact;
	struct buf body;

	if (origin->is_judged)
		return;
	profile = &options
		       ->rules(options->rules_arg,
			   slice_of(host_name(table->hosts, origin->host)))
		       ->profile;
	origin->is_judged = true;
	origin->has_rules = false;
	origin->repairs = profile->robots_repair == SWITCH_ON;
	origin->fallback = FRONTIER_ROBOTS_UNKNOWN;
	buf_init(&body, SIZE_MAX);
	if (store_robots_get(options->store,
		slice_of(origin_name(table, number)), &fact, &body)) {
		bool is_closed = robots_is_closed(options->store,
		    site_at(table->sites, origin->site)->id, profile, &fact,
		    now_s);

		origin->fallback = is_closed ? FRONTIER_ROBOTS_CLOSED
					     : FRONTIER_ROBOTS_ALLOW;
		origin->has_rules = !is_closed && fact.has_body &&
		    !robots_has_given_up(profile, &fact, now_s);
	}
	buf_release(&body);
	/* SPEC R-105: the largest Crawl-delay of its origins counts for the
	 * host. */
	origin->crawl_delay_ms = origin->has_rules
	    ? robots_delay_ms(origin_rules(table, number))
	    : 0;
	if (origin->crawl_delay_ms == was_ms)
		return;
	for (uint32_t i = host->origins; i != 0;
	     i = origin_at(table, i - 1)->next)
		if (origin_at(table, i - 1)->crawl_delay_ms > most_ms)
			most_ms = origin_at(table, i - 1)->crawl_delay_ms;
	host->crawl_delay_ms = most_ms;
	host_limit(table->hosts, origin->host);
}

enum frontier_robots
origin_judge(struct origin_table *table, uint32_t number, struct slice target,
    uint32_t *line)
{
	struct origin_item *origin = origin_at(table, number);
	struct robots_verdict verdict;

	if (line != NULL)
		*line = 0;
	origin_know(table, number);
	if (origin->fallback != FRONTIER_ROBOTS_ALLOW || !origin->has_rules)
		return (enum frontier_robots)origin->fallback;
	if (origin->work > ORIGIN_WORK)
		return FRONTIER_ROBOTS_REFUSE;
	verdict = robots_verdict(origin_rules(table, number), target);
	origin->work += verdict.work;
	table->work += verdict.work;
	if (line != NULL)
		*line = verdict.line;
	return verdict.is_allowed ? FRONTIER_ROBOTS_ALLOW
				  : FRONTIER_ROBOTS_REFUSE;
}

enum frontier_robots
origin_judge_if_cheap(
    struct origin_table *table, uint32_t number, struct slice target)
{
	const struct origin_item *origin = origin_at(table, number);

	if (origin->is_judged && origin->fallback == FRONTIER_ROBOTS_ALLOW &&
	    table->work >= table->work_most)
		return FRONTIER_ROBOTS_ALLOW;
	return origin_judge(table, number, target, NULL);
}

void
origin_changed(struct origin_table *table, uint32_t number)
{
	struct origin_item *origin = origin_at(table, number);
	bool was_judged = origin->is_judged || origin->crawl_delay_ms > 0;

	origin->is_judged = false;
	origin->work = 0;
	/* a new Crawl-delay holds from now on, not from the next page on */
	if (was_judged)
		(void)origin_judge(table, number, slice_of(""), NULL);
	host_limit(table->hosts, origin->host);
	while (origin->closed.first != 0) {
		uint32_t page = origin->closed.first - 1;

		page_list_remove(table->pages, &origin->closed, page);
		page_at(table->pages, page)->flags &= (uint8_t)~PAGE_CLOSED;
		page_return(table->pages, page);
	}
}

uint64_t
origins_work(const struct origin_table *table)
{
	return table->work;
}

void
origins_allow_work(struct origin_table *table, uint64_t work)
{
	table->work_most = table->work + work;
}
