/*
 * Sections: folders of URLs.  The pages of a section change more alike than
 * those of a site (scheduling-formulas.md, "Rates").
 */
#ifndef FRESHET_SECTIONS_H
#define FRESHET_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/clock.h"
#include "sched/rate.h"

struct sched_sites;

struct section {
	struct rate_prior seen; /* by its pages, in deeper sections too */
	uint32_t site;
	uint32_t above; /* the section around it; 0: none */
	uint8_t depth; /* sections above it */
	float mean; /* section_mean on that day */
	int64_t day; /* since the Epoch */
	/* These belong to the owner of the scheduler; zeroed at first. */
	int64_t key; /* in the store */
	bool is_dirty; /* something was learned of it and is not saved */
};

struct sched_sections {
	const struct sched_clock *clock; /* borrowed */
	struct sched_sites *sites; /* borrowed */
	struct section *items; /* owned; number 1 first */
	size_t count, cap;
	struct rate_prior rates; /* of the pages of all sites */
};

/*
 * sections_add(sections, site, above): Add a section of a site inside the
 * section `above`, or 0.  Returns its number, from 1.  When a site has too many
 * sections, or they are too deep, the number of `above` is returned: the two
 * count as one.
 */
uint32_t sections_add(struct sched_sections *, uint32_t site, uint32_t above);
void sections_release(struct sched_sections *);

/* section_mean(sections, site, section): the changes a day expected of a
 * page of which nothing is known; section 0: of the whole site.  (T12) */
double section_mean(struct sched_sections *, uint32_t site, uint32_t section);

/* section_mean_gone(sections, site): how often a page that is gone comes
 * back in a day.  (T12) */
double section_mean_gone(struct sched_sections *, uint32_t site);

/* section_learn(sections, site, section, seen): count what a fetch of one
 * of its pages showed. */
void section_learn(struct sched_sections *, uint32_t site, uint32_t section,
    const struct rate_prior *seen);

#endif
