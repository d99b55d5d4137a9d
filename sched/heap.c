/* A heap that records the position of each item: see heap.h. */
#include "sched/heap.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/positions.h"

static void
place(struct heap *heap, uint32_t *words, uint32_t at, struct heap_item item)
{
	heap->items[at] = item;
	words[item.number] = POSITIONS_QUEUED + at;
}

static void
sift_up(struct heap *heap, uint32_t *words, uint32_t at)
{
	struct heap_item item = heap->items[at];

	while (at > 0 && heap->items[(at - 1) / 2].value < item.value) {
		place(heap, words, at, heap->items[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	place(heap, words, at, item);
}

static void
sift_down(struct heap *heap, uint32_t *words, uint32_t at)
{
	struct heap_item item = heap->items[at];

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= heap->count)
			break;
		if (child + 1 < heap->count &&
		    heap->items[child + 1].value > heap->items[child].value)
			child++;
		if (heap->items[child].value <= item.value)
			break;
		place(heap, words, at, heap->items[child]);
		at = child;
	}
	place(heap, words, at, item);
}

/* place_of(heap, words, number): return the position of a number, which must be
 * in this heap. */
static uint32_t
place_of(const struct heap *heap, const uint32_t *words, uint32_t number)
{
	uint32_t at = words[number] - POSITIONS_QUEUED;

	assert(at < heap->count && heap->items[at].number == number);
	return at;
}

void
heap_put(struct heap *heap, uint32_t *words, struct heap_item item)
{
	uint32_t at;

	if (words[item.number] == POSITIONS_NOWHERE) {
		size_t cap = heap->cap;

		mem_limit(heap->count, POSITIONS_MAX_AT);
		if (heap->items == NULL) {
			/* Most hosts have one item at a time. */
			cap = 1;
			heap->items = mem_alloc(sizeof(*heap->items));
		}
		heap->items = mem_grow(heap->items, &cap,
		    (size_t)heap->count + 1, sizeof(*heap->items));
		heap->cap = (uint32_t)cap;
		at = heap->count++;
	} else {
		at = place_of(heap, words, item.number);
	}
	place(heap, words, at, item);
	sift_up(heap, words, at);
	sift_down(heap, words, place_of(heap, words, item.number));
}

void
heap_remove(struct heap *heap, uint32_t *words, uint32_t number)
{
	uint32_t at = place_of(heap, words, number);
	struct heap_item last = heap->items[--heap->count];

	words[number] = POSITIONS_NOWHERE;
	if (last.number != number) {
		place(heap, words, at, last);
		sift_up(heap, words, at);
		sift_down(heap, words, place_of(heap, words, last.number));
	}
	if (heap->count == 0)
		heap_release(heap);
}

void
heap_release(struct heap *heap)
{
	free(heap->items);
	*heap = (struct heap){0};
}
