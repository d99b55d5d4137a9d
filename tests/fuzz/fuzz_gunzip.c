/*
 * Any bytes through gunzip: the same result however they are cut, and never
 * more than was allowed.
 *
 *	byte 0: Content-Encoding, and what of the path
 *	byte 1: bytes given at once in the second run
 *	rest:   the wire
 */
#include <assert.h>

#include "base/buf.h"
#include "crawler/parse/gunzip.h"
#include "tests/fuzz/fuzz.h"

#define MAX_BYTES 65536

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

static uint64_t
run(struct buf *out, struct slice bytes, uint8_t how, size_t chunk)
{
	static const char *const codings[] = {
	    NULL, "gzip", "deflate", "gzip, identity"};
	struct read_limits limits = read_limits_default();
	uint64_t seen = 0;
	struct gunzip_options options = {.limits = &limits,
	    .max_bytes = MAX_BYTES,
	    .path = slice_of((how & 4) != 0 ? "/s.xml.gz" : "/s.xml"),
	    .content_encoding = slice_of(codings[how & 3]),
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
	gunzip_finish(gunzip);
	assert(out->len <= MAX_BYTES);
	seen = seen * 31 + gunzip_layers(gunzip);
	seen = seen * 2 + gunzip_is_complete(gunzip);
	gunzip_free(gunzip);
	return seen;
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
	struct buf whole;
	struct buf pieces;

	if (size < 2)
		return 0;
	struct slice bytes = slice_make((const char *)data + 2, size - 2);
	buf_init(&whole, MAX_BYTES + 1);
	buf_init(&pieces, MAX_BYTES + 1);
	uint64_t a = run(&whole, bytes, data[0], SIZE_MAX);
	uint64_t b = run(&pieces, bytes, data[0], (size_t)data[1] + 1);
	assert(a == b && slice_equal(buf_text(&whole), buf_text(&pieces)));
	buf_release(&whole);
	buf_release(&pieces);
	return 0;
}
