/* Sites, hosts and tags of the scheduler, and where in the spacing their things
 * wait. */
#ifndef FRESHET_SCHEDULER_SITES_H
#define FRESHET_SCHEDULER_SITES_H

#include <stdint.h>

#include "sched/rate.h"
#include "sched/scheduler.h"

/* Kinds of things, which wait at one node or (asks_apart) at two. */
enum { NODE_PAGES, NODE_READINGS, NODE_KINDS };

struct site {
	struct scheduler_site is;
	double mean; /* what rates make at that time: section_mean */
	int64_t mean_s;
	uint32_t nodes[NODE_KINDS]; /* of spacing: where its things wait */
	uint32_t next_site; /* of its host, or SCHEDULER_NONE */
	uint32_t first; /* of its documents, plus one; 0: none */
	uint32_t documents; /* that are read, when they were counted */
	int64_t counted_s; /* until then that count holds */
	struct rate_prior rates; /* of its pages */
	struct rate_prior returns; /* of those that are gone, yet listed */
	uint32_t section_count;
	uint32_t failed; /* the last page that did, plus one */
	uint8_t failures; /* of different pages in a row */
};

/* The host at one tag: a node for each kind. */
struct host {
	uint32_t limit; /* of spacing */
	uint32_t tag; /* of nodes */
	uint32_t nodes[NODE_KINDS]; /* SCHEDULER_NONE: none yet */
	uint32_t address; /* or SCHEDULER_NONE */
	uint32_t first_site; /* or SCHEDULER_NONE */
};

struct tag {
	uint32_t limit; /* of spacing */
	uint32_t nodes[NODE_KINDS];
};

#endif
