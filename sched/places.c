/* Where each of many numbered things is. */
#include "sched/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

uint32_t *
places_at(struct places *places, uint32_t number)
{
	size_t need = (size_t)number + 1;

	if (need > places->count) {
		places->items = mem_grow(
		    places->items, &places->cap, need, sizeof(*places->items));
		/* No further: memory that nobody touched costs nothing. */
		memset(places->items + places->count, 0,
		    (need - places->count) * sizeof(*places->items));
		places->count = need;
	}
	return &places->items[number];
}

void
places_release(struct places *places)
{
	free(places->items);
	*places = (struct places){0};
}
