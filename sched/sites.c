/* Sites inside the scheduler: see sites.h. */
#include "sched/sites.h"

#include <stdlib.h>

#include "base/mem.h"
#include "sched/limiter.h"

uint32_t
sites_add(struct sched_sites *sites, const struct scheduler_site *is)
{
	sites->items = mem_grow(
	    sites->items, &sites->cap, sites->count + 1, sizeof(*sites->items));
	sites->items[sites->count] = (struct sched_site){.is = *is,
	    .silent = SCHEDULER_NONE,
	    .unlisted = SCHEDULER_NONE,
	    .quota = SCHEDULER_NONE,
	    .owed_s = SCHEDULER_NEVER};
	return (uint32_t)sites->count++;
}

void
sites_release(struct sched_sites *sites)
{
	free(sites->items);
}

const struct site_price *
site_price(struct sched_sites *sites, uint32_t number)
{
	struct sched_site *site = &sites->items[number];
	uint32_t nodes[PAGE_PLACES] = {
	    site->nodes[NODE_PAGES], site->silent, site->unlisted};

	if (site->price.levels == sites->levels)
		return &site->price;
	site->price.levels = sites->levels;
	for (int i = 0; i < PAGE_PLACES; i++)
		site->price.value[i] = limiter_level(sites->queues->limiter,
		    nodes[i] == SCHEDULER_NONE ? nodes[PLACE_HOST] : nodes[i]);
	site->price.price = limiter_price(sites->queues->limiter,
	    sites->clock->now_s * 1000, nodes[PLACE_HOST]);
	return &site->price;
}

void
sites_change_levels(struct sched_sites *sites)
{
	sites->levels++;
}
