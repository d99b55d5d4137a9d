/* Which requests may have a name looked up now. */
#include "crawler/fetch_lookups.h"

#include "tests/unit/fixture.h"

#include "base/host.h"

static const char *const suffixes[] = {"example", "shops.example", NULL};

static void
parse(struct url *url, const char *text)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);

	url_init(url);
	assert_int_equal(url_parse(url, slice_of(text), NULL, &profile,
			     (struct diag_sink){0}),
	    DIAG_OK);
}

/* What libcurl knows needs no thread; what has no address has none for a
 * while, whatever the port. */
static void
test_memory(void **state)
{
	struct lookups *lookups = lookups_new();
	struct url url, other, literal;

	(void)state;
	parse(&url, "http://a.example/");
	parse(&other, "http://a.example:81/");
	parse(&literal, "http://127.0.0.1/");
	assert_true(lookups_is_known(lookups, &literal, 0));
	assert_false(lookups_is_known(lookups, &url, 0));
	lookups_found(lookups, &url, 0);
	assert_true(lookups_is_known(lookups, &url, 0));
	assert_false(lookups_is_known(lookups, &other, 0));
	assert_false(lookups_is_known(lookups, &url, LOOKUPS_CACHE_S * 1000));
	assert_false(lookups_is_lost(lookups, &url, 0));
	lookups_lost(lookups, &other, 0, false);
	assert_true(lookups_is_lost(lookups, &url, 0));
	assert_true(lookups_is_lost(lookups, &url, LOOKUPS_LOST_S * 1000 - 1));
	assert_false(lookups_is_lost(lookups, &url, LOOKUPS_LOST_S * 1000));
	assert_false(lookups_left_behind(lookups));
	url_release(&url);
	url_release(&other);
	url_release(&literal);
	lookups_free(lookups);
}

static const struct {
	const char *a, *b;
	bool is_same;
} owners[] = {
    {"http://a.x.example/", "http://b.c.x.example/", true},
    {"http://x.example/", "http://b.x.example:81/", true},
    {"http://x.example/", "http://y.example/", false},
    {"http://a.shops.example/", "http://b.shops.example/", false},
    {"http://127.0.0.1/", "http://127.0.0.2/", false},
};

static void
test_owners(void **state)
{
	(void)state;
	host_set_suffixes(suffixes);
	for (size_t i = 0; i < sizeof(owners) / sizeof(owners[0]); i++) {
		struct url a, b;

		parse(&a, owners[i].a);
		parse(&b, owners[i].b);
		assert_int_equal(
		    lookups_owner(&a) == lookups_owner(&b), owners[i].is_same);
		url_release(&a);
		url_release(&b);
	}
	host_set_suffixes(NULL);
}

/* HOSTILE T5: sixteen at once; one owner has four places, and 64 that wait. */
static void
test_places(void **state)
{
	struct lookups *lookups = lookups_new();
	unsigned taken = 0;

	(void)state;
	for (int i = 0; i < LOOKUPS_MAX_WAITING; i++)
		assert_true(lookups_wait(lookups, 1));
	assert_false(lookups_wait(lookups, 1));
	for (int i = 0; i < LOOKUPS_MAX_OWNER; i++)
		assert_true(lookups_take(lookups, 1));
	assert_false(lookups_take(lookups, 1));
	assert_true(lookups_wait(lookups, 1));
	for (uint64_t owner = 2; lookups_has_place(lookups, 0); owner++) {
		assert_true(lookups_wait(lookups, owner));
		assert_true(lookups_take(lookups, owner));
		taken++;
	}
	assert_int_equal(taken, LOOKUPS_MAX - LOOKUPS_MAX_OWNER);
	lookups_leave(lookups, 2);
	assert_true(lookups_has_place(lookups, 0));
	assert_false(lookups_take(lookups, 1));
	lookups_leave(lookups, 1);
	assert_true(lookups_take(lookups, 1));
	lookups_free(lookups);
}

/* What was given up runs on; here nothing does. */
static void
test_left_behind(void **state)
{
	struct lookups *lookups = lookups_new();
	struct url url;

	(void)state;
	parse(&url, "http://a.example/");
	assert_true(lookups_wait(lookups, 1));
	assert_true(lookups_take(lookups, 1));
	lookups_lost(lookups, &url, 0, true);
	lookups_leave(lookups, 1);
	assert_true(lookups_left_behind(lookups));
	assert_true(lookups_has_place(lookups, 0));
	assert_false(lookups_left_behind(lookups));
	url_release(&url);
	lookups_free(lookups);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_owners), cmocka_unit_test(test_places),
	    cmocka_unit_test(test_left_behind)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
