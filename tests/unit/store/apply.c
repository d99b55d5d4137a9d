/* What readings change: segment, delta, validators, failures. */
#include "tests/fixtures/fixture.h"

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

/* What each answer brings, and which of it the next request may send. */
static const struct {
	enum how how;
	const char *etag; /* NULL: no validators */
	uint8_t digest;
	const char *kept;
	uint8_t kept_digest;
} validators[] = {
    {COMPLETE, "\"1\"", 1, "\"1\"", 1},
    {FAILED, "\"2\"", 2, "\"1\"", 1},
    {UNREADABLE, "\"3\"", 3, "\"1\"", 1},
    {UNCHANGED, NULL, 0, "\"1\"", 1},
    {UNCHANGED, "\"5\"", 5, "\"5\"", 5},
    {PARTIAL, "\"6\"", 6, NULL, 0},
};

static void
put_validators(struct reading *reading, const char *etag, uint8_t digest)
{
	reading->http.etag = mem_copy(etag);
	reading->http.last_modified = mem_copy("yesterday");
	reading->http.final_url = mem_copy(MAP);
	reading->http.has_digest = digest != 0;
	memset(reading->http.wire_digest.bytes, digest, 16);
	memset(reading->content.decoded_digest.bytes, digest + 1, 16);
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
	struct reading *reading;
	char etag[300];

	assert_validators(s, id, NULL, 0);
	for (size_t i = 0; i < COUNT(validators); i++) {
		reading = reading_make(
		    s, id, 1 + (int64_t)i, validators[i].how, "a");
		if (validators[i].etag != NULL)
			put_validators(
			    reading, validators[i].etag, validators[i].digest);
		(void)submit(s, reading);
		assert_validators(
		    s, id, validators[i].kept, validators[i].kept_digest);
	}
	/* T35: too long, or not printable */
	memset(etag, 'x', sizeof(etag));
	etag[257] = '\0';
	reading = reading_make(s, id, 7, COMPLETE, "a");
	put_validators(reading, etag, 7);
	reading->http.last_modified[0] = 27;
	(void)submit(s, reading);
	assert_validators(s, id, NULL, 7);
}

/* What is known of a document after each answer. */
static const struct {
	int64_t at_s;
	enum how how;
	const char *listed;
	const char *known;
} answers[] = {
    {10, FAILED, "", "failed 1 since 10, read 0/0, unknown 0+0 partial"},
    {11, REFUSED, "", "failed 1 since 10, read 0/0, unknown 0+0 partial"},
    {12, UNREADABLE, "", "failed 2 since 10, read 0/0, unknown 0+0 partial"},
    {20, COMPLETE, "a b:3", "failed 0 since 0, read 20/20, urlset 2+0"},
    {21, COMPLETE, "a", "failed 0 since 0, read 21/21, urlset 1+1"},
    {22, FAILED, "", "failed 1 since 22, read 21/21, urlset 1+1"},
    {30, UNCHANGED, "", "failed 0 since 0, read 30/21, urlset 1+0"},
};

static void
test_known(void **state)
{
	struct world *world = *state;
	int64_t id = document_make(world->store, SITE, MAP);

	for (size_t i = 0; i < COUNT(answers); i++) {
		(void)read_at(world->store, id, answers[i].at_s, answers[i].how,
		    answers[i].listed);
		struct document d = document_get(world->store, id);
		buf_clear(&world->out);
		(void)buf_print(&world->out,
		    "failed %u since %d, read %d/%d, %s %d+%d%s", d.failures,
		    (int)d.failing_since_s, (int)d.last_read_s,
		    (int)d.last_full_s, document_kind_name(d.kind),
		    (int)d.entries, (int)d.missed,
		    d.is_complete ? "" : " partial");
		assert_string_equal(buf_str(&world->out), answers[i].known);
		assert_int_equal(d.last_try_s, answers[i].at_s);
		assert_int_equal(d.fingerprint, d.last_full_s == 0 ? 0 : 77);
		document_release(&d);
	}
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
static int64_t
written(struct store *store, int64_t id, int64_t at_s, const char *listed)
{
	sql_do(store->db, "DELETE FROM written");
	(void)read_at(store, id, at_s, COMPLETE, listed);
	assert_int_equal(
	    sql_first(store->db, "SELECT count(*) FROM segment"), 3);
	return sql_first(store->db,
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

UNIT_TESTS(apply, world_test(test_life), world_test(test_validators),
    world_test(test_known), world_test(test_written_blocks));
