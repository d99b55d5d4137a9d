/* Sites inside the scheduler, and their sections. */
#ifndef FRESHET_SITES_H
#define FRESHET_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"
#include "sched/budget.h"
#include "sched/queues.h"
#include "sched/rate.h"
#include "sched/scheduler.h"

struct hints;

/* Where a page waits: at the node of its site's pages, or at one of two below:
 * pages of which no change is known (quota.h), and pages no longer listed. */
enum page_place { PLACE_HOST, PLACE_SILENT, PLACE_UNLISTED, PAGE_PLACES };

/* Levels and the price of a site (limiter.h), computed once a tick. */
struct site_price {
	uint64_t levels; /* the scheduler's count then; 0: not computed */
	double value[PAGE_PLACES]; /* the level at each place */
	double price; /* 0: no budget binds */
};

struct sched_site {
	struct scheduler_site is; /* what the caller said */
	double mean; /* section_mean of the site at mean_s */
	int64_t mean_s;
	uint32_t nodes[NODE_KINDS]; /* where its items wait */
	/* nodes below that of its pages; SCHEDULER_NONE: not needed yet */
	uint32_t silent, unlisted;
	uint32_t quota; /* the limit of `silent`; SCHEDULER_NONE: none yet */
	double owed; /* of the quota at owed_s, as it was saved */
	int64_t owed_s; /* SCHEDULER_NEVER: nothing was saved */
	/* how many requests for unlisted pages may be made */
	float unlisted_credit;
	struct site_price price;
	uint32_t next_site; /* of the same host, or SCHEDULER_NONE */
	uint32_t first; /* of its documents, plus one; 0: none */
	uint32_t pages; /* how many were ever added */
	uint32_t documents; /* how many are read, counted once a day */
	uint32_t others; /* of its requests that are for no document */
	int64_t counted_s; /* when these counts are out of date */
	double wanted; /* readings a day of them all, likewise */
	struct budget readings; /* of the documents: quota_asked */
	double found; /* readings that found a change lately, at found_s */
	int64_t found_s;
	struct rate_prior rates; /* of its pages */
	struct rate_prior changes; /* of its documents */
	/* the longest time from the date in the name of a document to a change
	 * of that document */
	int64_t lively_s;
	struct rate_prior returns; /* of its pages that are gone, yet listed */
	/* owned; of its pages and documents; NULL: there never was one */
	struct hints *hints;
	uint32_t section_count;
	uint32_t failed; /* the last page that failed, plus one */
	uint8_t failures; /* of different pages in a row */
	uint8_t refusals; /* answers 401 and 403 in a row */
	/* The rest belongs to the owner of the scheduler, which reads and
	 * writes it, and frees it; of a new site it is zeroed. */
	bool is_watched, is_removed; /* from the watch list */
	bool is_dirty; /* something was learned of it and is not saved */
	bool is_late; /* options.late was called */
	/* it may have changed which of its documents are orphans:
	 * page_parents.h */
	bool is_suspect;
	/* a sitemap of the site was read.  Before that its documents are not
	 * loaded: the crawl of the whole site decides when they are read, and
	 * there may be very many such sites */
	bool is_found;
	uint32_t host; /* as the owner numbers hosts */
	int64_t id;
	uint32_t unlisted_document; /* of pages that none lists, plus one */
	uint32_t own_pages; /* of its documents now */
	uint32_t ready; /* its pages in ready queues */
	/* about how many of its pages have an orphan as their document */
	uint32_t orphan_pages;
	uint64_t listed; /* accepted entries of its documents without indexes */
	uint64_t refused; /* refused entries of the same documents */
	struct strings tags;
};

struct sched_sites {
	const struct sched_clock *clock; /* borrowed */
	struct sched_queues *queues; /* borrowed */
	struct sched_site *items; /* owned */
	size_t count, cap;
	/* how often levels changed; raise it, and all are computed anew (struct
	 * site_price) */
	uint64_t levels;
};

/* Level and price change all the time, so an item is due as soon as it is worth
 * this share of the level, or of the price. */
#define DUE_SHARE 0.98

/* site_price(sites, site): the levels and the price now; borrowed. */
const struct site_price *site_price(struct sched_sites *, uint32_t site);

/* Sections: folders of URLs.  The pages of a section change more alike than
 * those of a site (scheduling-formulas.md, "Rates"). */

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

/* sections_add(sections, site, above): Add a section of a site inside the
 * section `above`, or 0.  Returns its number, from 1.  When a site has too many
 * sections, or they are too deep, the number of `above` is returned: the two
 * count as one. */
uint32_t sections_add(struct sched_sections *, uint32_t site, uint32_t above);

/* section_mean(sections, site, section): the changes a day expected of a
 * page of which nothing is known; section 0: of the whole site.  SECTION_GONE:
 * how often a page of the site that is gone comes back in a day.  (T12) */
double section_mean(struct sched_sections *, uint32_t site, uint32_t section);
#define SECTION_GONE UINT32_MAX

/* section_learn(sections, site, section, seen): count what a fetch of one
 * of its pages showed. */
void section_learn(struct sched_sections *, uint32_t site, uint32_t section,
    const struct rate_prior *seen);

#endif
