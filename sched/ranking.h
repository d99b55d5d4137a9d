/* Numbers ordered by a key: a heap that records the position of each number. */
#ifndef FRESHET_RANKING_H
#define FRESHET_RANKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ranking_item {
	double key;
	uint32_t number;
};

/* Zeroed: empty.  The memory grows with the largest number. */
struct ranking {
	struct ranking_item *items; /* owned; a heap, the least key first */
	/* owned; by number, plus one; 0: not in the heap */
	uint32_t *positions;
	size_t count, item_cap, place_cap;
};

/* ranking_put(ranking, number, key): add a number, or change its key.  Among
 * equal keys the lower number comes first; NaN comes last. */
void ranking_put(struct ranking *, uint32_t number, double key);

/* ranking_remove(ranking, number): take a number out; does nothing when it
 * is not in the heap. */
void ranking_remove(struct ranking *, uint32_t number);

bool ranking_has(const struct ranking *, uint32_t number);

/* ranking_key(ranking, number): the key of a number that is in the heap. */
double ranking_key(const struct ranking *, uint32_t number);

/* ranking_first(ranking): the item with the least key, borrowed until the
 * next call; NULL: the heap is empty. */
const struct ranking_item *ranking_first(const struct ranking *);

void ranking_release(struct ranking *); /* leaves it empty */

#endif
