/* store/proof.c: the parsed rules of robots.txt. */
#include "tests/fixtures/fixture.h"

#include "base/robots.h"
#include "store/proof.h"
#include "tests/fixtures/store_fixture.h"

/* The store gets a robots.txt of that origin; NULL: there is no file. */
static void
answer(struct store *store, const char *origin, const char *body)
{
	struct robots_fact fact = {.origin = slice_of(origin),
	    .fetched_s = 1,
	    .status = body != NULL ? 200 : 404,
	    .has_body = body != NULL,
	    .body = slice_of(body)};

	(void)store_robots(store, &fact);
}

static const struct robots *
rules_of(struct store *store, const char *origin, bool repairs)
{
	return store_rules(
	    store, slice_of(origin), slice_of(ROBOTS_PRODUCT), repairs);
}

static bool
allows(const struct robots *robots, const char *target)
{
	return robots_verdict(robots, slice_of(target)).is_allowed;
}

#define ORIGIN "http://h.test"

static void
test_rules(void **state)
{
	struct world *world = *state;
	struct store *store = world->store;
	const struct robots *rules;

	assert_null(rules_of(store, ORIGIN, true));
	answer(store, ORIGIN,
	    "User-agent: *\nDisalow: /a\nSitemap: http://h.test/s.xml\n");
	/* SPEC R-97: the same file has other rules without repairs. */
	assert_true(allows(rules_of(store, ORIGIN, false), "/a"));
	rules = rules_of(store, ORIGIN, true);
	assert_false(allows(rules, "/a"));
	assert_int_equal(rules->sitemaps.count, 0);
	/* there is one copy, until the file is another one */
	assert_ptr_equal(rules_of(store, ORIGIN, true), rules);
	answer(store, ORIGIN, "User-agent: *\nDisallow: /b\n");
	rules = rules_of(store, ORIGIN, true);
	assert_true(allows(rules, "/a"));
	assert_false(allows(rules, "/b"));
	answer(store, ORIGIN, NULL);
	assert_null(rules_of(store, ORIGIN, true));
}

/* Rules that were handed over are not parsed again. */
static void
test_kept(void **state)
{
	struct world *world = *state;
	struct store *store = world->store;
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct robots *robots = robots_parse(
	    slice_of("User-agent: *\nDisallow: /c\n"), slice_of(ROBOTS_PRODUCT),
	    &profile, (struct diag_sink){0});

	answer(store, ORIGIN, "User-agent: *\nDisallow: /b\n");
	store_rules_keep(store, slice_of(ORIGIN), robots, true);
	assert_ptr_equal(rules_of(store, ORIGIN, true), robots);
	answer(store, ORIGIN, "User-agent: *\nDisallow: /b\n");
	assert_false(allows(rules_of(store, ORIGIN, true), "/b"));
}

/* HOSTILE E30: with too many rules, those of other origins are dropped, and
 * parsed again when they are asked for. */
static void
test_memory(void **state)
{
	struct world *world = *state;
	struct store *store = world->store;
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct buf many, origin;
	size_t bytes = 0;

	buf_init(&many, SIZE_MAX);
	buf_init(&origin, SIZE_MAX);
	(void)buf_print(&many, "User-agent: *\n");
	while (many.len < 400000)
		(void)buf_print(&many, "Allow:/\n");
	answer(store, ORIGIN, "User-agent: *\nDisallow: /b\n");
	/* these are not the rules that the store has */
	store_rules_keep(store, slice_of(ORIGIN),
	    robots_parse(slice_of("User-agent: *\nDisallow: /c\n"),
		slice_of(ROBOTS_PRODUCT), &profile, (struct diag_sink){0}),
	    true);
	for (int i = 0; bytes <= 32u << 20; i++) {
		/* the copy that was handed over */
		assert_true(allows(rules_of(store, ORIGIN, true), "/b"));
		buf_clear(&origin);
		(void)buf_print(&origin, "http://h%d.test", i);
		answer(store, buf_str(&origin), buf_str(&many));
		bytes += robots_bytes(rules_of(store, buf_str(&origin), true));
	}
	assert_false(allows(rules_of(store, ORIGIN, true), "/b"));
	assert_true(allows(rules_of(store, buf_str(&origin), true), "/b"));
	buf_release(&origin);
	buf_release(&many);
}

UNIT_TESTS(proof, world_test(test_rules), world_test(test_kept),
    world_test(test_memory));
