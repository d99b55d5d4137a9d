/* Documents that change their kind, or fail for long. */
#include "tests/fixtures/fixture.h"

#include "crawler/frontier/frontier_tables.h"
#include "store/document.h"
#include "store/link.h"
#include "tests/fixtures/frontier_fixture.h"
#include "tests/fixtures/frontier_sites_fixture.h"

/* One URL that is now an index of sitemaps, and now a sitemap. */

/* Commit a reading of the office's map, which is an index of the child, or
 * lists pages. */
static void
read_as(struct office *office, bool is_index, int64_t child)
{
	struct store *store = office->world.store;
	struct reading *reading = reading_make(store, office->map,
	    office->now_s, COMPLETE, is_index ? "x.xml:5" : "a b");

	if (is_index) {
		reading->content.kind = KIND_INDEX;
		store_links_begin(store, office->map);
		store_link(store, office->map, child, &(struct date){0});
	}
	(void)submit(store, reading);
	(void)frontier_sync(office->frontier, office->now_s);
}

/* A URL changes between index and sitemap a thousand times: the frontier
 * needs no more memory, still reads the URL, and leases its pages. */
static void
test_flips(void **state)
{
	struct frontier_document document;
	struct office office;
	size_t count = 0;
	int64_t child;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	office_open(&office);
	office_read(&office, office.map, "a b");
	office_begin(&office);
	child = document_make(
	    office.world.store, OFFICE_HOST, HOST_TEXT "x.xml");
	for (int i = 0; i < 1000; i++) {
		office.now_s += 900;
		read_as(&office, i % 2 == 0, child);
		if (i == 1)
			count = document_count(office.frontier->documents);
	}
	assert_int_equal(document_count(office.frontier->documents), count);
	assert_string_equal(office_taken(&office, &out), "a b ");
	assert_string_equal(office_done(&office, "1.1", 200, "x"), "OK");
	office_watch(&office, 1, OFFICE_HOST, HOUR_S);
	frontier_watch_changed(office.frontier, 1, office.now_s);
	for (int i = 0; i < 4; i++) {
		bool is_chosen = false;

		read_as(&office, i % 2 == 0, child);
		office.now_s += 8 * DAY_S;
		while (frontier_next_document(
		    office.frontier, office.now_s, &document))
			is_chosen |= document.id == office.map;
		assert_true(is_chosen);
	}
	assert_int_equal(document_count(office.frontier->documents), count);
	office_restart(&office);
	assert_true(document_count(office.frontier->documents) < count);
	buf_release(&out);
	office_close(&office);
}

/* A document that fails for long is read every seven days, or as often as
 * somebody wants (SPEC R-77). */

/* Let the document fail for so many days, and return how often the frontier
 * asks for it. */
static int
fail_for(struct office *office, int days)
{
	int64_t end_s = office->now_s + days * (int64_t)DAY_S;
	struct frontier_document document;
	int asked = 0;

	for (; office->now_s < end_s; office->now_s += HOUR_S / 4)
		while (frontier_next_document(
		    office->frontier, office->now_s, &document)) {
			bool is_map = document.id == office->map;

			asked += is_map;
			(void)submit(office->world.store,
			    reading_make(office->world.store, document.id,
				office->now_s, is_map ? FAILED : UNCHANGED,
				""));
			(void)frontier_sync(office->frontier, office->now_s);
		}
	return asked;
}

static void
begin_every(struct office *office, int64_t every_s)
{
	office_open(office);
	office->options.reads_documents = true;
	office_watch(office, 1, OFFICE_HOST, every_s);
	office_read(office, office->map, "a b");
	office_begin(office);
	office_watch(office, 1, OFFICE_HOST, every_s);
	frontier_watch_changed(office->frontier, 1, office->now_s);
}

static void
test_week(void **state)
{
	struct office office;
	int early;

	(void)state;
	begin_every(&office, 0);
	/* once the document is due at all */
	office.now_s += 7 * DAY_S;
	early = fail_for(&office, 7);
	assert_in_range(early, 10, 20);
	assert_in_range(fail_for(&office, 70), 9, 12);
	/* the frontier is loaded again */
	office_restart(&office);
	assert_in_range(fail_for(&office, 70), 9, 12);
	/* the document can be read, and then fails again: it is tried as
	 * often as at first */
	office_read(&office, office.map, "a b");
	office.now_s += 7 * DAY_S;
	assert_in_range(fail_for(&office, 7), early - 2, early + 2);
	office_close(&office);
}

static void
test_wanted(void **state)
{
	struct office office;

	(void)state;
	begin_every(&office, 6 * HOUR_S);
	office.now_s += DAY_S;
	(void)fail_for(&office, 8);
	assert_in_range(fail_for(&office, 10), 38, 42);
	office_close(&office);
}

/* A sitemap whose pages are leased becomes an index; its child lists the
 * pages. */
static void
test_becomes_index(void **state)
{
	struct office office;
	struct buf out;
	struct frontier_page page;
	struct reading *reading;
	int64_t child;

	(void)state;
	buf_init(&out, SIZE_MAX);
	office_start(&office, "a b");
	assert_string_equal(office_taken(&office, &out), "a b ");
	child = document_make(
	    office.world.store, OFFICE_HOST, HOST_TEXT "x.xml");
	reading = reading_make(
	    office.world.store, office.map, office.now_s, COMPLETE, "x.xml:5");
	reading->content.kind = KIND_INDEX;
	store_links_begin(office.world.store, office.map);
	store_link(office.world.store, office.map, child, &(struct date){0});
	(void)submit(office.world.store, reading);
	office_read(&office, child, "a b c");
	office_restart(&office);
	assert_string_equal(office_done(&office, "1.1", 200, "x"), "OK");
	assert_string_equal(office_done(&office, "2.1", 200, "x"), "OK");
	assert_string_equal(office_taken(&office, &out), "c ");
	assert_string_equal(office_done(&office, "3.1", 200, "x"), "OK");
	/* the pages are leased again some day */
	for (int day = 0; day < 400 && !office_take(&office, &page); day++)
		office.now_s += DAY_S;
	assert_true(office.now_s < OFFICE_S + 400 * (int64_t)DAY_S);
	buf_release(&out);
	office_close(&office);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_flips),
	    cmocka_unit_test(test_week),
	    cmocka_unit_test(test_wanted),
	    cmocka_unit_test(test_becomes_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
