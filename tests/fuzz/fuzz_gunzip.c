/*
 * Any bytes through gunzip: the same result however they are cut, and all at
 * once, and never more than was allowed. Any stream through inflate.c: what it
 * makes of it is what zlib makes of it.
 *
 *	byte 0: Content-Encoding, what of the path, and what the rest is
 *	byte 1: bytes given at once in the second run; are many bytes allowed
 *	rest:   the wire; or a deflate stream, which gets a header and, if zlib
 *	        reads it, the right trailer; or the text of one
 */
#include <assert.h>

#define ZLIB_CONST
#include <zlib.h>

#include "base/buf.h"
#include "crawler/parse/gunzip.h"
#include "crawler/parse/inflate.h"
#include "tests/fuzz/fuzz.h"

#define MAX_BYTES 200000 /* more than inflate.c passes on at once */
#define FEW_BYTES 65536 /* for most inputs, as it takes less time */
#define MANY_CHUNK 16 /* for inputs with no larger chunks, it is MAX_BYTES */

enum { HOW_STREAM = 8, HOW_TEXT = 16, HOW_LEVEL = 32 };

static bool
on_out(void *arg, struct slice bytes)
{
	return buf_put_slice(arg, bytes);
}

static void
on_finding(void *arg, enum diag_code code, struct slice text)
{
	uint64_t *seen = arg;

	(void)text;
	*seen = *seen * 31 + (uint64_t)code;
}

/* run(out, bytes, how, chunk): chunk is 0: the bytes come all at once. */
static uint64_t
run(struct buf *out, struct slice bytes, uint8_t how, size_t chunk)
{
	static const char *const codings[] = {
	    NULL, "gzip", "deflate", "gzip, identity"};
	struct read_limits limits = read_limits_default();
	uint64_t seen = 0;
	struct gunzip_options options = {.limits = &limits,
	    .max_bytes = out->max - 1,
	    .path = slice_of((how & 4) != 0 ? "/s.xml.gz" : "/s.xml"),
	    .content_encoding = slice_of(codings[how & 3]),
	    .out = on_out,
	    .arg = out,
	    .sink = {on_finding, &seen}};

	limits.max_members = 8;
	struct gunzip *gunzip = gunzip_new(&options);
	if (chunk == 0) {
		(void)gunzip_all(gunzip, bytes);
		bytes.len = 0;
	}
	while (bytes.len > 0) {
		size_t n = chunk < bytes.len ? chunk : bytes.len;

		if (!gunzip_feed(gunzip, slice_make(bytes.p, n)))
			break;
		bytes = slice_from(bytes, n);
	}
	gunzip_finish(gunzip);
	assert(out->len < out->max);
	seen = seen * 31 + gunzip_layers(gunzip);
	seen = seen * 2 + gunzip_is_complete(gunzip);
	seen = seen * 257 + (uint64_t)gunzip_failure(gunzip);
	gunzip_free(gunzip);
	return seen;
}

/* put_member(out, stream, text): a gzip member of a deflate stream. */
static void
put_member(struct buf *out, struct slice stream, struct slice text)
{
	uint32_t trailer[] = {
	    (uint32_t)crc32(0, (const unsigned char *)text.p, (uInt)text.len),
	    (uint32_t)text.len};

	(void)buf_put(out, "\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
	(void)buf_put_slice(out, stream);
	for (unsigned i = 0; i < 8; i++)
		(void)buf_put_char(out, (char)(trailer[i / 4] >> i % 4 * 8));
}

/* pack(out, text, level): a member as zlib writes it. */
static void
pack(struct buf *out, struct slice text, int level)
{
	static unsigned char stream[MAX_BYTES];
	z_stream z = {0};
	int rc = deflateInit2(
	    &z, level, Z_DEFLATED, -15, 8, level % 5 /* the strategy */);

	assert(rc == Z_OK);
	z.next_in = (const unsigned char *)text.p;
	z.avail_in = (uInt)text.len;
	z.next_out = stream;
	z.avail_out = sizeof(stream);
	rc = deflate(&z, Z_FINISH);
	assert(rc == Z_STREAM_END);
	put_member(out,
	    slice_make((char *)stream, sizeof(stream) - z.avail_out), text);
	(void)deflateEnd(&z);
}

/* check(stream, text, is_full, used): inflate.c makes of stream what zlib has
 * made of it: text, which may be all that there was room for; used is the
 * length of the stream, 0: it has a fault or is cut. */
static void
check(struct slice stream, struct slice text, bool is_full, size_t used)
{
	struct buf out;
	size_t length = 0;
	enum inflate_end end;

	buf_init(&out, 4 * MAX_BYTES);
	end = inflate_stream(stream, on_out, &out, &length);
	if (used > 0) {
		assert(end == INFLATE_DONE && length == used);
		assert(slice_equal(buf_text(&out), text));
	} else if (!is_full) {
		assert(end == INFLATE_BAD);
		assert(slice_starts(text, buf_text(&out)));
	} else {
		assert(end != INFLATE_DONE || out.len >= text.len);
		assert(slice_starts(text, buf_text(&out)) ||
		    slice_starts(buf_text(&out), text));
	}
	buf_release(&out);
}

/* complete(out, stream): a member of these bytes; its trailer is right if zlib
 * finds a stream at the beginning of them. */
static void
complete(struct buf *out, struct slice stream)
{
	static unsigned char text[MAX_BYTES];
	z_stream z = {0};
	int rc = inflateInit2(&z, -15);

	assert(rc == Z_OK);
	z.next_in = (const unsigned char *)stream.p;
	z.avail_in = (uInt)stream.len;
	z.next_out = text;
	z.avail_out = sizeof(text);
	rc = inflate(&z, Z_FINISH);
	check(stream, slice_make((char *)text, sizeof(text) - z.avail_out),
	    z.avail_out == 0, rc == Z_STREAM_END ? stream.len - z.avail_in : 0);
	if (rc == Z_STREAM_END)
		stream.len -= z.avail_in;
	else
		z.avail_out = sizeof(text);
	put_member(
	    out, stream, slice_make((char *)text, sizeof(text) - z.avail_out));
	(void)inflateEnd(&z);
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
	struct buf whole, pieces, fast, body;

	if (size < 2)
		return 0;
	struct slice bytes = slice_make((const char *)data + 2, size - 2);
	size_t max_bytes = data[1] < MANY_CHUNK ? MAX_BYTES : FEW_BYTES;
	buf_init(&whole, max_bytes + 1);
	buf_init(&pieces, max_bytes + 1);
	buf_init(&fast, max_bytes + 1);
	buf_init(&body, 2 * size + MAX_BYTES);
	if ((data[0] & HOW_STREAM) != 0)
		complete(&body, bytes);
	else if ((data[0] & HOW_TEXT) != 0)
		pack(&body, bytes, data[0] / HOW_LEVEL + 1);
	else
		(void)buf_put_slice(&body, bytes);
	bytes = buf_text(&body);
	uint64_t seen = run(&whole, bytes, data[0], SIZE_MAX);
	uint64_t again = run(&pieces, bytes, data[0], (size_t)data[1] + 1);
	assert(
	    seen == again && slice_equal(buf_text(&whole), buf_text(&pieces)));
	again = run(&fast, bytes, data[0], 0);
	assert(seen == again && slice_equal(buf_text(&whole), buf_text(&fast)));
	buf_release(&whole);
	buf_release(&pieces);
	buf_release(&fast);
	buf_release(&body);
	return 0;
}
