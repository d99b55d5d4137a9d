/*
 * Synthetic worlds: sites whose pages change in known ways, and whose dates
 * are wrong in known ways (scheduling-formulas.md, "Worlds").  The same options
 * make the same history.  The changes of pages do not depend on how the pages
 * are dated.
 */
#ifndef FRESHET_WORLD_H
#define FRESHET_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/sim/history.h"
#include "tests/sim/sim.h"

/* Kinds of sites; the classes of the history, in this order. */
enum world_part {
	WORLD_NONE, /* no dates */
	WORLD_CORRECT,
	WORLD_DAY, /* correct, without a time */
	WORLD_NOW, /* the time of the reading */
	/* all dates move together every deploy_days */
	WORLD_DEPLOY,
	/* dates never move */
	WORLD_STALE,
	WORLD_PARTIAL, /* misses changes */
	/* dates miss changes, and move without one */
	WORLD_NOISY,
	/* as WORLD_NOISY, but more rarely */
	WORLD_FAIR,
	/* a random date each day */
	WORLD_RANDOM,
	/* Sites whose dates become others at turn_days.  These kinds are never
	 * drawn; turn_stale, turn_now and turn_good make them. */
	WORLD_TURNS_STALE, /* from correct or day */
	WORLD_TURNS_NOW, /* from correct or day */
	WORLD_TURNS_GOOD, /* from now to correct */
	WORLD_PARTS
};

enum world_changes {
	WORLD_POISSON,
	/* the gaps differ from their mean by `jitter` at most */
	WORLD_PERIODIC,
	/* a share `burst` of the gaps is short */
	WORLD_BURSTY,
};

struct world_range {
	double low, high;
};

struct world_options {
	/* of the preset from which the options come */
	const char *name, *text;
	double seed;
	double pages, sites, days;
	double requests; /* a day, for each page */
	/* 1: readings are asked for and paid from the budget; 0: they are
	 * free */
	double joint;
	double shares[WORLD_TURNS_STALE]; /* of sites, in proportion */
	struct world_range recall[WORLD_PARTS], precision[WORLD_PARTS];
	double changes; /* enum world_changes */
	double jitter; /* of periodic gaps: 0.2 */
	/* 0.8: the share of short gaps; 5: the factor of the rate in them */
	double burst, burst_speed;
	/* share of changes that come to many pages of a site at once: 0 */
	double shared;
	/* mean time between two such changes of a site: 14 */
	double shock_days;
	double rate; /* the median: 1/30 a day */
	double slowest, fastest; /* 0.002, 7 */
	double spread; /* sigma of the log of rates: 1.5 */
	double site_spread, page_spread; /* parts of it: 0.6, 0.8 */
	double size_spread; /* sigma of the log of pages a site: 1 */
	double weight_spread; /* sigma of the log of weights: 1 */
	double born, gone; /* shares of pages that come, and that go: 0 */
	double moved; /* share of pages that get another URL: 0 */
	/* when pages begin to move, and in how many days they do: 60, 0 */
	double move_days, move_over;
	/* share of the old URLs of moved pages that still answer: 0 */
	double move_stays;
	/* 1: all pages of every other site move to the next site: 0 */
	double move_site;
	/* 1: when pages move, all other pages of the site get a new date: 0 */
	double move_stamps;
	double deploy_days; /* 7 */
	double failures; /* share of fetches without an answer: 0 */
	double reading_cost; /* in page fetches: 1 */
	/* documents below the index of each site; 0: sites have no index */
	double children;
	struct world_range index_recall, index_precision;
	/* share of changes that are hinted: 0; hints a day of each page that
	 * tell of no change: 0 */
	double hints, false_hints;
	double turn_days; /* 0: never */
	/* shares of sites that turn: 0.2, 0.2, 0.3 */
	double turn_stale, turn_now, turn_good;
};

/* world_make(history, options): make a history, sorted, in uninitialised
 * memory. */
void world_make(struct history *, const struct world_options *);

/* world_sim(options): the options of a simulation that the world is made
 * for. */
struct sim_options world_sim(const struct world_options *);

#endif
