/*
 * The tables that a scheduler is made of.
 *
 * scheduler.c and scheduler_*.c, which implement the calls, see the whole
 * struct, and so does the owner of the scheduler, who keeps facts of its own in
 * the rows (crawler/frontier).  All other modules of this folder take the table
 * that they work on; a table holds pointers to those below it:
 *
 *	pages > documents (sources) > sections > sites > queues > clock
 */
#ifndef FRESHET_SCHEDULER_PARTS_H
#define FRESHET_SCHEDULER_PARTS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/budget.h"
#include "sched/limiter.h"
#include "sched/pages.h"
#include "sched/queues.h"
#include "sched/scheduler.h"
#include "sched/sites.h"
#include "sched/sources.h"

/* Hosts and tags, and the nodes of the limiter where the items of their sites
 * wait.  From the root down, the limiter has: a node for
 * each kind of items, if clients ask for the kinds apart; tags; hosts.  The
 * items of all sites of one host and tag wait at one node. */
struct sched_host {
	uint32_t limit; /* a number of the limiter */
	uint32_t tag; /* of the nodes */
	uint32_t nodes[NODE_KINDS]; /* SCHEDULER_NONE: no site yet */
	uint32_t first_site; /* or SCHEDULER_NONE */
};

struct sched_tag {
	uint32_t limit; /* a number of the limiter */
	uint32_t nodes[NODE_KINDS];
};

struct sched_hosts {
	struct sched_host *items; /* owned, as all below */
	size_t count, cap;
	struct sched_tag *tags;
	size_t tag_count, tag_cap;
	uint32_t limit; /* the limiter's number of the limit of all requests */
	uint32_t kind_nodes[NODE_KINDS]; /* above all items of each kind */
};

struct scheduler {
	struct scheduler_options options;
	struct sched_clock clock;
	struct sched_queues queues;
	struct sched_hosts hosts;
	struct sched_sites sites;
	struct sched_sections sections;
	struct sched_sources sources;
	struct sched_pages pages;
	/* The records that are loaded were written before the clock was put
	 * back by back_s to loaded_s: the owner of the scheduler says so. Times
	 * in them that lie after loaded_s are put back as well. */
	int64_t loaded_s, back_s;
	struct budget all, documents; /* for all requests, and for readings */
	double ceilings; /* requests that may be made for ceilings now */
	double page_bytes; /* mean size of a fetched page */
	int64_t tick; /* the latest tick; INT64_MIN: the clock has not begun */
	size_t asked; /* requests chosen in this tick */
	bool is_behind; /* some due items were not evaluated yet */
};

/* sched_site_at(scheduler, number), sched_source_at(), sched_page_at(): the
 * site, the document or the page of a number that a caller gives. */
static inline struct sched_site *
sched_site_at(const struct scheduler *s, uint32_t number)
{
	assert(number < s->sites.count);
	return &s->sites.items[number];
}

static inline struct sched_source *
sched_source_at(const struct scheduler *s, uint32_t number)
{
	assert(number < s->sources.count);
	return &s->sources.items[number];
}

static inline struct sched_page *
sched_page_at(const struct scheduler *s, uint32_t number)
{
	assert(number < s->pages.count);
	return &s->pages.items[number];
}

/* clock_set(scheduler, now_s): move the clock on to now_s; a time before the
 * present is ignored. */
void clock_set(struct scheduler *, int64_t now_s);

#endif
