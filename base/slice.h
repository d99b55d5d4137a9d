/* A borrowed run of bytes. A slice owns nothing, and no NUL need follow it. */
#ifndef FRESHET_SLICE_H
#define FRESHET_SLICE_H

#ifdef __SSE2__
#include <emmintrin.h>
#else
#include <endian.h>
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct slice {
	const char *p;
	size_t len;
};

/* LENGTH(array): how many items the array has. */
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* slice_of(s): the bytes of a string that NUL ends; of NULL, none. */
static inline struct slice
slice_of(const char *s)
{
	return (struct slice){s, s == NULL ? 0 : strlen(s)};
}

/* slice_make(p, len): the len bytes at p. */
static inline struct slice
slice_make(const char *p, size_t len)
{
	return (struct slice){p, len};
}

static inline bool
slice_equal(struct slice a, struct slice b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

static inline bool
slice_is(struct slice a, const char *s)
{
	return slice_equal(a, slice_of(s));
}

static inline bool
slice_starts(struct slice a, struct slice prefix)
{
	return a.len >= prefix.len &&
	    (prefix.len == 0 || memcmp(a.p, prefix.p, prefix.len) == 0);
}

static inline bool
slice_ends(struct slice a, struct slice suffix)
{
	return a.len >= suffix.len &&
	    (suffix.len == 0 ||
		memcmp(a.p + (a.len - suffix.len), suffix.p, suffix.len) == 0);
}

/* slice_order(a, b): negative, 0 or positive; compares unsigned bytes. */
static inline int
slice_order(struct slice a, struct slice b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n == 0 ? 0 : memcmp(a.p, b.p, n);

	if (order != 0)
		return order;
	return a.len < b.len ? -1 : a.len > b.len;
}

/* slice_from(a, n): a without its first n bytes; n must not exceed a.len. */
static inline struct slice
slice_from(struct slice a, size_t n)
{
	/* NULL + 0 is undefined in C. */
	return n == 0 ? a : (struct slice){a.p + n, a.len - n};
}

/* slice_equal_nocase(a, b): are a and b equal if ASCII letters are folded? */
bool slice_equal_nocase(struct slice a, struct slice b);

/* slice_starts_nocase(a, prefix), slice_ends_nocase(a, suffix): the same of the
 * beginning, and of the end of a. */
bool slice_starts_nocase(struct slice a, struct slice prefix);
bool slice_ends_nocase(struct slice a, struct slice suffix);

/* slice_trim(a): a without XML white space (space, tab, CR, LF) at both ends.
 * slice_trim_spaces() does the same, and is called when there may be some. */
struct slice slice_trim_spaces(struct slice a);

static inline struct slice
slice_trim(struct slice a)
{
	return a.len > 0 && (unsigned char)a.p[0] > ' ' &&
		(unsigned char)a.p[a.len - 1] > ' '
	    ? a
	    : slice_trim_spaces(a);
}

/* slice_cut(a, mark, part): take what stands before the first mark, or all of
 * it, and the mark; *part is trimmed.  False: a is empty. */
bool slice_cut(struct slice *a, char mark, struct slice *part);

/* slice_count(a, c): how many bytes of a are c. */
size_t slice_count(struct slice a, char c);

/* slice_is_graphic(a): are all bytes of a printable ASCII, and none a space? */
bool slice_is_graphic(struct slice a);

/* slice_chars(a): how many characters a has, if it is UTF-8. Each takes one
 * column of a terminal once vis_put has written it. */
size_t slice_chars(struct slice a);

/* slice_next(list, end, part): take what stands before the next `end` off the
 * front of a list, such as "a|b|c".  False: nothing is left. */
bool slice_next(const char **list, char end, struct slice *part);

/* slice_number(a, n): read a, which is nothing but decimal digits; a number
 * that is too large becomes UINT64_MAX.  False, and *n is undefined, if a is
 * empty or has anything else. */
bool slice_number(struct slice a, uint64_t *n);

/* slice_hex(c): the value of a hexadecimal digit; -1: it is none. */
int slice_hex(char c);

/* slice_escape(a, at): the byte that "%XX" there stands for, or -1. */
int slice_escape(struct slice a, size_t at);

/* slice_dup(a): an owned, NUL-terminated copy; the caller frees it. */
char *slice_dup(struct slice a);

/* Sixteen bytes that are compared at once; a comparison has a result for each
 * byte, all bits or none. */
typedef unsigned char bytes16 __attribute__((vector_size(16)));

static inline bytes16
bytes16_load(const char *p)
{
	bytes16 bytes;

	memcpy(&bytes, p, sizeof(bytes));
	return bytes;
}

/* bytes16_mask(bytes): the result of a comparison as a number, a bit for each
 * byte, the first one lowest. */
static inline unsigned
bytes16_mask(bytes16 bytes)
{
#ifdef __SSE2__
	return (unsigned)_mm_movemask_epi8((__m128i)bytes);
#else
	const uint64_t bits = UINT64_C(0x8080808080808080);
	const uint64_t gather = UINT64_C(0x0002040810204081);
	uint64_t halves[2];

	memcpy(halves, &bytes, sizeof(halves));
	return (unsigned)((le64toh(halves[0]) & bits) * gather >> 56 |
	    (le64toh(halves[1]) & bits) * gather >> 56 << 8);
#endif
}

#endif
