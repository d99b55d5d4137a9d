/* Encoding of numbers and strings as bytes. */
#include "base/wire.h"

void
wire_put_fixed(struct buf *out, unsigned bytes, uint64_t value)
{
	unsigned char b[8];

	for (unsigned i = 0; i < bytes; i++)
		b[i] = (unsigned char)(value >> (8 * i));
	out->is_cut = out->is_cut || !buf_put(out, b, bytes);
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
	out->is_cut = out->is_cut || !buf_put(out, b, n);
}

void
wire_put_slice(struct buf *out, struct slice slice)
{
	if (slice.len > UINT32_MAX)
		out->is_cut = true;
	wire_put_fixed(out, 4, slice.len);
	out->is_cut = out->is_cut || !buf_put_slice(out, slice);
}

uint64_t
wire_get_fixed(struct wire *wire, unsigned bytes)
{
	struct slice in = wire->in;
	uint64_t value = 0;

	if (!wire->ok || in.len < bytes) {
		*wire = (struct wire){{NULL, 0}, false};
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)(unsigned char)in.p[i] << (8 * i);
	wire->in = slice_from(in, bytes);
	return value;
}

uint64_t
wire_get_varint(struct wire *wire)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t b = (uint8_t)wire_get_fixed(wire, 1);

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
wire_get_bytes(struct wire *wire, uint64_t n)
{
	struct slice taken = slice_make(wire->in.p, (size_t)n);

	if (!wire->ok || wire->in.len < n) {
		*wire = (struct wire){{NULL, 0}, false};
		return slice_make(NULL, 0);
	}
	wire->in = slice_from(wire->in, (size_t)n);
	return taken;
}

struct slice
wire_get_slice(struct wire *wire)
{
	return wire_get_bytes(wire, wire_get_fixed(wire, 4));
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
