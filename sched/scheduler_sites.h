/* Sites, hosts and tags of the scheduler, and where in the rate limiter their
 * things wait. */
#ifndef FRESHET_SCHEDULER_SITES_H
#define FRESHET_SCHEDULER_SITES_H

#include <stdint.h>

#include "sched/rate.h"
#include "sched/scheduler.h"

/* Kinds of things, which wait at one node or (asks_apart) at two. */
enum { NODE_PAGES, NODE_READINGS, NODE_KINDS };

/* Where a page waits: at the node of the pages of its site, or at one below. */
enum page_place { PLACE_HOST, PLACE_SILENT, PLACE_UNLISTED, PAGE_PLACES };

/* What the limits of a site ask for (limiter_level.h). */
struct site_price {
	uint64_t levels; /* of the scheduler; 0: never worked out */
	double value[PAGE_PLACES]; /* levels, by where pages wait */
	double price; /* 0: no budget binds */
};

struct site {
	struct scheduler_site is;
	double mean; /* what rates make at that time: section_mean */
	int64_t mean_s;
	uint32_t nodes[NODE_KINDS]; /* of rate limiter: where its things wait */
	/* Below that of its pages, SCHEDULER_NONE: none waited there yet: those
	 * that nothing is known to have happened to (courtesy.h), and those
	 * that are listed no more (scheduler_unlisted.h). */
	uint32_t silent, unlisted;
	uint32_t quota; /* the limit of silent; SCHEDULER_NONE: none */
	double owed; /* of it, at owed_s, as it was kept */
	int64_t owed_s; /* SCHEDULER_NEVER: never */
	float unlisted_credit; /* requests that may be for these */
	struct site_price price;
	uint32_t next_site; /* of its host, or SCHEDULER_NONE */
	uint32_t first; /* of its documents, plus one; 0: none */
	uint32_t pages; /* that are not retired */
	uint32_t documents; /* that are read, when they were counted */
	int64_t counted_s; /* until then that count holds */
	struct rate_prior rates; /* of its pages */
	struct rate_prior returns; /* of those that are gone, yet listed */
	uint32_t section_count;
	uint32_t failed; /* the last page that did, plus one */
	uint8_t failures; /* of different pages in a row */
	uint8_t refusals; /* of answers in a row, 401 or 403 */
};

/* The host at one tag: a node for each kind. */
struct host {
	uint32_t limit; /* of rate limiter */
	uint32_t tag; /* of nodes */
	uint32_t nodes[NODE_KINDS]; /* SCHEDULER_NONE: none yet */
	uint32_t address; /* or SCHEDULER_NONE */
	uint32_t first_site; /* or SCHEDULER_NONE */
};

struct tag {
	uint32_t limit; /* of rate limiter */
	uint32_t nodes[NODE_KINDS];
};

#endif
