/* Names for the spread of lastmod. */
#include "tests/fixtures/fixture.h"

#include "crawler/report/report_dates.h"

#define NOW 1700000000
#define DAY 86400

struct row {
	const char *name;
	int64_t first_s; /* of the first entry, as seconds before now */
	int64_t step_s; /* each further one is earlier by that */
	unsigned dated;
	unsigned undated;
	enum diag_code code; /* a finding, */
	unsigned count; /* so many times */
	int64_t listed_s; /* by its index, before now; 0: not */
	uint8_t precision;
};

static const struct row rows[] = {
    {"", 0, 0, 0, 0, DIAG_OK, 0, 0, DATE_SECOND},
    {"absent", 0, 0, 0, 1, DIAG_OK, 0, 0, DATE_SECOND},
    {"", 10, 3 * DAY, 30, 1, DIAG_OK, 0, 0, DATE_SECOND},
    {"always now", 10, 1, 20, 0, DIAG_LASTMOD_UNIFORM, 1, 0, DATE_SECOND},
    /* too few to say anything */
    {"", 10, 1, 19, 0, DIAG_OK, 0, 0, DATE_SECOND},
    /* a day says nothing about the minute */
    {"uniform", 10, 1, 20, 0, DIAG_LASTMOD_UNIFORM, 1, 0, DATE_DAY},
    {"uniform", 2 * 3600, 1, 50, 0, DIAG_LASTMOD_UNIFORM, 1, 0, DATE_SECOND},
    {"frozen", 90 * DAY, 0, 20, 5, DIAG_OK, 0, 0, DATE_DAY},
    {"", 90 * DAY, DAY, 20, 5, DIAG_OK, 0, 0, DATE_DAY},
    /* of yesterday, and of the day before that */
    {"", DAY, 0, 20, 0, DIAG_OK, 0, 0, DATE_DAY},
    {"frozen", 2 * DAY, 0, 20, 0, DIAG_OK, 0, 0, DATE_DAY},
    /* nine of ten, and one less */
    {"frozen", 90 * DAY, 4600, 20, 0, DIAG_OK, 0, 0, DATE_SECOND},
    {"", 90 * DAY, 4900, 20, 0, DIAG_OK, 0, 0, DATE_SECOND},
    {"future", -9 * DAY, -DAY, 2, 0, DIAG_LASTMOD_FUTURE, 1, 0, DATE_DAY},
    {"", 9 * DAY, DAY, 3, 0, DIAG_LASTMOD_FUTURE, 1, 0, DATE_DAY},
    {"backwards", 9 * DAY, DAY, 5, 0, DIAG_OK, 0, 11 * DAY, DATE_SECOND},
    {"", 9 * DAY, DAY, 5, 0, DIAG_OK, 0, 9 * DAY + 3600, DATE_SECOND},
    /* before the Epoch, and a date that lies ahead */
    {"frozen", NOW + DAY, 0, 20, 0, DIAG_OK, 0, 0, DATE_DAY},
    {"", -9 * DAY, DAY, 5, 0, DIAG_OK, 0, 11 * DAY, DATE_SECOND},
};

static void
test_names(void **state)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct reading *reading = reading_new(1, NOW);
		struct date none = {0};
		struct report_shape shape = {.at_s = NOW};

		for (unsigned k = 0; k < row->dated; k++) {
			struct date date = {
			    .epoch_s = NOW - row->first_s - k * row->step_s,
			    .precision = row->precision};

			report_shape_add(&shape, &date);
			if (k == 0)
				reading->content.merge.newest = date;
		}
		for (unsigned k = 0; k < row->dated; k++) {
			struct date date = {
			    .epoch_s = NOW - row->first_s - k * row->step_s};

			shape.days.count += report_day_of(date.epoch_s) ==
			    shape.days.day;
		}
		for (unsigned k = 0; k < row->undated; k++)
			report_shape_add(&shape, &none);
		for (unsigned k = 0; k < row->count; k++)
			findings_add(&reading->content.findings, row->code, 0,
			    slice_make(NULL, 0));
		if (row->listed_s != 0)
			reading->index_lastmod = (struct date){
			    .epoch_s = NOW - row->listed_s,
			    .precision = DATE_SECOND};
		if (strcmp(report_shape_name(&shape, reading), row->name) != 0)
			fail_msg("row %zu: '%s', not '%s'", i,
			    report_shape_name(&shape, reading), row->name);
		reading_free(reading);
	}
}

UNIT(report_shape)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
