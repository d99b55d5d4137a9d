/* The header of an answer, judged line by line as it arrives: no foreign
 * library, no input but its arguments. */
#ifndef FRESHET_FETCH_HEADERS_H
#define FRESHET_FETCH_HEADERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"
#include "crawler/fetch/fetch_wall.h"

/* Longer ones are of no use to anybody (HOSTILE T35). */
#define HEADER_MAX_VALUE 256
#define HEADER_MAX_WAIT_S 86400 /* SPEC R-76 */

/*
 *	STATUS --status line--> FIELDS --empty line--> BODY (trailers)
 *	  ^                       |
 *	  +------ 1xx ends -------+
 */
enum header_part { HEADER_STATUS, HEADER_FIELDS, HEADER_BODY };

struct fetch_headers {
	uint64_t max_bytes; /* of all lines together */
	uint64_t bytes;
	int64_t now_s; /* what a date in Retry-After is relative to */
	enum header_part part;
	enum diag_code code; /* why a line was refused, DIAG_OK while none */
	const char *why; /* static */
	int status; /* of the latest status line, 0: none */
	bool has_length;
	bool is_chunked;
	uint64_t length;
	/* Owned; NULL when absent or unfit. */
	char *location;
	char *etag;
	char *last_modified;
	char *content_type;
	char *content_encoding; /* of several fields: joined */
	char *noindex; /* the first X-Robots-Tag that says so */
	char *canonical; /* the first target of Link that is */
	const char *wall; /* static: whose bot wall; NULL: none */
	enum wall_sign wall_sign;
	int64_t retry_after_s; /* -1: none */
	int64_t max_age_s; /* -1: none */
};

/* fetch_headers_begin(headers, max_bytes, now_s): for a new request; headers
 * is zeroed or was used before. */
void fetch_headers_begin(
    struct fetch_headers *, uint64_t max_bytes, int64_t now_s);
void fetch_headers_release(struct fetch_headers *);

/*
 * fetch_headers_line(headers, line):
 * One line with its end: a status line, a field, the empty line, a trailer,
 * those of 1xx answers included.  False when the answer is refused, and code
 * is then HEADERS_TOO_BIG or FETCH_NETWORK_ERROR and why set.
 * Source: HOSTILE T3, T34, N4 to N13, N22 to N28.
 */
bool fetch_headers_line(struct fetch_headers *, struct slice line);

/* header_is_fit(value, max): 1 to max bytes of printable ASCII and spaces:
 * may it be stored and sent back? */
bool header_is_fit(struct slice value, size_t max);

/*
 * header_retry_after(value, now_s): the seconds to wait, from 0 to
 * HEADER_MAX_WAIT_S; -1 when it is neither a number nor an HTTP-date.
 */
int64_t header_retry_after(struct slice value, int64_t now_s);

/* header_max_age(value): max-age of a Cache-Control value, at most
 * INT32_MAX; -1 when it has none. */
int64_t header_max_age(struct slice value);

#endif
