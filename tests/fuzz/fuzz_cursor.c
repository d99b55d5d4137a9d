/*
 * Any bytes as the cursor of a consumer of the feed: what is taken can be
 * printed, and the printed text is taken and printed as itself.
 */
#include <assert.h>

#include "crawler/feed/feed_cursor.h"
#include "tests/fuzz/fuzz.h"

static void
check_sites(const struct feed_sites *sites)
{
	for (size_t i = 0; i < sites->count; i++)
		assert(sites->ids[i] > (i > 0 ? sites->ids[i - 1] : 0));
}

static void
check_printed(const struct feed_cursor *cursor)
{
	struct feed_cursor again;
	struct buf text, other;

	buf_init(&text, SIZE_MAX);
	buf_init(&other, SIZE_MAX);
	feed_cursor_print(cursor, &text);
	for (size_t i = 0; i < text.len; i++)
		assert(text.p[i] > ' ' && text.p[i] <= '~');
	assert(feed_cursor_parse(&again, buf_text(&text)));
	feed_cursor_print(&again, &other);
	assert(slice_equal(buf_text(&text), buf_text(&other)));
	feed_cursor_release(&again);
	buf_release(&text);
	buf_release(&other);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed_cursor cursor;

	if (feed_cursor_parse(&cursor, slice_make((const char *)data, size))) {
		check_sites(&cursor.joining);
		check_sites(&cursor.leaving);
		check_sites(&cursor.joined);
		check_sites(&cursor.left);
		check_printed(&cursor);
	}
	feed_cursor_release(&cursor);
	return 0;
}
