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

#endif
