/*
 * Blocks of segments and deltas: what is written is read back, and of what
 * was damaged, or never written by us, only what keeps every promise.
 *
 *	byte 0: FORM; of entries or of changes; FORM 1: of the first form?
 *	FORM 0: rest: a block as it is stored
 *	FORM 1: number of entries, length of frame 1, frame 1, frame 2, which
 *	        are packed here: the columns themselves are arbitrary
 *	FORM 2: how it is damaged; then names and numbers, a line each
 *	FORM 3: names, a line each, which are numbered
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/names.h"
#include "base/wire.h"
#include "store/segment/block.h"
#include "store/segment/bloom.h"
#include "store/segment/column.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/fuzz.h"

#define NAME_MAX_BYTES 64
#define ITEMS_MAX 64

/* One line: its name, and numbers made of its bytes. */
struct item {
	char url[NAME_MAX_BYTES];
	size_t len;
	uint64_t seed;
};

static void
put_packed(struct buf *out, struct slice raw)
{
	size_t room = ZSTD_compressBound(raw.len);
	bool fits = buf_reserve(out, room);

	assert(fits);
	size_t n = ZSTD_compress(out->p + out->len, room, raw.p, raw.len, 1);
	assert(!ZSTD_isError(n));
	out->len += n;
}

/* The sizes are right whatever the frames are, so that the fuzzer reaches the
 * code behind the checks of sizes. */
static void
run_frames(struct slice in, bool has_changes, bool is_first_form)
{
	struct buf packed[2];
	struct slice raw[2];
	bool is_damaged;
	struct buf out;

	if (in.len < 2)
		return;
	size_t first = (unsigned char)in.p[1];
	unsigned count = (unsigned char)in.p[0];
	in = slice_from(in, 2);
	if (first > in.len)
		first = in.len;
	raw[0] = slice_make(in.p, first);
	raw[1] = slice_from(in, first);
	buf_init(&out, 1 << 20);
	int version = has_changes ? BLOCK_OF_CHANGES : BLOCK_OF_ENTRIES;
	wire_put_fixed(
	    &out, 1, (uint8_t)(is_first_form ? version - BLOCK_FORM : version));
	wire_put_varint(&out, count);
	for (unsigned i = 0; i < 2; i++) {
		buf_init(&packed[i], 1 << 20);
		put_packed(&packed[i], raw[i]);
		wire_put_varint(&out, raw[i].len);
		wire_put_varint(&out, packed[i].len);
	}
	for (unsigned i = 0; i < 2; i++) {
		(void)buf_put_slice(&out, buf_text(&packed[i]));
		buf_release(&packed[i]);
	}
	unsigned got = check_block(buf_text(&out), has_changes, &is_damaged);
	assert(is_damaged || got == count);
	buf_release(&out);
}

/* Items. */

static int
by_url(const void *a, const void *b)
{
	const struct item *x = a;
	const struct item *y = b;

	return slice_order(
	    slice_make(x->url, x->len), slice_make(y->url, y->len));
}

/* Read the lines, sort them, and drop repeated URLs. */
static size_t
read_items(struct slice in, struct item items[ITEMS_MAX])
{
	size_t count = 0;
	size_t kept = 0;

	while (in.len > 0 && count < ITEMS_MAX) {
		struct item *item = &items[count];
		const char *end = memchr(in.p, '\n', in.len);
		size_t n = end == NULL ? in.len : (size_t)(end - in.p);

		*item = (struct item){.seed = n};
		for (size_t i = 0; i < n; i++) {
			unsigned char c = (unsigned char)in.p[i];

			item->seed = item->seed * 0x9e3779b97f4a7c15u + c;
			if (c > ' ' && c < 0x7f && item->len < NAME_MAX_BYTES)
				item->url[item->len++] = (char)c;
		}
		if (item->len > 0)
			count++;
		in = slice_from(in, end == NULL ? n : n + 1);
	}
	if (count > 0)
		qsort(items, count, sizeof(*items), by_url);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || by_url(&items[kept - 1], &items[i]) != 0)
			items[kept++] = items[i];
	return kept;
}

static struct date
date_of(uint64_t seed)
{
	if (seed % 7 == DATE_NONE)
		return (struct date){0};
	return (struct date){
	    .epoch_s = (int64_t)(seed >> 24) - ((int64_t)1 << 39),
	    .nanos = (uint32_t)(seed >> 8) % 1000000000,
	    .precision = (uint8_t)(seed % 7),
	    .zone = (uint8_t)(seed >> 4) % 3};
}

static struct entry
entry_of(const struct item *item, size_t ordinal)
{
	uint64_t seed = item->seed;
	bool is_missed = seed >> 63 > 0;

	/* the time of a missed entry stands where others have the ordinal */
	return (struct entry){.url = slice_make(item->url, item->len),
	    .lastmod = date_of(seed),
	    .first_seen_s = (int64_t)(seed >> 32),
	    .redated_s = (int64_t)(seed >> 40),
	    .ordinal = is_missed ? 0 : (uint32_t)ordinal,
	    .absent_s = is_missed ? (uint32_t)ordinal : 0,
	    .extensions = (uint16_t)(seed >> 5),
	    .hints = (uint8_t)(seed >> 9),
	    .missed = is_missed,
	    .verdict = (uint8_t)(seed >> 50 & 7) % VERDICTS};
}

static struct change
change_of(const struct item *item)
{
	return (struct change){.url = slice_make(item->url, item->len),
	    .kind = (uint8_t)(item->seed % DELTA_KINDS),
	    .verdict = (uint8_t)(item->seed >> 50 & 7) % VERDICTS,
	    .before = date_of(item->seed),
	    .after = date_of(item->seed * 31)};
}

static bool
is_same_date(const struct date *a, const struct date *b)
{
	return a->epoch_s == b->epoch_s && a->nanos == b->nanos &&
	    a->precision == b->precision && a->zone == b->zone;
}

static bool
is_same_entry(const struct entry *a, const struct entry *b)
{
	return slice_equal(a->url, b->url) &&
	    is_same_date(&a->lastmod, &b->lastmod) &&
	    a->first_seen_s == b->first_seen_s &&
	    a->redated_s == b->redated_s && a->ordinal == b->ordinal &&
	    a->absent_s == b->absent_s && a->extensions == b->extensions &&
	    a->hints == b->hints && a->missed == b->missed &&
	    a->verdict == b->verdict;
}

static bool
is_same_change(const struct change *a, const struct change *b)
{
	return slice_equal(a->url, b->url) && a->kind == b->kind &&
	    a->verdict == b->verdict && is_same_date(&a->before, &b->before) &&
	    is_same_date(&a->after, &b->after);
}

static void
write_items(struct block_list *list, const struct item *items, size_t count,
    bool has_changes)
{
	struct block_writer *writer = block_writer_new(block_list_add, list, 0);

	for (size_t i = 0; i < count; i++) {
		struct entry entry = entry_of(&items[i], i);
		struct change change = change_of(&items[i]);

		if (has_changes)
			block_writer_add_change(writer, &change);
		else
			block_writer_add(writer, &entry);
	}
	block_writer_finish(writer);
	block_writer_free(writer);
}

static void
check_written(const struct block_list *list, const struct item *items,
    size_t count, bool has_changes)
{
	struct block_walk walk = {.list = list};
	struct block_reader *reader = block_reader_new(block_walk_pull, &walk);
	struct change change;
	struct entry entry;

	for (size_t i = 0; i < count; i++) {
		struct entry wrote = entry_of(&items[i], i);
		struct change told = change_of(&items[i]);
		bool is_there = has_changes ? block_next_change(reader, &change)
					    : block_next(reader, &entry);

		assert(is_there);
		if (has_changes)
			assert(is_same_change(&change, &told));
		else
			assert(is_same_entry(&entry, &wrote));
	}
	assert(has_changes ? !block_next_change(reader, &change)
			   : !block_next(reader, &entry));
	assert(!block_reader_damaged(reader));
	block_reader_free(reader);
}

/* The block index agrees with the block. */
static void
check_block_index(
    const struct block_copy *copy, const struct item *items, size_t count)
{
	struct slice bloom = slice_make(copy->bloom, copy->bloom_len);

	assert(copy->count == count);
	assert(slice_equal(
	    slice_of(copy->first_url), slice_make(items[0].url, items[0].len)));
	assert(slice_equal(slice_of(copy->last_url),
	    slice_make(items[count - 1].url, items[count - 1].len)));
	for (size_t i = 0; i < count; i++)
		assert(bloom_passes(
		    bloom, bloom_key(slice_make(items[i].url, items[i].len))));
}

static void
run_items(struct slice in, bool has_changes)
{
	struct block_list list = {0};
	struct item items[ITEMS_MAX];
	bool is_damaged;

	if (in.len < 4)
		return;
	const unsigned char *how = (const unsigned char *)in.p;
	size_t count = read_items(slice_from(in, 4), items);
	if (count == 0)
		return;
	write_items(&list, items, count, has_changes);
	assert(list.count == 1);
	check_written(&list, items, count, has_changes);
	check_block_index(&list.items[0], items, count);

	struct block_copy *copy = &list.items[0];
	size_t len = (how[3] & 1) != 0 ? how[2] * copy->len / 256 : copy->len;
	copy->data[how[0] * copy->len / 256] ^= (char)how[1];
	(void)check_block(
	    slice_make(copy->data, len), has_changes, &is_damaged);
	(void)check_block(
	    slice_make(copy->data, len), !has_changes, &is_damaged);
	block_list_release(&list);
}

/* Equal names get equal numbers; the numbers of others rise in order. */
static void
run_names(struct slice in)
{
	struct slice kept[ITEMS_MAX];
	struct names names;
	uint32_t count = 0;

	names = (struct names){.key = in.len};
	while (in.len > 0 && count < ITEMS_MAX) {
		const char *end = memchr(in.p, '\n', in.len);
		size_t n = end == NULL ? in.len : (size_t)(end - in.p);
		struct slice name = slice_make(in.p, n);
		uint32_t expected = 0;

		in = slice_from(in, end == NULL ? n : n + 1);
		if (n == 0 || memchr(name.p, '\0', n) != NULL)
			continue;
		while (expected < count && !slice_equal(kept[expected], name))
			expected++;
		assert(names_find(&names, name) ==
		    (expected < count ? expected : NAMES_NONE));
		uint32_t number = names_put(&names, name);
		assert(number == expected);
		assert(slice_is(name, names_text(&names, number)));
		if (expected == count)
			kept[count++] = name;
	}
	assert(names.count == count);
	names_release(&names);
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
	bool is_damaged;

	if (size < 2)
		return 0;
	struct slice in = slice_make((const char *)data + 1, size - 1);
	bool has_changes = (data[0] & 1) != 0;
	switch (data[0] >> 1 & 3) {
	case 0:
		(void)check_block(in, has_changes, &is_damaged);
		break;
	case 1:
		run_frames(in, has_changes, (data[0] & 8) != 0);
		break;
	case 2:
		run_items(in, has_changes);
		break;
	default:
		run_names(in);
	}
	return 0;
}
