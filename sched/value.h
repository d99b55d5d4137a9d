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

#include <stdint.h>

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

/*
 * The value of a reading of a sitemap, in page fetches (scheduling-formulas.md,
 * "Readings"): a sum over its pages, kept at sixteen points of the scale of
 * their rates of moves.  Zeroed: no pages.
 */
#define GAINS_POINTS 16

/* The sum of a source.  All functions but gains_set() take NULL for one that
 * is 0. */
struct gains {
	double at[GAINS_POINTS];
};

/* What a page adds to the sum; the page remembers it.  Zeroed: nothing. */
struct gain {
	float value;
	uint8_t place; /* position on the scale of moves, in steps of value.c */
};

/* A reading, apart from the known pages. */
struct gains_reading {
	double cost; /* of a changed document, in page fetches */
	double cost_same; /* of an unchanged document: 304, or the same bytes */
	double changes; /* changes of the document in a day */
	double arrivals; /* the weight of new pages in a day */
};

/* gains_set(gains, gain, value, moves): set what a page adds to the sum.
 * `value` is what a fetch of the page would be worth after one more move of its
 * date, less the price; `moves` is how often a day that date moves.  (P1) */
void gains_set(struct gains *, struct gain *, double value, double moves);

/* gains_worth(gains, reading, days): W, the worth of a reading so many days
 * after the last one.  The reading is due when W reaches the price.  (P2),
 * (P3), (P4) */
double gains_worth(
    const struct gains *, const struct gains_reading *, double days);

/* gains_sum(gains, days): the pages' part of W; an index adds it up over its
 * children. */
double gains_sum(const struct gains *, double days);

#endif
