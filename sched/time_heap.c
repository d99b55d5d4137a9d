/* A heap whose entries know their positions: see time_heap.h. */
#include "sched/time_heap.h"

#include <stdlib.h>

#include "base/mem.h"

static void
place(struct time_heap *heap, size_t at, struct heap_entry *entry)
{
	heap->items[at] = entry;
	entry->place = (uint32_t)at + 1;
}

static bool
is_before(const struct heap_entry *a, const struct heap_entry *b)
{
	if (a->ready_ms != b->ready_ms)
		return a->ready_ms < b->ready_ms;
	return a->turn < b->turn;
}

static void
sift_up(struct time_heap *heap, struct heap_entry *entry)
{
	size_t at = entry->place - 1;

	while (at > 0 && is_before(entry, heap->items[(at - 1) / 2])) {
		place(heap, at, heap->items[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	place(heap, at, entry);
}

static void
sift_down(struct time_heap *heap, struct heap_entry *entry)
{
	size_t at = entry->place - 1;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= heap->count)
			break;
		if (child + 1 < heap->count &&
		    is_before(heap->items[child + 1], heap->items[child]))
			child++;
		if (!is_before(heap->items[child], entry))
			break;
		place(heap, at, heap->items[child]);
		at = child;
	}
	place(heap, at, entry);
}

void
time_heap_put(struct time_heap *heap, struct heap_entry *entry)
{
	if (entry->place == 0) {
		mem_limit(heap->count, UINT32_MAX - 1);
		heap->items = mem_grow(heap->items, &heap->cap, heap->count + 1,
		    sizeof(struct heap_entry *));
		place(heap, heap->count++, entry);
	}
	sift_up(heap, entry);
	sift_down(heap, entry);
}

void
time_heap_remove(struct time_heap *heap, struct heap_entry *entry)
{
	size_t at = entry->place;
	struct heap_entry *last;

	if (at == 0)
		return;
	last = heap->items[--heap->count];
	entry->place = 0;
	if (last == entry)
		return;
	place(heap, at - 1, last);
	sift_up(heap, last);
	sift_down(heap, last);
}

struct heap_entry *
time_heap_first(const struct time_heap *heap)
{
	return heap->count == 0 ? NULL : heap->items[0];
}

void
time_heap_release(struct time_heap *heap)
{
	free(heap->items);
	*heap = (struct time_heap){0};
}
