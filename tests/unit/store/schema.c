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

static int
db_setup(void **state)
{
	return sqlite3_open(":memory:", (sqlite3 **)state);
}

static int
db_teardown(void **state)
{
	return sqlite3_close(*state);
}

/* The version, and the number of tables. */
#define SHAPE                                                            \
	"SELECT user_version, (SELECT count(*) FROM sqlite_schema) FROM" \
	" pragma_user_version"

static void
test_steps(void **state)
{
	const char *const steps[] = {first, second};
	const struct schema one = {steps, 1, NULL};
	const struct schema two = {steps, 2, NULL};
	sqlite3 *db = *state;

	assert_int_equal(check(db, &one, false), DIAG_OK);
	assert_int_equal(check(db, &one, true), DIAG_STORE_UNUSABLE);
	assert_int_equal(schema_migrate(db, &one), DIAG_OK);
	assert_rows(db, SHAPE, "1|1\n");
	assert_int_equal(check(db, &one, true), DIAG_OK);

	/* the second step alone runs, and only once */
	assert_int_equal(check(db, &two, true), DIAG_STORE_UNUSABLE);
	assert_int_equal(check(db, &two, false), DIAG_OK);
	assert_int_equal(schema_migrate(db, &two), DIAG_OK);
	assert_int_equal(schema_migrate(db, &two), DIAG_OK);
	assert_rows(db, SHAPE, "2|2\n");

	/* newer than this version knows */
	assert_int_equal(check(db, &one, false), DIAG_STORE_DAMAGED);
}

static const char *const one_step[] = {first};
static const struct schema one_table = {one_step, 1, NULL};

/* Whoever looks at a store for the second time finds that it is made. */
static int
on_second_look(unsigned type, void *arg, void *statement, void *text)
{
	static int looks;

	(void)type, (void)statement;
	looks += strncmp(text, "SELECT application_id", 21) == 0;
	if (looks == 2)
		assert_int_equal(schema_migrate(arg, &one_table), DIAG_OK);
	return 0;
}

/* A reader comes while a store is just being made. */
static void
test_being_made(void **state)
{
	char path[] = "/tmp/freshet-test-XXXXXX";
	int fd = mkstemp(path);
	sqlite3 *reader, *writer;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(sqlite3_open(path, &reader), SQLITE_OK);
	assert_int_equal(sqlite3_open(path, &writer), SQLITE_OK);
	assert_int_equal(
	    sqlite3_trace_v2(reader, SQLITE_TRACE_STMT, on_second_look, writer),
	    SQLITE_OK);
	assert_int_equal(check(reader, &one_table, true), DIAG_OK);
	assert_int_equal(sqlite3_close(reader), SQLITE_OK);
	assert_int_equal(sqlite3_close(writer), SQLITE_OK);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(close(fd), 0);
}

/* S14: a migration of which a step fails leaves nothing behind, and can be run
 * again. */
static void
test_half_step(void **state)
{
	const char *const bad[] = {first, broken};
	const char *const good[] = {first, second};
	sqlite3 *db = *state;

	assert_int_not_equal(
	    schema_migrate(db, &(struct schema){bad, 2, NULL}), DIAG_OK);
	assert_rows(db, SHAPE, "0|0\n");
	assert_int_equal(sqlite3_get_autocommit(db), 1);
	assert_int_equal(
	    schema_migrate(db, &(struct schema){good, 2, NULL}), DIAG_OK);
	assert_rows(db, SHAPE, "2|2\n");
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
		assert_rows(db, SHAPE, "0|0\n");
		assert_int_equal(schema_migrate(db, &schema), DIAG_OK);
		assert_rows(db, SHAPE, "3|3\n");
		assert_rows(db, "SELECT d FROM three", "3\n");
		assert_rows(db, "PRAGMA integrity_check", "ok\n");
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
	sqlite3 *db = *state;

	assert_int_equal(schema_migrate(db, &schema_current), DIAG_OK);
	assert_int_equal(sql_first(db, "PRAGMA user_version"), SCHEMA_VERSION);
	assert_int_equal(
	    sql_first(db, "PRAGMA application_id"), SCHEMA_APPLICATION_ID);
	assert_rows(db, "SELECT length(hash_key) FROM meta", "8\n");
	/* every table checks the types of its columns */
	assert_rows(db,
	    "SELECT name FROM pragma_table_list WHERE schema = 'main'"
	    " AND NOT strict AND name NOT LIKE 'sqlite_%'",
	    "");
}

/* A new store, which is made at once, is what the steps make: the tables and
 * all their rows, but for the key, which is random. */
static void
test_whole(void **state)
{
	struct schema schema = schema_current;
	struct buf texts[2], query;
	char sql[160];

	for (int i = 0; i < 2; i++) {
		sqlite3 *db;

		schema.whole = i == 0 ? NULL : schema_whole;
		buf_init(&texts[i], SIZE_MAX);
		buf_init(&query, SIZE_MAX);
		assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
		assert_int_equal(schema_migrate(db, &schema), DIAG_OK);
		sql_do(db, "UPDATE meta SET hash_key = x'61'");
		sql_rows(db,
		    "SELECT type, name, tbl_name, sql FROM sqlite_schema"
		    " ORDER BY name",
		    &texts[i]);
		sql_rows(db, "PRAGMA user_version", &texts[i]);
		sql_rows(db, "PRAGMA application_id", &texts[i]);
		for (int table = 0; query.len > 0 || table == 0; table++) {
			(void)snprintf(sql, sizeof(sql),
			    "SELECT 'SELECT * FROM ' || name FROM sqlite_schema"
			    " WHERE type = 'table' ORDER BY name"
			    " LIMIT 1 OFFSET %d",
			    table);
			buf_clear(&query);
			sql_rows(db, sql, &query);
			if (query.len > 0)
				sql_rows(db, buf_str(&query), &texts[i]);
		}
		assert_int_equal(sqlite3_close(db), SQLITE_OK);
		buf_release(&query);
	}
	assert_true(texts[0].len > 4000);
	assert_string_equal(buf_str(&texts[0]), buf_str(&texts[1]));
	buf_release(&texts[0]);
	buf_release(&texts[1]);
}

/* A store of an older version with these rows, and what a query finds after
 * the migration. */
static const struct {
	int version;
	const char *rows, *query, *found;
} migrations[] = {
    /* every block has a row in the block index, which says what is known of
     * the block */
    {1,
	"INSERT INTO segment VALUES (65536, 'a', 1, x'01'),"
	" (65537, 'b', 1, x'02')",
	"SELECT f.id, first_url, last_url, bloom FROM block_index f"
	" JOIN segment s ON s.id = f.id",
	"65536|a|-|-\n65537|b|-|-\n"},
    /* what origins asked for becomes holds of their hosts, and no hold becomes
     * shorter */
    {14,
	"INSERT INTO origin (origin, parked_until_s) VALUES"
	" ('https://a.test', 50), ('http://a.test:8080', 70),"
	" ('http://10.0.0.1', 80), ('http://[2001:db8::1]:81', 90),"
	" ('http://[2001:db8::2]', 91), ('http://h9.test', 60),"
	" ('http://b.test', 10), ('http://c.test', 0);"
	"INSERT INTO hold VALUES ('b.test', 20, 30), ('a.test', 5, 6)",
	"SELECT host, until_s, pages_until_s, limited FROM hold ORDER BY host",
	"10.0.0.1|80|0|0\n[2001:db8::1]|90|0|0\n[2001:db8::2]|91|0|0\n"
	"a.test|70|6|0\nb.test|20|30|0\nh9.test|60|0|0\n"},
};

static void
test_migrations(void **state)
{
	for (size_t i = 0; i < COUNT(migrations); i++) {
		const struct schema former = {
		    schema_current.steps, migrations[i].version, NULL};
		sqlite3 *db;

		assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
		assert_int_equal(schema_migrate(db, &former), DIAG_OK);
		sql_do(db, migrations[i].rows);
		assert_int_equal(schema_migrate(db, &schema_current), DIAG_OK);
		assert_rows(db, migrations[i].query, migrations[i].found);
		assert_int_equal(sqlite3_close(db), SQLITE_OK);
	}
}

/* A store of version 8 has no numbers of sites.  The migration and the next
 * readings compute them, and report none of this as a change. */

#define VERSION 8

static int64_t
make(struct store *store, const char *name)
{
	char url[64];

	(void)snprintf(url, sizeof(url), HOST_TEXT "%s", name);
	return document_make(store, SITE, url);
}

static void
read_as(struct store *store, const char *name, int64_t at_s,
    enum document_kind kind, const char *listed)
{
	struct reading *reading = reading_make(
	    store, make(store, name), at_s, COMPLETE, listed);

	reading->content.kind = kind;
	(void)submit(store, reading);
}

static void
watch(struct store *store, int64_t site_id)
{
	struct watch row;

	row = (struct watch)WATCH_DEFAULTS;
	row.site_id = site_id;
	row.is_watched = true;
	strings_add(&row.targets, slice_of(HOST_TEXT "t.xml"));
	store_watch_put(store, &row);
	watch_release(&row);
}

static void
lead(struct store *store, int64_t at_s)
{
	link_set_of(store, make(store, "i.xml"))->count = 0;
	store_link(store, make(store, "i.xml"), make(store, "x.xml"),
	    &(struct date){0});
	read_as(store, "i.xml", at_s, KIND_INDEX, "x.xml");
}

/* What leads to each document: robots.txt to i.xml, i.xml to x.xml and
 * earlier to old.xml, the operator to t.xml; one is a default location; what
 * led to late.xml is not known. */
static void
fill(struct store *store)
{
	struct slice named = slice_of(HOST_TEXT "i.xml");
	const uint32_t line = 1;

	watch(store, store_site(store, slice_of(SITE)));
	read_as(store, "old.xml", 100, KIND_URLSET, "o1 o2 p1");
	read_as(store, "robots.txt", 150, KIND_ROBOTS, "");
	store_robots(store,
	    &(struct robots_fact){.origin = slice_of("http://h.test"),
		.fetched_s = 150,
		.expires_s = 250,
		.status = 200,
		.sitemaps = &named,
		.lines = &line,
		.sitemap_count = 1});
	lead(store, 200);
	read_as(store, "x.xml", 300, KIND_URLSET, "p1 p2");
	read_as(store, "t.xml", 310, KIND_URLSET, "p2 p3");
	read_as(store, "sitemap.xml", 320, KIND_URLSET, "p4");
	read_as(store, "late.xml", 330, KIND_URLSET, "p5");
}

/* Statements that copy each table of the attached store, with the columns of
 * the old version; some of these have other names now. */
static const char copies[] =
    "WITH renamed (former, present) AS (VALUES ('fence', 'block_index'),"
    " ('sieve', 'bloom'), ('ledger', 'request_log'))"
    " SELECT printf('DELETE FROM main.%s; INSERT INTO main.%s (%s)"
    " SELECT %s FROM now.%s;', t.name, t.name,"
    " group_concat(printf('\"%w\"', c.name)),"
    " group_concat(printf('\"%w\"', coalesce(column_now.present, c.name))),"
    " coalesce(table_now.present, t.name))"
    " FROM main.sqlite_schema t JOIN pragma_table_info(t.name, 'main') c"
    " LEFT JOIN renamed column_now ON column_now.former = c.name"
    " LEFT JOIN renamed table_now ON table_now.former = t.name"
    " WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%'"
    " AND c.name <> 'parked_until_s' GROUP BY t.name";

/* Make a store of the old version with what another store holds. */
static void
make_former(const char *path, const char *from)
{
	const struct schema former = {schema_current.steps, VERSION, NULL};
	struct buf sql;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(schema_migrate(db, &former), DIAG_OK);
	buf_init(&sql, SIZE_MAX);
	(void)buf_print(&sql, "ATTACH '%s' AS now", from);
	sql_do(db, buf_str(&sql));
	buf_clear(&sql);
	sql_rows(db, copies, &sql);
	sql_do(db, buf_str(&sql));
	buf_release(&sql);
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

static int
former_setup(void **state)
{
	struct former *former = mem_zero(sizeof(*former));
	struct world *world = &former->world;

	world_open(world);
	fill(world->store);
	former->site_id = store_site(world->store, slice_of(SITE));
	former->told_id = store_number(world->store, STORE_LAST_READING, 0, 0);
	store_close(world->store);
	(void)snprintf(
	    former->path, sizeof(former->path), "%s/8.db", world->folder);
	make_former(former->path, world->path);
	world->store = open_at(former->path, false);
	*state = former;
	return 0;
}

static int
former_teardown(void **state)
{
	struct former *former = *state;

	world_close(&former->world);
	free(former);
	return 0;
}

/* What the site lists, how much of it is refused, and its changes since the
 * last call: see site_told. */
static void
assert_site(struct former *former, const char *told, uint64_t refused)
{
	struct store *store = former->world.store;
	struct site_sum sum = {0};

	assert_string_equal(site_told(store, former->site_id, &former->told_id,
				&former->world.out),
	    told);
	store_site_sum(store, former->site_id, 0, &sum);
	assert_int_equal(sum.numbers.refused, refused);
}

static void
test_former(void **state)
{
	static const char *const led[] = {
	    "i.xml", "t.xml", "sitemap.xml", "late.xml"};
	struct former *former = *state;
	struct store *s = former->world.store;

	assert_int_equal(
	    sql_number(former->path, "PRAGMA user_version"), SCHEMA_VERSION);
	/* it was read through */
	assert_false(store_first_read(s, former->site_id));
	assert_true(store_number(s, STORE_UNTALLIED, former->site_id - 1, 0) ==
	    former->site_id);
	/* the numbers that a count of all documents gives */
	assert_site(former, "7 0 0 0 0", 0);
	/* the first reading shows what is reachable, which is not reported;
	 * only entries that were refused before, and new ones, are added */
	read_as(s, "x.xml", 1000, KIND_URLSET, "?e p1 p2 p6");
	assert_false(store_number(s, STORE_IS_LED, make(s, "old.xml"), 0) != 0);
	assert_segment(s, make(s, "old.xml"), "");
	for (size_t i = 0; i < COUNT(led); i++)
		assert_true(
		    store_number(s, STORE_IS_LED, make(s, led[i]), 0) != 0);
	assert_site(former, "7 1 0 0 0", 1);
}

/* Entries that are new with the reading that settles the site are reported. */
static void
test_changes(void **state)
{
	struct former *former = *state;
	struct store *s = former->world.store;

	read_as(s, "t.xml", 1000, KIND_URLSET, "?e p2 p3");
	assert_site(former, "6 0 0 0 0", 1);
	read_as(s, "t.xml", 1001, KIND_URLSET, "?e ?f p2 p7");
	assert_site(former, "7 2 1 0 0", 2);
	read_as(s, "t.xml", 1002, KIND_URLSET, "p2 p7");
	assert_site(former, "5 0 2 0 1", 0);
	lead(s, 1003);
	read_as(s, "old.xml", 1004, KIND_URLSET, "o1");
	assert_site(former, "5 0 0 0 0", 0);
	assert_segment(s, make(s, "old.xml"), "");
}

/* The migrated store is sound, before and after the next reading. */
static void
test_fsck(void **state)
{
	struct former *former = *state;
	struct heard heard = {0};

	buf_init(&heard.text, SIZE_MAX);
	for (int i = 0; i < 3; i++) {
		world_shut(&former->world);
		(void)fsck_run(former->path, false, &heard);
		assert_string_equal(buf_str(&heard.text), "");
		former->world.store = open_at(former->path, false);
		read_as(former->world.store, "x.xml", 1000 + i, KIND_URLSET,
		    "?e p1 p2");
		assert_site(former, "6 0 0 0 0", 1);
	}
	buf_release(&heard.text);
}

#define db_test(test) \
	cmocka_unit_test_setup_teardown(test, db_setup, db_teardown)
#define former_test(test) \
	cmocka_unit_test_setup_teardown(test, former_setup, former_teardown)

UNIT_TESTS(schema, db_test(test_steps), cmocka_unit_test(test_being_made),
    db_test(test_half_step), cmocka_unit_test(test_killed),
    db_test(test_current), cmocka_unit_test(test_whole),
    cmocka_unit_test(test_migrations), former_test(test_former),
    former_test(test_changes), former_test(test_fsck));
