/* Importing pages that another crawler knows. */
#include "tests/fixtures/fixture.h"

#include <inttypes.h>
#include <stdio.h>

#include "crawler/frontier/import.h"
#include "tests/fixtures/frontier_fixture.h"
#include "tests/fixtures/sanitized.h"

/* Import so many pages, each fetched at that time. */
static void
import(struct setup *setup, int pages, int64_t fetched_s)
{
	struct importer importer;
	char text[128];

	importer_init(&importer, setup->world.store);
	for (int i = 0; i < pages; i++) {
		struct import_row row = {.why = NULL};

		(void)snprintf(text, sizeof(text),
		    "{\"url\":\"" HOST_TEXT "%d\",\"fetched\":%" PRId64 "}", i,
		    fetched_s);
		assert_null(import_line_read(
		    &row.line, slice_of(text), true, setup->now_s));
		frontier_import(setup->frontier, &importer, &row, setup->now_s);
		import_line_release(&row.line);
	}
	importer_release(&importer);
}

/* The processor time of importing so many pages that robots.txt disallows. */
static double
import_refused(int pages)
{
	struct setup setup;
	double begin_s;

	setup_open(&setup);
	setup_pages(&setup, "", pages);
	setup_robots(&setup, "User-agent: *\nDisallow: /\n");
	setup_begin(&setup);
	setup_walk(&setup, "0");
	begin_s = setup_cpu_s();
	import(&setup, pages, setup.now_s - 10);
	begin_s = setup_cpu_s() - begin_s;
	setup_close(&setup);
	return begin_s;
}

static void
test_many_refused(void **state)
{
	setup_cheap("refused pages", import_refused,
	    IS_SANITIZED ? 5000 : 20000, IS_SANITIZED ? 25000 : 100000, 12);
}

/* The clock of the other crawler was ahead: the frontier does not take that
 * time for now, and its hosts are not asked more often. */
static void
test_clock_ahead(void **state)
{
	struct setup *setup = *state;

	setup_delay(setup, 1000);
	setup_pages(setup, "", 1000);
	setup->consumer.lease_s = DAY_S;
	setup_begin(setup);
	setup_walk(setup, "some 0");
	import(setup, 500, setup->now_s + 290);
	setup_commit(setup);
	setup_walk(setup, "0");
	setup->now_s += 100;
	assert_in_range(setup_count(setup), 90, 110);
}

UNIT_TESTS(import_page, cmocka_unit_test(test_many_refused),
    setup_test(test_clock_ahead));
