/* Backups: each has the state of one moment, whoever writes meanwhile, and is
 * complete or does not exist. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <unistd.h>

#include "store/prune.h"
#include "store/query.h"
#include "tests/fixtures/fsck_fixture.h"

/* A store that is written to at each step of its backup. */
struct busy {
	struct world world;
	int64_t document_id;
	int day;
	unsigned steps;
	unsigned stop_at; /* 0: never */
	uint64_t done;
};

static void
read_once_more(struct busy *busy)
{
	(void)read_at(busy->world.store, busy->document_id,
	    DAY_0 + busy->day * DAY_S, COMPLETE,
	    busy->day % 2 == 0 ? "a b" : "a c");
	busy->day++;
}

static bool
on_step(void *arg, uint64_t done, uint64_t total)
{
	struct busy *busy = arg;

	/* the backup never begins anew */
	assert_true(done > busy->done);
	assert_true(done <= total);
	busy->done = done;
	busy->steps++;
	read_once_more(busy);
	return busy->steps != busy->stop_at;
}

static void
busy_open(struct busy *busy, char copy[128])
{
	*busy = (struct busy){0};
	world_open(&busy->world);
	busy->document_id = document_make(
	    busy->world.store, "h.test", CHILD_URL);
	read_once_more(busy);
	/* some megabytes, so that the backup takes a few steps */
	store_close(busy->world.store);
	sql_run(busy->world.path,
	    "CREATE TABLE ballast AS WITH RECURSIVE n (i) AS (SELECT 1 UNION"
	    " ALL SELECT i + 1 FROM n LIMIT 60)"
	    " SELECT randomblob(100000) FROM n");
	busy->world.store = open_at(busy->world.path, false);
	(void)snprintf(copy, 128, "%s/copy.db", busy->world.folder);
}

static void
test_one_moment(void **state)
{
	struct store_info info;
	struct heard heard = {0};
	struct busy busy;
	struct store *source;
	struct buf why;
	char copy[128];

	buf_init(&heard.text, SIZE_MAX);
	buf_init(&why, SIZE_MAX);
	busy_open(&busy, copy);
	source = open_at(busy.world.path, true);
	assert_int_equal(
	    store_backup(source, copy, on_step, &busy, &why), DIAG_OK);
	assert_true(busy.steps > 4);
	store_close(source);

	source = open_at(copy, true);
	store_info(source, &info);
	assert_int_equal(info.readings, 1);
	store_close(source);
	(void)fsck_run(copy, false, &heard);
	assert_string_equal(buf_str(&heard.text), "J16 "); /* the ballast */
	store_info(busy.world.store, &info);
	assert_int_equal(info.readings, 1 + busy.steps);
	buf_release(&heard.text);
	buf_release(&why);
	world_close(&busy.world);
}

static void
test_stopped(void **state)
{
	struct busy busy;
	struct store *source;
	struct buf why;
	char copy[128];
	char draft[160];

	buf_init(&why, SIZE_MAX);
	busy_open(&busy, copy);
	busy.stop_at = 2;
	source = open_at(busy.world.path, true);
	assert_int_equal(store_backup(source, copy, on_step, &busy, &why),
	    DIAG_BUDGET_REACHED);
	assert_int_equal(busy.steps, 2);
	(void)snprintf(
	    draft, sizeof(draft), "%s.%ld.partial", copy, (long)getpid());
	assert_int_not_equal(access(copy, F_OK), 0);
	assert_int_not_equal(access(draft, F_OK), 0);

	/* the same store can be read again, and shows the present state */
	busy.stop_at = 0;
	busy.done = 0;
	buf_clear(&why);
	assert_int_equal(
	    store_backup(source, copy, on_step, &busy, &why), DIAG_OK);
	store_close(source);
	source = open_at(copy, true);
	struct store_info info;
	store_info(source, &info);
	assert_int_equal(info.readings, 3);
	store_close(source);
	buf_release(&why);
	world_close(&busy.world);
}

static void
test_refused(void **state)
{
	struct busy busy;
	struct buf why;
	char copy[128];

	buf_init(&why, SIZE_MAX);
	busy_open(&busy, copy);
	assert_int_equal(
	    store_backup(busy.world.store, busy.world.path, NULL, NULL, &why),
	    DIAG_STORE_UNUSABLE);
	assert_true(why.len > 0);
	buf_clear(&why);
	assert_int_equal(
	    store_backup(busy.world.store, "/nonexistent/x", NULL, NULL, &why),
	    DIAG_STORE_UNUSABLE);
	buf_clear(&why);
	/* a store that is open for writing can be copied too */
	assert_int_equal(
	    store_backup(busy.world.store, copy, NULL, NULL, &why), DIAG_OK);
	buf_release(&why);
	world_close(&busy.world);
}

UNIT_TESTS(backup, cmocka_unit_test(test_one_moment),
    cmocka_unit_test(test_stopped), cmocka_unit_test(test_refused));
