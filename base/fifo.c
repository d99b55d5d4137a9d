/* A first-in, first-out list of numbers. */
#include "base/fifo.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

void
fifo_put(struct fifo *fifo, uint32_t number)
{
	/* Reuse the room of taken items when they are more than half of all. */
	if (fifo->end == fifo->cap && fifo->first > fifo->cap / 2) {
		memmove(fifo->items, fifo->items + fifo->first,
		    (fifo->end - fifo->first) * sizeof(*fifo->items));
		fifo->end -= fifo->first;
		fifo->first = 0;
	}
	*MEM_PUSH(fifo->items, fifo->end, fifo->cap) = number;
}

uint32_t
fifo_take(struct fifo *fifo)
{
	uint32_t number;

	assert(fifo_count(fifo) > 0);
	number = fifo->items[fifo->first++];
	if (fifo_count(fifo) == 0)
		fifo->first = fifo->end = 0;
	return number;
}

void
fifo_keep(
    struct fifo *fifo, bool (*is_kept)(void *arg, uint32_t number), void *arg)
{
	size_t kept = 0;

	for (size_t i = fifo->first; i < fifo->end; i++)
		if (is_kept(arg, fifo->items[i]))
			fifo->items[kept++] = fifo->items[i];
	fifo->first = 0;
	fifo->end = kept;
}
