/* Heaps that record the position of each item. */
#include "sched/heap.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

uint32_t *
positions_at(struct positions *positions, uint32_t number)
{
	size_t need = (size_t)number + 1;

	if (need > positions->count) {
		positions->items = mem_grow(positions->items, &positions->cap,
		    need, sizeof(*positions->items));
		/* Clear no more than `need` items: memory that nobody touches
		 * costs nothing. */
		memset(positions->items + positions->count, 0,
		    (need - positions->count) * sizeof(*positions->items));
		positions->count = need;
	}
	return &positions->items[number];
}

/* Heaps. */

#define WAYS 4 /* children of each item */

static void
heap_place(struct heap *heap, struct heap_words words, uint32_t at,
    struct heap_item item)
{
	heap->items[at] = item;
	words.items[item.number] = words.base + at;
}

/* heap_sift(heap, words, at, item): put the item where its value belongs;
 * position `at` is free. */
static void
heap_sift(struct heap *heap, struct heap_words words, uint32_t at,
    struct heap_item item)
{
	while (at > 0 && heap->items[(at - 1) / WAYS].value < item.value) {
		heap_place(heap, words, at, heap->items[(at - 1) / WAYS]);
		at = (at - 1) / WAYS;
	}
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
		assert(heap_has(heap, words, item.number));
		at = words.items[item.number] - words.base;
	}
	heap_sift(heap, words, at, item);
}

void
heap_remove(struct heap *heap, struct heap_words words, uint32_t number)
{
	uint32_t at = words.items[number] - words.base;
	struct heap_item last;

	assert(heap_has(heap, words, number));
	last = heap->items[--heap->count];
	words.items[number] = POSITIONS_NOWHERE;
	if (last.number != number)
		heap_sift(heap, words, at, last);
	if (heap->count == 0)
		heap_release(heap);
}

void
heap_release(struct heap *heap)
{
	free(heap->items);
	*heap = (struct heap){0};
}

/* Items that are mostly far away. */

/* If there are at most NEAR_LEAST items, all are near. If there are more, about
 * a sixteenth of them is: the values of SAMPLES items tell which. */
#define NEAR_LEAST 1024
#define SAMPLES 64
#define NEAR_SAMPLES 4

static void
later_append(struct heap *far, struct heap_words words, struct heap_item item)
{
	size_t cap = far->cap;

	mem_limit(far->count, POSITIONS_MAX_AT);
	far->items = mem_grow(
	    far->items, &cap, (size_t)far->count + 1, sizeof(item));
	far->cap = (uint32_t)cap;
	words.base += POSITIONS_FAR;
	heap_place(far, words, far->count++, item);
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
	struct heap_words outer = {words.items, words.base + POSITIONS_FAR};
	uint32_t kept = 0;

	for (uint32_t i = 0; i < near->count; i++)
		later_append(far, words, near->items[i]);
	near->count = 0;
	later->until = far->count <= NEAR_LEAST ? -INFINITY : later_share(far);
	for (uint32_t i = 0; i < far->count; i++) {
		struct heap_item item = far->items[i];

		if (item.value < later->until) {
			heap_place(far, outer, kept++, item);
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
	struct heap_words outer = {words.items, words.base + POSITIONS_FAR};

	if ((words.items[number] & outer.base) != outer.base) {
		heap_remove(&later->near, words, number);
	} else {
		uint32_t at = words.items[number] - outer.base;
		struct heap_item last = far->items[--far->count];

		assert(far->items[at].number == number || at == far->count);
		words.items[number] = POSITIONS_NOWHERE;
		if (at < far->count)
			heap_place(far, outer, at, last);
	}
	if (later->near.count == 0 && far->count == 0)
		heap_release(far);
	else if (later->near.count == 0)
		later_deal(later, words);
}

void
later_put(struct later *later, struct heap_words words, struct heap_item item)
{
	if (words.items[item.number] != POSITIONS_NOWHERE)
		later_remove(later, words, item.number);
	if (later->near.count == 0) {
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

/* Rankings. */

static bool
ranking_is_before(const struct ranking_item *a, const struct ranking_item *b)
{
	if (a->key < b->key || a->key > b->key)
		return a->key < b->key;
	return a->number < b->number;
}

static void
ranking_set(struct ranking *ranking, uint32_t at, struct ranking_item item)
{
	ranking->items[at] = item;
	ranking->positions->items[item.number] = at + 1;
}

/* ranking_sift(ranking, at, item): put the item where its key belongs; position
 * `at` is free. */
static void
ranking_sift(struct ranking *ranking, uint32_t at, struct ranking_item item)
{
	const struct ranking_item *items = ranking->items;

	while (at > 0 && ranking_is_before(&item, &items[(at - 1) / WAYS])) {
		ranking_set(ranking, at, items[(at - 1) / WAYS]);
		at = (at - 1) / WAYS;
	}
	for (;;) {
		uint32_t first = WAYS * at + 1, least = first;

		for (uint32_t i = first + 1;
		     i < first + WAYS && i < ranking->count; i++)
			if (ranking_is_before(&items[i], &items[least]))
				least = i;
		if (first >= ranking->count ||
		    !ranking_is_before(&items[least], &item))
			break;
		ranking_set(ranking, at, items[least]);
		at = least;
	}
	ranking_set(ranking, at, item);
}

void
ranking_put(struct ranking *ranking, uint32_t number, double key)
{
	struct ranking_item item = {isnan(key) ? INFINITY : key, number};
	size_t cap = ranking->cap;
	uint32_t word;

	if (ranking->positions == NULL) {
		ranking->positions = mem_zero(sizeof(*ranking->positions));
		ranking->is_own = true;
	}
	word = *positions_at(ranking->positions, number);
	if (word == POSITIONS_NOWHERE) {
		mem_limit(ranking->count, POSITIONS_MAX_AT / WAYS);
		ranking->items = mem_grow(ranking->items, &cap,
		    (size_t)ranking->count + 1, sizeof(*ranking->items));
		ranking->cap = (uint32_t)cap;
		word = ++ranking->count;
	}
	ranking_sift(ranking, word - 1, item);
}

void
ranking_remove(struct ranking *ranking, uint32_t number)
{
	uint32_t at;

	if (ranking_find(ranking, number) == NULL)
		return;
	at = ranking->positions->items[number] - 1;
	ranking->positions->items[number] = POSITIONS_NOWHERE;
	ranking->count--;
	if (at < ranking->count)
		ranking_sift(ranking, at, ranking->items[ranking->count]);
}

const struct ranking_item *
ranking_find(const struct ranking *ranking, uint32_t number)
{
	uint32_t word = ranking->positions == NULL
	    ? POSITIONS_NOWHERE
	    : positions_get(ranking->positions, number);

	if (word == POSITIONS_NOWHERE || word > ranking->count)
		return NULL;
	return ranking->items[word - 1].number == number
	    ? &ranking->items[word - 1]
	    : NULL;
}

const struct ranking_item *
ranking_first(const struct ranking *ranking)
{
	return ranking->count == 0 ? NULL : &ranking->items[0];
}

void
ranking_release(struct ranking *ranking)
{
	free(ranking->items);
	if (ranking->is_own) {
		free(ranking->positions->items);
		free(ranking->positions);
	}
	*ranking = (struct ranking){0};
}
