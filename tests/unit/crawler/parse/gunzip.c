/* crawler/parse/gunzip.c: layers, members, and everything that can be wrong
 * with them. */
#define ZLIB_CONST
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/buf.h"
#include "crawler/parse/gunzip.h"
#include "tests/fixtures/sanitized.h"
#include "tests/unit/unit.h"

#define TEXT "<urlset><url><loc>http://a.example/</loc></url></urlset>\n"
#define LONG 480000 /* bytes: many pieces of ISA-L; each line has 16 */

struct result {
	struct buf out;
	struct buf codes; /* separated by spaces */
	bool is_complete;
	unsigned layers;
};

struct request {
	const char *path;
	const char *type;
	const char *encoding;
	uint64_t max_bytes;
	bool is_fast; /* with ISA-L */
	struct read_limits limits;
};

static struct request
plain_request(void)
{
	return (struct request){.path = "/s.xml.gz",
	    .max_bytes = 1 << 20,
	    .limits = read_limits_default()};
}

/* pack(out, bytes, window_bits, level): append one compressed stream. */
static void
pack(struct buf *out, struct slice bytes, int window_bits, int level)
{
	unsigned char piece[4096];
	z_stream z = {0};
	int rc = deflateInit2(
	    &z, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);

	assert_int_equal(rc, Z_OK);
	z.next_in = (const unsigned char *)bytes.p;
	z.avail_in = (unsigned)bytes.len;
	do {
		z.next_out = piece;
		z.avail_out = sizeof(piece);
		rc = deflate(&z, Z_FINISH);
		assert_true(buf_put(out, piece, sizeof(piece) - z.avail_out));
	} while (rc != Z_STREAM_END);
	deflateEnd(&z);
}

static void
gzip(struct buf *out, struct slice bytes)
{
	pack(out, bytes, 15 + 16, 9);
}

static bool
on_out(void *arg, struct slice bytes)
{
	return buf_put_slice(&((struct result *)arg)->out, bytes);
}

static void
on_finding(void *arg, enum diag_code code, struct slice text)
{
	struct buf *codes = &((struct result *)arg)->codes;

	(void)text;
	(void)buf_print(
	    codes, "%s%s", codes->len > 0 ? " " : "", diag_name(code));
}

/* run(): feed the bytes in two parts, each in chunks. */
static void
run(struct result *result, const struct request *request, struct slice bytes,
    size_t split, size_t chunk)
{
	struct gunzip_outcome outcome;
	struct gunzip_options options = {.limits = &request->limits,
	    .max_bytes = request->max_bytes,
	    .path = slice_of(request->path),
	    .content_type = slice_of(request->type),
	    .content_encoding = slice_of(request->encoding),
	    .is_fast = request->is_fast,
	    .outcome = &outcome,
	    .out = on_out,
	    .arg = result,
	    .sink = {on_finding, result}};
	struct gunzip *gunzip = gunzip_new(&options);
	size_t at = 0;
	bool ok = true;

	buf_init(&result->out, 64 << 20);
	buf_init(&result->codes, 1 << 16);
	while (ok && at < bytes.len) {
		size_t end = at < split ? split : bytes.len;
		size_t n = end - at < chunk ? end - at : chunk;

		ok = gunzip_feed(gunzip, slice_make(bytes.p + at, n));
		at += n;
	}
	result->is_complete = gunzip_finish(gunzip);
	result->layers = outcome.layers;
	assert_int_equal(result->is_complete, outcome.failure == DIAG_OK);
	gunzip_free(gunzip);
}

static void
result_release(struct result *result)
{
	buf_release(&result->out);
	buf_release(&result->codes);
}

/* What one of the libraries says: that of request->is_fast. */
static void
expect_one(const struct request *request, struct slice bytes, const char *text,
    const char *codes, bool is_complete)
{
	struct result result;

	run(&result, request, bytes, 0, SIZE_MAX);
	/* Of a stream that has a fault, ISA-L may make more or less than zlib
	 * before it sees the fault. */
	if (text != NULL && (is_complete || !request->is_fast))
		assert_string_equal(buf_str(&result.out), text);
	assert_string_equal(buf_str(&result.codes), codes);
	assert_int_equal(result.is_complete, is_complete);
	result_release(&result);
}

/* What both of them say. */
static void
expect(const struct request *request, struct slice bytes, const char *text,
    const char *codes, bool is_complete)
{
	struct request fast = *request;

	fast.is_fast = true;
	expect_one(request, bytes, text, codes, is_complete);
	expect_one(&fast, bytes, text, codes, is_complete);
}

static void
wrap(struct buf *bytes, struct slice text, unsigned layers)
{
	buf_init(bytes, 1 << 20);
	(void)buf_put_slice(bytes, text);
	for (unsigned n = 0; n < layers; n++) {
		struct buf outer;

		buf_init(&outer, 1 << 20);
		gzip(&outer, buf_text(bytes));
		buf_release(bytes);
		*bytes = outer;
	}
}

/* ISA-L gives what zlib gives, however the bytes are cut. */
static void
test_fast(void **state)
{
	static const struct {
		const char *what;
		size_t cut, more; /* bytes less, and zero bytes more */
		unsigned layers;
		unsigned members; /* more */
		int flags; /* of the header */
		size_t flipped; /* the byte from the end that is changed */
		uint64_t max_bytes;
		uint32_t max_idle_input;
		const char *encoding;
		const char *codes;
	} cases[] = {
	    {"a member", 0, 0, 1, 0, 0, 0, LONG, 4 << 20, NULL, ""},
	    {"in transit", 0, 0, 1, 0, 0, 0, LONG, 4 << 20, "gzip", ""},
	    {"one byte too many", 0, 0, 1, 0, 0, 0, LONG - 1, 4 << 20, NULL,
		"file-too-large"},
	    {"no trailer", 8, 0, 1, 0, 0, 0, LONG, 4 << 20, NULL,
		"gzip-truncated"},
	    {"a cut trailer", 1, 0, 1, 0, 0, 0, LONG, 4 << 20, NULL,
		"gzip-truncated"},
	    {"a cut stream", 9, 0, 1, 0, 0, 0, LONG, 4 << 20, NULL,
		"gzip-truncated"},
	    {"half a stream", 9000, 0, 1, 0, 0, 0, LONG, 4 << 20, NULL,
		"gzip-truncated"},
	    {"padded", 0, 1, 1, 0, 0, 0, LONG, 4 << 20, NULL, ""},
	    {"members", 0, 0, 1, 2, 0, 0, 3 * LONG, 4 << 20, NULL,
		"gzip-multimember"},
	    {"members and padding", 0, 9, 1, 1, 0, 0, 2 * LONG, 4 << 20, NULL,
		"gzip-multimember"},
	    {"a fault in the last member", 0, 0, 1, 1, 0, 100, 2 * LONG,
		4 << 20, NULL, "gzip-multimember compression-error"},
	    {"a file inside", 0, 0, 2, 0, 0, 0, LONG, 4 << 20, "gzip",
		"gzip-double"},
	    {"a file too many", 0, 0, 3, 0, 0, 0, LONG, 4 << 20, "gzip",
		"gzip-double gzip-too-many-layers"},
	    {"plain", 0, 0, 0, 0, 0, 0, LONG, 4 << 20, NULL,
		"gz-extension-not-gzip"},
	    {"a CRC of the header", 0, 0, 1, 0, 2, 0, LONG, 4 << 20, NULL,
		"compression-error"},
	    {"a wrong length", 0, 0, 1, 0, 0, 4, LONG, 4 << 20, NULL,
		"compression-error"},
	    {"a wrong CRC", 0, 0, 1, 0, 0, 5, LONG, 4 << 20, NULL,
		"compression-error"},
	    {"a fault in the stream", 0, 0, 1, 0, 0, 9000, 2 * LONG, 4 << 20,
		NULL, "compression-error"},
	    {"a long body", 0, 0, 1, 0, 0, 0, LONG, 50, NULL, ""},
	    {"deflate", 0, 0, 1, 0, 0, 0, LONG, 4 << 20, "deflate",
		"content-encoding-mismatch"},
	    {"two codings", 0, 0, 1, 0, 0, 0, LONG, 4 << 20, "gzip, deflate",
		"gzip-too-many-layers"},
	    {"an unknown coding", 0, 0, 1, 0, 0, 0, LONG, 4 << 20, "br",
		"unsupported-encoding"},
	};
	static const size_t chunks[] = {1, 9, 4096, SIZE_MAX};
	struct buf text;

	(void)state;
	buf_init(&text, LONG);
	for (unsigned i = 0; text.len < LONG; i++)
		(void)buf_print(&text, "%06u %08x\n", i, i * i * 2654435761u);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct request request = plain_request();
		struct buf bytes;
		struct result slow;

		request.encoding = cases[i].encoding;
		request.max_bytes = cases[i].max_bytes;
		request.limits.max_idle_input = cases[i].max_idle_input;
		wrap(&bytes, buf_text(&text), cases[i].layers);
		for (unsigned k = 0; k < cases[i].members; k++)
			gzip(&bytes, buf_text(&text));
		if (cases[i].flags != 0)
			bytes.p[3] = (char)cases[i].flags;
		if (cases[i].flipped > 0)
			bytes.p[bytes.len - cases[i].flipped] ^= 0x40;
		bytes.len -= cases[i].cut;
		for (size_t k = 0; k < cases[i].more; k++)
			(void)buf_put_char(&bytes, '\0');
		run(&slow, &request, buf_text(&bytes), 0, 9);
		request.is_fast = true;
		/* byte by byte takes ten seconds under sanitizers */
		for (size_t k = IS_SANITIZED;
		     k < sizeof(chunks) / sizeof(chunks[0]); k++) {
			struct result fast;

			run(&fast, &request, buf_text(&bytes), 0, chunks[k]);
			if (strcmp(buf_str(&fast.codes), cases[i].codes) != 0)
				fail_msg("%s: %s", cases[i].what,
				    buf_str(&fast.codes));
			assert_string_equal(
			    buf_str(&fast.codes), buf_str(&slow.codes));
			if (slow.is_complete)
				assert_true(slice_equal(
				    buf_text(&fast.out), buf_text(&slow.out)));
			assert_int_equal(fast.layers, slow.layers);
			assert_int_equal(fast.is_complete, slow.is_complete);
			result_release(&fast);
		}
		result_release(&slow);
		buf_release(&bytes);
	}
	buf_release(&text);
}

/* Z5, Z6: the result does not depend on how members and bytes are cut. */
static void
test_split(void **state)
{
	struct request request = plain_request();
	struct slice text = slice_of(TEXT);
	struct buf bytes;

	(void)state;
	buf_init(&bytes, 1 << 20);
	for (size_t cut = 0; cut <= text.len; cut += IS_SANITIZED ? 55 : 11) {
		buf_clear(&bytes);
		gzip(&bytes, slice_make(text.p, cut));
		gzip(&bytes, slice_from(text, cut));
		(void)buf_put(&bytes, "\0\0\0", 3);
		for (size_t split = 0; split <= bytes.len; split++) {
			struct result result;

			request.is_fast = (split + cut) % 2 == 0;
			run(&result, &request, buf_text(&bytes), split,
			    SIZE_MAX);
			assert_string_equal(buf_str(&result.out), TEXT);
			assert_string_equal(
			    buf_str(&result.codes), "gzip-multimember");
			assert_true(result.is_complete);
			result_release(&result);
		}
	}
	buf_release(&bytes);
}

/* Z12, Z13, Z20: a cut stream is never complete, and gives a prefix of the
 * output. */
static void
test_cut(void **state)
{
	struct request request = plain_request();
	struct buf bytes;

	(void)state;
	buf_init(&bytes, 1 << 20);
	gzip(&bytes, slice_of(TEXT));
	for (size_t len = 1; len < bytes.len; len++) {
		struct result result;

		run(&result, &request, slice_make(bytes.p, len), 0, 3);
		assert_string_equal(buf_str(&result.codes), "gzip-truncated");
		assert_false(result.is_complete);
		assert_true(
		    slice_starts(slice_of(TEXT), buf_text(&result.out)));
		result_release(&result);
	}
	/* the first byte of a gzip file inside */
	struct buf inner;
	buf_init(&inner, 1 << 20);
	gzip(&inner, slice_of("\x1f"));
	expect(&request, buf_text(&inner), "", "gzip-truncated", false);
	buf_release(&inner);
	/* a wrong CRC, and its length is cut: zlib looks at the CRC first */
	bytes.p[bytes.len - 8] ^= 1;
	bytes.len -= 3;
	expect_one(
	    &request, buf_text(&bytes), TEXT, "compression-error", false);
	request.is_fast = true;
	expect_one(&request, buf_text(&bytes), TEXT, "gzip-truncated", false);
	buf_release(&bytes);
}

/* Z16: a flipped bit is an error, unless it stands where it has no meaning. */
static void
test_flip(void **state)
{
	static const size_t chunks[] = {1, 5, SIZE_MAX};
	struct request request = plain_request();
	struct buf bytes;

	(void)state;
	buf_init(&bytes, 1 << 20);
	gzip(&bytes, slice_of(TEXT));
	for (size_t bit = 0; bit < bytes.len * 8; bit += IS_SANITIZED ? 5 : 1) {
		struct result results[3];

		bytes.p[bit / 8] ^= (char)(1 << bit % 8);
		for (int i = 0; i < 3; i++)
			run(&results[i], &request, buf_text(&bytes), 0,
			    chunks[i]);
		bytes.p[bit / 8] ^= (char)(1 << bit % 8);
		for (int i = 1; i < 3; i++) {
			assert_true(slice_equal(buf_text(&results[0].out),
			    buf_text(&results[i].out)));
			assert_true(slice_equal(buf_text(&results[0].codes),
			    buf_text(&results[i].codes)));
		}
		if (results[0].is_complete && results[0].layers > 0)
			assert_string_equal(buf_str(&results[0].out), TEXT);
		for (int i = 0; i < 3; i++)
			result_release(&results[i]);
	}
	buf_release(&bytes);
}

/* Z16: a flipped bit of the CRC or the length is always an error, in the first
 * member and the second, whether a member ends in the bytes in which it begins
 * or not. */
static void
test_trailer(void **state)
{
	static const size_t chunks[] = {1, 3, 8, 9, 64, 5000, SIZE_MAX};
	struct request request = plain_request();
	struct buf text, bytes;

	(void)state;
	buf_init(&text, 1 << 20);
	buf_init(&bytes, 1 << 20);
	while (text.len < 300000)
		(void)buf_print(&text, "%zu %s", text.len * 7919, TEXT);
	gzip(&bytes, slice_of(TEXT));
	gzip(&bytes, buf_text(&text));
	(void)buf_put_slice(&text, slice_of(TEXT));
	for (int is_alone = 0; is_alone < 2; is_alone++) {
		for (unsigned bit = 0; bit < 64; bit += IS_SANITIZED ? 5 : 1) {
			char *byte = bytes.p + bytes.len - 8 + bit / 8;

			*byte ^= (char)(1 << bit % 8);
			for (size_t i = 0;
			     i < sizeof(chunks) / sizeof(chunks[0]); i++) {
				struct result result;

				request.is_fast = bit / 8 % 2 == 0;
				run(&result, &request, buf_text(&bytes), 0,
				    chunks[i]);
				assert_string_equal(buf_str(&result.codes),
				    is_alone ? "compression-error"
					     : "gzip-multimember "
					       "compression-error");
				assert_false(result.is_complete);
				result_release(&result);
			}
			*byte ^= (char)(1 << bit % 8);
		}
		buf_clear(&bytes);
		gzip(&bytes, buf_text(&text));
	}
	buf_release(&text);
	buf_release(&bytes);
}

/* the header says one thing, and the body is another. */
static const struct {
	const char *rule;
	unsigned layers; /* of gzip around the text */
	const char *path;
	const char *type;
	const char *encoding;
	const char *codes;
	unsigned entered;
	bool is_complete;
} layer_cases[] = {
    {"R-80", 1, "/s.xml.gz", "", "", "", 1, true},
    {"R-80", 0, "/s.xml", "", "", "", 0, true},
    {"R-79", 1, "/s.xml", "", "GZIP", "", 1, true},
    {"R-79", 1, "/s.xml", "", " identity , x-gzip ", "", 1, true},
    {"R-79", 1, "/s.xml", "", "zstd", "unsupported-encoding", 0, false},
    {"R-79", 1, "/s.xml", "", "gzip, br", "unsupported-encoding", 0, false},
    {"R-81", 2, "/s.xml", "", "gzip", "gzip-double", 2, true},
    {"R-81", 2, "/s.xml.gz", "", "", "gzip-too-many-layers", 1, false},
    {"Z4", 3, "/s.xml.gz", "", "gzip", "gzip-double gzip-too-many-layers", 2,
	false},
    {"R-81", 1, "/s.xml", "", "gzip, deflate", "gzip-too-many-layers", 0,
	false},
    {"R-84", 0, "/s.xml.GZ", "", "", "gz-extension-not-gzip", 0, true},
    {"R-84", 1, "/s.xml", "text/xml", "", "gzip-undeclared", 1, true},
    {"R-84", 1, "/s.xml", "Application/X-Gzip; q=1", "", "", 1, true},
    {"R-85", 0, "/s.xml", "", "gzip", "content-encoding-mismatch", 0, true},
    {"R-85", 1, "/s.xml", "", "deflate", "content-encoding-mismatch", 1, true},
    {"R-85", 0, "/s.xml", "", "utf-8", "content-encoding-mismatch", 0, true},
    {"R-85", 0, "/s.xml", "", "none, gzip", "content-encoding-mismatch", 0,
	true},
    {"R-85", 1, "/s.xml", "", "UTF-8", "content-encoding-mismatch", 1, true},
    {"R-85", 1, "/s.xml", "", "gzip, utf-8", "", 1, true},
};

static void
test_layers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(layer_cases) / sizeof(layer_cases[0]);
	     i++) {
		struct request request = plain_request();
		struct buf bytes;
		struct result result;

		request.path = layer_cases[i].path;
		request.type = layer_cases[i].type;
		request.encoding = layer_cases[i].encoding;
		wrap(&bytes, slice_of(TEXT), layer_cases[i].layers);
		run(&result, &request, buf_text(&bytes), 0, 7);
		if (!slice_is(buf_text(&result.codes), layer_cases[i].codes) ||
		    result.layers != layer_cases[i].entered ||
		    result.is_complete != layer_cases[i].is_complete)
			fail_msg("%s, case %zu: '%s', %u layers, %d",
			    layer_cases[i].rule, i, buf_str(&result.codes),
			    result.layers, result.is_complete);
		if (result.is_complete)
			assert_string_equal(buf_str(&result.out), TEXT);
		result_release(&result);
		buf_release(&bytes);
	}
}

/* deflate with and without its zlib header, around gzip too. */
static void
test_deflate(void **state)
{
	struct request request = plain_request();
	struct buf bytes;
	struct buf inner;

	(void)state;
	request.path = "/s.xml";
	request.encoding = "deflate";
	for (int bits = -15; bits <= 15; bits += 30) {
		buf_init(&bytes, 1 << 20);
		pack(&bytes, slice_of(TEXT), bits, 9);
		expect(&request, buf_text(&bytes), TEXT, "", true);
		expect(&request, slice_make(bytes.p, bytes.len - 1), NULL,
		    "gzip-truncated", false);
		(void)buf_put_char(&bytes, 'x');
		expect(&request, buf_text(&bytes), TEXT,
		    "gzip-trailing-garbage", true);
		buf_release(&bytes);
	}
	buf_init(&inner, 1 << 20);
	buf_init(&bytes, 1 << 20);
	gzip(&inner, slice_of(TEXT));
	pack(&bytes, buf_text(&inner), 15, 9);
	request.path = "/s.xml.gz";
	expect(&request, buf_text(&bytes), TEXT, "", true);
	expect(&request, slice_of("<"), "", "gzip-truncated", false);
	buf_release(&bytes);
	buf_release(&inner);
	/* a name of no coding, and nothing that a text begins with */
	request.encoding = "utf-8";
	expect(
	    &request, slice_make("\0x", 2), "", "unsupported-encoding", false);
}

/* R-83, Z10, Z11: what follows the last member. */
static void
test_trailing(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *codes;
	} cases[] = {
	    {"\0\0\0\0", 4, ""},
	    {"\0\0x", 3, "gzip-trailing-garbage"},
	    {"x", 1, "gzip-trailing-garbage"},
	    {"\x1f", 1, "gzip-trailing-garbage"},
	    {"\x1fx", 2, "gzip-trailing-garbage"},
	    {"\0\x1f\x8b", 3, "gzip-trailing-garbage"},
	};
	struct request request = plain_request();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf bytes;

		buf_init(&bytes, 1 << 20);
		gzip(&bytes, slice_of(TEXT));
		(void)buf_put(&bytes, cases[i].bytes, cases[i].len);
		expect(&request, buf_text(&bytes), TEXT, cases[i].codes, true);
		buf_release(&bytes);
	}
}

/* Z18: header fields are checked or skipped. */
static void
test_header(void **state)
{
	struct request request = plain_request();
	struct buf good;
	struct buf bytes;

	(void)state;
	buf_init(&good, 1 << 20);
	buf_init(&bytes, 1 << 20);
	gzip(&good, slice_of(TEXT));
	/* FEXTRA, FNAME and FCOMMENT */
	(void)buf_put(&bytes, "\x1f\x8b\x08\x1c\0\0\0\0\0\x03", 10);
	(void)buf_put(&bytes, "\x03\0abcname\0comment\0", 18);
	(void)buf_put_slice(&bytes, slice_from(buf_text(&good), 10));
	expect(&request, buf_text(&bytes), TEXT, "", true);
	/* FHCRC, wrong */
	buf_clear(&bytes);
	(void)buf_put(&bytes, "\x1f\x8b\x08\x02\0\0\0\0\0\x03zz", 12);
	(void)buf_put_slice(&bytes, slice_from(buf_text(&good), 10));
	expect(&request, buf_text(&bytes), "", "compression-error", false);
	/* a reserved flag, which ISA-L does not look at; another method */
	good.p[3] = (char)0x80;
	expect_one(&request, buf_text(&good), "", "compression-error", false);
	good.p[3] = 0;
	good.p[2] = 7;
	expect(&request, buf_text(&good), "", "compression-error", false);
	buf_release(&bytes);
	buf_release(&good);
}

/* this many members pass, one more does not. */
static void
test_members(void **state)
{
	struct request request = plain_request();
	struct buf bytes;

	(void)state;
	buf_init(&bytes, 1 << 20);
	for (unsigned i = 0; i < request.limits.max_members; i++)
		gzip(&bytes, slice_make("", 0));
	expect(&request, buf_text(&bytes), "", "gzip-multimember", true);
	gzip(&bytes, slice_make("", 0));
	expect(&request, buf_text(&bytes), "",
	    "gzip-multimember compression-error", false);
	buf_release(&bytes);
}

/* R-38, Z1, Z7 to Z9: the limits. */
static void
test_limits(void **state)
{
	struct request request = plain_request();
	struct buf zeros;
	struct buf bytes;

	(void)state;
	buf_init(&zeros, 64 << 20);
	buf_init(&bytes, 64 << 20);
	for (int i = 0; i < 8 << 20; i++)
		(void)buf_put_char(&zeros, ' ');
	gzip(&bytes, buf_text(&zeros));
	request.max_bytes = zeros.len;
	expect(&request, buf_text(&bytes), NULL, "", true);
	request.max_bytes--;
	struct result result;
	run(&result, &request, buf_text(&bytes), 0, 100);
	assert_int_equal(result.out.len, request.max_bytes);
	assert_string_equal(buf_str(&result.codes), "file-too-large");
	result_release(&result);

	/* a member of nothing but empty stored blocks */
	buf_clear(&bytes);
	(void)buf_put(&bytes, "\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
	for (int i = 0; i < 1000000; i++)
		(void)buf_put(&bytes, "\0\0\0\xff\xff", 5);
	expect(&request, buf_text(&bytes), "", "compression-error", false);

	/* a name without an end */
	buf_clear(&bytes);
	(void)buf_put(&bytes, "\x1f\x8b\x08\x08\0\0\0\0\0\x03", 10);
	(void)buf_put_slice(&bytes, buf_text(&zeros));
	expect(&request, buf_text(&bytes), "", "compression-error", false);
	buf_release(&zeros);
	buf_release(&bytes);
}

/* zlib unpacks what the packer packs, in pieces of any length: a member after
 * another, and the extra field is where it is said to be. */
static void
test_packer(void **state)
{
	static const size_t lens[] = {
	    0, 1, 2, 100, 8191, 32768, 65535, 65536, 65537, 300000};
	static const size_t pieces[] = {1, 977, 65536, 1000000};
	struct packer *packer = packer_new();
	struct buf plain = BUF_UP_TO(SIZE_MAX), packed = BUF_UP_TO(SIZE_MAX);
	unsigned char *out;
	uint32_t x = 1;

	(void)state;
	(void)buf_reserve(&plain, 301000);
	while (plain.len < 300000) {
		x = x * 1664525 + 1013904223;
		/* as text: some bytes come often, some runs come again */
		if ((x >> 28) == 0 && plain.len > 5000)
			(void)buf_put(
			    &plain, plain.p + (x >> 12) % 4000, (x >> 8) % 300);
		else
			(void)buf_put_char(&plain, (char)(' ' + (x >> 26)));
	}
	out = malloc(plain.len + 1);
	assert_non_null(out);
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]) * 4; i++) {
		size_t len = lens[i / 4], piece = pieces[i % 4];
		bool has_extra = i % 3 == 0;
		size_t begin = packed.len;
		z_stream z = {0};

		packer_begin(
		    packer, slice_of(has_extra ? "ab\1\0c" : ""), &packed);
		if (has_extra)
			assert_memory_equal(
			    packed.p + begin + PACKER_EXTRA, "ab\1", 3);
		for (size_t at = 0; at < len; at += piece)
			packer_put(packer,
			    slice_make(plain.p + at,
				len - at < piece ? len - at : piece),
			    false, &packed);
		packer_put(packer, slice_of(""), true, &packed);
		assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
		z.next_in = (unsigned char *)packed.p + begin;
		z.avail_in = (unsigned)(packed.len - begin);
		z.next_out = out;
		z.avail_out = (unsigned)plain.len + 1;
		assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
		assert_int_equal(z.avail_in, 0);
		assert_int_equal(z.total_out, len);
		assert_memory_equal(out, plain.p, len);
		(void)inflateEnd(&z);
		if (len == 300000)
			assert_in_range(packed.len - begin, 1, len * 8 / 10);
	}
	free(out);
	packer_free(packer);
	buf_release(&plain);
	buf_release(&packed);
}

UNIT(gunzip)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_split),
	    cmocka_unit_test(test_fast), cmocka_unit_test(test_cut),
	    cmocka_unit_test(test_flip), cmocka_unit_test(test_layers),
	    cmocka_unit_test(test_deflate), cmocka_unit_test(test_trailer),
	    cmocka_unit_test(test_trailing), cmocka_unit_test(test_header),
	    cmocka_unit_test(test_members), cmocka_unit_test(test_limits),
	    cmocka_unit_test(test_packer)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
