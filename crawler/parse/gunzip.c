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
 *	MEMBER   stage_inflate   isal or z is in the middle of a member
 *	BETWEEN  stage_between   a member has ended; head may hold 0x1f
 *	PADDING  stage_feed      only zero bytes have followed
 *	PLAIN, IGNORE  stage_feed  the document itself; bytes of no use
 *
 * zlib is the inflater of record.  ISA-L takes a third of the time, but takes
 * some streams that zlib refuses, and does not say what is wrong with others.
 * It unpacks the members of a caller who can read the body again.
 */
#include "crawler/parse/gunzip.h"

#define ZLIB_CONST
#include <assert.h>
#include <isa-l.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"

#define STAGES 3 /* the third only detects a layer too many */
/* What zlib makes at once.  The size was measured: with a quarter of it a
 * reading takes 3 % more CPU, because zlib is slow near the end of a buffer and
 * copies its window each time. */
#define ZLIB_OUT 131072
/* What ISA-L makes at once: digest and parser find it in the first cache. */
#define ISAL_OUT 16384
/* Level 2 packs a page of 20 kB in 58 us to 8,121 bytes, level 1 in 54 to
 * 8,183, level 3 in 80 to 8,043; libdeflate at level 1 in 100 to 8,036, a kept
 * stream of zlib at level 6 in 460 to 7,922. */
#define ISAL_LEVEL 2
#define ISAL_LEVEL_BYTES ISAL_DEF_LVL2_DEFAULT
#define PACKED_AT_ONCE 32768

/* ISA-L is loaded by the first process that unpacks something with it. */
/* clang-format off */
#define FUNCTIONS(F) \
	F(isal_inflate_init) F(isal_inflate) F(isal_deflate_init) \
	F(isal_deflate)
/* clang-format on */

static struct {
	FUNCTIONS(LATE_POINTER)
} igzip;

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
	struct inflate_state *isal; /* owned; NULL: zlib unpacks */
	char head[2];
	unsigned head_len;
	uint32_t members;
	uint64_t idle_bytes; /* bytes read since the last byte of output */
	uint64_t out_bytes;
	unsigned char *out; /* owned; out_size bytes, NULL until needed */
	unsigned out_size;
};

struct gunzip {
	struct gunzip_options options;
	struct stage stages[STAGES];
	bool is_gzip_sent; /* Content-Encoding says gzip */
	bool is_deflate_sent; /* Content-Encoding says deflate */
	struct slice unknown_coding;
	struct slice
	    misnamed; /* what Content-Encoding says, and is no coding */
	bool is_stopped; /* out refused more bytes */
	bool has_many_members;
	bool has_garbage;
	uint64_t total;
};

static bool stage_feed(struct gunzip *, unsigned i, struct slice bytes);

static bool
gunzip_fail(struct gunzip *gunzip, enum diag_code code, struct slice detail)
{
	if (gunzip->options.outcome->failure == DIAG_OK) {
		gunzip->options.outcome->failure = code;
		diag_emit(gunzip->options.sink, code, detail);
	}
	return false;
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

/* gunzip_is_among(name, names, count): is it one of these, in any case? */
static bool
gunzip_is_among(struct slice name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal_nocase(name, slice_of(names[i])))
			return true;
	return false;
}

void
gunzip_warm(void)
{
	late_load("libisal.so.2", LATE_NAMES(FUNCTIONS), &igzip);
}

struct gunzip *
gunzip_new(const struct gunzip_options *options)
{
	/* IANA registers most of these codings; servers send the others all the
	 * same. */
	static const char *const codings[] = {"aes128gcm", "br", "brotli",
	    "bzip2", "compress", "dcb", "dcz", "exi", "lz4", "lzma",
	    "pack200-gzip", "sdch", "snappy", "x-bzip2", "x-compress", "xz",
	    "zstd"};
	struct gunzip *gunzip = mem_zero(sizeof(*gunzip));

	gunzip->options = *options;
	*options->outcome = (struct gunzip_outcome){0};
	if (options->is_fast)
		gunzip_warm();
	/* SPEC R-79: which codings Content-Encoding names, in any order. */
	struct slice rest = gunzip->options.content_encoding;

	struct slice coding;

	while (slice_cut(&rest, ',', &coding)) {
		if (slice_equal_nocase(coding, slice_of("gzip")) ||
		    slice_equal_nocase(coding, slice_of("x-gzip")))
			gunzip->is_gzip_sent = true;
		else if (slice_equal_nocase(coding, slice_of("deflate")))
			gunzip->is_deflate_sent = true;
		else if (gunzip_is_among(coding, codings,
			     sizeof(codings) / sizeof(codings[0])))
			gunzip->unknown_coding = coding;
		else if (coding.len > 0 &&
		    !slice_equal_nocase(coding, slice_of("identity")))
			gunzip->misnamed = coding;
	}

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
		free(gunzip->stages[i].isal);
		free(gunzip->stages[i].out);
	}
	free(gunzip);
}

static void
stage_start(struct stage *stage, bool is_fast, int window_bits)
{
	int rc;

	if (is_fast) {
		stage->isal = mem_alloc(sizeof(*stage->isal));
		igzip.isal_inflate_init(stage->isal);
		/* Both libraries check the header of a member, and its
		 * trailer. */
		stage->isal->crc_flag = ISAL_GZIP;
	} else {
		stage->z.zalloc = z_alloc;
		stage->z.zfree = z_free;
		rc = inflateInit2(&stage->z, window_bits);
		assert(rc == Z_OK);
		stage->has_z = true;
	}
	stage->out_size = is_fast ? ISAL_OUT : ZLIB_OUT;
	stage->out = mem_alloc(stage->out_size);
	stage->state = STAGE_MEMBER;
	stage->members = 1;
}

static bool
enter_gzip(struct gunzip *gunzip, unsigned i)
{
	static const char *const types[] = {"application/gzip",
	    "application/x-gzip", "application/x-gunzip",
	    "application/gzip-compressed"};
	unsigned allowed = gunzip->is_gzip_sent || gunzip->is_deflate_sent ? 2
									   : 1;
	struct slice rest = gunzip->options.content_type;
	struct slice type = slice_of(NULL);

	/* The type ends where its parameters begin. */
	(void)slice_cut(&rest, ';', &type);
	if (i >= allowed)
		return gunzip_fail(
		    gunzip, DIAG_GZIP_TOO_MANY_LAYERS, slice_of(NULL));
	/* Stage i is a gzip layer; report what is odd about it. */
	bool is_transport = i == 0 && gunzip->is_gzip_sent;

	if (i == 0 && !gunzip->is_gzip_sent &&
	    (gunzip->is_deflate_sent || gunzip->misnamed.len > 0))
		diag_emit(gunzip->options.sink, DIAG_CONTENT_ENCODING_MISMATCH,
		    slice_of(NULL));
	else if (i == 1 && gunzip->is_gzip_sent)
		diag_emit(
		    gunzip->options.sink, DIAG_GZIP_DOUBLE, slice_of(NULL));
	else if (!is_transport &&
	    !slice_ends_nocase(gunzip->options.path, slice_of(".gz")) &&
	    !gunzip_is_among(type, types, sizeof(types) / sizeof(types[0])))
		diag_emit(
		    gunzip->options.sink, DIAG_GZIP_UNDECLARED, slice_of(NULL));
	gunzip->options.outcome->layers++;

	gunzip->stages[i].is_gzip = true;
	stage_start(&gunzip->stages[i], gunzip->options.is_fast, 15 + 16);
	return true;
}

/* enter_plain(gunzip, i): an empty body is plain, too, but contradicts neither
 * the header nor the file name. */
static void
enter_plain(struct gunzip *gunzip, unsigned i)
{
	/* SPEC R-85: the header is wrong, and the body is taken as it is. */
	if (i == 0 && (gunzip->is_gzip_sent || gunzip->misnamed.len > 0))
		diag_emit(gunzip->options.sink, DIAG_CONTENT_ENCODING_MISMATCH,
		    slice_of(NULL));
	if (gunzip->options.outcome->layers == 0 &&
	    slice_ends_nocase(gunzip->options.path, slice_of(".gz")))
		diag_emit(gunzip->options.sink, DIAG_GZ_EXTENSION_NOT_GZIP,
		    slice_of(NULL));
	gunzip->stages[i].state = STAGE_PLAIN;
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
	/* The first bytes of a zlib stream (RFC 1950); many servers send raw
	 * deflate instead. */
	unsigned cmf = (unsigned char)stage->head[0];
	unsigned flg = (unsigned char)stage->head[1];
	bool is_zlib = (cmf & 15) == 8 && cmf >> 4 <= 7 &&
	    (cmf << 8 | flg) % 31 == 0;
	/* A text can begin with a byte order mark. */
	bool is_text = cmf >= ' ' || memchr("\t\n\f\r", (int)cmf, 4) != NULL;

	if (slice_is(head, GUNZIP_MAGIC)) {
		if (!enter_gzip(gunzip, i))
			return false;
	} else if (is_deflate) {
		stage_start(stage, false, is_zlib ? 15 : -15);
	} else if (i == 0 && gunzip->misnamed.len > 0 && !is_text) {
		/* The body is in a coding that cannot be undone. */
		return gunzip_fail(
		    gunzip, DIAG_UNSUPPORTED_ENCODING, gunzip->misnamed);
	} else {
		enter_plain(gunzip, i);
	}
	stage->head_len = 0;
	return stage_feed(gunzip, i, head);
}

#ifdef __x86_64__
/* ISA-L's CRC for AVX-512 leaves the upper halves of vector registers in use,
 * and its authors leave it to their callers to clear them
 * (github.com/intel/isa-l/issues/24). Until then, all that the compiler makes
 * of SSE, as digest, scanner and URLs, is slower: a first consume took 14 %
 * more CPU on an AMD EPYC. C has no word for it. */
__attribute__((target("avx"))) static void
clear_upper_halves(void)
{
	__builtin_ia32_vzeroupper();
}
#endif

static void
mend_registers(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx"))
		clear_upper_halves();
#endif
}

/* What came of one call of a library. */
enum unpacked { UNPACKED_MORE, UNPACKED_END, UNPACKED_FAULT };

/* stage_zlib(stage, bytes, made): unpack some of *bytes to stage->out, where it
 * made so many bytes; *bytes becomes what follows. */
static enum unpacked
stage_zlib(struct stage *stage, struct slice *bytes, size_t *made)
{
	z_stream *z = &stage->z;
	unsigned part = bytes->len < UINT_MAX ? (unsigned)bytes->len : UINT_MAX;
	int rc;

	z->next_in = (const unsigned char *)bytes->p;
	z->avail_in = part;
	z->next_out = stage->out;
	z->avail_out = stage->out_size;
	rc = inflate(z, Z_NO_FLUSH);
	*bytes = slice_from(*bytes, part - z->avail_in);
	*made = stage->out_size - z->avail_out;
	if (rc == Z_STREAM_END)
		return UNPACKED_END;
	return rc == Z_OK || rc == Z_BUF_ERROR ? UNPACKED_MORE : UNPACKED_FAULT;
}

/* The same with ISA-L. */
static enum unpacked
stage_isal(struct stage *stage, struct slice *bytes, size_t *made)
{
	struct inflate_state *isal = stage->isal;
	unsigned part = bytes->len < UINT_MAX ? (unsigned)bytes->len : UINT_MAX;
	int rc;

	isal->next_in = (uint8_t *)(uintptr_t)bytes->p; /* it is only read */
	isal->avail_in = part;
	isal->next_out = stage->out;
	isal->avail_out = stage->out_size;
	rc = igzip.isal_inflate(isal);
	mend_registers();
	*bytes = slice_from(*bytes, part - isal->avail_in);
	*made = stage->out_size - isal->avail_out;
	if (rc != ISAL_DECOMP_OK)
		return UNPACKED_FAULT;
	return isal->block_state == ISAL_BLOCK_FINISH ? UNPACKED_END
						      : UNPACKED_MORE;
}

static bool
stage_inflate(struct gunzip *gunzip, unsigned i, struct slice *bytes)
{
	struct stage *stage = &gunzip->stages[i];
	enum unpacked unpacked;
	size_t made;

	do {
		size_t before = bytes->len;

		unpacked = stage->isal != NULL
		    ? stage_isal(stage, bytes, &made)
		    : stage_zlib(stage, bytes, &made);
		stage->idle_bytes = made > 0
		    ? 0
		    : stage->idle_bytes + before - bytes->len;
		stage->out_bytes += made;
		if (made > 0 &&
		    !stage_feed(gunzip, i + 1,
			slice_make((const char *)stage->out, made)))
			return false;
		/* SPEC R-86: the output of a layer is limited even if the next
		 * layer unpacks to less. */
		if (stage->out_bytes > gunzip->options.max_bytes)
			return gunzip_fail(
			    gunzip, DIAG_FILE_TOO_LARGE, slice_of(NULL));
		if (stage->idle_bytes > gunzip->options.limits->max_idle_input)
			return gunzip_fail(gunzip, DIAG_COMPRESSION_ERROR,
			    slice_of("no output from much input"));
		if (unpacked == UNPACKED_FAULT)
			return gunzip_fail(gunzip, DIAG_COMPRESSION_ERROR,
			    slice_of(stage->z.msg));
	} while (unpacked == UNPACKED_MORE &&
	    (bytes->len > 0 || made == stage->out_size));
	if (unpacked == UNPACKED_END)
		stage->state = stage->is_gzip ? STAGE_BETWEEN : STAGE_PADDING;
	return true;
}

static void
stage_garbage(struct gunzip *gunzip, struct stage *stage)
{
	if (!gunzip->has_garbage)
		diag_emit(gunzip->options.sink, DIAG_GZIP_TRAILING_GARBAGE,
		    slice_of(NULL));
	gunzip->has_garbage = true;
	stage->state = STAGE_IGNORE;
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
			stage->state = STAGE_PADDING;
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
		return gunzip_fail(gunzip, DIAG_COMPRESSION_ERROR,
		    slice_of("too many gzip members"));
	if (!gunzip->has_many_members)
		diag_emit(gunzip->options.sink, DIAG_GZIP_MULTIMEMBER,
		    slice_of(NULL));
	gunzip->has_many_members = true;
	if (stage->isal != NULL) {
		igzip.isal_inflate_init(stage->isal);
		stage->isal->crc_flag = ISAL_GZIP;
	} else {
		int rc = inflateReset(&stage->z);
		assert(rc == Z_OK);
	}
	stage->state = STAGE_MEMBER;
	return stage_feed(gunzip, i, slice_of(GUNZIP_MAGIC));
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
			while (bytes.len > 0 && bytes.p[0] == 0)
				bytes = slice_from(bytes, 1);
			if (bytes.len > 0)
				stage_garbage(gunzip, stage);
			break;
		case STAGE_PLAIN: {
			/* SPEC R-38: max_bytes pass, one more byte is too many.
			 */
			uint64_t room = gunzip->options.max_bytes -
			    gunzip->total;
			bool is_over = bytes.len > room;

			if (is_over)
				bytes.len = (size_t)room;
			gunzip->total += bytes.len;
			if (bytes.len > 0 &&
			    !gunzip->options.out(gunzip->options.arg, bytes)) {
				gunzip->is_stopped = true;
				return false;
			}
			return is_over
			    ? gunzip_fail(
				  gunzip, DIAG_FILE_TOO_LARGE, slice_of(NULL))
			    : true;
		}
		case STAGE_IGNORE:
			return true;
		}
	}
	return ok;
}

bool
gunzip_feed(struct gunzip *gunzip, struct slice bytes)
{
	if (gunzip->options.outcome->failure != DIAG_OK || gunzip->is_stopped)
		return false;
	/* Does the header name only codings that are supported?  The test needs
	 * no byte of the body. */
	if (gunzip->unknown_coding.len > 0)
		return gunzip_fail(
		    gunzip, DIAG_UNSUPPORTED_ENCODING, gunzip->unknown_coding);
	if (gunzip->is_gzip_sent && gunzip->is_deflate_sent)
		return gunzip_fail(
		    gunzip, DIAG_GZIP_TOO_MANY_LAYERS, slice_of(NULL));
	return stage_feed(gunzip, 0, bytes);
}

bool
gunzip_finish(struct gunzip *gunzip)
{
	/* The codings are judged even if there was no body. */
	if (!gunzip_feed(gunzip, slice_of(NULL)))
		return false;
	for (unsigned i = 0; i < STAGES; i++) {
		struct stage *stage = &gunzip->stages[i];

		if (stage->state == STAGE_MEMBER ||
		    (stage->state == STAGE_SNIFF && stage->head_len > 0))
			(void)gunzip_fail(
			    gunzip, DIAG_GZIP_TRUNCATED, slice_of(NULL));
		else if (stage->state == STAGE_BETWEEN && stage->head_len > 0)
			stage_garbage(gunzip, stage);
		else if (stage->state == STAGE_SNIFF && i == 0)
			enter_plain(gunzip, i);
	}
	return gunzip->options.outcome->failure == DIAG_OK;
}

void
gunzip_libraries(struct library libraries[GUNZIP_LIBRARIES])
{
	char isal[48];

	(void)snprintf(isal, sizeof(isal), "%d.%d.%d", ISAL_MAJOR_VERSION,
	    ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
	libraries[0] = library_make("zlib", ZLIB_VERSION, zlibVersion());
	libraries[1] = library_make("ISA-L", isal, "");
}

void
gunzip_pack(struct slice bytes, struct buf *out)
{
	z_stream z = {.next_in = (const unsigned char *)bytes.p,
	    .avail_in = (unsigned)bytes.len,
	    .zalloc = z_alloc,
	    .zfree = z_free};

	/* the format of gzip; a window of 32 KiB, as most have it */
	(void)deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS,
	    8, Z_DEFAULT_STRATEGY);
	(void)buf_reserve(out, deflateBound(&z, bytes.len));
	z.next_out = (unsigned char *)out->p + out->len;
	z.avail_out = (unsigned)(out->cap - out->len);
	(void)deflate(&z, Z_FINISH);
	out->len += z.total_out;
	(void)deflateEnd(&z);
}

struct packer {
	struct isal_zstream z;
	uint8_t level[ISAL_LEVEL_BYTES];
};

struct packer *
packer_new(void)
{
	gunzip_warm();
	return mem_alloc(sizeof(struct packer));
}

void
packer_free(struct packer *packer)
{
	free(packer);
}

void
packer_begin(struct packer *packer, struct slice extra, struct buf *out)
{
	/* RFC 1952: deflate, no name and no time, of an unknown system. */
	char header[PACKER_EXTRA] = {'\x1f', '\x8b', 8, extra.len > 0 ? 4 : 0,
	    0, 0, 0, 0, 0, '\xff', (char)(extra.len & 0xff),
	    (char)(extra.len >> 8)};

	(void)buf_put(out, header, extra.len > 0 ? sizeof(header) : 10);
	(void)buf_put_slice(out, extra);
	igzip.isal_deflate_init(&packer->z);
	packer->z.level = ISAL_LEVEL;
	packer->z.level_buf = packer->level;
	packer->z.level_buf_size = sizeof(packer->level);
	packer->z.gzip_flag = IGZIP_GZIP_NO_HDR; /* but its trailer */
}

void
packer_put(
    struct packer *packer, struct slice bytes, bool is_last, struct buf *out)
{
	struct isal_zstream *z = &packer->z;

	z->next_in = (uint8_t *)(uintptr_t)bytes.p; /* it is only read */
	z->avail_in = (uint32_t)bytes.len;
	z->end_of_stream = is_last;
	do {
		bool has_room = buf_reserve(out, PACKED_AT_ONCE);

		assert(has_room);
		z->next_out = (uint8_t *)out->p + out->len;
		z->avail_out = PACKED_AT_ONCE;
		(void)igzip.isal_deflate(z);
		out->len += PACKED_AT_ONCE - z->avail_out;
	} while (is_last ? z->internal_state.state != ZSTATE_END
			 : z->avail_out == 0 || z->avail_in > 0);
	mend_registers();
}
