/* The list of alternates in full. */
#include "crawler/parse/return_links.h"
#include "tests/fixtures/fixture.h"

#define MAX (1 << 16)

static const struct {
	uint32_t ordinal;
	const char *language;
	const char *url;
	const char *language_read;
} rows[] = {
    {0, "en", "https://a.example/en/tea", "en"},
    {0, "de-CH", "https://a.example/de/tea", "de-CH"},
    {0, "x-default", "https://a.example/", "x-default"},
    {3, "", "https://a.example/", ""},
    {3, "fr", "https://b.example/a/a/a", "fr"},
    {3, "fr", "https://b.example/a/a", "fr"},
    {3, "fr", "https://b.example/a/a/a/a", "fr"},
    {70000, "two words", "https://b.example/", ""},
    {70000, "a-code-that-is-longer-than-any-of-them", "http://c.example/", ""},
};
#define ROWS (COUNT(rows))

static void
what_is_added_is_read(void **state)
{
	struct alternate_list list;
	struct alternate_walk walk;
	struct alternate alternate;
	struct buf out;

	buf_init(&out, MAX);
	alternate_list_init(&list, &out);
	for (size_t i = 0; i < ROWS; i++)
		alternate_list_add(&list, rows[i].ordinal,
		    slice_of(rows[i].language), slice_of(rows[i].url));
	buf_release(&list.last);
	alternate_walk_init(&walk, buf_text(&out));
	assert_false(walk.is_cut);
	for (size_t i = 0; i < ROWS; i++) {
		assert_true(alternate_walk_next(&walk, &alternate));
		assert_int_equal(alternate.ordinal, rows[i].ordinal);
		assert_true(
		    slice_is(alternate.language, rows[i].language_read));
		assert_true(slice_is(alternate.url, rows[i].url));
	}
	assert_false(alternate_walk_next(&walk, &alternate));
	buf_release(&walk.url);
	buf_release(&out);
}

static void
a_list_without_room_says_so(void **state)
{
	struct alternate_list list;
	struct alternate_walk walk;
	struct alternate alternate;
	unsigned count = 0;
	struct buf out;

	buf_init(&out, 100);
	alternate_list_init(&list, &out);
	for (uint32_t i = 0; i < 20; i++)
		alternate_list_add(&list, i, slice_of("en"),
		    slice_of(i % 2 == 0 ? "https://a.example/one"
					: "http://b.example/two"));
	buf_release(&list.last);
	alternate_walk_init(&walk, buf_text(&out));
	assert_true(walk.is_cut);
	while (alternate_walk_next(&walk, &alternate))
		assert_int_equal(alternate.ordinal, count++);
	assert_in_range(count, 2, 4);
	assert_int_equal(walk.wire.in.len, 0);
	buf_release(&walk.url);
	buf_release(&out);
}

/* Whatever the bytes, the walk ends, and gives printable text only. */
static void
hostile_bytes_end_the_walk(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		unsigned links;
	} hostile[] = {
	    {"", 0, 0},
	    {"\0", 1, 0},
	    {"\0\0", 2, 0},
	    {"\0\0\2en\0\0\1a", 9, 1},
	    /* one byte shared with a URL that is empty */
	    {"\0\0\2en\1\0\1a", 9, 0},
	    {"\0\0\2en\0\1\1a", 9, 0},
	    /* more own bytes than there are, and a length of 2^63 */
	    {"\0\0\2en\0\0\2a", 9, 0},
	    {"\0\0\2en\0\0\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 16, 0},
	    /* a URL and a language that are not printable */
	    {"\0\0\2en\0\0\1\n", 9, 0},
	    {"\0\0\2e\n\0\0\1a", 9, 0},
	    /* the parts that are shared with the URL before overlap */
	    {"\0\0\0\0\0\1a\0\0\1\1\0", 12, 1},
	    /* an ordinal beyond 32 bits */
	    {"\0\xff\xff\xff\xff\x0f\0\0\0\1a\1\0\0\0\1b", 17, 1},
	};
	struct alternate_walk walk;
	struct alternate alternate;

	for (size_t i = 0; i < COUNT(hostile); i++) {
		unsigned links = 0;

		alternate_walk_init(
		    &walk, slice_make(hostile[i].bytes, hostile[i].len));
		while (alternate_walk_next(&walk, &alternate))
			links++;
		if (links != hostile[i].links)
			fail_msg("row %zu: %u links", i, links);
		assert_false(alternate_walk_next(&walk, &alternate));
		buf_release(&walk.url);
	}
}

UNIT(alternate_list)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_added_is_read),
	    cmocka_unit_test(a_list_without_room_says_so),
	    cmocka_unit_test(hostile_bytes_end_the_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
