/* Dates of feeds and of answers: SPEC R-20, RFC 9110 5.6.7. */
#include "tests/fixtures/fixture.h"

#include <string.h>

#include "base/civil.h"
#include "base/w3cdate.h"

struct mail_row {
	const char *rule;
	const char *text;
	const char *printed;
	const char *codes;
};

static const struct mail_row mails[] = {
    {"R-20", "Wed, 05 Jun 2024 10:11:12 GMT", "2024-06-05T10:11:12Z", ""},
    {"R-20", " wed, 5 jun 2024 10:11 ut\n", "2024-06-05T10:11Z", ""},
    {"R-20", "5 Jun 79 10:11:12 UTC", "2079-06-05T10:11:12Z", ""},
    {"R-20", "5 Jun 80 10:11:12 Z", "1980-06-05T10:11:12Z", ""},
    {"R-20", "5 Jun 99 10:11:12 GMT", "1999-06-05T10:11:12Z", ""},
    {"R-20", "5 Jun 00 10:11:12 GMT", "2000-06-05T10:11:12Z", ""},
    {"R-20", "05 Jun 2024 10:11:12 -0430", "2024-06-05T14:41:12Z", ""},
    {"R-20", "05 Jun 2024 10:11:12 EST", "2024-06-05T15:11:12Z", ""},
    {"R-20", "05 Jun 2024 10:11:12 PDT", "2024-06-05T17:11:12Z", ""},
    {"R-20", "2024-06-05T10:11:12Z", "2024-06-05T10:11:12Z", ""},
    {"R-20", "2024-06-05T10:11", "2024-06-05T10:11Z", "lastmod-no-timezone"},
    {"R-20", "Wed, 31 Jun 2024 10:11:12 GMT", NULL, "invalid-date"},
    {"R-20", "05 Jun 2024 24:00:00 GMT", NULL, "invalid-date"},
    {"R-20", "05 Jun 2024 10:11:12", NULL, "invalid-date"},
    {"R-20", "05 Jun 2024 10:11:12 CEST", NULL, "invalid-date"},
    {"R-20", "05 Jun 2024 10:11:12 GMT x", NULL, "invalid-date"},
    {"R-20", "05 Jun 2024 10:11:12 +0100 x", NULL, "invalid-date"},
    {"R-20", "05 Jun 2024", NULL, "invalid-date"},
    {"R-20", "Wed 05 Jun 2024 10:11:12 GMT", NULL, "invalid-date"},
    {"R-20", "Foo, 05 Jun 2024 10:11:12 GMT", NULL, "invalid-date"},
    {"R-20", "05Jun 2024 10:11:12 GMT", NULL, "invalid-date"},
    {"R-20", "05 Jun2024 10:11:12 GMT", NULL, "invalid-date"},
    {"R-20", "05 Jun 2024 10:11:12GMT", NULL, "invalid-date"},
    {"R-20", "05 Juni 2024 10:11:12 GMT", NULL, "invalid-date"},
    {"R-20", "05 Jun 124 10:11:12 GMT", NULL, "invalid-date"},
    {"R-20", "01 Jan 0001 00:00 GMT", "0001-01-01T00:00Z", ""},
    {"R-20 before the first year", "01 Jan 0001 00:00 +0001", NULL,
	"invalid-date"},
    {"R-20", "31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59Z", ""},
    {"R-20 after the last year", "31 Dec 9999 23:59 -0001", NULL,
	"invalid-date"},
    {"R-35", "", NULL, "empty-tag"},
};

/* Profile google throughout. */
static void
feeds_have_mail_dates(void **state)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	for (size_t i = 0; i < COUNT(mails); i++) {
		struct seen seen = {{0}};
		struct date date;
		enum diag_code code = date_parse_rfc822(
		    &date, slice_of(mails[i].text), &profile, seen_sink(&seen));

		if (code != DIAG_OK)
			seen.count[code]++;
		if (strcmp(seen_names(&seen, &out), mails[i].codes) != 0)
			fail_msg("%s: %s", mails[i].text, buf_str(&out));
		assert_int_equal(code == DIAG_OK, mails[i].printed != NULL);
		if (code != DIAG_OK)
			continue;
		buf_clear(&out);
		date_print(&out, &date);
		if (strcmp(buf_str(&out), mails[i].printed) != 0)
			fail_msg("%s: %s", mails[i].text, buf_str(&out));
	}
	buf_release(&out);
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

	(void)state;
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

/* Cut anywhere, or with a byte that stands in no date, none is one. */
static void
nothing_less_is_a_date(void **state)
{
	static const char *const whole[] = {"Sun, 06 Nov 1994 08:49:37 GMT",
	    "Sun, 06 Nov 94 08:49:37 +0100", "06 Nov 1994 08:49 EST",
	    "Sun,06\tNov 1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
	    "Sun Nov  6 08:49:37 1994", "Sun Nov 16 08:49:37 1994"};
	char text[40];

	(void)state;
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

/* What no reader of dates hands out, but a struct can hold. */
static void
days_are_real(void **state)
{
	struct civil civil = {.year = 2024, .month = 2, .day = 29};

	(void)state;
	assert_true(civil_is_real(&civil));
	civil.second = -1;
	assert_false(civil_is_real(&civil));
	civil.second = 0;
	civil.minute = -1;
	assert_false(civil_is_real(&civil));
	civil.minute = 0;
	civil.hour = -1;
	assert_false(civil_is_real(&civil));
	civil.hour = 0;
	civil.day = 0;
	assert_false(civil_is_real(&civil));
	civil = (struct civil){.year = 10000, .month = 1, .day = 1};
	assert_false(civil_is_real(&civil));
	civil = (struct civil){.year = -1, .month = 3, .day = 1};
	assert_int_equal(civil_epoch_s(&civil), INT64_C(-62193657600));
	civil = civil_of(INT64_C(-62193657600));
	assert_int_equal(civil.year, -1);
	assert_int_equal(civil.month, 3);
	assert_int_equal(civil.day, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(feeds_have_mail_dates),
	    cmocka_unit_test(answers_have_http_dates),
	    cmocka_unit_test(nothing_less_is_a_date),
	    cmocka_unit_test(days_are_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
