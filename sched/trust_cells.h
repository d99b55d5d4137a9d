/*
 * The grid of what may be believed of a source's dates: how likely each recall
 * is with each precision (docs/scheduling.md, "Trust").  Each outcome goes
 * through all of it, so this is written to be quick.
 */
#ifndef FRESHET_TRUST_CELLS_H
#define FRESHET_TRUST_CELLS_H

#include "sched/trust.h"

extern const double trust_recalls[TRUST_RECALLS];
extern const double trust_precisions[TRUST_PRECISIONS];
/* Before anything is known; their sum is 1. */
extern const double trust_priors[TRUST_CELLS];
/* That so many moves are all false, with each precision. */
extern const float trust_falses[TRUST_PRECISIONS][TRUST_MOVES];

/* One more thing was seen, of this likelihood for each pair.  (T5) */
struct trust_likelihood {
	double silent[TRUST_RECALLS]; /* no change that was not told */
	double all_false[TRUST_PRECISIONS]; /* no move was true */
	double no_mass; /* no mass move was */
	bool is_changed;
};

/* trust_begin(trust): zeroed cells are the prior. */
void trust_begin(struct trust *);

/* trust_weigh(trust, likelihood): as (T5) says. */
void trust_weigh(struct trust *, const struct trust_likelihood *);

/* trust_return(trust, share): that part of it is as it was before anything was
 * seen, leanings and all.  (T6) */
void trust_return(struct trust *, double share);

#endif
