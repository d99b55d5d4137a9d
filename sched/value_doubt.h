/*
 * The value of a fetch where the rate of changes is not known but believed to
 * have a Gamma distribution (docs/scheduling.md, "Rates").
 */
#ifndef FRESHET_VALUE_DOUBT_H
#define FRESHET_VALUE_DOUBT_H

struct value_doubt {
	double weight;
	double shape, days; /* the rate: so many changes in so many days */
	double exposure; /* days in which a change would not have been told */
	double known; /* hazard besides: of the moves that were seen */
	double growth; /* of exposure, a day; at most 1 */
};

/* value_doubt(doubt): the mean of weight / rate x phi(rate x exposure + known)
 * over what the rate may be; any numbers, never NaN nor negative.  (V10) */
double value_doubt(const struct value_doubt *);

/* value_doubt_limit(doubt): what it is worth that was never fetched. */
double value_doubt_limit(const struct value_doubt *);

/* value_doubt_when(doubt, value): days until it is worth that if nothing is
 * seen meanwhile; 0: it is; INFINITY: never. */
double value_doubt_when(const struct value_doubt *, double value);

#endif
