/* A robots.txt that cannot be read as text. */
#include "crawler/crawl/robots_packed.h"

#define LOOK_BYTES 1024

/* Text has no control characters but these. */
static bool
is_text(struct slice body)
{
	for (size_t i = 0; i < body.len && i < LOOK_BYTES; i++) {
		unsigned char c = (unsigned char)body.p[i];

		if (c < ' ' && memchr("\t\n\v\f\r", c, 5) == NULL)
			return false;
	}
	return true;
}

bool
robots_is_packed(struct slice body, const char *content_encoding)
{
	static const struct slice magics[] = {
	    {"\x1f\x8b", 2}, {"\x28\xb5\x2f\xfd", 4}};

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (slice_starts(body, magics[i]))
			return true;
	return content_encoding != NULL &&
	    !slice_equal_nocase(
		slice_of(content_encoding), slice_of("identity")) &&
	    !is_text(body);
}
