/* Encodings as functions of bytes. */
#include "crawler/parse/encoding.h"

#include <errno.h>
#include <iconv.h>

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

/* The converters of the process, one for each encoding. They must be loaded
 * before a reader enters its sandbox, where it can open nothing. */
static iconv_t
encoding_converter(enum encoding encoding)
{
	static const char *const libc_names[] = {[ENCODING_ASCII] = "ASCII",
	    [ENCODING_LATIN1] = "ISO-8859-1",
	    [ENCODING_WINDOWS1252] = "CP1252",
	    [ENCODING_GBK] = "GBK",
	    [ENCODING_UTF16LE] = "UTF-16LE",
	    [ENCODING_UTF16BE] = "UTF-16BE"};
	static iconv_t converters[ENCODING_UNKNOWN]; /* NULL: not opened yet */

	if (encoding == ENCODING_UTF8 || encoding == ENCODING_UNKNOWN)
		return (iconv_t)-1;
	if (converters[encoding] == NULL)
		converters[encoding] = iconv_open(
		    "UTF-8", libc_names[encoding]);
	return converters[encoding];
}

bool
encoding_is_read(enum encoding encoding)
{
	return encoding_converter(encoding) != (iconv_t)-1;
}

void
encoding_warm(void)
{
	for (int i = ENCODING_UTF8; i < ENCODING_UNKNOWN; i++)
		(void)encoding_converter((enum encoding)i);
}

size_t
encoding_convert(enum encoding encoding, struct slice *in, char *out,
    size_t room, bool *is_bad)
{
	/*
	 * iconv does not write to its input, though the parameter is not const.
	 */
	char *from = (char *)(uintptr_t)in->p;
	char *to = out;
	size_t left = in->len;
	size_t rc = iconv(
	    encoding_converter(encoding), &from, &left, &to, &room);

	*is_bad = rc == (size_t)-1 && errno != EINVAL;
	*in = slice_make(from, left);
	return (size_t)(to - out);
}
