/*
 * How the dates of listed URLs are spread over days, for the histogram of the
 * page: memory is the same for any number of dates.
 */
#ifndef FRESHET_REPORT_DATES_H
#define FRESHET_REPORT_DATES_H

#include <stddef.h>
#include <stdint.h>

#include "base/w3cdate.h"

struct report_dates;

struct report_dates *report_dates_new(void);
void report_dates_free(struct report_dates *);

/* report_dates_add(dates, date): count the date of a URL, which may be none.
 * report_dates_undated(dates): URLs without a date. */
void report_dates_add(struct report_dates *, const struct date *);
uint64_t report_dates_undated(const struct report_dates *);

#define REPORT_DATES_COLUMNS 62 /* at most */

/* Days in UTC, weeks from Monday, months or years; or what lies before or
 * after them. */
struct report_dates_column {
	char name[16]; /* "21 Sep", "21 Sep 26", "Sep 2026", "2026" */
	uint64_t count;
};

/*
 * report_dates_columns(dates, at_s, columns, unit): fill the columns up to the
 * time of the check; the first one may be "older", the last one "future".
 * Days, if they have nearly all dates, else the shortest unit that has.
 * Returns their number, 0 without dates; *unit is "day", "week", "month" or
 * "year".
 */
size_t report_dates_columns(const struct report_dates *, int64_t at_s,
    struct report_dates_column columns[REPORT_DATES_COLUMNS],
    const char **unit);

#endif
