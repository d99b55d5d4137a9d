/* Dates of entries: SPEC, HOSTILE U7. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/civil.h"
#include "base/w3cdate.h"

#define N PROFILE_STRICT
#define G PROFILE_GOOGLE
#define L PROFILE_LENIENT

struct row {
	const char *rule;
	enum profile_name profile;
	const char *text;
	const char *printed; /* what date_print writes, NULL: no date */
	uint8_t precision, zone;
	const char *codes; /* those emitted, or the one returned */
};

static const struct row rows[] = {
    {"R-25", G, "2024", "2024", DATE_YEAR, ZONE_NONE, "lastmod-coarse"},
    {"R-25", G, "2024-06", "2024-06", DATE_MONTH, ZONE_NONE, "lastmod-coarse"},
    {"R-25", N, "2024-06", "2024-06", DATE_MONTH, ZONE_NONE, "lastmod-coarse"},
    {"R-25", N, "2024-06-05", "2024-06-05", DATE_DAY, ZONE_NONE, ""},
    {"R-25", N, "2024-06-05T10:11:12Z", "2024-06-05T10:11:12Z", DATE_SECOND,
	ZONE_EXPLICIT, ""},
    {"R-25", N, "2024-06-05T10:11:12.5Z", "2024-06-05T10:11:12.5Z",
	DATE_FRACTION, ZONE_EXPLICIT, ""},
    {"R-25", N, "2024-06-05T10:11:12.050+02:00", "2024-06-05T08:11:12.05Z",
	DATE_FRACTION, ZONE_EXPLICIT, ""},
    {"R-25", G, " \t\r\n2024-06-05\n", "2024-06-05", DATE_DAY, ZONE_NONE, ""},
    {"R-25", G, "2024-06-05 ", "2024-06-05", DATE_DAY, ZONE_NONE, ""},
    {"R-26", G, "2024-06-05T10:11:12+14:00", "2024-06-04T20:11:12Z",
	DATE_SECOND, ZONE_EXPLICIT, ""},
    {"R-26", G, "2024-06-05T10:11:12+13:59", "2024-06-04T20:12:12Z",
	DATE_SECOND, ZONE_EXPLICIT, ""},
    {"R-26", G, "2024-06-05T10:11+14:00", "2024-06-04T20:11Z", DATE_MINUTE,
	ZONE_EXPLICIT, ""},
    {"R-26", G, "2024-06-05T10:11+05:59", "2024-06-05T04:12Z", DATE_MINUTE,
	ZONE_EXPLICIT, ""},
    {"R-26", G, "2024-06-05T10:11:12-00:00", "2024-06-05T10:11:12Z",
	DATE_SECOND, ZONE_EXPLICIT, ""},
    {"R-26", G, "2024-06-05T10:11:12-00:30", "2024-06-05T10:41:12Z",
	DATE_SECOND, ZONE_EXPLICIT, ""},
    {"R-27", G, "0001-01-01", "0001-01-01", DATE_DAY, ZONE_NONE, ""},
    {"R-27", G, "9999-12-31", "9999-12-31", DATE_DAY, ZONE_NONE, ""},
    {"R-27", G, "2024-06-05T23:59:59Z", "2024-06-05T23:59:59Z", DATE_SECOND,
	ZONE_EXPLICIT, ""},
    {"R-27", G, "9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z", DATE_SECOND,
	ZONE_EXPLICIT, ""},
    {"R-27", G, "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", DATE_SECOND,
	ZONE_EXPLICIT, ""},
    /* a day of a zone with an offset of half an hour is no day of UTC */
    {"R-28", G, "2024-06-05-00:30", "2024-06-05T00:30Z", DATE_DAY,
	ZONE_EXPLICIT, "lastmod-date-timezone"},
    {"R-29", L, "2024-06-05t10:11z", "2024-06-05T10:11Z", DATE_MINUTE,
	ZONE_EXPLICIT, "lastmod-nonstandard"},
    {"R-29", L, "2024-06-05T10:11:12+0200", "2024-06-05T08:11:12Z", DATE_SECOND,
	ZONE_EXPLICIT, "lastmod-nonstandard"},
    {"R-29", L, "2024-06-05T10:11:12-02", "2024-06-05T12:11:12Z", DATE_SECOND,
	ZONE_EXPLICIT, "lastmod-nonstandard"},
    {"R-29", L, "05 Jun 2024 10:11 GMT", "2024-06-05T10:11Z", DATE_MINUTE,
	ZONE_EXPLICIT, "lastmod-nonstandard"},
    /* refused */
    {"R-25", G, "2024-06-05t10:11Z", NULL, 0, 0, "invalid-date"},
    {"R-25", G, "2024-6-05", NULL, 0, 0, "invalid-date"},
    {"R-25", G, "2024-06-", NULL, 0, 0, "invalid-date"},
    {"R-25", G, "2024-06-05T10", NULL, 0, 0, "invalid-date"},
    {"R-25", G, "2024-06-05T10:11:", NULL, 0, 0, "invalid-date"},
    {"R-25", G, "2024-06-05T1:11Z", NULL, 0, 0, "invalid-date"},
    {"R-25", G, "2024-06-05T10:11:12Z ago", NULL, 0, 0, "invalid-date"},
    {"R-25", G, "2024T10:11Z", NULL, 0, 0, "invalid-date"},
    {"R-25", G, "2024-06Z", NULL, 0, 0, "invalid-date"},
    {"R-26", G, "2024-06-05T10:11:12-14:01", NULL, 0, 0, "invalid-date"},
    {"R-26", G, "2024-06-05T10:11:12+05:", NULL, 0, 0, "invalid-date"},
    {"R-26", G, "2024-06-05T10:11:12-23:59", NULL, 0, 0, "invalid-date"},
    {"R-26", G, "2024-06-05T10:11-14:01", NULL, 0, 0, "invalid-date"},
    {"R-26", G, "2024-06-05T10:11+05:60", NULL, 0, 0, "invalid-date"},
    {"R-27", G, "1900-02-29", NULL, 0, 0, "invalid-date"},
    {"R-27", G, "2024-04-31", NULL, 0, 0, "invalid-date"},
    {"R-27", G, "2024-12-32", NULL, 0, 0, "invalid-date"},
    {"R-27", G, "2024-13", NULL, 0, 0, "invalid-date"},
    {"R-27", G, "0000", NULL, 0, 0, "invalid-date"},
    {"R-27", G, "10000-01-01", NULL, 0, 0, "invalid-date"},
    {"R-27", G, "9999-12-31T23:59:59-14:00", NULL, 0, 0, "invalid-date"},
    {"R-27", G, "0001-01-01T00:00:00+14:00", NULL, 0, 0, "invalid-date"},
    {"R-27", G, "2024-06-05T23:60:00Z", NULL, 0, 0, "invalid-date"},
    {"R-27", G, "2024-06-05T23:59:60Z", NULL, 0, 0, "invalid-date"},
    {"R-27", G, "9999-12-31T23:59:59-00:01", NULL, 0, 0, "invalid-date"},
    {"R-27", G, "0001-01-01T00:00:00+00:01", NULL, 0, 0, "invalid-date"},
    {"R-27", G, "2024-06-05T24:00Z", NULL, 0, 0, "invalid-date"},
    {"R-27", G, "2024-06-05T23:60Z", NULL, 0, 0, "invalid-date"},
    {"R-27", L, "2016-12-31T23:59:60Z", NULL, 0, 0, "invalid-date"},
    {"R-28", N, "2024-06-05+08:00", NULL, 0, 0, "invalid-date"},
    {"R-29", G, "2024-06-05 10:11:12Z", NULL, 0, 0, "invalid-date"},
    {"R-29", L, "2024-06-05T10:11:12+020", NULL, 0, 0, "invalid-date"},
    {"R-29", L, "2024-06-05T10:11:12+1a", NULL, 0, 0, "invalid-date"},
    {"R-29", L, "20240631", NULL, 0, 0, "invalid-date"},
    {"R-29", L, "202406", NULL, 0, 0, "invalid-date"},
    {"R-29", L, "2024060", NULL, 0, 0, "invalid-date"},
    {"R-29", L, "2024-06-05T24:00Z", NULL, 0, 0, "invalid-date"},
    {"R-29", L, "9999-12-31T24:00:00Z", NULL, 0, 0, "invalid-date"},
    {"R-29", L, "Wed, 5 Jun 2024 10:11:12 GMT", NULL, 0, 0, "invalid-date"},
    {"R-29", L, "Wed, 05 Jun 24 10:11:12 GMT", NULL, 0, 0, "invalid-date"},
    {"R-35", G, " \n\t", NULL, 0, 0, "empty-tag"},
    {"R-35", L, "", NULL, 0, 0, "empty-tag"},
};

static void
forms_are_read(void **state)
{
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct profile profile = profile_default(row->profile);
		struct date date = {-7, 7, 77, 7, 7};
		struct seen seen = {{0}};
		char *text = exact_copy(slice_of(row->text));
		enum diag_code code = date_parse(&date,
		    slice_make(text, strlen(row->text)), &profile,
		    seen_sink(&seen));

		free(text);
		if (code != DIAG_OK) {
			assert_int_equal(date.precision, 77);
			assert_string_equal(seen_names(&seen, out), "");
			seen.count[code]++;
		}
		if ((code == DIAG_OK) != (row->printed != NULL) ||
		    strcmp(seen_names(&seen, out), row->codes) != 0)
			fail_msg("%s '%s': %s, %s", row->rule, row->text,
			    diag_name(code), buf_str(out));
		if (code != DIAG_OK)
			continue;
		buf_clear(out);
		date_print(out, &date);
		if (strcmp(buf_str(out), row->printed) != 0 ||
		    date.precision != row->precision || date.zone != row->zone)
			fail_msg("%s '%s' is %s, %d, %d", row->rule, row->text,
			    buf_str(out), date.precision, date.zone);
	}
}

static struct date
lenient(const char *text)
{
	struct profile profile = profile_default(PROFILE_LENIENT);
	struct date date = {0};

	if (text[0] != '\0')
		assert_int_equal(date_parse(&date, slice_of(text), &profile,
				     (struct diag_sink){NULL, NULL}),
		    DIAG_OK);
	return date;
}

/* parse_longer(date, text): the same date as another form: with a fraction, or
 * one digit more in it, or a day as its first minute. */
static bool
parse_longer(struct date *date, const char *text)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct diag_sink quiet = {NULL, NULL};
	char longer[40];

	if (strlen(text) == 10)
		(void)snprintf(longer, sizeof(longer), "%sT00:00Z", text);
	else if (strlen(text) == 24)
		(void)snprintf(
		    longer, sizeof(longer), "%.23s0%s", text, text + 23);
	else
		(void)snprintf(
		    longer, sizeof(longer), "%.19s.0%s", text, text + 19);
	return date_parse(date, slice_of(longer), &profile, quiet) == DIAG_OK;
}

/* The usual forms are read in a way of their own, which must not read more, or
 * less, or something else. */
static void
usual_forms_are_like_others(void **state)
{
	static const char *const texts[] = {"2024-02-28",
	    "1999-12-31T23:59:59Z", "2024-06-05T10:11:12+13:59",
	    "2024-06-05T10:11:12.345Z", "0001-01-01T00:00:00-00:00",
	    "9999-12-31T00:00:00+00:01"};
	static const char others[] = "0123456789-:.TZ+ t/";
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct diag_sink quiet = {NULL, NULL};
	unsigned seed = 3;
	unsigned read = 0;

	for (int round = 0; round < 100000; round++) {
		struct date date, other;
		char text[32];
		bool is_date;

		(void)snprintf(
		    text, sizeof(text), "%s", texts[round % (int)COUNT(texts)]);
		for (int i = 0; i < round % 4; i++) {
			seed = seed * 1103515245 + 12345;
			text[(seed >> 16) % strlen(text)] =
			    others[(seed >> 8) % strlen(others)];
		}
		/* White space at the end is taken off, and a digit would be
		 * one of the fraction. */
		size_t len = strlen(text);
		if (text[len - 1] == ' ' ||
		    (len == 24 && strchr("0123456789", text[23]) != NULL) ||
		    (len > 19 && len != 24 &&
			strchr(".0123456789", text[19]) != NULL))
			continue;
		is_date = date_parse(&date, slice_of(text), &profile, quiet) ==
		    DIAG_OK;
		if (strlen(text) == 10 && is_date && date.precision != DATE_DAY)
			continue;
		if (is_date != parse_longer(&other, text))
			fail_msg("'%s'", text);
		if (is_date &&
		    (date.epoch_s != other.epoch_s ||
			date.nanos != other.nanos))
			fail_msg("'%s'", text);
		read += is_date;
	}
	assert_true(read > 25000);
}

/* digits after the ninth are cut. */
static void
nanoseconds_are_kept(void **state)
{
	static const struct {
		const char *fraction;
		uint32_t nanos;
	} fractions[] = {{".9", 900000000}, {".123456789", 123456789},
	    {".1234567899", 123456789}, {".0000000009", 0}, {".000000001", 1},
	    {".9999999999999999999", 999999999}};

	for (size_t i = 0; i < COUNT(fractions); i++) {
		char text[64];

		(void)snprintf(text, sizeof(text), "2024-06-05T10:11:12%sZ",
		    fractions[i].fraction);
		if (lenient(text).nanos != fractions[i].nanos)
			fail_msg("%s: %u", text, lenient(text).nanos);
	}
}

/* Every day of 800 years, counted one by one; after the last day of a month
 * there is none. */
static void
the_calendar_has_no_gaps(void **state)
{
	static const int lengths[] = {
	    31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	struct profile profile = profile_default(PROFILE_STRICT);
	int64_t expected_s = INT64_C(-11676096000);
	struct buf *out = *state;

	for (int month = 1600 * 12; month < 2400 * 12; month++) {
		int year = month / 12;
		bool is_leap = year % 4 == 0 &&
		    (year % 100 != 0 || year % 400 == 0);
		int last = lengths[month % 12] + (month % 12 == 1 && is_leap);

		for (int day = 1; day <= last + 1; day++) {
			struct date date;
			char text[40];

			(void)snprintf(text, sizeof(text), "%04d-%02d-%02d",
			    year, month % 12 + 1, day);
			assert_int_equal(date_parse(&date, slice_of(text),
					     &profile, (struct diag_sink){0}),
			    day > last ? DIAG_INVALID_DATE : DIAG_OK);
			if (day > last)
				break;
			assert_int_equal(date.epoch_s, expected_s);
			date_print(out, &date);
			assert_row("day", out, text);
			expected_s += 86400;
		}
	}
}

struct pair {
	const char *a, *b;
	bool differs;
};

/* two dates differ when their periods do not overlap. */
static void
periods_decide_what_differs(void **state)
{
	static const struct pair pairs[] = {
	    {"2024-06-05", "2024-06-05T10:00Z", false},
	    {"2024-06-05", "2024-06-05T23:59:59.9Z", false},
	    {"2024-06-05", "2024-06-06T00:00:00Z", true},
	    {"2024-06-05", "2024-06-04T23:59:59Z", true},
	    {"2024-06-05", "2024-06-06", true},
	    {"2024-06-05", "2024-06-05", false},
	    {"2024", "2024-12-31T23:59:59Z", false},
	    {"2024", "2025-01-01", true},
	    {"2024", "2023-12-31", true},
	    {"2024-02", "2024-02-29", false},
	    {"2024-02", "2024-03-01", true},
	    {"2024-12", "2024-12-31", false},
	    {"2024-12", "2025-01-01", true},
	    {"2024-06-05T10:11Z", "2024-06-05T10:11:59Z", false},
	    {"2024-06-05T10:11Z", "2024-06-05T10:12:00Z", true},
	    {"2024-06-05T10:11:12Z", "2024-06-05T10:11:12.999Z", false},
	    {"2024-06-05T10:11:12Z", "2024-06-05T10:11:13Z", true},
	    {"2024-06-05T10:11:12.5Z", "2024-06-05T10:11:12.50Z", false},
	    {"2024-06-05T10:11:12.5Z", "2024-06-05T10:11:12.51Z", true},
	    {"2024-06-05T12:00+02:00", "2024-06-05T10:00Z", false},
	    {"2024-06-05+08:00", "2024-06-04T16:00Z", false},
	    {"2024-06-05+08:00", "2024-06-05T16:00Z", true},
	    {"", "", false},
	    {"", "2024", true},
	    /* the site has changed its zone */
	    {"2024-06-05T12:00:00+01:00", "2024-06-05T12:00:00+02:00", false},
	    {"2024-06-05T12:00+01:00", "2024-06-05T12:00-08:00", false},
	    {"2024-06-05T12:00:00.5Z", "2024-06-05T12:00:00.5+05:30", false},
	    {"2024-06-05T12:00:00", "2024-06-05T12:00:00-05:00", false},
	    {"2024-06-05T12:00:00", "2024-06-05T12:00:00Z", false},
	    {"2024-06-05+08:00", "2024-06-05-08:00", false},
	    {"Wed, 05 Jun 2024 12:00:00 +0100", "2024-06-05T12:00:00Z", false},
	    /* it has not */
	    {"2024-06-05T12:00:00+01:00", "2024-06-05T12:00:01+02:00", true},
	    {"2024-06-05T12:00:00Z", "2024-06-05T13:00:00Z", true},
	    {"2024-06-05T12:00:00Z", "2024-06-05T12:00+05:30", true},
	    {"2024-06-05T12:00:00+01:07", "2024-06-05T12:00:00Z", true},
	    {"", "1970-01-15", true},
	};

	for (size_t i = 0; i < COUNT(pairs); i++) {
		struct date a = lenient(pairs[i].a);
		struct date b = lenient(pairs[i].b);

		if (date_differs(&a, &b) != pairs[i].differs ||
		    date_differs(&b, &a) != pairs[i].differs)
			fail_msg("'%s' '%s'", pairs[i].a, pairs[i].b);
	}
}

/* A date from a reader may be any bytes. */
static void
absurd_dates_do_no_harm(void **state)
{
	static const int64_t epochs[] = {
	    INT64_MIN, INT64_MIN + 1, -1, 0, INT64_MAX - 1, INT64_MAX};
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(epochs); i++) {
		for (uint8_t p = DATE_NONE; p <= DATE_FRACTION; p++) {
			struct date a = {
			    epochs[i], UINT32_MAX, p, ZONE_NONE, 0};
			struct date b = lenient("2024-06-05");

			assert_true(date_differs(&a, &b));
			(void)date_differs(&a, &a);
			(void)date_doubt(&a, INT64_MIN);
			(void)date_doubt(&a, INT64_MAX);
			date_print(out, &a);
			buf_clear(out);
		}
	}
}

static void
order_is_by_first_instant(void **state)
{
	static const char *const sorted[] = {"", "0001", "2023-12-31", "2024",
	    "2024-01-01T00:00:01Z", "2024-01-01T00:00:01.5Z", "2024-01-02"};

	for (size_t i = 0; i < COUNT(sorted); i++) {
		for (size_t k = 0; k < COUNT(sorted); k++) {
			struct date a = lenient(sorted[i]);
			struct date b = lenient(sorted[k]);
			int order = date_order(&a, &b);

			assert_int_equal(order < 0, i < k);
			assert_int_equal(order > 0, i > k);
		}
	}
}

struct doubt {
	const char *text;
	enum diag_code code;
};

/* R-31, U7; now is 2026-01-01T00:00:00Z. */
static void
some_dates_cannot_be_used(void **state)
{
	static const struct doubt doubts[] = {
	    {"2026-01-01", DIAG_OK},
	    {"2026-01-02T00:00:00Z", DIAG_OK},
	    {"2026-01-02", DIAG_OK},
	    {"2026-01-02T00:00:00.1Z", DIAG_LASTMOD_FUTURE},
	    {"2026-01-02T00:00:01Z", DIAG_LASTMOD_FUTURE},
	    {"2027", DIAG_LASTMOD_FUTURE},
	    {"9999-12-31", DIAG_LASTMOD_FUTURE},
	    {"1990-01-01", DIAG_OK},
	    {"1989-12-31T23:59:59Z", DIAG_LASTMOD_IMPLAUSIBLE},
	    {"1970-01-01", DIAG_LASTMOD_IMPLAUSIBLE},
	    {"0001", DIAG_LASTMOD_IMPLAUSIBLE},
	    {"", DIAG_OK},
	};

	for (size_t i = 0; i < COUNT(doubts); i++) {
		struct date date = lenient(doubts[i].text);

		if (date_doubt(&date, 1767225600) != doubts[i].code)
			fail_msg("'%s'", doubts[i].text);
	}
}

static void
times_are_printed(void **state)
{
	static const struct {
		int64_t epoch_s;
		const char *text;
	} times[] = {{0, "1970-01-01T00:00:00Z"}, {-1, "1969-12-31T23:59:59Z"},
	    {1767225599, "2025-12-31T23:59:59Z"},
	    {-62167219200, "0000-01-01T00:00:00Z"},
	    {253402300799, "9999-12-31T23:59:59Z"},
	    /* years that no four digits can say */
	    {253402300800, "10000-01-01T00:00:00Z"},
	    {-62167219201, "-001-12-31T23:59:59Z"}};
	struct date none = {0};
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(times); i++) {
		time_print(out, times[i].epoch_s);
		assert_row("time", out, times[i].text);
	}
	date_print(out, &none);
	assert_row("no date", out, "");
}

/* Dates of feeds and of answers: SPEC R-20, RFC 9110 5.6.7. */

struct mail_row {
	const char *text;
	const char *printed;
	const char *codes;
};

static const struct mail_row mails[] = {
    {"Wed, 05 Jun 2024 10:11:12 GMT", "2024-06-05T10:11:12Z", ""},
    {" wed, 5 jun 2024 10:11 ut\n", "2024-06-05T10:11Z", ""},
    {"5 Jun 79 10:11:12 UTC", "2079-06-05T10:11:12Z", ""},
    {"5 Jun 80 10:11:12 Z", "1980-06-05T10:11:12Z", ""},
    {"5 Jun 99 10:11:12 GMT", "1999-06-05T10:11:12Z", ""},
    {"5 Jun 00 10:11:12 GMT", "2000-06-05T10:11:12Z", ""},
    {"05 Jun 2024 10:11:12 -0430", "2024-06-05T14:41:12Z", ""},
    {"05 Jun 2024 10:11:12 EST", "2024-06-05T15:11:12Z", ""},
    {"05 Jun 2024 10:11:12 PDT", "2024-06-05T17:11:12Z", ""},
    {"2024-06-05T10:11:12Z", "2024-06-05T10:11:12Z", ""},
    {"2024-06-05T10:11", "2024-06-05T10:11Z", "lastmod-no-timezone"},
    {"Wed, 31 Jun 2024 10:11:12 GMT", NULL, "invalid-date"},
    {"05 Jun 2024 24:00:00 GMT", NULL, "invalid-date"},
    {"05 Jun 2024 10:11:12", NULL, "invalid-date"},
    {"05 Jun 2024 10:11:12 CEST", NULL, "invalid-date"},
    {"05 Jun 2024 10:11:12 GMT x", NULL, "invalid-date"},
    {"05 Jun 2024 10:11:12 +0100 x", NULL, "invalid-date"},
    {"05 Jun 2024", NULL, "invalid-date"},
    {"Wed 05 Jun 2024 10:11:12 GMT", NULL, "invalid-date"},
    {"Foo, 05 Jun 2024 10:11:12 GMT", NULL, "invalid-date"},
    {"05Jun 2024 10:11:12 GMT", NULL, "invalid-date"},
    {"05 Jun2024 10:11:12 GMT", NULL, "invalid-date"},
    {"05 Jun 2024 10:11:12GMT", NULL, "invalid-date"},
    {"05 Juni 2024 10:11:12 GMT", NULL, "invalid-date"},
    {"05 Jun 124 10:11:12 GMT", NULL, "invalid-date"},
    {"01 Jan 0001 00:00 GMT", "0001-01-01T00:00Z", ""},
    /* before the first year */
    {"01 Jan 0001 00:00 +0001", NULL, "invalid-date"},
    {"31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59Z", ""},
    /* after the last year */
    {"31 Dec 9999 23:59 -0001", NULL, "invalid-date"},
    {"", NULL, "empty-tag"},
};

/* Profile google throughout. */
static void
feeds_have_mail_dates(void **state)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(mails); i++) {
		struct seen seen = {{0}};
		struct date date;
		enum diag_code code = DIAG_OK;

		if (!mail_date_parse(&date, slice_of(mails[i].text), false))
			code = date_parse(&date, slice_of(mails[i].text),
			    &profile, seen_sink(&seen));

		if (code != DIAG_OK)
			seen.count[code]++;
		(void)seen_names(&seen, out);
		assert_row(mails[i].text, out, mails[i].codes);
		assert_int_equal(code == DIAG_OK, mails[i].printed != NULL);
		if (code != DIAG_OK)
			continue;
		assert_int_equal(date.nanos, 0);
		date_print(out, &date);
		assert_row(mails[i].text, out, mails[i].printed);
	}
}

/* RFC 9110 5.6.7. */
static void
answers_have_http_dates(void **state)
{
	static const char *const good[] = {"Sun, 06 Nov 1994 08:49:37 GMT",
	    "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
	    " Sun, 06 Nov 1994 08:49:37 GMT "};
	static const char *const bad[] = {"", "0", "784111777",
	    "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
	    "Sun, 06 Nov 1994 08:49 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
	    "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
	    "Sun, 06 Nov 1994 24:49:37 GMT", "Sunday, 06-Nov-94 08:49:37",
	    "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT",
	    "1994-11-06T08:49:37Z"};
	int64_t epoch_s;

	for (size_t i = 0; i < COUNT(good); i++) {
		epoch_s = 0;
		if (!date_parse_http(&epoch_s, slice_of(good[i])) ||
		    epoch_s != 784111777)
			fail_msg("'%s'", good[i]);
	}
	epoch_s = 4711;
	for (size_t i = 0; i < COUNT(bad); i++)
		if (date_parse_http(&epoch_s, slice_of(bad[i])))
			fail_msg("'%s'", bad[i]);
	assert_int_equal(epoch_s, 4711);
	assert_true(date_parse_http(
	    &epoch_s, slice_of("Sat, 31 Dec 2016 23:59:60 GMT")));
	assert_int_equal(epoch_s, 1483228800);
	assert_true(date_parse_http(
	    &epoch_s, slice_of("Friday, 01-Jan-69 00:00:00 GMT")));
	assert_int_equal(epoch_s, INT64_C(3124224000));
	assert_true(date_parse_http(
	    &epoch_s, slice_of("Thursday, 01-Jan-70 00:00:00 GMT")));
	assert_int_equal(epoch_s, 0);
}

/* Each day of a week and each month, in each form. */
static void
all_names_are_known(void **state)
{
	static const char *const forms[] = {"%a, %d %b %Y 08:49:37 GMT",
	    "%A, %d-%b-%y 08:49:37 GMT", "%a %b %e 08:49:37 %Y"};
	struct tm tm = {.tm_year = 94, .tm_hour = 12};

	for (int day = 1; day <= 365; day++) {
		int64_t expected_s = INT64_C(757382400) + day * 86400 +
		    8 * 3600 + 49 * 60 + 37;

		tm.tm_mon = 0;
		tm.tm_mday = day + 1;
		assert_int_not_equal(timegm(&tm), -1);
		for (size_t i = 0; i < COUNT(forms); i++) {
			char text[64];
			int64_t epoch_s;

			(void)strftime(text, sizeof(text), forms[i], &tm);
			if (!date_parse_http(&epoch_s, slice_of(text)) ||
			    epoch_s != expected_s)
				fail_msg("'%s'", text);
		}
	}
}

/* reads(text): as mail of either kind, or as a header? */
static bool
reads(struct slice text)
{
	struct date date;
	int64_t epoch_s;

	return mail_date_parse(&date, text, true) ||
	    mail_date_parse(&date, text, false) ||
	    date_parse_http(&epoch_s, text);
}

/* A date that is cut anywhere, or that contains a byte that no date has, is
 * refused. */
static void
nothing_less_is_a_date(void **state)
{
	static const char *const whole[] = {"Sun, 06 Nov 1994 08:49:37 GMT",
	    "Sun, 06 Nov 94 08:49:37 +0100", "06 Nov 1994 08:49 EST",
	    "Sun,06\tNov 1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
	    "Sun Nov  6 08:49:37 1994", "Sun Nov 16 08:49:37 1994"};
	char text[40];

	for (size_t i = 0; i < COUNT(whole); i++) {
		size_t len = strlen(whole[i]);

		assert_true(reads(slice_of(whole[i])));
		for (size_t n = 0; n < len; n++) {
			if (reads(slice_make(whole[i], n)))
				fail_msg("%.*s", (int)n, whole[i]);
			memcpy(text, whole[i], len);
			text[n] = '~';
			if (reads(slice_make(text, len)))
				fail_msg("%.*s", (int)len, text);
		}
	}
}

/* Values that no parser of dates returns, but that a struct can have. */
static void
days_are_real(void **state)
{
	static const struct civil odd[] = {{2024, 2, 29, 0, 0, -1},
	    {2024, 2, 29, 0, -1, 0}, {2024, 2, 29, -1, 0, 0},
	    {2024, 2, 0, 0, 0, 0}, {10000, 1, 1, 0, 0, 0}};
	const int64_t before_year_0_s = INT64_C(-62193657600);
	struct civil civil = {2024, 2, 29, 0, 0, 0};

	assert_true(civil_is_real(&civil));
	for (size_t i = 0; i < COUNT(odd); i++)
		if (civil_is_real(&odd[i]))
			fail_msg("row %zu", i);
	civil = (struct civil){-1, 3, 1, 0, 0, 0};
	assert_int_equal(civil_epoch_s(&civil), before_year_0_s);
	civil = civil_of(before_year_0_s);
	assert_int_equal(civil.year, -1);
	assert_int_equal(civil.month, 3);
	assert_int_equal(civil.day, 1);
}

UNIT(w3cdate)
{
	const struct CMUnitTest tests[] = {
	    text_test(forms_are_read),
	    cmocka_unit_test(usual_forms_are_like_others),
	    cmocka_unit_test(nanoseconds_are_kept),
	    text_test(the_calendar_has_no_gaps),
	    cmocka_unit_test(periods_decide_what_differs),
	    text_test(absurd_dates_do_no_harm),
	    cmocka_unit_test(order_is_by_first_instant),
	    cmocka_unit_test(some_dates_cannot_be_used),
	    text_test(times_are_printed),
	    text_test(feeds_have_mail_dates),
	    cmocka_unit_test(answers_have_http_dates),
	    cmocka_unit_test(all_names_are_known),
	    cmocka_unit_test(nothing_less_is_a_date),
	    cmocka_unit_test(days_are_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
