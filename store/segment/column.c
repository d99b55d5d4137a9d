/* Columns of numbers in byte planes. */
#include "store/segment/column.h"

#include <assert.h>

static uint64_t
zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static int64_t
unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

/* Trying every unit is cheap: nearly always one of the first few values is no
 * multiple of it. */
static uint64_t
choose_unit(const int64_t *values, uint32_t count, uint64_t least,
    const uint32_t *units)
{
	for (; *units > 1; units++) {
		uint32_t i = 0;

		while (i < count && ((uint64_t)values[i] - least) % *units == 0)
			i++;
		if (i == count)
			return *units;
	}
	return 1;
}

void
column_put(struct buf *out, const int64_t *values, uint32_t count,
    const uint32_t *units)
{
	int64_t least = values[0];
	int64_t most = values[0];

	for (uint32_t i = 1; i < count; i++) {
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
	}
	wire_put_varint(out, zigzag(least));
	uint64_t base = (uint64_t)least;
	uint64_t span = (uint64_t)most - base;
	uint64_t unit = span == 0 ? 1 : choose_unit(values, count, base, units);
	uint8_t planes = 0;

	for (span /= unit; span != 0; span >>= 8)
		planes++;
	wire_put_u8(out, planes);
	if (planes == 0)
		return;
	wire_put_varint(out, unit);
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
		out->len += count;
	}
}

bool
column_get(struct wire *in, int64_t *values, uint32_t count)
{
	uint64_t base = (uint64_t)unzigzag(wire_get_varint(in));
	uint8_t planes = wire_get_u8(in);
	uint64_t unit = planes == 0 ? 0 : wire_get_varint(in);

	if (!in->ok || planes > 8 || in->in.len < (size_t)planes * count)
		return false;
	if (planes == 0) {
		for (uint32_t i = 0; i < count; i++)
			values[i] = (int64_t)base;
		return true;
	}
	for (unsigned p = 0; p < planes; p++) {
		const unsigned char *from = (const unsigned char *)in->in.p;

		if (p == 0)
			for (uint32_t i = 0; i < count; i++)
				values[i] = from[i];
		else
			for (uint32_t i = 0; i < count; i++)
				values[i] |= (int64_t)((uint64_t)from[i]
				    << 8 * p);
		in->in = slice_from(in->in, count);
	}
	for (uint32_t i = 0; i < count; i++)
		values[i] = (int64_t)(base + unit * (uint64_t)values[i]);
	return true;
}
