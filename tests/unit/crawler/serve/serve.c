/* crawler/serve/serve.c: which pages are given again, and for how long. */
#include "crawler/serve/serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/fixtures/fixture.h"

#define LONG_MS (SERVE_KEPT_CPU_MS + INT64_C(1))

static void
kept_release(struct serve_kept *kept)
{
	free(kept->target);
	free(kept->body);
}

static void
expect(const struct serve_kept *kept, const char *target, int64_t now_ms,
    const char *body)
{
	assert_true(
	    slice_equal(serve_kept_get(kept, target, now_ms), slice_of(body)));
}

/* A page is given again for a minute, and then never. */
static void
lasts(void **state)
{
	struct serve_kept kept = {0};

	expect(&kept, "/", 0, "");
	serve_kept_put(&kept, "/", slice_of("one"), LONG_MS, 5);
	expect(&kept, "/", 5, "one");
	expect(&kept, "/?days=7", 5, "");
	expect(&kept, "/", 5 + SERVE_KEPT_MS - 1, "one");
	expect(&kept, "/", 5 + SERVE_KEPT_MS, "");
	serve_kept_put(&kept, "/", slice_of("two"), LONG_MS, 70000);
	expect(&kept, "/", 70001, "two");
	kept_release(&kept);
}

/* What is made quickly is made each time, and what is long is not kept; a page
 * that was kept before stays then. */
static void
chooses(void **state)
{
	char *bytes = mem_zero(SERVE_KEPT_BYTES + 1);
	struct serve_kept kept = {0};

	serve_kept_put(&kept, "/a", slice_of("a"), SERVE_KEPT_CPU_MS - 1, 0);
	expect(&kept, "/a", 0, "");
	serve_kept_put(
	    &kept, "/b", slice_make(bytes, SERVE_KEPT_BYTES + 1), LONG_MS, 0);
	expect(&kept, "/b", 0, "");
	serve_kept_put(
	    &kept, "/b", slice_make(bytes, SERVE_KEPT_BYTES), LONG_MS, 0);
	assert_int_equal(serve_kept_get(&kept, "/b", 0).len, SERVE_KEPT_BYTES);
	kept_release(&kept);
	free(bytes);
}

/* The last one is kept. */
static void
is_bounded(void **state)
{
	struct serve_kept kept = {0};

	serve_kept_put(&kept, "/a", slice_of("a"), LONG_MS, 1);
	serve_kept_put(&kept, "/b", slice_of("b"), LONG_MS, 2);
	expect(&kept, "/a", 3, "");
	expect(&kept, "/b", 3, "b");
	kept_release(&kept);
}

UNIT(serve)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lasts),
	    cmocka_unit_test(chooses),
	    cmocka_unit_test(is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
