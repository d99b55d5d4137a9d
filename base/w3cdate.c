/*
 * Dates: W3C Datetime with precision and zone; dates of mail, feeds and HTTP.
 */
#include "base/w3cdate.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/civil.h"

#define QUARTER_S 900 /* of an hour */
#define YEAR_1990_S INT64_C(631152000)

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *const date_precisions[DATE_FRACTION + 1] = {
    "", "year", "month", "day", "minute", "second", "fraction"};

/* Digits, signs and words. */

/* scan_word(in, words, n): take one of n words of three letters, in any case;
 * returns its index, or -1. */
static int
scan_word(struct slice *in, const char *const *words, int n)
{
	if (in->len < 3)
		return -1;
	for (int i = 0; i < n; i++) {
		if (slice_equal_nocase(
			slice_make(in->p, 3), slice_of(words[i]))) {
			*in = slice_from(*in, 3);
			return i;
		}
	}
	return -1;
}

/* scan_offset(in, offset_s, has_colon): take "+hh:mm", or "+hhmm" if has_colon
 * is false; 14:00 at most. If false, `in` may have lost a part of its text. */
static bool
scan_offset(struct slice *in, int *offset_s, bool has_colon)
{
	bool is_west = scan_char(in, '-');
	int hour, minute;

	if (!is_west && !scan_char(in, '+'))
		return false;
	if (!scan_number(in, 2, &hour))
		return false;
	if (has_colon && !scan_char(in, ':'))
		return false;
	if (!scan_number(in, 2, &minute))
		return false;
	if (minute > 59 || hour * 60 + minute > 14 * 60)
		return false;
	*offset_s = (hour * 60 + minute) * (is_west ? -60 : 60);
	return true;
}

/* Dates of mail and feeds: RFC 822 and 1123. */

static const char *const days[] = {
    "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

struct zone_name {
	const char *name;
	int hours;
};

/* The zones of RFC 822 section 5. Of its military letters only Z is read,
 * because the others never had one meaning. */
static const struct zone_name zones[] = {{"GMT", 0}, {"UT", 0}, {"UTC", 0},
    {"Z", 0}, {"EST", -5}, {"EDT", -4}, {"CST", -6}, {"CDT", -5}, {"MST", -7},
    {"MDT", -6}, {"PST", -8}, {"PDT", -7}};

static bool
skip_spaces(struct slice *in)
{
	bool any = false;

	while (scan_char(in, ' ') || scan_char(in, '\t'))
		any = true;
	return any;
}

/* hh:mm[:ss] */
static bool
scan_time(struct slice *in, struct civil *civil, bool *has_seconds)
{
	if (!scan_number(in, 2, &civil->hour) || !scan_char(in, ':') ||
	    !scan_number(in, 2, &civil->minute))
		return false;
	*has_seconds = scan_char(in, ':');
	return !*has_seconds || scan_number(in, 2, &civil->second);
}

/* The offset, which SPEC R-26 allows, as a date keeps it.  One that is no
 * number of quarters is none that a zone has. */
static uint8_t
offset_of(int offset_s)
{
	return offset_s % QUARTER_S == 0
	    ? (uint8_t)(offset_s / QUARTER_S + DATE_OFFSET_UTC)
	    : 0;
}

bool
mail_date_parse(struct date *date, struct slice text, bool is_1123)
{
	struct slice in = slice_trim(text);
	struct civil civil = {0};
	bool has_seconds, has_zone;
	int64_t epoch_s;
	int offset_s = 0, year;

	/* [Day,] dd Mon */
	if (scan_word(&in, days, 7) >= 0) {
		if (!scan_char(&in, ','))
			return false;
		(void)skip_spaces(&in);
	}
	if (!scan_number(&in, 2, &civil.day) &&
	    (is_1123 || !scan_number(&in, 1, &civil.day)))
		return false;
	if (!skip_spaces(&in))
		return false;
	civil.month = 1 + scan_word(&in, civil_months, 12);
	if (civil.month == 0 || !skip_spaces(&in))
		return false;
	/* SPEC R-20: two digits of year are 1980 to 2079. */
	if (!scan_number(&in, 4, &year)) {
		if (is_1123 || !scan_number(&in, 2, &year))
			return false;
		year += year < 80 ? 2000 : 1900;
	}
	civil.year = year;
	if (!skip_spaces(&in) || !scan_time(&in, &civil, &has_seconds) ||
	    !skip_spaces(&in))
		return false;
	/* An offset, or the name of a zone. */
	has_zone = scan_offset(&in, &offset_s, false);
	for (size_t i = 0; i < COUNT(zones) && !has_zone; i++)
		if (slice_equal_nocase(in, slice_of(zones[i].name))) {
			offset_s = zones[i].hours * 3600;
			in = slice_from(in, in.len);
			has_zone = true;
		}
	if (!has_zone || in.len > 0 || !civil_is_real(&civil))
		return false;
	epoch_s = civil_epoch_s(&civil) - offset_s;
	if (!civil_is_writable(epoch_s))
		return false;
	*date = (struct date){.epoch_s = epoch_s,
	    .precision = has_seconds ? DATE_SECOND : DATE_MINUTE,
	    .zone = ZONE_EXPLICIT,
	    .offset = offset_of(offset_s)};
	return true;
}

/* W3C Datetime. */

/* The state while one date is read. */
struct date_text {
	struct slice in;
	struct civil civil;
	uint32_t nanos;
	int offset_s;
	bool repairs; /* SPEC R-29 */
	bool is_nonstandard;
	bool is_next_day; /* the hour was 24 */
	uint8_t precision;
	uint8_t zone;
};

/* read_day(r): YYYY, YYYY-MM, YYYY-MM-DD; in lenient YYYYMMDD, too. */
static bool
read_day(struct date_text *r)
{
	int year;

	if (!scan_number(&r->in, 4, &year))
		return false;
	r->civil = (struct civil){.year = year, .month = 1, .day = 1};
	r->precision = DATE_YEAR;
	if (r->repairs && r->in.len == 4 &&
	    scan_number(&r->in, 2, &r->civil.month) &&
	    scan_number(&r->in, 2, &r->civil.day)) {
		r->is_nonstandard = true;
		r->precision = DATE_DAY;
		return true;
	}
	if (!scan_char(&r->in, '-'))
		return true;
	if (!scan_number(&r->in, 2, &r->civil.month))
		return false;
	r->precision = DATE_MONTH;
	if (!scan_char(&r->in, '-'))
		return true;
	r->precision = DATE_DAY;
	return scan_number(&r->in, 2, &r->civil.day);
}

/* hh:mm, hh:mm:ss, hh:mm:ss.s */
static bool
read_time(struct date_text *r)
{
	struct civil *civil = &r->civil;
	bool has_seconds;

	if (!scan_time(&r->in, civil, &has_seconds))
		return false;
	r->precision = has_seconds ? DATE_SECOND : DATE_MINUTE;
	if (!has_seconds)
		return true;
	if (scan_char(&r->in, '.')) {
		/* One or more digits; digits after the ninth are ignored. */
		uint32_t unit = 100000000;
		int digit;

		if (!scan_number(&r->in, 1, &digit))
			return false;
		do {
			r->nanos += (uint32_t)digit * unit;
			unit /= 10;
		} while (scan_number(&r->in, 1, &digit));
		r->precision = DATE_FRACTION;
		return true;
	}
	if (r->repairs && civil->hour == 24 && civil->minute == 0 &&
	    civil->second == 0) {
		civil->hour = 0;
		r->is_next_day = true;
		r->is_nonstandard = true;
	}
	return true;
}

/* read_zone(r): the rest of the text must be a zone or empty. */
static bool
read_zone(struct date_text *r)
{
	struct slice left = r->in;

	r->zone = ZONE_NONE;
	if (r->in.len == 0)
		return true;
	r->zone = ZONE_EXPLICIT;
	if (scan_char(&r->in, 'Z') || scan_offset(&r->in, &r->offset_s, true))
		return r->in.len == 0;
	if (!r->repairs)
		return false;
	r->is_nonstandard = true;
	r->in = left;
	if (scan_char(&r->in, 'z') || scan_offset(&r->in, &r->offset_s, false))
		return r->in.len == 0;
	r->in = left;
	if (r->in.len == 3) { /* +hh */
		char padded[] = {left.p[0], left.p[1], left.p[2], '0', '0'};

		r->in = slice_make(padded, sizeof(padded));
		return scan_offset(&r->in, &r->offset_s, false);
	}
	return false;
}

static bool
w3cdate_read_date(struct date_text *r)
{
	if (!read_day(r))
		return false;
	if (r->in.len == 0 || r->precision != DATE_DAY)
		return r->in.len == 0;
	if (r->repairs && (r->in.p[0] == ' ' || r->in.p[0] == 't')) {
		r->is_nonstandard = true;
		r->in = slice_from(r->in, 1);
		return read_time(r) && read_zone(r);
	}
	if (scan_char(&r->in, 'T'))
		return read_time(r) && read_zone(r);
	return read_zone(r);
}

/* two_digits(p, odd): the number at p; *odd becomes true if it is none. */
static int
two_digits(const char *p, bool *odd)
{
	unsigned tens = (unsigned)p[0] - '0';
	unsigned ones = (unsigned)p[1] - '0';

	*odd |= (tens > 9) | (ones > 9);
	return (int)(tens * 10 + ones);
}

/* read_usual(date, text): the forms of nearly all dates: "2024-06-05",
 * "2024-06-05T10:11:12Z", the same with milliseconds, and
 * "2024-06-05T10:11:12+02:00". False: text has another form, or is no date, and
 * *date is as it was. All profiles read these four forms in silence. */
static bool
read_usual(struct date *date, struct slice text)
{
	const char *p = text.p;
	bool is_day = text.len == 10;
	bool has_millis = text.len == 24;
	bool odd = false;
	int offset_s = 0;
	int millis = 0;
	struct civil civil;
	int64_t epoch_s;

	if (!is_day && text.len != 25 &&
	    !((text.len == 20 || has_millis) && p[text.len - 1] == 'Z'))
		return false;
	civil = (struct civil){
	    .year = two_digits(p, &odd) * 100 + two_digits(p + 2, &odd),
	    .month = two_digits(p + 5, &odd),
	    .day = two_digits(p + 8, &odd)};
	odd |= (p[4] != '-') | (p[7] != '-');
	if (!is_day) {
		civil.hour = two_digits(p + 11, &odd);
		civil.minute = two_digits(p + 14, &odd);
		civil.second = two_digits(p + 17, &odd);
		odd |= (p[10] != 'T') | (p[13] != ':') | (p[16] != ':');
	}
	if (has_millis) {
		millis = two_digits(p + 20, &odd) * 10 + (p[22] - '0');
		odd |= (p[19] != '.') | (p[22] < '0') | (p[22] > '9');
	}
	if (text.len == 25) {
		int hour = two_digits(p + 20, &odd);
		int minute = two_digits(p + 23, &odd);

		offset_s = (hour * 60 + minute) * (p[19] == '-' ? -60 : 60);
		odd |= (p[19] != '-' && p[19] != '+') | (p[22] != ':') |
		    (minute > 59) | (hour * 60 + minute > 14 * 60);
	}
	if (odd || !civil_is_real(&civil))
		return false;
	epoch_s = civil_epoch_s(&civil) - offset_s;
	if (!civil_is_writable(epoch_s))
		return false;
	*date = (struct date){.epoch_s = epoch_s,
	    .nanos = (uint32_t)millis * 1000000,
	    .precision = is_day ? DATE_DAY
		: has_millis    ? DATE_FRACTION
				: DATE_SECOND,
	    .zone = is_day ? ZONE_NONE : ZONE_EXPLICIT,
	    .offset = is_day ? 0 : offset_of(offset_s)};
	return true;
}

enum diag_code
date_parse(struct date *date, struct slice text, const struct profile *profile,
    struct diag_sink sink)
{
	struct date_text r = {.in = slice_trim(text),
	    .repairs = profile->lastmod_forms == LASTMOD_REPAIR};
	bool has_date_zone, is_note = profile->lastmod_forms == LASTMOD_NOTE;
	struct date found;

	text = r.in;
	if (text.len == 0)
		return DIAG_EMPTY_TAG;
	if (read_usual(date, text))
		return DIAG_OK;
	if (r.repairs && mail_date_parse(&found, text, true)) {
		*date = found;
		diag_emit(sink, DIAG_LASTMOD_NONSTANDARD, text);
		return DIAG_OK;
	}
	if (!w3cdate_read_date(&r) || !civil_is_real(&r.civil))
		return DIAG_INVALID_DATE;
	found = (struct date){.epoch_s = civil_epoch_s(&r.civil) - r.offset_s,
	    .nanos = r.nanos,
	    .precision = r.precision,
	    .zone = r.zone,
	    .offset = r.zone == ZONE_EXPLICIT ? offset_of(r.offset_s) : 0};
	if (r.is_next_day)
		found.epoch_s += DAY_S;
	if (r.precision >= DATE_MINUTE && r.zone == ZONE_NONE)
		found.zone = ZONE_ASSUMED;
	/* Its year must have four digits in UTC, too. */
	if (!civil_is_writable(found.epoch_s))
		return DIAG_INVALID_DATE;
	has_date_zone = found.precision == DATE_DAY && found.zone != ZONE_NONE;
	if (is_note && (found.zone == ZONE_ASSUMED || has_date_zone))
		return DIAG_INVALID_DATE;
	*date = found;
	if (found.precision < DATE_DAY)
		diag_emit(sink, DIAG_LASTMOD_COARSE, text);
	if (found.zone == ZONE_ASSUMED)
		diag_emit(sink, DIAG_LASTMOD_NO_TIMEZONE, text);
	if (has_date_zone)
		diag_emit(sink, DIAG_LASTMOD_DATE_TIMEZONE, text);
	if (r.is_nonstandard)
		diag_emit(sink, DIAG_LASTMOD_NONSTANDARD, text);
	return DIAG_OK;
}

/* Dates of HTTP: RFC 1123, 850 and asctime. */

/* scan_form(in, form, civil): read a date of HTTP.  In the form 'a' is a day of
 * the week, 'l' the rest of its long name, 'd' a day in two digits, 'e' one
 * that a space may precede, 'b' a month, 'y' a year, 's' a short one, and 't'
 * the time; all other characters stand for themselves. */
static bool
scan_form(struct slice in, const char *form, struct civil *civil)
{
	bool fits = true, has_seconds;
	int year = 0;

	for (; *form != '\0' && fits; form++)
		switch (*form) {
		case 'a':
			fits = scan_word(&in, days, 7) >= 0;
			break;
		case 'l':
			while (in.len > 0 && in.p[0] != ',')
				in = slice_from(in, 1);
			break;
		case 'd':
			fits = scan_number(&in, 2, &civil->day);
			break;
		case 'e':
			fits = scan_number(&in, 2, &civil->day) ||
			    (scan_char(&in, ' ') &&
				scan_number(&in, 1, &civil->day));
			break;
		case 'b':
			civil->month = 1 + scan_word(&in, civil_months, 12);
			fits = civil->month > 0;
			break;
		case 'y':
			fits = scan_number(&in, 4, &year);
			civil->year = year;
			break;
		case 's':
			/* RFC 9110 compares with "50 years in the future",
			 * which needs a clock; but no document of the web is
			 * older than 1970. */
			fits = scan_number(&in, 2, &year);
			civil->year = year + (year < 70 ? 2000 : 1900);
			break;
		case 't':
			fits = scan_time(&in, civil, &has_seconds) &&
			    has_seconds;
			break;
		default:
			fits = scan_char(&in, *form);
		}
	return fits && in.len == 0;
}

bool
date_read(struct date *date, struct slice text)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);

	return date_parse(date, text, &profile, (struct diag_sink){0}) ==
	    DIAG_OK;
}

bool
date_parse_http(int64_t *epoch_s, struct slice text)
{
	struct slice in = slice_trim(text);
	struct civil civil = {0};
	int leap_s;

	/* "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
	 * "Sun Nov  6 08:49:37 1994" */
	if (!scan_form(in, "a, d b y t GMT", &civil) &&
	    !scan_form(in, "al, d-b-s t GMT", &civil) &&
	    !scan_form(in, "a b e t y", &civil))
		return false;
	/* RFC 9110 5.6.7 permits second 60. */
	leap_s = civil.second == 60 ? 1 : 0;
	civil.second -= leap_s;
	if (!civil_is_real(&civil))
		return false;
	*epoch_s = civil_epoch_s(&civil) + leap_s;
	return true;
}

/* Plausibility, comparison and output. */

enum diag_code
date_doubt(const struct date *date, int64_t now_s)
{
	uint64_t ahead_s;

	if (date->precision == DATE_NONE)
		return DIAG_OK;
	if (date->epoch_s < YEAR_1990_S)
		return DIAG_LASTMOD_IMPLAUSIBLE;
	if (date->epoch_s <= now_s)
		return DIAG_OK;
	/* The difference is unsigned because it may exceed INT64_MAX. */
	ahead_s = (uint64_t)date->epoch_s - (uint64_t)now_s;
	if (ahead_s > DAY_S || (ahead_s == DAY_S && date->nanos > 0))
		return DIAG_LASTMOD_FUTURE;
	return DIAG_OK;
}

/* period_end(date): the first instant after the period of the date; the sum
 * saturates. */
static struct date
period_end(const struct date *date)
{
	static const int64_t seconds[] = {
	    [DATE_DAY] = DAY_S, [DATE_MINUTE] = 60, [DATE_SECOND] = 1};
	struct date end = {.epoch_s = date->epoch_s,
	    .nanos = date->nanos,
	    .precision = date->precision};
	int64_t length_s = 1;

	if (date->precision >= DATE_FRACTION) {
		/* The number of digits is not stored, so the period is one
		 * nanosecond. */
		end.nanos++;
		return end;
	}
	if (date->precision >= DATE_DAY) {
		length_s = seconds[date->precision];
	} else if (civil_is_writable(date->epoch_s)) {
		/* A year or month lasts until the next one begins.  No date
		 * that was parsed lies outside of what can be written, but
		 * bytes from another process may. */
		struct civil next = civil_of(date->epoch_s);

		if (date->precision == DATE_YEAR || next.month == 12) {
			next.year++;
			next.month = 1;
		} else {
			next.month++;
		}
		length_s = civil_epoch_s(&next) - date->epoch_s;
	}
	end.epoch_s = date->epoch_s > INT64_MAX - length_s
	    ? INT64_MAX
	    : date->epoch_s + length_s;
	return end;
}

bool
date_differs(const struct date *a, const struct date *b)
{
	struct date a_end, b_end;
	int64_t local_s[2];

	if (a->precision == DATE_NONE || b->precision == DATE_NONE)
		return a->precision != b->precision;
	/* Most dates have not moved; the periods overlap. */
	if (a->epoch_s == b->epoch_s && a->nanos == b->nanos)
		return false;
	a_end = period_end(a);
	b_end = period_end(b);
	if (date_order(&a_end, b) > 0 && date_order(&b_end, a) > 0)
		return false;
	/* Nobody edits a page in the second whose digits are those of the last
	 * edit, in another zone: the zone of the site has changed. */
	if (a->precision != b->precision || a->nanos != b->nanos)
		return true;
	for (int i = 0; i < 2; i++) {
		const struct date *date = i == 0 ? a : b;

		local_s[i] = date->epoch_s;
		if (date->zone != ZONE_EXPLICIT)
			continue;
		/* nobody knows which digits were written */
		if (date->offset == 0)
			return true;
		local_s[i] += (int64_t)(date->offset - DATE_OFFSET_UTC) *
		    QUARTER_S;
	}
	return local_s[0] != local_s[1];
}

int
date_order(const struct date *a, const struct date *b)
{
	if (a->precision == DATE_NONE || b->precision == DATE_NONE)
		return (a->precision != DATE_NONE) -
		    (b->precision != DATE_NONE);
	if (a->epoch_s != b->epoch_s)
		return a->epoch_s < b->epoch_s ? -1 : 1;
	if (a->nanos != b->nanos)
		return a->nanos < b->nanos ? -1 : 1;
	return 0;
}

/* put_two(p, before, number): write a character and two digits; returns their
 * end. */
static char *
put_two(char *p, char before, int number)
{
	*p++ = before;
	*p++ = (char)('0' + number / 10);
	*p++ = (char)('0' + number % 10);
	return p;
}

/* print_civil(out, c, precision): "2024-06-05T10:11:12", up to the precision.
 * printf() would take most of the time of a line that has several times. */
static void
print_civil(struct buf *out, const struct civil *c, uint8_t precision)
{
	char text[sizeof("2024-06-05T10:11:12")];
	char *p = text;

	if (c->year < 0 || c->year > 9999) {
		(void)buf_print(out, "%04" PRId64, c->year);
	} else {
		int year = (int)c->year;

		*p++ = (char)('0' + year / 1000);
		p = put_two(p, (char)('0' + year / 100 % 10), year % 100);
	}
	if (precision >= DATE_MONTH)
		p = put_two(p, '-', c->month);
	if (precision >= DATE_DAY)
		p = put_two(p, '-', c->day);
	if (precision >= DATE_MINUTE)
		p = put_two(put_two(p, 'T', c->hour), ':', c->minute);
	if (precision >= DATE_SECOND)
		p = put_two(p, ':', c->second);
	/* The results need no test: the caller chose the ceiling at which the
	 * text is cut. */
	(void)buf_put(out, text, (size_t)(p - text));
}

void
date_print(struct buf *out, const struct date *date)
{
	struct civil civil;
	uint8_t precision = date->precision;

	if (precision == DATE_NONE)
		return;
	civil = civil_of(date->epoch_s);
	/* The midnight of another zone is not the beginning of a day in UTC:
	 * print the time, too. */
	if (precision == DATE_DAY && (civil.hour != 0 || civil.minute != 0))
		precision = DATE_MINUTE;
	print_civil(out, &civil, precision);
	if (precision == DATE_FRACTION) {
		char digits[16];
		int n = snprintf(
		    digits, sizeof(digits), ".%09" PRIu32, date->nanos);

		assert(n > 0 && n < (int)sizeof(digits));
		while (n > 2 && digits[n - 1] == '0')
			n--;
		(void)buf_put(out, digits, (size_t)n);
	}
	if (precision >= DATE_MINUTE)
		(void)buf_put_char(out, 'Z');
}

struct human
date_text(const struct date *date)
{
	struct human human;
	struct buf text;

	buf_init(&text, sizeof(human.text) - 1);
	date_print(&text, date);
	memcpy(human.text, buf_str(&text), text.len + 1);
	buf_release(&text);
	return human;
}

void
time_print(struct buf *out, int64_t epoch_s)
{
	struct civil civil = civil_of(epoch_s);

	print_civil(out, &civil, DATE_SECOND);
	(void)buf_put_char(out, 'Z');
}
