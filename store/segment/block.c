/*
 * Blocks: front-coded URLs and columns of numbers, in two zstd frames.
 * First the writer, then the reader, whose bytes a subverted reader process may
 * have chosen, then lists of blocks in memory.
 */
#include "store/segment/block.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/url.h"
#include "store/segment/bloom.h"
#include "store/segment/column.h"

/* A block of very long URLs is cut here, far below SQLite's limit for a row. */
#define BLOCK_CUT_BYTES (1u << 20)
#define FRAME_MAX_BYTES (BLOCK_CUT_BYTES + URL_MAX_BYTES + (1u << 19))
#define COLUMNS_MAX ENTRY_COLUMNS
#define LEVEL 1 /* of zstd */
/* A larger table of hashes finds more of what repeats in a large block, at the
 * same cost.  To clear it for a small block would cost more than it brings. */
#define HASH_LOG 16
#define HASH_LOG_BYTES (1u << 16)
#define LEVEL_IN_A_HURRY (-100) /* an eighth of the time, twice the bytes */

/* Before the own bytes of a URL in frame 1: IS_SHARED | how many it shares. */
#define IS_SHARED 0x80
#define SHARED_MAX 0x7f

static_assert((int)CHANGE_COLUMNS < (int)COLUMNS_MAX, "room for changes");
static_assert(FRAME_MAX_BYTES < BLOCK_MAX_BYTES / 2, "two frames fit");

struct block_writer {
	block_fn *emit;
	void *arg;
	ZSTD_CCtx *zstd; /* NULL until the first block is full */
	bool is_bare; /* no Bloom filters */
	bool is_in_a_hurry;
	enum block_version version;
	uint32_t most; /* entries of a block */
	uint32_t count;
	uint32_t blocks; /* that were emitted */
	struct buf last; /* the URL added last */
	struct buf first;
	struct buf urls; /* frame 1 before zstd */
	struct buf numbers; /* frame 2 */
	struct buf frames; /* both, packed */
	struct buf out;
	struct buf bloom;
	uint64_t keys[BLOCK_ENTRIES]; /* of the Bloom filter; entries only */
	int64_t values[COLUMNS_MAX][COLUMN_ROOM];
	/* was a date added?  [0]: lastmod of an entry, or `before` of a
	 * change; [1]: `after` of a change */
	bool is_dated[2];
};

struct block_writer *
block_writer_new(block_fn *emit, void *arg, unsigned flags)
{
	/* Not zeroed: most documents touch a small part of the columns. */
	struct block_writer *writer = mem_alloc(sizeof(*writer));

	writer->emit = emit;
	writer->arg = arg;
	writer->zstd = NULL;
	writer->is_in_a_hurry = (flags & BLOCK_HURRY) != 0;
	writer->is_bare = writer->is_in_a_hurry || (flags & BLOCK_BARE) != 0;
	writer->version = BLOCK_OF_ENTRIES;
	writer->most = (flags & BLOCK_FOLLOW) != 0 ? BLOCK_ENTRIES : BLOCK_FILL;
	writer->count = writer->blocks = 0;
	writer->is_dated[0] = writer->is_dated[1] = false;
	buf_init(&writer->last, URL_MAX_BYTES);
	buf_init(&writer->first, URL_MAX_BYTES);
	buf_init(&writer->urls, FRAME_MAX_BYTES);
	buf_init(&writer->numbers, FRAME_MAX_BYTES);
	buf_init(&writer->frames, BLOCK_MAX_BYTES);
	buf_init(&writer->out, BLOCK_MAX_BYTES);
	buf_init(&writer->bloom, BLOOM_MAX_BYTES);
	return writer;
}

void
block_writer_free(struct block_writer *writer)
{
	if (writer == NULL)
		return;
	ZSTD_freeCCtx(writer->zstd);
	buf_release(&writer->last);
	buf_release(&writer->first);
	buf_release(&writer->urls);
	buf_release(&writer->numbers);
	buf_release(&writer->frames);
	buf_release(&writer->out);
	buf_release(&writer->bloom);
	free(writer);
}

/* Append to a buffer whose ceiling is never reached. */
static void
put(struct buf *buf, struct slice bytes)
{
	bool is_put = buf_put_slice(buf, bytes);

	assert(is_put);
}

/* Pack `raw`, append it to the frames, and empty it; append both sizes to the
 * head. */
static void
put_frame(struct block_writer *writer, struct buf *raw)
{
	struct buf *to = &writer->frames;
	size_t bound = ZSTD_compressBound(raw->len);
	bool is_there = buf_reserve(to, bound);

	assert(is_there);
	if (writer->zstd == NULL) {
		writer->zstd = ZSTD_createCCtx();
		if (writer->zstd == NULL)
			(void)mem_alloc(SIZE_MAX / 2); /* ends the process */
		ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel,
		    writer->is_in_a_hurry ? LEVEL_IN_A_HURRY : LEVEL);
		ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_contentSizeFlag, 0);
	}
	/* 0: what the level has. */
	ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_hashLog,
	    raw->len < HASH_LOG_BYTES || writer->is_in_a_hurry ? 0 : HASH_LOG);
	size_t n = ZSTD_compress2(
	    writer->zstd, to->p + to->len, bound, raw->p, raw->len);
	assert(!ZSTD_isError(n));
	to->len += n;
	wire_put_varint(&writer->out, raw->len);
	wire_put_varint(&writer->out, n);
	buf_clear(raw);
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

uint32_t
block_writer_finish(struct block_writer *writer)
{
	unsigned columns = writer->version == BLOCK_OF_ENTRIES
	    ? (unsigned)ENTRY_COLUMNS
	    : (unsigned)CHANGE_COLUMNS;

	if (writer->count == 0)
		return writer->blocks;
	buf_clear(&writer->out);
	buf_clear(&writer->frames);
	wire_put_fixed(&writer->out, 1, (uint8_t)writer->version);
	wire_put_varint(&writer->out, writer->count);
	put_frame(writer, &writer->urls);
	for (unsigned i = 0; i < columns; i++)
		column_put(&writer->numbers, writer->values[i], writer->count,
		    column_units(writer->version, i));
	put_frame(writer, &writer->numbers);
	put(&writer->out, buf_text(&writer->frames));

	buf_clear(&writer->bloom);
	if (writer->version == BLOCK_OF_ENTRIES && !writer->is_bare)
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
	return ++writer->blocks;
}

/* So a cut has more than BLOCK_FILL entries around it, those behind it counted
 * as they were before. */
void
block_writer_cut(struct block_writer *writer, uint32_t count)
{
	if (count > 0 && writer->count + count > BLOCK_FILL)
		(void)block_writer_finish(writer);
}

/* Add the URL of the next entry or change; returns its place in the columns. */
static uint32_t
add_url(
    struct block_writer *writer, enum block_version version, struct slice url)
{
	assert(url.len > 0 && url.len <= URL_MAX_BYTES);
	assert(writer->count == 0 || writer->version == version);
	if (writer->count == writer->most || writer->urls.len > BLOCK_CUT_BYTES)
		(void)block_writer_finish(writer);

	size_t shared = 0;
	if (writer->count > 0) {
		struct slice last = buf_text(&writer->last);
		size_t n = last.len < url.len ? last.len : url.len;

		for (; shared + 8 <= n; shared += 8)
			if (memcmp(last.p + shared, url.p + shared, 8) != 0)
				break;
		while (shared < n && last.p[shared] == url.p[shared])
			shared++;
		assert(shared < url.len &&
		    (shared == last.len ||
			(unsigned char)url.p[shared] >
			    (unsigned char)last.p[shared]));
		shared = shared < SHARED_MAX ? shared : SHARED_MAX;
	} else {
		buf_clear(&writer->first);
		put(&writer->first, url);
	}
	struct slice own = slice_from(url, shared);
	writer->version = version;
	writer->last.len = writer->last.len < shared ? writer->last.len
						     : shared;
	put(&writer->last, own);
	(void)buf_put_char(&writer->urls, (char)(IS_SHARED | shared));
	put(&writer->urls, own);
	return writer->count++;
}

/* An absent date gets the instant of its neighbour, which costs no bytes and
 * does not move the least value of the column; META says that it is absent. */
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
	    date->zone << META_ZONE_SHIFT | date->offset << META_OFFSET_SHIFT;
}

void
block_writer_add(struct block_writer *writer, const struct entry *entry)
{
	uint32_t at = add_url(writer, BLOCK_OF_ENTRIES, entry->url);

	if (!writer->is_bare)
		writer->keys[at] = bloom_key(entry->url);
	add_date(writer, ENTRY_EPOCH, at, &entry->lastmod);
	writer->values[ENTRY_META][at] |= entry->missed << META_MISSED_SHIFT |
	    entry->is_held << META_HELD_SHIFT |
	    entry->verdict << META_VERDICT_SHIFT;
	writer->values[ENTRY_FIRST_SEEN][at] = entry->first_seen_s;
	writer->values[ENTRY_REDATED][at] = entry->redated_s;
	/* An absent entry has no position, so its time takes that column. */
	writer->values[ENTRY_ORDINAL][at] = entry_is_absent(entry)
	    ? entry->absent_s
	    : entry->ordinal;
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

#define URLS_MAX_BYTES (4u * BLOCK_MAX_BYTES)
#define GAP sizeof(uint64_t)

struct block_reader {
	block_pull_fn *pull;
	void *arg;
	ZSTD_DCtx *zstd;
	bool is_damaged;
	bool is_ended;
	bool has_urls_only; /* the numbers of entries are not read */
	uint8_t version; /* of the block at hand */
	bool is_first_form;
	uint32_t count;
	uint32_t at;
	struct buf frames[2]; /* unpacked */
	struct slice own; /* bytes that URLs do not share, not yet read */
	size_t shared; /* bytes that the last URL shares with the one before */
	struct buf url; /* the last one; the next shares its front */
	int64_t lengths[URL_COLUMNS][COLUMN_ROOM];
	int64_t values[ENTRY_COLUMNS][COLUMN_ROOM];
	struct column_range ranges[ENTRY_COLUMNS]; /* of values */
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
	reader->has_urls_only = false;
	reader->count = reader->at = 0;
	buf_init(&reader->frames[0], URLS_MAX_BYTES);
	buf_init(
	    &reader->frames[1], ENTRY_COLUMNS * COLUMN_MAX_BYTES + 2 * GAP);
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
block_reader_reset(struct block_reader *reader, bool has_urls_only)
{
	reader->is_damaged = reader->is_ended = false;
	reader->has_urls_only = has_urls_only;
	reader->count = reader->at = 0;
	buf_clear(&reader->url);
}

bool
block_reader_damaged(const struct block_reader *reader)
{
	return reader->is_damaged;
}

/* Does every value of the column lie within [least, most]?  The range of most
 * columns says so. */
static bool
is_within(const struct block_reader *reader, unsigned column, int64_t least,
    int64_t most)
{
	const struct column_range *range = &reader->ranges[column];
	const int64_t *values = reader->values[column];
	bool is_outside = false;

	if (range->least >= least && range->most <= most)
		return true;
	for (uint32_t i = 0; i < reader->count; i++)
		is_outside |= (values[i] < least) | (values[i] > most);
	return !is_outside;
}

/* Are the three columns from `column` on those of dates?  In the META column
 * only the bits of a date and those in `flags` may be set, the verdict must
 * exist, and nothing is both missed and held. */
static bool
has_dates(const struct block_reader *reader, unsigned column, int64_t flags)
{
	const int64_t date = META_PRECISION | META_ZONE << META_ZONE_SHIFT |
	    META_OFFSET << META_OFFSET_SHIFT;

	const int64_t both = 1 << META_MISSED_SHIFT | 1 << META_HELD_SHIFT;
	const int64_t *metas = reader->values[column + 2];
	uint32_t count;
	bool is_wrong = false;

	if (!is_within(reader, column, -DATE_BOUND_S, DATE_BOUND_S) ||
	    !is_within(reader, column + 1, 0, 999999999) ||
	    !is_within(reader, column + 2, 0, META_MAX))
		return false;
	/* one is enough if all are equal */
	count = reader->ranges[column + 2].least ==
		reader->ranges[column + 2].most
	    ? 1
	    : reader->count;
	for (uint32_t i = 0; i < count; i++)
		is_wrong |= ((metas[i] & META_PRECISION) > DATE_FRACTION) |
		    ((metas[i] >> META_ZONE_SHIFT & META_ZONE) >
			ZONE_EXPLICIT) |
		    ((metas[i] >> META_OFFSET_SHIFT) > DATE_OFFSET_MOST) |
		    ((metas[i] >> META_OFFSET_SHIFT) != 0 &&
			(metas[i] >> META_ZONE_SHIFT & META_ZONE) !=
			    ZONE_EXPLICIT) |
		    ((metas[i] & META_VERDICT) >= VERDICTS
			    << META_VERDICT_SHIFT) |
		    ((metas[i] & both) == both) |
		    ((metas[i] & ~(date | flags)) != 0);
	return !is_wrong;
}

/* Read the sizes of the frames, and unpack the first, or both. */
static bool
unpack_frames(struct block_reader *reader, struct wire *in)
{
	unsigned wanted = reader->has_urls_only ? 1 : 2;
	uint64_t raw_bytes[2];
	uint64_t packed_bytes[2];

	for (unsigned i = 0; i < 2; i++) {
		raw_bytes[i] = wire_get_varint(in);
		packed_bytes[i] = wire_get_varint(in);
	}
	if (!in->ok || packed_bytes[0] > in->in.len ||
	    packed_bytes[1] != in->in.len - packed_bytes[0])
		return false;
	for (unsigned i = 0; i < wanted; i++) {
		struct buf *to = &reader->frames[i];
		size_t n;

		/* Unpack a frame behind GAP bytes, and put so many zeros behind
		 * it: see split_urls().  No frame is empty, and none is larger
		 * than its buffer may become; both sizes may be a lie. */
		buf_clear(to);
		if (raw_bytes[i] == 0 || raw_bytes[i] > to->max ||
		    !buf_reserve(to, raw_bytes[i] + 2 * GAP))
			return false;
		n = ZSTD_decompressDCtx(reader->zstd, to->p + GAP, raw_bytes[i],
		    in->in.p, packed_bytes[i]);
		if (ZSTD_isError(n) || n != raw_bytes[i])
			return false;
		memset(to->p + GAP + n, 0, GAP);
		to->len = GAP + n;
		in->in = slice_from(in->in, packed_bytes[i]);
	}
	return true;
}

/* Get lengths and own bytes of frame 1, and close the gaps between these, eight
 * bytes at a time: `to` is at least as much behind `from`. */
static bool
split_urls(struct block_reader *reader, struct buf *frame)
{
	const char *from = frame->p + GAP, *end = frame->p + frame->len;
	char *to = frame->p, *begin = to;
	uint32_t count = 0;

	while (from < end) {
		uint64_t word, heads;
		unsigned before;

		memcpy(&word, from, GAP);
		memcpy(to, &word, GAP);
		heads = le64toh(word) &
		    IS_SHARED * UINT64_C(0x0101010101010101);
		if (heads == 0) {
			from += GAP;
			to += GAP;
			continue;
		}
		/* The zeros behind the frame are never reached. */
		before = (unsigned)__builtin_ctzll(heads) / 8;
		from += before;
		to += before;
		/* The own bytes of the URL before end here; no URL has none,
		 * and before the first URL there are none. */
		if (count == reader->count || (count == 0) != (to == begin) ||
		    to - begin > URL_MAX_BYTES)
			return false;
		if (count > 0)
			reader->lengths[URL_OWN][count - 1] = to - begin;
		reader->lengths[URL_SHARED][count++] = (unsigned char)*from++ &
		    SHARED_MAX;
		begin = to;
	}
	to -= from - end;
	reader->own = slice_make(frame->p, (size_t)(to - frame->p));
	if (count != reader->count || to == begin || to - begin > URL_MAX_BYTES)
		return false;
	reader->lengths[URL_OWN][count - 1] = to - begin;
	return true;
}

/* Get lengths and own bytes of frame 1 of the first form. */
static bool
get_urls(struct block_reader *reader, struct slice frame)
{
	struct wire urls = {frame, true};
	struct column_range range;
	int64_t sum = 0;

	for (unsigned i = 0; i < URL_COLUMNS; i++)
		if (!column_get(
			&urls, reader->lengths[i], reader->count, true, &range))
			return false;
	for (uint32_t i = 0; i < reader->count; i++) {
		int64_t shared = reader->lengths[URL_SHARED][i];
		int64_t own = reader->lengths[URL_OWN][i];

		/* A URL may share nothing, but has bytes of its own. */
		if (shared < 0 || shared > URL_MAX_BYTES || own < 1 ||
		    own > URL_MAX_BYTES)
			return false;
		sum += own;
	}
	reader->own = urls.in;
	return (uint64_t)sum == reader->own.len;
}

static bool
load_numbers(struct block_reader *reader)
{
	struct wire numbers = {
	    slice_from(buf_text(&reader->frames[1]), GAP), true};
	bool is_of_entries = reader->version == BLOCK_OF_ENTRIES;
	unsigned columns = is_of_entries ? (unsigned)ENTRY_COLUMNS
					 : (unsigned)CHANGE_COLUMNS;

	for (unsigned i = 0; i < columns; i++)
		if (!column_get(&numbers, reader->values[i], reader->count,
			reader->is_first_form, &reader->ranges[i]))
			return false;
	if (numbers.in.len > 0)
		return false;
	return is_of_entries
	    ? (has_dates(reader, ENTRY_EPOCH,
		   META_VERDICT | 1 << META_MISSED_SHIFT |
		       1 << META_HELD_SHIFT) &&
		  is_within(
		      reader, ENTRY_FIRST_SEEN, -DATE_BOUND_S, DATE_BOUND_S) &&
		  is_within(
		      reader, ENTRY_REDATED, -DATE_BOUND_S, DATE_BOUND_S) &&
		  is_within(reader, ENTRY_ORDINAL, 0, UINT32_MAX) &&
		  is_within(reader, ENTRY_HINTS, 0, UINT8_MAX) &&
		  is_within(reader, ENTRY_EXTENSIONS, 0, UINT16_MAX))
	    : (has_dates(reader, CHANGE_BEFORE_EPOCH, 0) &&
		  has_dates(reader, CHANGE_AFTER_EPOCH,
		      META_VERDICT | 1 << META_HELD_SHIFT) &&
		  is_within(reader, CHANGE_KIND, 0, DELTA_KINDS - 1));
}

static bool
load(struct block_reader *reader, struct slice data)
{
	struct wire in = {data, true};
	uint8_t version = (uint8_t)wire_get_fixed(&in, 1);
	uint64_t count = wire_get_varint(&in);

	if (data.len > BLOCK_MAX_BYTES || count == 0 || count > BLOCK_ENTRIES)
		return false;
	reader->is_first_form = version <= BLOCK_FORM;
	reader->version = version;
	if (reader->is_first_form)
		reader->version += BLOCK_FORM;
	reader->count = (uint32_t)count;
	reader->at = 0;
	if (!unpack_frames(reader, &in))
		return false;
	if (reader->is_first_form
		? !get_urls(
		      reader, slice_from(buf_text(&reader->frames[0]), GAP))
		: !split_urls(reader, &reader->frames[0]))
		return false;
	/* All bytes of URLs are printable ASCII. */
	return slice_is_graphic(reader->own) &&
	    (reader->has_urls_only || load_numbers(reader));
}

static bool
next_url(struct block_reader *reader)
{
	size_t shared = (size_t)reader->lengths[URL_SHARED][reader->at];
	size_t len = (size_t)reader->lengths[URL_OWN][reader->at];
	struct slice own = slice_make(reader->own.p, len);

	reader->own = slice_from(reader->own, len);
	reader->shared = shared;
	if (reader->at == 0) {
		/* The first URL of a block shares nothing; it must be greater
		 * than the last URL of the previous block. */
		if (shared != 0 ||
		    slice_order(own, buf_text(&reader->url)) <= 0)
			return false;
		buf_clear(&reader->url);
		return buf_put_slice(&reader->url, own);
	}
	if (shared > reader->url.len)
		return false;
	/* It may share more than it says. */
	if (shared < reader->url.len && own.p[0] <= reader->url.p[shared] &&
	    slice_order(own, slice_from(buf_text(&reader->url), shared)) <= 0)
		return false;
	/* block_reader_new reserved room for the longest URL. */
	if (shared + len > URL_MAX_BYTES)
		return false;
	memcpy(reader->url.p + shared, own.p, len);
	reader->url.len = shared + len;
	return true;
}

/* Step to the next position in the columns; false at the end or on damage. */
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
			(void)mem_alloc(SIZE_MAX / 2); /* ends the process */
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

size_t
block_shared_bytes(const struct block_reader *reader)
{
	return reader->shared;
}

uint32_t
block_begun(const struct block_reader *reader)
{
	return reader->at == 1 ? reader->count : 0;
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
	    .offset = (uint8_t)(meta >> META_OFFSET_SHIFT),
	};
}

bool
block_next(struct block_reader *reader, struct entry *entry)
{
	int64_t meta;
	uint32_t at;

	if (!step(reader, BLOCK_OF_ENTRIES, &at))
		return false;
	if (reader->has_urls_only) {
		*entry = (struct entry){.url = buf_text(&reader->url)};
		return true;
	}
	meta = reader->values[ENTRY_META][at];
	entry->url = buf_text(&reader->url);
	entry->lastmod = date_at(reader, ENTRY_EPOCH, at);
	entry->missed = meta >> META_MISSED_SHIFT & 1;
	entry->is_held = (meta >> META_HELD_SHIFT & 1) != 0;
	entry->verdict = (uint8_t)((meta & META_VERDICT) >> META_VERDICT_SHIFT);
	entry->first_seen_s = reader->values[ENTRY_FIRST_SEEN][at];
	entry->redated_s = reader->values[ENTRY_REDATED][at];
	entry->ordinal = (uint32_t)reader->values[ENTRY_ORDINAL][at];
	entry->absent_s = 0;
	if (entry_is_absent(entry)) {
		entry->absent_s = entry->ordinal;
		entry->ordinal = 0;
	}
	entry->hints = (uint8_t)reader->values[ENTRY_HINTS][at];
	entry->extensions = (uint16_t)reader->values[ENTRY_EXTENSIONS][at];
	return true;
}

bool
block_next_change(struct block_reader *reader, struct change *change)
{
	int64_t meta;
	uint32_t at;

	if (!step(reader, BLOCK_OF_CHANGES, &at))
		return false;
	meta = reader->values[CHANGE_AFTER_META][at];
	change->url = buf_text(&reader->url);
	change->before = date_at(reader, CHANGE_BEFORE_EPOCH, at);
	change->after = date_at(reader, CHANGE_AFTER_EPOCH, at);
	change->verdict = (uint8_t)((meta & META_VERDICT) >>
	    META_VERDICT_SHIFT);
	change->was_listed = (meta >> META_HELD_SHIFT & 1) != 0;
	change->kind = (uint8_t)reader->values[CHANGE_KIND][at];
	return true;
}

void
block_list_add(void *arg, const struct block *block)
{
	struct block_list *list = arg;

	*MEM_PUSH(list->items, list->count, list->cap) = (struct block_copy){
	    .data = slice_dup(block->data),
	    .first_url = slice_dup(block->first_url),
	    .last_url = slice_dup(block->last_url),
	    .len = block->data.len,
	    .count = block->count,
	    .bloom = slice_dup(block->bloom),
	    .bloom_len = block->bloom.len,
	};
	if (block->hashes != NULL) {
		size_t n = block->count * sizeof(*block->hashes);

		list->items[list->count - 1].hashes = mem_alloc(n);
		memcpy(list->items[list->count - 1].hashes, block->hashes, n);
	}
}

uint64_t
block_list_bytes(const struct block_list *list)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < list->count; i++)
		bytes += list->items[i].len;
	return bytes;
}

struct slice
block_walk_pull(void *arg)
{
	struct block_walk *walk = arg;
	const struct block_copy *block;

	if (walk->at == walk->list->count)
		return slice_make(NULL, 0);
	block = &walk->list->items[walk->at++];
	return slice_make(block->data, block->len);
}

void
block_list_release(struct block_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].data);
		free(list->items[i].first_url);
		free(list->items[i].last_url);
		free(list->items[i].bloom);
		free(list->items[i].hashes);
	}
	free(list->items);
	*list = (struct block_list){0};
}
