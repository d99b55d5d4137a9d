/* Where each of many numbered items is: nowhere, or in which heap.  One word
 * for each item is shared by the heaps that can hold it. */
#ifndef FRESHET_POSITIONS_H
#define FRESHET_POSITIONS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The word of an item in a heap is the base of the heap + its position.  The
 * base is a bit that tells heaps of one kind from those of another one, where
 * an item may be in both kinds.  An item that is far (later.h) has
 * POSITIONS_FAR, too.
 */
#define POSITIONS_NOWHERE 0
#define POSITIONS_QUEUED 0x80000000U
#define POSITIONS_DUE 0x40000000U
#define POSITIONS_FAR 0x20000000U
#define POSITIONS_MAX_AT (POSITIONS_FAR - 1)

/* Zeroed: all items are nowhere. */
struct positions {
	uint32_t *items; /* owned */
	size_t count, cap;
};

/* positions_at(positions, number): the item's word, to be read and written
 * until the next call.  The memory grows with the highest number. */
uint32_t *positions_at(struct positions *, uint32_t number);

/* positions_get(positions, number): the item's word. */
static inline uint32_t
positions_get(const struct positions *positions, uint32_t number)
{
	return number < positions->count ? positions->items[number]
					 : POSITIONS_NOWHERE;
}

void positions_release(struct positions *);

#endif
