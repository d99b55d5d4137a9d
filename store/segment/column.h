/*
 * Columns of numbers in byte planes, and the list of a block's columns.
 *
 *	varint zigzag(least) | u8 bits | varint unit, if bits > 0 | planes
 *
 * A value is least + unit * offset, an offset has `bits` bits; plane p holds
 * byte p of every offset.  The last plane is packed: where offsets have only
 * one, two, or up to four bits there, a byte of it holds those of eight, four
 * or two.  If COLUMN_RISES is added to bits, value number i, from 0, is greater
 * by i.  Blocks of the first form have the number of planes in the place of
 * bits, pack none, and have no column that rises.
 */
#ifndef FRESHET_COLUMN_H
#define FRESHET_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/wire.h"
#include "store/segment/block.h"

/* The first byte of a block tells its content.  In blocks of the first form it
 * is less by BLOCK_FORM; they are read, but written no more. */
enum block_version { BLOCK_OF_ENTRIES = 3, BLOCK_OF_CHANGES = 4 };
#define BLOCK_FORM 2

#define COLUMN_RISES 0x80

/* A column in memory is a little wider than a block, so that the columns do
 * not all start in the same cache set. */
#define COLUMN_ROOM (BLOCK_ENTRIES + 24)

/* The most bytes that a column of BLOCK_ENTRIES values can take: two varints,
 * its bits, and eight planes. */
#define COLUMN_MAX_BYTES (10 + 1 + 10 + 8 * (size_t)BLOCK_ENTRIES)

/* The lengths of URLs in memory; in the first form these are the columns of
 * frame 1, and the URLs' own bytes follow them. */
enum { URL_SHARED, URL_OWN, URL_COLUMNS };

/* The columns of frame 2, in a block of entries and in a block of changes. */
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

/* Bits of a META column: precision in 0 to 2, zone in 3 and 4, missed in 5,
 * held in 6, the verdict in 7 to 10, the offset of the date from 11 on (0 in
 * segments of older versions, which did not keep it).  A change keeps its
 * verdict, and was_listed in the place of held, in CHANGE_AFTER_META. */
#define META_ZONE_SHIFT 3
#define META_MISSED_SHIFT 5
#define META_HELD_SHIFT 6
#define META_VERDICT_SHIFT 7
#define META_VERDICT (15 << META_VERDICT_SHIFT)
#define META_OFFSET_SHIFT 11
#define META_OFFSET 127
#define META_MAX ((1 << (META_OFFSET_SHIFT + 7)) - 1)
#define META_PRECISION 7
#define META_ZONE 3

/* column_put(out, values, count, units): Append a column of at most
 * BLOCK_ENTRIES values.  `units` is a list that ends with 1; the column uses
 * the first unit that divides all offsets. */
void column_put(struct buf *out, const int64_t *values, uint32_t count,
    const uint32_t *units);

/* No value of a column is outside of a range; if the range has one value only,
 * all values of the column are equal. */
struct column_range {
	int64_t least, most;
};

/* column_get(in, values, count, is_first_form, range): read a column of at most
 * BLOCK_ENTRIES values; false if the bytes are none.  *range follows from the
 * head of the column alone, and may be wider than its values. */
bool column_get(struct wire *in, int64_t *values, uint32_t count,
    bool is_first_form, struct column_range *range);

#endif
