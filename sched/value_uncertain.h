/*
 * The value of a fetch when the rate of changes is uncertain: it is believed
 * to have a Gamma distribution (scheduling-formulas.md, "Rates").
 */
#ifndef FRESHET_VALUE_UNCERTAIN_H
#define FRESHET_VALUE_UNCERTAIN_H

struct value_uncertain {
	double weight;
	double shape, days; /* the belief: so many changes in so many days */
	/* days in which a change would not have been announced */
	double exposure;
	double known; /* the hazard of the moves that were seen */
	double growth; /* by how much exposure grows in a day; at most 1 */
};

/*
 * value_uncertain_evaluate(uncertain, value, most, days): return the mean of
 * weight / rate x phi(rate x exposure + known) over all rates (V10), and set
 * *days to about the time until it reaches `value` if nothing is seen
 * meanwhile: 0 when it has, `most` when it does not before.  *days is never too
 * long; it is too short where the value bends much (V11), so the page is
 * evaluated again then.  Accepts any numbers; the result is never NaN or
 * negative.
 */
double value_uncertain_evaluate(
    const struct value_uncertain *, double value, double most, double *days);

#endif
