/*
 * Any lines as the header of an answer: what is kept is fit to be kept and
 * sent back, waits and ages are within bounds, and where the body ends is
 * never in doubt.
 *
 *	byte 0: how much the header may hold
 *	rest:   lines
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/url.h"
#include "crawler/fetch/fetch_headers.h"
#include "tests/fuzz/fuzz.h"

#define NOW_S 1767225600
#define BIT_SHARE 16 /* bytes for each step of byte 0 */

static void
check_value(const char *value)
{
	if (value != NULL)
		assert(header_is_fit(slice_of(value), HEADER_MAX_VALUE));
}

/* A Location leads to a normal URL or nowhere. */
static void
check_location(const char *location)
{
	struct diag_sink none = {0};
	struct profile google = profile_default(PROFILE_GOOGLE);
	struct url base = {0}, url = {0};

	if (location == NULL)
		return;
	assert(strlen(location) <= URL_MAX_BYTES);
	for (const char *p = location; *p != '\0'; p++)
		assert((unsigned char)*p >= 0x20 && *p != 0x7f);
	enum diag_code code = url_parse(
	    &base, slice_of("https://a.example/d/s.xml"), NULL, &google, none);
	assert(code == DIAG_OK);
	if (url_resolve(&url, slice_of(location), &base) == DIAG_OK)
		for (size_t i = 0; i < url_text(&url).len; i++)
			assert(url_text(&url).p[i] > 0x20 &&
			    url_text(&url).p[i] < 0x7f);
	url_release(&base);
	url_release(&url);
}

static void
check(const struct fetch_headers *headers)
{
	assert((headers->code == DIAG_OK) == (headers->why == NULL));
	assert(headers->code == DIAG_OK ||
	    headers->code == DIAG_HEADERS_TOO_BIG ||
	    headers->code == DIAG_FETCH_NETWORK_ERROR);
	assert(headers->bytes <= headers->max_bytes ||
	    headers->code == DIAG_HEADERS_TOO_BIG);
	assert(headers->status == 0 ||
	    (headers->status >= 100 && headers->status <= 999 &&
		headers->status != 101));
	assert(headers->retry_after_s >= -1 &&
	    headers->retry_after_s <= HEADER_MAX_WAIT_S);
	assert(headers->max_age_s >= -1 && headers->max_age_s <= INT32_MAX);
	assert(!headers->is_chunked || !headers->has_length);
	assert((headers->wall == NULL) == (headers->wall_sign == WALL_NONE));
	check_value(headers->etag);
	check_value(headers->last_modified);
	check_value(headers->content_type);
	check_value(headers->content_encoding);
}

/* Where another reader of the latest answer's header would see the end of its
 * body, found without the code above. */
struct framing {
	bool has_length, is_chunked, is_doubtful;
	struct slice length; /* its digits from the first that counts */
};

static bool
is_field(struct slice line, const char *name)
{
	size_t len = strlen(name);

	return line.len > len && line.p[len] == ':' &&
	    strncasecmp(line.p, name, len) == 0;
}

static void
frame(struct framing *framing, struct slice line)
{
	struct slice value;

	if (is_field(line, "content-length")) {
		value = slice_trim(slice_from(line, 15));
		while (value.len > 1 && value.p[0] == '0')
			value = slice_from(value, 1);
		framing->is_doubtful |= framing->has_length &&
		    !slice_equal(framing->length, value);
		framing->has_length = true;
		framing->length = value;
	} else if (is_field(line, "transfer-encoding")) {
		framing->is_doubtful |= framing->is_chunked;
		framing->is_chunked = true;
	}
	framing->is_doubtful |= framing->has_length && framing->is_chunked;
}

static struct slice
next_line(struct slice *text)
{
	const char *end = memchr(text->p, '\n', text->len);
	size_t n = end == NULL ? text->len : (size_t)(end - text->p);
	struct slice line = slice_make(text->p, n);

	*text = slice_from(*text, end == NULL ? n : n + 1);
	return line;
}

/* Feed each line with this line end.  Until the body begins, compare the
 * framing of the answer with that of the other reader. */
static void
run(struct fetch_headers *headers, struct slice text, const char *end)
{
	struct framing framing = {0};
	bool is_good = true;
	struct buf line;

	buf_init(&line, 1 << 20);
	while (text.len > 0 && is_good) {
		struct slice plain = next_line(&text);

		buf_clear(&line);
		(void)buf_put_slice(&line, plain);
		if (headers->part == HEADER_STATUS)
			framing = (struct framing){0};
		else if (headers->part == HEADER_FIELDS)
			frame(&framing, plain);
		(void)buf_put_slice(&line, slice_of(end));
		is_good = fetch_headers_line(headers, buf_text(&line));
		assert(is_good == (headers->code == DIAG_OK));
		check(headers);
		assert(!is_good || !framing.is_doubtful);
	}
	check_location(headers->location);
	if (is_good && headers->part == HEADER_BODY) {
		assert(framing.has_length == headers->has_length);
		assert(framing.is_chunked == headers->is_chunked);
	}
	buf_release(&line);
}

static bool
is_same(const char *a, const char *b)
{
	return slice_equal(slice_of(a), slice_of(b));
}

static void
check_same(const struct fetch_headers *a, const struct fetch_headers *b)
{
	assert(a->part == b->part && a->status == b->status);
	assert(a->has_length == b->has_length && a->length == b->length);
	assert(a->is_chunked == b->is_chunked && a->wall == b->wall);
	assert(a->retry_after_s == b->retry_after_s);
	assert(a->max_age_s == b->max_age_s);
	assert(is_same(a->location, b->location) && is_same(a->etag, b->etag));
	assert(is_same(a->last_modified, b->last_modified));
	assert(is_same(a->content_type, b->content_type));
	assert(is_same(a->content_encoding, b->content_encoding));
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fetch_headers crlf = {0};
	struct fetch_headers lf = {0};

	if (size < 1)
		return 0;
	struct slice text = slice_make((const char *)data + 1, size - 1);
	fetch_headers_begin(
	    &crlf, (uint64_t)(255 - data[0]) * BIT_SHARE, NOW_S, slice_of("x"));
	run(&crlf, text, "\r\n");
	fetch_headers_begin(
	    &lf, (uint64_t)(255 - data[0]) * BIT_SHARE, NOW_S, slice_of("x"));
	run(&lf, text, "\n");
	if (crlf.code == DIAG_OK && lf.code == DIAG_OK)
		check_same(&crlf, &lf);
	fetch_headers_release(&crlf);
	fetch_headers_release(&lf);
	return 0;
}
