/*
 * Synthetic worlds: sites whose pages change and whose dates lie in known
 * ways (scheduling.md, "Worlds").  The same options make the same
 * history; what changes does not depend on how it is dated.
 */
#ifndef FRESHET_WORLD_H
#define FRESHET_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/sim/history.h"
#include "sched/sim/sim.h"

/* Kinds of sites; the classes of the history, in this order. */
enum world_part {
	WORLD_NONE, /* no dates */
	WORLD_CORRECT,
	WORLD_DAY, /* correct, without a time */
	WORLD_NOW, /* the time of the reading */
	WORLD_DEPLOY, /* all together every deploy_days */
	WORLD_STALE, /* never */
	WORLD_PARTIAL, /* misses changes */
	WORLD_NOISY, /* misses changes and makes up others */
	WORLD_FAIR, /* likewise, but seldom */
	WORLD_RANDOM, /* any date, each day another */
	/* What turns at turn_days; never drawn. */
	WORLD_TURNS_STALE, /* from correct or day */
	WORLD_TURNS_NOW, /* from correct or day */
	WORLD_TURNS_GOOD, /* from now to correct */
	WORLD_PARTS
};

enum world_changes {
	WORLD_POISSON,
	WORLD_PERIODIC, /* gaps of one mean, give or take `jitter` */
	WORLD_BURSTY, /* `burst` of the gaps are short */
};

struct world_range {
	double low, high;
};

struct world_options {
	const char *name, *text; /* of the preset it comes from */
	double seed;
	double pages, sites, days;
	double requests; /* a day, for each page */
	double joint; /* 1: readings are asked for and paid; 0: free */
	double shares[WORLD_TURNS_STALE]; /* of sites, in proportion */
	struct world_range recall[WORLD_PARTS], precision[WORLD_PARTS];
	double changes; /* enum world_changes */
	double jitter; /* of periodic gaps: 0.2 */
	double burst, burst_speed; /* 0.8 of the gaps; 5 times the rate */
	double shared; /* share of changes that come to a site at once: 0 */
	double shock_days; /* mean time between two such: 14 */
	double rate; /* the median: 1/30 a day */
	double slowest, fastest; /* 0.002, 7 */
	double spread; /* sigma of the log of rates: 1.5 */
	double site_spread, page_spread; /* parts of it: 0.6, 0.8 */
	double size_spread; /* sigma of the log of pages a site: 1 */
	double weight_spread; /* sigma of the log of weights: 1 */
	double born, gone; /* shares of pages that come, and that go: 0 */
	double moved; /* share of pages that get another URL: 0 */
	double move_days, move_over; /* when; in so many days: 60, 0 */
	double move_stays; /* share of their old URLs that still answer: 0 */
	double move_site; /* 1: all of every other site goes to the next one */
	double move_stamps; /* 1: all other dates move then, too: 0 */
	double deploy_days; /* 7 */
	double failures; /* share of fetches without an answer: 0 */
	double reading_cost; /* in page fetches: 1 */
	double children; /* of an index, for each site; 0: no index */
	struct world_range index_recall, index_precision;
	double turn_days; /* 0: never */
	double turn_stale, turn_now, turn_good; /* shares: 0.2, 0.2, 0.3 */
};

/* world_make(history, options): init and fill it; sorted. */
void world_make(struct history *, const struct world_options *);

/* world_sim(options): how it is meant to be run. */
struct sim_options world_sim(const struct world_options *);

#endif
