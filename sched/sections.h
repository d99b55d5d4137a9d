/*
 * Sections of sites: folders of URLs.  Pages of one change alike, more than
 * those of a site do (docs/scheduling.md, "Rates").
 */
#ifndef FRESHET_SECTIONS_H
#define FRESHET_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/rate.h"

struct scheduler;

struct section {
	struct rate_prior seen; /* of its pages, those further down too */
	uint32_t site;
	uint32_t above; /* the section that it is in; 0: none */
	uint8_t depth; /* sections above it */
	float mean; /* of the day */
	int64_t day; /* since the Epoch */
};

/*
 * scheduler_add_section(scheduler, site, above):
 * A section of a site, in the section above, or in none: 0.  Returns its
 * number, from 1.  Where a site has very many, or one is very deep, the
 * number of the one above is returned: they are taken as one.
 */
uint32_t scheduler_add_section(
    struct scheduler *, uint32_t site, uint32_t above);

/* section_mean(scheduler, site, section): changes a day of one of its pages of
 * which nothing is known; of the site when section is 0.  (T12) */
double section_mean(struct scheduler *, uint32_t site, uint32_t section);

/* section_mean_gone(scheduler, site): the same of its pages that are gone: how
 * often they come back.  (T12) */
double section_mean_gone(struct scheduler *, uint32_t site);

/* section_learn(scheduler, site, section, seen): an outcome of one of its
 * pages told so much. */
void section_learn(struct scheduler *, uint32_t site, uint32_t section,
    const struct rate_prior *seen);

#endif
