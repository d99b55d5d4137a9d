/* What all tables of the frontier need: options, the scheduler and the time. */
#ifndef FRESHET_FRONTIER_CONTEXT_H
#define FRESHET_FRONTIER_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "crawler/frontier/frontier.h"

struct scheduler;

#define NONE UINT32_MAX /* no number; the same as IDMAP_NONE, NAMES_NONE */

/* Each table borrows it; only frontier_tables.c changes the times. */
struct frontier_context {
	struct frontier_options options;
	struct scheduler *scheduler; /* owned by struct frontier */
	int64_t now_s; /* never goes back by less than ten minutes */
	/* when the frontier was made; or when the one before it was last saved,
	 * if that is later, because the clock was put back since */
	int64_t began_s;
	/* frontier_set_driver() */
	void (*driver_hold)(void *driver, struct slice host, int64_t until_s);
	void *driver;
};

/* Numbers of rows, in the order in which they were added. */
struct number_list {
	uint32_t *items; /* owned */
	size_t count, cap;
};

static inline void
number_list_add(struct number_list *list, uint32_t number)
{
	list->items = mem_grow(
	    list->items, &list->cap, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = number;
}

#endif
