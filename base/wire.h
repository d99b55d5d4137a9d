/* Encoding of numbers and strings as bytes, for frames between processes and
 * for segment blocks. Little-endian; varints are LEB128. */
#ifndef FRESHET_WIRE_H
#define FRESHET_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "slice.h"

/* wire_put_*: append a value. From the first value that does not fit under the
 * ceiling on, nothing is appended and out->is_cut is true, so that a caller
 * writes a whole record and tests is_cut once. A caller whose record cannot
 * reach the ceiling need not test. wire_put_fixed appends so many low bytes of
 * a number, at most 8. */
void wire_put_fixed(struct buf *, unsigned bytes, uint64_t);
void wire_put_varint(struct buf *, uint64_t);
void wire_put_slice(struct buf *, struct slice); /* its length in 4 bytes, it */

/* wire_get_*: take a value from the front of wire->in. The bytes are hostile:
 * if they end too early, `in` becomes empty, `ok` becomes false, and 0 or an
 * empty slice is returned, so that a caller reads a whole record and tests `ok`
 * once. A wire begins as {bytes, true}. */
struct wire {
	struct slice in; /* what is left */
	bool ok;
};

uint64_t wire_get_fixed(struct wire *, unsigned bytes);
uint64_t wire_get_varint(struct wire *);
struct slice wire_get_slice(struct wire *); /* borrowed from the input */
struct slice wire_get_bytes(struct wire *, uint64_t n); /* likewise */

/* A member of a struct: `number` unsigned integers of `size` bytes at `at`,
 * none of which is above `max`.  A bool is one of a byte, and at most 1. */
struct wire_member {
	size_t at;
	unsigned size;
	unsigned number;
	uint64_t max;
};

#define WIRE_MEMBER(type, member, max)                                         \
	{                                                                      \
		offsetof(type, member), sizeof(((type *)NULL)->member), 1, max \
	}

/* The same of an array of uint64_t. */
#define WIRE_ARRAY(type, member, max)                                      \
	{                                                                  \
		offsetof(type, member), sizeof(uint64_t),                  \
		    sizeof(((type *)NULL)->member) / sizeof(uint64_t), max \
	}

/* wire_put_members(out, members, count, from): append the members of the struct
 * `from`, as varints.  wire_get_members(wire, members, count, to): take them; a
 * number above its maximum is like bytes that end too early. */
void wire_put_members(
    struct buf *, const struct wire_member *, size_t count, const void *from);
void wire_get_members(
    struct wire *, const struct wire_member *, size_t count, void *to);

#endif
