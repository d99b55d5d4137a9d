/*
 * Any bytes through gunzip: with zlib the same result however they are cut, and
 * never more than was allowed. ISA-L may refuse what zlib takes, and take what
 * zlib refuses, but what both take is the same.
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
#include "tests/fuzz/fuzz.h"

#define MAX_BYTES 200000 /* more than either library makes at once */
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

struct result {
	struct buf out;
	uint64_t seen; /* a hash of findings and outcome */
	bool is_complete;
};

/* run(result, bytes, how, chunk, is_fast): result->out is empty. */
static void
run(struct result *result, struct slice bytes, uint8_t how, size_t chunk,
    bool is_fast)
{
	static const char *const codings[] = {
	    NULL, "gzip", "deflate", "gzip, identity"};
	struct read_limits limits = read_limits_default();
	struct buf *out = &result->out;
	struct gunzip_outcome outcome;
	uint64_t seen = 0;
	struct gunzip_options options = {.limits = &limits,
	    .max_bytes = out->max - 1,
	    .is_fast = is_fast,
	    .path = slice_of((how & 4) != 0 ? "/s.xml.gz" : "/s.xml"),
	    .content_encoding = slice_of(codings[how & 3]),
	    .outcome = &outcome,
	    .out = on_out,
	    .arg = out,
	    .sink = {on_finding, &seen}};

	limits.max_members = 8;
	struct gunzip *gunzip = gunzip_new(&options);
	while (bytes.len > 0) {
		size_t n = chunk < bytes.len ? chunk : bytes.len;

		if (!gunzip_feed(gunzip, slice_make(bytes.p, n)))
			break;
		bytes = slice_from(bytes, n);
	}
	result->is_complete = gunzip_finish(gunzip);
	assert(out->len < out->max);
	seen = seen * 31 + outcome.layers;
	seen = seen * 2 + result->is_complete;
	result->seen = seen * 257 + (uint64_t)outcome.failure;
	gunzip_free(gunzip);
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
	struct result results[4]; /* zlib, in pieces; ISA-L, in pieces */
	struct buf body;

	if (size < 2)
		return 0;
	struct slice bytes = slice_make((const char *)data + 2, size - 2);
	size_t max_bytes = data[1] < MANY_CHUNK ? MAX_BYTES : FEW_BYTES;
	buf_init(&body, 2 * size + MAX_BYTES);
	if ((data[0] & HOW_STREAM) != 0)
		complete(&body, bytes);
	else if ((data[0] & HOW_TEXT) != 0)
		pack(&body, bytes, data[0] / HOW_LEVEL + 1);
	else
		(void)buf_put_slice(&body, bytes);
	for (unsigned i = 0; i < 4; i++) {
		struct result *result = &results[i];

		buf_init(&result->out, max_bytes + 1);
		run(result, buf_text(&body), data[0],
		    i % 2 == 0 ? SIZE_MAX : (size_t)data[1] + 1, i >= 2);
		/* The second one is held to the first also where it fails. */
		if (i != 1 && (!result->is_complete || !results[0].is_complete))
			continue;
		assert(result->seen == results[0].seen);
		assert(slice_equal(
		    buf_text(&result->out), buf_text(&results[0].out)));
	}
	/* What zlib has packed, ISA-L takes, if it is no gzip file itself. */
	if ((data[0] & HOW_STREAM) == 0 && (data[0] & HOW_TEXT) != 0 &&
	    (size == 2 || data[2] != 0x1f))
		assert(results[2].is_complete == results[0].is_complete);
	for (unsigned i = 0; i < 4; i++)
		buf_release(&results[i].out);
	buf_release(&body);
	return 0;
}
