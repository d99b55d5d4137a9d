/* The calendar queue: order, ranges, jumps, and a plain model beside it. */
#include "sched/calendar.h"

#include <stdlib.h>

#include "base/mem.h"
#include "sched/positions.h"
#include "tests/fixtures/fixture.h"

enum { TICK = 60, BEGIN = 1000000000 };

struct scene {
	struct positions positions;
	struct calendar *calendar;
};

static void
scene_begin(struct scene *scene)
{
	*scene = (struct scene){0};
	scene->calendar = calendar_new(&scene->positions, TICK, BEGIN);
}

static void
scene_end(struct scene *scene)
{
	calendar_free(scene->calendar);
	positions_release(&scene->positions);
}

/* count(scene): how many items the calendar has. */
static size_t
count(const struct scene *scene)
{
	size_t n = 0;

	for (size_t i = 0; i < scene->positions.count; i++)
		n += scene->positions.items[i] != POSITIONS_NOWHERE;
	return n;
}

/* taken(calendar, now_s): the only number that is due at now_s; -1: none. */
static long
taken(struct calendar *calendar, int64_t now_s)
{
	uint32_t numbers[2];
	size_t n = calendar_take(calendar, now_s, numbers, 2);

	assert_true(n < 2);
	return n == 0 ? -1 : (long)numbers[0];
}

/* Each time lies at an edge of a level; its item becomes due neither early nor
 * late. */
static void
test_edges(void **state)
{
	static const int64_t ticks[] = {0, 1, 2, 255, 256, 257, 511, 512, 65535,
	    65536, 65537, 131072, 16777215, 16777216, 16777217, 1 << 29,
	    (1 << 30) - 2};
	struct scene scene;

	for (size_t from = 0; from < COUNT(ticks); from++)
		for (size_t to = 0; to < COUNT(ticks); to++) {
			int64_t begin_s = BEGIN + ticks[from] * TICK;
			int64_t due_s = BEGIN + ticks[to] * TICK;
			int64_t got_s;

			scene_begin(&scene);
			assert_int_equal(taken(scene.calendar, begin_s), -1);
			calendar_put(scene.calendar, 7, due_s);
			assert_true(calendar_due_s(scene.calendar, 7, &got_s));
			assert_true(got_s == due_s);
			if (due_s > begin_s)
				assert_int_equal(
				    taken(scene.calendar, due_s - 1), -1);
			assert_int_equal(count(&scene), 1);
			assert_true(calendar_next_s(scene.calendar) <=
			    (due_s > begin_s ? due_s : begin_s));
			assert_int_equal(taken(scene.calendar,
					     due_s > begin_s ? due_s : begin_s),
			    7);
			assert_int_equal(count(&scene), 0);
			assert_true(
			    calendar_next_s(scene.calendar) == INT64_MAX);
			scene_end(&scene);
		}
}

/* Times are rounded up to ticks, past times are due now, and INT64_MAX is far
 * away. */
static void
test_times(void **state)
{
	struct scene scene;
	int64_t due_s;

	scene_begin(&scene);
	calendar_put(scene.calendar, 1, BEGIN + 1);
	assert_int_equal(taken(scene.calendar, BEGIN + TICK - 1), -1);
	assert_true(calendar_next_s(scene.calendar) == BEGIN + TICK);
	assert_int_equal(taken(scene.calendar, BEGIN + TICK), 1);
	calendar_put(scene.calendar, 2, INT64_MIN);
	assert_true(calendar_next_s(scene.calendar) == BEGIN + TICK);
	assert_int_equal(taken(scene.calendar, INT64_MIN), 2);
	calendar_put(scene.calendar, 3, INT64_MAX);
	assert_int_equal(
	    taken(scene.calendar, BEGIN + (int64_t)TICK * (1 << 29)), -1);
	assert_int_equal(taken(scene.calendar, INT64_MAX), 3);
	assert_false(calendar_due_s(scene.calendar, 3, &due_s));
	calendar_put(scene.calendar, 4, INT64_MAX);
	assert_int_equal(taken(scene.calendar, INT64_MAX), 4);
	calendar_remove(scene.calendar, 5); /* never seen */
	scene_end(&scene);
}

/* The last call of calendar_put counts, and a removed item does not come
 * back. */
static void
test_again(void **state)
{
	struct scene scene;

	scene_begin(&scene);
	calendar_put(scene.calendar, 1, BEGIN + 1000 * TICK);
	calendar_put(scene.calendar, 1, BEGIN + 10 * TICK);
	calendar_put(scene.calendar, 1, BEGIN + 2000 * TICK);
	calendar_put(scene.calendar, 1, BEGIN + 1000 * TICK);
	assert_int_equal(count(&scene), 1);
	assert_int_equal(taken(scene.calendar, BEGIN + 999 * TICK), -1);
	assert_int_equal(taken(scene.calendar, BEGIN + 1000 * TICK), 1);
	assert_int_equal(taken(scene.calendar, BEGIN + 9000 * TICK), -1);
	calendar_put(scene.calendar, 1, BEGIN + 9001 * TICK);
	calendar_remove(scene.calendar, 1);
	calendar_remove(scene.calendar, 1);
	assert_int_equal(count(&scene), 0);
	assert_true(calendar_next_s(scene.calendar) == INT64_MAX);
	assert_int_equal(taken(scene.calendar, BEGIN + 9900 * TICK), -1);
	scene_end(&scene);
}

/* The clock was wrong for a while, ahead or behind. */
static void
test_rewind(void **state)
{
	static const int64_t jumps_s[] = {-BEGIN, -86400 * 365, -1, 0, 1,
	    86400 * 365, (int64_t)1 << 60, -((int64_t)1 << 60)};
	uint32_t numbers[8];
	struct scene scene;

	for (size_t i = 0; i < COUNT(jumps_s); i++) {
		int64_t now_s = BEGIN + jumps_s[i];

		scene_begin(&scene);
		for (uint32_t n = 0; n < 5; n++)
			calendar_put(scene.calendar, n,
			    BEGIN + ((int64_t)TICK << n * 6));
		calendar_put(scene.calendar, 0, BEGIN + TICK * 77); /* stale */
		calendar_remove(scene.calendar, 2);
		calendar_rewind(scene.calendar, now_s);
		assert_int_equal(count(&scene), 4);
		assert_int_equal(
		    calendar_take(scene.calendar, now_s, numbers, 8), 4);
		calendar_put(scene.calendar, 4, now_s + TICK);
		assert_int_equal(taken(scene.calendar, now_s + TICK - 1), -1);
		assert_int_equal(taken(scene.calendar, now_s + TICK), 4);
		scene_end(&scene);
	}
}

/* --- a plain model: an array of times ---------------------------------- */

enum { NUMBERS = 3000, OPERATIONS = 1000000 };

struct model {
	struct scene scene;
	uint64_t seed;
	int64_t now_s; /* the highest given */
	size_t count;
	int64_t due_s[NUMBERS]; /* INT64_MIN: not in it */
};

static uint64_t
below(struct model *model, uint64_t n)
{
	model->seed = model->seed * 6364136223846793005U + 1442695040888963407U;
	return (model->seed >> 33) % n;
}

static void
model_forget(struct model *model, uint32_t number)
{
	assert_true(model->due_s[number] != INT64_MIN);
	model->due_s[number] = INT64_MIN;
	model->count--;
}

static void
model_put(struct model *model)
{
	uint32_t number = (uint32_t)below(model, NUMBERS);
	int64_t ahead_s = (int64_t)below(model, 1U << below(model, 31)) - 100;

	if (model->due_s[number] == INT64_MIN)
		model->count++;
	model->due_s[number] = model->now_s + ahead_s;
	calendar_put(model->scene.calendar, number, model->due_s[number]);
}

/* model_take(model, max): all items that come out are due; if they are fewer
 * than max, no due item remains. */
static void
model_take(struct model *model, size_t max)
{
	uint32_t numbers[64];
	int64_t now_s = model->now_s - (int64_t)below(model, 100);
	int64_t tick_s = BEGIN + (model->now_s - BEGIN) / TICK * TICK;
	size_t n;

	if (now_s < BEGIN)
		now_s = BEGIN;
	/* an earlier time changes nothing */
	(void)calendar_take(model->scene.calendar, model->now_s, numbers, 0);
	n = calendar_take(model->scene.calendar, now_s, numbers, max);
	for (size_t i = 0; i < n; i++) {
		assert_true(model->due_s[numbers[i]] <= tick_s);
		model_forget(model, numbers[i]);
	}
	if (n == max)
		return;
	for (uint32_t i = 0; i < NUMBERS; i++)
		assert_true(
		    model->due_s[i] == INT64_MIN || model->due_s[i] > tick_s);
	assert_true(calendar_next_s(model->scene.calendar) > tick_s);
}

static void
model_rewind(struct model *model)
{
	uint32_t numbers[NUMBERS];
	size_t n;

	model->now_s += (int64_t)below(model, 2000000) - 1000000;
	if (model->now_s < BEGIN)
		model->now_s = BEGIN;
	/* round down to whole ticks since BEGIN, as model_take does */
	model->now_s = BEGIN + (model->now_s - BEGIN) / TICK * TICK;
	calendar_rewind(model->scene.calendar, model->now_s);
	n = calendar_take(
	    model->scene.calendar, model->now_s, numbers, NUMBERS);
	assert_int_equal(n, model->count);
	for (size_t i = 0; i < n; i++)
		model_forget(model, numbers[i]);
}

static void
model_step(struct model *model)
{
	struct calendar *calendar = model->scene.calendar;
	uint32_t number = (uint32_t)below(model, NUMBERS);
	int64_t due_s;

	switch (below(model, 40)) {
	case 0:
		calendar_remove(calendar, number);
		if (model->due_s[number] != INT64_MIN)
			model_forget(model, number);
		break;
	case 1:
		/* mostly small steps: from a second to a year */
		model->now_s += (int64_t)below(model, 1U << below(model, 26));
		break;
	case 2:
	case 3:
	case 4:
		model_take(model, 1 + below(model, 64));
		break;
	case 5:
		if (below(model, 2000) == 0)
			model_rewind(model);
		break;
	case 6:
		assert_true(calendar_due_s(calendar, number, &due_s) ==
		    (model->due_s[number] != INT64_MIN));
		break;
	default:
		model_put(model);
	}
	assert_true(
	    (positions_get(&model->scene.positions, number) ==
		POSITIONS_NOWHERE) == (model->due_s[number] == INT64_MIN));
}

static void
test_model(void **state)
{
	struct model *model = mem_zero(sizeof(*model));

	scene_begin(&model->scene);
	model->seed = 11;
	model->now_s = BEGIN;
	for (size_t i = 0; i < NUMBERS; i++)
		model->due_s[i] = INT64_MIN;
	for (int i = 0; i < OPERATIONS; i++)
		model_step(model);
	/* Old positions of items never pile up: there are at most 1,100 chunks
	 * of 512 bytes, of which each bucket may have one that is not full. */
	assert_true(calendar_bytes(model->scene.calendar) < 1100 * 512);
	scene_end(&model->scene);
	free(model);
}

/* All dates of a site move again and again, and nobody takes the due items:
 * the memory does not grow beyond that of the numbers. */
static void
test_memory(void **state)
{
	enum { MANY = 200000 };
	struct scene scene;

	scene_begin(&scene);
	for (int round = 0; round < 20; round++)
		for (uint32_t n = 0; n < MANY; n++)
			calendar_put(scene.calendar, n,
			    BEGIN +
				TICK * (int64_t)((n * 7 + round * 977) % 5000));
	assert_int_equal(count(&scene), MANY);
	assert_true((double)calendar_bytes(scene.calendar) <
	    MANY * 4 * 9 / 8 * 1.1 + 1025 * 512);
	scene_end(&scene);
}

UNIT_TESTS(calendar, cmocka_unit_test(test_edges), cmocka_unit_test(test_times),
    cmocka_unit_test(test_again), cmocka_unit_test(test_rewind),
    cmocka_unit_test(test_model), cmocka_unit_test(test_memory));
