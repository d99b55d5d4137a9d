/* Columns of numbers in byte planes. */
#include "store/segment/column.h"

#include <assert.h>
#include <string.h>

static void
find_range(const int64_t *values, uint32_t count, int64_t *least, int64_t *most)
{
	int64_t low = values[0], high = values[0];

	for (uint32_t i = 1; i < count; i++) {
		low = values[i] < low ? values[i] : low;
		high = values[i] > high ? values[i] : high;
	}
	*least = low;
	*most = high;
}

/* How many bits of each offset the last plane holds. */
static unsigned
last_width(unsigned bits)
{
	unsigned rest = (bits - 1) % 8 + 1;

	return rest <= 2 ? rest : rest <= 4 ? 4 : 8;
}

/* Pack a plane in place; returns its bytes. */
static size_t
pack_plane(unsigned char *plane, uint32_t count, unsigned width)
{
	unsigned per_byte = 8 / width;
	size_t len = 0;

	if (per_byte == 1)
		return count;
	for (uint32_t i = 0; i < count; i += per_byte) {
		unsigned byte = 0;

		for (uint32_t k = 0; k < per_byte && i + k < count; k++)
			byte |= (unsigned)plane[i + k] << k * width;
		plane[len++] = (unsigned char)byte;
	}
	return len;
}

void
column_put(struct buf *out, const int64_t *values, uint32_t count,
    const uint32_t *units)
{
	int64_t flat[BLOCK_ENTRIES];
	int64_t least, most;
	uint32_t steps = 0;
	uint8_t flag = 0;

	find_range(values, count, &least, &most);
	/* Are most of the values greater by one than the value before?  So are
	 * ordinals where a sitemap lists most URLs in their order. */
	for (uint32_t i = 1; most > least && i < count; i++)
		steps += (uint64_t)values[i] - (uint64_t)values[i - 1] == 1;
	if (steps > count / 2) {
		for (uint32_t i = 0; i < count; i++)
			flat[i] = (int64_t)((uint64_t)values[i] - i);
		values = flat;
		flag = COLUMN_RISES;
		find_range(values, count, &least, &most);
	}
	wire_put_varint(
	    out, (uint64_t)least << 1 ^ (least < 0 ? UINT64_MAX : 0));
	uint64_t base = (uint64_t)least;
	uint64_t span = (uint64_t)most - base;
	uint64_t unit = 1;
	uint8_t bits = 0;

	/* The first unit that divides all offsets.  Trying every unit is cheap:
	 * nearly always one of the first few values is no multiple of it. */
	for (; span > 0 && unit == 1 && *units > 1; units++) {
		uint32_t i = 0;

		while (i < count && ((uint64_t)values[i] - base) % *units == 0)
			i++;
		if (i == count)
			unit = *units;
	}
	for (span /= unit; span != 0; span >>= 1)
		bits++;
	wire_put_fixed(out, 1, bits | flag);
	if (bits == 0)
		return;
	wire_put_varint(out, unit);
	unsigned planes = (bits + 7u) / 8;
	bool is_there = buf_reserve(out, (size_t)planes * count);
	assert(is_there);
	for (unsigned p = 0; p < planes; p++) {
		char *to = out->p + out->len;

		if (unit == 1)
			for (uint32_t i = 0; i < count; i++)
				to[i] = (char)(((uint64_t)values[i] - base) >>
				    8 * p);
		else
			for (uint32_t i = 0; i < count; i++)
				to[i] = (char)(((uint64_t)values[i] - base) /
					unit >>
				    8 * p);
		out->len += p + 1 < planes
		    ? count
		    : pack_plane((unsigned char *)to, count, last_width(bits));
	}
}

bool
column_get(struct wire *in, int64_t *values, uint32_t count, bool is_first_form,
    struct column_range *range)
{
	/* The least value is signed: its lowest bit says to flip the others. */
	uint64_t zigzag = wire_get_varint(in);
	uint64_t base = zigzag >> 1 ^ (zigzag & 1 ? UINT64_MAX : 0);
	unsigned head = (uint8_t)wire_get_fixed(in, 1);
	bool is_rising = !is_first_form && (head & COLUMN_RISES) != 0;
	unsigned bits = is_first_form ? head * 8 : head & ~COLUMN_RISES;
	unsigned planes = (bits + 7) / 8;
	uint64_t unit = planes == 0 ? 0 : wire_get_varint(in);
	unsigned char last[BLOCK_ENTRIES];

	if (!in->ok || planes > 8)
		return false;
	/* The values are base + unit * offset, and rise besides.  An offset has
	 * as many bits as its planes have room for, whatever the head says. */
	unsigned room = bits == 0 ? 0 : (bits - 1) / 8 * 8 + last_width(bits);
	*range = (struct column_range){INT64_MIN, INT64_MAX};
	/* Below these bounds the product does not overflow. */
	if (room <= 32 && unit <= UINT32_MAX) {
		uint64_t span = unit * ((UINT64_C(1) << room) - 1) +
		    (is_rising ? count - 1 : 0);

		if (span <= (uint64_t)INT64_MAX - base)
			*range = (struct column_range){
			    (int64_t)base, (int64_t)(base + span)};
	}
	if (planes == 0 && !is_rising) {
		for (uint32_t i = 0; i < count; i++)
			values[i] = (int64_t)base;
		return true;
	}
	if (planes == 0)
		memset(values, 0, count * sizeof(*values));
	for (unsigned p = 0; p < planes; p++) {
		const unsigned char *from = (const unsigned char *)in->in.p;
		unsigned width = p + 1 < planes ? 8 : last_width(bits);
		size_t len = ((size_t)count * width + 7) / 8;

		if (in->in.len < len)
			return false;
		if (width < 8) {
			const unsigned mask = (1u << width) - 1;

			for (uint32_t i = 0; i < count; i++)
				last[i] = (unsigned char)(from[i * width / 8] >>
					i * width % 8 &
				    mask);
			from = last;
		}
		if (p == 0)
			for (uint32_t i = 0; i < count; i++)
				values[i] = from[i];
		else
			for (uint32_t i = 0; i < count; i++)
				values[i] |= (int64_t)((uint64_t)from[i]
				    << 8 * p);
		in->in = slice_from(in->in, len);
	}
	for (uint32_t i = 0; i < count; i++)
		values[i] = (int64_t)(base + unit * (uint64_t)values[i] +
		    (is_rising ? i : 0));
	return true;
}
