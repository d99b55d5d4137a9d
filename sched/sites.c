/* Sites and sections: see sites.h. */
#include "sched/sites.h"

#include <assert.h>

#include "base/civil.h"
#include "base/mem.h"
#include "sched/limiter.h"

/* Each outcome is counted in all sections around it, and evaluations may go
 * through them once a day. */
#define DEPTH_MAX 16
/* The sections that a site can make the scheduler hold, 40 bytes each. */
#define SITE_MAX 4096
/* A site that still lists a page that is gone wants the page to exist.  So
 * before anything is known, pages are expected to come back this many times as
 * often as pages of the site change. */
#define RETURN_FACTOR 4

const struct site_price *
site_price(struct sched_sites *sites, uint32_t number)
{
	struct sched_site *site = &sites->items[number];
	uint32_t nodes[PAGE_PLACES] = {
	    site->nodes[NODE_PAGES], site->silent, site->unlisted};
	double *value = site->price.value;

	if (site->price.levels == sites->levels)
		return &site->price;
	site->price.levels = sites->levels;
	for (int i = 0; i < PAGE_PLACES; i++)
		value[i] = nodes[i] == SCHEDULER_NONE
		    ? value[PLACE_HOST]
		    : limiter_level(sites->queues->limiter,
			  sites->clock->now_s * 1000, nodes[i],
			  i == PLACE_HOST ? &site->price.price : NULL);
	return &site->price;
}

uint32_t
sections_add(struct sched_sections *sections, uint32_t site, uint32_t above)
{
	uint8_t depth = 0;

	assert(site < sections->sites->count);
	assert(above <= sections->count);
	if (above != 0) {
		assert(sections->items[above - 1].site == site);
		depth = (uint8_t)(sections->items[above - 1].depth + 1);
	}
	if (depth >= DEPTH_MAX ||
	    sections->sites->items[site].section_count >= SITE_MAX)
		return above;
	sections->sites->items[site].section_count++;
	*MEM_PUSH(
	    sections->items, sections->count, sections->cap) = (struct section){
	    .site = site, .above = above, .depth = depth, .day = INT64_MIN};
	return (uint32_t)sections->count;
}

double
section_mean(struct sched_sections *sections, uint32_t site, uint32_t number)
{
	struct sched_site *of = &sections->sites->items[site];
	struct section *section;
	double above;
	int64_t day;

	if (number == SECTION_GONE) {
		above = RETURN_FACTOR * section_mean(sections, site, 0);
		return rate_mean_in(&of->returns, above);
	}
	if (number == 0) {
		/* each evaluation of a page asks for the mean, so it is kept */
		if (of->mean_s != sections->clock->now_s || !(of->mean > 0))
			of->mean = rate_mean(&of->rates, &sections->rates);
		of->mean_s = sections->clock->now_s;
		return of->mean;
	}
	section = &sections->items[number - 1];
	day = sections->clock->now_s / DAY_S;
	if (section->day != day) {
		above = section_mean(sections, site, section->above);
		section->mean = (float)rate_mean_in(&section->seen, above);
		section->day = day;
	}
	return (double)section->mean;
}

void
section_learn(struct sched_sections *sections, uint32_t site, uint32_t number,
    const struct rate_prior *seen)
{
	rate_prior_add(&sections->rates, seen->changes, seen->days);
	rate_prior_add(
	    &sections->sites->items[site].rates, seen->changes, seen->days);
	while (number != 0) {
		struct section *section = &sections->items[number - 1];

		rate_prior_add(&section->seen, seen->changes, seen->days);
		number = section->above;
	}
}
