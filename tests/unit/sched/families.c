/* Families of documents, and the dates in their names. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/profile.h"
#include "base/w3cdate.h"
#include "sched/families.h"

#define HOUR 3600
#define DAY 86400
#define MONTH (30 * DAY)
#define YEAR (365 * DAY)

static const struct {
	uint32_t site_a;
	const char *a;
	uint32_t site_b;
	const char *b;
	bool is_one;
} families_cases[] = {
    {0, "/s-1.xml", 0, "/s-2.xml", true},
    {0, "/s-1.xml", 0, "/s-1000.xml", true},
    {0, "/s-1.xml", 1, "/s-1.xml", false},
    {0, "/s-1.xml", 0, "/t-1.xml", false},
    {0, "/s-1-2.xml", 0, "/s-1.xml", false},
    {0, "/s-.xml", 0, "/s-1.xml", false},
    {0, "/2026/11/s.xml", 0, "/1999/1/s.xml", true},
    {0, "", 0, "", true},
    {1, "1/s", 11, "/s", false},
};

static void
test_families(void **state)
{
	for (size_t i = 0; i < COUNT(families_cases); i++) {
		struct families families;
		uint32_t a, b;

		families_init(&families, 7);
		a = families_put(&families, families_cases[i].site_a,
		    slice_of(families_cases[i].a));
		b = families_put(&families, families_cases[i].site_b,
		    slice_of(families_cases[i].b));
		assert_int_equal(a, 0);
		assert_int_equal(b, families_cases[i].is_one ? 0 : 1);
		families_release(&families);
	}
}

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

/* Names of any length get a family, and use a limited amount of memory. */
static void
test_long(void **state)
{
	struct families families;
	size_t len = 1000000;
	char *name = mem_alloc(len);

	memset(name, 'a', len);
	families_init(&families, 7);
	assert_int_equal(families_put(&families, 0, slice_make(name, len)), 0);
	name[len - 1] = 'b';
	assert_int_equal(families_put(&families, 0, slice_make(name, len)), 0);
	assert_true(strlen(names_text(&families.names, 0)) < 3000);
	families_release(&families);
	free(name);
}

UNIT_TESTS(families, cmocka_unit_test(test_families),
    cmocka_unit_test(test_stamps), cmocka_unit_test(test_long));
