/*
 * Up to two gzip layers, each a stage. A stage looks at the first bytes that
 * reach it: they are the document itself, or a gzip member that it unpacks for
 * the next stage.
 *
 *	SNIFF --magic--> MEMBER <--magic-- BETWEEN --zero--> PADDING
 *	  |                 '--trailer------^  |               |
 *	  |                                  other           other
 *	  '--other--> PLAIN                    '---> IGNORE <--'
 *
 *	SNIFF    stage_sniff     at most two bytes are held in head
 *	MEMBER   stage_inflate   z is in the middle of a member
 *	BETWEEN  stage_between   a member has ended; head may hold 0x1f
 *	PADDING  stage_padding   only zero bytes have followed
 *	PLAIN, IGNORE  stage_feed  the document itself; bytes of no use
 *
 * The CRC of a member is libdeflate's, which is four times as fast as zlib's.
 * zlib checks the header of a member, its trailer is checked here.
 *
 * If the caller has all of a body, inflate.c unpacks its first member, and the
 * stage goes on behind it. Nearly all bodies are one member, without a fault;
 * if there is one, zlib reads the member again, and says what is wrong.
 */
#include "crawler/parse/gunzip.h"

#define ZLIB_CONST
#include <assert.h>
#include <libdeflate.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "crawler/parse/inflate.h"

#define STAGES 3 /* the third only detects a layer too many */
#define HEADER_BYTES 10 /* of a gzip member, without a file name */
#define TRAILER_BYTES 8 /* of a gzip member: CRC and length, little-endian */
/*
 * The size was measured: with a quarter of it a reading takes 3 % more CPU,
 * because zlib is slow near the end of a buffer and copies its window each
 * time.
 */
#define STAGE_OUT 131072
/* The CRC, the digest and the parser take turns at so much of what inflate.c
 * unpacked, so that it stays in the first cache. */
#define TURN 16384

enum stage_state {
	STAGE_SNIFF,
	STAGE_MEMBER,
	STAGE_BETWEEN,
	STAGE_PADDING,
	STAGE_PLAIN,
	STAGE_IGNORE
};

struct stage {
	enum stage_state state;
	bool is_gzip; /* false: deflate, one stream without magic bytes */
	bool has_z; /* inflateEnd must be called for z */
	z_stream z;
	gz_header header; /* of the member at hand: zlib has read it, if done */
	bool has_header; /* zlib has read the header of the member */
	uint32_t crc; /* of the member so far, as its length */
	uint32_t length;
	unsigned char trailer[TRAILER_BYTES]; /* the last bytes of input */
	char head[2];
	unsigned head_len;
	uint32_t members;
	uint64_t idle_bytes; /* bytes read since the last byte of output */
	uint64_t out_bytes;
	uint64_t again_bytes; /* of output that the next stage has already */
	unsigned char *out; /* owned; STAGE_OUT bytes, NULL until needed */
};

struct gunzip {
	struct gunzip_options options;
	struct stage stages[STAGES];
	bool is_gzip_sent; /* Content-Encoding says gzip */
	bool is_deflate_sent; /* Content-Encoding says deflate */
	struct slice unknown_coding;
	struct slice
	    misnamed; /* what Content-Encoding says, and is no coding */
	enum diag_code failure;
	bool is_stopped; /* out refused more bytes */
	bool is_finished;
	bool has_many_members;
	bool has_garbage;
	unsigned layers;
	uint64_t total;
};

static bool stage_feed(struct gunzip *, unsigned i, struct slice bytes);

static void
enter(struct stage *stage, enum stage_state state)
{
	stage->state = state;
}

static bool
fail(struct gunzip *gunzip, enum diag_code code, const char *detail)
{
	if (gunzip->failure == DIAG_OK) {
		gunzip->failure = code;
		diag_emit(gunzip->options.sink, code, slice_of(detail));
	}
	return false;
}

/* refuse(gunzip, coding): the body is in a coding that cannot be undone. */
static bool
refuse(struct gunzip *gunzip, struct slice coding)
{
	gunzip->failure = DIAG_UNSUPPORTED_ENCODING;
	diag_emit(gunzip->options.sink, gunzip->failure, coding);
	return false;
}

static void
note(struct gunzip *gunzip, enum diag_code code)
{
	diag_emit(gunzip->options.sink, code, slice_of(NULL));
}

static void *
z_alloc(void *arg, unsigned items, unsigned size)
{
	(void)arg;
	return mem_alloc((size_t)items * size);
}

static void
z_free(void *arg, void *p)
{
	(void)arg;
	free(p);
}

static bool
is_gzip_type(struct slice content_type)
{
	static const char *const types[] = {"application/gzip",
	    "application/x-gzip", "application/x-gunzip",
	    "application/gzip-compressed"};
	size_t n = 0;

	while (n < content_type.len && content_type.p[n] != ';')
		n++;
	struct slice type = slice_trim(slice_make(content_type.p, n));
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (slice_equal_nocase(type, slice_of(types[i])))
			return true;
	return false;
}

/* is_coding(name): is there such a content coding? IANA registers most of these
 * names; servers send the others all the same. */
static bool
is_coding(struct slice name)
{
	static const char *const codings[] = {"aes128gcm", "br", "brotli",
	    "bzip2", "compress", "dcb", "dcz", "exi", "lz4", "lzma",
	    "pack200-gzip", "sdch", "snappy", "x-bzip2", "x-compress", "xz",
	    "zstd"};

	for (size_t i = 0; i < sizeof(codings) / sizeof(codings[0]); i++)
		if (slice_equal_nocase(name, slice_of(codings[i])))
			return true;
	return false;
}

/* read_codings(gunzip): SPEC R-79: which codings Content-Encoding names, in any
 * order. */
static void
read_codings(struct gunzip *gunzip)
{
	struct slice rest = gunzip->options.content_encoding;

	while (rest.len > 0) {
		size_t n = 0;

		while (n < rest.len && rest.p[n] != ',')
			n++;
		struct slice coding = slice_trim(slice_make(rest.p, n));
		rest = slice_from(rest, n < rest.len ? n + 1 : n);
		if (slice_equal_nocase(coding, slice_of("gzip")) ||
		    slice_equal_nocase(coding, slice_of("x-gzip")))
			gunzip->is_gzip_sent = true;
		else if (slice_equal_nocase(coding, slice_of("deflate")))
			gunzip->is_deflate_sent = true;
		else if (is_coding(coding))
			gunzip->unknown_coding = coding;
		else if (coding.len > 0 &&
		    !slice_equal_nocase(coding, slice_of("identity")))
			gunzip->misnamed = coding;
	}
}

struct gunzip *
gunzip_new(const struct gunzip_options *options)
{
	struct gunzip *gunzip = mem_zero(sizeof(*gunzip));

	gunzip->options = *options;
	read_codings(gunzip);
	return gunzip;
}

void
gunzip_free(struct gunzip *gunzip)
{
	if (gunzip == NULL)
		return;
	for (unsigned i = 0; i < STAGES; i++) {
		if (gunzip->stages[i].has_z)
			(void)inflateEnd(&gunzip->stages[i].z);
		free(gunzip->stages[i].out);
	}
	free(gunzip);
}

/*
 * deliver(gunzip, bytes): SPEC R-38: max_bytes pass, one more byte is too many.
 */
static bool
deliver(struct gunzip *gunzip, struct slice bytes)
{
	uint64_t room = gunzip->options.max_bytes - gunzip->total;
	bool is_over = bytes.len > room;

	if (is_over)
		bytes.len = (size_t)room;
	gunzip->total += bytes.len;
	if (bytes.len > 0 && !gunzip->options.out(gunzip->options.arg, bytes)) {
		gunzip->is_stopped = true;
		return false;
	}
	return is_over ? fail(gunzip, DIAG_FILE_TOO_LARGE, NULL) : true;
}

/* Prepare for the header of a gzip member. */
static void
begin_member(struct stage *stage)
{
	int rc;

	stage->header.done = 0;
	stage->has_header = false;
	stage->crc = stage->length = 0;
	rc = inflateGetHeader(&stage->z, &stage->header);
	assert(rc == Z_OK);
	rc = inflateValidate(&stage->z, 1);
	assert(rc == Z_OK);
}

static void
stage_start(struct stage *stage, int window_bits)
{
	stage->z.zalloc = z_alloc;
	stage->z.zfree = z_free;
	int rc = inflateInit2(&stage->z, window_bits);
	assert(rc == Z_OK);
	stage->has_z = true;
	if (stage->is_gzip)
		begin_member(stage);
	stage->out = mem_alloc(STAGE_OUT);
	enter(stage, STAGE_MEMBER);
	stage->members = 1;
}

/* note_layer(gunzip, i): stage i is a gzip layer; report what is odd about it.
 */
static void
note_layer(struct gunzip *gunzip, unsigned i)
{
	bool is_transport = i == 0 && gunzip->is_gzip_sent;

	if (i == 0 && !gunzip->is_gzip_sent &&
	    (gunzip->is_deflate_sent || gunzip->misnamed.len > 0))
		note(gunzip, DIAG_CONTENT_ENCODING_MISMATCH);
	else if (i == 1 && gunzip->is_gzip_sent)
		note(gunzip, DIAG_GZIP_DOUBLE);
	else if (!is_transport &&
	    !slice_ends_nocase(gunzip->options.path, slice_of(".gz")) &&
	    !is_gzip_type(gunzip->options.content_type))
		note(gunzip, DIAG_GZIP_UNDECLARED);
	gunzip->layers++;
}

static bool
enter_gzip(struct gunzip *gunzip, unsigned i)
{
	unsigned allowed = gunzip->is_gzip_sent || gunzip->is_deflate_sent ? 2
									   : 1;

	if (i >= allowed)
		return fail(gunzip, DIAG_GZIP_TOO_MANY_LAYERS, NULL);
	note_layer(gunzip, i);
	gunzip->stages[i].is_gzip = true;
	stage_start(&gunzip->stages[i], 15 + 16);
	return true;
}

/* enter_plain(gunzip, i): an empty body is plain, too, but contradicts neither
 * the header nor the file name. */
static void
enter_plain(struct gunzip *gunzip, unsigned i)
{
	/* SPEC R-85: the header is wrong, and the body is taken as it is. */
	if (i == 0 && (gunzip->is_gzip_sent || gunzip->misnamed.len > 0))
		note(gunzip, DIAG_CONTENT_ENCODING_MISMATCH);
	if (gunzip->layers == 0 &&
	    slice_ends_nocase(gunzip->options.path, slice_of(".gz")))
		note(gunzip, DIAG_GZ_EXTENSION_NOT_GZIP);
	enter(&gunzip->stages[i], STAGE_PLAIN);
}

/* is_zlib_head(head): are these the first bytes of a zlib stream (RFC 1950)?
 * Many servers send raw deflate instead. */
static bool
is_zlib_head(const char *head)
{
	unsigned cmf = (unsigned char)head[0];
	unsigned flg = (unsigned char)head[1];

	return (cmf & 15) == 8 && cmf >> 4 <= 7 && (cmf << 8 | flg) % 31 == 0;
}

/* begins_text(c): can a text begin with this byte? A byte order mark can. */
static bool
begins_text(char c)
{
	return (unsigned char)c >= ' ' || memchr("\t\n\f\r", c, 4) != NULL;
}

static bool
stage_sniff(struct gunzip *gunzip, unsigned i, struct slice *bytes)
{
	struct stage *stage = &gunzip->stages[i];
	bool is_deflate = i == 0 && gunzip->is_deflate_sent &&
	    !gunzip->is_gzip_sent;

	while (stage->head_len < 2 && bytes->len > 0) {
		stage->head[stage->head_len++] = bytes->p[0];
		*bytes = slice_from(*bytes, 1);
	}
	if (stage->head_len < 2 && (is_deflate || stage->head[0] == '\x1f'))
		return true;
	struct slice head = {stage->head, stage->head_len};
	if (slice_is(head, GUNZIP_MAGIC)) {
		if (!enter_gzip(gunzip, i))
			return false;
	} else if (is_deflate) {
		stage_start(stage, is_zlib_head(head.p) ? 15 : -15);
	} else if (i == 0 && gunzip->misnamed.len > 0 &&
	    !begins_text(head.p[0])) {
		return refuse(gunzip, gunzip->misnamed);
	} else {
		enter_plain(gunzip, i);
	}
	stage->head_len = 0;
	return stage_feed(gunzip, i, head);
}

/* stage_emit(gunzip, i, bytes): some output of stage i. */
static bool
stage_emit(struct gunzip *gunzip, unsigned i, struct slice bytes)
{
	struct stage *stage = &gunzip->stages[i];
	size_t again = bytes.len < stage->again_bytes
	    ? bytes.len
	    : (size_t)stage->again_bytes;

	stage->idle_bytes = 0;
	stage->out_bytes += bytes.len;
	stage->again_bytes -= again;
	if (!stage_feed(gunzip, i + 1, slice_from(bytes, again)))
		return false;
	/* SPEC R-86: the output of a layer is limited even if the next layer
	 * unpacks to less. */
	if (stage->out_bytes > gunzip->options.max_bytes)
		return fail(gunzip, DIAG_FILE_TOO_LARGE, NULL);
	return true;
}

/* Add some output to what the trailer is about. */
static void
count_output(struct stage *stage, struct slice bytes)
{
	if (!stage->is_gzip)
		return;
	stage->crc = libdeflate_crc32(stage->crc, bytes.p, bytes.len);
	stage->length += (uint32_t)bytes.len;
}

/* Is the header of the member not yet read? With Z_BLOCK, zlib stops behind it.
 */
static bool
in_header(const struct stage *stage)
{
	return stage->is_gzip && !stage->has_header;
}

/* If zlib is past the header of the member, leave the trailer to
 * check_trailer(). */
static void
take_check(struct stage *stage)
{
	int rc;

	if (!in_header(stage) || stage->header.done != 1)
		return;
	rc = inflateValidate(&stage->z, 0);
	assert(rc == Z_OK);
	stage->has_header = true;
}

/* Keep the last bytes of the input, which may end inside a trailer. */
static void
keep_trailer(struct stage *stage, const char *p, size_t n)
{
	unsigned char *trailer = stage->trailer;

	if (n >= TRAILER_BYTES) {
		memcpy(trailer, p + n - TRAILER_BYTES, TRAILER_BYTES);
		return;
	}
	memmove(trailer, trailer + n, TRAILER_BYTES - n);
	memcpy(trailer + TRAILER_BYTES - n, p, n);
}

static uint32_t
little_endian(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	    (uint32_t)p[3] << 24;
}

/* The texts are zlib's. */
static bool
check_trailer(struct gunzip *gunzip, const struct stage *stage)
{
	if (!stage->is_gzip)
		return true;
	if (little_endian(stage->trailer) != stage->crc)
		return fail(
		    gunzip, DIAG_COMPRESSION_ERROR, "incorrect data check");
	if (little_endian(stage->trailer + 4) != stage->length)
		return fail(
		    gunzip, DIAG_COMPRESSION_ERROR, "incorrect length check");
	return true;
}

static bool
stage_inflate(struct gunzip *gunzip, unsigned i, struct slice *bytes)
{
	struct stage *stage = &gunzip->stages[i];
	z_stream *z = &stage->z;
	uInt part = bytes->len < UINT_MAX ? (uInt)bytes->len : UINT_MAX;
	int rc;

	z->next_in = (const unsigned char *)bytes->p;
	z->avail_in = part;
	do {
		unsigned before = z->avail_in;

		z->next_out = stage->out;
		z->avail_out = STAGE_OUT;
		rc = inflate(z, in_header(stage) ? Z_BLOCK : Z_NO_FLUSH);
		struct slice output = slice_make(
		    (const char *)stage->out, STAGE_OUT - z->avail_out);
		if (output.len > 0)
			count_output(stage, output);
		if (rc == Z_OK)
			take_check(stage);
		if (output.len > 0) {
			if (!stage_emit(gunzip, i, output))
				return false;
		} else {
			stage->idle_bytes += before - z->avail_in;
		}
		if (stage->idle_bytes > gunzip->options.limits->max_idle_input)
			return fail(gunzip, DIAG_COMPRESSION_ERROR,
			    "no output from much input");
		if (rc != Z_OK && rc != Z_BUF_ERROR && rc != Z_STREAM_END)
			return fail(gunzip, DIAG_COMPRESSION_ERROR, z->msg);
	} while (rc != Z_STREAM_END && (z->avail_in > 0 || z->avail_out == 0));
	keep_trailer(stage, bytes->p, part - z->avail_in);
	*bytes = slice_from(*bytes, part - z->avail_in);
	if (rc != Z_STREAM_END)
		return true;
	enter(stage, stage->is_gzip ? STAGE_BETWEEN : STAGE_PADDING);
	return check_trailer(gunzip, stage);
}

static void
stage_garbage(struct gunzip *gunzip, struct stage *stage)
{
	if (!gunzip->has_garbage)
		note(gunzip, DIAG_GZIP_TRAILING_GARBAGE);
	gunzip->has_garbage = true;
	enter(stage, STAGE_IGNORE);
}

/* stage_between(): SPEC R-83: another member, padding, or bytes that do not
 * belong here. */
static bool
stage_between(struct gunzip *gunzip, unsigned i, struct slice *bytes)
{
	struct stage *stage = &gunzip->stages[i];
	char c = bytes->p[0];

	*bytes = slice_from(*bytes, 1);
	if (stage->head_len == 0) {
		if (c == '\x1f')
			stage->head[stage->head_len++] = c;
		else if (c == 0)
			enter(stage, STAGE_PADDING);
		else
			stage_garbage(gunzip, stage);
		return true;
	}
	stage->head_len = 0;
	if (c != '\x8b') {
		stage_garbage(gunzip, stage);
		return true;
	}
	if (++stage->members > gunzip->options.limits->max_members)
		return fail(
		    gunzip, DIAG_COMPRESSION_ERROR, "too many gzip members");
	if (!gunzip->has_many_members)
		note(gunzip, DIAG_GZIP_MULTIMEMBER);
	gunzip->has_many_members = true;
	int rc = inflateReset(&stage->z);
	assert(rc == Z_OK);
	begin_member(stage);
	enter(stage, STAGE_MEMBER);
	return stage_feed(gunzip, i, slice_of(GUNZIP_MAGIC));
}

static void
stage_padding(struct gunzip *gunzip, struct stage *stage, struct slice *bytes)
{
	while (bytes->len > 0 && bytes->p[0] == 0)
		*bytes = slice_from(*bytes, 1);
	if (bytes->len > 0)
		stage_garbage(gunzip, stage);
}

static bool
stage_feed(struct gunzip *gunzip, unsigned i, struct slice bytes)
{
	struct stage *stage = &gunzip->stages[i];
	bool ok = true;

	while (ok && bytes.len > 0) {
		switch (stage->state) {
		case STAGE_SNIFF:
			ok = stage_sniff(gunzip, i, &bytes);
			break;
		case STAGE_MEMBER:
			ok = stage_inflate(gunzip, i, &bytes);
			break;
		case STAGE_BETWEEN:
			ok = stage_between(gunzip, i, &bytes);
			break;
		case STAGE_PADDING:
			stage_padding(gunzip, stage, &bytes);
			break;
		case STAGE_PLAIN:
			return deliver(gunzip, bytes);
		case STAGE_IGNORE:
			return true;
		}
	}
	return ok;
}

/* codings_ok(gunzip): does the header name only codings that are supported? The
 * test needs no byte of the body. */
static bool
codings_ok(struct gunzip *gunzip)
{
	struct slice unknown = gunzip->unknown_coding;

	if (gunzip->failure != DIAG_OK || gunzip->is_stopped)
		return false;
	if (unknown.len > 0)
		return refuse(gunzip, unknown);
	if (gunzip->is_gzip_sent && gunzip->is_deflate_sent)
		return fail(gunzip, DIAG_GZIP_TOO_MANY_LAYERS, NULL);
	return true;
}

bool
gunzip_feed(struct gunzip *gunzip, struct slice bytes)
{
	return codings_ok(gunzip) && stage_feed(gunzip, 0, bytes);
}

/* common_header(body): the length of the header if body may begin with a gzip
 * member, and the header has a file name at most; 0: it does not. Other headers
 * have checks of their own, which are zlib's. */
static size_t
common_header(struct slice body)
{
	const unsigned flags_at = 3;
	const char has_name = 8;
	const char *end;

	if (body.len <= HEADER_BYTES + TRAILER_BYTES ||
	    !slice_starts(body, slice_of(GUNZIP_MAGIC "\x08")) ||
	    (body.p[flags_at] & ~has_name) != 0)
		return 0;
	if (body.p[flags_at] == 0)
		return HEADER_BYTES;
	body.len -= TRAILER_BYTES;
	end = memchr(body.p + HEADER_BYTES, '\0', body.len - HEADER_BYTES);
	return end == NULL ? 0 : (size_t)(end + 1 - body.p);
}

/* on_unpacked: takes the output of inflate.c, for the first stage. A gzip file
 * inside is left to zlib: how much its stage reads without any output
 * depends a little on how the output of the first one is cut. */
static bool
on_unpacked(void *arg, struct slice bytes)
{
	struct gunzip *gunzip = arg;
	struct stage *stage = &gunzip->stages[0];

	if (stage->out_bytes == 0 && bytes.p[0] == GUNZIP_MAGIC[0])
		return false;
	while (bytes.len > 0) {
		struct slice turn = slice_make(
		    bytes.p, bytes.len < TURN ? bytes.len : TURN);

		count_output(stage, turn);
		if (!stage_emit(gunzip, 0, turn))
			return false;
		bytes = slice_from(bytes, turn.len);
	}
	return true;
}

/*
 * unpack(gunzip, body, header): unpack the member that body begins with, and
 * which the first stage has entered; *body becomes what follows it. Where
 * inflate.c finds a fault, *body stays, so that zlib reads it from the start.
 * False: no more bytes are wanted.
 */
static bool
unpack(struct gunzip *gunzip, struct slice *body, size_t header)
{
	struct stage *stage = &gunzip->stages[0];
	struct slice rest = slice_from(*body, header);
	size_t used;

	switch (inflate_stream(rest, on_unpacked, gunzip, &used)) {
	case INFLATE_DONE:
		rest = slice_from(rest, used);
		if (rest.len < TRAILER_BYTES)
			break;
		keep_trailer(stage, rest.p, TRAILER_BYTES);
		*body = slice_from(rest, TRAILER_BYTES);
		enter(stage, STAGE_BETWEEN);
		return check_trailer(gunzip, stage);
	case INFLATE_STOPPED:
		if (stage->out_bytes > 0)
			return false;
		break;
	case INFLATE_BAD:
		break;
	}
	stage->again_bytes = stage->out_bytes;
	stage->out_bytes = 0;
	stage->crc = stage->length = 0;
	return true;
}

bool
gunzip_all(struct gunzip *gunzip, struct slice body)
{
	size_t header = common_header(body);

	if (!codings_ok(gunzip))
		return false;
	/* A body that is no longer cannot break the limit, which zlib's stages
	 * check. */
	if (header > 0 && body.len <= gunzip->options.limits->max_idle_input &&
	    (!enter_gzip(gunzip, 0) || !unpack(gunzip, &body, header)))
		return false;
	return stage_feed(gunzip, 0, body);
}

static void
stage_finish(struct gunzip *gunzip, unsigned i)
{
	struct stage *stage = &gunzip->stages[i];

	if (stage->state == STAGE_MEMBER ||
	    (stage->state == STAGE_SNIFF && stage->head_len > 0))
		(void)fail(gunzip, DIAG_GZIP_TRUNCATED, NULL);
	else if (stage->state == STAGE_BETWEEN && stage->head_len > 0)
		stage_garbage(gunzip, stage);
	else if (stage->state == STAGE_SNIFF && i == 0)
		enter_plain(gunzip, i);
}

void
gunzip_finish(struct gunzip *gunzip)
{
	gunzip->is_finished = true;
	if (!codings_ok(gunzip))
		return;
	for (unsigned i = 0; i < STAGES; i++)
		stage_finish(gunzip, i);
}

enum diag_code
gunzip_failure(const struct gunzip *gunzip)
{
	return gunzip->failure;
}

bool
gunzip_is_complete(const struct gunzip *gunzip)
{
	return gunzip->is_finished && !gunzip->is_stopped &&
	    gunzip->failure == DIAG_OK;
}

unsigned
gunzip_layers(const struct gunzip *gunzip)
{
	return gunzip->layers;
}

void
gunzip_libraries(struct library libraries[GUNZIP_LIBRARIES])
{
	struct library *zlib = &libraries[0];
	struct library *deflate = &libraries[1];

	*zlib = (struct library){.name = "zlib"};
	*deflate = (struct library){.name = "libdeflate"};
	(void)snprintf(zlib->built, sizeof(zlib->built), "%s", ZLIB_VERSION);
	(void)snprintf(
	    zlib->running, sizeof(zlib->running), "%s", zlibVersion());
	(void)snprintf(deflate->built, sizeof(deflate->built), "%s",
	    LIBDEFLATE_VERSION_STRING);
	(void)snprintf(deflate->running, sizeof(deflate->running), "%s",
	    LIBDEFLATE_VERSION_STRING);
}
