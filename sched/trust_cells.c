/* The grid of beliefs in dates: see trust_cells.h. */
#include "sched/trust_cells.h"

#include <math.h>
#include <string.h>

/* No cell falls below that part of its prior: every liar had a past. */
#define CELL_LEAST 1e-6
/* No outcome is less likely than that: other things happen. */
#define LIKELY_LEAST 1e-5F
/* More than two leanings differ by. */
#define LEAN_BIAS (16 * TRUST_LEAN)

const double trust_recalls[TRUST_RECALLS] = {
    0.002, 0.08, 0.2, 0.35, 0.5, 0.65, 0.78, 0.88, 0.95, 0.995};
const double trust_precisions[TRUST_PRECISIONS] = {
    0.01, 0.04, 0.08, 0.13, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9, 0.99};

#define FALSE(p) (1 - (p))
#define FALSES(p)                                                      \
	{                                                              \
		(float)FALSE(p), (float)(FALSE(p) * FALSE(p)),         \
		    (float)(FALSE(p) * FALSE(p) * FALSE(p)),           \
		    (float)(FALSE(p) * FALSE(p) * FALSE(p) * FALSE(p)) \
	}

const float trust_falses[TRUST_PRECISIONS][TRUST_MOVES] = {FALSES(0.01),
    FALSES(0.04), FALSES(0.08), FALSES(0.13), FALSES(0.2), FALSES(0.3),
    FALSES(0.45), FALSES(0.6), FALSES(0.75), FALSES(0.9), FALSES(0.99)};

/* Dates that say nothing, that say all, and that are always right are what
 * generators make; anything between them is as likely as any other. */
#define PRIOR(ends, right) \
	((ends) / (TRUST_RECALLS + 2.0) * (right) / (TRUST_PRECISIONS + 2.0))
#define ROW(ends)                                                           \
	PRIOR(ends, 1), PRIOR(ends, 1), PRIOR(ends, 1), PRIOR(ends, 1),     \
	    PRIOR(ends, 1), PRIOR(ends, 1), PRIOR(ends, 1), PRIOR(ends, 1), \
	    PRIOR(ends, 1), PRIOR(ends, 1), PRIOR(ends, 3)

const double trust_priors[TRUST_CELLS] = {ROW(2), ROW(1), ROW(1), ROW(1),
    ROW(1), ROW(1), ROW(1), ROW(1), ROW(1), ROW(2)};

#define LEAST(ends, right) (float)(CELL_LEAST * PRIOR(ends, right))
#define LEASTS(ends)                                                        \
	LEAST(ends, 1), LEAST(ends, 1), LEAST(ends, 1), LEAST(ends, 1),     \
	    LEAST(ends, 1), LEAST(ends, 1), LEAST(ends, 1), LEAST(ends, 1), \
	    LEAST(ends, 1), LEAST(ends, 1), LEAST(ends, 3)

static const float leasts[TRUST_CELLS] = {LEASTS(2), LEASTS(1), LEASTS(1),
    LEASTS(1), LEASTS(1), LEASTS(1), LEASTS(1), LEASTS(1), LEASTS(1),
    LEASTS(2)};

void
trust_begin(struct trust *t)
{
	if (t->cells[0] > 0)
		return;
	for (int i = 0; i < TRUST_CELLS; i++)
		t->cells[i] = (float)trust_priors[i];
}

/* Sums of floats, which is what they are made of, go four at a time; a sum from
 * left to right could not. */
static float
sum_of_row(const float *row)
{
	float parts[4];

	for (int k = 0; k < 4; k++)
		parts[k] = row[k] + row[k + 4];
	return parts[0] + parts[1] + (parts[2] + parts[3]) +
	    (row[8] + row[9] + row[10]);
}

/* (T1) */
static void
average(struct trust *t)
{
	float weight[TRUST_PRECISIONS] = {0};
	float all_false[TRUST_MOVES] = {0};
	double recall = 0;
	double square = 0;
	double precision = 0;

	for (int r = 0; r < TRUST_RECALLS; r++) {
		const float *row = &t->cells[(ptrdiff_t)r * TRUST_PRECISIONS];
		double by = trust_recalls[r];
		double part = by * (double)sum_of_row(row);

		recall += part;
		square += by * part;
		for (int p = 0; p < TRUST_PRECISIONS; p++)
			weight[p] += row[p];
	}
	for (int p = 0; p < TRUST_PRECISIONS; p++) {
		precision += (double)weight[p] * trust_precisions[p];
		for (int n = 0; n < TRUST_MOVES; n++)
			all_false[n] += weight[p] * trust_falses[p][n];
	}
	t->recall = (float)recall;
	t->recall_spread = (float)sqrt(fmax(square - recall * recall, 0));
	t->precision = (float)precision;
	for (int n = 0; n < TRUST_MOVES; n++)
		t->all_false[n] = all_false[n];
}

/* The sum of the cells made 1, and none below its least. */
static void
normalise(struct trust *t)
{
	float sum = 0;

	for (int r = 0; r < TRUST_RECALLS; r++)
		sum += sum_of_row(&t->cells[(ptrdiff_t)r * TRUST_PRECISIONS]);
	sum = 1 / sum;
	for (int i = 0; i < TRUST_CELLS; i++) {
		float least = leasts[i];
		float cell = t->cells[i] * sum;

		t->cells[i] = cell > least ? cell : least;
	}
	average(t);
}

void
trust_weigh(struct trust *t, const struct trust_likelihood *l)
{
	float all_false[TRUST_PRECISIONS];
	float base = l->is_changed ? 1 : 0;

	trust_begin(t);
	for (int p = 0; p < TRUST_PRECISIONS; p++)
		all_false[p] = (float)(l->all_false[p] * l->no_mass);
	for (int r = 0; r < TRUST_RECALLS; r++) {
		float *row = &t->cells[(ptrdiff_t)r * TRUST_PRECISIONS];
		float silent = (float)(l->is_changed ? -l->silent[r]
						     : l->silent[r]);

		for (int p = 0; p < TRUST_PRECISIONS; p++) {
			float likely = base + silent * all_false[p];

			row[p] *= likely > LIKELY_LEAST ? likely : LIKELY_LEAST;
		}
	}
	normalise(t);
}

/* 2^(steps / TRUST_LEAN) */
static double
leaning(int steps)
{
	static const double parts[TRUST_LEAN] = {1, 0x1.0b5586cf9890fp+0,
	    0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0, 0x1.306fe0a31b715p+0,
	    0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
	    0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0,
	    0x1.9c49182a3f090p+0, 0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0,
	    0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0};

	unsigned part = (unsigned)(steps + LEAN_BIAS) % TRUST_LEAN;
	unsigned whole = (unsigned)(steps + LEAN_BIAS) / TRUST_LEAN;
	/* A double made by hand: ldexp takes ten times as long. */
	uint64_t bits = (uint64_t)(1023 - LEAN_BIAS / TRUST_LEAN + whole) << 52;
	double power;

	memcpy(&power, &bits, sizeof(power));
	return power * parts[part];
}

void
trust_lean(struct trust *t, const int8_t *lean)
{
	if (t->cells[0] > 0 && memcmp(t->lean, lean, sizeof(t->lean)) == 0)
		return;
	trust_begin(t);
	for (int i = 0; i < TRUST_CELLS; i++) {
		if (lean[i] == t->lean[i])
			continue;
		t->cells[i] *= (float)leaning(lean[i] - t->lean[i]);
		t->lean[i] = lean[i];
	}
	normalise(t);
}

void
trust_return(struct trust *t, double share)
{
	for (int i = 0; i < TRUST_CELLS; i++) {
		double prior = trust_priors[i];

		if (t->lean[i] != 0)
			prior *= leaning(t->lean[i]);
		t->cells[i] = (float)((1 - share) * (double)t->cells[i] +
		    share * prior);
	}
}
