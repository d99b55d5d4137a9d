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

/* The result of the policy to fetch a page whenever its hazard reaches a
 * threshold. */
struct value_cycle {
	/* of a fetch at the threshold; with this price of a fetch the
	 * threshold is the best one */
	double value;
	double fresh; /* days in which the copy is right */
	double days; /* days between two fetches */
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
 * now (GREEDY-NCIS, V6).  If the sum would be long, the result is that of
 * value_lite, which is then right within 0.2 %.
 *
 * value_lite: the same in a few operations, within 4 % (V8).
 */
double value_exact(const struct value_rates *, const struct value_evidence *);
double value_lite(const struct value_rates *, const struct value_evidence *);

/* value_limit(rates): the limit of both when the last fetch is infinitely long
 * ago: weight divided by changes a day.  (V7) */
double value_limit(const struct value_rates *);

/*
 * value_when(rates, evidence, value): days from now until value_exact reaches
 * `value`, if no move is seen before; 0: it has already; INFINITY: never.
 */
double value_when(
    const struct value_rates *, const struct value_evidence *, double value);

/*
 * value_hazard_at(rates, value): the least hazard at which value_exact is
 * `value` or more; INFINITY: there is none.
 */
double value_hazard_at(const struct value_rates *, double value);

/* value_cycle(rates, hazard): what the policy "fetch at this hazard" gives
 * (V4, V5), with as many terms as are needed; for bounds and tests.  On
 * average the copy is right for fresh / days of the time, and there are 1 /
 * days fetches a day. */
struct value_cycle value_cycle(const struct value_rates *, double hazard);

#endif
