/* Documents that change their kind, or fail for long. */
#include "tests/fixtures/fixture.h"

#include "crawler/frontier/frontier_tables.h"
#include "store/document.h"
#include "store/link.h"
#include "tests/fixtures/frontier_fixture.h"
#include "tests/fixtures/frontier_sites_fixture.h"

/* One URL that is now an index of sitemaps, and now a sitemap. */

/* Commit a reading of the setup's map, which is an index of the child, or
 * lists pages. */
static void
read_as(struct setup *setup, bool is_index, int64_t child)
{
	struct store *store = setup->world.store;
	struct reading *reading = reading_make(store, setup->map, setup->now_s,
	    COMPLETE, is_index ? "x.xml:5" : "a b");

	if (is_index) {
		reading->content.kind = KIND_INDEX;
		store_links_begin(store, setup->map);
		store_link(store, setup->map, child, &(struct date){0});
	}
	(void)submit(store, reading);
	(void)frontier_sync(setup->frontier, setup->now_s);
}

/* A URL changes between index and sitemap a thousand times: the frontier
 * needs no more memory, still reads the URL, and leases its pages. */
static void
test_flips(void **state)
{
	struct frontier_document document;
	struct setup setup;
	size_t count = 0;
	int64_t child;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	setup_open(&setup);
	setup_read(&setup, setup.map, "a b");
	setup_begin(&setup);
	child = document_make(setup.world.store, SETUP_HOST, HOST_TEXT "x.xml");
	for (int i = 0; i < 1000; i++) {
		setup.now_s += 900;
		read_as(&setup, i % 2 == 0, child);
		if (i == 1)
			count = document_count(setup.frontier->documents);
	}
	assert_int_equal(document_count(setup.frontier->documents), count);
	assert_string_equal(setup_taken(&setup, &out), "a b ");
	assert_string_equal(setup_done(&setup, "1.1", 200, "x"), "OK");
	setup_watch(&setup, 1, SETUP_HOST, HOUR_S);
	frontier_watch_changed(setup.frontier, 1, setup.now_s);
	for (int i = 0; i < 4; i++) {
		bool is_chosen = false;

		read_as(&setup, i % 2 == 0, child);
		setup.now_s += 8 * DAY_S;
		while (frontier_next_document(
		    setup.frontier, setup.now_s, &document))
			is_chosen |= document.id == setup.map;
		assert_true(is_chosen);
	}
	assert_int_equal(document_count(setup.frontier->documents), count);
	setup_restart(&setup);
	assert_true(document_count(setup.frontier->documents) < count);
	buf_release(&out);
	setup_close(&setup);
}

/* A document that fails for long is read every seven days, or as often as
 * somebody wants (SPEC R-77). */

/* Let the document fail for so many days, and return how often the frontier
 * asks for it. */
static int
fail_for(struct setup *setup, int days)
{
	int64_t end_s = setup->now_s + days * (int64_t)DAY_S;
	struct frontier_document document;
	int asked = 0;

	for (; setup->now_s < end_s; setup->now_s += HOUR_S / 4)
		while (frontier_next_document(
		    setup->frontier, setup->now_s, &document)) {
			bool is_map = document.id == setup->map;

			asked += is_map;
			(void)submit(setup->world.store,
			    reading_make(setup->world.store, document.id,
				setup->now_s, is_map ? FAILED : UNCHANGED, ""));
			(void)frontier_sync(setup->frontier, setup->now_s);
		}
	return asked;
}

static void
begin_every(struct setup *setup, int64_t every_s)
{
	setup_open(setup);
	setup->options.reads_documents = true;
	setup_watch(setup, 1, SETUP_HOST, every_s);
	setup_read(setup, setup->map, "a b");
	setup_begin(setup);
	setup_watch(setup, 1, SETUP_HOST, every_s);
	frontier_watch_changed(setup->frontier, 1, setup->now_s);
}

static void
test_week(void **state)
{
	struct setup setup;
	int early;

	(void)state;
	begin_every(&setup, 0);
	/* once the document is due at all */
	setup.now_s += 7 * DAY_S;
	early = fail_for(&setup, 7);
	assert_in_range(early, 10, 20);
	assert_in_range(fail_for(&setup, 70), 9, 12);
	/* the frontier is loaded again */
	setup_restart(&setup);
	assert_in_range(fail_for(&setup, 70), 9, 12);
	/* the document can be read, and then fails again: it is tried as
	 * often as at first */
	setup_read(&setup, setup.map, "a b");
	setup.now_s += 7 * DAY_S;
	assert_in_range(fail_for(&setup, 7), early - 2, early + 2);
	setup_close(&setup);
}

static void
test_wanted(void **state)
{
	struct setup setup;

	(void)state;
	begin_every(&setup, 6 * HOUR_S);
	setup.now_s += DAY_S;
	(void)fail_for(&setup, 8);
	assert_in_range(fail_for(&setup, 10), 38, 42);
	setup_close(&setup);
}

/* A sitemap whose pages are leased becomes an index; its child lists the
 * pages. */
static void
test_becomes_index(void **state)
{
	struct setup setup;
	struct buf out;
	struct frontier_page page;
	struct reading *reading;
	int64_t child;

	(void)state;
	buf_init(&out, SIZE_MAX);
	setup_start(&setup, "a b");
	assert_string_equal(setup_taken(&setup, &out), "a b ");
	child = document_make(setup.world.store, SETUP_HOST, HOST_TEXT "x.xml");
	reading = reading_make(
	    setup.world.store, setup.map, setup.now_s, COMPLETE, "x.xml:5");
	reading->content.kind = KIND_INDEX;
	store_links_begin(setup.world.store, setup.map);
	store_link(setup.world.store, setup.map, child, &(struct date){0});
	(void)submit(setup.world.store, reading);
	setup_read(&setup, child, "a b c");
	setup_restart(&setup);
	assert_string_equal(setup_done(&setup, "1.1", 200, "x"), "OK");
	assert_string_equal(setup_done(&setup, "2.1", 200, "x"), "OK");
	assert_string_equal(setup_taken(&setup, &out), "c ");
	assert_string_equal(setup_done(&setup, "3.1", 200, "x"), "OK");
	/* the pages are leased again some day */
	for (int day = 0; day < 400 && !setup_take(&setup, &page); day++)
		setup.now_s += DAY_S;
	assert_true(setup.now_s < SETUP_S + 400 * (int64_t)DAY_S);
	buf_release(&out);
	setup_close(&setup);
}

UNIT(document_table)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_flips),
	    cmocka_unit_test(test_week),
	    cmocka_unit_test(test_wanted),
	    cmocka_unit_test(test_becomes_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
