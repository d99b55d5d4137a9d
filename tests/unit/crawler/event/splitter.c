/* crawler/event/splitter.c: lines from bytes that come in pieces. */
#include "tests/fixtures/fixture.h"

#include "crawler/event/splitter.h"

#define LONG 10000

/* Each text comes in pieces of every size; the lines and the rest are always
 * the same. */
static void
pieces_do_not_matter(void **state)
{
	static const struct {
		const char *text, *lines, *rest;
	} cases[] = {
	    {"", "", ""},
	    {"a", "", "a"},
	    {"\n", "<>", ""},
	    {"a\nbc\n", "<a><bc>", ""},
	    {"\n\na\n\nrest", "<><><a><>", "rest"},
	    {"one\r\ntwo", "<one\r>", "two"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t piece = 1; piece <= 8; piece++) {
			struct slice rest = slice_of(cases[i].text);
			struct splitter splitter;
			struct slice line, seen;
			struct buf lines;

			splitter_init(&splitter, 100);
			buf_init(&lines, SIZE_MAX);
			while (rest.len > 0) {
				size_t n = rest.len < piece ? rest.len : piece;

				assert_true(splitter_put(
				    &splitter, slice_make(rest.p, n)));
				rest = slice_from(rest, n);
				while (splitter_peek(&splitter, &seen)) {
					assert_true(
					    splitter_next(&splitter, &line));
					assert_true(slice_equal(seen, line));
					(void)buf_print(&lines, "<%.*s>",
					    (int)line.len, line.p);
				}
			}
			assert_string_equal(buf_str(&lines), cases[i].lines);
			assert_true(
			    slice_is(splitter_rest(&splitter), cases[i].rest));
			buf_release(&splitter.text);
			buf_release(&lines);
		}
}

/* What waits is bounded; what was taken does not count, and is not kept. */
static void
what_waits_is_bounded(void **state)
{
	struct splitter splitter;
	struct slice line;

	(void)state;
	splitter_init(&splitter, 10);
	assert_true(splitter_put(&splitter, slice_of("9")));
	for (int i = 0; i < LONG; i++) {
		assert_true(splitter_put(&splitter, slice_of("1234567\n9")));
		assert_false(splitter_put(&splitter, slice_of("0")));
		assert_true(splitter_next(&splitter, &line));
		assert_true(slice_is(line, "91234567"));
		assert_true(splitter.text.len <= 40);
	}
	splitter.at = splitter.looked_at = splitter.text.len;
	assert_false(splitter_peek(&splitter, &line));
	assert_true(splitter_put(&splitter, slice_of("a\nb\nc\n")));
	assert_true(splitter_next(&splitter, &line));
	assert_true(splitter_put(&splitter, slice_of("123456")));
	assert_false(splitter_put(&splitter, slice_of("7")));
	assert_true(slice_is(splitter_rest(&splitter), "b\nc\n123456"));
	buf_release(&splitter.text);
}

UNIT_TESTS(splitter, cmocka_unit_test(pieces_do_not_matter),
    cmocka_unit_test(what_waits_is_bounded));
