/* Sources learn from each other: equation (T14) of scheduling-formulas.md. */
#include "sched/trust_pool.h"

#include <math.h>
#include <string.h>

#include "base/civil.h"
#include "sched/fast_math.h"
#include "sched/trust.h"

/* A visit is remembered for about this time. */
#define MEMORY_DAYS 30.0
/* The prior counts as this many sources, and for a tenth of the sum at
 * least. */
#define PRIOR_SOURCES 5.0
#define PRIOR_LEAST 0.1
#define LEAN_MAX 127

/* log2(ratio) within 2e-4, enough for sixteenths; each visit needs it for
 * each pair.  ratio is at least 2^-126. */
static float
fast_log2(float ratio)
{
	uint32_t bits, one = UINT32_C(127) << 23;
	float x;

	memcpy(&bits, &ratio, sizeof(bits));
	float whole = (float)((int32_t)(bits >> 23) - 127);
	bits = (bits & 0x7fffff) | one;
	memcpy(&x, &bits, sizeof(x));
	x -= 1;
	return whole + x +
	    x * (1 - x) *
	    (0.438724995F + x * (0.0821274293F * x - 0.239054822F));
}

/* (T14) */
static void
lean(struct trust_pool *pool)
{
	float steps[TRUST_CELLS];
	double sum = PRIOR_SOURCES;

	for (int i = 0; i < TRUST_CELLS; i++)
		sum += (double)pool->cells[i];
	double share = (1 - PRIOR_LEAST) / sum;
	for (int i = 0; i < TRUST_CELLS; i++) {
		double part = (double)pool->cells[i] / trust_priors[i] +
		    PRIOR_SOURCES;

		steps[i] = TRUST_LEAN *
		    fast_log2((float)(PRIOR_LEAST + share * part));
	}
	for (int i = 0; i < TRUST_CELLS; i++)
		pool->lean[i] = (int8_t)within(
		    rint((double)steps[i]), -LEAN_MAX, LEAN_MAX);
}

void
trust_pool_visit(
    struct trust_pool *pool, struct trust *trust, double sources, int64_t now_s)
{
	double days = ((double)now_s - (double)trust->pooled_s) / DAY_S;
	double kept;

	if (trust->pooled_s != 0 && days >= 0 && days < 1)
		return;
	trust->pooled_s = now_s;
	/* A source whose dates never moved, or moved all together, says nothing
	 * about other sources. */
	if (trust->moves >= 1 && !trust_is_deaf(trust) && days > 0) {
		days = within(days, 0, MEMORY_DAYS) / MEMORY_DAYS;
		kept = 1 - within(days / within(sources, 1, 1e9), 0, 1);
		for (int i = 0; i < TRUST_CELLS; i++)
			pool->cells[i] = (float)(kept * (double)pool->cells[i] +
			    days * (double)trust->cells[i]);
		lean(pool);
	}
	trust_lean(trust, pool->lean);
}

bool
trust_pool_load(struct trust_pool *pool, struct slice bytes)
{
	struct trust_pool loaded;

	if (bytes.len != sizeof(loaded))
		return false;
	memcpy(&loaded, bytes.p, sizeof(loaded));
	for (int i = 0; i < TRUST_CELLS; i++)
		if (!(loaded.cells[i] >= 0 && loaded.cells[i] <= 1e9F))
			return false;
	lean(&loaded);
	*pool = loaded;
	return true;
}
