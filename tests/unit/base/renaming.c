/* Renamings that the user gives. */
#include "base/renaming.h"

#include "tests/fixtures/fixture.h"

static void
forms(void **state)
{
	static const struct {
		const char *text;
		bool is_one;
	} rows[] = {
	    {"/blog/* /insights/*", true},
	    {"  /a\t/b ", true},
	    {"/* /new/*", true},
	    {"/p?id=* /p/*", true},
	    {"/ /home", true},
	    {"/a%20b /a-b", true},
	    {"", false},
	    {"/a", false},
	    {"/a /b /c", false},
	    {"/a /a", false},
	    {"/a/* /a/*", false},
	    {"/a/* /b/", false},
	    {"/a/ /b/*", false},
	    {"/*/a /b/a", false},
	    {"/docs/* /docs/*/", true},
	    {"/*.html /*", true},
	    {"/a*/b /*", true},
	    {"/a*/b /a*/b", false},
	    {"/a** /b*", false},
	    {"/*a* /b*", false},
	    {"* /b*", false},
	    {"a /b", false},
	    {"/a b", false},
	    {"/a => /b", false},
	    {"http://h/a /b", false},
	    {"//h/a /b", false},
	    {"/a#x /b", false},
	    {"/\xc3\xa4 /b", false},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (renaming_is(rows[i].text) != rows[i].is_one)
			fail_msg("'%s'", rows[i].text);
}

/* Each path, and what it may have become, in order. */
static void
orders(void **state)
{
	static const char *const texts[] = {"/a/* /1/*", "/a/b/* /2/*",
	    "/a/b /3", "/a/b* /4*", "/a/b /5", "/* /6/*", "/*.html /7/*/x",
	    "/c*.html /8*"};
	static const struct {
		const char *path, *became;
	} rows[] = {
	    {"/a/b", "/3 /5 /4 /1/b /6/a/b "},
	    {"/a/b/c?d", "/2/c?d /4/c?d /1/b/c?d /6/a/b/c?d "},
	    {"/a/", "/1/ /6/a/ "},
	    {"/a", "/6/a "},
	    {"/", "/6/ "},
	    {"/c.html", "/8 /7/c/x /6/c.html "},
	    {"/a.html", "/7/a/x /6/a.html "},
	    {"/.html", "/7//x /6/.html "},
	    {"/c/html", "/6/c/html "},
	    {"", ""},
	};
	struct renamings *renamings = renamings_new(texts, COUNT(texts));
	struct renamed renamed;
	struct buf *out = *state;
	size_t at = 0;

	for (size_t i = 0; i < COUNT(rows); i++) {
		at = 0;
		while (renamings_next(
		    renamings, &at, slice_of(rows[i].path), &renamed)) {
			(void)buf_put_slice(out, renamed.to);
			(void)buf_put_slice(out, renamed.rest);
			(void)buf_put_slice(out, renamed.tail);
			(void)buf_put_char(out, ' ');
		}
		assert_row(rows[i].path, out, rows[i].became);
	}
	at = 0;
	assert_false(renamings_next(NULL, &at, slice_of("/a"), &renamed));
	assert_null(renamings_new(NULL, 0));
	renamings_free(NULL);
	renamings_free(renamings);
}

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
	}
}

UNIT(renaming)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(forms),
	    text_test(orders),
	    text_test(keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
