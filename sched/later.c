/* Items ordered by a value, most of them far away: see later.h. */
#include "sched/later.h"

#include <assert.h>
#include <math.h>

#include "base/mem.h"

/* If there are at most NEAR_LEAST items, all are near. If there are more, about
 * a sixteenth of them is: the values of SAMPLES items tell which. */
#define NEAR_LEAST 1024
#define SAMPLES 64
#define NEAR_SAMPLES 4

static void
later_place(struct heap *far, struct heap_words words, uint32_t at,
    struct heap_item item)
{
	far->items[at] = item;
	words.items[item.number] = words.base + POSITIONS_FAR + at;
}

static void
later_append(struct heap *far, struct heap_words words, struct heap_item item)
{
	size_t cap = far->cap;

	mem_limit(far->count, POSITIONS_MAX_AT);
	far->items = mem_grow(
	    far->items, &cap, (size_t)far->count + 1, sizeof(item));
	far->cap = (uint32_t)cap;
	later_place(far, words, far->count++, item);
}

/* A value that about a sixteenth of the items reaches, and one at least. */
static float
later_share(const struct heap *far)
{
	float best[NEAR_SAMPLES]; /* of those seen so far, the highest first */

	for (int k = 0; k < NEAR_SAMPLES; k++)
		best[k] = -INFINITY;
	for (uint64_t i = 0; i < SAMPLES; i++) {
		float value = far->items[i * far->count / SAMPLES].value;

		for (int k = 0; k < NEAR_SAMPLES; k++)
			if (value > best[k]) {
				float lower = best[k];

				best[k] = value;
				value = lower;
			}
	}
	return best[NEAR_SAMPLES - 1];
}

/* Choose anew which items are near. */
static void
later_deal(struct later *later, struct heap_words words)
{
	struct heap *near = &later->near, *far = &later->far;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < near->count; i++)
		later_append(far, words, near->items[i]);
	near->count = 0;
	later->until = far->count <= NEAR_LEAST ? -INFINITY : later_share(far);
	for (uint32_t i = 0; i < far->count; i++) {
		struct heap_item item = far->items[i];

		if (item.value < later->until) {
			later_place(far, words, kept++, item);
			continue;
		}
		words.items[item.number] = POSITIONS_NOWHERE;
		heap_put(near, words, item);
	}
	far->count = kept;
	later->most = near->count < NEAR_LEAST ? 2 * NEAR_LEAST
					       : 2 * near->count;
}

void
later_remove(struct later *later, struct heap_words words, uint32_t number)
{
	struct heap *far = &later->far;

	if (!later_is_far(words, number)) {
		heap_remove(&later->near, words, number);
	} else {
		uint32_t at = words.items[number] - words.base - POSITIONS_FAR;
		struct heap_item last = far->items[--far->count];

		assert(far->items[at].number == number || at == far->count);
		words.items[number] = POSITIONS_NOWHERE;
		if (at < far->count)
			later_place(far, words, at, last);
	}
	if (later_count(later) == 0)
		later_release(later);
	else if (later->near.count == 0)
		later_deal(later, words);
}

void
later_put(struct later *later, struct heap_words words, struct heap_item item)
{
	if (words.items[item.number] != POSITIONS_NOWHERE)
		later_remove(later, words, item.number);
	if (later_count(later) == 0) {
		later->until = -INFINITY;
		later->most = 2 * NEAR_LEAST;
	}
	if (item.value < later->until) {
		later_append(&later->far, words, item);
		return;
	}
	heap_put(&later->near, words, item);
	if (later->near.count > later->most)
		later_deal(later, words);
}

float
later_value(int64_t after_s)
{
	float after = (float)(after_s + 1);

	return -(
	    (int64_t)after <= after_s ? nextafterf(after, INFINITY) : after);
}

void
later_release(struct later *later)
{
	heap_release(&later->near);
	heap_release(&later->far);
}
