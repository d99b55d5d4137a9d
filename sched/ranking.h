/* Numbers in order of a key: a heap that knows where each of them is, so that
 * any of them can be moved or taken out. */
#ifndef FRESHET_RANKING_H
#define FRESHET_RANKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ranking_item {
	double key;
	uint32_t number;
};

/* Zeroed: empty.  As large as the largest number that was ever in it. */
struct ranking {
	struct ranking_item *items; /* owned; a heap, least key first */
	uint32_t *positions; /* owned; by number, plus one; 0: not in it */
	size_t count, item_cap, place_cap;
};

/* ranking_put(ranking, number, key): into it, or, in it already, to where the
 * key belongs.  Among equal keys the lower number is first; NaN is last. */
void ranking_put(struct ranking *, uint32_t number, double key);

/* ranking_remove(ranking, number): nothing happens when it is not in it. */
void ranking_remove(struct ranking *, uint32_t number);

bool ranking_has(const struct ranking *, uint32_t number);

/* ranking_key(ranking, number): of one that is in it. */
double ranking_key(const struct ranking *, uint32_t number);

/* ranking_first(ranking): the one of the least key, borrowed until the next
 * call; NULL: it is empty. */
const struct ranking_item *ranking_first(const struct ranking *);

void ranking_release(struct ranking *); /* and empty */

#endif
