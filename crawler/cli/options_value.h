/* The forms of option values: durations, sizes, numbers, moments, texts. */
#ifndef FRESHET_OPTIONS_VALUE_H
#define FRESHET_OPTIONS_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/diag.h"
#include "base/site_rules.h"

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

/* The longest time between two requests. */
#define VALUE_MAX_BOUND_S (INT64_C(3650) * 86400)

#define VALUE_MAX_VERIFY 20 /* pages of an event */

/*
 * value_bounds(text, least_s, most_s): "10m" sets both: an exact interval;
 * "1h..1d" is a range; "..1d" and "1h.." set one bound, the other is 0: none.
 * In whole seconds, rounded up.
 * value_amount(text, is_rate, amount): a number that is more than 0. A rate is
 * at most 1e9, "500/h" or "40/d"; "20" is 20 an hour; *amount is per hour. What
 * is no rate is a weight, of at most 1e6.
 * Each returns false and writes nothing for any other text.
 */
bool value_bounds(const char *text, int64_t *least_s, int64_t *most_s);
bool value_amount(const char *text, bool is_rate, double *amount);

/* The form that an option or a setting demands of its value. Only the form is
 * judged; crawler/fetch/policy.h says what the values mean. */
enum value_shape {
	SHAPE_ANY, /* anything but nothing */
	SHAPE_CONNECT_TO, /* H1:P1:H2:P2, as curl's option */
	SHAPE_RESOLVE, /* HOST:PORT:ADDR[,ADDR]..., as curl's option */
	SHAPE_PROXY, /* a proxy of a kind that libcurl knows */
	SHAPE_HEADER, /* Name: value, or @FILE */
	SHAPE_CIDR, /* 127.0.0.0/8, ::1 */
	SHAPE_OWN, /* domain:example.com, URL prefix */
	SHAPE_LISTEN, /* the forms of value_listen() */
	SHAPE_TEXT, /* one printable line, not empty */
	SHAPE_IGNORE, /* the forms of value_ignore() */
	SHAPE_SEVERITY, /* the form of value_severity() */
	SHAPE_FORMAT, /* NAME, or NAME:FILE */
	SHAPE_AGENT, /* a product token (SPEC R-91) */
	SHAPE_WHEN, /* the forms of value_moment() */
	SHAPE_BOUNDS, /* the forms of value_bounds() */
	SHAPE_WEIGHT, /* the forms of value_amount() */
	SHAPE_BUDGET,
	SHAPE_VERIFY, /* a number from 1 to VALUE_MAX_VERIFY */
	SHAPE_SIGN, /* the forms of value_sign() */
	SHAPE_TAG, /* a word without a comma, at most 64 bytes */
	SHAPE_SECTION, /* /PATH, or a name */
	SHAPE_BELOW, /* begins with a slash */
	SHAPE_PROFILE, /* the name of a profile */
	SHAPE_TARGET, /* a host or a URL */
	SHAPE_SECTION_PATHS, /* base/section.h, base/renaming.h, base/zone.h */
	SHAPE_PATTERN, /* base/page_filter.h */
	SHAPE_NEWER,
	SHAPE_DEPTH,
	SHAPE_PURPOSE,
	SHAPE_RENAMING,
	SHAPE_ZONE,
	SHAPE_HTTPS_HOST /* https://HOST or https://HOST:PORT, normalised */
};

/* value_sign(text, mode): the words of --sign. */
bool value_sign(struct slice text, enum sign_mode *);

bool value_has_shape(const char *value, enum value_shape);

/* The forms in words, for errors. */
#define FORM_WHEN \
	"a date such as 2026-11-01, or a time back from now such as 7d"
#define FORM_BOUNDS                                                           \
	"a time such as 10m, or a range such as 1h..1d or ..1d, the shorter " \
	"first"
#define FORM_WEIGHT "a number that is more than 0 and at most 1000000"
#define FORM_BUDGET "a rate such as 500/h or 40/d"
#define FORM_VERIFY "a number of pages from 1 to 20"
#define FORM_SIGN "challenge, always or never"
#define FORM_TAG "a word without commas, of 64 bytes at most"
#define FORM_BELOW "a path prefix such as /blog"
#define FORM_PATTERN                                                          \
	"a pattern as in robots.txt, which / or * begins and which does not " \
	"match every page, such as /tag/ or *?page="
#define FORM_NEWER \
	"a date such as 2026-11-01, or a time back from now such as 30d"
#define FORM_DEPTH "a number from 0 to 999"
#define FORM_PURPOSE "search, ai-input or ai-train"
#define FORM_SECTION "a section such as /blog, or a name of --section-paths"

#endif
