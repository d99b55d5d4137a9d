/* base/zone.c: times in the zone of people. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/civil.h"
#include "base/zone.h"

static const struct {
	const char *text;
	bool is_zone;
} names[] = {
    {"UTC", true},
    {"Z", true},
    {"local", true},
    {"Europe/Berlin", true},
    {"America/Argentina/Buenos_Aires", true},
    {"Etc/GMT+5", true},
    {"+02:00", true},
    {"-0330", true},
    {"+2", true},
    {"+14:00", true},
    {"+15:00", false},
    {"+02:60", false},
    {"+2:0", false},
    {"+02:00x", false},
    {"", false},
    {"/etc/passwd", false},
    {"../../etc/passwd", false},
    {"Europe/../Berlin", false},
    {"Europe/", false},
    {".hidden", false},
    {":Europe/Berlin", false},
    {"CET-1CEST,M3.5.0", false},
    {"a b", false},
};

static void
test_names(void **state)
{
	for (size_t i = 0; i < COUNT(names); i++)
		if (zone_is(names[i].text) != names[i].is_zone)
			fail_msg("'%s'", names[i].text);
	assert_false(zone_use("No/Such_Zone"));
	assert_true(zone_is_utc());
}

static void
assert_printed(int64_t at_s, const char *time, const char *moment)
{
	struct buf out;

	buf_init(&out, 64);
	zone_print(&out, at_s, ZONE_FULL);
	assert_row("time", &out, time);
	zone_print(&out, at_s, ZONE_MOMENT);
	assert_row("moment", &out, moment);
	zone_print(&out, at_s, ZONE_DATE);
	assert_memory_equal(buf_str(&out), moment, 10);
	assert_int_equal(out.len, 10);
	buf_release(&out);
}

#define AT INT64_C(1767225600) /* 2026-01-01T00:00:00Z, a Thursday */

static void
test_fixed(void **state)
{
	assert_printed(AT, "2026-01-01T00:00:00Z", "2026-01-01 00:00");
	assert_int_equal(zone_day(AT), AT / DAY_S);
	assert_int_equal(zone_day(AT - 1), AT / DAY_S - 1);
	assert_int_equal(zone_weekday(zone_day(AT)), 3);
	assert_int_equal(zone_weekday(-4), 6);
	assert_true(zone_use("-03:30"));
	assert_false(zone_is_utc());
	assert_printed(AT, "2025-12-31T20:30:00-03:30", "2025-12-31 20:30");
	assert_int_equal(zone_day(AT), AT / DAY_S - 1);
	assert_int_equal(zone_day_s(AT / DAY_S), AT + 3 * 3600 + 1800);
	assert_true(zone_use("UTC"));
	assert_true(zone_is_utc());
}

/* Writes a zone without tables: its rule alone is that of Berlin. */
static void
write_zone(const char *folder)
{
	static const char header[] = "TZif2";
	char path[256];
	char zeros[44] = {0};
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/Test", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	(void)snprintf(path, sizeof(path), "%s/Test/Berlin", folder);
	f = fopen(path, "wb");
	assert_non_null(f);
	for (int part = 0; part < 2; part++) {
		memset(zeros, 0, sizeof(zeros));
		memcpy(zeros, header, 5);
		zeros[35] = 1; /* changes: the C library needs one */
		zeros[39] = 1; /* kinds of local time */
		zeros[43] = 4; /* bytes of their names */
		(void)fwrite(zeros, 1, 44, f);
		/* a change in 1970 to kind 0, in 32 and in 64 bits */
		memset(zeros, 0, sizeof(zeros));
		(void)fwrite(zeros, 1, part == 0 ? 5 : 9, f);
		/* offset 3,600 s, no summer time, name 0 */
		(void)fwrite("\0\0\x0e\x10\0\0CET", 1, 10, f);
	}
	(void)fprintf(f, "\nCET-1CEST,M3.5.0,M10.5.0/3\n");
	assert_int_equal(fclose(f), 0);
}

static void
test_named(void **state)
{
	char folder[] = "/tmp/freshet-zone-XXXXXX";
	char path[300];
	/* 2026-03-29 and 2026-10-25, when offsets change at 01:00 UTC */
	const int64_t spring = 1774746000, autumn = 1792890000;
	struct civil civil;

	assert_non_null(mkdtemp(folder));
	write_zone(folder);
	assert_int_equal(setenv("TZDIR", folder, 1), 0);
	assert_true(zone_use("Test/Berlin"));
	assert_printed(
	    spring - 1, "2026-03-29T01:59:59+01:00", "2026-03-29 01:59");
	assert_printed(spring, "2026-03-29T03:00:00+02:00", "2026-03-29 03:00");
	/* a day of 23 hours, and one of 25 */
	assert_int_equal(zone_day_s(zone_day(spring)), spring - 2 * 3600);
	assert_int_equal(
	    zone_day_s(zone_day(spring) + 1) - zone_day_s(zone_day(spring)),
	    23 * 3600);
	assert_int_equal(
	    zone_day_s(zone_day(autumn) + 1) - zone_day_s(zone_day(autumn)),
	    25 * 3600);
	/* an hour that is skipped, and one that comes twice */
	civil = (struct civil){2026, 3, 29, 2, 30, 0};
	assert_int_equal(zone_epoch_s(&civil), spring + 1800);
	civil = (struct civil){2026, 10, 25, 2, 30, 0};
	assert_int_equal(zone_epoch_s(&civil), autumn - 1800);
	civil = (struct civil){2026, 10, 25, 3, 0, 0};
	assert_int_equal(zone_epoch_s(&civil), autumn + 3600);
	/* each hour of the year, there and back */
	for (int64_t at_s = AT; at_s < AT + 365 * DAY_S; at_s += 3600) {
		civil = zone_civil(at_s);
		if (at_s != autumn)
			assert_int_equal(zone_epoch_s(&civil), at_s);
	}
	assert_false(zone_use("Test"));
	assert_printed(spring, "2026-03-29T03:00:00+02:00", "2026-03-29 03:00");
	(void)snprintf(path, sizeof(path), "%s/Test/Berlin", folder);
	assert_int_equal(remove(path), 0);
	(void)snprintf(path, sizeof(path), "%s/Test", folder);
	assert_int_equal(remove(path), 0);
	assert_int_equal(remove(folder), 0);
}

UNIT(zone)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_fixed),
	    cmocka_unit_test(test_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
