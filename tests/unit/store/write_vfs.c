/* store/write_vfs.c: what is held, and what becomes of it when a write fails.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "store/write_vfs.h"
#include "tests/unit/unit.h"

#define FILL                                                             \
	"WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 64)" \
	" INSERT INTO t SELECT zeroblob(3000) FROM n"

struct place {
	char folder[64];
	char path[80];
	char log[84];
	sqlite3 *db;
};

static int
run(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static int64_t
ask(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt;
	int64_t number;

	assert_int_equal(
	    sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	number = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return number;
}

/* What another process sees, through SQLite's own VFS. */
static int64_t
rows_seen(const struct place *place)
{
	sqlite3 *db;
	int64_t rows;

	assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
	rows = ask(db, "SELECT count(*) FROM t");
	sqlite3_close(db);
	return rows;
}

static int64_t
log_size(const struct place *place)
{
	struct stat st;

	assert_int_equal(stat(place->log, &st), 0);
	return st.st_size;
}

static int
setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	(void)snprintf(
	    place->folder, sizeof(place->folder), "/tmp/write-vfs-XXXXXX");
	assert_non_null(mkdtemp(place->folder));
	(void)snprintf(
	    place->path, sizeof(place->path), "%s/db", place->folder);
	(void)snprintf(place->log, sizeof(place->log), "%s-wal", place->path);
	assert_int_equal(
	    sqlite3_open_v2(place->path, &place->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, write_vfs()),
	    SQLITE_OK);
	assert_int_equal(
	    run(place->db,
		"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
		" PRAGMA cache_size = 10; CREATE TABLE t (b BLOB)"),
	    SQLITE_OK);
	*state = place;
	return 0;
}

static int
teardown(void **state)
{
	struct place *place = *state;

	assert_int_equal(sqlite3_close(place->db), SQLITE_OK);
	(void)unlink(place->path);
	(void)rmdir(place->folder);
	free(place);
	return 0;
}

/* A commit is in the files when it is acknowledged, and so is a checkpoint;
 * what the cache had no room for may be read back before. */
static void
test_commit(void **state)
{
	struct place *place = *state;

	for (int64_t round = 1; round <= 3; round++) {
		assert_int_equal(run(place->db, "BEGIN; " FILL), SQLITE_OK);
		assert_int_equal(ask(place->db, "SELECT sum(length(b)) FROM t"),
		    round * 64 * 3000);
		assert_int_equal(rows_seen(place), (round - 1) * 64);
		assert_int_equal(run(place->db, "COMMIT"), SQLITE_OK);
		assert_int_equal(rows_seen(place), round * 64);
		if (round == 2)
			assert_int_equal(
			    run(place->db, "PRAGMA wal_checkpoint(TRUNCATE)"),
			    SQLITE_OK);
	}
	assert_int_equal(
	    run(place->db, "BEGIN; DELETE FROM t; ROLLBACK"), SQLITE_OK);
	assert_int_equal(rows_seen(place), 3 * 64);
}

/* While a reader keeps an older state, a checkpoint writes the log up to that
 * state into the database, without synchronising it; other readers look for
 * these pages in the database from then on. */
static void
test_checkpoint_beside_a_reader(void **state)
{
	struct place *place = *state;
	sqlite3 *reader;

	assert_int_equal(run(place->db, FILL), SQLITE_OK);
	assert_int_equal(sqlite3_open(place->path, &reader), SQLITE_OK);
	assert_int_equal(run(reader, "BEGIN"), SQLITE_OK);
	assert_int_equal(ask(reader, "SELECT count(*) FROM t"), 64);
	assert_int_equal(run(place->db, FILL), SQLITE_OK);
	assert_int_equal(
	    run(place->db, "PRAGMA wal_checkpoint(PASSIVE)"), SQLITE_OK);
	assert_int_equal(rows_seen(place), 2 * 64);
	assert_int_equal(ask(reader, "SELECT count(*) FROM t"), 64);
	assert_int_equal(sqlite3_close(reader), SQLITE_OK);
}

/* A disk that is full refuses a commit, and nothing but that is lost. */
static void
test_full(void **state)
{
	struct place *place = *state;
	struct rlimit old, less;

	assert_int_equal(run(place->db, FILL), SQLITE_OK);
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	for (rlim_t more = 0; more < 300000; more += 20011) {
		less = old;
		less.rlim_cur = (rlim_t)log_size(place) + more;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
		int code = run(place->db, "BEGIN; " FILL "; COMMIT");
		(void)run(place->db, "ROLLBACK");
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		int64_t rows = ask(place->db, "SELECT count(*) FROM t");
		assert_int_equal(rows, rows_seen(place));
		assert_int_equal(rows, code == SQLITE_OK ? 2 * 64 : 64);
		assert_int_equal(ask(place->db,
				     "SELECT count(*) FROM"
				     " pragma_integrity_check"
				     " WHERE integrity_check <> 'ok'"),
		    0);
		assert_int_equal(run(place->db,
				     "DELETE FROM t WHERE rowid > 64;"
				     " PRAGMA wal_checkpoint(TRUNCATE)"),
		    SQLITE_OK);
		assert_int_equal(rows_seen(place), 64);
	}
}

UNIT(write_vfs)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_commit, setup, teardown),
	    cmocka_unit_test_setup_teardown(
		test_checkpoint_beside_a_reader, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_full, setup, teardown)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
