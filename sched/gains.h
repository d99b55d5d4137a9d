/*
 * What a reading of a sitemap is worth, in the currency of fetches
 * (docs/scheduling.md, "Readings"): the sum over its pages, kept at sixteen
 * points of the scale of their rates of moves.  Zeroed: no page.
 */
#ifndef FRESHET_GAINS_H
#define FRESHET_GAINS_H

#include <stdint.h>

#define GAINS_POINTS 16

/* Of a source. */
struct gains {
	double at[GAINS_POINTS];
};

/* What a page adds to it, remembered by the page.  Zeroed: nothing. */
struct gain {
	float value;
	uint8_t place; /* between the points */
};

/* Of a reading, besides the pages that are known. */
struct gains_reading {
	double cost; /* when the document is another one, in page fetches */
	double cost_same; /* when it is not: 304, or the same bytes */
	double changes; /* of the document, a day */
	double arrivals; /* weight of new pages, a day */
};

/* gains_set(gains, gain, value, moves): a page adds that now: what a fetch
 * of it is worth after one more move, less the price; moves a day.  (P1) */
void gains_set(struct gains *, struct gain *, double value, double moves);

/* gains_worth(gains, reading, days): W of a reading so many days after the
 * last; it is due when W reaches the price.  (P2), (P3), (P4) */
double gains_worth(
    const struct gains *, const struct gains_reading *, double days);

/* gains_when(gains, reading, price): the days after the last reading at which
 * W reaches price; INFINITY: not in 1,000 years. */
double gains_when(
    const struct gains *, const struct gains_reading *, double price);

/* gains_sum(gains, days): the pages' part of W, in page fetches times the
 * price: an index adds it up over its children. */
double gains_sum(const struct gains *, double days);

#endif
