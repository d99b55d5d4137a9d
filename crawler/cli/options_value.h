/* Values of options: durations, sizes, numbers, and shapes of texts. */
#ifndef FRESHET_OPTIONS_VALUE_H
#define FRESHET_OPTIONS_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * value_duration(text, max_ms, *ms): "1.5" is seconds; "300ms", "90s", "10m",
 * "2h", "7d"; a fraction of a millisecond is dropped.
 * value_size(text, *bytes): "4096", "64K", "64M", "1GiB" (powers of 1,024),
 * "5MB" (powers of 1,000).
 * value_number(text, max, *n): decimal digits.
 * All answer false, and write nothing, for anything else or too large.
 */
bool value_duration(const char *text, int64_t max_ms, int64_t *ms);
bool value_size(const char *text, uint64_t *bytes);
bool value_number(const char *text, uint64_t max, uint64_t *n);

/* Shapes, for option.shape; what they mean is the policy's. */
bool shape_connect_to(const char *value); /* H1:P1:H2:P2, curl's */
bool shape_resolve(const char *value); /* HOST:PORT:ADDR[,ADDR]..., too */
bool shape_cidr(const char *value); /* 127.0.0.0/8, ::1 */
bool shape_own(const char *value); /* domain:example.com, URL prefix */
bool shape_header(const char *value); /* Name: value, or @FILE */
bool shape_proxy(const char *value); /* a proxy that libcurl knows */
bool shape_text(const char *value); /* one printable line, not empty */
bool shape_agent(const char *value); /* a product token (SPEC R-91) */
bool shape_user(const char *value); /* a user name without password */

/* Values of options of `sim`: rates of requests, and KEY=VALUE. */

struct value_rate {
	double amount;
	char unit; /* 'h', 'd', or '%': of all pages, a day */
};

/* value_decimal(text, value): digits, perhaps with a fraction, at the front of
 * *text, which is moved behind them; false when there are none. */
bool value_decimal(const char **text, double *value);

/*
 * value_rate(text, rate): "500/h", "40/d", "5%"; "20" is of an hour.  More
 * than nothing, and a billion at most; false, and nothing written, for
 * anything else.
 */
bool value_rate(const char *text, struct value_rate *);

/* Shapes, for option.shape. */
bool shape_rate(const char *value); /* what value_rate reads */
bool shape_setting(const char *value); /* KEY=VALUE, neither empty */

/* Values of options that name a moment. */

/* value_moment(text, now_s, at_s): a date as in a sitemap ("2026-11-01", which
 * begins at midnight UTC, "2026-11-01T09:00+01:00"), or a duration of at most
 * 100 years back from now ("7d", "90m").  False, and nothing written, for
 * anything else. */
bool value_moment(const char *text, int64_t now_s, int64_t *at_s);

bool shape_when(const char *value); /* what value_moment reads */
#define FORM_WHEN \
	"a date such as 2026-11-01, or a time back from now such as 7d"

#endif
