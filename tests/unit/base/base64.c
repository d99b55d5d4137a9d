/* base/base64.c: the vectors of RFC 4648, and both alphabets. */
#include "tests/fixtures/fixture.h"

#include "base/base64.h"

static void
test_vectors(void **state)
{
	static const struct {
		const char *bytes, *text, *url;
	} rows[] = {
	    {"", "", ""},
	    {"f", "Zg==", "Zg"},
	    {"fo", "Zm8=", "Zm8"},
	    {"foo", "Zm9v", "Zm9v"},
	    {"foob", "Zm9vYg==", "Zm9vYg"},
	    {"fooba", "Zm9vYmE=", "Zm9vYmE"},
	    {"foobar", "Zm9vYmFy", "Zm9vYmFy"},
	    {"\xfb\xef\xbe\xff\xff", "++++//8=", "----__8"},
	};
	struct buf out = BUF_UP_TO(SIZE_MAX);

	for (size_t i = 0; i < COUNT(rows); i++) {
		const unsigned char *p = (const unsigned char *)rows[i].bytes;
		size_t len = strlen(rows[i].bytes);

		buf_clear(&out);
		base64_put(&out, p, len, false);
		assert_string_equal(buf_str(&out), rows[i].text);
		buf_clear(&out);
		base64_put(&out, p, len, true);
		assert_string_equal(buf_str(&out), rows[i].url);
	}
	buf_release(&out);
}

UNIT_TESTS(base64, cmocka_unit_test(test_vectors));
