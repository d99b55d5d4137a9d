/* A first-in, first-out list of numbers. */
#ifndef FRESHET_FIFO_H
#define FRESHET_FIFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed fifo is empty. */
struct fifo {
	uint32_t *items; /* whoever owns the fifo frees them */
	/* those from first up to end are waiting; as long as none was taken,
	 * first is 0, and end is how many there are */
	size_t first, end, cap;
};

void fifo_put(struct fifo *, uint32_t number);

/* fifo_count(fifo): how many are waiting. */
static inline size_t
fifo_count(const struct fifo *fifo)
{
	return fifo->end - fifo->first;
}

/* fifo_take(fifo): remove and return the first item; there must be one. */
uint32_t fifo_take(struct fifo *);

/* fifo_keep(fifo, is_kept, arg): remove what is_kept is false for. */
void fifo_keep(
    struct fifo *, bool (*is_kept)(void *arg, uint32_t number), void *arg);

#endif
