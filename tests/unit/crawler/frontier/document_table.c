/* Documents that change their kind, or fail for long. */
#include "tests/fixtures/fixture.h"

#include "crawler/frontier/frontier_tables.h"
#include "store/document.h"
#include "tests/fixtures/frontier_fixture.h"

/* The map is an index of a child, or lists pages. */
static void
flip(struct setup *setup, bool is_index)
{
	if (is_index)
		setup_index(setup, setup->map, "x.xml");
	else
		setup_list(setup, "a b");
}

/* A URL changes between index and sitemap a thousand times: the frontier
 * needs no more memory, still reads the URL, and leases its pages. */
static void
test_flips(void **state)
{
	struct setup *setup = *state;
	struct frontier_document document;
	size_t count = 0;

	setup_start(setup, "a b");
	for (int i = 0; i < 1000; i++) {
		setup->now_s += 900;
		flip(setup, i % 2 == 0);
		if (i == 1)
			count = setup->frontier->scheduler->sources.count;
	}
	assert_int_equal(setup->frontier->scheduler->sources.count, count);
	assert_string_equal(setup_taken(setup), "a b ");
	setup_ok(setup, "1.1", 200, "x");
	setup_watch(setup, 1, SETUP_HOST, HOUR_S);
	frontier_watch_changed(setup->frontier, 1, setup->now_s);
	for (int i = 0; i < 4; i++) {
		bool is_chosen = false;

		flip(setup, i % 2 == 0);
		setup->now_s += 8 * DAY_S;
		while (setup_next(setup, &document))
			is_chosen |= document.id == setup->map;
		assert_true(is_chosen);
	}
	assert_int_equal(setup->frontier->scheduler->sources.count, count);
	setup_restart(setup);
	assert_int_equal(setup->frontier->scheduler->sources.count, count);
}

/* A document that fails for long is read every seven days, or as often as
 * somebody wants (SPEC R-77). */

/* Let the document fail for so many days, and return how often the frontier
 * asks for it. */
static int
fail_for(struct setup *setup, int days)
{
	int64_t end_s = setup->now_s + days * DAY_S;
	struct frontier_document document;
	int asked = 0;

	for (; setup->now_s < end_s; setup->now_s += HOUR_S / 4)
		while (setup_next(setup, &document)) {
			bool is_map = document.id == setup->map;

			asked += is_map;
			setup_submit(setup,
			    reading_make(setup->world.store, document.id,
				setup->now_s, is_map ? FAILED : UNCHANGED, ""));
		}
	return asked;
}

static void
begin_every(struct setup *setup, int64_t every_s)
{
	setup_watch(setup, 1, SETUP_HOST, every_s);
	setup_start(setup, "a b");
	setup_watch(setup, 1, SETUP_HOST, every_s);
	frontier_watch_changed(setup->frontier, 1, setup->now_s);
}

static void
test_week(void **state)
{
	struct setup *setup = *state;
	int early;

	begin_every(setup, 0);
	/* once the document is due at all */
	setup->now_s += 7 * DAY_S;
	early = fail_for(setup, 7);
	assert_in_range(early, 10, 20);
	assert_in_range(fail_for(setup, 70), 9, 12);
	/* the frontier is loaded again */
	setup_restart(setup);
	assert_in_range(fail_for(setup, 70), 9, 12);
	/* the document can be read, and then fails again: it is tried as
	 * often as at first */
	setup_list(setup, "a b");
	setup->now_s += 7 * DAY_S;
	assert_in_range(fail_for(setup, 7), early - 2, early + 2);
}

static void
test_wanted(void **state)
{
	struct setup *setup = *state;

	begin_every(setup, 6 * HOUR_S);
	setup->now_s += DAY_S;
	(void)fail_for(setup, 8);
	assert_in_range(fail_for(setup, 10), 38, 42);
}

/* A sitemap whose pages are leased becomes an index; its child lists the
 * pages. */
static void
test_becomes_index(void **state)
{
	struct setup *setup = *state;
	struct frontier_page page;

	setup_start(setup, "a b");
	assert_string_equal(setup_taken(setup), "a b ");
	setup_index(setup, setup->map, "x.xml:5");
	setup_read(setup, setup_document(setup, "x.xml"), "a b c");
	setup_restart(setup);
	setup_ok(setup, "1.1", 200, "x");
	setup_ok(setup, "2.1", 200, "x");
	assert_string_equal(setup_taken(setup), "c ");
	setup_ok(setup, "3.1", 200, "x");
	/* the pages are leased again some day */
	for (int day = 0; day < 400 && !setup_take(setup, &page); day++)
		setup->now_s += DAY_S;
	assert_true(setup->now_s < SETUP_S + 400 * DAY_S);
}

UNIT_TESTS(document_table, setup_test(test_flips), setup_test(test_week),
    setup_test(test_wanted), setup_test(test_becomes_index));
