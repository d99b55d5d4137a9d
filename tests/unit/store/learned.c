/* What the scheduler stores. */
#include "tests/fixtures/fixture.h"

#include "store/hold.h"
#include "tests/fixtures/store_fixture.h"

static void
put_learned(void *arg, int64_t id, struct slice data)
{
	(void)buf_print(arg, "%d=%.*s ", (int)id, (int)data.len, data.p);
}

static void
test_learned(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct buf *out = &world->out;

	store_learned(s, "site", 2, slice_of("two"));
	store_learned(s, "site", 1, slice_of("one"));
	store_learned(s, "document", 1, slice_of("doc"));
	store_learned(s, "site", 2, slice_of("TWO"));
	store_learned(s, "site", 3, slice_of("three"));
	store_learned(s, "site", 3, slice_of(""));
	assert_int_equal(store_flush(s), DIAG_OK);
	world_reopen(world);

	store_each_learned(world->store, "site", put_learned, out);
	assert_string_equal(buf_str(out), "1=one 2=TWO ");
	assert_true(store_learned_get(world->store, "document", 1, out));
	assert_string_equal(buf_str(out), "1=one 2=TWO doc");
	assert_false(store_learned_get(world->store, "document", 2, out));
	assert_false(store_learned_get(world->store, "site", 3, out));
}

UNIT_TESTS(learned, world_test(test_learned));
