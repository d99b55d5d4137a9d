/*
 * Trust: whether the dates of a source, a document, can be believed
 * (scheduling-formulas.md, "Trust").  Plain numbers; zeroed: nothing is known.
 */
#ifndef FRESHET_TRUST_H
#define FRESHET_TRUST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/generator.h"
#include "base/slice.h"
#include "sched/rate.h"

#define TRUST_RECALLS 10
#define TRUST_PRECISIONS 11
#define TRUST_CELLS (TRUST_RECALLS * TRUST_PRECISIONS)
/* Steps of struct trust's `lean` in a factor of two. */
#define TRUST_LEAN 16
/* For up to so many moves of one page the probabilities are kept exactly. */
#define TRUST_MOVES 4

/* Do false moves of dates follow changes: do they come most to the pages that
 * change most, or to all pages alike (T15)?  Plain numbers; zeroed: nothing is
 * known. */
struct follow {
	double pages; /* that are listed */
	double moves, pairs; /* of all pages, and pairs of moves of one page */
};

/* follow_move(follow, before): count a move of a page that had moved `before`
 * times. */
void follow_move(struct follow *, unsigned before);

/* follow_share(follow): from 0, all pages move alike, to 1, pages move as often
 * as they change.  (T15) */
double follow_share(const struct follow *);

struct trust {
	/* How likely each pair of recall and precision is; the sum is 1. All
	 * 0: the prior. */
	float cells[TRUST_CELLS];
	/* Means over the cells. */
	float recall, recall_spread, precision;
	/* the probability that 1, 2, ... moves are all false */
	float all_false[TRUST_MOVES];
	/* moves that fetches confirmed or refuted; old ones fade */
	float moves;
	struct follow follow; /* whether false moves follow changes */
	/* mass moves that were right, and that were false */
	float mass_right, mass_false;
	/* the same of the latest mass move alone */
	float event_right, event_false;
	struct pace pace; /* of mass moves */
	float share; /* the share of the entries that moves in a reading */
	float readings; /* readings in `share`, which is a mean */
	/* expected changes at fetches that found a change without a move */
	float open;
	float publications; /* readings in which few entries moved */
	float silence; /* the probability that dates have stopped to announce */
	int64_t first_s,
	    published_s; /* the first reading, the last publication */
	/* old observations have faded up to this time; 0: never */
	int64_t aged_s;
	int64_t pooled_s; /* the last trust_pool_visit; 0: never */
	/* how its prior differs from trust_priors: set by trust_lean */
	int8_t lean[TRUST_CELLS];
	bool has_dates;
	bool is_gated; /* too many entries move, so moves are ignored */
};

/* Nothing is known. */
extern const struct trust trust_unknown;

/* The precisions of the columns, and the prior of each cell; the priors sum to
 * 1. */
extern const double trust_precisions[TRUST_PRECISIONS];
extern const double trust_priors[TRUST_CELLS];

/* The meaning of a move, after all that was learned.  (T1) */
struct trust_figures {
	double precision; /* the share of moves that are true */
	double recall; /* the share of changes that are announced */
	double spread; /* of recall: one standard deviation */
	double mass_precision; /* of the latest move of most of the source */
	/* the probability that 1, 2, ... TRUST_MOVES moves of one page are all
	 * false; borrowed from the trust */
	const float *all_false;
	bool is_believed; /* dates count, and more often true than not */
	/* moves are true so rarely that SPEC R-116 calls the source
	 * distrusted */
	bool is_distrusted;
};

/* One reading. */
struct trust_reading {
	uint32_t listed; /* entries that the reading before listed as well */
	uint32_t dated; /* entries with a date */
	uint32_t moved; /* dates that have changed */
	double changes; /* of all its pages in a day, estimated */
};

/* One fetch of a page. */
struct trust_outcome {
	double shape, days; /* the belief about the rate before the fetch */
	double tau; /* days since the fetch before */
	double moves, mass; /* of the date in these days */
	/* the probability that what others announced is true */
	double others_true;
	bool is_changed;
};

struct trust_figures trust_figures(const struct trust *);

/* trust_false_after(all_false, moves): the probability that all of so many
 * moves of a page are false, from those for 1, 2, ... TRUST_MOVES moves. */
double trust_false_after(const float *all_false, double moves);

/* trust_reading(trust, reading, now_s): learn from a reading; open or close
 * the gate (T2), and notice silence (T9).  Returns true when most of the
 * source moved; the move then counts as a mass move of each page. */
bool trust_reading(struct trust *, const struct trust_reading *, int64_t now_s);

/* trust_outcome(trust, outcome, now_s): let old observations fade, and learn
 * from a fetch.  (T5), (T6), (T7) */
void trust_outcome(struct trust *, const struct trust_outcome *, int64_t now_s);

/* What is learned besides readings and fetches. */
enum trust_clue {
	/* A fetch found a change that no move had announced.  The next reading
	 * announced it late; or it did not. */
	CLUE_LATE,
	CLUE_SILENT,
	CLUE_IMPOSSIBLE /* a date moved back, or into the future */
};

/* trust_clue(trust, clue, now_s): learn from it. */
void trust_clue(struct trust *, enum trust_clue, int64_t now_s);

/* trust_lean(trust, lean): multiply the prior by 2^(lean / TRUST_LEAN) from
 * now on, and for all that was learned.  (T14) */
void trust_lean(struct trust *, const int8_t *lean);

/* trust_is_deaf(trust): the dates are ignored: there are none, or the gate
 * is closed. */
bool trust_is_deaf(const struct trust *);

/* trust_load(trust, bytes): restore a struct trust from a store.  Returns
 * false, and writes nothing, when the bytes cannot come from this module. */
bool trust_load(struct trust *, struct slice bytes);

/* What sources of one kind have in common: where trust in a new one begins
 * (scheduling-formulas.md, "Trust").  Plain numbers; zeroed: nothing is known.
 */
struct trust_pool {
	/* How many sources are believed to have each pair of recall and
	 * precision. */
	float cells[TRUST_CELLS];
	/* How the prior leans because of the cells: see trust_lean. */
	int8_t lean[TRUST_CELLS];
};

/* trust_pool_visit(pool, trust, generator, sources, now_s): let one of
 * `sources` sources learn from the others, and let the others learn from it;
 * and let its prior be what the dates of its generator are known for (T16);
 * NULL: for nothing.  Call this function now and then, at best once a day.
 * (T14) */
void trust_pool_visit(struct trust_pool *, struct trust *,
    const struct generator *, double sources, int64_t now_s);

/* trust_pool_load(pool, bytes): restore the pool, as trust_load() does a struct
 * trust. */
bool trust_pool_load(struct trust_pool *, struct slice bytes);

#endif
