/* Commits: grouped, whole, and whatever happens to disk and process. */
#include "tests/fixtures/fixture.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/db.h"
#include "store/link.h"
#include "store/query.h"
#include "store/store.h"
#include "tests/fixtures/store_fixture.h"

#define SITE "h.test"
#define MAP HOST_TEXT "map.xml"

struct chain {
	struct store *store;
	int64_t document_id;
	int left;
	int done;
};

static void
submit_next(void *arg, const struct reading *reading, int64_t reading_id)
{
	struct chain *chain = arg;

	assert_int_equal(reading->document_id, chain->document_id);
	assert_true(reading_id > 0);
	chain->done++;
	if (chain->left-- > 0)
		(void)store_submit(chain->store,
		    reading_make(chain->store, chain->document_id, chain->left,
			UNCHANGED, ""),
		    submit_next, chain);
}

static void
test_groups(void **state)
{
	struct world world;

	(void)state;
	world_open(&world);
	struct store *s = world.store;
	int64_t id = document_make(s, SITE, MAP);
	struct chain chain = {s, id, 3, 0};

	/* DESIGN 7: due at the 64th */
	for (int i = 0; i < 64; i++) {
		bool is_due = store_submit(s,
		    reading_make(s, id, i, UNCHANGED, ""), submit_next, &chain);

		assert_int_equal(is_due, i == 63);
	}
	assert_int_equal(chain.done, 0);
	assert_int_equal(store_flush(s), DIAG_OK);
	assert_int_equal(chain.done, 64);
	assert_true(store_pending(s));
	assert_int_equal(store_flush(s), DIAG_OK);
	assert_int_equal(chain.done, 67);
	assert_false(store_pending(s));
	assert_int_equal(store_flush(s), DIAG_OK);

	/* dropped, when the store is closed before */
	(void)store_submit(
	    s, reading_make(s, id, 99, COMPLETE, "a"), submit_next, &chain);
	store_links_begin(s, id);
	store_link(s, id, id, &(struct date){0});
	world_reopen(&world);
	assert_int_equal(chain.done, 67);
	assert_segment(world.store, id, "");
	world_close(&world);
}

static void
test_too_many_blocks(void **state)
{
	struct world world;

	(void)state;
	world_open(&world);
	int64_t id = document_make(world.store, SITE, MAP);
	struct reading *reading = reading_make(
	    world.store, id, 1, COMPLETE, "a");
	for (uint32_t i = 0; i < BLOCKS_MAX; i++)
		block_list_add(&reading->content.segment, &(struct block){0});
	(void)submit(world.store, reading);
	assert_segment(world.store, id, "");
	struct document document = document_get(world.store, id);
	assert_int_equal(document.failures, 1);
	document_release(&document);
	world_close(&world);
}

/* T29, S6: a full disk. */
static void
test_full(void **state)
{
	struct world world;
	struct document document;
	int64_t done = 0;

	(void)state;
	world_open(&world);
	struct store *s = world.store;
	int64_t id = document_make(s, SITE, MAP);
	(void)submit(s, reading_make(s, id, 1, COMPLETE, "a"));
	sqlite3_stmt *stmt;
	const char *sql = "PRAGMA max_page_count = 1";
	assert_int_equal(
	    sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	sqlite3_finalize(stmt);
	struct reading *reading = reading_make(s, id, 2, COMPLETE, "b");
	char data[100000] = {0};
	for (int i = 0; i < 20; i++)
		block_list_add(&reading->content.segment,
		    &(struct block){.data = slice_make(data, sizeof(data))});
	(void)store_submit(s, reading, remember_id, &done);
	(void)store_submit(
	    s, reading_make(s, id, 3, UNCHANGED, ""), remember_id, &done);
	assert_int_equal(store_flush(s), DIAG_DISK_FULL);
	assert_int_equal(done, 0);
	assert_int_equal(store_failed(s), DIAG_DISK_FULL);
	/* nothing further is written, found or promised */
	assert_int_equal(store_flush(s), DIAG_DISK_FULL);
	assert_false(store_document_get(s, id, &document));
	store_document(s, 1, slice_of("http://h.test/new"), &document);
	assert_int_equal(document.id, 0);
	document_release(&document);
	world_reopen(&world);
	assert_segment(world.store, id, "a");
	document = document_get(world.store, id);
	assert_int_equal(document.last_try_s, 1);
	document_release(&document);
	world_close(&world);
}

/* T18: the floor under free space. */
static void
test_floor(void **state)
{
	struct world world;
	int64_t done = 0;

	(void)state;
	world_open(&world);
	int64_t id = document_make(world.store, SITE, MAP);
	(void)submit(
	    world.store, reading_make(world.store, id, 1, COMPLETE, "a"));
	world.store->min_free_bytes = UINT64_MAX;
	(void)store_submit(world.store,
	    reading_make(world.store, id, 2, COMPLETE, "b"), remember_id,
	    &done);
	assert_int_equal(store_flush(world.store), DIAG_DISK_FULL);
	assert_int_equal(done, 0);
	/* S7: nor is it opened */
	store_close(world.store);
	struct store_options options = {
	    .path = world.path,
	    .min_free_bytes = UINT64_MAX,
	};
	struct buf why;
	buf_init(&why, SIZE_MAX);
	assert_int_equal(
	    store_open(&options, &world.store, &why), DIAG_DISK_FULL);
	assert_true(why.len > 0);
	buf_release(&why);
	world.store = open_at(world.path, false);
	assert_segment(world.store, id, "a");
	world_close(&world);
}

/* T28, P1: killed at any time, a store holds what was acknowledged. */

static _Noreturn void
write_for_ever(const char *path, int acknowledge)
{
	struct store *store = open_at(path, false);
	int64_t id = document_make(store, SITE, MAP);
	struct document document = document_get(store, id);
	int64_t at_s = document.last_try_s + 1;

	for (;; at_s++) {
		char listed[64];

		(void)snprintf(listed, sizeof(listed), "a b%d:%d",
		    (int)(at_s % 7), (int)(at_s % 100));
		(void)submit(
		    store, reading_make(store, id, at_s, COMPLETE, listed));
		if (write(acknowledge, &at_s, sizeof(at_s)) < 0)
			_exit(1);
	}
}

/* Let it commit a few times, and some steps further: into the next one. */
static int64_t
run_and_kill(const char *path, unsigned commits, unsigned steps)
{
	int64_t acknowledged = 0;
	int64_t at_s;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		write_for_ever(path, ends[1]);
	(void)close(ends[1]);
	while (commits-- > 0)
		assert_int_equal(
		    read(ends[0], &at_s, sizeof(at_s)), sizeof(at_s));
	while (steps-- > 0)
		assert_int_equal(kill(child, 0), 0);
	(void)kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	acknowledged = at_s;
	while (read(ends[0], &at_s, sizeof(at_s)) == sizeof(at_s))
		acknowledged = at_s;
	(void)close(ends[0]);
	return acknowledged;
}

static void
test_killed(void **state)
{
	struct world world;

	(void)state;
	world_open(&world);
	for (unsigned i = 0; i < 40; i++) {
		store_close(world.store);
		int64_t acknowledged = run_and_kill(
		    world.path, 1 + i % 4, i * 100);
		world.store = open_at(world.path, false);
		int64_t id = document_make(world.store, SITE, MAP);
		struct document document = document_get(world.store, id);

		/* one may be durable that was not acknowledged yet */
		assert_in_range(
		    document.last_try_s, acknowledged, acknowledged + 1);
		document_release(&document);
		struct block_source *source = block_source_segment(
		    world.store, id);
		struct buf out;
		buf_init(&out, SIZE_MAX);
		(void)segment_text(block_source_pull, source, &out);
		buf_release(&out);
		block_source_free(source);
		assert_int_equal(store_flush(world.store), DIAG_OK);
	}
	world_close(&world);
}

/* S13: a reader keeps the log from being used again; once it has gone, the
 * log is cut back.  With small limits, so that it is quick. */
static void
test_log_is_bounded(void **state)
{
	const int64_t limit = 65536;
	struct world world;
	struct store *reader;
	char log[120];
	struct stat st;
	int64_t day = 0;

	(void)state;
	world_open(&world);
	(void)snprintf(log, sizeof(log), "%s-wal", world.path);
	assert_int_equal(sqlite3_exec(world.store->db,
			     "PRAGMA wal_autocheckpoint = 8;"
			     "PRAGMA journal_size_limit = 65536",
			     NULL, NULL, NULL),
	    SQLITE_OK);
	int64_t id = document_make(world.store, "h.test", "http://h.test/s");
	(void)submit(
	    world.store, reading_make(world.store, id, DAY_0, COMPLETE, "a"));
	reader = open_at(world.path, true);
	assert_true(db_snapshot_begin(reader));
	for (; day < 20; day++)
		(void)submit(world.store,
		    reading_make(world.store, id, DAY_0 + day, FAILED, NULL));
	assert_int_equal(stat(log, &st), 0);
	assert_true(st.st_size > 2 * limit);
	db_snapshot_end(reader);
	store_close(reader);
	for (; day < 40; day++)
		(void)submit(world.store,
		    reading_make(world.store, id, DAY_0 + day, FAILED, NULL));
	assert_int_equal(stat(log, &st), 0);
	assert_true(st.st_size <= 2 * limit);
	world_close(&world);
}

static int64_t
log_bytes(const struct world *world)
{
	return (int64_t)db_file_bytes(world->store, "-wal");
}

/* At rest nothing is in the log; a reader is left to read what it began. */
static void
test_rest(void **state)
{
	struct world world;
	struct store *reader;

	(void)state;
	world_open(&world);
	int64_t id = document_make(world.store, SITE, MAP);
	(void)submit(
	    world.store, reading_make(world.store, id, DAY_0, COMPLETE, "a"));
	assert_true(log_bytes(&world) > 0);
	assert_true(store_rest(world.store));
	assert_int_equal(log_bytes(&world), 0);
	assert_true(store_rest(world.store)); /* again: nothing to do */

	reader = open_at(world.path, true);
	assert_false(store_rest(reader)); /* F17 */
	assert_true(db_snapshot_begin(reader));
	(void)submit(world.store,
	    reading_make(world.store, id, DAY_0 + 1, COMPLETE, "a b"));
	assert_false(store_rest(world.store));
	assert_true(log_bytes(&world) > 0);
	assert_segment(reader, id, "a");
	db_snapshot_end(reader);
	assert_segment(reader, id, "a b");
	assert_true(store_rest(world.store));
	assert_int_equal(log_bytes(&world), 0);
	assert_segment(reader, id, "a b");
	store_close(reader);
	world_close(&world);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_groups),
	    cmocka_unit_test(test_too_many_blocks),
	    cmocka_unit_test(test_full),
	    cmocka_unit_test(test_floor),
	    cmocka_unit_test(test_killed),
	    cmocka_unit_test(test_log_is_bounded),
	    cmocka_unit_test(test_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
