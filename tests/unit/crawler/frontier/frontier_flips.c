/* The frontier: one URL that is now an index of sitemaps, and now a sitemap. */
#include "tests/fixtures/fixture.h"

#include "crawler/frontier/frontier_tables.h"
#include "store/document.h"
#include "store/link.h"
#include "tests/fixtures/frontier_sites_fixture.h"

#define HOUR_S 3600

/* One reading of the office's map, as an index of the child, or of pages. */
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

/* One URL that is an index, and is none, a thousand times: what the frontier
 * has of it does not grow, and it is read, and its pages go out. */
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

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_flips)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
