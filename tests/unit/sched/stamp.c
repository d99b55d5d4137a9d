/* Dates in the names of documents. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "base/profile.h"
#include "base/w3cdate.h"
#include "sched/sources.h"

#define HOUR 3600
#define DAY 86400
#define MONTH (30 * DAY)
#define YEAR (365 * DAY)

static const struct {
	const char *name;
	const char *begin; /* NULL: no date */
	int64_t span_s;
} stamp_cases[] = {
    {"https://a.example/news-2026-11-21.xml", "2026-11-21", DAY},
    {"/news-20261121.xml", "2026-11-21", DAY},
    {"/2026/11/21/map.xml", "2026-11-21", DAY},
    {"/2026_11.xml.gz", "2026-11-01", MONTH},
    {"/202611.xml", "2026-11-01", MONTH},
    {"/archive-2026.xml", "2026-01-01", YEAR},
    {"/news-2026-11-21-13.xml", "2026-11-21T13:00Z", HOUR},
    {"/news-20261121T13.xml", "2026-11-21T13:00Z", HOUR},
    {"/news-2026112113.xml", "2026-11-21T13:00Z", HOUR},
    {"/news-20261121130500.xml", "2026-11-21T13:00Z", HOUR},
    {"/news-2026112199.xml", NULL, 0},
    {"/2026/news-2026-11-21.xml", "2026-11-21", DAY},
    {"/map-1.xml", NULL, 0},
    {"/map-12026-11-21.xml", NULL, 0},
    {"/map-1889-11-21.xml", NULL, 0},
    {"/map-2026-13-21.xml", "2026-01-01", YEAR},
    {"/map-2026-11-211.xml", "2026-11-01", MONTH},
    {"/map-2026-02-30.xml", "2026-02-01", MONTH},
    {"/map-20263.xml", NULL, 0},
    {"/2026", "2026-01-01", YEAR},
    {"", NULL, 0},
};

static void
test_stamps(void **state)
{
	struct profile profile = profile_default(PROFILE_LENIENT);

	for (size_t i = 0; i < COUNT(stamp_cases); i++) {
		struct stamp stamp = {1, 2};
		struct seen seen = {0};
		struct date date;
		bool is_there;

		print_message("%s\n", stamp_cases[i].name);
		is_there = stamp_parse(&stamp, slice_of(stamp_cases[i].name));
		assert_int_equal(is_there, stamp_cases[i].begin != NULL);
		if (!is_there) {
			assert_int_equal(stamp.begin_s, 1);
			continue;
		}
		assert_int_equal(
		    date_parse(&date, slice_of(stamp_cases[i].begin), &profile,
			seen_sink(&seen)),
		    DIAG_OK);
		assert_int_equal(stamp.begin_s, date.epoch_s);
		assert_int_equal(stamp.span_s, stamp_cases[i].span_s);
	}
}

UNIT_TESTS(stamp, cmocka_unit_test(test_stamps));
