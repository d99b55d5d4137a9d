/* Borrowed runs of bytes. */
#include "base/slice.h"

#include "base/ascii.h"
#include "base/mem.h"

bool
slice_equal_nocase(struct slice a, struct slice b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (ascii_lower(a.p[i]) != ascii_lower(b.p[i]))
			return false;
	return true;
}

bool
slice_starts_nocase(struct slice a, struct slice prefix)
{
	return a.len >= prefix.len &&
	    slice_equal_nocase(slice_make(a.p, prefix.len), prefix);
}

bool
slice_ends_nocase(struct slice a, struct slice suffix)
{
	return a.len >= suffix.len &&
	    slice_equal_nocase(slice_from(a, a.len - suffix.len), suffix);
}

struct slice
slice_trim_spaces(struct slice a)
{
	while (a.len > 0 && ascii_is_space(a.p[0]))
		a = slice_from(a, 1);
	while (a.len > 0 && ascii_is_space(a.p[a.len - 1]))
		a.len--;
	return a;
}

bool
slice_cut(struct slice *a, char mark, struct slice *part)
{
	const char *at;
	size_t len;

	if (a->len == 0)
		return false;
	at = memchr(a->p, mark, a->len);
	len = at == NULL ? a->len : (size_t)(at - a->p);
	*part = slice_trim(slice_make(a->p, len));
	*a = slice_from(*a, at == NULL ? len : len + 1);
	return true;
}

size_t
slice_count(struct slice a, char c)
{
	size_t count = 0;

	for (size_t i = 0; i < a.len; i++)
		count += a.p[i] == c;
	return count;
}

bool
slice_is_graphic(struct slice a)
{
	bytes16 odd = {0};
	bool is_odd = false;
	size_t i = 0;

	for (; i + sizeof(odd) <= a.len; i += sizeof(odd))
		odd |= (bytes16)(bytes16_load(a.p + i) - 0x21 > 0x7e - 0x21);
	for (; i < a.len; i++)
		is_odd |= (a.p[i] < 0x21) | (a.p[i] > 0x7e);
	return !is_odd && bytes16_mask(odd) == 0;
}

size_t
slice_chars(struct slice a)
{
	size_t count = 0;

	for (size_t i = 0; i < a.len; i++)
		count += ((unsigned char)a.p[i] & 0xc0) != 0x80;
	return count;
}

bool
slice_next(const char **list, char end, struct slice *part)
{
	size_t len = (size_t)(strchrnul(*list, end) - *list);
	bool is_left = **list != '\0';

	*part = slice_make(*list, len);
	*list += len;
	*list += **list != '\0';
	return is_left;
}

bool
slice_number(struct slice a, uint64_t *n)
{
	*n = 0;
	for (size_t i = 0; i < a.len; i++) {
		if (!ascii_is_digit(a.p[i]))
			return false;
		*n = *n > (UINT64_MAX - 9) / 10
		    ? UINT64_MAX
		    : *n * 10 + (uint64_t)(a.p[i] - '0');
	}
	return a.len > 0;
}

int
slice_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int
slice_escape(struct slice a, size_t at)
{
	int high, low;

	if (a.p[at] != '%' || a.len - at < 3)
		return -1;
	high = slice_hex(a.p[at + 1]);
	low = slice_hex(a.p[at + 2]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

char *
slice_dup(struct slice a)
{
	char *copy = mem_alloc(a.len + 1);

	if (a.len > 0)
		memcpy(copy, a.p, a.len);
	copy[a.len] = '\0';
	return copy;
}
