/* Dates of mail, feeds and HTTP: RFC 822, 1123, 850 and asctime. */
#include "base/civil.h"

static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
static const char *const days[] = {
    "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

struct zone_name {
	const char *name;
	int hours;
};

/* RFC 822 section 5; its military letters but Z were never reliable. */
static const struct zone_name zones[] = {{"GMT", 0}, {"UT", 0}, {"UTC", 0},
    {"Z", 0}, {"EST", -5}, {"EDT", -4}, {"CST", -6}, {"CDT", -5}, {"MST", -7},
    {"MDT", -6}, {"PST", -8}, {"PDT", -7}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool
skip_spaces(struct slice *in)
{
	bool any = false;

	while (scan_char(in, ' ') || scan_char(in, '\t'))
		any = true;
	return any;
}

static bool
scan_month(struct slice *in, struct civil *civil)
{
	int month = scan_word(in, months, 12);

	civil->month = month + 1;
	return month >= 0;
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

static bool
scan_zone(struct slice *in, int *offset_s)
{
	if (scan_offset(in, offset_s, false))
		return true;
	for (size_t i = 0; i < COUNT(zones); i++) {
		if (slice_equal_nocase(*in, slice_of(zones[i].name))) {
			*offset_s = zones[i].hours * 3600;
			*in = slice_from(*in, in->len);
			return true;
		}
	}
	return false;
}

/* SPEC R-20: two digits of year are 1980 to 2079. */
static bool
scan_year(struct slice *in, struct civil *civil, bool is_1123)
{
	int year;

	if (scan_number(in, 4, &year)) {
		civil->year = year;
		return true;
	}
	if (is_1123 || !scan_number(in, 2, &year))
		return false;
	civil->year = year + (year < 80 ? 2000 : 1900);
	return true;
}

/* [Day,] dd Mon yyyy */
static bool
scan_mail_day(struct slice *in, struct civil *civil, bool is_1123)
{
	if (scan_word(in, days, 7) >= 0) {
		if (!scan_char(in, ','))
			return false;
		(void)skip_spaces(in);
	}
	if (!scan_number(in, 2, &civil->day) &&
	    (is_1123 || !scan_number(in, 1, &civil->day)))
		return false;
	return skip_spaces(in) && scan_month(in, civil) && skip_spaces(in) &&
	    scan_year(in, civil, is_1123);
}

bool
mail_date_parse(struct date *date, struct slice text, bool is_1123)
{
	struct slice in = slice_trim(text);
	struct civil civil = {0};
	bool has_seconds;
	int64_t epoch_s;
	int offset_s;

	if (!scan_mail_day(&in, &civil, is_1123) || !skip_spaces(&in) ||
	    !scan_time(&in, &civil, &has_seconds) || !skip_spaces(&in) ||
	    !scan_zone(&in, &offset_s) || in.len > 0 || !civil_is_real(&civil))
		return false;
	epoch_s = civil_epoch_s(&civil) - offset_s;
	if (!civil_is_writable(epoch_s))
		return false;
	*date = (struct date){
	    epoch_s, 0, has_seconds ? DATE_SECOND : DATE_MINUTE, ZONE_EXPLICIT};
	return true;
}

enum diag_code
date_parse_rfc822(struct date *date, struct slice text,
    const struct profile *profile, struct diag_sink sink)
{
	if (mail_date_parse(date, text, false))
		return DIAG_OK;
	return date_parse(date, text, profile, sink);
}

/* Sun, 06 Nov 1994 08:49:37 GMT */
static bool
scan_fixdate(struct slice in, struct civil *civil)
{
	int year;
	bool has_seconds;

	if (scan_word(&in, days, 7) < 0 || !scan_char(&in, ',') ||
	    !scan_char(&in, ' ') || !scan_number(&in, 2, &civil->day) ||
	    !scan_char(&in, ' ') || !scan_month(&in, civil) ||
	    !scan_char(&in, ' ') || !scan_number(&in, 4, &year) ||
	    !scan_char(&in, ' ') || !scan_time(&in, civil, &has_seconds))
		return false;
	civil->year = year;
	return has_seconds && slice_is(in, " GMT");
}

/* Sunday, 06-Nov-94 08:49:37 GMT */
static bool
scan_rfc850(struct slice in, struct civil *civil)
{
	int year;
	bool has_seconds;

	if (scan_word(&in, days, 7) < 0)
		return false;
	while (in.len > 0 && in.p[0] != ',')
		in = slice_from(in, 1);
	if (!scan_char(&in, ',') || !scan_char(&in, ' ') ||
	    !scan_number(&in, 2, &civil->day) || !scan_char(&in, '-') ||
	    !scan_month(&in, civil) || !scan_char(&in, '-') ||
	    !scan_number(&in, 2, &year) || !scan_char(&in, ' ') ||
	    !scan_time(&in, civil, &has_seconds))
		return false;
	/* The "50 years ahead" of RFC 9110 wants a clock; the web is younger
	 * than 1970. */
	civil->year = year + (year < 70 ? 2000 : 1900);
	return has_seconds && slice_is(in, " GMT");
}

/* Sun Nov  6 08:49:37 1994 */
static bool
scan_asctime(struct slice in, struct civil *civil)
{
	int year;
	bool has_seconds;

	if (scan_word(&in, days, 7) < 0 || !scan_char(&in, ' ') ||
	    !scan_month(&in, civil) || !scan_char(&in, ' '))
		return false;
	if (!scan_number(&in, 2, &civil->day) &&
	    (!scan_char(&in, ' ') || !scan_number(&in, 1, &civil->day)))
		return false;
	if (!scan_char(&in, ' ') || !scan_time(&in, civil, &has_seconds) ||
	    !has_seconds || !scan_char(&in, ' ') || !scan_number(&in, 4, &year))
		return false;
	civil->year = year;
	return in.len == 0;
}

bool
date_parse_http(int64_t *epoch_s, struct slice text)
{
	struct slice in = slice_trim(text);
	struct civil civil = {0};
	int leap_s;

	if (!scan_fixdate(in, &civil) && !scan_rfc850(in, &civil) &&
	    !scan_asctime(in, &civil))
		return false;
	/* RFC 9110 5.6.7 allows second 60. */
	leap_s = civil.second == 60 ? 1 : 0;
	civil.second -= leap_s;
	if (!civil_is_real(&civil))
		return false;
	*epoch_s = civil_epoch_s(&civil) + leap_s;
	return true;
}
