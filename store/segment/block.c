/* Writing blocks: front-coded URLs, columns of numbers, two zstd frames. */
#include "store/segment/block.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/url.h"
#include "store/segment/bloom.h"
#include "store/segment/column.h"

/* Blocks of very long URLs are cut here, far below what a row may hold. */
#define BLOCK_CUT_BYTES (1u << 20)
#define FRAME_MAX_BYTES (BLOCK_CUT_BYTES + URL_MAX_BYTES + (1u << 19))
#define COLUMNS_MAX ENTRY_COLUMNS
#define LEVEL 1 /* of zstd */
#define LEVEL_IN_A_HURRY (-100) /* an eighth of the time, twice the bytes */

static_assert((int)CHANGE_COLUMNS < (int)COLUMNS_MAX, "room for changes");
static_assert(FRAME_MAX_BYTES < BLOCK_MAX_BYTES / 2, "two frames fit");

struct block_writer {
	block_fn *emit;
	void *arg;
	ZSTD_CCtx *zstd; /* NULL until the first block is full */
	bool is_in_a_hurry;
	enum block_version version;
	uint32_t count;
	struct buf last; /* the URL added last */
	struct buf first;
	struct buf own; /* the bytes that URLs do not share */
	struct buf raw; /* a frame before zstd */
	struct buf frames; /* both, packed */
	struct buf out;
	struct buf bloom;
	uint64_t keys[BLOCK_ENTRIES]; /* of the Bloom filter; entries only */
	int64_t lengths[URL_COLUMNS][COLUMN_ROOM];
	int64_t values[COLUMNS_MAX][COLUMN_ROOM];
	bool is_dated[2]; /* of the two dates of a change, and of an entry's */
};

struct block_writer *
block_writer_new(block_fn *emit, void *arg)
{
	/* Not zeroed: most documents touch a small part of the columns. */
	struct block_writer *writer = mem_alloc(sizeof(*writer));

	writer->emit = emit;
	writer->arg = arg;
	writer->zstd = NULL;
	writer->is_in_a_hurry = false;
	writer->version = BLOCK_OF_ENTRIES;
	writer->count = 0;
	writer->is_dated[0] = writer->is_dated[1] = false;
	buf_init(&writer->last, URL_MAX_BYTES);
	buf_init(&writer->first, URL_MAX_BYTES);
	buf_init(&writer->own, BLOCK_CUT_BYTES + URL_MAX_BYTES);
	buf_init(&writer->raw, FRAME_MAX_BYTES);
	buf_init(&writer->frames, BLOCK_MAX_BYTES);
	buf_init(&writer->out, BLOCK_MAX_BYTES);
	buf_init(&writer->bloom, BLOOM_MAX_BYTES);
	return writer;
}

void
block_writer_hurry(struct block_writer *writer)
{
	writer->is_in_a_hurry = true;
}

void
block_writer_free(struct block_writer *writer)
{
	if (writer == NULL)
		return;
	ZSTD_freeCCtx(writer->zstd);
	buf_release(&writer->last);
	buf_release(&writer->first);
	buf_release(&writer->own);
	buf_release(&writer->raw);
	buf_release(&writer->frames);
	buf_release(&writer->out);
	buf_release(&writer->bloom);
	free(writer);
}

/* Append to a buffer whose ceiling cannot be met. */
static void
put(struct buf *buf, struct slice bytes)
{
	bool is_put = buf_put_slice(buf, bytes);

	assert(is_put);
}

/* Pack raw behind the frames so far; both sizes go into the head. */
static void
put_frame(struct block_writer *writer)
{
	struct buf *to = &writer->frames;
	size_t bound = ZSTD_compressBound(writer->raw.len);
	bool is_there = buf_reserve(to, bound);

	assert(is_there);
	if (writer->zstd == NULL) {
		writer->zstd = ZSTD_createCCtx();
		if (writer->zstd == NULL)
			no_memory();
		ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel,
		    writer->is_in_a_hurry ? LEVEL_IN_A_HURRY : LEVEL);
		ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_contentSizeFlag, 0);
	}
	size_t n = ZSTD_compress2(writer->zstd, to->p + to->len, bound,
	    writer->raw.p, writer->raw.len);
	assert(!ZSTD_isError(n));
	to->len += n;
	wire_put_varint(&writer->out, writer->raw.len);
	wire_put_varint(&writer->out, n);
	buf_clear(&writer->raw);
}

static const uint32_t *
column_units(enum block_version version, unsigned column)
{
	static const uint32_t none[] = {1};
	static const uint32_t times[] = {86400, 60, 1};
	static const uint32_t fractions[] = {1000000, 1000, 1};

	if (version == BLOCK_OF_ENTRIES
		? column == ENTRY_EPOCH
		: column == CHANGE_BEFORE_EPOCH || column == CHANGE_AFTER_EPOCH)
		return times;
	if (version == BLOCK_OF_ENTRIES
		? column == ENTRY_NANOS
		: column == CHANGE_BEFORE_NANOS || column == CHANGE_AFTER_NANOS)
		return fractions;
	return none;
}

void
block_writer_finish(struct block_writer *writer)
{
	static const uint32_t lengths_units[] = {1};
	unsigned columns = writer->version == BLOCK_OF_ENTRIES
	    ? (unsigned)ENTRY_COLUMNS
	    : (unsigned)CHANGE_COLUMNS;

	if (writer->count == 0)
		return;
	buf_clear(&writer->out);
	buf_clear(&writer->frames);
	wire_put_u8(&writer->out, (uint8_t)writer->version);
	wire_put_varint(&writer->out, writer->count);
	for (unsigned i = 0; i < URL_COLUMNS; i++)
		column_put(&writer->raw, writer->lengths[i], writer->count,
		    lengths_units);
	put(&writer->raw, buf_text(&writer->own));
	put_frame(writer);
	for (unsigned i = 0; i < columns; i++)
		column_put(&writer->raw, writer->values[i], writer->count,
		    column_units(writer->version, i));
	put_frame(writer);
	put(&writer->out, buf_text(&writer->frames));

	buf_clear(&writer->bloom);
	if (writer->version == BLOCK_OF_ENTRIES && !writer->is_in_a_hurry)
		bloom_make(&writer->bloom, writer->keys, writer->count);
	struct block block = {
	    .data = buf_text(&writer->out),
	    .first_url = buf_text(&writer->first),
	    .last_url = buf_text(&writer->last),
	    .count = writer->count,
	    .bloom = buf_text(&writer->bloom),
	};
	writer->emit(writer->arg, &block);
	writer->count = 0;
	writer->is_dated[0] = writer->is_dated[1] = false;
	buf_clear(&writer->own);
}

static size_t
shared_prefix(struct slice a, struct slice b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	size_t i = 0;

	for (; i + 8 <= n; i += 8)
		if (memcmp(a.p + i, b.p + i, 8) != 0)
			break;
	while (i < n && a.p[i] == b.p[i])
		i++;
	return i;
}

/* The place of the next one in the columns. */
static uint32_t
add_url(
    struct block_writer *writer, enum block_version version, struct slice url)
{
	assert(url.len > 0 && url.len <= URL_MAX_BYTES);
	assert(writer->count == 0 || writer->version == version);
	if (writer->count == BLOCK_ENTRIES || writer->own.len > BLOCK_CUT_BYTES)
		block_writer_finish(writer);

	size_t shared = 0;
	if (writer->count > 0) {
		struct slice last = buf_text(&writer->last);

		shared = shared_prefix(last, url);
		assert(shared < url.len &&
		    (shared == last.len ||
			(unsigned char)url.p[shared] >
			    (unsigned char)last.p[shared]));
	} else {
		buf_clear(&writer->first);
		put(&writer->first, url);
	}
	struct slice own = slice_from(url, shared);
	writer->version = version;
	writer->last.len = writer->last.len < shared ? writer->last.len
						     : shared;
	put(&writer->last, own);
	put(&writer->own, own);
	writer->lengths[URL_SHARED][writer->count] = (int64_t)shared;
	writer->lengths[URL_OWN][writer->count] = (int64_t)own.len;
	return writer->count++;
}

/*
 * One without a date gets its neighbour's instant, which costs nothing and
 * leaves the least value of the column alone; meta says that it has none.
 */
static void
add_date(struct block_writer *writer, unsigned column, uint32_t at,
    const struct date *date)
{
	bool *is_dated = &writer->is_dated[column != 0];
	int64_t *epochs = writer->values[column];

	writer->values[column + 1][at] = 0;
	writer->values[column + 2][at] = 0;
	if (date->precision == DATE_NONE) {
		epochs[at] = at == 0 ? 0 : epochs[at - 1];
		return;
	}
	if (!*is_dated)
		for (uint32_t i = 0; i < at; i++)
			epochs[i] = date->epoch_s;
	*is_dated = true;
	epochs[at] = date->epoch_s;
	writer->values[column + 1][at] = date->nanos;
	writer->values[column + 2][at] = date->precision |
	    date->zone << META_ZONE_SHIFT;
}

void
block_writer_add(struct block_writer *writer, const struct entry *entry)
{
	uint32_t at = add_url(writer, BLOCK_OF_ENTRIES, entry->url);

	if (!writer->is_in_a_hurry)
		writer->keys[at] = bloom_key(entry->url);
	add_date(writer, ENTRY_EPOCH, at, &entry->lastmod);
	writer->values[ENTRY_META][at] |= entry->missed << META_MISSED_SHIFT |
	    entry->is_held << META_HELD_SHIFT |
	    entry->verdict << META_VERDICT_SHIFT;
	writer->values[ENTRY_FIRST_SEEN][at] = entry->first_seen_s;
	writer->values[ENTRY_REDATED][at] = entry->redated_s;
	writer->values[ENTRY_ORDINAL][at] = entry->ordinal;
	writer->values[ENTRY_HINTS][at] = entry->hints;
	writer->values[ENTRY_EXTENSIONS][at] = entry->extensions;
}

void
block_writer_add_change(
    struct block_writer *writer, const struct change *change)
{
	uint32_t at = add_url(writer, BLOCK_OF_CHANGES, change->url);

	add_date(writer, CHANGE_BEFORE_EPOCH, at, &change->before);
	add_date(writer, CHANGE_AFTER_EPOCH, at, &change->after);
	writer->values[CHANGE_AFTER_META][at] |= change->verdict
		<< META_VERDICT_SHIFT |
	    change->was_listed << META_HELD_SHIFT;
	writer->values[CHANGE_KIND][at] = change->kind;
}
