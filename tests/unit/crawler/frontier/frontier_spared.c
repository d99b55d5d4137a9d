/* The frontier: a turn that nobody can use counts against no limit. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "store/watch.h"
#include "tests/fixtures/frontier_fixture.h"

#define EVERY_S 300 /* what a budget of twelve an hour allows */
#define TIMES 12

static void
begin(struct office *office, const char *section, bool is_total)
{
	struct watch watch;

	watch_init(&watch);
	watch.site_id = 1;
	watch.is_watched = true;
	watch.page_least_s = 60;
	if (section != NULL)
		strings_add(&watch.sections, slice_of(section));
	if (is_total)
		office->options.requests_per_hour = 12;
	else
		watch.requests_per_hour = 12;
	store_watch_put(office->world.store, &watch);
	watch_release(&watch);
	office->options.burst_ms = 1000;
	office_begin(office);
}

/* What the budget allows by now is that page, which has changed. */
static void
fetch(struct office *office, const char *name, int time)
{
	struct frontier_page page;
	char text[32];

	assert_true(office_take(office, &page));
	(void)snprintf(text, sizeof(text), "%s%s", HOST_TEXT, name);
	assert_true(slice_is(page.url, text));
	(void)snprintf(text, sizeof(text), "%d", time);
	assert_string_equal(office_done(office, page.token, 200, text), "OK");
	assert_int_equal(office_count(office), 0);
	office->now_s += EVERY_S;
}

/* What is listed outside of the wanted sections is not asked for: each command
 * has to find that out. */
static void
test_sections(void **state)
{
	(void)state;
	for (int is_total = 0; is_total < 2; is_total++) {
		struct office office;

		office_open(&office);
		office_read(&office, office.map, "a b/c");
		begin(&office, "/b", is_total != 0);
		for (int time = 0; time < TIMES; time++) {
			fetch(&office, "b/c", time);
			office_restart(&office);
		}
		office_close(&office);
	}
}

/* Nor is it after each reading, by the one who goes on. */
static void
test_readings(void **state)
{
	struct office office;
	char listed[32];

	(void)state;
	office_open(&office);
	office_read(&office, office.map, "a:1 b/c");
	begin(&office, "/b", false);
	for (int time = 0; time < TIMES; time++) {
		fetch(&office, "b/c", time);
		(void)snprintf(listed, sizeof(listed), "a:%d b/c", time + 2);
		office_read(&office, office.map, listed);
	}
	office_close(&office);
}

/* What robots.txt refuses: a page of the frontier or none yet, though it is due
 * before all others. */
static void
test_refused(void **state)
{
	(void)state;
	for (int is_page = 0; is_page < 2; is_page++) {
		struct office office;

		office_open(&office);
		if (is_page == 0)
			office_robots(&office, "User-agent: *\nDisallow: /a\n");
		office_read(&office, office.map, "a:9 b");
		begin(&office, NULL, true);
		if (is_page != 0) {
			fetch(&office, "a", 0);
			office_robots(&office, "User-agent: *\nDisallow: /a\n");
		}
		for (int time = 0; time < TIMES; time++) {
			fetch(&office, "b", time);
			office_restart(&office);
		}
		office_close(&office);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sections),
	    cmocka_unit_test(test_readings),
	    cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
