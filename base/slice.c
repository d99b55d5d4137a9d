/* Borrowed runs of bytes. */
#include "base/slice.h"

#include "base/mem.h"

static char
fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool
slice_equal_nocase(struct slice a, struct slice b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (fold(a.p[i]) != fold(b.p[i]))
			return false;
	return true;
}

static bool
is_xml_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct slice
slice_trim_spaces(struct slice a)
{
	while (a.len > 0 && is_xml_space(a.p[0]))
		a = slice_from(a, 1);
	while (a.len > 0 && is_xml_space(a.p[a.len - 1]))
		a.len--;
	return a;
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
	return !is_odd && !bytes16_any(odd);
}

size_t
slice_chars(struct slice a)
{
	size_t count = 0;

	for (size_t i = 0; i < a.len; i++)
		count += ((unsigned char)a.p[i] & 0xc0) != 0x80;
	return count;
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

char *
slice_dup(struct slice a)
{
	char *copy = mem_alloc(a.len + 1);

	if (a.len > 0)
		memcpy(copy, a.p, a.len);
	copy[a.len] = '\0';
	return copy;
}
