/* A heap ordered by the time at which each entry is ready; among equal
 * times, by `turn`. */
#ifndef FRESHET_TIME_HEAP_H
#define FRESHET_TIME_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An entry lies inside the object that waits, which must not move.  Zeroed:
 * in no heap. */
struct heap_entry {
	int64_t ready_ms;
	uint64_t turn;
	uint32_t place; /* the position in its heap, plus one; 0: in no heap */
	bool is_address; /* the object is an address, not a host */
};

/* Zeroed: empty. */
struct time_heap {
	struct heap_entry **items; /* owned; the entries are borrowed */
	size_t count, cap;
};

/* time_heap_put(heap, entry): add the entry, or move it to where its time
 * and turn belong now. */
void time_heap_put(struct time_heap *, struct heap_entry *);

/* time_heap_remove(heap, entry): take the entry out; does nothing when it is
 * in no heap. */
void time_heap_remove(struct time_heap *, struct heap_entry *);

/* time_heap_first(heap): the entry that is ready first, or NULL. */
struct heap_entry *time_heap_first(const struct time_heap *);

void time_heap_release(struct time_heap *);

#endif
