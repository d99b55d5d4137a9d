/* Which pages lie in an archive. */
#include "tests/fixtures/fixture.h"

#include "store/archived.h"
#include "store/page.h"
#include "tests/fixtures/store_fixture.h"

static void
test_archived(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	int64_t id = store_page_add(
	    s, document_make(s, SITE, MAP), slice_of("http://a.example/page"));
	struct archived first = {.archive = UINT64_MAX,
	    .at_us = 1700000000123456,
	    .digest = {1, 2, 3, [ARCHIVED_DIGEST - 1] = 0xff},
	    .validators = archived_validators(
		s, slice_of("\"1\""), slice_of(""))};
	struct archived found = {0};

	assert_int_not_equal(first.validators,
	    archived_validators(s, slice_of(""), slice_of("\"1\"")));
	assert_false(store_archived(s, id, &found));
	store_archived_put(s, id, &first);
	assert_int_equal(store_flush(s), DIAG_OK);
	world_reopen(world);
	s = world->store;
	assert_true(store_archived(s, id, &found));
	assert_true(found.archive == first.archive &&
	    found.at_us == first.at_us && found.validators == first.validators);
	assert_memory_equal(found.digest, first.digest, ARCHIVED_DIGEST);
	/* of another archive, in its place */
	first.archive = 7;
	store_archived_put(s, id, &first);
	assert_true(store_archived(s, id, &found));
	assert_int_equal(found.archive, 7);
	assert_false(store_archived(s, id + 1, &found));
}

UNIT(archived)
{
	static const struct CMUnitTest tests[] = {world_test(test_archived)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
