/* Encoding of numbers and strings as bytes, for frames between processes and
 * for segment blocks. Little-endian; varints are LEB128. */
#ifndef FRESHET_WIRE_H
#define FRESHET_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "slice.h"

/*
 * wire_put_*: append a value. From the first value that does not fit under the
 * ceiling on, nothing is appended and out->is_cut is true, so that a caller
 * writes a whole record and tests is_cut once. A caller whose record cannot
 * reach the ceiling need not test.
 */
void wire_put_u8(struct buf *, uint8_t);
void wire_put_u32(struct buf *, uint32_t);
void wire_put_u64(struct buf *, uint64_t);
void wire_put_varint(struct buf *, uint64_t);
void wire_put_slice(struct buf *, struct slice); /* u32 length, bytes */

/*
 * wire_get_*: take a value from the front of wire->in. The bytes are hostile:
 * if they end too early, `in` becomes empty, `ok` becomes false, and 0 or an
 * empty slice is returned, so that a caller reads a whole record and tests `ok`
 * once.
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
