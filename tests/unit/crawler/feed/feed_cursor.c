/* crawler/feed/feed_cursor.c: a cursor and its text. */
#include "tests/fixtures/fixture.h"

#include <string.h>

#include "crawler/feed/feed_cursor.h"

static void
test_print(void **state)
{
	static const int64_t joining[] = {5, 4, 3, 9, 12, 11};
	struct feed_cursor cursor = {.serial = 77,
	    .is_reset = true,
	    .reading_id = 10,
	    .outcome_id = 20,
	    .robots_id = 30,
	    .unknown_id = 40};
	struct feed_cursor again;
	struct buf text, other;

	buf_init(&text, SIZE_MAX);
	buf_init(&other, SIZE_MAX);
	cursor.reading_url = slice_dup(slice_of("http://h.test/~a"));
	feed_place_set(&cursor.robots, 6, slice_of(""));
	feed_place_set(&cursor.joining_at, 3, slice_of("http://h.test/b"));
	feed_sites_add(&cursor.leaving, 7);
	feed_sites_add(&cursor.joined, 10);
	feed_sites_add(&cursor.left, 8);
	for (size_t i = 0; i < COUNT(joining); i++)
		feed_sites_add(&cursor.joining, joining[i]);
	feed_cursor_print(&cursor, &text);
	assert_string_equal(buf_str(&text),
	    "f2.77.1.10.20.30.40.6.3.0.3-5,9,11-12.7.10.8.16.0.15.0~"
	    "http://h.test/~ahttp://h.test/b");
	assert_true(feed_cursor_parse(&again, buf_text(&text)));
	assert_int_equal(again.joining.count, 6);
	assert_int_equal(again.joining.ids[5], 12);
	assert_true(feed_sites_has(&again.joining, 9));
	assert_false(feed_sites_has(&again.joining, 10));
	assert_true(feed_sites_has(&again.leaving, 7));
	assert_string_equal(again.reading_url, "http://h.test/~a");
	assert_null(again.robots.url);
	feed_cursor_print(&again, &other);
	assert_string_equal(buf_str(&other), buf_str(&text));
	feed_sites_remove(&again.joining, 9);
	assert_false(feed_sites_has(&again.joining, 9));
	assert_int_equal(again.joining.count, 5);
	feed_cursor_release(&again);
	feed_cursor_release(&cursor);
	buf_release(&other);
	buf_release(&text);
}

/* Whatever is no cursor is refused. */
static void
test_refused(void **state)
{
	static const char *const wrong[] = {
	    "",
	    "f1.",
	    "f2.1.0.1.1.1.0.0.0.....0.0.0.0~", /* a number is missing */
	    "f3.1.0.1.1.1.1.0.0.0.....0.0.0.0~",
	    "f2.1.2.1.1.1.1.0.0.0.....0.0.0.0~", /* a flag above 1 */
	    "f2.1.0.-1.1.1.1.0.0.0.....0.0.0.0~",
	    "f2.1.0.99999999999999999999.1.1.1.0.0.0.....0.0.0.0~",
	    "f2.1.0.1.1.1.1.0.0.0....0.0.0.0~", /* a list is missing */
	    "f2.1.0.1.1.1.1.0.0.0.3,2....0.0.0.0~", /* not ascending */
	    "f2.1.0.1.1.1.1.0.0.0.3-2....0.0.0.0~",
	    "f2.1.0.1.1.1.1.0.0.0.0....0.0.0.0~", /* no id */
	    "f2.1.0.1.1.1.1.0.0.0.1-140737488355327....0.0.0.0~",
	    "f2.1.0.1.1.1.1.0.0.0.....0.0.0.0",
	    "f2.1.0.1.1.1.1.0.0.0.....0.0.0.0~x", /* more than its URLs */
	    "f2.1.0.1.1.1.1.0.0.0.....2.0.0.0~x",
	    "f2.1.0.1.1.1.1.0.0.0.....1.0.0.0~ ",
	    "f2.1.0.1.1.1.1.0.0.0.....99999.0.0.0~x",
	};
	struct feed_cursor cursor;

	for (size_t i = 0; i < COUNT(wrong); i++) {
		if (feed_cursor_parse(&cursor, slice_of(wrong[i])))
			fail_msg("'%s' was taken", wrong[i]);
		feed_cursor_release(&cursor);
	}
	assert_true(feed_cursor_parse(
	    &cursor, slice_of("f1.1.0.1.1.1.0.0.0.....0.0.0.0~")));
	feed_cursor_release(&cursor);
}

UNIT(feed_cursor)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_print),
	    cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
