/* What was asked for before: see frontier_charge.h. */
#include "crawler/frontier/frontier_charge.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/frontier/frontier_hosts.h"
#include "crawler/frontier/frontier_tags.h"
#include "sched/scheduler_hosts.h"

#define SECOND_MS 1000
#define HOUR_S 3600
#define LONGEST_S (7 * 86400)

/* A page of that host was asked for, before the frontier was loaded. */
struct ask_at {
	uint32_t host;
	uint32_t age_s;
};

/* window_s(per_hour): what is older has run out, if the budget was kept. */
static int64_t
window_s(double per_hour)
{
	if (!(per_hour > 0) || per_hour >= 1)
		return HOUR_S;
	return per_hour * LONGEST_S > HOUR_S ? (int64_t)(HOUR_S / per_hour)
					     : LONGEST_S;
}

void
host_asked(struct frontier *frontier, uint32_t number, int64_t at_s)
{
	struct host_at *host = &frontier->hosts[number];
	int64_t most_s = window_s(frontier->options.requests_per_hour);

	if (at_s > host->asked_s && at_s <= frontier->began_s)
		host->asked_s = at_s;
	if (most_s < window_s(host->rate))
		most_s = window_s(host->rate);
	if (at_s > frontier->began_s || at_s < frontier->began_s - most_s)
		return;
	host->was_asked = true;
	frontier->asks = mem_grow(frontier->asks, &frontier->ask_cap,
	    frontier->ask_count + 1, sizeof(*frontier->asks));
	frontier->asks[frontier->ask_count++] = (struct ask_at){
	    number, (uint32_t)(frontier->began_s - at_s)};
}

/* The oldest first. */
static int
by_age(const void *left, const void *right)
{
	uint32_t a = ((const struct ask_at *)left)->age_s;
	uint32_t b = ((const struct ask_at *)right)->age_s;

	return a > b ? -1 : a < b;
}

/* spend(frontier, all): each when it was, so that what came at the rate of a
 * budget has run out of it but for the last. */
static void
spend(struct frontier *frontier, struct budget *all)
{
	if (frontier->ask_count > 0)
		qsort(frontier->asks, frontier->ask_count,
		    sizeof(*frontier->asks), by_age);
	for (size_t i = 0; i < frontier->ask_count; i++) {
		const struct ask_at *ask = &frontier->asks[i];
		int64_t at_ms = (frontier->now_s - ask->age_s) * SECOND_MS;

		budget_spend(&frontier->hosts[ask->host].spacing, at_ms, 1);
		budget_spend(all, at_ms, 1);
	}
	free(frontier->asks);
	frontier->asks = NULL;
	frontier->ask_count = frontier->ask_cap = 0;
}

void
hosts_charge(struct frontier *frontier)
{
	int64_t now_ms = frontier->now_s * SECOND_MS;
	double charged = 0, left;
	struct budget all;

	/* the delays that they want, which limit them */
	for (size_t i = 0; i < frontier->origin_count; i++)
		if (frontier->hosts[frontier->origins[i].host].was_asked)
			(void)origin_judge(
			    frontier, (uint32_t)i, slice_of(""), NULL);
	budget_init(&all, frontier->options.requests_per_hour, 0);
	spend(frontier, &all);
	for (size_t i = 0; i < frontier->host_count; i++) {
		struct host_at *host = &frontier->hosts[i];

		if (!host->was_asked)
			continue;
		host->charged = budget_spent(&host->spacing, now_ms);
		/* its delay may have been shorter then */
		budget_fill(&host->spacing, now_ms, 0);
		if (host->number == NONE)
			host->charged = 0;
		if (host->charged <= 0)
			continue;
		scheduler_spend(frontier->scheduler, host->number,
		    frontier->now_s, host->charged);
		charged += host->charged;
	}
	charged += tags_charge(frontier);
	left = budget_spent(&all, now_ms) - charged;
	if (left > 0)
		scheduler_spend(
		    frontier->scheduler, SCHEDULER_NONE, frontier->now_s, left);
}
