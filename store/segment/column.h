/*
 * Columns of numbers in byte planes, and what the columns of a block are.
 *
 *	varint zigzag(least) | u8 planes | varint unit, if planes > 0 | planes
 *
 * A value is least + unit * offset; plane p holds byte p of every offset.
 */
#ifndef FRESHET_COLUMN_H
#define FRESHET_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/wire.h"
#include "store/segment/block.h"

/* The first byte of a block says what is in it. */
enum block_version { BLOCK_OF_ENTRIES = 1, BLOCK_OF_CHANGES = 2 };

/* Columns in memory are a little wider, lest all begin in one cache set. */
#define COLUMN_ROOM (BLOCK_ENTRIES + 24)

/* The columns of frame 1 come before the URLs' own bytes. */
enum { URL_SHARED, URL_OWN, URL_COLUMNS };

/* Frame 2 of entries, of changes. */
enum {
	ENTRY_EPOCH,
	ENTRY_NANOS,
	ENTRY_META,
	ENTRY_FIRST_SEEN,
	ENTRY_REDATED,
	ENTRY_ORDINAL,
	ENTRY_HINTS,
	ENTRY_EXTENSIONS,
	ENTRY_COLUMNS
};
enum {
	CHANGE_BEFORE_EPOCH,
	CHANGE_BEFORE_NANOS,
	CHANGE_BEFORE_META,
	CHANGE_AFTER_EPOCH,
	CHANGE_AFTER_NANOS,
	CHANGE_AFTER_META,
	CHANGE_KIND,
	CHANGE_COLUMNS
};

/* Meta: precision in bits 0 to 2, zone in 3 and 4, missed in 5, held in 6, the
 * verdict from 7 on; of changes that stands in the second of the two. */
#define META_ZONE_SHIFT 3
#define META_MISSED_SHIFT 5
#define META_HELD_SHIFT 6
#define META_VERDICT_SHIFT 7
#define META_VERDICT (15 << META_VERDICT_SHIFT)
#define META_MAX ((VERDICTS << META_VERDICT_SHIFT) - 1)
#define META_PRECISION 7
#define META_ZONE 3

/* column_put(out, values, count, units): append a column; units, ended by 1,
 * are tried from the first on: the first that divides all offsets is used. */
void column_put(struct buf *out, const int64_t *values, uint32_t count,
    const uint32_t *units);

/* column_get(in, values, count): false when the bytes are no column. */
bool column_get(struct wire *in, int64_t *values, uint32_t count);

/* no_memory(): a library found none: end as mem_alloc does when there is no
 * room, by asking it for what nobody has. */
static inline void
no_memory(void)
{
	(void)mem_alloc(SIZE_MAX / 2);
}

/* column_max_bytes(count): the most that a column of so many can take. */
static inline size_t
column_max_bytes(uint32_t count)
{
	return 10 + 1 + 10 + 8 * (size_t)count;
}

#endif
