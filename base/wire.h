/*
 * Numbers and strings in bytes: the one encoding behind frames between
 * processes and behind segment blocks.  Little-endian; varints are LEB128.
 */
#ifndef FRESHET_WIRE_H
#define FRESHET_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "slice.h"

/*
 * wire_put_*: append.  From the first value that the ceiling has no room for
 * nothing more is appended and out->is_cut is true, so that a whole record is
 * written and is_cut tested once.  Who gave the buf a ceiling that its record
 * cannot meet need not test it.
 */
void wire_put_u8(struct buf *, uint8_t);
void wire_put_u32(struct buf *, uint32_t);
void wire_put_u64(struct buf *, uint64_t);
void wire_put_varint(struct buf *, uint64_t);
void wire_put_slice(struct buf *, struct slice); /* u32 length, bytes */

/*
 * wire_get_*: take from the front of *in.  The bytes are hostile: where they
 * end too early `*in` becomes empty, `ok` false, and 0 or an empty slice
 * comes back, so that a whole record is read and `ok` tested once.
 */
struct wire {
	struct slice in; /* what is left */
	bool ok;
};

struct wire wire_open(struct slice);
uint8_t wire_get_u8(struct wire *);
uint32_t wire_get_u32(struct wire *);
uint64_t wire_get_u64(struct wire *);
uint64_t wire_get_varint(struct wire *);
struct slice wire_get_slice(struct wire *); /* borrowed from the input */

#endif
