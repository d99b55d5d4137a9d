/* Dates of entries: W3C Datetime with precision and zone (SPEC section 3). */
#ifndef FRESHET_W3CDATE_H
#define FRESHET_W3CDATE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "diag.h"
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

/* Far outside of what a date can say (years 1 to 9999), and near enough to
 * zero that sums and differences of times never overflow: what comes from
 * another process is held to it. */
#define DATE_BOUND_S ((int64_t)1 << 40)

/* The half-open period [instant, instant + precision). SPEC R-30. */
struct date {
	int64_t epoch_s; /* of its first instant, UTC */
	uint32_t nanos;
	uint8_t precision; /* enum date_precision */
	uint8_t zone; /* enum date_zone */
};

/*
 * date_parse(date, text, profile, sink):
 * Read text, in one of the six W3C Datetime forms, into *date.  Surrounding
 * XML white space is dropped; lenient reads more forms.
 *
 * Returns DIAG_OK, DIAG_INVALID_DATE or DIAG_EMPTY_TAG; *date is written on
 * DIAG_OK only.  To the sink: LASTMOD_COARSE, LASTMOD_NO_TIMEZONE,
 * LASTMOD_DATE_TIMEZONE, LASTMOD_NONSTANDARD.  Source: SPEC.
 */
enum diag_code date_parse(
    struct date *, struct slice text, const struct profile *, struct diag_sink);

/*
 * date_parse_rfc822(date, text, profile, sink): a feed's pubDate: RFC 822 or
 * 1123 (two-digit years: 80 to 99 are 19xx), else any form of date_parse.
 * Source: SPEC R-20.
 */
enum diag_code date_parse_rfc822(
    struct date *, struct slice text, const struct profile *, struct diag_sink);

/*
 * mail_date_parse(date, text, is_1123): a whole RFC 822 date; is_1123: of RFC
 * 1123, with four digits of year and two of day, only.  False when it is none.
 */
bool mail_date_parse(struct date *, struct slice text, bool is_1123);

/*
 * date_parse_http(epoch_s, text): an HTTP-date in its three forms; false when
 * it is none.  Source: RFC 9110 5.6.7.
 */
bool date_parse_http(int64_t *epoch_s, struct slice text);

/*
 * date_doubt(date, now_s): DIAG_OK when the date can be used for scheduling,
 * else DIAG_LASTMOD_FUTURE or DIAG_LASTMOD_IMPLAUSIBLE.  SPEC R-31.
 */
enum diag_code date_doubt(const struct date *, int64_t now_s);

/* date_differs(a, b): do their periods not overlap?  With DATE_NONE: differs
 * unless both are.  SPEC R-30. */
bool date_differs(const struct date *a, const struct date *b);

/* date_order(a, b): by first instant; DATE_NONE before everything. */
int date_order(const struct date *a, const struct date *b);

/*
 * date_print(out, date): in the W3C form of its precision, times in UTC with
 * a Z ("2024-06-05", "2024-06-05T10:11:12Z"); nothing for DATE_NONE.  A day
 * that does not begin at midnight UTC is written with its time.
 */
void date_print(struct buf *out, const struct date *);

/* date_precision_name(date): "year", "month", "day", "minute", "second",
 * "fraction"; "" for DATE_NONE. */
const char *date_precision_name(const struct date *);

/* time_print(out, epoch_s): "2024-06-05T10:11:12Z". */
void time_print(struct buf *out, int64_t epoch_s);

#endif
