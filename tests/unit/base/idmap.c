/* base/idmap.c: ids and their numbers, while many are added and removed. */
#include "tests/fixtures/fixture.h"

#include "base/idmap.h"

#define MANY 100000

static void
test_few(void **state)
{
	struct idmap map = {0};

	assert_int_equal(idmap_get(&map, 7), IDMAP_NONE);
	idmap_remove(&map, 7);
	idmap_put(&map, 7, 1);
	idmap_put(&map, 8, 2);
	idmap_put(&map, 7, 3);
	assert_int_equal(idmap_get(&map, 7), 3);
	idmap_remove(&map, 7);
	idmap_remove(&map, 7);
	assert_int_equal(idmap_get(&map, 7), IDMAP_NONE);
	assert_int_equal(idmap_get(&map, 8), 2);
	free(map.slots);
}

/* Two of three ids are removed, and those that are added instead are found,
 * too. */
static void
test_many(void **state)
{
	struct idmap map = {0};
	size_t cap;

	for (int64_t id = 1; id <= MANY; id++)
		idmap_put(&map, id, (uint32_t)id);
	cap = map.cap;
	for (int64_t id = 1; id <= MANY; id++)
		if (id % 3 != 0)
			idmap_remove(&map, id);
	for (int64_t id = 1; id <= MANY; id++)
		assert_int_equal(idmap_get(&map, id),
		    id % 3 != 0 ? IDMAP_NONE : (uint32_t)id);
	for (int64_t id = MANY + 1; id <= 10 * MANY; id++) {
		idmap_put(&map, id, 1);
		idmap_remove(&map, id);
	}
	assert_int_equal(map.cap, cap);
	assert_int_equal(map.count, MANY / 3);
	free(map.slots);
}

/* 0 is never in the map, though free slots look like it. */
static void
test_zero(void **state)
{
	struct idmap map = {0};

	idmap_put(&map, 7, 1);
	assert_int_equal(idmap_get(&map, 0), IDMAP_NONE);
	idmap_remove(&map, 0);
	assert_int_equal(map.count, 1);
	idmap_remove(&map, 7);
	idmap_remove(&map, 0);
	assert_int_equal(map.count, 0);
	free(map.slots);
}

UNIT(idmap)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_few),
	    cmocka_unit_test(test_many),
	    cmocka_unit_test(test_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
