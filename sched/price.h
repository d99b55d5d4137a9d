/*
 * The price of a request, L: the least value for which one is made
 * (SCHEDULING F.5; docs/scheduling.md, "The price").
 *
 * It follows a low quantile of the values accepted: their mean would be too
 * high, and sitemaps be read far too rarely (SCHEDULING E4).
 */
#ifndef FRESHET_PRICE_H
#define FRESHET_PRICE_H

#include <stdbool.h>
#include <stddef.h>

struct price {
	double value; /* L, always between PRICE_MIN and PRICE_MAX */
	double lowest; /* accepted since the last tick */
	bool has_lowest;
	bool is_tried; /* something was accepted in an earlier tick */
};

#define PRICE_MIN 1e-12
#define PRICE_MAX 1e12

/* price_init(price, value): value as a first guess; NaN and what is out of
 * range become the nearest that is in it (NaN: 1). */
void price_init(struct price *, double value);

/* price_accept(price, value): a request was made for it.  NaN and what is not
 * above 0 is no value (a floor or a ceiling made the request), and skipped. */
void price_accept(struct price *, double value);

/* What a tick was like. */
struct price_tick {
	bool is_dry; /* budget was left, and nothing worth the price */
	size_t waiting; /* things due, worth the price, that it was not for */
	size_t too_many; /* of these: 2,000, or a tick's requests if more */
};

/* price_tick(price, tick): a tick is over: follow the lowest value accepted in
 * it, at most to twice the price but for the first; when it was dry fall by 7 %
 * and do not rise; rise by 0.4 % when too many wait, and all that was accepted
 * was worth the price. */
void price_tick(struct price *, const struct price_tick *);

#endif
