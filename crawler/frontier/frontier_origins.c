/* Origins and their robots.txt: see frontier_origins.h. */
#include "crawler/frontier/frontier_origins.h"

#include "base/url.h"
#include "crawler/frontier/frontier_hosts.h"
#include "crawler/frontier/frontier_tables.h"
#include "crawler/frontier/url_parts.h"
#include "store/proof.h"
#include "store/robots_fallback.h"
#include "store/site.h"

/* When parsed robots.txt take so much memory all of them are dropped, and
 * parsed again when they are needed. */
#define ROBOTS_BYTES (32u << 20)
/* A few seconds of matching rules with stars; then the origin is disallowed. */
#define ORIGIN_WORK UINT64_C(4000000000)
#define DAY_S 86400 /* SPEC R-76: no host is left alone for longer */

uint32_t
origin_put(struct frontier *frontier, struct slice name, uint32_t site)
{
	bool is_new;
	uint32_t number = origin_add(frontier->origins, name, &is_new);
	uint32_t host;

	if (!is_new)
		return number;
	host = host_put(frontier, url_parts(name).host);
	*origin_at(frontier->origins, number) = (struct origin_item){
	    .host = host,
	    .site = site,
	    .next = host_at(frontier->hosts, host)->origins};
	host_at(frontier->hosts, host)->origins = number + 1;
	return number;
}

static void
drop_robots(struct frontier *frontier, struct origin_item *origin)
{
	frontier->robots.bytes -= robots_bytes(origin->robots);
	robots_free(origin->robots);
	origin->robots = NULL;
	origin->is_judged = false;
}

void
origin_hold(struct frontier *frontier, uint32_t number)
{
	uint32_t host = origin_at(frontier->origins, number)->host;
	int64_t until_s = store_parked_until(frontier->options.store,
	    slice_of(origin_name(frontier->origins, number)));
	int64_t latest_s = store_latest_s(frontier->options.store);

	/* Times of readings go on from the latest though the clock was put
	 * back; the hold lasts as long as it would have. */
	if (latest_s > frontier->now_s)
		until_s -= latest_s - frontier->now_s;
	if (until_s > frontier->now_s + DAY_S)
		until_s = frontier->now_s + DAY_S;
	if (until_s > frontier->now_s &&
	    until_s > host_at(frontier->hosts, host)->held_s[HELD_ALL])
		host_hold(frontier, host, HELD_ALL, until_s, "retry-after");
}

/* SPEC R-105: the largest Crawl-delay of its origins counts for the host. */
static void
follow_delay(struct frontier *frontier, struct origin_item *origin)
{
	struct host_item *host = host_at(frontier->hosts, origin->host);
	uint32_t was_ms = origin->crawl_delay_ms;
	uint32_t most_ms = 0;

	origin->crawl_delay_ms = origin->robots == NULL
	    ? 0
	    : robots_delay_ms(origin->robots);
	if (origin->crawl_delay_ms == was_ms)
		return;
	for (uint32_t i = host->origins; i != 0;
	     i = origin_at(frontier->origins, i - 1)->next)
		if (origin_at(frontier->origins, i - 1)->crawl_delay_ms >
		    most_ms)
			most_ms = origin_at(frontier->origins, i - 1)
				      ->crawl_delay_ms;
	host->crawl_delay_ms = most_ms;
	host_limit(frontier, origin->host);
}

/* Read and parse robots.txt, as the store has it. */
static void
load_robots(struct frontier *frontier, uint32_t number)
{
	struct origin_item *origin = origin_at(frontier->origins, number);
	struct slice name = slice_of(origin_name(frontier->origins, number));
	struct slice host = slice_of(host_name(frontier->hosts, origin->host));
	const struct profile *profile = &frontier->options
					     .rules(frontier->options.rules_arg,
						 host)
					     ->profile;
	struct robots_fact fact;
	struct buf body;

	buf_init(&body, SIZE_MAX);
	origin->is_judged = true;
	origin_hold(frontier, number);
	if (!store_robots_get(frontier->options.store, name, &fact, &body)) {
		origin->fallback = FRONTIER_ROBOTS_UNKNOWN;
		buf_release(&body);
		return;
	}
	origin->fallback = FRONTIER_ROBOTS_ALLOW;
	if (robots_is_closed(frontier->options.store,
		site_at(frontier->sites, origin->site)->id, profile, &fact,
		frontier->now_s))
		origin->fallback = FRONTIER_ROBOTS_CLOSED;
	else if (fact.has_body &&
	    !robots_has_given_up(profile, &fact, frontier->now_s))
		origin->robots = robots_parse(fact.body,
		    slice_of(frontier->options.agent), profile,
		    (struct diag_sink){0});
	buf_release(&body);
	if (origin->robots != NULL)
		robots_forget_sitemaps(origin->robots);
	frontier->robots.bytes += robots_bytes(origin->robots);
	follow_delay(frontier, origin);
}

static void
drop_all_robots(struct frontier *frontier)
{
	for (uint32_t i = 0; i < origin_count(frontier->origins); i++)
		drop_robots(frontier, origin_at(frontier->origins, i));
}

enum frontier_robots
origin_judge(struct frontier *frontier, uint32_t number, struct slice target,
    uint32_t *line)
{
	struct origin_item *origin = origin_at(frontier->origins, number);
	struct robots_verdict verdict;

	if (line != NULL)
		*line = 0;
	if (!origin->is_judged) {
		if (frontier->robots.bytes >= ROBOTS_BYTES)
			drop_all_robots(frontier);
		load_robots(frontier, number);
	}
	if (origin->fallback != FRONTIER_ROBOTS_ALLOW || origin->robots == NULL)
		return (enum frontier_robots)origin->fallback;
	if (origin->work > ORIGIN_WORK)
		return FRONTIER_ROBOTS_REFUSE;
	verdict = robots_verdict(origin->robots, target);
	origin->work += verdict.work;
	frontier->robots.work += verdict.work;
	if (line != NULL)
		*line = verdict.line;
	return verdict.is_allowed ? FRONTIER_ROBOTS_ALLOW
				  : FRONTIER_ROBOTS_REFUSE;
}

enum frontier_robots
origin_judge_if_cheap(
    struct frontier *frontier, uint32_t number, struct slice target)
{
	const struct origin_item *origin = origin_at(frontier->origins, number);

	if (origin->is_judged && origin->fallback == FRONTIER_ROBOTS_ALLOW &&
	    frontier->robots.work >= frontier->robots.work_most)
		return FRONTIER_ROBOTS_ALLOW;
	return origin_judge(frontier, number, target, NULL);
}

void
origin_changed(struct frontier *frontier, uint32_t number)
{
	struct origin_item *origin = origin_at(frontier->origins, number);
	bool was_judged = origin->is_judged || origin->crawl_delay_ms > 0;

	drop_robots(frontier, origin);
	origin->work = 0;
	/* a new Crawl-delay holds from now on, not from the next page on */
	if (was_judged)
		(void)origin_judge(frontier, number, slice_of(""), NULL);
	host_limit(frontier, origin->host);
	while (origin->closed.first != 0) {
		uint32_t page = origin->closed.first - 1;

		page_list_remove(frontier->pages, &origin->closed, page);
		page_at(frontier->pages, page)->flags &= (uint8_t)~PAGE_CLOSED;
		page_return(frontier, page);
	}
}
