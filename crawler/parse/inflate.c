/*
 * An inflater for streams that lie in memory as a whole.
 *
 *	inflate_stream() -> read_block() --stored--> copy_stored()
 *	    ^                   |
 *	    |                   '--a code--> decode_block() -> decode_fast()
 *	    '--- until the last block -------------'           decode_one()
 *
 * A code is decoded with a table: the next bits of the stream are the index of
 * an entry, which says all about the symbol that they begin with. A word that
 * is longer than the index is found in a second step, in a subtable.
 *
 * decode_fast() decodes nearly all: as long as neither input nor room can end
 * within the next symbols, it tests neither. decode_one() counts each bit, and
 * decodes the last symbols of the stream.
 *
 * zlib is the inflater of record: what is refused here is what inflate.c and
 * inftrees.c of zlib 1.2.13 refuse, and zlib says why.
 */
#include "crawler/parse/inflate.h"

#include <endian.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define WINDOW 32768 /* the farthest that a match reaches back */
#define MATCH_MAX 258 /* bytes */
#define CODE_MAX 15 /* bits of a word */
/*
 * What is passed on at once. Together with the tables and with what reads it, a
 * piece stays in the second cache of a processor; a smaller one has the window
 * moved more often.
 */
#define PIECE 131072

/* A match is copied in words of so many bytes, WORDS at a time. */
#define WORD 16
#define WORDS 4
/*
 * The margins of decode_fast(). A round of it writes two literals and a match,
 * which may end in the middle of a copy. It fills up the bits twice, by seven
 * bytes at most, and reads eight each time; so is done once before the first.
 */
#define OUT_MARGIN (2 + MATCH_MAX + WORDS * WORD)
#define IN_MARGIN 32

/* Bits of the index of a table. With one bit more for literals, the tables and
 * the window crowd each other out of the first cache: 2 % slower. */
#define LITERAL_BITS 10
#define DISTANCE_BITS 8
#define LENGTH_BITS 7
/* The most entries of a table and its subtables that a complete code can need,
 * counted by examples/enough.c of zlib: "enough 288 10 15", "enough 32 8 15"
 * and "enough 19 7 7". */
#define LITERAL_ENTRIES 1334
#define DISTANCE_ENTRIES 402
#define LENGTH_ENTRIES 128

/* Symbols. Two literals and two distances are reserved: only the fixed code has
 * words for them, and they are no symbols of a stream. */
#define LITERALS 288
#define DISTANCES 32
#define LENGTHS 19
#define RESERVED 2
#define END_OF_BLOCK 256
#define LENGTH_REPEAT 16 /* the first symbol of LENGTHS that is no length */

/*
 * An entry of a table. The low byte is the number of bits to drop: those of the
 * word, or of the index if a subtable follows, and the extra bits.
 *
 *	literal       IS_LITERAL, the byte << 16
 *	match         the base << 16, the bits of the word << 8
 *	subtable      IS_OTHER, IS_TABLE, its place << 16, its index bits << 8
 *	end of block  IS_OTHER, IS_END
 *	no symbol     IS_OTHER
 */
#define IS_LITERAL (1u << 31)
#define IS_OTHER (1u << 15)
#define IS_TABLE (1u << 14)
#define IS_END (1u << 13)
#define DROP(entry) (63 & (entry))
#define BITS(entry) (15 & (entry) >> 8)
#define BASE(entry) (0x7fff & (entry) >> 16)
#define MASK(n) ((UINT64_C(1) << (n)) - 1)

enum code { LITERAL_CODE, DISTANCE_CODE, LENGTH_CODE };

enum status { MORE, END, BAD, STOPPED };

/* The next bits of the stream, the first one lowest. Above `count` they are
 * zero, or what *in will bring. */
struct bits {
	uint64_t p;
	unsigned count;
	const unsigned char *in; /* the first byte that count leaves out */
};

struct inflater {
	struct bits bits;
	const unsigned char *in_end;
	inflate_out_fn *out;
	void *arg;
	unsigned char *from; /* the first byte that out has not got */
	unsigned char *at; /* where the next byte goes */
	bool is_fixed; /* the tables are those of the fixed code */
	uint32_t literals[LITERAL_ENTRIES];
	uint32_t distances[DISTANCE_ENTRIES];
	uint32_t lengths[LENGTH_ENTRIES];
	/* the window, the piece behind it, and what may be written too much */
	unsigned char room[WINDOW + PIECE + OUT_MARGIN];
};

/* Tables. */

/* symbol_entry(code, symbol, len): the entry of a symbol, len bits of whose
 * word are not part of an index. */
static uint32_t
symbol_entry(enum code code, unsigned symbol, unsigned len)
{
	static const uint16_t length_bases[] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 13,
	    15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163,
	    195, 227, 258};
	static const uint8_t length_extras[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1,
	    1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
	static const uint16_t distance_bases[] = {1, 2, 3, 4, 5, 7, 9, 13, 17,
	    25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
	    3073, 4097, 6145, 8193, 12289, 16385, 24577};
	unsigned base = symbol, extra = 0;

	switch (code) {
	case LITERAL_CODE:
		if (symbol < END_OF_BLOCK)
			return IS_LITERAL | symbol << 16 | len << 8 | len;
		if (symbol == END_OF_BLOCK)
			return IS_OTHER | IS_END | len;
		if (symbol >= LITERALS - RESERVED)
			return IS_OTHER | len;
		base = length_bases[symbol - END_OF_BLOCK - 1];
		extra = length_extras[symbol - END_OF_BLOCK - 1];
		break;
	case DISTANCE_CODE:
		if (symbol >= DISTANCES - RESERVED)
			return IS_OTHER | len;
		base = distance_bases[symbol];
		extra = symbol < 4 ? 0 : symbol / 2 - 1;
		break;
	case LENGTH_CODE:
		break;
	}
	return base << 16 | len << 8 | (len + extra);
}

/*
 * is_code(code, counts): may the code have that many words of each length? zlib
 * takes an incomplete code of literals or distances that has one word, of one
 * bit, or none. It takes no word for the code of lengths, too, but reads only
 * zeros then, and so finds no word for the end of the block.
 */
static bool
is_code(enum code code, const uint16_t counts[CODE_MAX + 1])
{
	unsigned longest = 0;
	int left = 1;

	for (unsigned len = 1; len <= CODE_MAX; len++) {
		left = 2 * left - counts[len];
		if (left < 0)
			return false;
		if (counts[len] > 0)
			longest = len;
	}
	return left == 0 || (code != LENGTH_CODE && longest <= 1);
}

/* next_word(word, len): the word after it, whose first bit is the lowest one;
 * 0: there is none. */
static unsigned
next_word(unsigned word, unsigned len)
{
	unsigned bit = 1u << (len - 1);

	while ((word & bit) != 0)
		bit >>= 1;
	return bit == 0 ? 0 : (word & (bit - 1)) | bit;
}

/* subtable_bits(counts, len, bits): the bits of the index of a subtable, behind
 * an index of so many bits; counts are the words that are left, the next of
 * which has len bits. */
static unsigned
subtable_bits(const uint16_t counts[CODE_MAX + 1], unsigned len, unsigned bits)
{
	unsigned used = counts[len];

	while (len < CODE_MAX && used < 1u << (len - bits))
		used = 2 * used + counts[++len];
	return len - bits;
}

/*
 * build(table, bits, code, lens, count): make the table of a code from the
 * lengths of its words, 0: a symbol has none. The index of the table has so
 * many bits. False: zlib refuses the code.
 */
static bool
build(uint32_t *table, unsigned bits, enum code code, const uint8_t *lens,
    unsigned count)
{
	uint16_t counts[CODE_MAX + 1] = {0};
	uint16_t places[CODE_MAX + 1] = {0};
	uint16_t symbols[LITERALS]; /* in the order of their words */
	const uint16_t *symbol = symbols;
	unsigned end = 1u << bits, start = 0;
	unsigned prefix = end; /* of the words in the last subtable; none */
	unsigned word = 0;

	for (unsigned i = 0; i < count; i++)
		counts[lens[i]]++;
	counts[0] = 0;
	if (!is_code(code, counts))
		return false;
	for (unsigned len = 1; len < CODE_MAX; len++)
		places[len + 1] = (uint16_t)(places[len] + counts[len]);
	for (unsigned i = 0; i < count; i++)
		if (lens[i] > 0)
			symbols[places[lens[i]]++] = (uint16_t)i;
	for (unsigned i = 0; i < end; i++)
		table[i] = IS_OTHER | 1; /* for an incomplete code */
	for (unsigned len = 1; len <= bits; len++) {
		for (; counts[len] > 0; counts[len]--) {
			uint32_t entry = symbol_entry(code, *symbol++, len);

			for (unsigned i = word; i < end; i += 1u << len)
				table[i] = entry;
			word = next_word(word, len);
		}
	}
	for (unsigned len = bits + 1; len <= CODE_MAX; len++) {
		for (; counts[len] > 0; counts[len]--) {
			uint32_t entry = symbol_entry(
			    code, *symbol++, len - bits);

			if ((word & MASK(bits)) != prefix) {
				unsigned more = subtable_bits(
				    counts, len, bits);

				prefix = (unsigned)(word & MASK(bits));
				table[prefix] = IS_OTHER | IS_TABLE |
				    end << 16 | more << 8 | bits;
				start = end;
				end += 1u << more;
			}
			for (unsigned i = start + (word >> bits); i < end;
			     i += 1u << (len - bits))
				table[i] = entry;
			word = next_word(word, len);
		}
	}
	return true;
}

/* Bits. */

/* need(inflater, n): see to it that n bits, 32 at most, are counted; false: the
 * stream is cut. */
static bool
need(struct inflater *inflater, unsigned n)
{
	struct bits *bits = &inflater->bits;

	for (; bits->count < n; bits->count += 8) {
		if (bits->in == inflater->in_end)
			return false;
		bits->p |= (uint64_t)*bits->in++ << bits->count;
	}
	return true;
}

static unsigned
take(struct inflater *inflater, unsigned n)
{
	unsigned value = (unsigned)(inflater->bits.p & MASK(n));

	inflater->bits.p >>= n;
	inflater->bits.count -= n;
	return value;
}

/* find(inflater, table, bits, value): take the next symbol. Returns its entry,
 * and in *value its base with its extra bits; 0: the stream is cut. */
static uint32_t
find(struct inflater *inflater, const uint32_t *table, unsigned bits,
    unsigned *value)
{
	uint32_t entry;

	/* An entry depends on no more bits than its word has. */
	(void)need(inflater, CODE_MAX);
	entry = table[inflater->bits.p & MASK(bits)];
	if ((entry & IS_TABLE) != 0) {
		if (!need(inflater, bits))
			return 0;
		(void)take(inflater, bits);
		entry =
		    table[BASE(entry) + (inflater->bits.p & MASK(BITS(entry)))];
	}
	if (!need(inflater, DROP(entry)))
		return 0;
	*value = BASE(entry) + (take(inflater, DROP(entry)) >> BITS(entry));
	return entry;
}

/* refill(bits): count at least 56 bits; eight bytes must be there. The bits
 * that are read, but not counted, are read again. */
static inline void
refill(struct bits *bits)
{
	uint64_t next;

	memcpy(&next, bits->in, sizeof(next));
	bits->p |= le64toh(next) << (bits->count & 63);
	bits->in += ~bits->count >> 3 & 7;
	bits->count |= 56;
}

/* drop(bits, entry): count is right in its low six bits, the others are what
 * the entry makes of them. */
static inline void
drop(struct bits *bits, uint32_t entry)
{
	bits->p >>= DROP(entry);
	bits->count -= entry;
}

/* value_of(entry, p): the base with the extra bits in p, which begins with the
 * word. */
static inline size_t
value_of(uint32_t entry, uint64_t p)
{
	return BASE(entry) + ((p & MASK(DROP(entry))) >> BITS(entry));
}

/* Output. */

/* flush(inflater): pass on what is new, and move the window to the beginning of
 * the room. */
static bool
flush(struct inflater *inflater)
{
	size_t n = (size_t)(inflater->at - inflater->from);
	size_t kept = (size_t)(inflater->at - inflater->room);

	if (n > 0 &&
	    !inflater->out(
		inflater->arg, slice_make((const char *)inflater->from, n)))
		return false;
	if (kept > WINDOW)
		kept = WINDOW;
	memmove(inflater->room, inflater->at - kept, kept);
	inflater->from = inflater->at = inflater->room + kept;
	return true;
}

static inline void
copy_words(unsigned char *to, const unsigned char *from)
{
	memcpy(to, from, WORD);
	memcpy(to + WORD, from + WORD, WORD);
}

/*
 * copy_match(to, back, len): most matches have at most 32 bytes, and nearly all
 * others at most 64: the fewer loops, the fewer branches that the processor
 * does not foresee. Up to WORDS words more are written than len says.
 */
static inline void
copy_match(unsigned char *to, size_t back, size_t len)
{
	const unsigned char *from = to - back;
	const unsigned char *end = to + len;

	if (back >= WORD) {
		copy_words(to, from);
		if (len <= 2 * WORD)
			return;
		copy_words(to + 2 * WORD, from + 2 * WORD);
		for (to += WORDS * WORD, from += WORDS * WORD; to < end;
		     to += WORDS * WORD, from += WORDS * WORD) {
			copy_words(to, from);
			copy_words(to + 2 * WORD, from + 2 * WORD);
		}
	} else if (back == 1) {
		memset(to, *from, len);
	} else {
		while (to < end)
			*to++ = *from++;
	}
}

/* Blocks. */

/* decode_one(inflater): decode a literal or a match. */
static enum status
decode_one(struct inflater *inflater)
{
	unsigned len, back;
	uint32_t entry = find(inflater, inflater->literals, LITERAL_BITS, &len);

	if (entry == 0)
		return BAD;
	if ((entry & IS_LITERAL) != 0) {
		*inflater->at++ = (unsigned char)len;
		return MORE;
	}
	if ((entry & IS_OTHER) != 0)
		return (entry & IS_END) != 0 ? END : BAD;
	entry = find(inflater, inflater->distances, DISTANCE_BITS, &back);
	if (entry == 0 || (entry & IS_OTHER) != 0 ||
	    back > (size_t)(inflater->at - inflater->room))
		return BAD;
	copy_match(inflater->at, back, len);
	inflater->at += len;
	return MORE;
}

/*
 * decode_fast(inflater): decode until the block ends or a margin is reached.
 * The processor waits for one entry, then for the next: so each is looked up as
 * soon as its bits are there. p is the bits with the word of the entry at hand.
 *
 * Three literals, or two and a length, take at most 20 + 20 of the 56 bits that
 * there are; a distance takes 28, and the next entry is looked up behind it.
 */
static enum status
decode_fast(struct inflater *inflater)
{
	const uint32_t *literals = inflater->literals;
	const uint32_t *distances = inflater->distances;
	const unsigned char *in_stop = inflater->in_end - IN_MARGIN;
	unsigned char *at_stop = inflater->room + WINDOW + PIECE;
	unsigned char *at = inflater->at;
	struct bits bits = inflater->bits;
	enum status status = MORE;
	uint32_t entry;

	refill(&bits);
	entry = literals[bits.p & MASK(LITERAL_BITS)];
	do {
		uint64_t p = bits.p;
		size_t len, back;

		drop(&bits, entry);
		if ((entry & IS_LITERAL) != 0) {
			*at++ = (unsigned char)(entry >> 16);
			p = bits.p;
			entry = literals[p & MASK(LITERAL_BITS)];
			drop(&bits, entry);
			if ((entry & IS_LITERAL) != 0) {
				*at++ = (unsigned char)(entry >> 16);
				p = bits.p;
				entry = literals[p & MASK(LITERAL_BITS)];
				drop(&bits, entry);
				if ((entry & IS_LITERAL) != 0) {
					*at++ = (unsigned char)(entry >> 16);
					refill(&bits);
					entry = literals[bits.p &
					    MASK(LITERAL_BITS)];
					continue;
				}
			}
		}
		if ((entry & IS_OTHER) != 0) {
			if ((entry & IS_TABLE) != 0) {
				p = bits.p;
				entry = literals[BASE(entry) +
				    (p & MASK(BITS(entry)))];
				drop(&bits, entry);
			}
			if ((entry & IS_LITERAL) != 0) {
				*at++ = (unsigned char)(entry >> 16);
				refill(&bits);
				entry = literals[bits.p & MASK(LITERAL_BITS)];
				continue;
			}
			if ((entry & IS_OTHER) != 0) {
				status = (entry & IS_END) != 0 ? END : BAD;
				break;
			}
		}
		len = value_of(entry, p);
		entry = distances[bits.p & MASK(DISTANCE_BITS)];
		refill(&bits);
		if ((entry & IS_OTHER) != 0) {
			if ((entry & IS_TABLE) != 0) {
				drop(&bits, entry);
				entry = distances[BASE(entry) +
				    (bits.p & MASK(BITS(entry)))];
			}
			if ((entry & IS_OTHER) != 0) {
				status = BAD;
				break;
			}
		}
		p = bits.p;
		drop(&bits, entry);
		back = value_of(entry, p);
		if (back > (size_t)(at - inflater->room)) {
			status = BAD;
			break;
		}
		entry = literals[bits.p & MASK(LITERAL_BITS)];
		refill(&bits);
		copy_match(at, back, len);
		at += len;
	} while (bits.in < in_stop && at < at_stop);
	bits.count &= 63;
	inflater->bits = bits;
	inflater->at = at;
	return status;
}

static enum status
decode_block(struct inflater *inflater)
{
	enum status status = MORE;

	while (status == MORE) {
		if (inflater->at >= inflater->room + WINDOW + PIECE &&
		    !flush(inflater))
			return STOPPED;
		status = inflater->in_end - inflater->bits.in > IN_MARGIN
		    ? decode_fast(inflater)
		    : decode_one(inflater);
	}
	return status;
}

static enum status
copy_stored(struct inflater *inflater)
{
	struct bits *bits = &inflater->bits;
	size_t len, n;

	(void)take(inflater, bits->count % 8);
	if (!need(inflater, 32))
		return BAD;
	len = take(inflater, 16);
	if (len != (take(inflater, 16) ^ 0xffff))
		return BAD;
	bits->in -= bits->count / 8;
	bits->p = bits->count = 0;
	if (len > (size_t)(inflater->in_end - bits->in))
		return BAD;
	for (; len > 0; len -= n) {
		n = (size_t)(inflater->room + WINDOW + PIECE - inflater->at);
		if (n > len)
			n = len;
		memcpy(inflater->at, bits->in, n);
		inflater->at += n;
		bits->in += n;
		if (n < len && !flush(inflater))
			return STOPPED;
	}
	return END;
}

/* read_lens(inflater, lens, count): the lengths of the words of both codes. */
static bool
read_lens(struct inflater *inflater, uint8_t *lens, unsigned count)
{
	static const struct {
		uint8_t times, extra;
	} repeats[] = {{3, 2}, {3, 3}, {11, 7}};
	unsigned done = 0;

	while (done < count) {
		unsigned symbol, times, extra;

		if (find(inflater, inflater->lengths, LENGTH_BITS, &symbol) ==
		    0)
			return false;
		if (symbol < LENGTH_REPEAT) {
			lens[done++] = (uint8_t)symbol;
			continue;
		}
		extra = repeats[symbol - LENGTH_REPEAT].extra;
		if ((symbol == LENGTH_REPEAT && done == 0) ||
		    !need(inflater, extra))
			return false;
		times = repeats[symbol - LENGTH_REPEAT].times +
		    take(inflater, extra);
		if (times > count - done)
			return false;
		memset(lens + done,
		    symbol == LENGTH_REPEAT ? lens[done - 1] : 0, times);
		done += times;
	}
	return true;
}

static bool
read_codes(struct inflater *inflater)
{
	static const uint8_t order[LENGTHS] = {
	    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
	uint8_t lens[LITERALS + DISTANCES];
	uint8_t length_lens[LENGTHS] = {0};
	unsigned literals, distances, lengths;

	inflater->is_fixed = false;
	if (!need(inflater, 14))
		return false;
	literals = take(inflater, 5) + END_OF_BLOCK + 1;
	distances = take(inflater, 5) + 1;
	lengths = take(inflater, 4) + 4;
	if (literals > LITERALS - RESERVED || distances > DISTANCES - RESERVED)
		return false;
	for (unsigned i = 0; i < lengths; i++) {
		if (!need(inflater, 3))
			return false;
		length_lens[order[i]] = (uint8_t)take(inflater, 3);
	}
	return build(inflater->lengths, LENGTH_BITS, LENGTH_CODE, length_lens,
		   LENGTHS) &&
	    read_lens(inflater, lens, literals + distances) &&
	    lens[END_OF_BLOCK] > 0 &&
	    build(inflater->literals, LITERAL_BITS, LITERAL_CODE, lens,
		literals) &&
	    build(inflater->distances, DISTANCE_BITS, DISTANCE_CODE,
		lens + literals, distances);
}

/* use_fixed_codes(inflater): the tables of the codes that RFC 1951 gives, which
 * are complete. */
static void
use_fixed_codes(struct inflater *inflater)
{
	uint8_t lens[LITERALS];

	if (inflater->is_fixed)
		return;
	memset(lens, 8, sizeof(lens));
	memset(lens + 144, 9, 256 - 144);
	memset(lens + 256, 7, 280 - 256);
	(void)build(
	    inflater->literals, LITERAL_BITS, LITERAL_CODE, lens, LITERALS);
	memset(lens, 5, DISTANCES);
	(void)build(
	    inflater->distances, DISTANCE_BITS, DISTANCE_CODE, lens, DISTANCES);
	inflater->is_fixed = true;
}

static enum status
read_block(struct inflater *inflater, bool *is_last)
{
	enum { STORED, FIXED, DYNAMIC };

	if (!need(inflater, 3))
		return BAD;
	*is_last = take(inflater, 1) == 1;
	switch (take(inflater, 2)) {
	case STORED:
		return copy_stored(inflater);
	case FIXED:
		use_fixed_codes(inflater);
		return decode_block(inflater);
	case DYNAMIC:
		return read_codes(inflater) ? decode_block(inflater) : BAD;
	}
	return BAD;
}

enum inflate_end
inflate_stream(struct slice bytes, inflate_out_fn *out, void *arg, size_t *used)
{
	struct inflater *inflater = mem_alloc(sizeof(*inflater));
	enum status status;
	bool is_last = false;

	inflater->bits.in = (const unsigned char *)bytes.p;
	inflater->bits.p = inflater->bits.count = 0;
	inflater->in_end = inflater->bits.in + bytes.len;
	inflater->out = out;
	inflater->arg = arg;
	inflater->from = inflater->at = inflater->room;
	inflater->is_fixed = false;
	do
		status = read_block(inflater, &is_last);
	while (status == END && !is_last);
	if (status == END && !flush(inflater))
		status = STOPPED;
	if (status == END)
		*used = bytes.len -
		    (size_t)(inflater->in_end - inflater->bits.in) -
		    inflater->bits.count / 8;
	free(inflater);
	if (status == END)
		return INFLATE_DONE;
	return status == STOPPED ? INFLATE_STOPPED : INFLATE_BAD;
}
