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
	uint32_t host_at; /* offset of the host; an IPv6 literal has brackets */
	uint32_t host_len;
	uint32_t path_at; /* offset of the '/' that ends the origin */
	uint32_t path_len; /* without the query */
	/* url_fast() read as many bytes of the text as a host, a port and the
	 * slash behind them, and reads an equal beginning no second time; 0:
	 * none */
	uint32_t known;
	uint16_t port; /* the default port if none is written */
	bool is_https;
	uint8_t host_kind; /* enum host_kind */
};

/* A normalised URL longer than this is refused (SPEC R-24). */
#define URL_MAX_BYTES 32768

/* A sitemap's URL that is longer is refused, too: many of them wait in memory,
 * and no server accepts a longer line. */
#define URL_MAX_SITEMAP_BYTES 8192

/* A zeroed url is empty and ready; url_release() frees the bytes. */
void url_release(struct url *);

/*
 * url_parse(url, raw, base, profile, sink): Normalise raw, a value after XML
 * unescaping, into *url, whose memory is reused. A relative loc is resolved
 * against base if the profile resolves relative locs; base may be NULL.
 *
 * Returns DIAG_OK, or EMPTY_TAG (raw is blank), INVALID_URL,
 * UNSUPPORTED_SCHEME, RELATIVE_URL, URL_HAS_USERINFO, URL_TOO_LONG; *url is
 * undefined then. Repairs go to the sink, each code at most once:
 * URL_WHITESPACE, URL_NOT_ESCAPED, URL_BAD_PERCENT, URL_NON_ASCII, URL_IDN,
 * URL_DOUBLE_ESCAPED, URL_HAS_FRAGMENT, RELATIVE_URL (resolved). Source: SPEC
 *
 */
enum diag_code url_parse(struct url *, struct slice raw, const struct url *base,
    const struct profile *, struct diag_sink);

/* url_resolve(url, raw, base): Like url_parse, for a Location header or a link
 * in Atom: relative references are always resolved against base (RFC 3986 5.2),
 * and the profile is google's. "host:8080" has the scheme "host" here:
 * UNSUPPORTED_SCHEME. */
enum diag_code url_resolve(
    struct url *, struct slice raw, const struct url *base);

/*
 * url_parse_raw(url, text, base): parse a normalised URL, or the raw text of an
 * entry, as leniently as possible.  Returns what url_parse returns; relative
 * URLs are refused if base is NULL.
 * url_is_normal(url, text): is the text a normalised URL?  *url is undefined if
 * it is none.
 */
enum diag_code url_parse_raw(
    struct url *, struct slice text, const struct url *base);
bool url_is_normal(struct url *, struct slice text);

/* url_fast(url, raw, profile): read raw, which has no white space around it, if
 * it is its own normal form and causes no diagnostic. False: that is not sure;
 * *url is undefined then. url_slow(): read any URL, and resolve it against base
 * if base is not NULL. url_parse and url_resolve try url_fast first; both are
 * declared for tests, which compare them. */
bool url_fast(struct url *, struct slice raw, const struct profile *);
enum diag_code url_slow(struct url *, struct slice raw, const struct url *base,
    const struct profile *, struct diag_sink);

/* url_is_plain(url, at, has_signs): does normalisation leave all bytes of url
 * from `at` on as they are? They are a part of its path and query, and
 * url.p[at - 1] is there. False: that is not sure. *has_signs, unless it is
 * NULL: they have '?' or '&'. */
bool url_is_plain(struct slice url, size_t at, bool *has_signs);

/* url_is_unreserved(c): is c a letter, a digit or in "-._~" (RFC 3986 2.3)? */
static inline bool
url_is_unreserved(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
	    c == '~';
}

/* url_copy(to, from): both are ready. */
void url_copy(struct url *to, const struct url *from);

/* The parts of a URL, borrowed from it. */
struct slice url_text(const struct url *);
struct slice url_origin(const struct url *); /* "https://host:8443" */
struct slice url_host(const struct url *); /* "host", "[::1]" */
struct slice url_path(const struct url *); /* "/dir/file" */
struct slice url_target(const struct url *); /* "/dir/file?query" */
struct slice url_directory(const struct url *); /* origin and "/dir/" */

/* url_path_of(text): a normalised URL from its path on, "/dir/file?query";
 * empty if it has no path; borrowed from the text. */
struct slice url_path_of(struct slice text);

/* url_section(text): the section of a normalised URL: the first folder of its
 * path, "/blog", or "/" if there is none; borrowed from the text. */
struct slice url_section(struct slice text);

/* url_short(text, host): a normalised URL without its origin, if that is one of
 * the host; borrowed from the text. */
struct slice url_short(struct slice text, struct slice host);

/* The parts of a normalised URL, all borrowed from it. */
struct url_parts {
	struct slice origin; /* http://a.example:8080 */
	struct slice host; /* a.example; without the port */
	struct slice target; /* /path?query */
};

/* url_parts(url): split a URL that url_parse() has normalised. */
struct url_parts url_parts(struct slice url);

#endif
