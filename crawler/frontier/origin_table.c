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
	size_t bytes; /* of all parsed robots.txt */
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
	for (size_t i = 0; i < table->count; i++)
		robots_free(table->items[i].robots);
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

/* When parsed robots.txt take so much memory all of them are dropped, and
 * parsed again when they are needed. */
#define ROBOTS_BYTES (32u << 20)
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

static void
drop_robots(struct origin_table *table, struct origin_item *origin)
{
	table->bytes -= robots_bytes(origin->robots);
	robots_free(origin->robots);
	origin->robots = NULL;
	origin->is_judged = false;
}

/* SPEC R-105: the largest Crawl-delay of its origins counts for the host. */
static void
follow_delay(struct origin_table *table, struct origin_item *origin)
{
	struct host_item *host = host_at(table->hosts, origin->host);
	uint32_t was_ms = origin->crawl_delay_ms;
	uint32_t most_ms = 0;

	origin->crawl_delay_ms = origin->robots == NULL
	    ? 0
	    : robots_delay_ms(origin->robots);
	if (origin->crawl_delay_ms == was_ms)
		return;
	for (uint32_t i = host->origins; i != 0;
	     i = origin_at(table, i - 1)->next)
		if (origin_at(table, i - 1)->crawl_delay_ms > most_ms)
			most_ms = origin_at(table, i - 1)->crawl_delay_ms;
	host->crawl_delay_ms = most_ms;
	host_limit(table->hosts, origin->host);
}

void
origin_know(struct origin_table *table, uint32_t number)
{
	if (origin_at(table, number)->is_judged)
		return;
	if (table->bytes >= ROBOTS_BYTES) {
		for (uint32_t i = 0; i < origin_count(table); i++)
			drop_robots(table, origin_at(table, i));
	}
	/* Read and parse robots.txt, as the store has it. */
	struct origin_item *origin = origin_at(table, number);
	struct slice name = slice_of(origin_name(table, number));
	struct slice host = slice_of(host_name(table->hosts, origin->host));
	const struct profile
	    *profile = &table->context->options
			    .rules(table->context->options.rules_arg, host)
			    ->profile;
	struct robots_fact fact;
	struct buf body;

	buf_init(&body, SIZE_MAX);
	origin->is_judged = true;
	if (!store_robots_get(
		table->context->options.store, name, &fact, &body)) {
		origin->fallback = FRONTIER_ROBOTS_UNKNOWN;
		buf_release(&body);
		return;
	}
	origin->fallback = FRONTIER_ROBOTS_ALLOW;
	if (robots_is_closed(table->context->options.store,
		site_at(table->sites, origin->site)->id, profile, &fact,
		table->context->now_s))
		origin->fallback = FRONTIER_ROBOTS_CLOSED;
	else if (fact.has_body &&
	    !robots_has_given_up(profile, &fact, table->context->now_s))
		origin->robots = robots_parse(fact.body,
		    slice_of(table->context->options.agent), profile,
		    (struct diag_sink){0});
	buf_release(&body);
	if (origin->robots != NULL)
		robots_forget_sitemaps(origin->robots);
	table->bytes += robots_bytes(origin->robots);
	follow_delay(table, origin);
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
	if (origin->fallback != FRONTIER_ROBOTS_ALLOW || origin->robots == NULL)
		return (enum frontier_robots)origin->fallback;
	if (origin->work > ORIGIN_WORK)
		return FRONTIER_ROBOTS_REFUSE;
	verdict = robots_verdict(origin->robots, target);
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

	drop_robots(table, origin);
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
