/* Base64. */
#include "base/base64.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

void
base64_put(
    struct buf *out, const unsigned char *bytes, size_t count, bool is_url)
{
	const char *digits = is_url ? LETTERS "-_" : LETTERS "+/";

	for (size_t bit = 0; bit < count * 8; bit += 6) {
		unsigned next = bit / 8 + 1 < count ? bytes[bit / 8 + 1] : 0;
		unsigned pair = (unsigned)bytes[bit / 8] << 8 | next;

		(void)buf_put_char(out, digits[pair >> (10 - bit % 8) & 63]);
	}
	for (size_t i = count; !is_url && i % 3 > 0; i++)
		(void)buf_put_char(out, '=');
}
