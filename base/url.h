/*
 * URLs, normalised to one key per page (SPEC section 5).
 * The origin and the directory of a URL are prefixes of its normalised text,
 * so that the location rules are comparisons of bytes.
 */
#ifndef FRESHET_URL_H
#define FRESHET_URL_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "diag.h"
#include "profile.h"
#include "slice.h"

enum host_kind { HOST_NAME, HOST_IPV4, HOST_IPV6 };

/* "https://host:port/dir/file?query"; the default port is not written. */
struct url {
	struct buf text; /* printable ASCII only */
	uint32_t host_at; /* of the host; an IPv6 literal with its brackets */
	uint32_t host_len;
	uint32_t path_at; /* of the '/' that ends the origin */
	uint32_t path_len; /* without the query */
	uint16_t port; /* the default one filled in */
	bool is_https;
	uint8_t host_kind; /* enum host_kind */
};

/* A normalised URL longer than this is refused (SPEC R-24). */
#define URL_MAX_BYTES 32768

/* One of a sitemap that is longer, too: many of them wait in memory, and no
 * server takes a longer line. */
#define URL_MAX_SITEMAP_BYTES 8192

/* url_init(url): empty; url_release gives its bytes back. */
void url_init(struct url *);
void url_release(struct url *);

/*
 * url_parse(url, raw, base, profile, sink):
 * Normalise raw, a value as it stands after XML unescaping, into *url, whose
 * room is used again.  base, or NULL, is what a relative loc is resolved
 * against when the profile resolves them.
 *
 * Returns DIAG_OK, or EMPTY_TAG (blank), INVALID_URL, UNSUPPORTED_SCHEME,
 * RELATIVE_URL, URL_HAS_USERINFO, URL_TOO_LONG; *url then holds nothing of
 * use.  Repairs go to the sink, each code at most once: URL_WHITESPACE,
 * URL_NOT_ESCAPED, URL_BAD_PERCENT, URL_NON_ASCII, URL_IDN,
 * URL_DOUBLE_ESCAPED, URL_HAS_FRAGMENT, RELATIVE_URL (resolved).
 * Source: SPEC.
 */
enum diag_code url_parse(struct url *, struct slice raw, const struct url *base,
    const struct profile *, struct diag_sink);

/*
 * url_resolve(url, raw, base, sink):
 * The same for a Location header or an Atom link: relative references are
 * always resolved against base (RFC 3986 5.2), the profile is google's.
 * "host:8080" is what it is there: UNSUPPORTED_SCHEME.
 */
enum diag_code url_resolve(
    struct url *, struct slice raw, const struct url *base, struct diag_sink);

/*
 * url_fast(url, raw, profile): read raw, without white space around it, if it
 * is its own normal form and gives rise to no diagnostic.  False, and nothing
 * is promised of *url, if that is not sure.  url_slow(): read any URL, against
 * base unless base is NULL.  url_parse and url_resolve try the fast way first;
 * the two are declared for tests, which compare them.
 */
bool url_fast(struct url *, struct slice raw, const struct profile *);
enum diag_code url_slow(struct url *, struct slice raw, const struct url *base,
    const struct profile *, struct diag_sink);

/* url_is_unreserved(c): a letter, a digit or one of "-._~" (RFC 3986 2.3). */
static inline bool
url_is_unreserved(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
	    c == '~';
}

/* url_copy(to, from): both initialised. */
void url_copy(struct url *to, const struct url *from);

/* Parts, borrowed from the url. */
struct slice url_text(const struct url *);
struct slice url_origin(const struct url *); /* "https://host:8443" */
struct slice url_host(const struct url *); /* "host", "[::1]" */
struct slice url_path(const struct url *); /* "/dir/file" */
struct slice url_target(const struct url *); /* "/dir/file?query" */
struct slice url_directory(const struct url *); /* origin and "/dir/" */

#endif
