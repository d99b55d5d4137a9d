/* Blocks: what was written is read back, and hostile bytes are refused. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/url.h"
#include "base/wire.h"
#include "store/segment/block.h"
#include "store/segment/column.h"
#include "tests/fixtures/segment_fixture.h"

static struct entry
make_entry(uint32_t i)
{
	static const uint8_t precisions[] = {DATE_NONE, DATE_YEAR, DATE_MONTH,
	    DATE_DAY, DATE_MINUTE, DATE_SECOND, DATE_FRACTION};
	struct entry entry = {
	    .first_seen_s = 1700000000 + i % 3,
	    .redated_s = i % 10 == 0 ? 1700000009 : 0,
	    .ordinal = i * 2654435761u,
	    .extensions = (uint16_t)(i * 31),
	    .hints = (uint8_t)(i * 7),
	    .missed = i % 5 == 0,
	    .is_held = i % 5 == 1,
	};

	if (entry_is_absent(&entry)) {
		entry.absent_s = entry.ordinal;
		entry.ordinal = 0;
	}

	entry.lastmod.precision = precisions[i % 7];
	if (entry.lastmod.precision == DATE_NONE)
		return entry;
	entry.lastmod.epoch_s = i % 11 == 0 ? -62135596800 + i
					    : 1600000000 + i * 12345;
	entry.lastmod.nanos = i % 7 == 6 ? i * 997 % 1000000000 : 0;
	entry.lastmod.zone = (uint8_t)(i % 3);
	return entry;
}

static void
assert_date_equal(const struct date *a, const struct date *b)
{
	assert_int_equal(a->epoch_s, b->epoch_s);
	assert_int_equal(a->nanos, b->nanos);
	assert_int_equal(a->precision, b->precision);
	assert_int_equal(a->zone, b->zone);
}

static void
make_blocks(struct block_list *list, uint32_t count, unsigned flags)
{
	struct block_writer *writer = block_writer_new(
	    block_list_add, list, flags);
	char url[64];

	for (uint32_t i = 0; i < count; i++) {
		struct entry entry = make_entry(i);

		(void)snprintf(url, sizeof(url), "http://h.test/%08u", i);
		entry.url = slice_of(url);
		block_writer_add(writer, &entry);
	}
	block_writer_finish(writer);
	block_writer_free(writer);
}

static void
assert_entry_equal(const struct entry *a, const struct entry *b)
{
	assert_date_equal(&a->lastmod, &b->lastmod);
	assert_int_equal(a->first_seen_s, b->first_seen_s);
	assert_int_equal(a->redated_s, b->redated_s);
	assert_int_equal(a->ordinal, b->ordinal);
	assert_int_equal(a->extensions, b->extensions);
	assert_int_equal(a->hints, b->hints);
	assert_int_equal(a->missed, b->missed);
	assert_int_equal(a->is_held, b->is_held);
	assert_int_equal(a->absent_s, b->absent_s);
}

static void
check_round_trip(const struct block_list *list, uint32_t count)
{
	struct list_source source = {list, 0};
	struct block_reader *reader = block_reader_new(list_pull, &source);
	struct entry entry;
	char url[64];

	for (uint32_t i = 0; i < count; i++) {
		struct entry expected = make_entry(i);

		(void)snprintf(url, sizeof(url), "http://h.test/%08u", i);
		assert_true(block_next(reader, &entry));
		assert_true(slice_is(entry.url, url));
		assert_entry_equal(&entry, &expected);
	}
	assert_false(block_next(reader, &entry));
	assert_false(block_next(reader, &entry));
	assert_false(block_reader_damaged(reader));
	block_reader_free(reader);
}

static void
test_round_trip(void **state)
{
	static const uint32_t counts[] = {
	    0, 1, 2, BLOCK_FILL - 1, BLOCK_FILL, BLOCK_FILL + 1, 10000};

	for (size_t c = 0; c < COUNT(counts); c++) {
		struct block_list list = {0};

		make_blocks(&list, counts[c], 0);
		assert_int_equal(
		    list.count, (counts[c] + BLOCK_FILL - 1) / BLOCK_FILL);
		check_round_trip(&list, counts[c]);
		if (counts[c] == 10000) {
			assert_string_equal(
			    list.items[1].first_url, "http://h.test/00003584");
			assert_string_equal(
			    list.items[1].last_url, "http://h.test/00007167");
			assert_int_equal(
			    list.items[2].count, 10000 - 2 * BLOCK_FILL);
		}
		block_list_release(&list);
	}
}

/* Only the URLs are read: entries have no other members.  After a reset the
 * next block is read whole. */
static void
test_urls_only(void **state)
{
	struct block_list list = {0};
	struct list_source source = {&list, 0};
	struct block_reader *reader = block_reader_new(list_pull, &source);
	struct entry entry, expected = make_entry(BLOCK_FILL);
	char url[64];

	make_blocks(&list, BLOCK_FILL + 1, 0);
	block_reader_reset(reader, true);
	for (uint32_t i = 0; i < BLOCK_FILL; i++) {
		(void)snprintf(url, sizeof(url), "http://h.test/%08u", i);
		assert_true(block_next(reader, &entry));
		assert_true(slice_is(entry.url, url));
		assert_entry_equal(&entry, &(struct entry){0});
		assert_int_equal(entry.verdict, VERDICT_ACCEPTED);
	}
	block_reader_reset(reader, false);
	assert_true(block_next(reader, &entry));
	assert_entry_equal(&entry, &expected);
	assert_false(block_next(reader, &entry));
	block_reader_reset(reader, true);
	source.at = 0;
	list.items[0].len--;
	while (block_next(reader, &entry))
		;
	assert_true(block_reader_damaged(reader));
	block_reader_free(reader);
	block_list_release(&list);
}

/* Blocks that are written fast hold the same entries, are larger, and have no
 * Bloom filter; bare ones just have none. */
static void
test_hurry(void **state)
{
	enum { MANY = BLOCK_ENTRIES + 7 };
	struct block_list slow = {0}, quick = {0}, bare = {0};

	make_blocks(&slow, MANY, 0);
	make_blocks(&quick, MANY, BLOCK_HURRY);
	make_blocks(&bare, MANY, BLOCK_BARE);
	check_round_trip(&quick, MANY);
	assert_int_equal(quick.count, slow.count);
	assert_true(quick.items[0].len > slow.items[0].len);
	assert_true(slow.items[0].bloom_len > 0);
	assert_int_equal(quick.items[0].bloom_len, 0);
	assert_int_equal(bare.items[0].bloom_len, 0);
	assert_int_equal(bare.items[0].len, slow.items[0].len);
	assert_memory_equal(
	    bare.items[0].data, slow.items[0].data, bare.items[0].len);
	block_list_release(&bare);
	block_list_release(&slow);
	block_list_release(&quick);
}

static void
make_changes(struct block_list *list, uint32_t count)
{
	struct block_writer *writer = block_writer_new(block_list_add, list, 0);
	char url[64];

	for (uint32_t i = 0; i < count; i++) {
		(void)snprintf(url, sizeof(url), "http://h.test/%08u", i);
		block_writer_add_change(writer,
		    &(struct change){
			.url = slice_of(url),
			.kind = (uint8_t)(i % DELTA_KINDS),
			.before = make_entry(i).lastmod,
			.after = make_entry(i + 3).lastmod,
		    });
	}
	block_writer_finish(writer);
	block_writer_free(writer);
}

static void
test_changes(void **state)
{
	struct block_list list = {0};
	struct list_source source = {&list, 0};
	struct change change;
	struct entry entry;

	make_changes(&list, 5000);
	struct block_reader *reader = block_reader_new(list_pull, &source);
	for (uint32_t i = 0; i < 5000; i++) {
		struct date before = make_entry(i).lastmod;
		struct date after = make_entry(i + 3).lastmod;

		assert_true(block_next_change(reader, &change));
		assert_int_equal(change.kind, i % DELTA_KINDS);
		assert_date_equal(&change.before, &before);
		assert_date_equal(&change.after, &after);
	}
	assert_false(block_next_change(reader, &change));
	assert_false(block_reader_damaged(reader));
	block_reader_free(reader);

	/* changes are no entries */
	source.at = 0;
	reader = block_reader_new(list_pull, &source);
	assert_false(block_next(reader, &entry));
	assert_true(block_reader_damaged(reader));
	block_reader_free(reader);
	block_list_release(&list);
}

/* A block does not say of a URL that it shares more than 127 bytes. */
static void
test_long_prefixes(void **state)
{
	struct block_list list = {0};
	struct list_source source = {&list, 0};
	struct block_writer *writer = block_writer_new(
	    block_list_add, &list, 0);
	struct block_reader *reader = block_reader_new(list_pull, &source);
	struct entry entry = {0};
	char url[256];

	memset(url, 'x', sizeof(url));
	for (size_t i = 100; i < sizeof(url); i++) {
		entry.url = slice_make(url, i);
		block_writer_add(writer, &entry);
	}
	block_writer_finish(writer);
	block_writer_free(writer);
	for (size_t i = 100; i < sizeof(url); i++) {
		assert_true(block_next(reader, &entry));
		assert_true(slice_equal(entry.url, slice_make(url, i)));
	}
	assert_false(block_next(reader, &entry));
	assert_false(block_reader_damaged(reader));
	block_reader_free(reader);
	block_list_release(&list);
}

/* URLs of 32 KiB; blocks are cut before they grow too large. */
static void
test_long_urls(void **state)
{
	struct block_list list = {0};
	struct list_source source = {&list, 0};
	struct block_writer *writer = block_writer_new(
	    block_list_add, &list, 0);
	char *url = malloc(URL_MAX_BYTES);
	uint64_t seed = 1;
	struct entry entry = {0};
	unsigned n = 0;

	for (unsigned i = 0; i < 200; i++) {
		for (unsigned k = 0; k < URL_MAX_BYTES; k++) {
			seed = seed * 6364136223846793005u + 1;
			url[k] = (char)(0x21 + (seed >> 33) % 94);
		}
		(void)snprintf(url, 5, "%04u", i);
		url[4] = 'x';
		entry.url = slice_make(url, URL_MAX_BYTES);
		block_writer_add(writer, &entry);
	}
	block_writer_finish(writer);
	block_writer_free(writer);
	assert_true(list.count > 4);
	for (size_t i = 0; i < list.count; i++)
		assert_true(list.items[i].len < 2u << 20);
	struct block_reader *reader = block_reader_new(list_pull, &source);
	while (block_next(reader, &entry)) {
		assert_int_equal(entry.url.len, URL_MAX_BYTES);
		n++;
	}
	assert_false(block_reader_damaged(reader));
	assert_int_equal(n, 200);
	block_reader_free(reader);
	block_list_release(&list);
	free(url);
}

/* Blocks made by hand. */

struct made {
	const char *what;
	uint8_t version;
	uint32_t count;
	int64_t lengths[URL_COLUMNS][3];
	const char *own;
	const char *urls; /* frame 1; NULL: the first form of lengths and own */
	int64_t values[ENTRY_COLUMNS][3];
	const char *trailing; /* behind the numbers */
	bool is_good;
};

#define TWO_URLS .count = 2, .lengths = {{0, 1}, {2, 1}}, .own = "abc"
#define TWO_URLS_NOW     \
	.count = 2,      \
	.urls = "\x80"   \
		"ab\x82" \
		"c"

static const struct made made[] = {
    {"good", 1, TWO_URLS, .is_good = true},
    {"good now", 3, TWO_URLS_NOW, .is_good = true},
    {"a version of tomorrow", 5, TWO_URLS_NOW},
    {"URLs of the first form", 3, TWO_URLS},
    {"URLs of today in the first form", 1, TWO_URLS_NOW},
    {"no entries now", 3, .urls = ""},
    {"shares with nothing now", 3, .count = 1,
	.urls = "\x81"
		"ab"},
    {"shares more than there is now", 3, .count = 2,
	.urls = "\x80"
		"a\x82"
		"b"},
    {"an empty URL now", 3, .count = 2,
	.urls = "\x80"
		"ab\x82"},
    {"the same URL twice now", 3, .count = 2,
	.urls = "\x80"
		"ab\x80"
		"ab"},
    {"descending now", 3, .count = 2,
	.urls = "\x80"
		"b\x80"
		"a"},
    {"begins like the URL before, and descends", 3, .count = 2,
	.urls = "\x80"
		"aac\x81"
		"ab"},
    {"says that it shares less", 3, .count = 2,
	.urls = "\x80"
		"aab\x81"
		"ac",
	.is_good = true},
    {"a byte of no URL", 3, .count = 1,
	.urls = "a\x80"
		"b"},
    {"more URLs than it says", 3, .count = 1,
	.urls = "\x80"
		"a\x80"
		"b"},
    {"fewer URLs than it says", 3, .count = 3,
	.urls = "\x80"
		"a\x80"
		"b"},
    {"a blank now", 3, .count = 1,
	.urls = "\x80"
		"a "},
    {"a precision of 7 now", 3, TWO_URLS_NOW,
	.values = {[ENTRY_META] = {0, 7}}},
    {"more numbers now", 3, TWO_URLS_NOW, .trailing = "x"},
    {"no version", 0, TWO_URLS},
    {"no entries", 1, .own = ""},
    {"shares with nothing", 1, .count = 1, .lengths = {{1}, {2}}, .own = "ab"},
    {"shares more than there is", 1, .count = 2, .lengths = {{0, 3}, {2, 1}},
	.own = "abc"},
    {"an empty URL", 1, .count = 2, .lengths = {{0, 2}, {2, 0}}, .own = "ab"},
    {"the same URL twice", 1, .count = 2, .lengths = {{0, 0}, {2, 2}},
	.own = "abab"},
    {"descending", 1, .count = 2, .lengths = {{0, 0}, {1, 1}}, .own = "ba"},
    {"shares less than it could", 1, .count = 2, .lengths = {{0, 0}, {1, 2}},
	.own = "aab", .is_good = true},
    {"a negative length", 1, .count = 2, .lengths = {{0, 0}, {3, -1}},
	.own = "ab"},
    {"too few bytes", 1, .count = 2, .lengths = {{0, 1}, {2, 2}}, .own = "abc"},
    {"too many bytes", 1, .count = 1, .lengths = {{0}, {2}}, .own = "abc"},
    {"a blank", 1, .count = 1, .lengths = {{0}, {2}}, .own = "a "},
    {"a control", 1, .count = 1, .lengths = {{0}, {2}}, .own = "a\x7f"},
    {"not ASCII", 1, .count = 1, .lengths = {{0}, {2}}, .own = "a\xe4"},
    {"a precision of 7", 1, TWO_URLS, .values = {[ENTRY_META] = {0, 7}}},
    {"a zone of 3", 1, TWO_URLS, .values = {[ENTRY_META] = {5, 5 | 3 << 3}}},
    {"missed and held", 1, TWO_URLS, .values = {[ENTRY_META] = {96, 0}}},
    {"refused", 1, TWO_URLS, .values = {[ENTRY_META] = {8 << 7, 5 | 1 << 7}},
	.is_good = true},
    {"a verdict of tomorrow", 1, TWO_URLS,
	.values = {[ENTRY_META] = {9 << 7, 0}}},
    {"a verdict of 16", 1, TWO_URLS, .values = {[ENTRY_META] = {16 << 7, 0}}},
    {"meta below 0", 1, TWO_URLS, .values = {[ENTRY_META] = {-1, 0}}},
    {"a whole second of nanoseconds", 1, TWO_URLS,
	.values = {[ENTRY_NANOS] = {1000000000, 0}}},
    {"a time that overflows", 1, TWO_URLS,
	.values = {[ENTRY_EPOCH] = {INT64_MIN, INT64_MAX}}},
    {"first seen out of range", 1, TWO_URLS,
	.values = {[ENTRY_FIRST_SEEN] = {INT64_MAX, 0}}},
    {"an ordinal over 32 bits", 1, TWO_URLS,
	.values = {[ENTRY_ORDINAL] = {1L << 32, 0}}},
    {"hints over a byte", 1, TWO_URLS, .values = {[ENTRY_HINTS] = {256, 0}}},
    {"extensions over two bytes", 1, TWO_URLS,
	.values = {[ENTRY_EXTENSIONS] = {65536, 0}}},
    {"more numbers", 1, TWO_URLS, .trailing = "x"},
};

/* A zstd frame of one block that is not packed (RFC 8878 section 3.1). */
static void
pack(struct buf *head, struct buf *frames, struct buf *raw)
{
	const uint32_t block = 1 | (uint32_t)raw->len << 3;

	assert_true(raw->len < 1024);
	wire_put_varint(head, raw->len);
	wire_put_varint(head, raw->len + 9);
	wire_put_fixed(frames, 4, 0xfd2fb528);
	wire_put_fixed(frames, 1, 0); /* no size, no checksum */
	wire_put_fixed(frames, 1, 0); /* a window of 1 KiB */
	wire_put_fixed(frames, 1, (uint8_t)block);
	wire_put_fixed(frames, 1, (uint8_t)(block >> 8));
	wire_put_fixed(frames, 1, (uint8_t)(block >> 16));
	assert_true(buf_put_slice(frames, buf_text(raw)));
	buf_clear(raw);
}

/* A column as it was before its last plane was packed: in eight planes. */
static void
put_first_form(struct buf *out, const int64_t *values, uint32_t count)
{
	wire_put_varint(out, 0);
	wire_put_fixed(out, 1, 8);
	wire_put_varint(out, 1);
	for (unsigned p = 0; p < 8; p++)
		for (uint32_t i = 0; i < count; i++)
			wire_put_fixed(
			    out, 1, (uint8_t)((uint64_t)values[i] >> 8 * p));
}

static void
make(const struct made *m, struct buf *out)
{
	static const uint32_t units[] = {1};
	struct buf frames;
	struct buf raw;

	buf_init(&frames, SIZE_MAX);
	buf_init(&raw, SIZE_MAX);
	wire_put_fixed(out, 1, m->version);
	wire_put_varint(out, m->count);
	for (unsigned i = 0; m->urls == NULL && i < URL_COLUMNS; i++)
		put_first_form(&raw, m->lengths[i], m->count);
	(void)buf_put_slice(&raw, slice_of(m->urls == NULL ? m->own : m->urls));
	pack(out, &frames, &raw);
	for (unsigned i = 0; i < ENTRY_COLUMNS; i++)
		if (m->version <= BLOCK_FORM)
			put_first_form(&raw, m->values[i], m->count);
		else if (m->count > 0)
			column_put(&raw, m->values[i], m->count, units);
	(void)buf_put_slice(&raw, slice_of(m->trailing));
	pack(out, &frames, &raw);
	(void)buf_put_slice(out, buf_text(&frames));
	buf_release(&frames);
	buf_release(&raw);
}

/* read_all(list, count): false when the blocks are damaged. */
static bool
read_all(const struct block_list *list, uint64_t *count)
{
	struct list_source source = {list, 0};
	struct block_reader *reader = block_reader_new(list_pull, &source);
	struct entry entry;

	*count = 0;
	while (block_next(reader, &entry)) {
		assert_true(entry.url.len > 0);
		assert_true(entry.lastmod.precision <= DATE_FRACTION);
		++*count;
	}
	bool is_good = !block_reader_damaged(reader);
	block_reader_free(reader);
	return is_good;
}

static void
test_made(void **state)
{
	for (size_t i = 0; i < COUNT(made); i++) {
		struct block_list list = {0};
		uint64_t count;
		struct buf out;

		buf_init(&out, SIZE_MAX);
		make(&made[i], &out);
		block_list_add(&list, &(struct block){.data = buf_text(&out)});
		if (read_all(&list, &count) != made[i].is_good)
			fail_msg("%s", made[i].what);
		block_list_release(&list);
		buf_release(&out);
	}
}

/* With the room around it, the claimed size of a frame is no number of 64 bits.
 */
static void
test_huge_frame(void **state)
{
	struct block_list list = {0};
	struct buf head, frames, raw, out;
	uint64_t count;

	buf_init(&head, SIZE_MAX);
	buf_init(&frames, SIZE_MAX);
	buf_init(&raw, SIZE_MAX);
	buf_init(&out, SIZE_MAX);
	for (int i = 0; i < 1000; i++)
		(void)buf_put_char(&raw, 'a');
	pack(&head, &frames, &raw);
	wire_put_fixed(&out, 1, BLOCK_OF_ENTRIES);
	wire_put_varint(&out, 1);
	wire_put_varint(&out, UINT64_MAX - 7);
	wire_put_varint(&out, frames.len);
	wire_put_varint(&out, 1);
	wire_put_varint(&out, 0);
	(void)buf_put_slice(&out, buf_text(&frames));
	block_list_add(&list, &(struct block){.data = buf_text(&out)});
	assert_false(read_all(&list, &count));
	block_list_release(&list);
	buf_release(&head);
	buf_release(&frames);
	buf_release(&raw);
	buf_release(&out);
}

/* The order holds from block to block. */
static void
test_block_order(void **state)
{
	struct block_list list = {0};
	struct block_list twice = {0};
	uint64_t count;

	make_blocks(&list, 2 * BLOCK_FILL, 0);
	struct block_copy first = list.items[0];
	list.items[0] = list.items[1];
	list.items[1] = first;
	assert_false(read_all(&list, &count));
	assert_int_equal(count, BLOCK_FILL);
	for (int i = 0; i < 2; i++)
		block_list_add(&twice,
		    &(struct block){
			.data = slice_make(first.data, first.len),
		    });
	assert_false(read_all(&twice, &count));
	block_list_release(&twice);
	block_list_release(&list);
}

/* S9: cut anywhere, or with any bits turned, a block crashes nothing. */
static void
test_cut(void **state)
{
	struct block_list list = {0};
	uint64_t count;

	make_blocks(&list, 200, 0);
	size_t len = list.items[0].len;
	for (list.items[0].len = 1; list.items[0].len < len;
	     list.items[0].len++)
		assert_false(read_all(&list, &count));
	block_list_release(&list);
}

static void
test_bit_flips(void **state)
{
	struct block_list list = {0};
	uint64_t seed = 42;
	uint64_t count;

	make_blocks(&list, 300, 0);
	for (unsigned i = 0; i < 5000; i++) {
		size_t at[3];

		for (unsigned k = 0; k <= i % 3; k++) {
			seed = seed * 6364136223846793005u +
			    1442695040888963407u;
			at[k] = (seed >> 20) % (list.items[0].len * 8);
			list.items[0].data[at[k] / 8] ^= (char)(1 << at[k] % 8);
		}
		(void)read_all(&list, &count);
		assert_true(count <= BLOCK_ENTRIES);
		for (unsigned k = 0; k <= i % 3; k++)
			list.items[0].data[at[k] / 8] ^= (char)(1 << at[k] % 8);
	}
	assert_true(read_all(&list, &count));
	assert_int_equal(count, 300);
	block_list_release(&list);
}

/* The frames inside, with their bits turned: what zstd cannot notice. */
static void
test_inner_flips(void **state)
{
	uint64_t seed = 7;
	uint64_t count;

	for (unsigned i = 0; i < 3000; i++) {
		struct block_list list = {0};
		struct made m = made[i % 2]; /* both forms */
		struct buf out;
		unsigned char *bytes = (unsigned char *)m.values;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		bytes[(seed >> 20) % sizeof(m.values)] ^=
		    (unsigned char)(seed >> 50);
		m.lengths[seed >> 41 & 1][seed >> 42 & 1] += (int64_t)(seed >>
								     43 &
								 7) -
		    3;
		buf_init(&out, SIZE_MAX);
		make(&m, &out);
		block_list_add(&list, &(struct block){.data = buf_text(&out)});
		(void)read_all(&list, &count);
		assert_true(count <= 2);
		block_list_release(&list);
		buf_release(&out);
	}
}

/* Offsets of every width, and bytes that are not full. */
static void
test_columns(void **state)
{
	static const uint32_t units[] = {1};
	int64_t values[17] = {0}, got[17];
	struct column_range range;
	struct buf out;

	buf_init(&out, SIZE_MAX);
	for (unsigned turn = 0; turn < 2 * 63; turn++)
		for (uint32_t count = 1; count <= COUNT(values); count++) {
			uint64_t most = (UINT64_C(1) << turn / 2) - 1;
			struct wire in;

			/* The first one has all bits; or the values rise. */
			for (uint32_t i = 0; i < count; i++)
				values[i] = turn % 2 == 0
				    ? (int64_t)(most >> i) - 9
				    : (int64_t)(most >> i / 9) + i;
			buf_clear(&out);
			column_put(&out, values, count, units);
			in = (struct wire){buf_text(&out), true};
			assert_true(column_get(&in, got, count, false, &range));
			assert_int_equal(in.in.len, 0);
			assert_memory_equal(
			    got, values, count * sizeof(*values));
			for (uint32_t i = 0; i < count; i++)
				assert_true(got[i] >= range.least &&
				    got[i] <= range.most);
			in = (struct wire){buf_text(&out), true};
			in.in.len--;
			assert_false(
			    column_get(&in, got, count, false, &range));
		}
	buf_release(&out);
}

/* Heads of columns that an honest writer never makes: the range holds what the
 * values are, whatever the number of bits says. */
static void
test_ranges(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} columns[] = {
	    /* 5, three bits of which the plane has room for four: 5, 20 */
	    {"\x0a\x03\x01\xf0", 4},
	    /* five bits, and a byte of each: 0, 255 */
	    {"\x00\x05\x01\x00\xff", 5},
	    /* the unit overflows: 0, 2 * 2^63 */
	    {"\x00\x02\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\x08", 13},
	    /* from the greatest number on, rising: it wraps */
	    {"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x80", 11},
	    /* the same with a bit: 0 and 1 */
	    {"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01\x01\x02", 13},
	    /* 64 bits: 0, 2^64 - 1 */
	    {"\x00\x40\x01\x00\xff\x00\xff\x00\xff\x00\xff\x00\xff\x00"
	     "\xff\x00\xff\x00\xff",
		19}};

	for (size_t i = 0; i < COUNT(columns); i++) {
		struct wire in = {
		    slice_make(columns[i].bytes, columns[i].len), true};
		struct column_range range;
		int64_t got[2];

		assert_true(column_get(&in, got, 2, false, &range));
		assert_int_equal(in.in.len, 0);
		for (size_t k = 0; k < 2; k++)
			assert_true(
			    got[k] >= range.least && got[k] <= range.most);
	}
}

UNIT_TESTS(block, cmocka_unit_test(test_ranges),
    cmocka_unit_test(test_round_trip), cmocka_unit_test(test_urls_only),
    cmocka_unit_test(test_hurry), cmocka_unit_test(test_changes),
    cmocka_unit_test(test_long_prefixes), cmocka_unit_test(test_long_urls),
    cmocka_unit_test(test_columns), cmocka_unit_test(test_made),
    cmocka_unit_test(test_huge_frame), cmocka_unit_test(test_block_order),
    cmocka_unit_test(test_cut), cmocka_unit_test(test_bit_flips),
    cmocka_unit_test(test_inner_flips));
