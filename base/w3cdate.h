/* Dates with precision and zone (SPEC section 3). */
#ifndef FRESHET_W3CDATE_H
#define FRESHET_W3CDATE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "diag.h"
#include "human.h"
#include "profile.h"
#include "slice.h"

/* DATE_NONE: there is no date. */
enum date_precision {
	DATE_NONE,
	DATE_YEAR,
	DATE_MONTH,
	DATE_DAY,
	DATE_MINUTE,
	DATE_SECOND,
	DATE_FRACTION
};

enum date_zone { ZONE_NONE, ZONE_ASSUMED, ZONE_EXPLICIT };

/* Times from other processes must lie between -DATE_BOUND_S and DATE_BOUND_S:
 * far outside the years 1 to 9999, and near enough to zero that sums and
 * differences never overflow. */
#define DATE_BOUND_S ((int64_t)1 << 40)

/* An offset from UTC is kept in quarters of an hour, plus this; 0: unknown. */
#define DATE_OFFSET_UTC 57
#define DATE_OFFSET_MOST (DATE_OFFSET_UTC + 14 * 4)

/* A date stands for the period [instant, instant + precision) (SPEC R-30). */
struct date {
	int64_t epoch_s; /* the first instant of the period, UTC */
	uint32_t nanos;
	uint8_t precision; /* enum date_precision */
	uint8_t zone; /* enum date_zone */
	uint8_t offset; /* of an explicit zone; see DATE_OFFSET_UTC */
};

/*
 * date_parse(date, text, profile, sink): Read text, in one of the six W3C
 * Datetime forms, into *date. XML white space around it is ignored; the lenient
 * set reads more forms.
 *
 * Returns DIAG_OK, DIAG_INVALID_DATE or DIAG_EMPTY_TAG; *date is written on
 * DIAG_OK only. To the sink: LASTMOD_COARSE, LASTMOD_NO_TIMEZONE,
 * LASTMOD_DATE_TIMEZONE, LASTMOD_NONSTANDARD. Source: SPEC.
 */
enum diag_code date_parse(
    struct date *, struct slice text, const struct profile *, struct diag_sink);

/* date_read(date, text): the same by google's rules; false: it is no date. */
bool date_read(struct date *, struct slice text);

/* mail_date_parse(date, text, is_1123): read an RFC 822 date that is the whole
 * text; two-digit years 80 to 99 are 1980 to 1999, the others 2000 to 2079.
 * With is_1123 the year must have four digits and the day two, as RFC 1123
 * demands. False: text is no such date. Source: SPEC R-20. */
bool mail_date_parse(struct date *, struct slice text, bool is_1123);

/* date_parse_http(epoch_s, text): read an HTTP-date in one of its three forms;
 * false: text is none. Source: RFC 9110 5.6.7. */
bool date_parse_http(int64_t *epoch_s, struct slice text);

/* date_doubt(date, now_s): DIAG_OK if the date can be used for scheduling,
 * otherwise DIAG_LASTMOD_FUTURE or DIAG_LASTMOD_IMPLAUSIBLE. SPEC R-31. */
enum diag_code date_doubt(const struct date *, int64_t now_s);

/* date_differs(a, b): are the periods of a and b disjoint, and are not both
 * written with the same digits in two zones? DATE_NONE differs from every date.
 * SPEC R-30. */
bool date_differs(const struct date *a, const struct date *b);

/* date_order(a, b): negative, 0 or positive; compares the first instants;
 * DATE_NONE comes before all dates. */
int date_order(const struct date *a, const struct date *b);

/* date_print(out, date): append the date in the W3C form of its precision,
 * times in UTC with a Z ("2024-06-05", "2024-06-05T10:11:12Z"); nothing for
 * DATE_NONE. A day that does not begin at midnight UTC is printed with its
 * time. date_text(date): the same by value, for one print (human.h). */
void date_print(struct buf *out, const struct date *);
struct human date_text(const struct date *);

/* "year", "month" and so on, by the precision of a date; "" for DATE_NONE. */
extern const char *const date_precisions[DATE_FRACTION + 1];

/* time_print(out, epoch_s): append "2024-06-05T10:11:12Z". */
void time_print(struct buf *out, int64_t epoch_s);

#endif
