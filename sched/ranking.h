/* Numbers ordered by a key: a heap that records the position of each number. An
 * item has four children, which are neighbours in memory. */
#ifndef FRESHET_RANKING_H
#define FRESHET_RANKING_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/positions.h"

struct ranking_item {
	double key;
	uint32_t number;
};

/* Zeroed: empty. */
struct ranking {
	struct ranking_item *items; /* owned; a heap, the least key first */
	uint32_t count, cap;
	/* The words of the numbers, position + 1.  Rankings that have no number
	 * in common may share one, which is borrowed then; if `positions` is
	 * NULL at first, the ranking makes its own, which grows with the
	 * largest number. */
	struct positions *positions;
	bool is_own;
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

/* ranking_release(ranking): leaves it empty; the words of numbers that were in
 * it are not cleared if it shares them. */
void ranking_release(struct ranking *);

#endif
