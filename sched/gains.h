/*
 * The value of a reading of a sitemap, in page fetches (scheduling-formulas.md,
 * "Readings"): a sum over its pages, kept at sixteen points of the scale of
 * their rates of moves.  Zeroed: no pages.
 */
#ifndef FRESHET_GAINS_H
#define FRESHET_GAINS_H

#include <stdint.h>

#define GAINS_POINTS 16

/* The sum of a source.  All functions but gains_set() take NULL for one that
 * is 0. */
struct gains {
	double at[GAINS_POINTS];
};

/* What a page adds to the sum; the page remembers it.  Zeroed: nothing. */
struct gain {
	float value;
	uint8_t place; /* position on the scale of moves, in steps of gains.c */
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
