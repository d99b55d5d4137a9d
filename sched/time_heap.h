/* What waits for its turn: a heap of units by the time they may be asked;
 * among equal times who came first is first. */
#ifndef FRESHET_TIME_HEAP_H
#define FRESHET_TIME_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed: in no heap.  Lies in what it stands for, which must not move. */
struct heap_entry {
	int64_t ready_ms;
	uint64_t turn;
	uint32_t place; /* in its heap, plus one; 0: in none */
	bool is_address; /* what it lies in */
};

/* Zeroed: empty. */
struct time_heap {
	struct heap_entry **items; /* owned; the units are not */
	size_t count, cap;
};

/* time_heap_put(units, unit): into the heap, or, in it already, to where its
 * time and turn belong now. */
void time_heap_put(struct time_heap *, struct heap_entry *);

/* time_heap_remove(units, unit): nothing happens when it is in no heap. */
void time_heap_remove(struct time_heap *, struct heap_entry *);

/* time_heap_first(units): the one to be asked next, or NULL. */
struct heap_entry *time_heap_first(const struct time_heap *);

void time_heap_release(struct time_heap *);

#endif
