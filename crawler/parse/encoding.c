/* Encodings as functions of bytes. */
#include "crawler/parse/encoding.h"

#include <errno.h>
#include <iconv.h>

/* The characters of windows-1252 for 0x80 to 0x9F; 0: there is none. */
static const uint16_t windows1252[32] = {0x20AC, 0, 0x201A, 0x0192, 0x201E,
    0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D,
    0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
    0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178};

static const struct {
	const char *name;
	enum encoding encoding;
} names[] = {
    {"utf-8", ENCODING_UTF8},
    {"utf8", ENCODING_UTF8},
    {"us-ascii", ENCODING_ASCII},
    {"ascii", ENCODING_ASCII},
    {"iso-8859-1", ENCODING_LATIN1},
    {"iso8859-1", ENCODING_LATIN1},
    {"iso_8859-1", ENCODING_LATIN1},
    {"latin1", ENCODING_LATIN1},
    {"windows-1252", ENCODING_WINDOWS1252},
    {"cp1252", ENCODING_WINDOWS1252},
    {"gbk", ENCODING_GBK},
    {"cp936", ENCODING_GBK},
    /* a subset of GBK, and often declared for GBK */
    {"gb2312", ENCODING_GBK},
};

enum encoding
encoding_find(struct slice name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (slice_equal_nocase(name, slice_of(names[i].name)))
			return names[i].encoding;
	return ENCODING_UNKNOWN;
}

size_t
utf8_put(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xC0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3F));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xE0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3F));
		out[2] = (char)(0x80 | (c & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3F));
	out[2] = (char)(0x80 | (c >> 6 & 0x3F));
	out[3] = (char)(0x80 | (c & 0x3F));
	return 4;
}

/* utf8_sequence(bytes): the length of the sequence at the front (RFC 3629); 0:
 * it is invalid. */
static size_t
utf8_sequence(struct slice bytes)
{
	const unsigned char *p = (const unsigned char *)bytes.p;
	unsigned low = 0x80;
	unsigned high = 0xBF;
	size_t n;

	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xC2 && p[0] <= 0xDF)
		n = 2;
	else if (p[0] >= 0xE0 && p[0] <= 0xEF)
		n = 3;
	else if (p[0] >= 0xF0 && p[0] <= 0xF4)
		n = 4;
	else
		return 0;
	if (bytes.len < n)
		return 0;
	if (p[0] == 0xE0)
		low = 0xA0; /* less would be overlong */
	if (p[0] == 0xED)
		high = 0x9F; /* more would be a surrogate */
	if (p[0] == 0xF0)
		low = 0x90; /* less would be overlong */
	if (p[0] == 0xF4)
		high = 0x8F; /* more would be beyond U+10FFFF */
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((p[i] & 0xC0) != 0x80)
			return 0;
	return n;
}

bool
utf8_is_valid(struct slice bytes)
{
	uint64_t eight;

	while (bytes.len > 0) {
		/* Nearly all URLs are ASCII: test eight bytes at a time. */
		if (bytes.len >= sizeof(eight)) {
			memcpy(&eight, bytes.p, sizeof(eight));
			if ((eight & 0x8080808080808080) == 0) {
				bytes = slice_from(bytes, sizeof(eight));
				continue;
			}
		}
		size_t n = utf8_sequence(bytes);
		if (n == 0)
			return false;
		bytes = slice_from(bytes, n);
	}
	return true;
}

size_t
utf8_cut(struct slice bytes)
{
	for (size_t back = 1; back <= 3 && back <= bytes.len; back++) {
		unsigned char c = (unsigned char)bytes.p[bytes.len - back];

		if (c < 0x80)
			return 0;
		if (c >= 0xC0) {
			size_t need = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;

			return need > back ? back : 0;
		}
	}
	return 0;
}

size_t
line_ends(char *out, struct slice in, bool *is_after_cr)
{
	size_t n = 0;

	if (!*is_after_cr && in.len > 0 && memchr(in.p, '\r', in.len) == NULL) {
		memcpy(out, in.p, in.len);
		return in.len;
	}
	for (size_t i = 0; i < in.len; i++) {
		char c = in.p[i];

		if (c != '\n' || !*is_after_cr)
			out[n++] = c == '\r' ? '\n' : c;
		*is_after_cr = c == '\r';
	}
	return n;
}

uint32_t
encoding_char(enum encoding encoding, unsigned char byte)
{
	if (byte < 0x80)
		return byte;
	if (encoding == ENCODING_LATIN1)
		return byte;
	if (encoding == ENCODING_WINDOWS1252 && byte >= 0xA0)
		return byte;
	if (encoding == ENCODING_WINDOWS1252 && windows1252[byte - 0x80] != 0)
		return windows1252[byte - 0x80];
	return UINT32_MAX;
}

/* gbk_converter(): the one converter of the process. It must be loaded before a
 * reader enters its sandbox, where it can open nothing. */
static iconv_t
gbk_converter(void)
{
	static iconv_t converter;
	static bool is_open;

	if (!is_open)
		converter = iconv_open("UTF-8", "GBK");
	is_open = true;
	return converter;
}

bool
gbk_warm(void)
{
	return gbk_converter() != (iconv_t)-1;
}

size_t
gbk_convert(struct slice *in, char *out, size_t room, bool *is_bad)
{
	/*
	 * iconv does not write to its input, though the parameter is not const.
	 */
	char *from = (char *)(uintptr_t)in->p;
	char *to = out;
	size_t left = in->len;
	size_t rc = iconv(gbk_converter(), &from, &left, &to, &room);

	*is_bad = rc == (size_t)-1 && errno != EINVAL;
	*in = slice_make(from, left);
	return (size_t)(to - out);
}
