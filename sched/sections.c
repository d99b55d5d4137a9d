/* Sections of sites: see sections.h. */
#include "sched/sections.h"

#include <assert.h>

#include "base/mem.h"
#include "sched/scheduler_internal.h"

#define DAY_S 86400
/* Each outcome is counted in all sections around it, and evaluations may go
 * through them once a day. */
#define DEPTH_MAX 16
/* The sections that a site can make the scheduler hold, 40 bytes each. */
#define SITE_MAX 4096
/* A site that lists a page that is gone means it to exist. */
#define RETURN_FACTOR 4

uint32_t
scheduler_add_section(struct scheduler *s, uint32_t site, uint32_t above)
{
	uint8_t depth = 0;

	assert(site < s->site_count);
	assert(above <= s->section_count);
	if (above != 0) {
		assert(s->sections[above - 1].site == site);
		depth = (uint8_t)(s->sections[above - 1].depth + 1);
	}
	if (depth >= DEPTH_MAX || s->sites[site].section_count >= SITE_MAX)
		return above;
	s->sites[site].section_count++;
	s->sections = mem_grow(s->sections, &s->section_cap,
	    s->section_count + 1, sizeof(*s->sections));
	s->sections[s->section_count] = (struct section){
	    .site = site, .above = above, .depth = depth, .day = INT64_MIN};
	return (uint32_t)++s->section_count;
}

double
section_mean(struct scheduler *s, uint32_t site, uint32_t number)
{
	struct sched_site *of = &s->sites[site];
	struct section *section;
	double above;
	int64_t day;

	if (number == 0) {
		/* each evaluation of a page asks */
		if (of->mean_s != s->now_s || !(of->mean > 0))
			of->mean = rate_mean(&of->rates, &s->page_rates);
		of->mean_s = s->now_s;
		return of->mean;
	}
	section = &s->sections[number - 1];
	day = s->now_s / DAY_S;
	if (section->day != day) {
		above = section_mean(s, site, section->above);
		section->mean = (float)rate_mean_in(&section->seen, above);
		section->day = day;
	}
	return (double)section->mean;
}

double
section_mean_gone(struct scheduler *s, uint32_t site)
{
	return rate_mean_in(
	    &s->sites[site].returns, RETURN_FACTOR * section_mean(s, site, 0));
}

void
section_learn(struct scheduler *s, uint32_t site, uint32_t number,
    const struct rate_prior *seen)
{
	rate_prior_add(&s->page_rates, seen->changes, seen->days);
	rate_prior_add(&s->sites[site].rates, seen->changes, seen->days);
	while (number != 0) {
		struct section *section = &s->sections[number - 1];

		rate_prior_add(&section->seen, seen->changes, seen->days);
		number = section->above;
	}
}
