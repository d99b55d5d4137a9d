/* What a COMMIT changed: each kind of change, and what is none. */
#include "store/depot/recorder.h"

#include <sqlite3.h>

#include "store/db.h"
#include "store/prune.h"
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/rows_fixture.h"

/* What is there before each case. */
static const char before[] =
    "INSERT INTO hold (host, until_s) VALUES ('a', 1), ('b', 2);"
    "INSERT INTO tag_budget VALUES ('news', 1.5);"
    "INSERT INTO state (id, etag, learned) VALUES (1, 'e', x'00ff'),"
    " (2, '', x'');"
    "INSERT INTO lease VALUES (7, 1, 100, 200), (8, 1, 100, 200);"
    "INSERT INTO feed (id, serial, name, tags, made_s) VALUES"
    " (1, 11, 'one', '', 1), (2, 12, 'two', '', 1);"
    "INSERT INTO learned VALUES ('page', 1, x'01'), ('site', 1, x'02');"
    "INSERT INTO site (id, host) VALUES (1, 'a');"
    "INSERT INTO note VALUES (1, 5, 'a')";

static const struct {
	const char *name, *sql, *told;
} cases[] = {
    {"nothing", "SELECT 1", ""},
    {"insert", "INSERT INTO lease VALUES (9, 1, 2, 3)",
	"+lease page_id=9 number=1 asked_s=2 until_s=3\n"},
    {"insert, all types",
	"INSERT INTO state (id, weight, lastmod_s, etag, last_modified,"
	" learned) VALUES (5, 0.1, NULL, CAST(x'610062' AS TEXT), '',"
	" x'00ff00')",
	"+state id=5 weight=0.10000000000000001 is_listed=1 etag='a.b'"
	" last_modified='' learned=x'00ff00'\n"},
    {"insert, least and greatest",
	"INSERT INTO lease VALUES (-9223372036854775808,"
	" 9223372036854775807, -1, 0);"
	"INSERT INTO tag_budget VALUES ('', 1152921504606846976.0),"
	" ('least', 1.0 / 1152921504606846976.0), ('whole', 3)",
	"+lease page_id=-9223372036854775808 number=9223372036854775807"
	" asked_s=-1\n"
	"+tag_budget tag='' requests_per_hour=1.152921504606847e+18\n"
	"+tag_budget tag='least' requests_per_hour=8.6736173798840355e-19\n"
	"+tag_budget tag='whole' requests_per_hour=3\n"},
    {"update of a part", "UPDATE lease SET until_s = 0 WHERE page_id = 7",
	"~lease page_id=7 until_s=0\n"},
    {"updates of several parts, of one row and of two",
	"UPDATE lease SET until_s = 0;"
	"UPDATE lease SET number = 2 WHERE page_id = 7;"
	"UPDATE lease SET asked_s = asked_s",
	"~lease page_id=8 until_s=0\n~lease page_id=7 number=2 until_s=0\n"},
    {"update to the same", "UPDATE lease SET until_s = until_s + 0", ""},
    {"update there and back",
	"UPDATE lease SET until_s = 5; UPDATE lease SET until_s = 200",
	"~lease page_id=7 until_s=200\n~lease page_id=8 until_s=200\n"},
    {"NULL, empty, and not",
	"UPDATE state SET etag = NULL WHERE id = 1;"
	"UPDATE state SET learned = NULL, etag = CAST(x'00' AS TEXT)"
	" WHERE id = 2",
	"~state id=1 etag=NULL\n~state id=2 etag='.' learned=NULL\n"},
    {"NULL to empty",
	"UPDATE state SET last_modified = '', learned = x'' WHERE id = 1",
	"~state id=1 last_modified='' learned=x''\n"},
    {"whole and negative zero",
	"UPDATE tag_budget SET requests_per_hour = 2;"
	"UPDATE state SET weight = -0.0 WHERE id = 1",
	"~state id=1 weight=0\n~tag_budget tag='news' requests_per_hour=2\n"},
    {"delete", "DELETE FROM lease WHERE page_id = 7", "-lease page_id=7\n"},
    {"delete all, which SQLite does at once", "DELETE FROM lease",
	"-lease page_id=7\n-lease page_id=8\n"},
    {"delete all of a table that is a tree by its key", "DELETE FROM learned",
	"-learned kind='page' id=1\n-learned kind='site' id=1\n"},
    {"delete and insert of one key",
	"DELETE FROM lease WHERE page_id = 7;"
	"INSERT INTO lease VALUES (7, 2, 100, 300)",
	"~lease page_id=7 number=2 asked_s=100 until_s=300\n"},
    {"delete and insert of the same row",
	"DELETE FROM lease WHERE page_id = 7;"
	"INSERT INTO lease VALUES (7, 1, 100, 200)",
	"~lease page_id=7 number=1 asked_s=100 until_s=200\n"},
    {"delete and insert of a row that is its key",
	"DELETE FROM note; INSERT INTO note VALUES (1, 5, 'a')", ""},
    {"insert and delete",
	"INSERT INTO lease VALUES (9, 1, 2, 3);"
	"DELETE FROM lease WHERE page_id = 9",
	""},
    {"insert and update",
	"INSERT INTO lease VALUES (9, 1, 2, 3);"
	"UPDATE lease SET number = 5 WHERE page_id = 9",
	"+lease page_id=9 number=5 asked_s=2 until_s=3\n"},
    {"update and delete",
	"UPDATE lease SET number = 5 WHERE page_id = 7;"
	"DELETE FROM lease WHERE page_id = 7",
	"-lease page_id=7\n"},
    {"replace of a row", "REPLACE INTO lease VALUES (7, 2, 100, 200)",
	"~lease page_id=7 number=2 asked_s=100 until_s=200\n"},
    {"replace that removes another row, and its UNIQUE value",
	"INSERT OR REPLACE INTO feed (id, serial, name, tags, made_s)"
	" VALUES (3, 13, 'two', '', 1)",
	"-feed id=2\n+feed id=3 serial=13 name='two' tags='' made_s=1\n"},
    {"replace that removes two rows",
	"INSERT OR REPLACE INTO feed (id, serial, name, tags, made_s)"
	" VALUES (1, 13, 'two', '', 1)",
	"-feed id=2\n~feed id=1 serial=13 name='two' tags='' cursor=NULL"
	" made_s=1 acked_s=0\n"},
    {"another key", "UPDATE lease SET page_id = 9 WHERE page_id = 7",
	"-lease page_id=7\n+lease page_id=9 number=1 asked_s=100"
	" until_s=200\n"},
    {"keys that change places",
	"UPDATE lease SET page_id = 99, number = 3 WHERE page_id = 7;"
	"UPDATE lease SET page_id = 7 WHERE page_id = 8;"
	"UPDATE lease SET page_id = 8 WHERE page_id = 99",
	"~lease page_id=7 number=1 asked_s=100 until_s=200\n"
	"~lease page_id=8 number=3 asked_s=100 until_s=200\n"},
    {"a key of text, in a tree by it",
	"INSERT INTO hold (host, until_s) VALUES ('a', 5), ('c', 6)"
	" ON CONFLICT (host) DO UPDATE SET until_s = excluded.until_s;"
	"DELETE FROM hold WHERE host = 'b'",
	"-hold host='b'\n~hold host='a' until_s=5\n+hold host='c' until_s=6\n"},
    {"another key, in a tree by it",
	"UPDATE hold SET host = 'z' WHERE host = 'a';"
	"UPDATE hold SET host = 'a', until_s = 3 WHERE host = 'b'",
	"-hold host='b'\n~hold host='a' until_s=3 pages_until_s=0"
	" limited=0\n+hold host='z' until_s=1\n"},
    {"a key of two columns",
	"UPDATE learned SET data = x'0303' WHERE kind = 'site';"
	"INSERT INTO learned VALUES ('page', 2, x'')",
	"~learned kind='site' id=1 data=x'0303'\n"
	"+learned kind='page' id=2 data=x''\n"},
    {"a failed statement changes nothing",
	"UPDATE OR IGNORE feed SET name = 'one' WHERE id = 2", ""},
    {"a temporary table",
	"CREATE TEMP TABLE t (id INTEGER PRIMARY KEY);"
	"INSERT INTO temp.t VALUES (1); DELETE FROM temp.t; DROP TABLE temp.t",
	""},
    {"a megabyte",
	"UPDATE state SET learned = randomblob(1048576) WHERE id = 1;"
	"INSERT INTO state (id, learned) VALUES (3, zeroblob(1048576))",
	"~state id=1 learned=1048576 bytes\n"
	"+state id=3 weight=1 is_listed=1 learned=1048576 bytes\n"},
    {"text of 127 and 128 bytes, where lengths get longer",
	"INSERT INTO hold (host, until_s) VALUES"
	" (substr(hex(zeroblob(64)), 1, 127), 1), (hex(zeroblob(64)), 1),"
	" (hex(zeroblob(8192)), 1)",
	"+hold host=127 bytes until_s=1\n+hold host=128 bytes until_s=1\n"
	"+hold host=16384 bytes until_s=1\n"},
};

static void
test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct taped taped;

		taped_open(&taped);
		taped_do(&taped, before);
		assert_equal_rows(
		    taped.world.store->db, taped.copy, taped.schema);
		taped_do(&taped, cases[i].sql);
		if (strcmp(buf_str(&taped.told), cases[i].told) != 0)
			fail_msg("%s:\n%sand not\n%s", cases[i].name,
			    buf_str(&taped.told), cases[i].told);
		assert_int_equal(taped.commits, 2);
		assert_equal_rows(
		    taped.world.store->db, taped.copy, taped.schema);
		taped_close(&taped);
	}
}

/* What is written outside of a transaction is told with the next COMMIT. */
static void
test_outside(void **state)
{
	struct taped taped;

	(void)state;
	taped_open(&taped);
	taped_do(&taped, before);
	sql_do(taped.world.store->db, "DELETE FROM hold WHERE host = 'a'");
	assert_int_equal(taped.commits, 1);
	taped_do(&taped, "UPDATE hold SET until_s = 9");
	assert_string_equal(
	    buf_str(&taped.told), "-hold host='a'\n~hold host='b' until_s=9\n");
	taped_close(&taped);
}

/* A COMMIT that fails is not told, and the next one tells nothing of it. */
static void
test_rolled_back(void **state)
{
	struct taped taped;
	struct store *store;

	(void)state;
	taped_open(&taped);
	taped_do(&taped, before);
	store = taped.world.store;
	assert_true(db_begin(store));
	sql_do(store->db,
	    "DELETE FROM hold; UPDATE lease SET number = 9;"
	    "INSERT INTO lease VALUES (9, 1, 2, 3)");
	db_fail(store, DIAG_STORE_DAMAGED);
	assert_int_equal(store_flush(store), DIAG_STORE_DAMAGED);
	assert_int_equal(taped.commits, 1);
	store->failed = DIAG_OK; /* as fsck forgives */
	taped_do(&taped, "UPDATE lease SET number = 2 WHERE page_id = 8");
	assert_string_equal(
	    buf_str(&taped.told), "~lease page_id=8 number=2\n");
	assert_equal_rows(store->db, taped.copy, taped.schema);
	taped_close(&taped);
}

/* Neither VACUUM nor REINDEX changes a row, and both leave the recorder at
 * work. */
static void
test_vacuum(void **state)
{
	struct taped taped;
	struct buf why;

	(void)state;
	buf_init(&why, SIZE_MAX);
	taped_open(&taped);
	taped_do(&taped, before);
	assert_int_equal(store_vacuum(taped.world.store, &why), DIAG_OK);
	sql_do(taped.world.store->db, "REINDEX");
	taped_do(&taped, "SELECT 1");
	assert_string_equal(buf_str(&taped.told), "");
	taped_do(&taped, "DELETE FROM hold");
	assert_equal_rows(taped.world.store->db, taped.copy, taped.schema);
	buf_release(&why);
	taped_close(&taped);
}

/* Readings, as crawls make them: with segments, deltas and findings. */
static void
test_readings(void **state)
{
	static const char *const listed[] = {"a b c", "a c d", "c d", "a b"};
	struct taped taped;
	int64_t id;

	(void)state;
	taped_open(&taped);
	id = document_make(taped.world.store, SITE, MAP);
	for (int day = 0; day < 4; day++) {
		(void)read_at(taped.world.store, id, DAY_0 + day * DAY_S,
		    COMPLETE, listed[day]);
		assert_equal_rows(
		    taped.world.store->db, taped.copy, taped.schema);
	}
	assert_true(taped.commits >= 4);
	struct prune_totals totals = {0};

	assert_int_equal(
	    store_prune(taped.world.store, INT64_MAX, &totals), DIAG_OK);
	assert_true(totals.readings > 0);
	assert_equal_rows(taped.world.store->db, taped.copy, taped.schema);
	taped_close(&taped);
}

UNIT_TESTS(recorder, cmocka_unit_test(test_cases),
    cmocka_unit_test(test_outside), cmocka_unit_test(test_rolled_back),
    cmocka_unit_test(test_vacuum), cmocka_unit_test(test_readings));
