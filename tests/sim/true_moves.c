/* How many moves of dates between two fetches were true. */
#include "tests/sim/true_moves.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/trust.h"

/* The model gives no outcome a smaller probability, because it does not know
 * all causes. */
#define LIKELY_LEAST 1e-5
/* The probability of more moves differs too little to matter. */
#define MOVES_MAX 64

struct true_moves_document {
	/* logarithms, for each precision: likelihood of what fetches found */
	double likely[TRUST_PRECISIONS];
	double owed; /* rest of the rounding so far */
};

void
true_moves_init(struct true_moves *moves_of, size_t documents)
{
	moves_of->count = documents;
	moves_of->documents = mem_zero(
	    (documents + 1) * sizeof(*moves_of->documents));
}

void
true_moves_release(struct true_moves *moves_of)
{
	free(moves_of->documents);
	*moves_of = (struct true_moves){0};
}

static double
all_false(double precision, uint32_t moves)
{
	return pow(1 - precision, moves < MOVES_MAX ? moves : MOVES_MAX);
}

void
true_moves_learn(struct true_moves *moves_of, uint32_t document, uint32_t moves,
    bool is_changed)
{
	double *likely = moves_of->documents[document].likely;

	for (int p = 0; p < TRUST_PRECISIONS; p++) {
		double none = all_false(trust_precisions[p], moves);

		likely[p] += log(
		    fmax(is_changed ? 1 - none : none, LIKELY_LEAST));
	}
}

/* The share of the document's moves that are true. */
static double
precision_of(const struct true_moves *moves_of, uint32_t document)
{
	const double *likely = moves_of->documents[document].likely;
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
true_moves_share(struct true_moves *moves_of, uint32_t document, uint32_t moves)
{
	struct true_moves_document *of = &moves_of->documents[document];
	double precision = precision_of(moves_of, document);
	double count = moves * precision / (1 - all_false(precision, moves)) +
	    of->owed;
	double share = fmin(fmax(floor(count + 0.5), 1), moves);

	of->owed = count - share;
	return (uint32_t)share;
}
