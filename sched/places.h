/* Where each of many numbered things is: nowhere, in the calendar, or in a
 * queue; one word each, shared by those it can be in. */
#ifndef FRESHET_PLACES_H
#define FRESHET_PLACES_H

#include <stddef.h>
#include <stdint.h>

enum {
	PLACES_NOWHERE = 0,
	PLACES_MAX_TICK = (1 << 30) - 2, /* a calendar's word: tick + 1 */
	PLACES_MARK = 1 << 30, /* the calendar's, while it sweeps */
	PLACES_MAX_AT = (1 << 30) - 1, /* a queue's: PLACES_QUEUED + its place,
					* or its time: later.h */
};
#define PLACES_QUEUED 0x80000000U

/* Zeroed: all are nowhere. */
struct places {
	uint32_t *items; /* owned */
	size_t count, cap;
};

/* places_at(places, number): its word, to be read and written until the next
 * call.  The memory grows with the highest number. */
uint32_t *places_at(struct places *, uint32_t number);

/* places_get(places, number): its word. */
static inline uint32_t
places_get(const struct places *places, uint32_t number)
{
	return number < places->count ? places->items[number] : PLACES_NOWHERE;
}

void places_release(struct places *);

#endif
