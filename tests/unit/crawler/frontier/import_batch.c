/* Lines of an import, many at once. */
#include "tests/fixtures/fixture.h"

#include "crawler/frontier/import.h"
#include "store/page.h"
#include "tests/fixtures/store_fixture.h"

static bool
put(struct import_batch *batch, const char *text)
{
	return import_batch_put(batch, slice_of(text), false, 1);
}

static void
search(struct import_batch *batch)
{
	while (import_batch_search(batch))
		;
}

/* The id of the document that lists the next line; -1: the line was not
 * searched for. */
static int
next(struct import_batch *batch)
{
	const struct import_row *row = import_batch_next(batch);

	assert_non_null(row);
	assert_null(row->why);
	return row->listed == NULL ? -1 : (int)row->listed->document_id;
}

static void
test_rows(void **state)
{
	struct import_batch batch = {0};
	const struct import_row *row;
	struct world world;

	world_open(&world);
	int64_t one = document_make(world.store, "h.test", HOST_TEXT "1.xml");
	(void)submit(
	    world.store, reading_make(world.store, one, 1, COMPLETE, "a b"));
	(void)store_page_add(world.store, one, slice_of(HOST_TEXT "b"));
	batch.store = world.store;
	for (int round = 0; round < 2; round++) {
		(void)put(&batch, HOST_TEXT "a");
		(void)put(&batch, "  ");
		(void)put(&batch, "nothing");
		(void)put(&batch, HOST_TEXT "b");
		(void)put(&batch, HOST_TEXT "z");
		assert_int_equal(batch.count, 5);
		search(&batch);
		assert_int_equal(next(&batch), one);
		assert_true(import_batch_next(&batch)->is_blank);
		row = import_batch_next(&batch);
		assert_non_null(row->why);
		assert_int_equal(next(&batch), -1); /* is a page */
		assert_int_equal(next(&batch), 0);
		assert_null(import_batch_next(&batch));
		assert_int_equal(batch.count, 0);
	}
	import_batch_release(&batch);
	world_close(&world);
}

/* A document changes while the lines are taken. */
static void
test_stale(void **state)
{
	static const char *const lists[] = {"b", "b c", "b d", "b c"};
	struct import_batch batch = {0};
	struct world world;
	int searches = 0;

	world_open(&world);
	int64_t one = document_make(world.store, "h.test", HOST_TEXT "1.xml");
	batch.store = world.store;
	(void)put(&batch, HOST_TEXT "a");
	for (int i = 0; i < 5; i++)
		(void)put(&batch, HOST_TEXT "c");
	search(&batch);
	assert_false(import_batch_is_stale(&batch));
	assert_int_equal(next(&batch), 0);
	for (size_t i = 0; i < COUNT(lists); i++) {
		(void)submit(world.store,
		    reading_make(
			world.store, one, (int64_t)i + 1, COMPLETE, lists[i]));
		if (!import_batch_is_stale(&batch))
			break;
		searches++;
		search(&batch);
		assert_int_equal(next(&batch), i % 2 == 1 ? one : 0);
	}
	/* the batch does not search for ever */
	assert_int_equal(searches, 2);
	assert_int_equal(next(&batch), -1);
	import_batch_release(&batch);
	world_close(&world);
}

static void
test_full(void **state)
{
	struct import_batch batch = {0};
	struct world world;
	struct buf line;

	world_open(&world);
	buf_init(&line, SIZE_MAX);
	for (int i = 0; i < IMPORT_LINE_MAX; i++)
		(void)buf_put_char(&line, 'x');
	batch.store = world.store;
	for (int i = 0; i < 15; i++)
		assert_true(put(&batch, buf_str(&line)));
	assert_false(put(&batch, buf_str(&line)));
	import_batch_release(&batch);
	buf_release(&line);
	world_close(&world);
}

UNIT_TESTS(import_batch, cmocka_unit_test(test_rows),
    cmocka_unit_test(test_stale), cmocka_unit_test(test_full));
