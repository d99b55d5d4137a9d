/* Migrations: each step whole, or not at all. */
#include "tests/unit/fixture.h"

#include <sqlite3.h>

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_steps),
	    cmocka_unit_test(test_half_step),
	    cmocka_unit_test(test_current),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
