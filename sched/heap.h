/* A heap with the highest value first, which records the position of each item.
 * Its items have four children, which are neighbours in memory. */
#ifndef FRESHET_HEAP_H
#define FRESHET_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/positions.h"

struct heap_item {
	float value;
	uint32_t number;
};

/* Zeroed: empty. */
struct heap {
	struct heap_item *items; /* owned */
	uint32_t count, cap;
};

/* heap_has(heap, word, number): is the number, whose word that is, in this
 * heap? */
static inline bool
heap_has(const struct heap *heap, uint32_t word, uint32_t number)
{
	uint32_t at = word - POSITIONS_QUEUED;

	return word >= POSITIONS_QUEUED && at < heap->count &&
	    heap->items[at].number == number;
}

/*
 * heap_put(heap, words, item): add the item, or move it to where its value
 * belongs now. heap_remove(heap, words, number): take an item out, which must
 * be in the heap.  The array `words` has a word for each number; the heap
 * keeps POSITIONS_QUEUED + the position there while an item is in it
 * (positions.h).
 */
void heap_put(struct heap *, uint32_t *words, struct heap_item);
void heap_remove(struct heap *, uint32_t *words, uint32_t number);

void heap_release(struct heap *);

#endif
