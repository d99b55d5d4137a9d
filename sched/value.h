/*
 * What a request is worth now: pages and readings in one currency
 * (scheduling.md, "Value").  Pure arithmetic; rates are per day, times
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
	double alpha; /* changes nobody announces, a day */
	double gamma; /* moves of lastmod, true and false, a day */
	double q; /* of a move: the probability that nothing changed */
};

/* What has been seen since its last fetch. */
struct value_evidence {
	double tau; /* days */
	double moves; /* of lastmod, each worth -ln q */
	double hazard; /* further expected changes: mass moves, the time
			* since the last reading */
	double blind; /* what hazard grows by, a day, until a reading */
};

/* What follows from fetching whenever the hazard reaches a threshold. */
struct value_cycle {
	double value; /* of a fetch at the threshold, and the price that leads
			 to it */
	double fresh; /* days in which the copy is right */
	double days; /* between two fetches */
};

/* value_phi(x): 1 - e^-x (1 + x), precise near 0; 0 for x < 0.  (V2) */
double value_phi(double x);

/* value_phi_inverse(y): the x with value_phi(x) = y; 0 for y <= 0, INFINITY
 * from 1 on. */
double value_phi_inverse(double y);

/* value_hazard(rates, evidence): the changes expected since the last fetch;
 * the copy is right with probability e^-hazard.  (V3) */
double value_hazard(const struct value_rates *, const struct value_evidence *);

/*
 * value_exact(rates, evidence): the average-reward Whittle index of fetching
 * now (GREEDY-NCIS, V6).  Where its sum would be long it is value_lite,
 * which is then within 0.2 %.
 *
 * value_lite: the same in a few operations, within 4 % (V8).
 */
double value_exact(const struct value_rates *, const struct value_evidence *);
double value_lite(const struct value_rates *, const struct value_evidence *);

/* value_limit(rates): what both come to when nothing has been fetched for
 * ever: weight by changes a day.  (V7) */
double value_limit(const struct value_rates *);

/*
 * value_when(rates, evidence, value): days from now until value_exact reaches
 * value if no move is seen meanwhile; 0: it has; INFINITY: never.
 */
double value_when(
    const struct value_rates *, const struct value_evidence *, double value);

/*
 * value_hazard_at(rates, value): the hazard from which value_exact is value
 * or more; INFINITY: none.
 */
double value_hazard_at(const struct value_rates *, double value);

/* value_cycle(rates, hazard): what the policy "fetch at this hazard" gives
 * (V4, V5), with as many terms as it takes; for bounds and tests.  Averages
 * of an interval are fresh / days and 1 / days. */
struct value_cycle value_cycle(const struct value_rates *, double hazard);

#endif
