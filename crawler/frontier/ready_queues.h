/*
 * The ready queues: pages that the scheduler has chosen and that cannot be
 * leased at once, because their host or a consumer has to wait.  Each host has
 * a queue, and hosts with a queue take turns.
 */
#ifndef FRESHET_READY_QUEUES_H
#define FRESHET_READY_QUEUES_H

#include <stdint.h>

#include "sched/ranking.h"

struct frontier;

/* The hosts with a queue. */
struct ready_queues {
	struct ranking turns; /* owned; by turn */
	double turn; /* the last turn that was given */
};

/* ready_add(frontier, page, ready_s): put a page at the end of the queue of its
 * host, which may be asked at ready_s.  If enough pages wait there, or the host
 * waits, the host of the page's site is paused: the scheduler chooses none of
 * its pages for a while. */
void ready_add(struct frontier *, uint32_t page, int64_t ready_s);

/* ready_take(frontier, host): take the first page out of a queue that is not
 * empty. */
uint32_t ready_take(struct frontier *, uint32_t host);

/* ready_drop(frontier, page): take the page out of its ready queue, or from the
 * pages that wait for robots.txt or for their site. */
void ready_drop(struct frontier *, uint32_t page);

/* ready_return(frontier, page): if the page is in a ready queue, let the
 * scheduler choose it again: the page may not be eligible any more, or may be
 * due for another reason.  ready_return_site: all pages of a site. */
void ready_return(struct frontier *, uint32_t page);
void ready_return_site(struct frontier *, uint32_t site);

#endif
