/* A heap that records the position of each item: see heap.h. */
#include "sched/heap.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

#define WAYS 4 /* children of each item */

static void
heap_place(struct heap *heap, struct heap_words words, uint32_t at,
    struct heap_item item)
{
	heap->items[at] = item;
	words.items[item.number] = words.base + at;
}

static void
heap_up(struct heap *heap, struct heap_words words, uint32_t at)
{
	struct heap_item item = heap->items[at];

	while (at > 0 && heap->items[(at - 1) / WAYS].value < item.value) {
		heap_place(heap, words, at, heap->items[(at - 1) / WAYS]);
		at = (at - 1) / WAYS;
	}
	heap_place(heap, words, at, item);
}

static void
heap_down(struct heap *heap, struct heap_words words, uint32_t at)
{
	struct heap_item item = heap->items[at];

	for (;;) {
		uint32_t first = WAYS * at + 1, child = first;

		if (first >= heap->count)
			break;
		for (uint32_t i = first + 1;
		     i < first + WAYS && i < heap->count; i++)
			if (heap->items[i].value > heap->items[child].value)
				child = i;
		if (heap->items[child].value <= item.value)
			break;
		heap_place(heap, words, at, heap->items[child]);
		at = child;
	}
	heap_place(heap, words, at, item);
}

/* heap_at(heap, words, number): return the position of a number, which must be
 * in this heap. */
static uint32_t
heap_at(const struct heap *heap, struct heap_words words, uint32_t number)
{
	uint32_t at = words.items[number] - words.base;

	assert(at < heap->count && heap->items[at].number == number);
	return at;
}

void
heap_put(struct heap *heap, struct heap_words words, struct heap_item item)
{
	uint32_t at;

	if (words.items[item.number] == POSITIONS_NOWHERE) {
		size_t cap = heap->cap;

		mem_limit(heap->count, POSITIONS_MAX_AT / WAYS);
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
		at = heap_at(heap, words, item.number);
	}
	heap_place(heap, words, at, item);
	heap_up(heap, words, at);
	heap_down(heap, words, heap_at(heap, words, item.number));
}

void
heap_remove(struct heap *heap, struct heap_words words, uint32_t number)
{
	uint32_t at = heap_at(heap, words, number);
	struct heap_item last = heap->items[--heap->count];

	words.items[number] = POSITIONS_NOWHERE;
	if (last.number != number) {
		heap_place(heap, words, at, last);
		heap_up(heap, words, at);
		heap_down(heap, words, heap_at(heap, words, last.number));
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
