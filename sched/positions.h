/* Where each of many numbered things is: nowhere, in the calendar, or in a
 * queue; one word each, shared by those it can be in. */
#ifndef FRESHET_POSITIONS_H
#define FRESHET_POSITIONS_H

#include <stddef.h>
#include <stdint.h>

enum {
	POSITIONS_NOWHERE = 0,
	POSITIONS_MAX_TICK = (1 << 30) - 2, /* a calendar's word: tick + 1 */
	POSITIONS_MARK = 1 << 30, /* the calendar's, while it sweeps */
	POSITIONS_MAX_AT = (1 << 30) - 1, /* a queue's: POSITIONS_QUEUED + its
					   * place, or its time: later.h */
};
#define POSITIONS_QUEUED 0x80000000U

/* Zeroed: all are nowhere. */
struct positions {
	uint32_t *items; /* owned */
	size_t count, cap;
};

/* positions_at(places, number): its word, to be read and written until the next
 * call.  The memory grows with the highest number. */
uint32_t *positions_at(struct positions *, uint32_t number);

/* positions_get(places, number): its word. */
static inline uint32_t
positions_get(const struct positions *positions, uint32_t number)
{
	return number < positions->count ? positions->items[number]
					 : POSITIONS_NOWHERE;
}

void positions_release(struct positions *);

#endif
