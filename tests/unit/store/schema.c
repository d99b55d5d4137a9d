/* Migrations: each step whole, or not at all. */
#include "tests/fixtures/fixture.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/schema.h"

static const char first[] = "CREATE TABLE one (a INTEGER) STRICT;"
			    "PRAGMA application_id = 0x66727368;"
			    "PRAGMA user_version = 1;";
static const char second[] = "ALTER TABLE one ADD COLUMN b INTEGER;"
			     "CREATE TABLE two (c TEXT) STRICT;"
			     "PRAGMA user_version = 2;";
static const char broken[] = "CREATE TABLE two (c TEXT) STRICT;"
			     "PRAGMA user_version = 2;"
			     "INSERT INTO three VALUES (1);";

static int64_t
number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt;

	assert_int_equal(
	    sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	int64_t value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

static enum diag_code
check(sqlite3 *db, const struct schema *schema, bool is_read_only)
{
	struct buf why;

	buf_init(&why, SIZE_MAX);
	enum diag_code code = schema_check(db, schema, is_read_only, &why);
	assert_int_equal(code == DIAG_OK, why.len == 0);
	buf_release(&why);
	return code;
}

static void
test_steps(void **state)
{
	const char *const steps[] = {first, second};
	const struct schema one = {steps, 1};
	const struct schema two = {steps, 2};
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(check(db, &one, false), DIAG_OK);
	assert_int_equal(check(db, &one, true), DIAG_STORE_UNUSABLE);
	assert_int_equal(schema_migrate(db, &one), DIAG_OK);
	assert_int_equal(number(db, "PRAGMA user_version"), 1);
	assert_int_equal(number(db, "SELECT count(*) FROM sqlite_schema"), 1);
	assert_int_equal(check(db, &one, true), DIAG_OK);

	/* the second step alone runs, and only once */
	assert_int_equal(check(db, &two, true), DIAG_STORE_UNUSABLE);
	assert_int_equal(check(db, &two, false), DIAG_OK);
	assert_int_equal(schema_migrate(db, &two), DIAG_OK);
	assert_int_equal(schema_migrate(db, &two), DIAG_OK);
	assert_int_equal(number(db, "PRAGMA user_version"), 2);
	assert_int_equal(number(db, "SELECT count(*) FROM sqlite_schema"), 2);

	/* newer than this version knows */
	assert_int_equal(check(db, &one, false), DIAG_STORE_DAMAGED);
	sqlite3_close(db);
}

/* S14: a step that ends in the middle leaves nothing, and can be run again. */
static void
test_half_step(void **state)
{
	const char *const bad[] = {first, broken};
	const char *const good[] = {first, second};
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_not_equal(
	    schema_migrate(db, &(struct schema){bad, 2}), DIAG_OK);
	assert_int_equal(number(db, "PRAGMA user_version"), 1);
	assert_int_equal(number(db, "SELECT count(*) FROM sqlite_schema"), 1);
	assert_int_equal(sqlite3_get_autocommit(db), 1);
	assert_int_equal(
	    schema_migrate(db, &(struct schema){good, 2}), DIAG_OK);
	assert_int_equal(number(db, "PRAGMA user_version"), 2);
	sqlite3_close(db);
}

/* S14: killed before any statement of any step, it goes on from there. */

struct countdown {
	int left;
};

static int
on_statement(unsigned type, void *arg, void *statement, void *text)
{
	struct countdown *countdown = arg;

	(void)type;
	(void)statement;
	(void)text;
	if (countdown->left-- == 0)
		(void)kill(getpid(), SIGKILL);
	return 0;
}

/* migrate_killed(path, schema, after): in a process that dies before its
 * statement number `after`; false when it had fewer. */
static bool
migrate_killed(const char *path, const struct schema *schema, int after)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		struct countdown countdown = {after};
		sqlite3 *db;

		if (sqlite3_open(path, &db) != SQLITE_OK ||
		    sqlite3_trace_v2(db, SQLITE_TRACE_STMT, on_statement,
			&countdown) != SQLITE_OK)
			_exit(1);
		_exit(schema_migrate(db, schema) == DIAG_OK ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) ||
	    (WIFEXITED(status) && WEXITSTATUS(status) == 0));
	return WIFSIGNALED(status);
}

static void
test_killed(void **state)
{
	static const char third[] = "CREATE TABLE three (d INTEGER) STRICT;"
				    "INSERT INTO three VALUES (3);"
				    "PRAGMA user_version = 3;";
	const char *const steps[] = {first, second, third};
	const struct schema schema = {steps, 3};
	char folder[] = "/tmp/freshet-unit-XXXXXX";
	char path[64];
	int deaths = 0;

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/x.db", folder);
	while (migrate_killed(path, &schema, deaths)) {
		sqlite3 *db;

		deaths++;
		assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
		assert_int_equal(number(db,
				     "SELECT count(*) FROM sqlite_schema"
				     " WHERE type = 'table'"),
		    number(db, "PRAGMA user_version"));
		assert_int_equal(schema_migrate(db, &schema), DIAG_OK);
		assert_int_equal(number(db, "PRAGMA user_version"), 3);
		assert_int_equal(number(db, "SELECT d FROM three"), 3);
		assert_int_equal(number(db,
				     "SELECT count(*) FROM"
				     " pragma_integrity_check WHERE"
				     " integrity_check = 'ok'"),
		    1);
		sqlite3_close(db);
		assert_int_equal(unlink(path), 0);
	}
	/* three steps, each with its BEGIN and its COMMIT */
	assert_true(deaths > 15);
	(void)unlink(path);
	assert_int_equal(rmdir(folder), 0);
}

static void
test_current(void **state)
{
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(schema_migrate(db, &schema_current), DIAG_OK);
	assert_int_equal(number(db, "PRAGMA user_version"), SCHEMA_VERSION);
	assert_int_equal(
	    number(db, "PRAGMA application_id"), SCHEMA_APPLICATION_ID);
	assert_int_equal(number(db, "SELECT length(hash_key) FROM meta"), 8);
	/* every table checks the types of its columns */
	assert_int_equal(number(db,
			     "SELECT count(*) FROM pragma_table_list"
			     " WHERE schema = 'main' AND NOT strict"
			     " AND name NOT LIKE 'sqlite_%'"),
	    0);
	sqlite3_close(db);
}

/* The second step: every block has its fence, which says what is known. */
static void
test_block_indexes(void **state)
{
	const struct schema one = {schema_current.steps, 1};
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(schema_migrate(db, &one), DIAG_OK);
	assert_int_equal(
	    sqlite3_exec(db,
		"INSERT INTO segment VALUES (65536, 'a', 1, x'01'),"
		" (65537, 'b', 1, x'02')",
		NULL, NULL, NULL),
	    SQLITE_OK);
	assert_int_equal(schema_migrate(db, &schema_current), DIAG_OK);
	assert_int_equal(number(db,
			     "SELECT count(*) FROM fence f JOIN segment s ON"
			     " s.id = f.id WHERE f.first_url = s.first_url AND"
			     " last_url IS NULL AND sieve IS NULL"),
	    2);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_steps),
	    cmocka_unit_test(test_half_step),
	    cmocka_unit_test(test_killed),
	    cmocka_unit_test(test_current),
	    cmocka_unit_test(test_block_indexes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
