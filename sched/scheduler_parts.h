/*
 * The tables that a scheduler is made of.
 *
 * Callers have only a scheduler, so scheduler.c and scheduler_*.c, which
 * implement the calls, see the whole struct.  All other modules of this folder
 * take the table that they work on; a table holds pointers to those below it:
 *
 *	pages > documents (sources) > sections > sites > queues > clock
 *	                               hosts > sites
 */
#ifndef FRESHET_SCHEDULER_PARTS_H
#define FRESHET_SCHEDULER_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/budget.h"
#include "sched/clock.h"
#include "sched/hosts.h"
#include "sched/pages.h"
#include "sched/queues.h"
#include "sched/scheduler.h"
#include "sched/sites.h"
#include "sched/sources.h"

struct scheduler {
	struct scheduler_options options;
	struct sched_clock clock;
	struct sched_queues queues;
	struct sched_hosts hosts;
	struct sched_sites sites;
	struct sched_sections sections;
	struct sched_sources sources;
	struct sched_pages pages;
	/* scheduler_load_back() */
	int64_t loaded_s, back_s;
	struct budget all, documents; /* for all requests, and for readings */
	double ceilings; /* requests that may be made for ceilings now */
	double page_bytes; /* mean size of a fetched page */
	int64_t tick; /* the latest tick; INT64_MIN: the clock has not begun */
	size_t asked; /* requests chosen in this tick */
	bool is_behind; /* some due items were not evaluated yet */
};

/* clock_set(scheduler, now_s): move the clock on to now_s; a time before the
 * present is ignored. */
void clock_set(struct scheduler *, int64_t now_s);

#endif
