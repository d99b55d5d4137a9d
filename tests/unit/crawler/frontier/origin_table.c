/* What robots.txt allows, when it changes after pages were chosen. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "store/page.h"
#include "store/proof.h"
#include "tests/fixtures/frontier_fixture.h"

/* more than the pages that a lease tries in one call */
#define MANY 6000

static void
add(struct setup *setup, const char *folder, int pages)
{
	char text[64];

	for (int i = 0; i < pages; i++) {
		(void)snprintf(text, sizeof(text), HOST_TEXT "%s%d", folder, i);
		(void)store_page_add(
		    setup->world.store, setup->map, slice_of(text));
	}
}

/* Each command has a new frontier and gets the pages that are allowed,
 * though many pages that robots.txt disallows by now are due before them. */
static void
test_refused_pages(void **state)
{
	struct setup setup;
	struct frontier_page page;

	(void)state;
	setup_open(&setup);
	add(&setup, "zz/", MANY);
	add(&setup, "a", 2);
	add(&setup, "zz/other", MANY);
	setup_robots(&setup, "User-agent: *\nDisallow: /zz/\n");
	setup_begin(&setup);
	for (int i = 0; i < 2; i++) {
		assert_true(setup_take(&setup, &page));
		setup_restart(&setup);
	}
	assert_false(setup_take(&setup, &page));
	setup_close(&setup);
}

/* The same with documents that list nothing that is allowed. */
static void
test_refused_lists(void **state)
{
	struct setup setup;
	struct frontier_page page;
	char text[64];

	(void)state;
	setup_open(&setup);
	for (int i = 0; i <= 2 * MANY; i++) {
		int64_t map;

		(void)snprintf(text, sizeof(text), HOST_TEXT "map%d.xml", i);
		map = document_make(setup.world.store, SETUP_HOST, text);
		(void)snprintf(
		    text, sizeof(text), "%s%d", i == MANY ? "a" : "zz/", i);
		setup_read(&setup, map, text);
	}
	setup_robots(&setup, "User-agent: *\nDisallow: /zz/\n");
	setup_begin(&setup);
	assert_true(setup_take(&setup, &page));
	setup_restart(&setup);
	assert_false(setup_take(&setup, &page));
	setup_close(&setup);
}

/* Commit a reading of robots.txt, which is out of reach or unchanged. */
static void
read_robots(struct setup *setup, bool is_failing)
{
	struct store *store = setup->world.store;
	int64_t id = document_make(store, SETUP_HOST, HOST_TEXT "robots.txt");
	struct reading *reading = reading_new(id, setup->now_s);
	struct slice origin = slice_of(HOST_TEXT);

	origin.len--;
	store_robots(store,
	    &(struct robots_fact){.origin = origin,
		.fetched_s = setup->now_s,
		.expires_s = setup->now_s + DAY_S,
		.failing_since_s = is_failing ? setup->now_s : 0,
		.status = is_failing ? 503 : 200,
		.body = slice_of("User-agent: *\nDisallow: /zz\n"),
		.has_body = true});
	reading->content.kind = KIND_ROBOTS;
	reading->content.is_complete = true;
	reading->outcome = is_failing ? OUTCOME_FAILED : OUTCOME_UNCHANGED;
	(void)submit(store, reading);
	(void)frontier_sync(setup->frontier, setup->now_s);
}

static void
test_robots_back(void **state)
{
	struct setup setup;

	(void)state;
	setup_start(&setup, "a b");
	read_robots(&setup, true);
	assert_int_equal(setup_count(&setup), 0);
	setup.now_s += HOUR_S;
	read_robots(&setup, false);
	assert_int_equal(setup_count(&setup), 2);
	setup_close(&setup);
}

UNIT(origin_table)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_refused_pages),
	    cmocka_unit_test(test_refused_lists),
	    cmocka_unit_test(test_robots_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
