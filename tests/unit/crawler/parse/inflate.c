/* crawler/parse/inflate.c: it takes what zlib takes, refuses what zlib refuses,
 * and makes the same of it. */
#define ZLIB_CONST
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/buf.h"
#include "crawler/parse/inflate.h"
#include "tests/fixtures/sanitized.h"
#include "tests/unit/unit.h"

#define TEXT_BYTES 700000 /* several pieces */
#define LITERALS 288
#define DISTANCES 32
#define LENGTHS 19
#define END 256

/* Bits, in the order in which a stream has them. */
struct writer {
	struct buf bytes;
	unsigned bit; /* of the last byte, the next one */
};

static void
put_bit(struct writer *writer, unsigned bit)
{
	if (writer->bit == 0)
		(void)buf_put_char(&writer->bytes, '\0');
	writer->bytes.p[writer->bytes.len - 1] |= (char)(bit << writer->bit);
	writer->bit = (writer->bit + 1) % 8;
}

/* put_number(writer, value, n): the lowest bit first. */
static void
put_number(struct writer *writer, unsigned value, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put_bit(writer, value >> i & 1);
}

/* put_bits(writer, bits): "0", "1", and spaces for those who read them. */
static void
put_bits(struct writer *writer, const char *bits)
{
	for (; *bits != '\0'; bits++)
		if (*bits != ' ')
			put_bit(writer, *bits == '1');
}

static bool
on_out(void *arg, struct slice bytes)
{
	assert_true(bytes.len > 0);
	return buf_put_slice(arg, bytes);
}

/* reference(stream, text, used): what zlib makes of it; true: all is well. */
static bool
reference(struct slice stream, struct buf *text, size_t *used)
{
	static unsigned char piece[65536];
	z_stream z = {0};
	int rc = inflateInit2(&z, -15);

	assert_int_equal(rc, Z_OK);
	z.next_in = (const unsigned char *)stream.p;
	z.avail_in = (unsigned)stream.len;
	do {
		z.next_out = piece;
		z.avail_out = sizeof(piece);
		rc = inflate(&z, Z_NO_FLUSH);
		(void)buf_put(text, piece, sizeof(piece) - z.avail_out);
	} while (rc == Z_OK);
	*used = stream.len - z.avail_in;
	(void)inflateEnd(&z);
	return rc == Z_STREAM_END;
}

/* check(stream): zlib and inflate.c agree. Returns what they say. */
static bool
check(struct slice stream)
{
	struct buf text, expected;
	size_t used = 0, expected_used;
	/* a copy of its own, whose end a sanitizer watches */
	char *copy = test_malloc(stream.len + 1);
	enum inflate_end end;
	bool is_good;

	if (stream.len > 0)
		memcpy(copy + 1, stream.p, stream.len);
	stream.p = copy + 1;
	buf_init(&text, 64 << 20);
	buf_init(&expected, 64 << 20);
	is_good = reference(stream, &expected, &expected_used);
	end = inflate_stream(stream, on_out, &text, &used);
	assert_int_equal(end, is_good ? INFLATE_DONE : INFLATE_BAD);
	if (is_good) {
		assert_int_equal(used, expected_used);
		assert_true(slice_equal(buf_text(&text), buf_text(&expected)));
	}
	assert_true(slice_starts(buf_text(&expected), buf_text(&text)));
	buf_release(&text);
	buf_release(&expected);
	test_free(copy);
	return is_good;
}

static void
expect(const char *what, struct writer *writer, bool is_good)
{
	if (check(buf_text(&writer->bytes)) != is_good)
		fail_msg("%s", what);
	/* with bytes behind it that are no part of it, decode_fast() reads it
	 */
	for (int i = 0; i < 64; i++)
		(void)buf_put_char(&writer->bytes, '\xff');
	if (check(buf_text(&writer->bytes)) != is_good)
		fail_msg("%s, and more bytes", what);
	buf_release(&writer->bytes);
}

/* Blocks without a code of their own. */
static void
test_blocks(void **state)
{
	static const struct {
		const char *what;
		const char *bits;
		bool is_good;
	} cases[] = {
	    {"nothing", "", false},
	    {"two bits", "10", false},
	    {"a reserved block", "1 11", false},
	    {"a stored block",
		"1 00 00000 1000000000000000 0111111111111111 10000110", true},
	    {"an empty stored block",
		"1 00 00000 0000000000000000 1111111111111111", true},
	    {"two stored blocks",
		"0 00 00000 1000000000000000 0111111111111111 10000110"
		"1 00 00000 1000000000000000 0111111111111111 10000110",
		true},
	    {"a wrong complement",
		"1 00 00000 1000000000000000 0111111111111110 10000110", false},
	    {"an end of block", "1 10 0000000", true},
	    {"a literal", "1 10 10010001 0000000", true},
	    {"a long literal", "1 10 111111111 0000000", true},
	    {"a match", "1 10 10010001 0000001 00000 0000000", true},
	    {"a match before the beginning",
		"1 10 10010001 0000001 00001 0000000", false},
	    {"a match before anything", "1 10 0000001 00000 0000000", false},
	    {"the longest match", "1 10 10010001 11000101 00000 0000000", true},
	    {"symbol 284 with all extra bits",
		"1 10 10010001 11000100 11111 00000 0000000", true},
	    {"symbol 286", "1 10 10010001 11000110 00000 0000000", false},
	    {"symbol 287", "1 10 10010001 11000111 00000 0000000", false},
	    {"distance 30", "1 10 10010001 0000001 11110 0000000", false},
	    {"distance 31", "1 10 10010001 0000001 11111 0000000", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct writer writer = {.bit = 0};

		buf_init(&writer.bytes, 1 << 16);
		put_bits(&writer, cases[i].bits);
		/* with its bytes behind it, "nothing" is something */
		if (writer.bytes.len < 2)
			assert_false(check(buf_text(&writer.bytes)));
		else
			expect(cases[i].what, &writer, cases[i].is_good);
		buf_release(&writer.bytes);
	}
}

/* Codes of a block: pairs of a symbol and the length of its word, which end
 * with a length of zero. */
struct lens {
	unsigned symbol, len;
};
#define WORDS 8

/* put_codes(): the beginning of a block, whose lengths are all written as such,
 * as four bits. */
static void
put_codes(struct writer *writer, const struct lens *literals, unsigned count,
    const struct lens *distances, unsigned distance_count)
{
	uint8_t lens[LITERALS + DISTANCES] = {0};

	for (unsigned i = 0; i < WORDS && literals[i].len > 0; i++)
		lens[literals[i].symbol] = (uint8_t)literals[i].len;
	for (unsigned i = 0; i < WORDS && distances[i].len > 0; i++)
		lens[count + distances[i].symbol] = (uint8_t)distances[i].len;
	put_bits(writer, "1 01");
	put_number(writer, count - 257, 5);
	put_number(writer, distance_count - 1, 5);
	put_number(writer, LENGTHS - 4, 4);
	for (unsigned i = 0; i < LENGTHS; i++)
		put_number(writer, i < 3 ? 0 : 4, 3); /* 16, 17, 18: none */
	for (unsigned i = 0; i < count + distance_count; i++)
		for (unsigned bit = 4; bit-- > 0;)
			put_bit(writer, lens[i] >> bit & 1);
}

static void
test_codes(void **state)
{
	static const struct {
		const char *what;
		struct lens literals[WORDS];
		struct lens distances[WORDS];
		unsigned literal_count, distance_count;
		const char *bits; /* of the block */
		bool is_good;
	} cases[] = {
	    {"both codes", {{'a', 1}, {END, 2}, {257, 2}}, {{0, 1}, {1, 1}},
		258, 2, "0 0 0 11 1 10", true},
	    {"no distances", {{'a', 1}, {END, 1}}, {{0, 0}}, 257, 1, "0 0 1",
		true},
	    {"a distance where there are none", {{'a', 1}, {END, 2}, {257, 2}},
		{{0, 0}}, 258, 1, "0 11 0 10", false},
	    {"one distance", {{'a', 1}, {END, 2}, {257, 2}}, {{0, 1}}, 258, 1,
		"0 11 0 10", true},
	    {"the unused half of one distance", {{'a', 1}, {END, 2}, {257, 2}},
		{{0, 1}}, 258, 1, "0 11 1 10", false},
	    {"one distance of two bits", {{'a', 1}, {END, 1}}, {{0, 2}}, 257, 1,
		"0 1", false},
	    {"incomplete distances", {{'a', 1}, {END, 1}}, {{0, 2}, {1, 2}},
		257, 2, "0 1", false},
	    {"too many distances", {{'a', 1}, {END, 1}},
		{{0, 1}, {1, 1}, {2, 1}}, 257, 3, "0 1", false},
	    {"nothing but an end", {{END, 1}}, {{0, 0}}, 257, 1, "0", true},
	    {"the unused half of the end", {{END, 1}}, {{0, 0}}, 257, 1, "1",
		false},
	    {"an end of two bits", {{END, 2}}, {{0, 0}}, 257, 1, "00", false},
	    {"incomplete literals", {{'a', 2}, {END, 1}}, {{0, 0}}, 257, 1, "0",
		false},
	    {"too many literals", {{'a', 1}, {'b', 1}, {END, 1}}, {{0, 0}}, 257,
		1, "0", false},
	    {"no end", {{'a', 1}, {'b', 1}}, {{0, 0}}, 257, 1, "0", false},
	    {"no end, and one literal", {{'a', 1}}, {{0, 0}}, 257, 1, "0",
		false},
	    {"no literals", {{0, 0}}, {{0, 0}}, 257, 1, "0", false},
	    {"286 literals", {{'a', 1}, {END, 1}}, {{0, 0}}, 286, 1, "0 1",
		true},
	    {"287 literals", {{'a', 1}, {END, 1}}, {{0, 0}}, 287, 1, "0 1",
		false},
	    {"30 distances", {{'a', 1}, {END, 1}}, {{29, 1}}, 257, 30, "0 1",
		true},
	    {"31 distances", {{'a', 1}, {END, 1}}, {{29, 1}}, 257, 31, "0 1",
		false},
	    {"32 distances", {{'a', 1}, {END, 1}}, {{29, 1}}, 257, 32, "0 1",
		false},
	    {"words in subtables",
		{{'a', 1}, {'b', 2}, {'c', 3}, {'d', 4}, {'e', 5}, {'f', 6},
		    {'g', 7}, {END, 7}},
		{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7},
		    {7, 7}},
		257, 8, "0 10 110 1110 1111111", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct writer writer = {.bit = 0};

		buf_init(&writer.bytes, 1 << 16);
		put_codes(&writer, cases[i].literals, cases[i].literal_count,
		    cases[i].distances, cases[i].distance_count);
		put_bits(&writer, cases[i].bits);
		expect(cases[i].what, &writer, cases[i].is_good);
	}
}

/* A code whose words get longer and longer, up to the longest: each of its
 * symbols is decoded. */
static void
test_subtables(void **state)
{
	const unsigned longest = 15;
	struct writer writer = {.bit = 0};
	uint8_t lens[286] = {0};

	(void)state;
	buf_init(&writer.bytes, 1 << 16);
	for (unsigned len = 1; len < longest; len++)
		lens['a' + len] = (uint8_t)len;
	lens['a' + longest] = (uint8_t)longest;
	lens[END] = (uint8_t)longest;
	put_bits(&writer, "1 01 00000 00000 1111");
	for (unsigned i = 0; i < LENGTHS; i++)
		put_number(&writer, i < 3 ? 0 : 4, 3);
	for (unsigned i = 0; i <= END; i++)
		for (unsigned bit = 4; bit-- > 0;)
			put_bit(&writer, lens[i] >> bit & 1);
	put_bits(&writer, "0000");
	for (unsigned times = 0; times < 40; times++)
		for (unsigned len = 1; len <= longest; len++) {
			for (unsigned i = 1; i < len; i++)
				put_bit(&writer, 1);
			put_bit(&writer, 0);
		}
	for (unsigned i = 0; i < longest; i++)
		put_bit(&writer, 1);
	expect("long words", &writer, true);
}

/* The code of the lengths, and its repeats. */
static void
test_lengths(void **state)
{
	static const struct {
		const char *what;
		struct lens lens[WORDS]; /* by their place in the header */
		const char *counts; /* of literals and distances */
		const char *bits;
		bool is_good;
	} cases[] = {
	    /* places: 16 17 18 0 8 7 9 6 10 5 11 4 12 3 13 2 14 1 15 */
	    {"256 zeros", {{2, 2}, {3, 2}, {17, 1}}, "00000 00000",
		"11 1111111 11 1101011 0 0 0", true},
	    {"a repeat that begins in one code and ends in the other",
		{{0, 2}, {2, 2}, {15, 1}}, "11000 11000",
		"11 1111111 11 1101011 0 10 11 0 00", true},
	    {"a repeat of nothing", {{0, 1}, {17, 1}}, "00000 00000", "1 00",
		false},
	    {"a repeat that goes too far", {{2, 1}, {17, 1}}, "00000 00000",
		"1 1111111 1 1111111", false},
	    {"none", {{0, 0}}, "00000 00000", "0000000000", false},
	    {"one", {{17, 1}}, "00000 00000", "000000", false},
	    {"incomplete", {{3, 2}, {17, 1}}, "00000 00000", "000000", false},
	    {"too many", {{2, 1}, {3, 1}, {17, 1}}, "00000 00000", "000000",
		false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct lens *place = cases[i].lens;
		struct writer writer = {.bit = 0};
		uint8_t lens[LENGTHS] = {0};

		buf_init(&writer.bytes, 1 << 16);
		for (; place->len > 0; place++)
			lens[place->symbol] = (uint8_t)place->len;
		put_bits(&writer, "1 01");
		put_bits(&writer, cases[i].counts);
		put_bits(&writer, "1111");
		for (unsigned k = 0; k < LENGTHS; k++)
			put_number(&writer, lens[k], 3);
		put_bits(&writer, cases[i].bits);
		expect(cases[i].what, &writer, cases[i].is_good);
	}
}

static uint32_t
next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Text as in a sitemap, then bytes by chance, then one byte again and again. */
static void
make_text(struct buf *text)
{
	uint32_t seed = 1;

	while (text->len < TEXT_BYTES / 2)
		(void)buf_print(text,
		    "<url><loc>https://a.example/%u/%u</loc><lastmod>20%02u"
		    "-01-%02u</lastmod></url>\n",
		    next_random(&seed) % 1000, next_random(&seed),
		    next_random(&seed) % 30, next_random(&seed) % 28 + 1);
	while (text->len < TEXT_BYTES * 3 / 4)
		(void)buf_put_char(text, (char)next_random(&seed));
	while (text->len < TEXT_BYTES)
		(void)buf_put_char(text, (char)(text->len / 50000));
}

static void
deflate_text(struct buf *out, struct slice text, int level, int strategy,
    int window_bits, int memory)
{
	static unsigned char piece[65536];
	z_stream z = {0};
	int rc = deflateInit2(
	    &z, level, Z_DEFLATED, -window_bits, memory, strategy);

	assert_int_equal(rc, Z_OK);
	z.next_in = (const unsigned char *)text.p;
	z.avail_in = (unsigned)text.len;
	do {
		z.next_out = piece;
		z.avail_out = sizeof(piece);
		rc = deflate(&z, Z_FINISH);
		(void)buf_put(out, piece, sizeof(piece) - z.avail_out);
	} while (rc == Z_OK);
	assert_int_equal(rc, Z_STREAM_END);
	(void)deflateEnd(&z);
}

/* All that zlib can write. */
static void
test_zlib(void **state)
{
	struct buf text, stream;

	(void)state;
	buf_init(&text, 1 << 20);
	buf_init(&stream, 2 << 20);
	make_text(&text);
	for (int level = 0; level <= 9; level += IS_SANITIZED ? 3 : 1)
		for (int strategy = 0; strategy <= Z_FIXED; strategy++)
			for (int bits = 9; bits <= 15; bits += 3) {
				buf_clear(&stream);
				deflate_text(&stream, buf_text(&text), level,
				    strategy, bits, bits / 2 + 1);
				assert_true(check(buf_text(&stream)));
				(void)buf_put(&stream, "and more", 8);
				assert_true(check(buf_text(&stream)));
			}
	buf_release(&text);
	buf_release(&stream);
}

/* Streams that are cut, and streams with a wrong bit. */
#define FLIPS (IS_SANITIZED ? 60 : 300)

static void
test_damage(void **state)
{
	static const size_t lengths[] = {0, 1, 10, 300, 3000, 40000};
	struct buf text, stream;
	uint32_t seed = 7;
	unsigned bad = 0;

	(void)state;
	buf_init(&text, 1 << 20);
	buf_init(&stream, 2 << 20);
	make_text(&text);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		for (int strategy = 0; strategy <= Z_FIXED; strategy++) {
			size_t step;

			buf_clear(&stream);
			deflate_text(&stream,
			    slice_make(text.p + TEXT_BYTES / 2 - lengths[i] / 2,
				lengths[i]),
			    6, strategy, 15, 8);
			step = stream.len / FLIPS + 1;
			for (size_t cut = 0; cut < stream.len; cut += step)
				assert_false(check(slice_make(stream.p, cut)));
			for (int k = 0; k < FLIPS; k++) {
				size_t at = next_random(&seed) % stream.len;
				char flip = (char)(1 << k % 8);

				stream.p[at] ^= flip;
				bad += !check(buf_text(&stream));
				stream.p[at] ^= flip;
			}
		}
	assert_in_range(bad, FLIPS * 10 / 3, FLIPS * 30 - 1);
	buf_release(&text);
	buf_release(&stream);
}

static bool
on_first(void *arg, struct slice bytes)
{
	size_t *seen = arg;

	assert_int_equal(*seen, 0);
	*seen = bytes.len;
	return false;
}

/* Who wants no more gets no more. */
static void
test_stop(void **state)
{
	struct buf text, stream;
	size_t seen = 0, used;

	(void)state;
	buf_init(&text, 1 << 20);
	buf_init(&stream, 2 << 20);
	make_text(&text);
	for (int level = 0; level <= 9; level += 3) {
		buf_clear(&stream);
		deflate_text(
		    &stream, buf_text(&text), level, Z_DEFAULT_STRATEGY, 15, 8);
		seen = 0;
		assert_int_equal(
		    inflate_stream(buf_text(&stream), on_first, &seen, &used),
		    INFLATE_STOPPED);
		assert_in_range(seen, 1, TEXT_BYTES / 2);
		seen = 0;
		buf_clear(&stream);
		deflate_text(&stream, slice_of("the last piece"), level,
		    Z_DEFAULT_STRATEGY, 15, 8);
		assert_int_equal(
		    inflate_stream(buf_text(&stream), on_first, &seen, &used),
		    INFLATE_STOPPED);
		assert_int_equal(seen, strlen("the last piece"));
	}
	buf_release(&text);
	buf_release(&stream);
}

UNIT(inflate)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks),
	    cmocka_unit_test(test_codes), cmocka_unit_test(test_subtables),
	    cmocka_unit_test(test_lengths), cmocka_unit_test(test_zlib),
	    cmocka_unit_test(test_damage), cmocka_unit_test(test_stop)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
