/* How many moves were true: see true_moves.h. */
#include "crawler/sim/true_moves.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/trust_cells.h"

/* No outcome is less likely than that: other things happen. */
#define LIKELY_LEAST 1e-5
/* More say no more. */
#define MOVES_MAX 64

struct true_moves_document {
	double likely[TRUST_PRECISIONS]; /* logarithms: of what was told */
	double owed; /* rounded off so far */
};

void
true_moves_init(struct true_moves *right, size_t documents)
{
	right->count = documents;
	right->documents = mem_zero(
	    (documents + 1) * sizeof(*right->documents));
}

void
true_moves_release(struct true_moves *right)
{
	free(right->documents);
	*right = (struct true_moves){0};
}

static double
all_false(double precision, uint32_t moves)
{
	return pow(1 - precision, moves < MOVES_MAX ? moves : MOVES_MAX);
}

void
true_moves_learn(struct true_moves *right, uint32_t document, uint32_t moves,
    bool is_changed)
{
	double *likely = right->documents[document].likely;

	for (int p = 0; p < TRUST_PRECISIONS; p++) {
		double none = all_false(trust_precisions[p], moves);

		likely[p] += log(
		    fmax(is_changed ? 1 - none : none, LIKELY_LEAST));
	}
}

/* precision_of(right, document): how many of its moves are true. */
static double
precision_of(const struct true_moves *right, uint32_t document)
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
true_moves_share(struct true_moves *right, uint32_t document, uint32_t moves)
{
	struct true_moves_document *of = &right->documents[document];
	double precision = precision_of(right, document);
	double count = moves * precision / (1 - all_false(precision, moves)) +
	    of->owed;
	double share = fmin(fmax(floor(count + 0.5), 1), moves);

	of->owed = count - share;
	return (uint32_t)share;
}
