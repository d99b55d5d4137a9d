/* A choice among some sites only. */
#include "sched/scheduler_some.h"

#include "sched/limiter.h"
#include "sched/sites.h"

/* At most this many sites with a page are compared.  Looking at 10,000 sites
 * that have none takes less than a millisecond. */
#define SITES_COMPARED 64

bool
sites_best(
    struct sched_sites *sites, const struct scheduler_some *some, size_t *at)
{
	struct limiter_choice best;
	float value = 0;
	size_t found = 0;

	for (size_t i = 0; i < some->count && found < SITES_COMPARED; i++) {
		size_t site = (some->at + i) % some->count;

		if (!limiter_best(sites->queues->limiter,
			sites->clock->now_s * 1000,
			sites->items[some->sites[site]].nodes[NODE_PAGES],
			&best))
			continue;
		if (found++ > 0 && best.value <= value)
			continue;
		value = best.value;
		*at = site;
	}
	return found > 0;
}
