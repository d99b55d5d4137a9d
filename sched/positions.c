/* Where each of many numbered items is: see positions.h. */
#include "sched/positions.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

uint32_t *
positions_at(struct positions *positions, uint32_t number)
{
	size_t need = (size_t)number + 1;

	if (need > positions->count) {
		positions->items = mem_grow(positions->items, &positions->cap,
		    need, sizeof(*positions->items));
		/* Clear no more than `need` items: memory that nobody touches
		 * costs nothing. */
		memset(positions->items + positions->count, 0,
		    (need - positions->count) * sizeof(*positions->items));
		positions->count = need;
	}
	return &positions->items[number];
}

void
positions_release(struct positions *positions)
{
	free(positions->items);
	*positions = (struct positions){0};
}
