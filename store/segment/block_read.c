/* Reading blocks: bytes that a subverted reader may have chosen. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/url.h"
#include "store/segment/block.h"
#include "store/segment/column.h"

#define URLS_MAX_BYTES (4u * BLOCK_MAX_BYTES)

struct block_reader {
	block_pull_fn *pull;
	void *arg;
	ZSTD_DCtx *zstd;
	bool is_damaged;
	bool is_ended;
	uint8_t version; /* of the block at hand */
	uint32_t count;
	uint32_t at;
	struct buf frames[2]; /* unpacked */
	struct slice own; /* what is left of the URLs' own bytes */
	struct buf url; /* the last one; the next shares its front */
	int64_t lengths[URL_COLUMNS][COLUMN_ROOM];
	int64_t values[ENTRY_COLUMNS][COLUMN_ROOM];
};

struct block_reader *
block_reader_new(block_pull_fn *pull, void *arg)
{
	/* Not zeroed: most documents touch a small part of the columns. */
	struct block_reader *reader = mem_alloc(sizeof(*reader));

	reader->pull = pull;
	reader->arg = arg;
	reader->zstd = NULL;
	reader->is_damaged = reader->is_ended = false;
	reader->count = reader->at = 0;
	buf_init(&reader->frames[0], URLS_MAX_BYTES);
	buf_init(&reader->frames[1],
	    ENTRY_COLUMNS * column_max_bytes(BLOCK_ENTRIES));
	buf_init(&reader->url, URL_MAX_BYTES);
	(void)buf_reserve(&reader->url, URL_MAX_BYTES);
	return reader;
}

void
block_reader_free(struct block_reader *reader)
{
	if (reader == NULL)
		return;
	ZSTD_freeDCtx(reader->zstd);
	buf_release(&reader->frames[0]);
	buf_release(&reader->frames[1]);
	buf_release(&reader->url);
	free(reader);
}

void
block_reader_reset(struct block_reader *reader)
{
	reader->is_damaged = reader->is_ended = false;
	reader->count = reader->at = 0;
	buf_clear(&reader->url);
}

bool
block_reader_damaged(const struct block_reader *reader)
{
	return reader->is_damaged;
}

/* Every value of the column lies within [least, most]. */
static bool
is_within(const int64_t *values, uint32_t count, int64_t least, int64_t most)
{
	bool is_outside = false;

	for (uint32_t i = 0; i < count; i++)
		is_outside |= (values[i] < least) | (values[i] > most);
	return !is_outside;
}

/* has_dates(reader, column, flags): of meta no other bits are set than a
 * date's and these, and no verdict that there is not. */
static bool
has_dates(struct block_reader *reader, unsigned column, int64_t flags)
{
	const int64_t date = META_PRECISION | META_ZONE << META_ZONE_SHIFT;

	const int64_t *metas = reader->values[column + 2];
	uint32_t count = reader->count;
	bool is_wrong = false;

	if (!is_within(
		reader->values[column], count, -DATE_BOUND_S, DATE_BOUND_S) ||
	    !is_within(reader->values[column + 1], count, 0, 999999999) ||
	    !is_within(metas, count, 0, META_MAX))
		return false;
	for (uint32_t i = 0; i < count; i++)
		is_wrong |= ((metas[i] & META_PRECISION) > DATE_FRACTION) |
		    ((metas[i] >> META_ZONE_SHIFT & META_ZONE) >
			ZONE_EXPLICIT) |
		    ((metas[i] & ~(date | flags)) != 0);
	return !is_wrong;
}

/* What was removed is not held. */
static bool
has_states(const int64_t *metas, uint32_t count)
{
	const int64_t both = 1 << META_MISSED_SHIFT | 1 << META_HELD_SHIFT;
	bool is_wrong = false;

	for (uint32_t i = 0; i < count; i++)
		is_wrong |= (metas[i] & both) == both;
	return !is_wrong;
}

static bool
has_entries(struct block_reader *reader)
{
	uint32_t count = reader->count;

	return has_dates(reader, ENTRY_EPOCH,
		   META_VERDICT | 1 << META_MISSED_SHIFT |
		       1 << META_HELD_SHIFT) &&
	    has_states(reader->values[ENTRY_META], count) &&
	    is_within(reader->values[ENTRY_FIRST_SEEN], count, -DATE_BOUND_S,
		DATE_BOUND_S) &&
	    is_within(reader->values[ENTRY_REDATED], count, -DATE_BOUND_S,
		DATE_BOUND_S) &&
	    is_within(reader->values[ENTRY_ORDINAL], count, 0, UINT32_MAX) &&
	    is_within(reader->values[ENTRY_HINTS], count, 0, UINT8_MAX) &&
	    is_within(reader->values[ENTRY_EXTENSIONS], count, 0, UINT16_MAX);
}

static bool
has_changes(struct block_reader *reader)
{
	return has_dates(reader, CHANGE_BEFORE_EPOCH, 0) &&
	    has_dates(reader, CHANGE_AFTER_EPOCH,
		META_VERDICT | 1 << META_HELD_SHIFT) &&
	    is_within(
		reader->values[CHANGE_KIND], reader->count, 0, DELTA_KINDS - 1);
}

/* Lengths that add up, and nothing but printable ASCII. */
static bool
has_urls(struct block_reader *reader)
{
	bool is_wrong = false;
	int64_t sum = 0;

	for (unsigned i = 0; i < URL_COLUMNS; i++)
		if (!is_within(reader->lengths[i], reader->count, i == URL_OWN,
			URL_MAX_BYTES))
			return false;
	for (uint32_t i = 0; i < reader->count; i++)
		sum += reader->lengths[URL_OWN][i];
	if ((uint64_t)sum != reader->own.len)
		return false;
	for (size_t i = 0; i < reader->own.len; i++) {
		unsigned char c = (unsigned char)reader->own.p[i];

		is_wrong |= (c < 0x21) | (c > 0x7e);
	}
	return !is_wrong;
}

static bool
unpack(struct block_reader *reader, struct buf *to, size_t raw_bytes,
    struct slice packed)
{
	buf_clear(to);
	if (!buf_reserve(to, raw_bytes))
		return false;
	size_t n = ZSTD_decompressDCtx(
	    reader->zstd, to->p, raw_bytes, packed.p, packed.len);
	if (ZSTD_isError(n) || n != raw_bytes)
		return false;
	to->len = n;
	return true;
}

static bool
unpack_frames(struct block_reader *reader, struct wire *in)
{
	uint64_t raw_bytes[2];
	uint64_t packed_bytes[2];

	for (unsigned i = 0; i < 2; i++) {
		raw_bytes[i] = wire_get_varint(in);
		packed_bytes[i] = wire_get_varint(in);
	}
	if (!in->ok || packed_bytes[0] > in->in.len ||
	    packed_bytes[1] != in->in.len - packed_bytes[0])
		return false;
	for (unsigned i = 0; i < 2; i++) {
		struct slice packed = slice_make(in->in.p, packed_bytes[i]);

		/* Less than a byte for each own byte cannot be a URL. */
		if (raw_bytes[i] == 0 ||
		    !unpack(reader, &reader->frames[i], raw_bytes[i], packed))
			return false;
		in->in = slice_from(in->in, packed_bytes[i]);
	}
	return true;
}

static bool
load(struct block_reader *reader, struct slice data)
{
	struct wire in = wire_open(data);
	uint8_t version = wire_get_u8(&in);
	uint64_t count = wire_get_varint(&in);

	if (data.len > BLOCK_MAX_BYTES || count == 0 || count > BLOCK_ENTRIES)
		return false;
	reader->version = version;
	reader->count = (uint32_t)count;
	reader->at = 0;
	if (!unpack_frames(reader, &in))
		return false;

	struct wire urls = wire_open(buf_text(&reader->frames[0]));
	for (unsigned i = 0; i < URL_COLUMNS; i++)
		if (!column_get(&urls, reader->lengths[i], reader->count))
			return false;
	reader->own = urls.in;

	struct wire numbers = wire_open(buf_text(&reader->frames[1]));
	unsigned columns = version == BLOCK_OF_ENTRIES
	    ? (unsigned)ENTRY_COLUMNS
	    : (unsigned)CHANGE_COLUMNS;
	for (unsigned i = 0; i < columns; i++)
		if (!column_get(&numbers, reader->values[i], reader->count))
			return false;
	if (numbers.in.len > 0 || !has_urls(reader))
		return false;
	return version == BLOCK_OF_ENTRIES ? has_entries(reader)
					   : has_changes(reader);
}

/* The first URL of a block stands in full; it must follow the last one. */
static bool
first_url(struct block_reader *reader, struct slice own)
{
	if (reader->lengths[URL_SHARED][0] != 0 ||
	    slice_order(own, buf_text(&reader->url)) <= 0)
		return false;
	buf_clear(&reader->url);
	return buf_put_slice(&reader->url, own);
}

static bool
next_url(struct block_reader *reader)
{
	size_t shared = (size_t)reader->lengths[URL_SHARED][reader->at];
	size_t len = (size_t)reader->lengths[URL_OWN][reader->at];
	struct slice own = slice_make(reader->own.p, len);

	reader->own = slice_from(reader->own, len);
	if (reader->at == 0)
		return first_url(reader, own);
	if (shared > reader->url.len ||
	    (shared < reader->url.len && own.p[0] <= reader->url.p[shared]))
		return false;
	/* The room for the longest URL was made at the start. */
	if (shared + len > URL_MAX_BYTES)
		return false;
	memcpy(reader->url.p + shared, own.p, len);
	reader->url.len = shared + len;
	return true;
}

/* Step to the next place in the columns; false at the end or on damage. */
static bool
step(struct block_reader *reader, enum block_version version, uint32_t *at)
{
	if (reader->is_ended || reader->is_damaged)
		return false;
	if (reader->at == reader->count) {
		struct slice data = reader->pull(reader->arg);

		reader->is_ended = data.len == 0;
		if (reader->is_ended)
			return false;
		if (reader->zstd == NULL)
			reader->zstd = ZSTD_createDCtx();
		if (reader->zstd == NULL)
			no_memory();
		reader->is_damaged = !load(reader, data) ||
		    reader->version != version;
		if (reader->is_damaged)
			return false;
	}
	assert(reader->version == version);
	reader->is_damaged = !next_url(reader);
	*at = reader->at++;
	return !reader->is_damaged;
}

static struct date
date_at(const struct block_reader *reader, unsigned column, uint32_t at)
{
	unsigned meta = (unsigned)reader->values[column + 2][at];

	if ((meta & META_PRECISION) == DATE_NONE)
		return (struct date){0};
	return (struct date){
	    .epoch_s = reader->values[column][at],
	    .nanos = (uint32_t)reader->values[column + 1][at],
	    .precision = meta & META_PRECISION,
	    .zone = meta >> META_ZONE_SHIFT & META_ZONE,
	};
}

bool
block_next(struct block_reader *reader, struct entry *entry)
{
	uint32_t at;

	if (!step(reader, BLOCK_OF_ENTRIES, &at))
		return false;
	entry->url = buf_text(&reader->url);
	entry->lastmod = date_at(reader, ENTRY_EPOCH, at);
	entry->missed = reader->values[ENTRY_META][at] >> META_MISSED_SHIFT & 1;
	entry->is_held = (reader->values[ENTRY_META][at] >> META_HELD_SHIFT &
			     1) != 0;
	entry->verdict = (uint8_t)(reader->values[ENTRY_META][at] >>
	    META_VERDICT_SHIFT);
	entry->first_seen_s = reader->values[ENTRY_FIRST_SEEN][at];
	entry->redated_s = reader->values[ENTRY_REDATED][at];
	entry->ordinal = (uint32_t)reader->values[ENTRY_ORDINAL][at];
	entry->hints = (uint8_t)reader->values[ENTRY_HINTS][at];
	entry->extensions = (uint16_t)reader->values[ENTRY_EXTENSIONS][at];
	return true;
}

bool
block_next_change(struct block_reader *reader, struct change *change)
{
	uint32_t at;

	if (!step(reader, BLOCK_OF_CHANGES, &at))
		return false;
	change->url = buf_text(&reader->url);
	change->before = date_at(reader, CHANGE_BEFORE_EPOCH, at);
	change->after = date_at(reader, CHANGE_AFTER_EPOCH, at);
	change->verdict = (uint8_t)(reader->values[CHANGE_AFTER_META][at] >>
	    META_VERDICT_SHIFT);
	change->was_listed = (reader->values[CHANGE_AFTER_META][at] >>
				     META_HELD_SHIFT &
				 1) != 0;
	change->kind = (uint8_t)reader->values[CHANGE_KIND][at];
	return true;
}
