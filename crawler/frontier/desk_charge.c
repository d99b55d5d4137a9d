/* What was asked for before: see desk_charge.h. */
#include "crawler/frontier/desk_charge.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/frontier/desk_hosts.h"
#include "crawler/frontier/desk_tags.h"
#include "sched/scheduler_hosts.h"

#define SECOND_MS 1000
#define HOUR_S 3600
#define LONGEST_S (7 * 86400)

/* A page of that host was asked for, before the desk was loaded. */
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
host_asked(struct desk *desk, uint32_t number, int64_t at_s)
{
	struct host_at *host = &desk->hosts[number];
	int64_t most_s = window_s(desk->options.requests_per_hour);

	if (at_s > host->asked_s && at_s <= desk->began_s)
		host->asked_s = at_s;
	if (most_s < window_s(host->rate))
		most_s = window_s(host->rate);
	if (at_s > desk->began_s || at_s < desk->began_s - most_s)
		return;
	host->was_asked = true;
	desk->asks = mem_grow(desk->asks, &desk->ask_cap, desk->ask_count + 1,
	    sizeof(*desk->asks));
	desk->asks[desk->ask_count++] = (struct ask_at){
	    number, (uint32_t)(desk->began_s - at_s)};
}

/* The oldest first. */
static int
by_age(const void *left, const void *right)
{
	uint32_t a = ((const struct ask_at *)left)->age_s;
	uint32_t b = ((const struct ask_at *)right)->age_s;

	return a > b ? -1 : a < b;
}

/* spend(desk, all): each when it was, so that what came at the rate of a budget
 * has run out of it but for the last. */
static void
spend(struct desk *desk, struct budget *all)
{
	if (desk->ask_count > 0)
		qsort(desk->asks, desk->ask_count, sizeof(*desk->asks), by_age);
	for (size_t i = 0; i < desk->ask_count; i++) {
		const struct ask_at *ask = &desk->asks[i];
		int64_t at_ms = (desk->now_s - ask->age_s) * SECOND_MS;

		budget_spend(&desk->hosts[ask->host].spacing, at_ms, 1);
		budget_spend(all, at_ms, 1);
	}
	free(desk->asks);
	desk->asks = NULL;
	desk->ask_count = desk->ask_cap = 0;
}

void
hosts_charge(struct desk *desk)
{
	int64_t now_ms = desk->now_s * SECOND_MS;
	double charged = 0, left;
	struct budget all;

	/* the delays that they want, which limit them */
	for (size_t i = 0; i < desk->origin_count; i++)
		if (desk->hosts[desk->origins[i].host].was_asked)
			(void)origin_judge(
			    desk, (uint32_t)i, slice_of(""), NULL);
	budget_init(&all, desk->options.requests_per_hour, 0);
	spend(desk, &all);
	for (size_t i = 0; i < desk->host_count; i++) {
		struct host_at *host = &desk->hosts[i];

		if (!host->was_asked)
			continue;
		host->charged = budget_spent(&host->spacing, now_ms);
		/* its delay may have been shorter then */
		budget_fill(&host->spacing, now_ms, 0);
		if (host->number == NONE)
			host->charged = 0;
		if (host->charged <= 0)
			continue;
		scheduler_spend(
		    desk->scheduler, host->number, desk->now_s, host->charged);
		charged += host->charged;
	}
	charged += tags_charge(desk);
	left = budget_spent(&all, now_ms) - charged;
	if (left > 0)
		scheduler_spend(
		    desk->scheduler, SCHEDULER_NONE, desk->now_s, left);
}
