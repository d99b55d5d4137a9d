/* The Gregorian calendar, in UTC, and the digits of dates. */
#include "base/civil.h"

#include <assert.h>

#define ERA_DAYS 146097 /* 400 years */
#define FIRST_S INT64_C(-62135596800) /* 0001-01-01T00:00:00Z */
#define LAST_S INT64_C(253402300799) /* 9999-12-31T23:59:59Z */
#define EPOCH_FROM_ERA 719468 /* 1970-01-01 from 0000-03-01 */

const char *const civil_months[12] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

bool
civil_is_real(const struct civil *civil)
{
	static const int days[] = {
	    31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int last;

	if (civil->year < 1 || civil->year > 9999)
		return false;
	if (civil->month < 1 || civil->month > 12)
		return false;
	last = days[civil->month - 1];
	if (civil->month == 2 && civil->year % 4 == 0 &&
	    (civil->year % 100 != 0 || civil->year % 400 == 0))
		last = 29;
	return civil->day >= 1 && civil->day <= last && civil->hour >= 0 &&
	    civil->hour <= 23 && civil->minute >= 0 && civil->minute <= 59 &&
	    civil->second >= 0 && civil->second <= 59;
}

bool
civil_is_writable(int64_t epoch_s)
{
	return epoch_s >= FIRST_S && epoch_s <= LAST_S;
}

/* The calculation lets years begin in March, so that a leap day is the last day
 * of its year. */
int64_t
civil_epoch_s(const struct civil *civil)
{
	int64_t year = civil->month > 2 ? civil->year : civil->year - 1;
	int64_t era = (year >= 0 ? year : year - 399) / 400;
	int64_t of_era = year - era * 400;
	int64_t month = civil->month > 2 ? civil->month - 3 : civil->month + 9;
	int64_t of_year = (153 * month + 2) / 5 + civil->day - 1;
	int64_t day = era * ERA_DAYS + of_era * 365 + of_era / 4 -
	    of_era / 100 + of_year - EPOCH_FROM_ERA;

	return day * DAY_S + civil->hour * 3600 + civil->minute * 60 +
	    civil->second;
}

struct civil
civil_of(int64_t epoch_s)
{
	struct civil civil;
	int64_t day = epoch_s / DAY_S;
	int64_t rest = epoch_s % DAY_S;
	int64_t era, of_era, year, of_year, month;

	if (rest < 0) {
		rest += DAY_S;
		day--;
	}
	day += EPOCH_FROM_ERA;
	era = (day >= 0 ? day : day - (ERA_DAYS - 1)) / ERA_DAYS;
	of_era = day - era * ERA_DAYS;
	year = (of_era - of_era / 1460 + of_era / 36524 -
		   of_era / (ERA_DAYS - 1)) /
	    365;
	of_year = of_era - (365 * year + year / 4 - year / 100);
	month = (5 * of_year + 2) / 153;
	civil.day = (int)(of_year - (153 * month + 2) / 5 + 1);
	civil.month = (int)(month < 10 ? month + 3 : month - 9);
	civil.year = year + era * 400 + (civil.month <= 2 ? 1 : 0);
	civil.hour = (int)(rest / 3600);
	civil.minute = (int)(rest / 60 % 60);
	civil.second = (int)(rest % 60);
	return civil;
}

bool
scan_number(struct slice *in, size_t digits, int *value)
{
	int n = 0;

	assert(digits >= 1 && digits <= 9);
	if (in->len < digits)
		return false;
	for (size_t i = 0; i < digits; i++) {
		if (in->p[i] < '0' || in->p[i] > '9')
			return false;
		n = n * 10 + (in->p[i] - '0');
	}
	*value = n;
	*in = slice_from(*in, digits);
	return true;
}

bool
scan_char(struct slice *in, char c)
{
	if (in->len == 0 || in->p[0] != c)
		return false;
	*in = slice_from(*in, 1);
	return true;
}
