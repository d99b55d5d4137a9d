/* The thing of the highest value first: a heap whose things know their
 * places in it. */
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
 * heap_put(heap, words, item): in, or to where its value belongs now.
 * heap_remove(heap, words, number): out; it must be in it.
 * words is an array that has a word for each number: POSITIONS_QUEUED + its
 * place (sched/positions.h) while it is in a heap, kept by these two.
 */
void heap_put(struct heap *, uint32_t *words, struct heap_item);
void heap_remove(struct heap *, uint32_t *words, uint32_t number);

void heap_release(struct heap *);

#endif
