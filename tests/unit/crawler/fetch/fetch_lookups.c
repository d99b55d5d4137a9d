/* crawler/fetch/fetch_lookups.c: which requests may have
 * their names looked up, and the names that libcurl keeps. */
#include "crawler/fetch/fetch_lookups.h"

#include <stdio.h>

#include "base/mem.h"
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/url_fixture.h"

static struct url url, port; /* http://a.example/, http://a.example:81/ */

static int
setup(void **state)
{
	must_parse_url(&url, "http://a.example/");
	must_parse_url(&port, "http://a.example:81/");
	return 0;
}

static int
teardown(void **state)
{
	url_release(&url);
	url_release(&port);
	return 0;
}

static struct lookups *
lookups_new(uint64_t hash_key)
{
	struct lookups *lookups = mem_zero(sizeof(*lookups));

	lookups->hash_key = hash_key;
	return lookups;
}

/* A name without an address is not looked up for a while, whatever the port. */
static void
test_memory(void **state)
{
	struct lookups *lookups = lookups_new(1);

	assert_int_not_equal(lookups_state(lookups, &url, 0), LOOKUP_LOST);
	lookups_lost(lookups, &port, 0, false);
	assert_int_equal(lookups_state(lookups, &url, 0), LOOKUP_LOST);
	assert_int_equal(
	    lookups_state(lookups, &url, LOOKUPS_LOST_S * 1000 - 1),
	    LOOKUP_LOST);
	assert_int_not_equal(
	    lookups_state(lookups, &url, LOOKUPS_LOST_S * 1000), LOOKUP_LOST);
	assert_false(lookups->left_behind > 0);
	lookups_free(lookups);
}

static const struct {
	const char *a, *b;
	bool is_same;
} owners[] = {
    {"http://a.x.example/", "http://b.c.x.example/", true},
    {"http://x.example/", "http://b.x.example:81/", true},
    {"http://x.example/", "http://y.example/", false},
    {"http://a.github.io/", "http://b.github.io/", false},
    {"http://127.0.0.1/", "http://127.0.0.2/", false},
};

static void
test_owners(void **state)
{
	struct lookups *lookups = lookups_new(1), *others = lookups_new(2);

	for (size_t i = 0; i < COUNT(owners); i++) {
		struct url a, b;

		must_parse_url(&a, owners[i].a);
		must_parse_url(&b, owners[i].b);
		assert_int_equal(
		    lookups_owner(lookups, &a) == lookups_owner(lookups, &b),
		    owners[i].is_same);
		assert_true(
		    lookups_owner(lookups, &a) != lookups_owner(others, &a));
		url_release(&a);
		url_release(&b);
	}
	lookups_free(lookups);
	lookups_free(others);
}

/* is_pushed_out(key, other): does `other` push a name out of its slot? */
static bool
is_pushed_out(uint64_t key, const char *other)
{
	struct lookups *known = lookups_new(key);
	struct url another;
	bool is_known;

	must_parse_url(&another, other);
	lookups_found(known, &url, 0);
	lookups_found(known, &another, 0);
	is_known = lookups_state(known, &url, 0) == LOOKUP_KNOWN;
	url_release(&another);
	lookups_free(known);
	return !is_known;
}

/* Names chosen to push out the name of another site do so with one hash key
 * only. */
static void
test_keys(void **state)
{
	char text[40];
	unsigned n = 0;

	do {
		(void)snprintf(text, sizeof(text), "http://n%u.example/", n++);
	} while (!is_pushed_out(1, text));
	assert_false(is_pushed_out(2, text));
}

/* HOSTILE T5: sixteen look-ups at once, four of one owner, of whom 64 more may
 * wait. */
static void
test_places(void **state)
{
	struct lookups *lookups = lookups_new(1);
	unsigned taken = 0;

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

/* A caller with 100,000 names lets few names of one owner wait, and of all
 * owners no more than there is room for. */
static void
test_room(void **state)
{
	static const unsigned most[] = {LOOKUPS_MAX_AHEAD + 1, 6, 1, 0};

	for (size_t i = 0; i < COUNT(most); i++) {
		struct lookups *lookups = lookups_new(1);
		unsigned waiting = 0, left = most[i];
		uint64_t owner = 1;

		if (left > LOOKUPS_MAX_AHEAD)
			left = LOOKUPS_MAX_AHEAD;
		for (; lookups_has_room(lookups, owner, most[i]); owner++)
			for (int n = 0; n < LOOKUPS_MAX_OWNER &&
			     lookups_has_room(lookups, owner, most[i]);
			     n++, waiting++)
				assert_true(lookups_wait(lookups, owner));
		assert_int_equal(waiting, left);
		assert_int_equal(owner - 1,
		    (left + LOOKUPS_MAX_OWNER - 1) / LOOKUPS_MAX_OWNER);
		/* A look-up under way counts for `most`, too. */
		if (most[i] == 6) {
			assert_true(lookups_take(lookups, 1));
			assert_false(lookups_has_room(lookups, 9, most[i]));
			lookups_leave(lookups, 1);
			assert_true(lookups_has_room(lookups, 9, most[i]));
		}
		lookups_free(lookups);
	}
}

/* One owner has room for four that wait, however many others wait. */
static void
test_room_of_one(void **state)
{
	struct lookups *lookups = lookups_new(1);

	for (int i = 0; i < LOOKUPS_MAX_OWNER; i++) {
		assert_true(lookups_has_room(lookups, 1, 100));
		assert_true(lookups_wait(lookups, 1));
	}
	assert_false(lookups_has_room(lookups, 1, 100));
	assert_true(lookups_has_room(lookups, 2, 100));
	assert_true(lookups_take(lookups, 1));
	assert_true(lookups_has_room(lookups, 1, 100));
	lookups_free(lookups);
}

/* Look-ups that were given up count until their threads end; in this test there
 * are no such threads. */
static void
test_left_behind(void **state)
{
	struct lookups *lookups = lookups_new(1);

	assert_true(lookups_wait(lookups, 1));
	assert_true(lookups_take(lookups, 1));
	lookups_lost(lookups, &url, 0, true);
	lookups_leave(lookups, 1);
	assert_true(lookups->left_behind > 0);
	assert_true(lookups_has_place(lookups, 0));
	assert_false(lookups->left_behind > 0);
	lookups_free(lookups);
}

/* A name whose address libcurl has needs no look-up for a while. */
static void
test_known(void **state)
{
	static const int64_t end_ms = KNOWN_S * INT64_C(1000);
	struct lookups *known = lookups_new(1);
	struct url literal;
	char text[KNOWN_TEXT];

	must_parse_url(&literal, "http://127.0.0.1/");
	assert_int_equal(lookups_state(known, &literal, 0), LOOKUP_KNOWN);
	assert_int_not_equal(lookups_state(known, &url, 0), LOOKUP_KNOWN);
	lookups_found(known, &url, 0);
	assert_int_equal(lookups_state(known, &url, 0), LOOKUP_KNOWN);
	assert_int_not_equal(lookups_state(known, &port, 0), LOOKUP_KNOWN);
	assert_int_not_equal(
	    lookups_state(known, &url, end_ms - 1), LOOKUP_OLD);
	assert_int_not_equal(lookups_state(known, &url, end_ms), LOOKUP_KNOWN);
	assert_int_equal(lookups_state(known, &url, end_ms), LOOKUP_OLD);
	assert_int_not_equal(lookups_state(known, &port, end_ms), LOOKUP_OLD);
	assert_false(lookups_forget(known, text));
	url_release(&literal);
	lookups_free(known);
}

static void
add(struct lookups *known, const char *text, int64_t now_ms)
{
	struct url other;

	must_parse_url(&other, text);
	lookups_found(known, &other, now_ms);
	assert_int_equal(lookups_state(known, &other, now_ms), LOOKUP_KNOWN);
	url_release(&other);
}

/* At most KNOWN_MAX names are kept; a name that was found again is not
 * forgotten for its older place in the ring. */
static void
test_forget(void **state)
{
	struct lookups *known = lookups_new(1);
	char text[KNOWN_TEXT];
	unsigned forgotten = 0;

	add(known, "http://a.example/", 0);
	for (unsigned i = 0; i < 2 * KNOWN_MAX; i++) {
		(void)snprintf(text, sizeof(text), "http://h%u.example/", i);
		add(known, text, 1);
		if (lookups_forget(known, text) && forgotten++ == 0)
			assert_string_equal(text, "a.example:80");
	}
	assert_int_equal(forgotten, KNOWN_MAX + 1);
	assert_int_not_equal(lookups_state(known, &url, 1), LOOKUP_KNOWN);
	for (int64_t i = 2; i < KNOWN_MAX + 2; i++) {
		add(known, i < 4 ? "http://a.example/" : "http://b.example/",
		    i);
		(void)lookups_forget(known, text);
		assert_string_not_equal(text, "a.example:80");
	}
	assert_int_equal(lookups_state(known, &url, 3), LOOKUP_KNOWN);
	lookups_free(known);
}

UNIT(fetch_lookups)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_known), cmocka_unit_test(test_forget),
	    cmocka_unit_test(test_owners), cmocka_unit_test(test_keys),
	    cmocka_unit_test(test_room), cmocka_unit_test(test_room_of_one),
	    cmocka_unit_test(test_places), cmocka_unit_test(test_left_behind)};

	return cmocka_run_group_tests(tests, setup, teardown);
}
