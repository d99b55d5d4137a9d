/*
 * Any bytes as a line from another process: what is taken for text is UTF-8
 * without a NUL, and comes back when it is written out again.
 *
 *	all: the line
 */
#include <assert.h>

#include "base/vis.h"
#include "crawler/event/ndjson.h"
#include "tests/fuzz/fuzz.h"

#define OUT_MAX (1u << 20)
#define ITEMS_MAX 64

static void
check_text(struct slice text)
{
	struct buf out;

	if (text.p == NULL)
		return;
	assert(text.len == 0 || memchr(text.p, '\0', text.len) == NULL);
	assert(vis_is_utf8(text));
	buf_init(&out, OUT_MAX);
	(void)buf_put_slice(&out, slice_of("{\"t\":"));
	json_put(&out, text);
	(void)buf_put_char(&out, '}');
	struct ndjson *again = ndjson_parse(buf_text(&out), NULL);
	assert(again != NULL);
	assert(slice_equal(ndjson_text(again, "t"), text));
	ndjson_free(again);
	buf_release(&out);
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
	struct ndjson *object = ndjson_parse(
	    slice_make((const char *)data, size), NULL);

	if (object == NULL)
		return 0;
	check_text(ndjson_text(object, "t"));
	check_text(ndjson_text(object, "url"));
	(void)ndjson_number(object, "n", -1);
	(void)ndjson_flag(object, "f");
	for (size_t i = 0; i < ITEMS_MAX; i++) {
		struct slice item = ndjson_item(object, "l", i);

		check_text(item);
		if (item.p == NULL)
			break;
	}
	assert(ndjson_item(object, "l", size).p == NULL);
	ndjson_free(object);
	return 0;
}
