/* Importing pages that another crawler knows. */
#include "tests/fixtures/fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "crawler/frontier/import_batch.h"
#include "crawler/frontier/import_page.h"
#include "store/page.h"
#include "tests/fixtures/frontier_fixture.h"

/* Import so many pages, each fetched at that time. */
static void
import(struct office *office, int pages, int64_t fetched_s)
{
	struct importer importer;
	char text[128];

	importer_init(&importer, office->world.store);
	for (int i = 0; i < pages; i++) {
		struct import_row row = {.why = NULL};

		(void)snprintf(text, sizeof(text),
		    "{\"url\":\"" HOST_TEXT "%d\",\"fetched\":%" PRId64 "}", i,
		    fetched_s);
		assert_null(import_line_read(
		    &row.line, slice_of(text), true, office->now_s));
		frontier_import(
		    office->frontier, &importer, &row, office->now_s);
		import_line_release(&row.line);
	}
	importer_release(&importer);
}

/* The processor time of importing so many pages that robots.txt disallows. */
static double
import_refused(int pages)
{
	struct office office;
	struct frontier_page page;
	char text[64];
	double begin_s;

	office_open(&office);
	for (int i = 0; i < pages; i++) {
		(void)snprintf(text, sizeof(text), HOST_TEXT "%d", i);
		(void)store_page_add(
		    office.world.store, office.map, slice_of(text));
	}
	office_robots(&office, "User-agent: *\nDisallow: /\n");
	office_begin(&office);
	assert_false(office_take(&office, &page));
	begin_s = office_cpu_s();
	import(&office, pages, office.now_s - 10);
	begin_s = office_cpu_s() - begin_s;
	office_close(&office);
	return begin_s;
}

static void
test_many_refused(void **state)
{
	double few_s, many_s;

	(void)state;
	few_s = import_refused(20000);
	many_s = import_refused(100000);
	print_message("%.0f ms, %.0f ms\n", few_s * 1e3, many_s * 1e3);
	assert_true(many_s < 12 * few_s);
}

/* The clock of the other crawler was ahead: the frontier does not take that
 * time for now, and its hosts are not asked more often. */
static void
test_clock_ahead(void **state)
{
	struct office office;
	char text[64];

	(void)state;
	office_open(&office);
	office.rules.has_delay = true;
	office.rules.delay_ms = 1000;
	for (int i = 0; i < 1000; i++) {
		(void)snprintf(text, sizeof(text), HOST_TEXT "%d", i);
		(void)store_page_add(
		    office.world.store, office.map, slice_of(text));
	}
	office.consumer.lease_s = DAY_S;
	office_begin(&office);
	assert_true(office_count(&office) > 0);
	assert_int_equal(office_count(&office), 0);
	import(&office, 500, office.now_s + 290);
	office_commit(&office);
	assert_int_equal(office_count(&office), 0);
	office.now_s += 100;
	assert_in_range(office_count(&office), 90, 110);
	office_close(&office);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_many_refused),
	    cmocka_unit_test(test_clock_ahead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
