/*
 * What a request is worth now: pages and readings in one currency
 * (scheduling-formulas.md, "Value").  Pure arithmetic; rates are per day, times
 * in days, values in days of freshness times weight.
 *
 * Any number may be given: NaN, infinities, zeros and negative numbers are
 * read as the nearest number that has a meaning.
 */
#ifndef FRESHET_VALUE_H
#define FRESHET_VALUE_H

/* What is believed of a page. */
struct value_rates {
	double weight; /* importance, > 0 */
	double alpha; /* changes that nobody announces, a day */
	double gamma; /* moves of lastmod, true and false, a day */
	double q; /* the probability that nothing changed at a move */
};

/* What has been seen since its last fetch. */
struct value_evidence {
	double tau; /* days */
	double moves; /* of lastmod, each worth -ln q */
	/* more expected changes: of mass moves, and of the time since the last
	 * reading */
	double hazard;
	double blind; /* how much the hazard grows in a day, until a reading */
};

/* value_phi(x): 1 - e^-x (1 + x), precise near 0; 0 for x < 0.  (V2) */
double value_phi(double x);

/* value_hazard(rates, evidence): the changes expected since the last fetch;
 * the copy is right with probability e^-hazard.  (V3) */
double value_hazard(const struct value_rates *, const struct value_evidence *);

/* value_limit(rates): the value of a fetch when the last one is infinitely long
 * ago: weight divided by changes a day.  (V7) */
double value_limit(const struct value_rates *);

/* The value of a fetch when the rate of changes is uncertain: it is believed
 * to have a Gamma distribution (scheduling-formulas.md, "Rates"). */
struct value_uncertain {
	double weight;
	double shape, days; /* the belief: so many changes in so many days */
	/* days in which a change would not have been announced */
	double exposure;
	double known; /* the hazard of the moves that were seen */
	double growth; /* by how much exposure grows in a day; at most 1 */
};

/* value_uncertain_evaluate(uncertain, value, most, days): return the mean of
 * weight / rate x phi(rate x exposure + known) over all rates (V10), and set
 * *days to about the time until it reaches `value` if nothing is seen
 * meanwhile: 0 when it has, `most` when it does not before.  *days is never too
 * long; it is too short where the value bends much (V11), so the page is
 * evaluated again then.  Accepts any numbers; the result is never NaN or
 * negative. */
double value_uncertain_evaluate(
    const struct value_uncertain *, double value, double most, double *days);

#endif
