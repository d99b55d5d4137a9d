/* Levels and prices of sites: see sites.h. */
#include "sched/sites.h"

#include "sched/scheduler_internal.h"

const struct site_price *
site_price(struct scheduler *s, uint32_t number)
{
	struct sched_site *site = &s->sites[number];
	uint32_t nodes[PAGE_PLACES] = {
	    site->nodes[NODE_PAGES], site->silent, site->unlisted};

	if (site->price.levels == s->levels)
		return &site->price;
	site->price.levels = s->levels;
	for (int i = 0; i < PAGE_PLACES; i++)
		site->price.value[i] = limiter_level(s->limiter,
		    nodes[i] == SCHEDULER_NONE ? nodes[PLACE_HOST] : nodes[i]);
	site->price.price = limiter_price(
	    s->limiter, s->now_s * 1000, nodes[PLACE_HOST]);
	return &site->price;
}

void
site_levels_change(struct scheduler *s)
{
	s->levels++;
}
