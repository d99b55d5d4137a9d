/* Values of options that name a moment. */
#ifndef FRESHET_OPTIONS_WHEN_H
#define FRESHET_OPTIONS_WHEN_H

#include <stdbool.h>
#include <stdint.h>

/* value_moment(text, now_s, at_s): a date as in a sitemap ("2026-11-01", which
 * begins at midnight UTC, "2026-11-01T09:00+01:00"), or a duration of at most
 * 100 years back from now ("7d", "90m").  False, and nothing written, for
 * anything else. */
bool value_moment(const char *text, int64_t now_s, int64_t *at_s);

bool shape_when(const char *value); /* what value_moment reads */
#define FORM_WHEN \
	"a date such as 2026-11-01, or a time back from now such as 7d"

#endif
