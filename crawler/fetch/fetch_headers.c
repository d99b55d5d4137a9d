/* The header of an answer, judged line by line as it arrives. */
#include "crawler/fetch/fetch_headers.h"

#include <stdlib.h>

#include "base/url.h"
#include "base/w3cdate.h"
#include "crawler/parse/page.h"

#define MAX_LENGTH (UINT64_MAX / 16) /* larger lengths are cut to this */

bool
header_is_fit(struct slice value, size_t max)
{
	if (value.len == 0 || value.len > max)
		return false;
	for (size_t i = 0; i < value.len; i++)
		if (value.p[i] < 0x20 || value.p[i] > 0x7e)
			return false;
	return true;
}

/* read_number(text, most, *number): read decimal digits; a number above `most`
 * becomes `most`. */
static bool
read_number(struct slice text, uint64_t most, uint64_t *number)
{
	if (!slice_number(text, number))
		return false;
	if (*number > most)
		*number = most;
	return true;
}

int64_t
header_retry_after(struct slice value, int64_t now_s)
{
	uint64_t number;
	int64_t date_s;

	value = slice_trim(value);
	if (value.len > 1 && value.p[0] == '-' &&
	    read_number(slice_from(value, 1), HEADER_MAX_WAIT_S, &number))
		return 0;
	if (read_number(value, HEADER_MAX_WAIT_S, &number))
		return (int64_t)number;
	if (!date_parse_http(&date_s, value))
		return -1;
	if (date_s <= now_s)
		return 0;
	return date_s - now_s < HEADER_MAX_WAIT_S ? date_s - now_s
						  : HEADER_MAX_WAIT_S;
}

int64_t
header_max_age(struct slice value)
{
	const struct slice name = slice_of("max-age=");
	struct slice part;
	uint64_t number;

	while (value.len > 0) {
		size_t at = header_part_end(value, ',');

		part = slice_trim(slice_make(value.p, at));
		value = slice_from(value, at < value.len ? at + 1 : at);
		if (!slice_starts_nocase(part, name))
			continue;
		part = slice_from(part, name.len);
		if (part.len >= 2 && part.p[0] == '"' &&
		    part.p[part.len - 1] == '"')
			part = slice_make(part.p + 1, part.len - 2);
		if (read_number(part, INT32_MAX, &number))
			return (int64_t)number;
	}
	return -1;
}

/* Headers of bot walls: documented by their makers, or seen at sites that use
 * the walls. */
static const struct {
	const char *name;
	const char *value; /* its beginning; NULL: any value */
	const char *whose;
	enum wall_sign sign;
} signs[] = {
    {"cf-mitigated", "challenge", "Cloudflare", WALL_CHALLENGE},
    {"x-amzn-waf-action", NULL, "AWS WAF", WALL_CHALLENGE},
    {"x-vercel-mitigated", NULL, "Vercel", WALL_CHALLENGE},
    {"x-datadome", "protected", "DataDome", WALL_IN_FRONT},
    {"x-dd-b", NULL, "DataDome", WALL_CHALLENGE},
    {"x-sucuri-block", NULL, "Sucuri", WALL_CHALLENGE},
    {"server", "cloudflare", "Cloudflare", WALL_IN_FRONT},
    {"server", "AkamaiGHost", "Akamai", WALL_IN_FRONT},
    {"server", "DataDome", "DataDome", WALL_CHALLENGE},
    {"server", "Sucuri", "Sucuri", WALL_IN_FRONT},
    {"server", "ddos-guard", "DDoS-Guard", WALL_IN_FRONT},
    {"x-iinfo", NULL, "Imperva", WALL_IN_FRONT},
};

enum wall_sign
wall_sign(struct slice name, struct slice value, const char **whose)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (!slice_equal_nocase(name, slice_of(signs[i].name)) ||
		    !slice_starts_nocase(value, slice_of(signs[i].value)))
			continue;
		*whose = signs[i].whose;
		return signs[i].sign;
	}
	return WALL_NONE;
}

void
fetch_headers_release(struct fetch_headers *headers)
{
#define RELEASE(name) free(headers->name);
	FETCH_TEXTS(RELEASE)
#undef RELEASE
	*headers = (struct fetch_headers){.max_bytes = headers->max_bytes,
	    .bytes = headers->bytes,
	    .now_s = headers->now_s,
	    .agent = headers->agent,
	    .part = HEADER_STATUS,
	    .retry_after_s = -1,
	    .max_age_s = -1};
}

void
fetch_headers_begin(struct fetch_headers *headers, uint64_t max_bytes,
    int64_t now_s, struct slice agent)
{
	fetch_headers_release(headers);
	headers->max_bytes = max_bytes;
	headers->bytes = 0;
	headers->now_s = now_s;
	headers->agent = agent;
}

/* headers_refuse(headers, why): the answer is not HTTP; always false. */
static bool
headers_refuse(struct fetch_headers *headers, const char *why)
{
	headers->code = DIAG_FETCH_NETWORK_ERROR;
	headers->why = why;
	return false;
}

/* headers_keep(place, value, max): keep the first fit value. */
static void
headers_keep(char **place, struct slice value, size_t max)
{
	if (*place == NULL && header_is_fit(value, max))
		*place = slice_dup(value);
}

/* headers_join(place, value, max): keep the fit values of all lines of a field,
 * up to max bytes together. */
static void
headers_join(char **place, struct slice value, size_t max)
{
	struct buf joined = BUF_UP_TO(max);

	if (*place == NULL) {
		headers_keep(place, value, max);
		return;
	}
	if (!header_is_fit(value, max))
		return;
	if (buf_put_slice(&joined, slice_of(*place)) &&
	    buf_put(&joined, ", ", 2) && buf_put_slice(&joined, value)) {
		free(*place);
		*place = buf_take(&joined);
	}
	buf_release(&joined);
}

/* has_control(value): does a URL reference contain control characters? Then it
 * is refused. The rules of URLs handle bytes from 0x80 on. */
static bool
has_control(struct slice value)
{
	for (size_t i = 0; i < value.len; i++)
		if ((unsigned char)value.p[i] < 0x20 || value.p[i] == 0x7f)
			return true;
	return false;
}

/* take_location(headers, value): two different Location fields are refused,
 * because clients disagree about which one counts. */
static bool
take_location(struct fetch_headers *headers, struct slice value)
{
	if (headers->location == NULL && value.len <= URL_MAX_BYTES &&
	    !has_control(value))
		headers->location = slice_dup(value);
	if (headers->status / 100 == 3 && headers->location != NULL &&
	    !slice_is(value, headers->location))
		return headers_refuse(headers, "two Location that differ");
	return true;
}

static bool
take_field(struct fetch_headers *headers, struct slice name, struct slice value)
{
	if (slice_equal_nocase(name, slice_of("content-length"))) {
		/* An answer with two lengths, or with a length and chunks, is
		 * refused. If the client understands it in another way than the
		 * server, the client takes a part of one answer for the next
		 * answer. libcurl itself would use the last length (HOSTILE
		 * F10). */
		uint64_t length;

		if (!read_number(value, MAX_LENGTH, &length))
			return headers_refuse(
			    headers, "Content-Length is no number");
		/* Two numbers that were both cut may differ. */
		if (headers->has_length &&
		    (headers->length != length || length == MAX_LENGTH))
			return headers_refuse(
			    headers, "two Content-Length headers that differ");
		if (headers->is_chunked)
			return headers_refuse(headers,
			    "both Content-Length and Transfer-Encoding");
		headers->has_length = true;
		headers->length = length;
		return true;
	}
	if (slice_equal_nocase(name, slice_of("transfer-encoding"))) {
		/* libcurl would inflate any other transfer coding, though none
		 * was offered. */
		if (headers->is_chunked ||
		    !slice_equal_nocase(value, slice_of("chunked")))
			return headers_refuse(
			    headers, "a Transfer-Encoding other than chunked");
		if (headers->has_length)
			return headers_refuse(headers,
			    "both Content-Length and Transfer-Encoding");
		headers->is_chunked = true;
		return true;
	}
	if (slice_equal_nocase(name, slice_of("location")))
		return take_location(headers, value);
	if (slice_equal_nocase(name, slice_of("etag")))
		headers_keep(&headers->etag, value, HEADER_MAX_VALUE);
	else if (slice_equal_nocase(name, slice_of("last-modified")))
		headers_keep(&headers->last_modified, value, HEADER_MAX_VALUE);
	else if (slice_equal_nocase(name, slice_of("content-type")))
		headers_keep(&headers->content_type, value, HEADER_MAX_VALUE);
	else if (slice_equal_nocase(name, slice_of("content-encoding")))
		headers_join(
		    &headers->content_encoding, value, HEADER_MAX_VALUE);
	else if (slice_equal_nocase(name, slice_of("content-usage")))
		headers_join(&headers->usage, value, HEADER_MAX_VALUE);
	else if (slice_equal_nocase(name, slice_of("x-robots-tag"))) {
		enum robots_name whose;
		struct slice list = robots_tag_list(
		    value, headers->agent, &whose);

		if (whose != ROBOTS_OTHER && robots_noindex(list))
			headers_keep(
			    &headers->noindex, value, HEADER_MAX_VALUE);
		if (whose == ROBOTS_ALL || whose == ROBOTS_OWN)
			headers_join(
			    &headers->robots_tag, list, HEADER_MAX_VALUE);
	} else if (slice_equal_nocase(name, slice_of("link"))) {
		/* Keep the first target of each. */
		static const char *const words[] = {
		    "canonical", "sitemap", "hub"};
		char **places[] = {
		    &headers->canonical, &headers->sitemap, &headers->hub};
		struct slice target;

		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (*places[i] == NULL &&
			    link_target(value, words[i], &target) &&
			    target.len <= URL_MAX_BYTES && !has_control(target))
				*places[i] = slice_dup(target);
	} else if (slice_equal_nocase(name, slice_of("set-cookie"))) {
		struct slice cookie;

		if (slice_cut(&value, '=', &cookie) && value.len > 0)
			headers_keep(
			    &headers->cookie, cookie, HEADER_MAX_VALUE);
	} else if (slice_equal_nocase(name, slice_of("retry-after"))) {
		if (headers->retry_after_s < 0)
			headers->retry_after_s = header_retry_after(
			    value, headers->now_s);
	} else if (slice_equal_nocase(name, slice_of("cache-control"))) {
		if (headers->max_age_s < 0)
			headers->max_age_s = header_max_age(value);
	} else if (slice_equal_nocase(name, slice_of("accept-signature"))) {
		/* How long it may be is decided by who reads it. */
		if (headers->status == 401 || headers->status == 403 ||
		    headers->status == 429)
			headers_join(&headers->accept_signature, value,
			    (size_t)headers->max_bytes);
	} else if (slice_equal_nocase(name, slice_of("date"))) {
		if (!date_parse_http(&headers->date_s, value))
			headers->date_s = 0;
	} else {
		const char *whose;
		enum wall_sign sign = wall_sign(name, value, &whose);

		if (sign > headers->wall_sign) {
			headers->wall_sign = sign;
			headers->wall = whose;
		}
	}
	return true;
}

bool
fetch_headers_line(struct fetch_headers *headers, struct slice line)
{
	const char *colon;

	headers->bytes += line.len;
	if (headers->bytes > headers->max_bytes) {
		headers->code = DIAG_HEADERS_TOO_BIG;
		headers->why = "headers without end";
		return false;
	}
	/* Strip the line end. */
	if (line.len > 0 && line.p[line.len - 1] == '\n')
		line.len--;
	if (line.len > 0 && line.p[line.len - 1] == '\r')
		line.len--;
	if (line.len > 0 && memchr(line.p, '\0', line.len) != NULL)
		return headers_refuse(headers, "a NUL byte in the header");
	if (line.len > 0 && memchr(line.p, '\r', line.len) != NULL)
		return headers_refuse(headers, "a bare CR in the header");
	if (headers->part == HEADER_BODY)
		return true;
	if (headers->part == HEADER_STATUS) {
		/* "HTTP/1.1 200 OK"; the reason is ignored. */
		uint64_t status;

		if (line.len < 12 || memcmp(line.p, "HTTP/1.", 7) != 0 ||
		    (line.p[7] != '0' && line.p[7] != '1') ||
		    line.p[8] != ' ' ||
		    !read_number(slice_make(line.p + 9, 3), 999, &status) ||
		    status < 100 || (line.len > 12 && line.p[12] != ' '))
			return headers_refuse(
			    headers, "unreadable status line");
		if (status == 101)
			return headers_refuse(
			    headers, "switches protocols unasked");
		fetch_headers_release(headers);
		headers->status = (int)status;
		headers->part = HEADER_FIELDS;
		return true;
	}
	if (line.len == 0) {
		headers->part = headers->status < 200 ? HEADER_STATUS
						      : HEADER_BODY;
		return true;
	}
	if (line.p[0] == ' ' || line.p[0] == '\t')
		return headers_refuse(headers, "a folded header");
	colon = memchr(line.p, ':', line.len);
	if (colon == NULL)
		return true;
	/* Is this Content-Length or Transfer-Encoding with a blank before the
	 * colon?  Some readers remove the blank (RFC 9112 5.1), but libcurl
	 * does not know such a header. */
	struct slice name = slice_make(line.p, (size_t)(colon - line.p));
	struct slice trimmed = slice_trim(name);
	if (trimmed.len < name.len &&
	    (slice_equal_nocase(trimmed, slice_of("content-length")) ||
		slice_equal_nocase(trimmed, slice_of("transfer-encoding"))))
		return headers_refuse(
		    headers, "a blank before the colon of a length");
	return take_field(headers, slice_make(line.p, (size_t)(colon - line.p)),
	    slice_trim(slice_from(line, (size_t)(colon - line.p) + 1)));
}
