/* The forms of option values: durations, sizes, numbers, moments, texts. */
#ifndef FRESHET_OPTIONS_VALUE_H
#define FRESHET_OPTIONS_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/diag.h"

/*
 * value_duration(text, max_ms, *ms): "1.5" is seconds; "300ms", "90s", "10m",
 * "2h", "7d", "1w", "1y" (365 days); a fraction of a millisecond is dropped.
 * value_size(text, *bytes): "4096", "64K", "64M", "1GiB" (powers of 1,024),
 * "5MB" (powers of 1,000).
 * value_number(text, max, *n): decimal digits.
 * Each returns false and writes nothing if the text has another form or the
 * value is too large.
 */
bool value_duration(const char *text, int64_t max_ms, int64_t *ms);
bool value_size(const char *text, uint64_t *bytes);
bool value_number(const char *text, uint64_t max, uint64_t *n);

/* Functions for option.shape. They judge the form only; crawler/fetch/policy.h
 * says what the values mean. */
bool shape_connect_to(const char *value); /* H1:P1:H2:P2, as curl's option */
bool shape_resolve(
    const char *value); /* HOST:PORT:ADDR[,ADDR]..., as curl's option */
bool shape_cidr(const char *value); /* 127.0.0.0/8, ::1 */
bool shape_own(const char *value); /* domain:example.com, URL prefix */
bool shape_header(const char *value); /* Name: value, or @FILE */
bool shape_proxy(const char *value); /* a proxy of a kind that libcurl knows */
bool shape_text(const char *value); /* one printable line, not empty */
bool shape_ignore(const char *value); /* the forms of value_ignore() */
bool shape_severity(const char *value); /* the form of value_severity() */
bool shape_format(const char *value); /* NAME, or NAME:FILE */
bool shape_agent(const char *value); /* a product token (SPEC R-91) */
bool shape_user(const char *value); /* a user name without a password */

/*
 * value_ignore(text, code, pattern): "CODE" or "CODE:PATTERN"; *pattern is
 * borrowed, or NULL.
 * value_severity(text, code, severity): "CODE=error", "=warning" or "=info".
 * Each returns false and writes nothing for any other text.
 */
bool value_ignore(const char *text, enum diag_code *code, const char **pattern);
bool value_severity(const char *text, enum diag_code *code, enum severity *);

/* Where a server listens. */
struct value_listen {
	struct addr addr;
	uint16_t port; /* 0: the kernel chooses */
};

/* value_listen(text, listen): "127.0.0.1:8787", "[::1]:8787". Returns false and
 * writes nothing for any other text. */
bool value_listen(const char *text, struct value_listen *);
bool shape_listen(const char *value); /* the forms of value_listen() */

/* value_decimal(text, value): read digits, perhaps with a fraction, from the
 * front of *text, and move *text behind them. Returns false if there are
 * none. */
bool value_decimal(const char **text, double *value);

/* value_moment(text, now_s, at_s): a date as in a sitemap ("2026-11-01", which
 * begins at midnight, "2026-11-01T09:00+01:00"), also with a space before the
 * time ("2026-11-01 09:00"); "today" or "yesterday", which begin at midnight;
 * or a duration of at most 100 years back from now ("7d", "90m").  Times
 * without a zone are those of base/zone.h.
 * Returns false and writes nothing for any other text. */
bool value_moment(const char *text, int64_t now_s, int64_t *at_s);

bool shape_when(const char *value); /* the forms of value_moment() */
#define FORM_WHEN \
	"a date such as 2026-11-01, or a time back from now such as 7d"

#endif
