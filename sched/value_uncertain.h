/*
 * The value of a fetch where the rate of changes is not known but believed to
 * have a Gamma distribution (docs/scheduling.md, "Rates").
 */
#ifndef FRESHET_VALUE_UNCERTAIN_H
#define FRESHET_VALUE_UNCERTAIN_H

#include <stddef.h>

struct value_uncertain {
	double weight;
	double shape, days; /* the rate: so many changes in so many days */
	double exposure; /* days in which a change would not have been told */
	double known; /* hazard besides: of the moves that were seen */
	double growth; /* of exposure, a day; at most 1 */
};

/* value_uncertain(doubt): the mean of weight / rate x phi(rate x exposure +
 * known) over what the rate may be; any numbers, never NaN nor negative.  (V10)
 */
double value_uncertain(const struct value_uncertain *);

/* value_uncertain_limit(doubt): what it is worth that was never fetched. */
double value_uncertain_limit(const struct value_uncertain *);

/*
 * value_uncertain_evaluate(doubt, value, most, days): value_uncertain; and
 * *days until it will be that value if nothing is seen meanwhile: 0, it is;
 * most, not before. Never too late, and at most 1 % too early.  (V11)
 */
double value_uncertain_evaluate(
    const struct value_uncertain *, double value, double most, double *days);

struct value_uncertain_result {
	double value, days;
};

/* value_uncertain_evaluate_all(doubts, count, values, most, seen): the same of
 * so many, each with a value of its own, in less time: the arithmetic of one
 * does not wait for that of another. */
void value_uncertain_evaluate_all(const struct value_uncertain *, size_t count,
    const double *values, double most, struct value_uncertain_result *);

#endif
