/*
 * Whether the dates of a source - a document - can be believed
 * (docs/scheduling.md, "Trust").  Plain numbers: zeroed is "nothing is
 * known".
 */
#ifndef FRESHET_TRUST_H
#define FRESHET_TRUST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "sched/follow.h"
#include "sched/pace.h"

#define TRUST_RECALLS 10
#define TRUST_PRECISIONS 11
#define TRUST_CELLS (TRUST_RECALLS * TRUST_PRECISIONS)
/* Leanings are in sixteenths of a factor of two. */
#define TRUST_LEAN 16
/* Moves of one page for which exact numbers are kept. */
#define TRUST_MOVES 4

struct trust {
	/* How likely each recall is with each precision; their sum is 1.  All
	 * 0: as before anything was seen. */
	float cells[TRUST_CELLS];
	/* Means over the cells. */
	float recall, recall_spread, precision;
	float all_false[TRUST_MOVES]; /* that 1, 2, ... moves all are */
	float moves; /* of pages, that outcomes told about; forgotten slowly */
	struct follow follow; /* how its moves come to pages */
	float mass_right, mass_false; /* of moves of most of the source */
	float event_right, event_false; /* of the latest of these alone */
	struct pace pace; /* of these */
	float share; /* of its entries, that move in a reading */
	float readings; /* that share is the mean of */
	float open; /* changes expected where one was found without a move */
	float publications; /* readings in which few moved */
	float silence; /* probability that it has stopped to tell */
	int64_t first_s, published_s; /* the first reading, the last of these */
	int64_t aged_s; /* forgotten until then; 0: never */
	int64_t pooled_s; /* trust_pool_visit; 0: never */
	int8_t lean[TRUST_CELLS]; /* of its prior: trust_lean */
	bool has_dates;
	bool is_gated; /* too many move: its moves count for nothing */
};

/* The precisions of the columns, and the prior of each cell; the priors sum to
 * 1. */
extern const double trust_precisions[TRUST_PRECISIONS];
extern const double trust_priors[TRUST_CELLS];

/* What a move is worth, believing all that is known.  (T1) */
struct trust_figures {
	double precision; /* of moves: how many are true */
	double recall; /* of changes: how many are told */
	double spread; /* of recall: one standard deviation */
	double mass_precision; /* of the latest move of most of it */
};

/* One reading. */
struct trust_reading {
	uint32_t listed; /* entries that the reading before listed too */
	uint32_t dated; /* entries with a date */
	uint32_t moved; /* dates that are others now */
	double changes; /* of all its pages, a day, as far as can be guessed */
};

/* One fetch of a page. */
struct trust_outcome {
	double shape, days; /* belief in its rate, before it was known */
	double tau; /* days since then */
	double moves, mass; /* of its date in these days */
	bool is_changed;
};

struct trust_figures trust_figures(const struct trust *);

/* trust_all_false(trust, moves): the probability that none of a page's moves
 * was true. */
double trust_all_false(const struct trust *, double moves);

/* trust_false_after(all_false, moves): the same where it is known of 1, 2, ...
 * TRUST_MOVES moves. */
double trust_false_after(const float *all_false, double moves);

/*
 * trust_reading(trust, reading, now_s): true: most of the source moved, which
 * counts as mass for each page.  Opens and closes the gate (T2), and notices
 * silence (T9).
 */
bool trust_reading(struct trust *, const struct trust_reading *, int64_t now_s);

/* trust_outcome(trust, outcome, now_s): forget what is old, weigh what a fetch
 * said.  (T5), (T6), (T7) */
void trust_outcome(struct trust *, const struct trust_outcome *, int64_t now_s);

/* trust_retro(trust, is_told, now_s): a change was found that no move had
 * announced; the next reading did, or did not. */
void trust_retro(struct trust *, bool is_told, int64_t now_s);

/* trust_lean(trust, lean): from now on, and for all it has seen, its prior is
 * the usual one times 2^(lean / TRUST_LEAN).  (T14) */
void trust_lean(struct trust *, const int8_t *lean);

/* trust_impossible(trust, now_s): a date moved back, or into the future. */
void trust_impossible(struct trust *, int64_t now_s);

/* trust_is_deaf(trust): no dates, or a closed gate. */
bool trust_is_deaf(const struct trust *);

/* trust_load(trust, bytes): those of a struct trust, as kept in a store; false,
 * and nothing written, when they are none that this file made. */
bool trust_load(struct trust *, struct slice bytes);

/* Moves are more often right than not; or so rarely that SPEC R-116 calls the
 * source distrusted. */
bool trust_is_believed(const struct trust *);
bool trust_is_distrusted(const struct trust *);

#endif
