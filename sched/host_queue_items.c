/* The documents that wait for one host. */
#include "sched/host_queue_items.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

#define CLASS_SHIFT 56

static bool
is_better(const struct queued *a, const struct queued *b)
{
	uint64_t class_a = a->rank >> CLASS_SHIFT;
	uint64_t class_b = b->rank >> CLASS_SHIFT;

	if (class_a != class_b)
		return class_a < class_b;
	if (a->newest_s != b->newest_s)
		return a->newest_s > b->newest_s;
	return a->rank < b->rank;
}

void
items_add(
    struct items *items, const struct host_queue_item *item, uint64_t order)
{
	struct queued queued = {.id = item->id,
	    .newest_s = item->newest_s,
	    .rank = (uint64_t)item->class << CLASS_SHIFT | order};
	size_t cap = items->cap;
	size_t at;

	assert(order >> CLASS_SHIFT == 0);
	mem_limit(items->count, UINT32_MAX / 2);
	if (items->count == 0 && items->queued == NULL) {
		/* Most hosts have one at a time. */
		cap = 1;
		items->queued = mem_alloc(sizeof(*items->queued));
	}
	items->queued = mem_grow(items->queued, &cap, (size_t)items->count + 1,
	    sizeof(*items->queued));
	items->cap = (uint32_t)cap;
	at = items->count++;
	while (at > 0 && is_better(&queued, &items->queued[(at - 1) / 2])) {
		items->queued[at] = items->queued[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	items->queued[at] = queued;
}

uint64_t
items_take(struct items *items)
{
	struct queued last;
	uint64_t id;
	size_t at = 0;

	assert(items->count > 0);
	id = items->queued[0].id;
	last = items->queued[--items->count];
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= items->count)
			break;
		if (child + 1 < items->count &&
		    is_better(&items->queued[child + 1], &items->queued[child]))
			child++;
		if (!is_better(&items->queued[child], &last))
			break;
		items->queued[at] = items->queued[child];
		at = child;
	}
	items->queued[at] = last;
	if (items->count == 0)
		items_release(items);
	return id;
}

void
items_release(struct items *items)
{
	free(items->queued);
	*items = (struct items){0};
}
