/*
 * Any bytes as dates: what is read can be written and read again, means the
 * instant that the C library computes, and compares as instants do.
 *
 *	byte 0: profile, W3C or mail
 *	rest:   dates, a line each
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/w3cdate.h"
#include "tests/fuzz/fuzz.h"

#define MAX_DATES 8
#define FIRST_S INT64_C(-62135596800) /* 0001-01-01T00:00:00Z */
#define LAST_S INT64_C(253402300799) /* 9999-12-31T23:59:59Z */

/* The instant of what date_print wrote, the C library's way. */
static int64_t
instant(const char *text)
{
	struct tm tm = {.tm_mon = 1, .tm_mday = 1};
	int n = sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d", &tm.tm_year, &tm.tm_mon,
	    &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec);

	assert(n >= 1);
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	return timegm(&tm);
}

static void
check_print(const struct date *date)
{
	struct profile google = profile_default(PROFILE_GOOGLE);
	struct diag_sink none = {0};
	struct buf text;
	struct date again;

	buf_init(&text, 64);
	date_print(&text, date);
	assert(text.len >= 4 && text.len < 40);
	/* less than a second after the one that is written */
	assert(instant(buf_str(&text)) == date->epoch_s);
	enum diag_code code = date_parse(
	    &again, buf_text(&text), &google, none);
	assert(code == DIAG_OK);
	assert(again.epoch_s == date->epoch_s);
	assert(again.nanos == date->nanos || date->precision != DATE_FRACTION);
	assert(again.precision == date->precision ||
	    (date->precision == DATE_DAY && again.precision == DATE_MINUTE));
	assert(!date_differs(date, &again) && !date_differs(&again, date));
	assert(date_order(date, &again) == 0 ||
	    (date->nanos != 0 && date->precision != DATE_FRACTION));
	buf_release(&text);
}

static void
check_date(const struct date *date)
{
	assert(date->precision > DATE_NONE && date->precision <= DATE_FRACTION);
	assert(date->zone <= ZONE_EXPLICIT && date->nanos < 1000000000);
	assert(date->epoch_s >= FIRST_S && date->epoch_s <= LAST_S);
	assert(date_doubt(date, LAST_S) != DIAG_LASTMOD_FUTURE);
	assert(date->epoch_s <= 0 || date_doubt(date, 0) != DIAG_OK ||
	    date->epoch_s <= 86400);
	check_print(date);
}

static void
check_pair(const struct date *a, const struct date *b)
{
	int order = date_order(a, b);

	assert((order < 0) == (date_order(b, a) > 0));
	assert((order == 0) == (date_order(b, a) == 0));
	assert(date_differs(a, b) == date_differs(b, a));
	if (order == 0)
		assert(!date_differs(a, b));
}

static void
check_http(struct slice text)
{
	int64_t epoch_s;

	if (date_parse_http(&epoch_s, text))
		assert(epoch_s >= FIRST_S && epoch_s <= LAST_S + 1);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum profile_name names[] = {
	    PROFILE_STRICT, PROFILE_GOOGLE, PROFILE_LENIENT, PROFILE_LENIENT};
	struct diag_sink none = {0};
	struct date dates[MAX_DATES];
	size_t count = 0;

	if (size < 1)
		return 0;
	struct profile profile = profile_default(names[data[0] & 3]);
	struct slice rest = slice_make((const char *)data + 1, size - 1);
	while (rest.len > 0 && count < MAX_DATES) {
		const char *end = memchr(rest.p, '\n', rest.len);
		size_t n = end == NULL ? rest.len : (size_t)(end - rest.p);
		struct slice text = slice_make(rest.p, n);
		struct date *date = &dates[count];

		rest = slice_from(rest, end == NULL ? n : n + 1);
		check_http(text);
		if (((data[0] & 4) != 0 &&
			mail_date_parse(date, text, false)) ||
		    date_parse(date, text, &profile, none) == DIAG_OK) {
			check_date(date);
			count++;
		}
	}
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++)
			check_pair(&dates[i], &dates[j]);
	return 0;
}
