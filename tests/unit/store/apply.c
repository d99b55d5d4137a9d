/* What readings change: segment, delta, validators, failures. */
#include "tests/fixtures/fixture.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "store/db.h"
#include "store/store.h"
#include "tests/fixtures/store_fixture.h"

/* The life of one document, reading after reading. */
static const struct life {
	const char *rule;
	enum how how;
	const char *listed;
	const char *segment;
	const char *delta;
} life[] = {
    {"R-120", COMPLETE, "a b:1 c", "a b:1 c", ""},
    {"R-120", COMPLETE, "a b:2 d", "a b:2 !c d", "~b:1:2 -c +d"},
    {"R-120", COMPLETE, "a b:2 c d", "a b:2 c d", ">c"},
    {"R-120", COMPLETE, "a b:2 c", "a b:2 c !d", "-d"},
    /* a reading without content removes nothing */
    {"5.9", FAILED, "", "a b:2 c !d", ""},
    {"5.9", UNREADABLE, "", "a b:2 c !d", ""},
    {"R-87", REFUSED, "", "a b:2 c !d", ""},
    {"R-120", COMPLETE, "a b:2 c", "a b:2 c", "xd"},
    /* a partial reading adds and re-dates, never removes */
    {"R-120", COMPLETE, "a c", "a !b:2 c", "-b:2"},
    {"R-120", PARTIAL, "a:4 e", "a:4 !b:2 c e", "~a:4 +e"},
    {"R-120", PARTIAL, "", "a:4 !b:2 c e", ""},
    /* unchanged after a partial one proves nothing */
    {"15.2", UNCHANGED, "", "a:4 !b:2 c e", ""},
    {"R-120", COMPLETE, "a:4 e", "a:4 !c e", "xb:2 -c"},
    /* unchanged after a complete one: what was missed is gone */
    {"15.2", UNCHANGED, "", "a:4 e", "xc"},
    {"15.2", UNCHANGED, "", "a:4 e", ""},
    {"R-120", COMPLETE, "", "!a:4 !e", "-a:4 -e"},
    {"15.2", UNCHANGED, "", "", "xa:4 xe"},
};

static void
test_life(void **state)
{
	struct world *world = *state;
	int64_t id = document_make(world->store, SITE, MAP);
	for (size_t i = 0; i < COUNT(life); i++) {
		int64_t at_s = DAY_0 + 100 * DAY_S + (int64_t)i;
		int64_t reading_id = read_at(
		    world->store, id, at_s, life[i].how, life[i].listed);

		if (i % 3 == 2)
			world_reopen(world);
		assert_segment(world->store, id, life[i].segment);
		assert_delta(world->store, reading_id, life[i].delta);
		struct document document = document_get(world->store, id);
		assert_int_equal(document.last_try_s, at_s);
		document_release(&document);
	}
}

/* Which validators the next request may send. */
static struct reading *
with_validators(struct reading *reading, const char *etag, uint8_t digest)
{
	reading->http.etag = strdup(etag);
	reading->http.last_modified = strdup("yesterday");
	reading->http.final_url = strdup(MAP);
	reading->http.has_digest = digest != 0;
	memset(reading->http.wire_digest.bytes, digest, 16);
	memset(reading->content.decoded_digest.bytes, digest + 1, 16);
	return reading;
}

static void
assert_validators(
    struct store *store, int64_t id, const char *etag, uint8_t digest)
{
	struct document document = document_get(store, id);

	if (etag == NULL) {
		assert_null(document.etag);
		assert_null(document.last_modified);
	} else {
		assert_string_equal(document.etag, etag);
		assert_string_equal(document.last_modified, "yesterday");
	}
	assert_int_equal(document.has_digest, digest != 0);
	if (digest != 0)
		assert_int_equal(document.wire_digest.bytes[7], digest);
	document_release(&document);
}

static void
test_validators(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	int64_t id = document_make(s, SITE, MAP);
	assert_validators(s, id, NULL, 0);
	(void)submit(s,
	    with_validators(reading_make(s, id, 1, COMPLETE, "a"), "\"1\"", 1));
	assert_validators(s, id, "\"1\"", 1);
	(void)submit(
	    s, with_validators(reading_make(s, id, 2, FAILED, ""), "\"2\"", 2));
	(void)submit(s,
	    with_validators(
		reading_make(s, id, 3, UNREADABLE, ""), "\"3\"", 3));
	assert_validators(s, id, "\"1\"", 1);
	(void)read_at(s, id, 4, UNCHANGED, "");
	assert_validators(s, id, "\"1\"", 1);
	(void)submit(s,
	    with_validators(reading_make(s, id, 5, UNCHANGED, ""), "\"5\"", 5));
	assert_validators(s, id, "\"5\"", 5);
	(void)submit(s,
	    with_validators(reading_make(s, id, 6, PARTIAL, "a"), "\"6\"", 6));
	assert_validators(s, id, NULL, 0);

	/* T35: too long, or not printable */
	char etag[300];
	memset(etag, 'x', sizeof(etag));
	etag[257] = '\0';
	struct reading *reading = with_validators(
	    reading_make(s, id, 7, COMPLETE, "a"), etag, 7);
	reading->http.last_modified[0] = 27;
	(void)submit(s, reading);
	assert_validators(s, id, NULL, 7);
}

static void
test_failures(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	int64_t id = document_make(s, SITE, MAP);
	(void)read_at(s, id, 10, FAILED, "");
	(void)read_at(s, id, 11, REFUSED, "");
	(void)read_at(s, id, 12, UNREADABLE, "");
	struct document document = document_get(s, id);
	assert_int_equal(document.failures, 2);
	assert_int_equal(document.failing_since_s, 10);
	assert_int_equal(document.last_read_s, 0);
	assert_int_equal(document.last_try_s, 12);
	assert_int_equal(document.kind, KIND_UNKNOWN);
	document_release(&document);
}

static void
test_last_times(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	int64_t id = document_make(s, SITE, MAP);
	(void)read_at(s, id, 20, COMPLETE, "a b:3");
	(void)read_at(s, id, 21, COMPLETE, "a");
	(void)read_at(s, id, 22, FAILED, "");
	struct document document = document_get(s, id);
	assert_int_equal(document.failures, 1);
	assert_int_equal(document.failing_since_s, 22);
	assert_int_equal(document.last_read_s, 21);
	assert_int_equal(document.last_full_s, 21);
	assert_int_equal(document.kind, KIND_URLSET);
	assert_int_equal(document.fingerprint, 77);
	assert_int_equal(document.entries, 1);
	assert_int_equal(document.missed, 1);
	assert_true(document.is_complete);
	document_release(&document);

	(void)read_at(s, id, 30, UNCHANGED, "");
	document = document_get(s, id);
	assert_int_equal(document.failures, 0);
	assert_int_equal(document.failing_since_s, 0);
	assert_int_equal(document.last_read_s, 30);
	assert_int_equal(document.last_full_s, 21);
	assert_int_equal(document.missed, 0);
	document_release(&document);
}

#define MANY 9000 /* entries: of three blocks */

/* The pages 0 to MANY - 1, those from first to last with a date. */
static const char *
many(struct buf *listed, int first, int last, int day)
{
	buf_clear(listed);
	for (int i = 0; i < MANY; i++)
		assert_true(i < first || i > last
			? buf_print(listed, " %04d", i)
			: buf_print(listed, " %04d:%d", i, day));
	return buf_str(listed);
}

/* Which blocks a reading writes: their numbers, summed up as 1 + 2 + 4. */
static int
written(struct store *store, int64_t id, int64_t at_s, const char *listed)
{
	sql_do(store->db, "DELETE FROM written");
	(void)read_at(store, id, at_s, COMPLETE, listed);
	assert_int_equal(
	    (int)sql_first(store->db, "SELECT count(*) FROM segment"), 3);
	return (int)sql_first(store->db,
	    "SELECT coalesce(sum(1 << (id - (SELECT min(id) FROM segment))), 0)"
	    " FROM written");
}

static void
test_written_blocks(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct buf listed;

	buf_init(&listed, SIZE_MAX);
	int64_t id = document_make(s, SITE, MAP);
	sql_do(s->db,
	    "CREATE TEMP TABLE written (id INTEGER PRIMARY KEY);"
	    "CREATE TEMP TRIGGER write_block AFTER INSERT ON main.segment"
	    " BEGIN INSERT INTO written VALUES (new.id); END");
	assert_int_equal(written(s, id, 10, many(&listed, 1, 0, 0)), 1 + 2 + 4);
	assert_int_equal(written(s, id, 20, many(&listed, 5, 90, 3)), 1);
	assert_int_equal(written(s, id, 30, many(&listed, 5, 90, 3)), 0);
	/* the others change back */
	assert_int_equal(
	    written(s, id, 40, many(&listed, MANY - 2, MANY - 1, 4)), 1 + 4);
	/* a page at the top of the document, which comes last in the segment */
	buf_clear(&listed);
	assert_true(buf_print(&listed, "new"));
	for (int i = 0; i < MANY; i++)
		assert_true(
		    buf_print(&listed, i < MANY - 2 ? " %04d" : " %04d:4", i));
	assert_int_equal(written(s, id, 50, buf_str(&listed)), 4);
	buf_release(&listed);
}

UNIT(apply)
{
	const struct CMUnitTest tests[] = {
	    world_test(test_life),
	    world_test(test_validators),
	    world_test(test_failures),
	    world_test(test_last_times),
	    world_test(test_written_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
