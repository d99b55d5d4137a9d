/*
 * What sources of one kind have in common: where trust in a new one begins
 * (scheduling-formulas.md, "Trust").  Plain numbers; zeroed: nothing is known.
 */
#ifndef FRESHET_TRUST_POOL_H
#define FRESHET_TRUST_POOL_H

#include <stdint.h>

#include "sched/trust.h"

struct trust_pool {
	/* How many sources are believed to have each pair of recall and
	 * precision. */
	float cells[TRUST_CELLS];
	/* How the prior leans because of the cells: see trust_lean. */
	int8_t lean[TRUST_CELLS];
};

/*
 * trust_pool_visit(pool, trust, sources, now_s): let one of `sources` sources
 * learn from the others, and let the others learn from it.  Call this function
 * now and then, at best once a day.  (T14)
 */
void trust_pool_visit(
    struct trust_pool *, struct trust *, double sources, int64_t now_s);

/* trust_pool_load(pool, bytes): restore the pool, as trust_load() does a struct
 * trust. */
bool trust_pool_load(struct trust_pool *, struct slice bytes);

#endif
