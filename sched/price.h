/*
 * The price of a request, L: the lowest value for which a request is made
 * (scheduling-formulas.md, "Levels and the price").
 *
 * The price follows a low quantile of the values accepted.  Their mean would
 * be too high, and sitemaps would be read far too rarely.
 */
#ifndef FRESHET_PRICE_H
#define FRESHET_PRICE_H

#include <stdbool.h>
#include <stddef.h>

struct price {
	double value; /* L, always between PRICE_MIN and PRICE_MAX */
	double lowest; /* the lowest value accepted since the last tick */
	bool has_lowest;
	bool is_tried; /* a value was accepted in an earlier tick */
};

#define PRICE_MIN 1e-12
#define PRICE_MAX 1e12

/* price_init(price, value): begin with a first guess; values out of range
 * count as the nearest one in it, NaN as 1. */
void price_init(struct price *, double value);

/* price_accept(price, value): a request of that value was made.  NaN and
 * values not above 0 are ignored: a floor or a ceiling made the request. */
void price_accept(struct price *, double value);

/* What happened in a tick. */
struct price_tick {
	bool is_dry; /* budget was left, and no item was worth the price */
	size_t waiting; /* due items worth the price, without a request */
	/* a limit for `waiting`: 2,000, or a tick's requests */
	size_t too_many;
};

/* price_tick(price, tick): a tick ends.  The price follows the lowest value
 * accepted in it, and rises to twice itself at most, but for the first tick.
 * After a dry tick it falls by 7 % and does not rise.  It rises by 0.4 %
 * when too many items wait and all accepted values were worth it. */
void price_tick(struct price *, const struct price_tick *);

#endif
