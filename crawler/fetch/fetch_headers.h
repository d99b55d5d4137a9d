/* The header of an answer, judged line by line as it arrives: no foreign
 * library, no input but its arguments. */
#ifndef FRESHET_FETCH_HEADERS_H
#define FRESHET_FETCH_HEADERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"

/* Longer values are of no use to anybody (HOSTILE T35). */
#define HEADER_MAX_VALUE 256
#define HEADER_MAX_WAIT_S 86400 /* SPEC R-76 */

/* How surely a header shows that a bot wall answered instead of the site. */
enum wall_sign {
	WALL_NONE,
	/* a wall stands before the site: counts only if the status is a
	 * refusal */
	WALL_IN_FRONT,
	WALL_CHALLENGE /* this answer is the wall's own */
};

/*
 * Header fields that are kept as texts; NULL: absent or unfit.
 *	noindex: an X-Robots-Tag that says noindex
 *	robots_tag: the directives of X-Robots-Tag for all robots and the agent
 *	usage: Content-Usage
 *	canonical, sitemap, hub: the targets of Link: …; rel=canonical, …
 *	cookie: the name of the first cookie that is set
 *	accept_signature: of a status 401, 403 or 429: what the server wants to
 *		be signed, hostile
 * content_encoding, robots_tag, usage and accept_signature have all lines,
 * joined by commas; of others the first one counts.
 */
/* clang-format off */
#define FETCH_TEXTS(F) \
	F(location) F(etag) F(last_modified) F(content_type) \
	F(content_encoding) F(noindex) F(robots_tag) F(usage) F(canonical) \
	F(sitemap) F(hub) F(cookie) F(accept_signature)
#define FETCH_TEXT_OWNED(name) char *name;
/* clang-format on */

/*
 *	STATUS --status line--> FIELDS --empty line--> BODY (trailers)
 *	  ^                       |
 *	  +------ 1xx ends -------+
 */
enum header_part { HEADER_STATUS, HEADER_FIELDS, HEADER_BODY };

struct fetch_headers {
	uint64_t max_bytes; /* of all lines together */
	uint64_t bytes;
	int64_t now_s; /* a date in Retry-After counts from here */
	struct slice agent; /* borrowed: the product token; empty: none */
	enum header_part part;
	enum diag_code code; /* why a line was refused, DIAG_OK while none */
	const char *why; /* the reason in words; static */
	int status; /* of the latest status line, 0: none */
	bool has_length;
	bool is_chunked;
	uint64_t length; /* Content-Length */
	FETCH_TEXTS(FETCH_TEXT_OWNED)
	int64_t date_s; /* 0: none */
	const char *wall; /* static: the maker of the bot wall; NULL: none */
	enum wall_sign wall_sign;
	int64_t retry_after_s; /* -1: none */
	int64_t max_age_s; /* -1: none */
};

/* fetch_headers_begin(headers, max_bytes, now_s, agent): prepare for the answer
 * to a new request; headers is zeroed or was used before.
 * fetch_headers_release(headers): drop the fields of the latest answer. */
void fetch_headers_begin(struct fetch_headers *, uint64_t max_bytes,
    int64_t now_s, struct slice agent);
void fetch_headers_release(struct fetch_headers *);

/* fetch_headers_line(headers, line): Read one line with its line end: a status
 * line, a field, the empty line or a trailer; the lines of 1xx answers come
 * here, too.  False when the answer is refused; then code is HEADERS_TOO_BIG or
 * FETCH_NETWORK_ERROR, and why is set.  Source: HOSTILE T3, T34, N4 to N13, N22
 * to N28. */
bool fetch_headers_line(struct fetch_headers *, struct slice line);

/* header_is_fit(value, max): may the value be stored and sent back?  A fit
 * value has 1 to max bytes of printable ASCII and spaces. */
bool header_is_fit(struct slice value, size_t max);

/* header_retry_after(value, now_s): the seconds to wait, from 0 to
 * HEADER_MAX_WAIT_S; -1 when the value is neither a number nor an HTTP-date. */
int64_t header_retry_after(struct slice value, int64_t now_s);

/* header_max_age(value): the max-age of a Cache-Control value, at most
 * INT32_MAX; -1 when there is none. */
int64_t header_max_age(struct slice value);

/* wall_sign(name, value, whose): what one header shows of a bot wall. *whose
 * becomes the wall's maker, a static text, unless WALL_NONE is returned. */
enum wall_sign wall_sign(
    struct slice name, struct slice value, const char **whose);

#endif
