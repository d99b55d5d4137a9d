/* base/fifo.c: a first-in, first-out list of numbers. */
#include "tests/fixtures/fixture.h"

#include "base/fifo.h"

static bool
is_odd(void *arg, uint32_t number)
{
	(void)arg;
	return number % 2 != 0;
}

static void
the_first_that_came_is_first(void **state)
{
	struct fifo fifo = {0};
	uint32_t put = 0, taken = 0;

	assert_true(fifo_count(&fifo) == 0);
	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < round; i++)
			fifo_put(&fifo, put++);
		for (int i = 0; i < round - 1; i++)
			assert_int_equal(fifo_take(&fifo), taken++);
		if (fifo_count(&fifo) > 0)
			assert_int_equal(fifo.items[fifo.first], taken);
	}
	while (fifo_count(&fifo) > 0)
		assert_int_equal(fifo_take(&fifo), taken++);
	assert_int_equal(taken, put);
	free(fifo.items);
}

static void
some_are_kept(void **state)
{
	struct fifo fifo = {0};

	for (uint32_t i = 0; i < 10; i++)
		fifo_put(&fifo, i);
	(void)fifo_take(&fifo);
	(void)fifo_take(&fifo);
	fifo_keep(&fifo, is_odd, NULL);
	for (uint32_t i = 3; i < 10; i += 2)
		assert_int_equal(fifo_take(&fifo), i);
	assert_true(fifo_count(&fifo) == 0);
	free(fifo.items);
}

UNIT(fifo)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_first_that_came_is_first),
	    cmocka_unit_test(some_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
