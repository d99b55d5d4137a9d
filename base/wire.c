/* Encoding of numbers and strings as bytes. */
#include "base/wire.h"

static void
wire_put(struct buf *out, const void *p, size_t n)
{
	if (out->is_cut || !buf_put(out, p, n))
		out->is_cut = true;
}

static void
put_little(struct buf *out, uint64_t value, unsigned bytes)
{
	unsigned char b[8];

	for (unsigned i = 0; i < bytes; i++)
		b[i] = (unsigned char)(value >> (8 * i));
	wire_put(out, b, bytes);
}

void
wire_put_u8(struct buf *out, uint8_t value)
{
	wire_put(out, &value, 1);
}

void
wire_put_u32(struct buf *out, uint32_t value)
{
	put_little(out, value, 4);
}

void
wire_put_u64(struct buf *out, uint64_t value)
{
	put_little(out, value, 8);
}

void
wire_put_varint(struct buf *out, uint64_t value)
{
	unsigned char b[10];
	size_t n = 0;

	while (value >= 0x80) {
		b[n++] = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	b[n++] = (unsigned char)value;
	wire_put(out, b, n);
}

void
wire_put_slice(struct buf *out, struct slice slice)
{
	if (slice.len > UINT32_MAX)
		out->is_cut = true;
	wire_put_u32(out, (uint32_t)slice.len);
	wire_put(out, slice.p, slice.len);
}

struct wire
wire_open(struct slice in)
{
	return (struct wire){in, true};
}

static struct slice
wire_take(struct wire *wire, size_t n)
{
	struct slice taken = {wire->in.p, n};

	if (!wire->ok || wire->in.len < n) {
		*wire = (struct wire){{NULL, 0}, false};
		return slice_make(NULL, 0);
	}
	wire->in = slice_from(wire->in, n);
	return taken;
}

static uint64_t
take_little(struct wire *wire, unsigned bytes)
{
	struct slice b = wire_take(wire, bytes);
	uint64_t value = 0;

	for (size_t i = 0; i < b.len; i++)
		value |= (uint64_t)(unsigned char)b.p[i] << (8 * i);
	return value;
}

uint8_t
wire_get_u8(struct wire *wire)
{
	return (uint8_t)take_little(wire, 1);
}

uint32_t
wire_get_u32(struct wire *wire)
{
	return (uint32_t)take_little(wire, 4);
}

uint64_t
wire_get_u64(struct wire *wire)
{
	return take_little(wire, 8);
}

uint64_t
wire_get_varint(struct wire *wire)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t b = wire_get_u8(wire);

		if (shift == 63 && b > 1)
			break;
		value |= (uint64_t)(b & 0x7f) << shift;
		if ((b & 0x80) == 0)
			return wire->ok ? value : 0;
	}
	*wire = (struct wire){{NULL, 0}, false};
	return 0;
}

struct slice
wire_get_slice(struct wire *wire)
{
	uint32_t n = wire_get_u32(wire);

	return wire_take(wire, n);
}

void
wire_put_members(struct buf *out, const struct wire_member *members,
    size_t count, const void *from)
{
	uint8_t byte;
	uint32_t word;
	uint64_t number;

	for (size_t i = 0; i < count; i++) {
		const char *at = (const char *)from + members[i].at;
		const unsigned size = members[i].size;

		/* Each width is read as itself, so that the order of bytes in
		 * memory does not matter. */
		for (unsigned n = 0; n < members[i].number; n++, at += size) {
			if (size == sizeof(byte)) {
				memcpy(&byte, at, size);
				number = byte;
			} else if (size == sizeof(word)) {
				memcpy(&word, at, size);
				number = word;
			} else {
				memcpy(&number, at, sizeof(number));
			}
			wire_put_varint(out, number);
		}
	}
}

void
wire_get_members(struct wire *wire, const struct wire_member *members,
    size_t count, void *to)
{
	for (size_t i = 0; i < count; i++) {
		char *at = (char *)to + members[i].at;
		const unsigned size = members[i].size;

		for (unsigned n = 0; n < members[i].number; n++, at += size) {
			uint64_t number = wire_get_varint(wire);
			uint8_t byte = (uint8_t)number;
			uint32_t word = (uint32_t)number;

			if (number > members[i].max)
				*wire = (struct wire){{NULL, 0}, false};
			if (!wire->ok)
				return;
			if (size == sizeof(byte))
				memcpy(at, &byte, size);
			else if (size == sizeof(word))
				memcpy(at, &word, size);
			else
				memcpy(at, &number, sizeof(number));
		}
	}
}
