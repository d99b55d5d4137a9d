/* The two ways of url_parse, apart, so that a test can hold them together. */
#ifndef FRESHET_URL_INTERNAL_H
#define FRESHET_URL_INTERNAL_H

#include <stdbool.h>

#include "base/url.h"

/* What a byte may be in a URL that needs no change; 0: nothing. */
enum {
	URL_PLAIN = 1, /* stays in path and query */
	URL_NAME = 2, /* stays in a label of a host, too */
	URL_SIGN = 4, /* stays in path and query if what follows allows it */
};

extern const unsigned char url_marks[256];

/* url_is_unreserved(c): a letter, a digit or one of "-._~" (RFC 3986 2.3). */
static inline bool
url_is_unreserved(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
	    c == '~';
}

/*
 * url_fast(url, raw, profile): raw, trimmed, if it is its own normal form and
 * gives rise to no diagnostic; false, and nothing promised of *url, if it may
 * not be.
 */
bool url_fast(struct url *, struct slice raw, const struct profile *);

/* url_slow(): url_parse for anything else; a base means: resolve. */
enum diag_code url_slow(struct url *, struct slice raw, const struct url *base,
    const struct profile *, struct diag_sink);

#endif
