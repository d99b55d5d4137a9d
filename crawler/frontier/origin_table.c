/* Origins and their robots.txt. */
#include "crawler/frontier/origin_table.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/url.h"
#include "crawler/frontier/frontier_tables.h"
#include "crawler/frontier/url_parts.h"
#include "store/proof.h"
#include "store/robots_fallback.h"
#include "store/site.h"

/* A few seconds of matching rules with stars; then the origin is disallowed. */
#define ORIGIN_WORK UINT64_C(4000000000)

uint32_t
origin_put(struct frontier *f, struct slice name, uint32_t site)
{
	uint32_t number = names_put(&f->origins.names, name);
	uint32_t host;

	if (number < f->origins.count)
		return number;
	f->origins.items = mem_grow(f->origins.items, &f->origins.cap,
	    (size_t)number + 1, sizeof(*f->origins.items));
	f->origins.items[number] = (struct origin_item){0};
	f->origins.count = (size_t)number + 1;
	host = host_put(f->hosts, url_parts(name).host);
	*origin_at(f, number) = (struct origin_item){.host = host,
	    .site = site,
	    .next = host_at(f->hosts, host)->origins};
	host_at(f->hosts, host)->origins = number + 1;
	return number;
}

/* The rules of the origin; they are parsed if that was not done yet. */
static const struct robots *
origin_rules(const struct frontier *f, uint32_t number)
{
	return store_rules(f->store, slice_of(origin_name(f, number)),
	    slice_of(ROBOTS_PRODUCT), f->origins.items[number].repairs);
}

void
origin_know(struct frontier *f, uint32_t number)
{
	const struct frontier_options *options = &f->context.options;
	struct origin_item *origin = origin_at(f, number);
	struct host_item *host = host_at(f->hosts, origin->host);
	int64_t now_s = f->context.now_s;
	const struct profile *profile;
	uint32_t was_ms = origin->crawl_delay_ms, most_ms = 0;
	struct robots_fact fact;
	struct buf body;

	if (origin->is_judged)
		return;
	profile = &options
		       ->rules(options->rules_arg,
			   slice_of(host_name(f->hosts, origin->host)))
		       ->profile;
	origin->is_judged = true;
	origin->has_rules = false;
	origin->repairs = profile->robots_repair == SWITCH_ON;
	origin->fallback = FRONTIER_ROBOTS_UNKNOWN;
	buf_init(&body, SIZE_MAX);
	if (store_robots_get(
		f->store, slice_of(origin_name(f, number)), &fact, &body)) {
		bool is_closed = robots_is_closed(f->store,
		    site_at(f, origin->site)->id, profile, &fact, now_s);

		origin->fallback = is_closed ? FRONTIER_ROBOTS_CLOSED
					     : FRONTIER_ROBOTS_ALLOW;
		origin->has_rules = !is_closed && fact.has_body &&
		    !robots_has_given_up(profile, &fact, now_s);
	}
	buf_release(&body);
	/* SPEC R-105: the largest Crawl-delay of its origins counts for the
	 * host. */
	origin->crawl_delay_ms = origin->has_rules
	    ? robots_delay_ms(origin_rules(f, number))
	    : 0;
	if (origin->crawl_delay_ms == was_ms)
		return;
	for (uint32_t i = host->origins; i != 0; i = origin_at(f, i - 1)->next)
		if (origin_at(f, i - 1)->crawl_delay_ms > most_ms)
			most_ms = origin_at(f, i - 1)->crawl_delay_ms;
	host->crawl_delay_ms = most_ms;
	host_limit(f->hosts, origin->host);
}

enum frontier_robots
origin_judge(
    struct frontier *f, uint32_t number, struct slice target, uint32_t *line)
{
	struct origin_item *origin = origin_at(f, number);
	struct robots_verdict verdict;

	if (line != NULL)
		*line = 0;
	origin_know(f, number);
	if (origin->fallback != FRONTIER_ROBOTS_ALLOW || !origin->has_rules)
		return (enum frontier_robots)origin->fallback;
	if (origin->work > ORIGIN_WORK)
		return FRONTIER_ROBOTS_REFUSE;
	verdict = robots_verdict(origin_rules(f, number), target);
	origin->work += verdict.work;
	f->origins.work += verdict.work;
	if (line != NULL)
		*line = verdict.line;
	return verdict.is_allowed ? FRONTIER_ROBOTS_ALLOW
				  : FRONTIER_ROBOTS_REFUSE;
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
		(void)origin_judge(f, number, slice_of(""), NULL);
	host_limit(f->hosts, origin->host);
	while (origin->closed.first != 0) {
		uint32_t page = origin->closed.first - 1;

		page_list_remove(f, &origin->closed, page);
		page_at(f, page)->owner_flags &= (uint8_t)~PAGE_CLOSED;
		page_return(f, page);
	}
}
