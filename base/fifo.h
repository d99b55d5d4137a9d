/* Numbers that wait for their turn, the first that came first. */
#ifndef FRESHET_FIFO_H
#define FRESHET_FIFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed one is empty. */
struct fifo {
	uint32_t *items; /* owned */
	size_t first, end, cap; /* waiting are those from first to end */
};

void fifo_put(struct fifo *, uint32_t number);

/* fifo_is_empty(fifo); fifo_first(fifo), fifo_take(fifo): of one that is not:
 * the first, which stays, or goes. */
bool fifo_is_empty(const struct fifo *);
uint32_t fifo_first(const struct fifo *);
uint32_t fifo_take(struct fifo *);

/* fifo_keep(fifo, is_kept, arg): all others leave. */
void fifo_keep(
    struct fifo *, bool (*is_kept)(void *arg, uint32_t number), void *arg);
void fifo_release(struct fifo *);

#endif
