/* A heap with the highest value first, which records the position of each
 * item. */
#ifndef FRESHET_HEAP_H
#define FRESHET_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct heap_item {
	float value;
	uint32_t number;
};

/* Zeroed: empty. */
struct heap {
	struct heap_item *items; /* owned */
	uint32_t count, cap;
};

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
