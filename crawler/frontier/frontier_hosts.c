/* Hosts and origins of the frontier: see frontier_hosts.h. */
#include "crawler/frontier/frontier_hosts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/url.h"
#include "crawler/frontier/frontier_holds.h"
#include "crawler/frontier/frontier_parts.h"
#include "sched/host_queue.h"
#include "sched/scheduler_hosts.h"
#include "store/proof.h"
#include "store/robots_fallback.h"
#include "store/site.h"

/* Parsed robots.txt that are kept; then all are read again when needed. */
#define ROBOTS_BYTES (32u << 20)
/* Of rules with stars: a few seconds. */
#define ORIGIN_WORK UINT64_C(4000000000)
#define HOUR_MS 3600000.0
#define SECOND_MS 1000
#define DAY_S 86400 /* SPEC R-76: nobody is left alone for longer */

struct frontier_url
frontier_url(struct slice url)
{
	size_t at = 0, end, stop;

	while (at < url.len && url.p[at] != '/')
		at++;
	at = at + 2 < url.len ? at + 2 : url.len;
	for (end = at; end < url.len && url.p[end] != '/';)
		end++;
	stop = at;
	if (stop < end && url.p[stop] == '[')
		while (stop < end && url.p[stop] != ']')
			stop++;
	while (stop < end && url.p[stop] != ':')
		stop++;
	return (struct frontier_url){.origin = slice_make(url.p, end),
	    .host = slice_make(url.p + at, stop - at),
	    .target = slice_from(url, end)};
}

/* A host of this machine that was named as such: nobody is disturbed. */
static bool
is_local(struct slice host)
{
	return slice_is(host, "localhost") || slice_is(host, "[::1]") ||
	    slice_starts(host, slice_of("127."));
}

/* As a crawl has it. */
static int64_t
delay_of(const struct frontier *frontier, uint32_t number)
{
	struct slice name = slice_of(names_text(&frontier->host_names, number));
	const struct site_rules *rules = frontier->options.rules(
	    frontier->options.rules_arg, name);
	int64_t delay_ms = host_queue_options_default().delay_ms;

	if (rules->has_delay)
		delay_ms = rules->delay_ms;
	else if (is_local(name))
		delay_ms = 0;
	if (frontier->hosts[number].crawl_delay_ms > delay_ms)
		delay_ms = frontier->hosts[number].crawl_delay_ms;
	return delay_ms;
}

void
host_limit(struct frontier *frontier, uint32_t number)
{
	struct host_at *host = &frontier->hosts[number];
	double per_hour = host->per_hour;
	struct scheduler_host limit;
	bool is_budget = per_hour > 0;

	host->delay_ms = delay_of(frontier, number);
	if (host->delay_ms > 0 &&
	    (per_hour <= 0 || per_hour > HOUR_MS / (double)host->delay_ms)) {
		per_hour = HOUR_MS / (double)host->delay_ms;
		is_budget = false;
	}
	host->rate = per_hour;
	/* time is told by the second here; the pace keeps the delay */
	budget_change(&host->spacing, frontier->now_s * SECOND_MS, per_hour,
	    host->delay_ms + 2 * SECOND_MS);
	if (host->number == NONE)
		return;
	limit = (struct scheduler_host){.requests_per_hour = per_hour,
	    .burst_ms = frontier->options.burst_ms,
	    .is_budget = is_budget};
	scheduler_set_host(frontier->scheduler, host->number, &limit);
}

uint32_t
host_put(struct frontier *frontier, struct slice name)
{
	uint32_t number = names_put(&frontier->host_names, name);

	if (number < frontier->host_count)
		return number;
	frontier->hosts = mem_grow(frontier->hosts, &frontier->host_cap,
	    (size_t)number + 1, sizeof(*frontier->hosts));
	frontier->hosts[number] = (struct host_at){
	    .number = NONE, .held_s = {INT64_MIN, INT64_MIN}};
	frontier->host_count = (size_t)number + 1;
	budget_init(&frontier->hosts[number].spacing, 0, 0);
	host_limit(frontier, number);
	return number;
}

int64_t
host_ready_s(struct frontier *frontier, uint32_t number, bool is_spaced)
{
	struct host_at *host = &frontier->hosts[number];
	int64_t ready_s = frontier->now_s;

	if (host_held_s(frontier, number) > ready_s)
		ready_s = host_held_s(frontier, number);
	if (is_spaced || host->number == NONE) {
		int64_t free_ms = budget_ready_ms(
		    &host->spacing, frontier->now_s * SECOND_MS);

		free_ms = (free_ms + SECOND_MS - 1) / SECOND_MS;
		ready_s = free_ms > ready_s ? free_ms : ready_s;
	}
	return ready_s;
}

uint32_t
origin_put(struct frontier *frontier, struct slice origin, uint32_t site)
{
	uint32_t number = names_put(&frontier->origin_names, origin);
	uint32_t host;

	if (number < frontier->origin_count)
		return number;
	host = host_put(frontier, frontier_url(origin).host);
	frontier->origins = mem_grow(frontier->origins, &frontier->origin_cap,
	    (size_t)number + 1, sizeof(*frontier->origins));
	frontier->origins[number] = (struct origin_at){
	    .host = host, .site = site, .next = frontier->hosts[host].origins};
	frontier->hosts[host].origins = number + 1;
	frontier->origin_count = (size_t)number + 1;
	return number;
}

static void
forget(struct frontier *frontier, struct origin_at *origin)
{
	frontier->robots_bytes -= robots_bytes(origin->robots);
	robots_free(origin->robots);
	origin->robots = NULL;
	origin->is_judged = false;
}

static void
park(struct frontier *frontier, const struct origin_at *origin,
    struct slice text)
{
	int64_t until_s = store_parked_until(frontier->options.store, text);
	int64_t latest_s = store_latest_s(frontier->options.store);

	/* Times of readings go on from the latest, though the clock was put
	 * back: it wants to be left alone for as long as it would have. */
	if (latest_s > frontier->now_s)
		until_s -= latest_s - frontier->now_s;
	if (until_s > frontier->now_s + DAY_S)
		until_s = frontier->now_s + DAY_S;
	if (until_s > frontier->now_s &&
	    until_s > frontier->hosts[origin->host].held_s[HELD_ALL])
		host_hold(
		    frontier, origin->host, HELD_ALL, until_s, "retry-after");
}

void
origin_park(struct frontier *frontier, uint32_t number)
{
	park(frontier, &frontier->origins[number],
	    slice_of(names_text(&frontier->origin_names, number)));
}

/* follow_delay(frontier, origin): SPEC R-105: the largest of those that speak
 * for the host. */
static void
follow_delay(struct frontier *frontier, struct origin_at *origin)
{
	struct host_at *host = &frontier->hosts[origin->host];
	uint32_t was_ms = origin->crawl_delay_ms;
	uint32_t most_ms = 0;

	origin->crawl_delay_ms = origin->robots == NULL
	    ? 0
	    : robots_delay_ms(origin->robots);
	if (origin->crawl_delay_ms == was_ms)
		return;
	for (uint32_t i = host->origins; i != 0;
	     i = frontier->origins[i - 1].next)
		if (frontier->origins[i - 1].crawl_delay_ms > most_ms)
			most_ms = frontier->origins[i - 1].crawl_delay_ms;
	host->crawl_delay_ms = most_ms;
	host_limit(frontier, origin->host);
}

/* What its robots.txt says, as the store has it. */
static void
judge(struct frontier *frontier, struct origin_at *origin, struct slice text)
{
	const struct profile *profile = &frontier->options
					     .rules(frontier->options.rules_arg,
						 slice_of(names_text(
						     &frontier->host_names,
						     origin->host)))
					     ->profile;
	struct robots_fact fact;
	struct buf body;

	buf_init(&body, SIZE_MAX);
	origin->is_judged = true;
	park(frontier, origin, text);
	if (!store_robots_get(frontier->options.store, text, &fact, &body)) {
		origin->fallback = FRONTIER_ROBOTS_UNKNOWN;
		buf_release(&body);
		return;
	}
	origin->fallback = FRONTIER_ROBOTS_ALLOW;
	if (robots_is_closed(frontier->options.store,
		frontier->sites[origin->site].id, profile, &fact,
		frontier->now_s)) {
		origin->fallback = FRONTIER_ROBOTS_CLOSED;
	} else {
		if (fact.has_body &&
		    !robots_has_given_up(profile, &fact, frontier->now_s))
			origin->robots = robots_parse(fact.body,
			    slice_of(frontier->options.agent), profile,
			    (struct diag_sink){0});
	}
	buf_release(&body);
	if (origin->robots != NULL)
		robots_forget_sitemaps(origin->robots);
	frontier->robots_bytes += robots_bytes(origin->robots);
	follow_delay(frontier, origin);
}

enum frontier_robots
origin_judge(struct frontier *frontier, uint32_t number, struct slice target,
    uint32_t *line)
{
	struct origin_at *origin = &frontier->origins[number];
	struct robots_verdict verdict;

	if (line != NULL)
		*line = 0;
	if (!origin->is_judged) {
		if (frontier->robots_bytes >= ROBOTS_BYTES)
			for (size_t i = 0; i < frontier->origin_count; i++)
				forget(frontier, &frontier->origins[i]);
		judge(frontier, origin,
		    slice_of(names_text(&frontier->origin_names, number)));
	}
	if (origin->fallback != FRONTIER_ROBOTS_ALLOW || origin->robots == NULL)
		return (enum frontier_robots)origin->fallback;
	if (origin->work > ORIGIN_WORK)
		return FRONTIER_ROBOTS_REFUSE;
	verdict = robots_verdict(origin->robots, target);
	origin->work += verdict.work;
	frontier->work += verdict.work;
	if (line != NULL)
		*line = verdict.line;
	return verdict.is_allowed ? FRONTIER_ROBOTS_ALLOW
				  : FRONTIER_ROBOTS_REFUSE;
}

enum frontier_robots
origin_judge_if_cheap(
    struct frontier *frontier, uint32_t number, struct slice target)
{
	const struct origin_at *origin = &frontier->origins[number];

	if (origin->is_judged && origin->fallback == FRONTIER_ROBOTS_ALLOW &&
	    frontier->work >= frontier->work_most)
		return FRONTIER_ROBOTS_ALLOW;
	return origin_judge(frontier, number, target, NULL);
}

void
origin_changed(struct frontier *frontier, uint32_t number)
{
	struct origin_at *origin = &frontier->origins[number];
	uint32_t page;
	bool was_judged = origin->is_judged || origin->crawl_delay_ms > 0;

	forget(frontier, origin);
	origin->work = 0;
	/* the delay that it wants now holds from here on, and not from the next
	 * page on */
	if (was_judged)
		(void)origin_judge(frontier, number, slice_of(""), NULL);
	host_limit(frontier, origin->host);
	while ((page = origin->closed.first) != 0) {
		uint32_t number_of = page - 1;

		chain_take(frontier, &origin->closed, number_of);
		frontier->pages[number_of].flags &= (uint8_t)~PAGE_CLOSED;
		page_return(frontier, number_of);
	}
}

void
origins_release(struct frontier *frontier)
{
	for (size_t i = 0; i < frontier->origin_count; i++)
		robots_free(frontier->origins[i].robots);
	free(frontier->origins);
	free(frontier->hosts);
	ranking_release(&frontier->holds);
	names_release(&frontier->origin_names);
	names_release(&frontier->host_names);
}
