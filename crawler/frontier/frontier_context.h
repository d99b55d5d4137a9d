/* What all tables of the frontier need: options, the scheduler and the time. */
#ifndef FRESHET_FRONTIER_CONTEXT_H
#define FRESHET_FRONTIER_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "crawler/frontier/frontier.h"
#include "sched/host_table.h"

struct scheduler;

#define NONE UINT32_MAX /* no number; the same as IDMAP_NONE, NAMES_NONE */

/* Each table borrows it; only frontier_tables.c and frontier_new() change the
 * times. */
struct frontier_context {
	struct frontier_options options;
	struct scheduler *scheduler; /* owned by struct frontier */
	int64_t now_s; /* never goes back */
	int64_t began_s; /* when the frontier was made */
	/* by so much the clock was put back since the frontier before this one
	 * was last saved: see loaded_s() */
	int64_t back_s;
};

/*
 * loaded_s(context, t_s): a time that another process stored.  If the clock was
 * put back between that process and this one, times that lie in the future are
 * put back as well, so that what lasts an hour lasts an hour, and what had
 * happened has happened.
 */
static inline int64_t
loaded_s(const struct frontier_context *context, int64_t t_s)
{
	return t_s > context->began_s ? t_s - context->back_s : t_s;
}

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
