/* The tables, the migrations, and a store of version 8. */
#include "tests/fixtures/fixture.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/proof.h"
#include "store/reach.h"
#include "store/schema.h"
#include "store/schema_whole.h"
#include "store/site.h"
#include "store/site_tally.h"
#include "store/watch.h"
#include "tests/fixtures/fsck_fixture.h"

static const char first[] = "CREATE TABLE one (a INTEGER) STRICT;"
			    "PRAGMA application_id = 0x66727368;"
			    "PRAGMA user_version = 1;";
static const char second[] = "ALTER TABLE one ADD COLUMN b INTEGER;"
			     "CREATE TABLE two (c TEXT) STRICT;"
			     "PRAGMA user_version = 2;";
static const char broken[] = "CREATE TABLE two (c TEXT) STRICT;"
			     "PRAGMA user_version = 2;"
			     "INSERT INTO three VALUES (1);";

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
	const struct schema one = {steps, 1, NULL};
	const struct schema two = {steps, 2, NULL};
	sqlite3 *db;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(check(db, &one, false), DIAG_OK);
	assert_int_equal(check(db, &one, true), DIAG_STORE_UNUSABLE);
	assert_int_equal(schema_migrate(db, &one), DIAG_OK);
	assert_int_equal(sql_first(db, "PRAGMA user_version"), 1);
	assert_int_equal(
	    sql_first(db, "SELECT count(*) FROM sqlite_schema"), 1);
	assert_int_equal(check(db, &one, true), DIAG_OK);

	/* the second step alone runs, and only once */
	assert_int_equal(check(db, &two, true), DIAG_STORE_UNUSABLE);
	assert_int_equal(check(db, &two, false), DIAG_OK);
	assert_int_equal(schema_migrate(db, &two), DIAG_OK);
	assert_int_equal(schema_migrate(db, &two), DIAG_OK);
	assert_int_equal(sql_first(db, "PRAGMA user_version"), 2);
	assert_int_equal(
	    sql_first(db, "SELECT count(*) FROM sqlite_schema"), 2);

	/* newer than this version knows */
	assert_int_equal(check(db, &one, false), DIAG_STORE_DAMAGED);
	sqlite3_close(db);
}

/* S14: a migration of which a step fails leaves nothing behind, and can be run
 * again. */
static void
test_half_step(void **state)
{
	const char *const bad[] = {first, broken};
	const char *const good[] = {first, second};
	sqlite3 *db;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_not_equal(
	    schema_migrate(db, &(struct schema){bad, 2, NULL}), DIAG_OK);
	assert_int_equal(sql_first(db, "PRAGMA user_version"), 0);
	assert_int_equal(
	    sql_first(db, "SELECT count(*) FROM sqlite_schema"), 0);
	assert_int_equal(sqlite3_get_autocommit(db), 1);
	assert_int_equal(
	    schema_migrate(db, &(struct schema){good, 2, NULL}), DIAG_OK);
	assert_int_equal(sql_first(db, "PRAGMA user_version"), 2);
	sqlite3_close(db);
}

/* S14: a migration that was killed before any statement of any step leaves what
 * was there before, and can be run again. */

struct countdown {
	int left;
};

static int
on_statement(unsigned type, void *arg, void *statement, void *text)
{
	struct countdown *countdown = arg;

	if (countdown->left-- == 0)
		(void)kill(getpid(), SIGKILL);
	return 0;
}

/* Migrate in a process that dies before its statement number `after`; false
 * if the migration has fewer statements. */
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
	const struct schema schema = {steps, 3, NULL};
	char folder[] = "/tmp/freshet-unit-XXXXXX";
	char path[64];
	int deaths = 0;

	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/x.db", folder);
	while (migrate_killed(path, &schema, deaths)) {
		sqlite3 *db;

		deaths++;
		assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
		assert_int_equal(
		    sql_first(db, "SELECT count(*) FROM sqlite_schema"), 0);
		assert_int_equal(sql_first(db, "PRAGMA user_version"), 0);
		assert_int_equal(schema_migrate(db, &schema), DIAG_OK);
		assert_int_equal(sql_first(db, "PRAGMA user_version"), 3);
		assert_int_equal(sql_first(db, "SELECT d FROM three"), 3);
		assert_int_equal(sql_first(db,
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

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(schema_migrate(db, &schema_current), DIAG_OK);
	assert_int_equal(sql_first(db, "PRAGMA user_version"), SCHEMA_VERSION);
	assert_int_equal(
	    sql_first(db, "PRAGMA application_id"), SCHEMA_APPLICATION_ID);
	assert_int_equal(sql_first(db, "SELECT length(hash_key) FROM meta"), 8);
	/* every table checks the types of its columns */
	assert_int_equal(sql_first(db,
			     "SELECT count(*) FROM pragma_table_list"
			     " WHERE schema = 'main' AND NOT strict"
			     " AND name NOT LIKE 'sqlite_%'"),
	    0);
	sqlite3_close(db);
}

/* Append the rows that a query answers, a column a line. */
static void
put_rows(struct buf *text, sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt;

	assert_int_equal(
	    sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(stmt); i++)
			(void)buf_print(text, "%s %s\n",
			    sqlite3_column_name(stmt, i),
			    sqlite3_column_type(stmt, i) == SQLITE_NULL
				? "NULL"
				: (const char *)sqlite3_column_text(stmt, i));
	assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
}

/* Append the tables and all their rows, but for the key, which is random. */
static void
put_database(struct buf *text, sqlite3 *db)
{
	sqlite3_stmt *stmt;

	sql_do(db, "UPDATE meta SET hash_key = x'61'");
	put_rows(text, db,
	    "SELECT type, name, tbl_name, sql FROM sqlite_schema"
	    " ORDER BY name");
	put_rows(text, db, "PRAGMA user_version");
	put_rows(text, db, "PRAGMA application_id");
	assert_int_equal(sqlite3_prepare_v2(db,
			     "SELECT 'SELECT * FROM \"' || name || '\"' FROM"
			     " sqlite_schema WHERE type = 'table'"
			     " ORDER BY name",
			     -1, &stmt, NULL),
	    SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW)
		put_rows(text, db, (const char *)sqlite3_column_text(stmt, 0));
	assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
}

/* A new store, which is made at once, is what the steps make. */
static void
test_whole(void **state)
{
	struct schema schema = schema_current;
	struct buf texts[2];

	for (int i = 0; i < 2; i++) {
		sqlite3 *db;

		schema.whole = i == 0 ? NULL : schema_whole;
		buf_init(&texts[i], SIZE_MAX);
		assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
		assert_int_equal(schema_migrate(db, &schema), DIAG_OK);
		put_database(&texts[i], db);
		assert_int_equal(sqlite3_close(db), SQLITE_OK);
	}
	assert_true(texts[0].len > 4000);
	assert_string_equal(buf_str(&texts[0]), buf_str(&texts[1]));
	buf_release(&texts[0]);
	buf_release(&texts[1]);
}

/* The second step: every block has a row in the block index, which says what
 * is known of the block. */
static void
test_block_indexes(void **state)
{
	const struct schema one = {schema_current.steps, 1, NULL};
	sqlite3 *db;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(schema_migrate(db, &one), DIAG_OK);
	sql_do(db,
	    "INSERT INTO segment VALUES (65536, 'a', 1, x'01'),"
	    " (65537, 'b', 1, x'02')");
	assert_int_equal(schema_migrate(db, &schema_current), DIAG_OK);
	assert_int_equal(
	    sql_first(db,
		"SELECT count(*) FROM block_index f JOIN segment s ON"
		" s.id = f.id WHERE f.first_url = iif(f.id = 65536,"
		" 'a', 'b') AND last_url IS NULL AND bloom IS NULL"),
	    2);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* What origins asked for becomes holds of their hosts, and no hold becomes
 * shorter. */
static void
test_parked(void **state)
{
	static const char put[] =
	    "INSERT INTO origin (origin, parked_until_s) VALUES"
	    " ('https://a.test', 50), ('http://a.test:8080', 70),"
	    " ('http://10.0.0.1', 80), ('http://[2001:db8::1]:81', 90),"
	    " ('http://[2001:db8::2]', 91), ('http://h9.test', 60),"
	    " ('http://b.test', 10), ('http://c.test', 0);"
	    "INSERT INTO hold VALUES ('b.test', 20, 30), ('a.test', 5, 6)";
	static const char *const wanted[] = {
	    "host = 'a.test' AND until_s = 70 AND pages_until_s = 6",
	    "host = 'b.test' AND until_s = 20 AND pages_until_s = 30",
	    "host = '10.0.0.1' AND until_s = 80",
	    "host = '[2001:db8::1]' AND until_s = 90",
	    "host = '[2001:db8::2]' AND until_s = 91",
	    "host = 'h9.test' AND until_s = 60"};
	const struct schema former = {schema_current.steps, 14, NULL};
	sqlite3 *db;
	char sql[160];

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(schema_migrate(db, &former), DIAG_OK);
	sql_do(db, put);
	assert_int_equal(schema_migrate(db, &schema_current), DIAG_OK);
	assert_int_equal(sql_first(db, "SELECT count(*) FROM hold"), 6);
	for (size_t i = 0; i < COUNT(wanted); i++) {
		(void)snprintf(sql, sizeof(sql),
		    "SELECT count(*) FROM hold WHERE limited = 0 AND %s",
		    wanted[i]);
		assert_int_equal(sql_first(db, sql), 1);
	}
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* A store of version 8 has no numbers of sites.  The migration and the next
 * readings compute them, and report none of this as a change. */

#define HOST "h.test"
#define VERSION 8

static int64_t
make(struct store *store, const char *name)
{
	char url[64];

	(void)snprintf(url, sizeof(url), HOST_TEXT "%s", name);
	return document_make(store, HOST, url);
}

static int64_t
read_as(struct store *store, const char *name, int64_t at_s,
    enum document_kind kind, const char *listed)
{
	struct reading *reading = reading_make(
	    store, make(store, name), at_s, COMPLETE, listed);

	reading->content.kind = kind;
	return submit(store, reading);
}

static void
watch(struct store *store, int64_t site_id)
{
	struct watch row;

	watch_init(&row);
	row.site_id = site_id;
	row.is_watched = true;
	strings_add(&row.targets, slice_of(HOST_TEXT "t.xml"));
	store_watch_put(store, &row);
	watch_release(&row);
}

static void
lead(struct store *store, int64_t at_s)
{
	store_links_begin(store, make(store, "i.xml"));
	store_link(store, make(store, "i.xml"), make(store, "x.xml"),
	    &(struct date){0});
	(void)read_as(store, "i.xml", at_s, KIND_INDEX, "x.xml");
}

/* What leads to each document: robots.txt to i.xml, i.xml to x.xml and
 * earlier to old.xml, the operator to t.xml; one is a default location; what
 * led to late.xml is not known. */
static void
fill(struct store *store)
{
	struct slice named = slice_of(HOST_TEXT "i.xml");
	const uint32_t line = 1;

	watch(store, store_site(store, slice_of(HOST)));
	(void)read_as(store, "old.xml", 100, KIND_URLSET, "o1 o2 p1");
	(void)read_as(store, "robots.txt", 150, KIND_ROBOTS, "");
	store_robots(store,
	    &(struct robots_fact){.origin = slice_of("http://h.test"),
		.fetched_s = 150,
		.expires_s = 250,
		.status = 200,
		.sitemaps = &named,
		.lines = &line,
		.sitemap_count = 1});
	lead(store, 200);
	(void)read_as(store, "x.xml", 300, KIND_URLSET, "p1 p2");
	(void)read_as(store, "t.xml", 310, KIND_URLSET, "p2 p3");
	(void)read_as(store, "sitemap.xml", 320, KIND_URLSET, "p4");
	(void)read_as(store, "late.xml", 330, KIND_URLSET, "p5");
}

/* The name that a table or a column of the old version has now; NULL: it is not
 * there any more. */
static const char *
name_now(const char *former)
{
	if (strcmp(former, "parked_until_s") == 0)
		return NULL;
	static const char *const renamed[][2] = {{"fence", "block_index"},
	    {"sieve", "bloom"}, {"ledger", "request_log"}};

	for (size_t i = 0; i < COUNT(renamed); i++)
		if (strcmp(former, renamed[i][0]) == 0)
			return renamed[i][1];
	return former;
}

/* Copy a table of the attached store, with the columns of the old version. */
static void
copy_table(sqlite3 *db, const char *name)
{
	struct buf columns, columns_now, sql;
	sqlite3_stmt *stmt;

	buf_init(&columns, SIZE_MAX);
	buf_init(&columns_now, SIZE_MAX);
	buf_init(&sql, SIZE_MAX);
	(void)buf_print(
	    &sql, "SELECT name FROM pragma_table_info('%s', 'main')", name);
	assert_int_equal(
	    sqlite3_prepare_v2(db, buf_str(&sql), -1, &stmt, NULL), SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		const char *column = (const char *)sqlite3_column_text(stmt, 0);
		const char *comma = columns.len > 0 ? "," : "";

		if (name_now(column) == NULL)
			continue;
		(void)buf_print(&columns, "%s\"%s\"", comma, column);
		(void)buf_print(
		    &columns_now, "%s\"%s\"", comma, name_now(column));
	}
	(void)sqlite3_finalize(stmt);
	buf_clear(&sql);
	(void)buf_print(&sql,
	    "DELETE FROM main.%s; INSERT INTO main.%s (%s)"
	    " SELECT %s FROM now.%s",
	    name, name, buf_str(&columns), buf_str(&columns_now),
	    name_now(name));
	if (sqlite3_exec(db, buf_str(&sql), NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", buf_str(&sql), sqlite3_errmsg(db));
	buf_release(&columns);
	buf_release(&columns_now);
	buf_release(&sql);
}

/* Make a store of the old version with what another store holds. */
static void
make_former(const char *path, const char *from)
{
	const struct schema former = {schema_current.steps, VERSION, NULL};
	struct buf attach;
	sqlite3_stmt *stmt;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(schema_migrate(db, &former), DIAG_OK);
	buf_init(&attach, SIZE_MAX);
	(void)buf_print(&attach, "ATTACH '%s' AS now", from);
	sql_do(db, buf_str(&attach));
	buf_release(&attach);
	assert_int_equal(
	    sqlite3_prepare_v2(db,
		"SELECT name FROM main.sqlite_schema WHERE type = 'table'"
		" AND name NOT LIKE 'sqlite%'",
		-1, &stmt, NULL),
	    SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW)
		copy_table(db, (const char *)sqlite3_column_text(stmt, 0));
	(void)sqlite3_finalize(stmt);
	/* all entries of a first reading counted as added */
	sql_do(db, "UPDATE reading SET added = entries WHERE delta_blocks = 0");
	assert_int_equal(schema_version(db), VERSION);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

struct former {
	struct world world;
	char path[200];
	int64_t site_id, told_id;
};

static void
former_open(struct former *former)
{
	struct world *world = &former->world;

	world_open(world);
	fill(world->store);
	former->site_id = store_site(world->store, slice_of(HOST));
	former->told_id = store_last_reading(world->store);
	store_close(world->store);
	(void)snprintf(
	    former->path, sizeof(former->path), "%s/8.db", world->folder);
	make_former(former->path, world->path);
	world->store = open_at(former->path, false);
}

static void
assert_site(
    struct former *former, uint64_t listed, uint64_t refused, const char *told)
{
	struct store *store = former->world.store;
	struct site_tally *tally = site_tally_new(store, former->site_id);
	uint64_t changes[DELTA_KINDS] = {0};
	struct site_numbers numbers;
	char text[64];

	while (site_tally_some(tally, UINT64_MAX))
		;
	site_tally_put(tally, store);
	site_tally_free(tally);
	assert_int_equal(store_flush(store), DIAG_OK);
	numbers = store_site_stored(store, former->site_id);
	assert_int_equal(numbers.listed, listed);
	assert_int_equal(numbers.refused, refused);
	store_site_changed(store, former->site_id, former->told_id, changes);
	former->told_id = store_last_reading(store);
	(void)snprintf(text, sizeof(text), "%u %u %u %u",
	    (unsigned)changes[DELTA_ADDED], (unsigned)changes[DELTA_REMOVED],
	    (unsigned)changes[DELTA_RETURNED], (unsigned)changes[DELTA_GONE]);
	assert_string_equal(text, told);
}

static void
test_former(void **state)
{
	struct former former;
	struct store *s;

	former_open(&former);
	s = former.world.store;
	assert_int_equal(
	    sql_number(former.path, "PRAGMA user_version"), SCHEMA_VERSION);
	/* it was read through */
	assert_false(store_first_read(s, former.site_id));
	assert_true(store_is_untallied(s, former.site_id));
	/* the numbers that a count of all documents gives */
	assert_site(&former, 7, 0, "0 0 0 0");
	/* the first reading shows what is reachable, which is not reported;
	 * only entries that were refused before, and new ones, are added */
	(void)read_as(s, "x.xml", 1000, KIND_URLSET, "?e p1 p2 p6");
	assert_false(store_is_led(s, make(s, "old.xml")));
	assert_segment(s, make(s, "old.xml"), "");
	assert_true(store_is_led(s, make(s, "i.xml")));
	assert_true(store_is_led(s, make(s, "t.xml")));
	assert_true(store_is_led(s, make(s, "sitemap.xml")));
	assert_true(store_is_led(s, make(s, "late.xml")));
	assert_site(&former, 7, 1, "1 0 0 0");
	world_close(&former.world);
}

/* Entries that are new with the reading that settles the site are reported. */
static void
test_changes(void **state)
{
	struct former former;
	struct store *s;

	former_open(&former);
	s = former.world.store;
	(void)read_as(s, "t.xml", 1000, KIND_URLSET, "?e p2 p3");
	assert_site(&former, 6, 1, "0 0 0 0");
	(void)read_as(s, "t.xml", 1001, KIND_URLSET, "?e ?f p2 p7");
	assert_site(&former, 7, 2, "2 1 0 0");
	(void)read_as(s, "t.xml", 1002, KIND_URLSET, "p2 p7");
	assert_site(&former, 5, 0, "0 2 0 1");
	lead(s, 1003);
	(void)read_as(s, "old.xml", 1004, KIND_URLSET, "o1");
	assert_site(&former, 5, 0, "0 0 0 0");
	assert_segment(s, make(s, "old.xml"), "");
	world_close(&former.world);
}

/* The migrated store is sound, before and after the next reading. */
static void
test_fsck(void **state)
{
	struct former former;
	struct heard heard = {0};

	buf_init(&heard.text, SIZE_MAX);
	former_open(&former);
	for (int i = 0; i < 3; i++) {
		store_close(former.world.store);
		former.world.store = NULL;
		(void)fsck_run(former.path, false, &heard);
		assert_string_equal(buf_str(&heard.text), "");
		former.world.store = open_at(former.path, false);
		(void)read_as(former.world.store, "x.xml", 1000 + i,
		    KIND_URLSET, "?e p1 p2");
		assert_site(&former, 6, 1, "0 0 0 0");
	}
	buf_release(&heard.text);
	world_close(&former.world);
}

UNIT(schema)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_steps),
	    cmocka_unit_test(test_half_step),
	    cmocka_unit_test(test_killed),
	    cmocka_unit_test(test_current),
	    cmocka_unit_test(test_whole),
	    cmocka_unit_test(test_block_indexes),
	    cmocka_unit_test(test_parked),
	    cmocka_unit_test(test_former),
	    cmocka_unit_test(test_changes),
	    cmocka_unit_test(test_fsck),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
