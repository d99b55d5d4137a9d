/*
 * Sections: folders of URLs.  The pages of a section change more alike than
 * those of a site (scheduling.md, "Rates").
 */
#ifndef FRESHET_SECTIONS_H
#define FRESHET_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/rate.h"

struct scheduler;

struct section {
	struct rate_prior seen; /* by its pages, in deeper sections too */
	uint32_t site;
	uint32_t above; /* the section around it; 0: none */
	uint8_t depth; /* sections above it */
	float mean; /* section_mean on that day */
	int64_t day; /* since the Epoch */
};

/*
 * scheduler_add_section(scheduler, site, above): Add a section of a site
 * inside the section `above`, or 0.  Returns its number, from 1.  When a site
 * has too many sections, or they are too deep, the number of `above` is
 * returned: the two count as one.
 */
uint32_t scheduler_add_section(
    struct scheduler *, uint32_t site, uint32_t above);

/* section_mean(scheduler, site, section): the changes a day expected of a
 * page of which nothing is known; section 0: of the whole site.  (T12) */
double section_mean(struct scheduler *, uint32_t site, uint32_t section);

/* section_mean_gone(scheduler, site): how often a page that is gone comes
 * back in a day.  (T12) */
double section_mean_gone(struct scheduler *, uint32_t site);

/* section_learn(scheduler, site, section, seen): count what a fetch of one
 * of its pages showed. */
void section_learn(struct scheduler *, uint32_t site, uint32_t section,
    const struct rate_prior *seen);

#endif
