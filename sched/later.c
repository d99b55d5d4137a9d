/* Items ordered by a value, most of them far away: see later.h. */
#include "sched/later.h"

#include <assert.h>

#include "base/mem.h"

/* If there are at most NEAR_LEAST items, all are near. If there are more, those
 * are near whose values lie in the first sixteenth of the whole span. */
#define NEAR_LEAST 1024
#define NEAR_SHARE 16

static void
later_place(
    struct heap *far, uint32_t *words, uint32_t at, struct heap_item item)
{
	far->items[at] = item;
	words[item.number] = POSITIONS_QUEUED + POSITIONS_FAR + at;
}

/* Move the items of the next part of the span from `far` to `near`. */
static void
later_fill(struct later *later, uint32_t *words)
{
	struct heap *far = &later->far;
	float first = far->items[0].value, last = first;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < far->count; i++) {
		float value = far->items[i].value;

		first = value > first ? value : first;
		last = value < last ? value : last;
	}
	later->until = far->count <= NEAR_LEAST
	    ? last
	    : first - (first - last) / NEAR_SHARE;
	for (uint32_t i = 0; i < far->count; i++) {
		struct heap_item item = far->items[i];

		if (item.value < later->until) {
			later_place(far, words, kept++, item);
			continue;
		}
		words[item.number] = POSITIONS_NOWHERE;
		heap_put(&later->near, words, item);
	}
	far->count = kept;
}

void
later_remove(struct later *later, uint32_t *words, uint32_t number)
{
	struct heap *far = &later->far;

	if (words[number] < POSITIONS_QUEUED + POSITIONS_FAR) {
		heap_remove(&later->near, words, number);
	} else {
		uint32_t at = words[number] - POSITIONS_QUEUED - POSITIONS_FAR;
		struct heap_item last = far->items[--far->count];

		assert(far->items[at].number == number || at == far->count);
		words[number] = POSITIONS_NOWHERE;
		if (at < far->count)
			later_place(far, words, at, last);
	}
	if (later_count(later) == 0)
		later_release(later);
	else if (later->near.count == 0)
		later_fill(later, words);
}

void
later_put(struct later *later, uint32_t *words, struct heap_item item)
{
	struct heap *far = &later->far;
	size_t cap = far->cap;

	if (words[item.number] != POSITIONS_NOWHERE)
		later_remove(later, words, item.number);
	if (far->count == 0 && later->near.count >= NEAR_LEAST)
		later->until = later->near.items[0].value;
	if (later->near.count == 0 || item.value >= later->until ||
	    (far->count == 0 && later->near.count < NEAR_LEAST)) {
		heap_put(&later->near, words, item);
		return;
	}
	mem_limit(far->count, POSITIONS_FAR - 1);
	far->items = mem_grow(
	    far->items, &cap, (size_t)far->count + 1, sizeof(item));
	far->cap = (uint32_t)cap;
	later_place(far, words, far->count++, item);
}

void
later_release(struct later *later)
{
	heap_release(&later->near);
	heap_release(&later->far);
}
