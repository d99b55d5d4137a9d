/* Where each of many numbered items is: nowhere, in a calendar, or in a
 * heap.  One word for each item is shared by the structures that can hold
 * it. */
#ifndef FRESHET_POSITIONS_H
#define FRESHET_POSITIONS_H

#include <stddef.h>
#include <stdint.h>

enum {
	POSITIONS_NOWHERE = 0,
	/* the word of an item in a calendar is its tick + 1 */
	POSITIONS_MAX_TICK = (1 << 30) - 2,
	/* a calendar sets this bit while it purges a bucket */
	POSITIONS_MARK = 1 << 30,
	/* the word of an item in a heap is POSITIONS_QUEUED + its position;
	 * of one that is far (later.h), POSITIONS_FAR more */
	POSITIONS_MAX_AT = (1 << 30) - 1,
	POSITIONS_FAR = 1 << 30,
};
#define POSITIONS_QUEUED 0x80000000U

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
