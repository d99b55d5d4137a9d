/* Pruning: which readings and outcomes are removed, and which are still
 * needed. */
#include "tests/fixtures/fixture.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "store/db.h"
#include "store/outcome.h"
#include "store/page.h"
#include "store/page_says.h"
#include "store/prune.h"
#include "store/query.h"
#include "store/site.h"
#include "tests/fixtures/fsck_fixture.h"

#define LIST_MAX 40

struct step {
	enum how how;
	const char *listed;
};

/* The readings of one document, one for each day, and the numbers of those
 * that are left when all of them are old. */
static const struct {
	struct step steps[8];
	const char *left;
} cases[] = {
    {{{COMPLETE, "a"}}, "1 "},
    {{{COMPLETE, "a"}, {COMPLETE, "a b"}, {COMPLETE, "a"}}, "3 "},
    {{{COMPLETE, "a"}, {UNCHANGED, ""}, {UNCHANGED, ""}}, "1 3 "},
    {{{COMPLETE, "a"}, {UNCHANGED, ""}, {UNCHANGED, ""}, {FAILED, NULL}},
	"1 3 4 "},
    {{{COMPLETE, "a"}, {FAILED, NULL}, {FAILED, NULL}, {REFUSED, NULL}},
	"1 4 "},
    /* b is gone with the third reading, which made the segment */
    {{{COMPLETE, "a b"}, {COMPLETE, "a"}, {UNCHANGED, ""}, {UNCHANGED, ""},
	 {UNCHANGED, ""}},
	"2 3 5 "},
    {{{COMPLETE, "a b"}, {COMPLETE, "a"}, {UNCHANGED, ""}, {COMPLETE, "a"},
	 {UNCHANGED, ""}},
	"4 5 "},
    {{{FAILED, NULL}, {FAILED, NULL}, {FAILED, NULL}}, "3 "},
    {{{COMPLETE, "a b"}, {PARTIAL, "a"}, {UNREADABLE, NULL}}, "2 3 "},
    {{{UNREADABLE, NULL}, {UNREADABLE, NULL}}, "2 "},
};

static void
list_readings(const char *path, char left[LIST_MAX])
{
	size_t len = 0;

	left[0] = '\0';
	for (int id = 1; id < 10; id++) {
		char sql[80];

		(void)snprintf(sql, sizeof(sql),
		    "SELECT count(*) FROM reading WHERE id = %d", id);
		if (sql_number(path, sql) > 0)
			len += (size_t)snprintf(
			    left + len, LIST_MAX - len, "%d ", id);
	}
}

static void
test_left(void **state)
{
	struct heard heard = {0};

	buf_init(&heard.text, SIZE_MAX);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct prune_totals totals = {0};
		char left[LIST_MAX];
		struct world world;
		int count = 0;

		world_open(&world);
		int64_t id = document_make(world.store, "h.test", CHILD_URL);
		for (; count < 8; count++) {
			const struct step *step = &cases[i].steps[count];

			if (step->listed == NULL && step->how == COMPLETE)
				break;
			(void)read_at(world.store, id, DAY_0 + count * DAY_S,
			    step->how, step->listed);
		}
		assert_int_equal(
		    store_prune(world.store, DAY_0 + 100 * DAY_S, &totals),
		    DIAG_OK);
		store_close(world.store);
		world.store = NULL;
		list_readings(world.path, left);
		assert_string_equal(left, cases[i].left);
		assert_int_equal(totals.kept, strlen(left) / 2);
		assert_int_equal(totals.readings + totals.kept, count);
		(void)fsck_run(world.path, false, &heard);
		assert_string_equal(buf_str(&heard.text), "");
		world_close(&world);
	}
	buf_release(&heard.text);
}

/* Only older readings are removed, with all that belongs to them. */
static void
test_older(void **state)
{
	struct world *world = *state;
	struct prune_totals totals = {0};

	int64_t id = document_make(world->store, "h.test", CHILD_URL);
	for (int day = 0; day < 6; day++) {
		struct reading *reading = reading_make(world->store, id,
		    DAY_0 + day * DAY_S, COMPLETE, day % 2 == 0 ? "a b" : "a");

		findings_add(&reading->content.findings, DIAG_DUPLICATE_URL, 1,
		    slice_of("x"));
		(void)submit(world->store, reading);
	}
	assert_int_equal(
	    store_prune(world->store, DAY_0 + 2 * DAY_S, &totals), DIAG_OK);
	assert_int_equal(totals.readings, 2);
	assert_int_equal(totals.findings, 2);
	assert_int_equal(totals.changes, 1); /* the first has no delta */
	assert_int_equal(totals.kept, 0);
	world_shut(world);
	assert_int_equal(
	    sql_number(world->path, "SELECT min(at_s) FROM reading"),
	    DAY_0 + 2 * DAY_S);
	assert_int_equal(
	    sql_number(world->path, "SELECT count(*) FROM sample"), 4);
	assert_int_equal(
	    sql_number(world->path, "SELECT count(*) FROM delta"), 4);
}

/* open_many(world): one document, of which 1,300 readings failed. */
static void
open_many(struct world *world)
{
	int64_t read_id = 0;

	world_open(world);
	int64_t id = document_make(world->store, "h.test", CHILD_URL);
	for (int i = 0; i < 1300; i++)
		(void)store_submit(world->store,
		    reading_make(world->store, id, DAY_0 + i, FAILED, NULL),
		    remember_id, &read_id);
	assert_int_equal(store_flush(world->store), DIAG_OK);
}

static int64_t
left_of(const struct world *world)
{
	return sql_number(world->path, "SELECT count(*) FROM reading");
}

/* More readings than one transaction removes. */
static void
test_many(void **state)
{
	struct prune_totals totals = {0};
	struct world world;

	open_many(&world);
	assert_int_equal(
	    store_prune(world.store, DAY_0 + DAY_S, &totals), DIAG_OK);
	assert_int_equal(totals.readings, 1299);
	assert_int_equal(totals.kept, 1);
	assert_false(store_pending(world.store));
	world_close(&world);
}

/* Pruning in steps, between other work, removes as much. */
static void
test_some(void **state)
{
	struct world world;
	int64_t after_id = 0;
	int bites = 0;

	open_many(&world);
	/* of three minutes two are old, one of them another host's */
	assert_int_equal(sqlite3_exec(world.store->db,
			     "INSERT INTO origin (id, origin)"
			     " VALUES (7, 'https://h.test');"
			     "INSERT INTO site_origin SELECT id, 7 FROM site;"
			     "INSERT INTO request_log"
			     " SELECT value->>0, value->>1, 1, NULL, 0, 0,"
			     " value->>1 + 1 FROM json_each('[[\"h.test\", 60],"
			     " [\"h.test\", 9999999960], [\"g.test\", 60]]')",
			     NULL, NULL, NULL),
	    SQLITE_OK);
	assert_int_equal(store_prune_some(world.store, DAY_0, 0), 0);
	assert_int_equal(left_of(&world), 1300);
	do {
		int64_t before = left_of(&world);

		after_id = store_prune_some(
		    world.store, DAY_0 + DAY_S, after_id);
		assert_in_range(before - left_of(&world), 0, 512);
		assert_false(store_pending(world.store));
		bites++;
	} while (after_id != 0 && bites < 10);
	assert_int_equal(left_of(&world), 1);
	assert_in_range(bites, 3, 4);
	assert_int_equal(
	    sql_number(world.path, "SELECT count(*) FROM request_log"), 2);
	assert_int_equal(sql_number(world.path,
			     "SELECT count(*) FROM request_log"
			     " WHERE host = 'h.test' AND minute_s > 60"),
	    1);
	world_close(&world);
}

/* Keep the most rows that a statement went through in whole tables. */
static int
on_end(unsigned what, void *most, void *stmt, void *time)
{
	int rows = sqlite3_stmt_status(
	    stmt, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0);

	(void)what;
	(void)time;
	if (rows > *(int *)most)
		*(int *)most = rows;
	return 0;
}

/* What a step costs depends on what it removes, not on what the store holds. */
static void
test_cost(void **state)
{
	struct world world;
	char url[64];
	int most = 0;

	open_many(&world);
	for (int i = 0; i < 2000; i++) {
		(void)snprintf(url, sizeof(url), "http://h.test/%d.xml", i);
		(void)document_make(world.store, "h.test", url);
	}
	assert_int_equal(store_flush(world.store), DIAG_OK);
	assert_int_equal(sqlite3_trace_v2(world.store->db, SQLITE_TRACE_PROFILE,
			     on_end, &most),
	    SQLITE_OK);
	assert_int_not_equal(
	    store_prune_some(world.store, DAY_0 + DAY_S, 0), 0);
	assert_in_range(most, 1, 512);
	world_close(&world);
}

/* What pages of an event answered goes with the reading that it began with. */
static void
test_verified(void **state)
{
	static const char *const events[] = {"0 1 a", "1 1299 b", "0 1300 c"};
	struct world world;
	struct prune_totals totals = {0};

	open_many(&world);
	int64_t site_id = store_site_find(world.store, slice_of("h.test"));

	for (unsigned i = 0; i < 3; i++)
		store_verified_put(world.store,
		    &(struct verified){.site_id = site_id,
			.event = slice_of(events[i]),
			.url = slice_of("http://h.test/a"),
			.at_s = DAY_0});
	assert_int_equal(store_flush(world.store), DIAG_OK);
	assert_int_equal(
	    store_prune(world.store, DAY_0 + DAY_S, &totals), DIAG_OK);
	assert_int_equal(left_of(&world), 1);
	assert_int_equal(
	    db_number(world.store, "SELECT count(*) FROM verified", 0, NULL),
	    1);
	assert_int_equal(
	    db_number(world.store, "SELECT event = '0 1300 c' FROM verified", 0,
		NULL),
	    1);
	world_close(&world);
}

/* Old outcomes are removed, pages keep their state and their last number. */
static void
test_outcomes(void **state)
{
	struct world *world = *state;
	struct heard heard = {0};
	struct prune_totals totals = {0};

	buf_init(&heard.text, SIZE_MAX);
	int64_t map = document_make(world->store, "h.test", CHILD_URL);
	int64_t page = store_page_add(
	    world->store, map, slice_of("http://h.test/a"));
	for (int i = 0; i < 50000; i++)
		store_outcome(world->store, NULL,
		    &(struct outcome_row){.page_id = page,
			.status = 200,
			.at_s = 1 + i % 100,
			.kind = PAGE_SAME});
	assert_int_equal(store_flush(world->store), DIAG_OK);
	assert_int_equal(store_prune(world->store, 51, &totals), DIAG_OK);
	assert_int_equal(totals.outcomes, 25000);
	assert_int_equal(store_prune(world->store, 1000, &totals), DIAG_OK);
	assert_int_equal(totals.outcomes, 49999); /* of both */
	assert_int_equal(store_prune(world->store, 1000, &totals), DIAG_OK);
	assert_int_equal(totals.outcomes, 49999);
	world_shut(world);
	assert_int_equal(
	    sql_number(world->path, "SELECT max(id) FROM outcome"), 50000);
	assert_int_equal(
	    sql_number(world->path, "SELECT fetched_s FROM state"), 100);
	(void)fsck_run(world->path, false, &heard);
	assert_string_equal(buf_str(&heard.text), "");
	buf_release(&heard.text);
}

UNIT_TESTS(prune, cmocka_unit_test(test_left), world_test(test_older),
    cmocka_unit_test(test_many), cmocka_unit_test(test_some),
    cmocka_unit_test(test_cost), cmocka_unit_test(test_verified),
    world_test(test_outcomes));
