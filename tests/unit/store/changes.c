/* What was committed since a reading, and what it changed. */
#include "tests/fixtures/fixture.h"

#include "store/changes.h"
#include "tests/fixtures/store_fixture.h"

#define CHILD_URL HOST_TEXT "map.xml"

static bool
put_reading(void *arg, const struct reading_row *row)
{
	struct buf *out = arg;

	(void)buf_print(out, "%d d%d s%d @%d %s %s %s %s%s %d", (int)row->id,
	    (int)row->document_id, (int)row->site_id, (int)row->at_s,
	    outcome_name(row->outcome),
	    row->failure == DIAG_OK ? "-" : diag_name(row->failure),
	    document_kind_name(row->kind), row->is_read ? "r" : "",
	    row->is_complete ? "c" : "", (int)row->entries);
	for (int i = 0; i < DELTA_KINDS; i++)
		(void)buf_print(out, " %d", (int)row->changes[i]);
	(void)buf_put_char(out, '\n');
	return row->id < 4;
}

static bool
put_change(void *arg, const struct change *change)
{
	struct buf *out = arg;

	(void)buf_print(out, "%s ", delta_rows[change->kind].name);
	put_name(out, change->url);
	(void)buf_put_char(out, ' ');
	return change->kind != DELTA_REDATED;
}

static bool
put_entry(void *arg, const struct entry *entry)
{
	put_name(arg, entry->url);
	return !slice_is(entry->url, HOST_TEXT "b");
}

static void
test_since(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct buf *out = &world->out;
	int64_t id = document_make(s, "h.test", CHILD_URL);
	(void)read_at(s, id, 100, COMPLETE, "a b:1 c");
	(void)read_at(s, id, 200, COMPLETE, "a b:2 d");
	(void)read_at(s, id, 300, UNCHANGED, "");
	(void)read_at(s, id, 400, FAILED, NULL);
	(void)read_at(s, id, 500, PARTIAL, "a");

	store_each_reading(
	    s, (struct reading_from){.after_id = 1}, put_reading, out);
	assert_string_equal(buf_str(out),
	    "2 d1 s1 @200 read - urlset rc 3 1 1 0 1 0 0 0 0 0\n"
	    "3 d1 s1 @300 unchanged - unknown  0 0 0 0 0 1 0 0 0 0\n"
	    "4 d1 s1 @400 failed fetch-server-error unknown  0 0 0 0 0 0 0 "
	    "0 0 0\n");
	buf_clear(out);
	store_each_reading(
	    s, (struct reading_from){.after_id = 5}, put_reading, out);
	assert_string_equal(buf_str(out), "");
	store_each_change(s, 1, put_change, out);
	assert_string_equal(buf_str(out), "");
	store_each_change(s, 2, put_change, out);
	assert_string_equal(buf_str(out), "redated b ");
	buf_clear(out);
	store_each_change(s, 3, put_change, out);
	assert_string_equal(buf_str(out), "gone c ");
	buf_clear(out);
	store_each_entry(s, id, put_entry, out);
	assert_string_equal(buf_str(out), "ab");
	assert_int_equal(store_failed(s), DIAG_OK);
}

static void
test_since_of_document(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct buf *out = &world->out;
	int64_t id = document_make(s, "h.test", CHILD_URL);
	int64_t other = document_make(s, "h.test", HOST_TEXT "other.xml");
	(void)read_at(s, id, 100, COMPLETE, "a");
	(void)read_at(s, other, 200, COMPLETE, "b");
	(void)read_at(s, id, 300, UNCHANGED, "");

	store_each_reading(s,
	    (struct reading_from){
		.by = READINGS_OF_DOCUMENT, .id = id, .at_s = 101},
	    put_reading, out);
	assert_string_equal(buf_str(out),
	    "3 d1 s1 @300 unchanged - unknown  0 0 0 0 0 0 0 0 0 0\n");
	buf_clear(out);
	store_each_reading(s,
	    (struct reading_from){
		.by = READINGS_OF_DOCUMENT, .id = id, .at_s = 301},
	    put_reading, out);
	assert_string_equal(buf_str(out), "");
	store_each_reading(s,
	    (struct reading_from){
		.by = READINGS_OF_DOCUMENT, .id = other, .at_s = 200},
	    put_reading, out);
	assert_string_equal(buf_str(out),
	    "2 d2 s1 @200 read - urlset rc 1 0 0 0 0 0 0 0 0 0\n");
}

UNIT_TESTS(changes, world_test(test_since), world_test(test_since_of_document));
