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

/* Where the positions of items stand: a word for each number, of which one in a
 * heap is base + its position (positions.h). */
struct heap_words {
	uint32_t *items; /* borrowed */
	uint32_t base;
};

/* heap_has(heap, words, number): is the number in this heap? */
static inline bool
heap_has(const struct heap *heap, struct heap_words words, uint32_t number)
{
	uint32_t at = words.items[number] - words.base;

	return at < heap->count && heap->items[at].number == number;
}

/*
 * heap_put(heap, words, item): add the item, or move it to where its value
 * belongs now. heap_remove(heap, words, number): take an item out, which must
 * be in the heap.
 */
void heap_put(struct heap *, struct heap_words, struct heap_item);
void heap_remove(struct heap *, struct heap_words, uint32_t number);

void heap_release(struct heap *);

#endif
