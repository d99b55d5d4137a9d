/* What robots.txt allows, when it changes after pages were chosen. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "store/page.h"
#include "store/proof.h"
#include "tests/fixtures/frontier_fixture.h"
#include "tests/fixtures/sanitized.h"

/* more than the pages that a lease tries in one call */
#define MANY 6000
/* each is a reading: sanitizers see the limit with pages alone */
#define LISTS (IS_SANITIZED ? 1500 : MANY)
#define NO_ZZ "User-agent: *\nDisallow: /zz/\n"

/* Each command has a new frontier and gets the pages that are allowed,
 * though many pages that robots.txt disallows by now are due before them. */
static void
test_refused_pages(void **state)
{
	struct setup *setup = *state;

	setup_pages(setup, "zz/", MANY);
	setup_pages(setup, "a", 2);
	setup_pages(setup, "zz/other", MANY);
	setup_robots(setup, NO_ZZ);
	setup_begin(setup);
	for (int i = 0; i < 2; i++) {
		(void)setup_page(setup);
		setup_restart(setup);
	}
	setup_walk(setup, "0");
}

/* The same with documents that list nothing that is allowed. */
static void
test_refused_lists(void **state)
{
	struct setup *setup = *state;
	char text[64];

	for (int i = 0; i <= 2 * LISTS; i++) {
		int64_t map;

		(void)snprintf(text, sizeof(text), "map%d.xml", i);
		map = setup_document(setup, text);
		(void)snprintf(
		    text, sizeof(text), "%s%d", i == LISTS ? "a" : "zz/", i);
		setup_read(setup, map, text);
	}
	setup_robots(setup, NO_ZZ);
	setup_begin(setup);
	(void)setup_page(setup);
	setup_walk(setup, "restart 0");
}

/* Commit a reading of robots.txt, which is out of reach or unchanged. */
static void
read_robots(struct setup *setup, bool is_failing)
{
	struct store *store = setup->world.store;
	struct reading *reading = reading_new(
	    setup_document(setup, "robots.txt"), setup->now_s);
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
	setup_submit(setup, reading);
}

static void
test_robots_back(void **state)
{
	struct setup *setup = *state;

	setup_start(setup, "a b");
	read_robots(setup, true);
	setup_walk(setup, "0 +3600");
	read_robots(setup, false);
	setup_walk(setup, "2");
}

UNIT_TESTS(origin_table, setup_test(test_refused_pages),
    setup_test(test_refused_lists), setup_test(test_robots_back));
