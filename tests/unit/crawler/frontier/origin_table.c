/* What robots.txt allows, when it changes after pages were chosen. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "store/page.h"
#include "store/proof.h"
#include "tests/fixtures/frontier_fixture.h"

/* more than the pages that a lease tries in one call */
#define MANY 6000

static void
add(struct office *office, const char *folder, int pages)
{
	char text[64];

	for (int i = 0; i < pages; i++) {
		(void)snprintf(text, sizeof(text), HOST_TEXT "%s%d", folder, i);
		(void)store_page_add(
		    office->world.store, office->map, slice_of(text));
	}
}

/* Each command has a new frontier and gets the pages that are allowed,
 * though many pages that robots.txt disallows by now are due before them. */
static void
test_refused_pages(void **state)
{
	struct office office;
	struct frontier_page page;

	(void)state;
	office_open(&office);
	add(&office, "zz/", MANY);
	add(&office, "a", 2);
	add(&office, "zz/other", MANY);
	office_robots(&office, "User-agent: *\nDisallow: /zz/\n");
	office_begin(&office);
	for (int i = 0; i < 2; i++) {
		assert_true(office_take(&office, &page));
		office_restart(&office);
	}
	assert_false(office_take(&office, &page));
	office_close(&office);
}

/* The same with documents that list nothing that is allowed. */
static void
test_refused_lists(void **state)
{
	struct office office;
	struct frontier_page page;
	char text[64];

	(void)state;
	office_open(&office);
	for (int i = 0; i <= 2 * MANY; i++) {
		int64_t map;

		(void)snprintf(text, sizeof(text), HOST_TEXT "map%d.xml", i);
		map = document_make(office.world.store, OFFICE_HOST, text);
		(void)snprintf(
		    text, sizeof(text), "%s%d", i == MANY ? "a" : "zz/", i);
		office_read(&office, map, text);
	}
	office_robots(&office, "User-agent: *\nDisallow: /zz/\n");
	office_begin(&office);
	assert_true(office_take(&office, &page));
	office_restart(&office);
	assert_false(office_take(&office, &page));
	office_close(&office);
}

/* Commit a reading of robots.txt, which is out of reach or unchanged. */
static void
read_robots(struct office *office, bool is_failing)
{
	struct store *store = office->world.store;
	int64_t id = document_make(store, OFFICE_HOST, HOST_TEXT "robots.txt");
	struct reading *reading = reading_new(id, office->now_s);
	struct slice origin = slice_of(HOST_TEXT);

	origin.len--;
	store_robots(store,
	    &(struct robots_fact){.origin = origin,
		.fetched_s = office->now_s,
		.expires_s = office->now_s + DAY_S,
		.failing_since_s = is_failing ? office->now_s : 0,
		.status = is_failing ? 503 : 200,
		.body = slice_of("User-agent: *\nDisallow: /zz\n"),
		.has_body = true});
	reading->content.kind = KIND_ROBOTS;
	reading->content.is_complete = true;
	reading->outcome = is_failing ? OUTCOME_FAILED : OUTCOME_UNCHANGED;
	(void)submit(store, reading);
	(void)frontier_sync(office->frontier, office->now_s);
}

static void
test_robots_back(void **state)
{
	struct office office;

	(void)state;
	office_start(&office, "a b");
	read_robots(&office, true);
	assert_int_equal(office_count(&office), 0);
	office.now_s += HOUR_S;
	read_robots(&office, false);
	assert_int_equal(office_count(&office), 2);
	office_close(&office);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_refused_pages),
	    cmocka_unit_test(test_refused_lists),
	    cmocka_unit_test(test_robots_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
