/* How many moves were true: see past_right.h. */
#include "crawler/sim/past_right.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/trust_cells.h"

/* No outcome is less likely than that: other things happen. */
#define LIKELY_LEAST 1e-5
/* More say no more. */
#define MOVES_MAX 64

struct right {
	double likely[TRUST_PRECISIONS]; /* logarithms: of what was told */
	double owed; /* rounded off so far */
};

void
past_right_init(struct past_right *right, size_t documents)
{
	right->count = documents;
	right->documents = mem_zero(
	    (documents + 1) * sizeof(*right->documents));
}

void
past_right_release(struct past_right *right)
{
	free(right->documents);
	*right = (struct past_right){0};
}

static double
all_false(double precision, uint32_t moves)
{
	return pow(1 - precision, moves < MOVES_MAX ? moves : MOVES_MAX);
}

void
past_right_told(struct past_right *right, uint32_t document, uint32_t moves,
    bool is_changed)
{
	double *likely = right->documents[document].likely;

	for (int p = 0; p < TRUST_PRECISIONS; p++) {
		double none = all_false(trust_precisions[p], moves);

		likely[p] += log(
		    fmax(is_changed ? 1 - none : none, LIKELY_LEAST));
	}
}

double
past_right_precision(const struct past_right *right, uint32_t document)
{
	const double *likely = right->documents[document].likely;
	double most = likely[0], sum = 0, mean = 0;

	for (int p = 1; p < TRUST_PRECISIONS; p++)
		most = fmax(most, likely[p]);
	for (int p = 0; p < TRUST_PRECISIONS; p++) {
		double weight = trust_priors[p] * exp(likely[p] - most);

		sum += weight;
		mean += weight * trust_precisions[p];
	}
	return mean / sum;
}

uint32_t
past_right_share(struct past_right *right, uint32_t document, uint32_t moves)
{
	struct right *of = &right->documents[document];
	double precision = past_right_precision(right, document);
	double count = moves * precision / (1 - all_false(precision, moves)) +
	    of->owed;
	double share = fmin(fmax(floor(count + 0.5), 1), moves);

	of->owed = count - share;
	return (uint32_t)share;
}
