/* How one page may be spelt. */
#include "base/spelling.h"

#include "tests/fixtures/fixture.h"

static void
keys(void **state)
{
	static const struct {
		const char *url, *key, *tail;
	} rows[] = {
	    {"http://h/", "h", "/"},
	    {"https://www.h", "h", ""},
	    {"http://h/index.html", "h", "/index.html"},
	    {"http://h/INDEX.PHP?x=A.html", "h?x=A.html", "/INDEX.PHP"},
	    {"http://www.h/A/b/", "h/a/b", "/"},
	    {"http://h/A/b/index.htm", "h/a/b", "/index.htm"},
	    {"http://h/A/b.Html", "h/a/b", ".Html"},
	    {"http://h/a.php?q=/B/", "h/a?q=/B/", ".php"},
	    {"http://h/a.html/", "h/a.html", "/"},
	    {"http://h/.html", "h/.html", ""},
	    {"http://h/html", "h/html", ""},
	    {"http://h/index", "h/index", ""},
	    {"http://h/a.pdf", "h/a.pdf", ""},
	    {"http://www2.h/%C3%A4", "www2.h/%c3%a4", ""},
	    {"", "", ""},
	};
	struct buf *key = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice url = slice_of(rows[i].url), tail, stem;

		spelling_key(key, url);
		assert_row(rows[i].url, key, rows[i].key);
		stem = spelling_stem(url, &tail);
		assert_true(slice_is(tail, rows[i].tail));
		assert_ptr_equal(stem.p, url.p);
		assert_true(stem.p + stem.len == tail.p);
		assert_true(slice_equal(
		    spelling_rest(url), slice_from(url, spelling_skip(url))));
	}
}

UNIT(spelling)
{
	const struct CMUnitTest tests[] = {
	    text_test(keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
