/* Sites, hosts and tags inside the scheduler, and the nodes of the limiter
 * where their items wait. */
#ifndef FRESHET_SITES_H
#define FRESHET_SITES_H

#include <stdint.h>

#include "sched/rate.h"
#include "sched/scheduler.h"
#include "sched/scheduler_hosts.h"

/* The kinds of items; they wait at one node, or at two (asks_apart). */
enum { NODE_PAGES, NODE_READINGS, NODE_KINDS };

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
	uint32_t silent, unlisted; /* nodes below that of its pages;
				    * SCHEDULER_NONE: not needed yet */
	uint32_t quota; /* the limit of `silent`; SCHEDULER_NONE: none yet */
	double owed; /* of the quota at owed_s, as it was saved */
	int64_t owed_s; /* SCHEDULER_NEVER: nothing was saved */
	float unlisted_credit; /* requests for unlisted pages that may be made
				*/
	struct site_price price;
	uint32_t next_site; /* of the same host, or SCHEDULER_NONE */
	uint32_t first; /* of its documents, plus one; 0: none */
	uint32_t pages; /* all that were added */
	uint32_t documents; /* that are read, counted once a day */
	int64_t counted_s; /* when that count ends */
	struct rate_prior rates; /* of its pages */
	struct rate_prior returns; /* of its pages that are gone, yet listed */
	uint32_t section_count;
	uint32_t failed; /* the last page that failed, plus one */
	uint8_t failures; /* of different pages in a row */
	uint8_t refusals; /* answers 401 and 403 in a row */
};

struct sched_host {
	uint32_t limit; /* a number of the limiter */
	uint32_t tag; /* of the nodes */
	uint32_t nodes[NODE_KINDS]; /* SCHEDULER_NONE: no site yet */
	uint32_t address; /* or SCHEDULER_NONE */
	uint32_t first_site; /* or SCHEDULER_NONE */
};

struct sched_tag {
	uint32_t limit; /* a number of the limiter */
	uint32_t nodes[NODE_KINDS];
};

/* site_price(scheduler, site): the levels and the price now; borrowed.
 * site_levels_change(scheduler): compute them anew from now on. */
const struct site_price *site_price(struct scheduler *, uint32_t site);
void site_levels_change(struct scheduler *);

#endif
