/* Heaps that share one array of positions, compared with a plain search. */
#include "sched/heap.h"

#include <math.h>

#include "tests/fixtures/fixture.h"

enum { HEAPS = 5, NUMBERS = 400, OPERATIONS = 200000 };

struct plain {
	int heap; /* -1: in none */
	float value;
};

/* check(heaps, all): the first item of each heap has the highest value in
 * it. */
static void
check(const struct heap *heaps, const struct plain *all)
{
	for (int h = 0; h < HEAPS; h++) {
		float highest = -1;
		uint32_t count = 0;

		for (size_t i = 0; i < NUMBERS; i++) {
			if (all[i].heap != h)
				continue;
			count++;
			if (all[i].value > highest)
				highest = all[i].value;
		}
		assert_int_equal(heaps[h].count, count);
		if (count > 0) {
			assert_true(heaps[h].items[0].value == highest);
			assert_true(
			    all[heaps[h].items[0].number].value == highest);
		}
		/* an empty heap keeps no memory */
		assert_true(count > 0 || heaps[h].items == NULL);
	}
}

/* drain(heap, words): take all items out, the highest value first. */
static void
drain(struct heap *heap, struct heap_words words)
{
	float last = 1000;

	while (heap->count > 0) {
		struct heap_item first = heap->items[0];

		assert_true(first.value <= last);
		last = first.value;
		heap_remove(heap, words, first.number);
	}
	assert_null(heap->items);
}

static void
test_model(void **state)
{
	static struct plain all[NUMBERS];
	static uint32_t places[NUMBERS];
	struct heap_words words = {places, POSITIONS_QUEUED};
	struct heap heaps[HEAPS] = {0};
	uint64_t seed = 5;

	for (size_t i = 0; i < NUMBERS; i++)
		all[i].heap = -1;
	for (int n = 0; n < OPERATIONS; n++) {
		uint32_t number, random;
		struct plain *one;

		seed = seed * 6364136223846793005U + 1442695040888963407U;
		random = (uint32_t)(seed >> 32);
		number = random % NUMBERS;
		one = &all[number];
		/* the heaps fill and empty in turns */
		if (one->heap >= 0 &&
		    random / 512 % 8 < (n / 5000 % 2 ? 6 : 2)) {
			heap_remove(&heaps[one->heap], words, number);
			one->heap = -1;
			assert_int_equal(places[number], POSITIONS_NOWHERE);
		} else {
			if (one->heap < 0)
				one->heap = (int)(random >> 12) % HEAPS;
			one->value = (float)((random >> 16) % 1000);
			heap_put(&heaps[one->heap], words,
			    (struct heap_item){one->value, number});
		}
		if (n % 50 == 0)
			check(heaps, all);
	}
	for (int h = 0; h < HEAPS; h++)
		drain(&heaps[h], words);
}

/* Many items, of which those with a low value are kept apart: the highest one
 * comes first, however values were put, changed and removed. */
static void
test_later(void **state)
{
	enum { MANY = 20000, STEPS = 300000 };
	static uint32_t places[MANY];
	static float values[MANY]; /* 0: not there */
	struct heap_words words = {places, POSITIONS_DUE};
	struct later later = {0};
	uint64_t seed = 6;
	size_t count = 0;

	(void)state;
	for (int n = 0; n < STEPS; n++) {
		uint32_t number, random;

		seed = seed * 6364136223846793005U + 1442695040888963407U;
		random = (uint32_t)(seed >> 32);
		number = random % MANY;
		/* each item that was put, and no other, is in the near heap or
		 * far */
		assert_true((heap_has(&later.near, words, number) ||
				(places[number] & POSITIONS_FAR) != 0) ==
		    (values[number] < 0));
		count -= values[number] < 0;
		/* time goes on, and a few items are far beyond all others */
		if (random >> 16 & 1 || number % 4 == 0) {
			values[number] = later_value(random % 1000 == 0
				? LATER_MOST
				: n + (random >> 8) % 100000);
			later_put(&later, words,
			    (struct heap_item){values[number], number});
			count++;
		} else if (values[number] < 0) {
			later_remove(&later, words, number);
			values[number] = 0;
		}
		assert_int_equal(later.near.count + later.far.count, count);
		if (n % 1000 == 0 && count > 0) {
			float highest = -INFINITY;

			for (int i = 0; i < MANY; i++)
				if (values[i] < 0)
					highest = fmaxf(highest, values[i]);
			assert_true(later.near.items[0].value == highest);
		}
	}
	assert_true(count > 2000 && later.far.count > count / 2);
	for (float last = 0; later.near.count > 0; count--) {
		struct heap_item first = later.near.items[0];

		assert_true(
		    count == 0 || count == later.near.count + later.far.count);
		assert_true(first.value <= (last < 0 ? last : -1));
		last = first.value;
		later_remove(&later, words, first.number);
	}
	assert_null(later.near.items);
	assert_null(later.far.items);
}

UNIT_TESTS(heap, cmocka_unit_test(test_model), cmocka_unit_test(test_later));
