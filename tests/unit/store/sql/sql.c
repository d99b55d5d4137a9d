/* Queries over the public tables. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "store/site.h"
#include "store/sql/public.h"
#include "store/sql/sql.h"
#include "tests/fixtures/sql_fixture.h"

#define MANY 9000 /* entries: three blocks */

static const struct answer tables_answers[] = {
    {"SELECT host, documents, listed, missed, last_try FROM site",
	"h.test|2|3|2|2024-04-10T00:10:00Z\n"
	"i.test|1|2|0|2024-04-10T00:08:20Z\n"},
    {"SELECT origin, fetched, status FROM origin",
	"http://h.test|2024-04-10T00:01:30Z|200\n"
	"http://i.test|-|-\n"},
    {"SELECT * FROM proof",
	"http://h.test|http://h.test/index.xml|3|"
	"2024-04-10T00:01:30Z|1712707290\n"},
    {"SELECT site, url, kind, listed, missed, dated, newest, outcome,"
     " failure, last_full FROM document ORDER BY url",
	"h.test|http://h.test/a.xml|urlset|3|2|3|2024-01-05|read|-|"
	"2024-04-10T00:06:40Z\n"
	"h.test|http://h.test/index.xml|index|1|0|1|2024-01-11|read|-|"
	"2024-04-10T00:10:00Z\n"
	"i.test|http://i.test/"
	"b.xml|urlset|2|0|1|2024-01-06|unchanged|-|"
	"2024-04-10T00:05:00Z\n"},
    {"SELECT index_url, document, lastmod, precision, state FROM child",
	"http://h.test/index.xml|http://h.test/a.xml|2024-01-11|day|"
	"listed\n"},
    {"SELECT id, at, document, outcome, status, added, removed,"
     " redated FROM reading ORDER BY id",
	"1|2024-04-10T00:01:40Z|http://h.test/index.xml|read|200|0|0|"
	"0\n"
	"2|2024-04-10T00:03:20Z|http://h.test/a.xml|read|200|0|0|0\n"
	"3|2024-04-10T00:05:00Z|http://i.test/b.xml|read|200|0|0|0\n"
	"4|2024-04-10T00:06:40Z|http://h.test/a.xml|read|200|1|2|1\n"
	"5|2024-04-10T00:08:20Z|http://i.test/b.xml|unchanged|304|0|0|"
	"0\n"
	"6|2024-04-10T00:10:00Z|http://h.test/index.xml|read|200|0|0|"
	"1\n"},
    {"SELECT reading, site, code, severity, count, line, text, current"
     " FROM finding",
	"4|h.test|invalid-url|error|2|5|::|1\n"},
    {"SELECT * FROM sample", "4|invalid-url|0|5|::\n4|invalid-url|1|6|//\n"},
    {"SELECT loc, site, document, lastmod, precision, first_seen,"
     " redated, state FROM url ORDER BY document_id, loc",
	"http://h.test/A|h.test|http://h.test/a.xml|-|-|"
	"2024-04-10T00:03:20Z|-|removed\n"
	"http://h.test/a|h.test|http://h.test/a.xml|2024-01-04|day|"
	"2024-04-10T00:03:20Z|2024-04-10T00:06:40Z|listed\n"
	"http://h.test/b|h.test|http://h.test/a.xml|2024-01-03|day|"
	"2024-04-10T00:03:20Z|-|listed\n"
	"http://h.test/c|h.test|http://h.test/a.xml|-|-|"
	"2024-04-10T00:03:20Z|-|removed\n"
	"http://h.test/d|h.test|http://h.test/a.xml|2024-01-05|day|"
	"2024-04-10T00:06:40Z|-|listed\n"
	"http://h.test/x|i.test|http://i.test/b.xml|-|-|"
	"2024-04-10T00:05:00Z|-|listed\n"
	"http://h.test/y|i.test|http://i.test/b.xml|2024-01-06|day|"
	"2024-04-10T00:05:00Z|-|listed\n"},
    {"SELECT loc, document, ordinal, first_seen_s FROM index_url",
	"http://h.test/a.xml|http://h.test/index.xml|0|1712707300\n"},
    {"SELECT reading, at, site, kind, loc, before, after FROM change",
	"4|2024-04-10T00:06:40Z|h.test|removed|http://h.test/A|-|-\n"
	"4|2024-04-10T00:06:40Z|h.test|redated|http://h.test/a|"
	"2024-01-02|2024-01-04\n"
	"4|2024-04-10T00:06:40Z|h.test|removed|http://h.test/c|-|-\n"
	"4|2024-04-10T00:06:40Z|h.test|added|http://h.test/d|-|"
	"2024-01-05\n"},
    {"SELECT reading, kind, loc, before, after FROM index_change",
	"6|redated|http://h.test/a.xml|2024-01-10|2024-01-11\n"},
    {"SELECT host, minute, requests, least_gap_ms FROM request_log",
	"h.test|1970-01-01T00:01:00Z|2|1500\n"},
    /* The old name, for one version. */
    {"SELECT host, minute, requests, least_gap_ms FROM ledger",
	"h.test|1970-01-01T00:01:00Z|2|1500\n"},
    {"SELECT max(version), count(DISTINCT table_name) FROM"
     " freshet_schema",
	"1|23\n"},
    {"SELECT site, watched, every_least_s, every_most_s FROM watch",
	"h.test|1|60|-\n"},
    {"SELECT site, kind, value FROM watch_item", "h.test|tag|mine\n"},
    {"SELECT tag, requests_per_hour FROM tag_budget", "mine|2.5\n"},
    {"SELECT site, text, at_s = unixepoch(at) FROM note", "h.test|a sale|1\n"},
    {"SELECT url, lastmod, fetched_s IS NULL, hash, leases, leased_until"
     " IS NULL FROM page",
	"http://h.test/a|2024-01-01|0|00000000000000ab|1|1\n"
	"http://h.test/b|-|1|-|1|0\n"},
    {"SELECT url, number, until_s > 0 FROM lease", "http://h.test/b|1|1\n"},
    {"SELECT url, kind, status, hash, lease FROM outcome",
	"http://h.test/a|changed|200|00000000000000ab|1\n"},
    {"SELECT host, until IS NULL FROM hold", "i.test|0\n"},
};

static void
test_tables(void **state)
{
	struct world *world = *state;

	fill(world->store);
	assert_answers(world->path, tables_answers, COUNT(tables_answers));
}

static const struct answer baseline_answers[] = {
    {"SELECT reading, kind, loc, before, after FROM change",
	"3|redated|http://h.test/a|2024-01-02|2024-01-03\n"
	"3|removed|http://h.test/b|-|-\n"
	"3|added|http://h.test/d|-|-\n"
	"4|gone|http://h.test/b|-|-\n"
	"5|added|http://h.test/e|-|2024-01-10\n"
	"5|added|http://h.test/f|-|-\n"},
    {"SELECT id, added FROM reading", "1|0\n2|0\n3|1\n4|0\n5|2\n"},
};

/* The first readings of a site have no changes, those of documents that came
 * later have. */
static void
test_first_readings(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	static const struct answer none[] = {
	    {"SELECT count(*) FROM change", "0\n"},
	};

	int64_t id = document_make(s, "h.test", MAP);
	(void)read_at(s, id, AT, COMPLETE, "a:1 b c:6");
	(void)read_at(s, id, AT + 1, UNCHANGED, "");
	assert_true(store_first_read(s, store_site(s, slice_of("h.test"))));
	assert_answers(world->path, none, COUNT(none));
	(void)read_at(s, id, AT + 2, COMPLETE, "a:2 c:6 d");
	(void)read_at(s, id, AT + 3, COMPLETE, "a:2 c:6 d");
	id = document_make(s, "h.test", HOST_TEXT "later.xml");
	(void)read_at(s, id, AT + 4, COMPLETE, "e:9 f");
	assert_answers(world->path, baseline_answers, COUNT(baseline_answers));
}

static const struct {
	const char *query;
	const char *why; /* part of it */
} wrong_queries_cases[] = {
    {"", "empty"},
    {" ; -- nothing", "empty"},
    {"SELEC 1", "syntax error"},
    {"SELECT * FROM missing", "no such table: missing"},
    {"SELECT missing FROM url", "no such column: missing"},
    {"SELECT 1; SELECT 2", "one statement"},
    {"SELECT 1; DROP TABLE url", "one statement"},
    {"SELECT ?", "parameters"},
    {"DELETE FROM main.document", "only read"},
    {"UPDATE main.document SET url = 'x'", "only read"},
    {"INSERT INTO main.site (host) VALUES ('x')", "only read"},
    {"DROP VIEW site", "only read"},
    {"CREATE TABLE t (a)", "only read"},
    {"CREATE TEMP TABLE t (a)", "only read"},
    {"ATTACH 'x.db' AS x", "only read"},
    {"VACUUM", "only read"},
    {"VACUUM INTO 'x.db'", "only read"},
    {"COMMIT", "only read"},
    {"PRAGMA query_only = OFF", "only read"},
    {"PRAGMA wal_checkpoint", "only read"},
    {"PRAGMA journal_mode = DELETE", "only read"},
    {"PRAGMA user_version = 9", "only read"},
    {"SELECT load_extension('x')", "load_extension"},
    {"REINDEX", "only read"},
    {"ANALYZE", "only read"},
    {"SELECT json('{')", "malformed JSON"},
};

static void
test_wrong_queries(void **state)
{
	struct world *world = *state;
	struct buf *out = &world->out;

	fill(world->store);
	for (size_t i = 0; i < COUNT(wrong_queries_cases); i++) {
		const char *answer = ask(
		    world->path, wrong_queries_cases[i].query, out);

		if (strncmp(answer, "wrong: ", 7) != 0 ||
		    strstr(answer, wrong_queries_cases[i].why) == NULL ||
		    strchr(answer, '\n')[1] != '\0')
			fail_msg(
			    "%s\n%s", wrong_queries_cases[i].query, answer);
	}
	assert_string_equal(
	    ask(world->path, "SELECT count(*) FROM main.site;-- x", out),
	    "2\n");
	assert_string_equal(
	    ask(world->path, "PRAGMA application_id", out), "1718776680\n");
}

/* A query sees one state of the store, whatever is committed meanwhile. */
static void
test_snapshot(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct sql *sql;
	struct buf why;
	unsigned count = 0;

	char *many = numbered(0, MANY);
	char *others = numbered(MANY, MANY + 10);
	int64_t id = document_make(s, "h.test", MAP);
	(void)read_at(s, id, AT, COMPLETE, many);
	struct store *reader = open_at(world->path, true);
	buf_init(&why, SIZE_MAX);
	assert_int_equal(
	    sql_begin(
		reader, slice_of("SELECT loc, state FROM url"), &sql, &why),
	    SQL_IS_DONE);
	assert_int_equal(sql_step(sql, &why), SQL_IS_ROW);
	(void)read_at(s, id, AT + 1, COMPLETE, others);
	for (count = 1; sql_step(sql, &why) == SQL_IS_ROW; count++)
		assert_true(slice_is(sql_value(sql, 1).text, "listed"));
	assert_int_equal(count, MANY);
	sql_end(sql);
	store_close(reader);
	buf_release(&why);
	free(many);
	free(others);
}

static const struct {
	const char *damage;
	const char *query;
} damage_cases[] = {
    {"UPDATE segment SET data = substr(data, 1, 20)",
	"SELECT count(*) FROM url"},
    {"UPDATE segment SET data = zeroblob(9)",
	"SELECT * FROM url WHERE loc = 'http://h.test/a'"},
    {"UPDATE segment SET data = x''", "SELECT * FROM url"},
    {"DELETE FROM segment", "SELECT count(*) FROM url"},
    {"DELETE FROM segment",
	"SELECT count(*) FROM url WHERE loc > 'http://h.test/a'"},
    {"UPDATE document SET blocks = 1 << 40", "SELECT count(*) FROM url"},
    {"UPDATE document SET blocks = -1 WHERE kind <> 'index';"
     "UPDATE document SET blocks = 9 WHERE kind = 'urlset'",
	"SELECT count(*) FROM url"},
    {"UPDATE delta SET data = x'ff'", "SELECT count(*) FROM change"},
    {"DELETE FROM delta", "SELECT count(*) FROM change WHERE reading = 4"},
    /* a segment in the place of a delta */
    {"UPDATE delta SET data = (SELECT data FROM segment LIMIT 1)",
	"SELECT count(*) FROM change"},
};

static void
test_damage(void **state)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	for (size_t i = 0; i < COUNT(damage_cases); i++) {
		struct world world;

		world_open(&world);
		fill(world.store);
		store_close(world.store);
		world.store = NULL;
		sql_run(world.path, damage_cases[i].damage);
		const char *answer = ask(
		    world.path, damage_cases[i].query, &out);
		if (strstr(answer, "store-damaged: the entries of 'http") ==
		    NULL)
			fail_msg("%s\n%s", damage_cases[i].damage, answer);
		world_close(&world);
	}
	buf_release(&out);
}

/* A migrated store knows less of its blocks, but finds the same. */
static void
test_unknown_block_indexes(void **state)
{
	struct world *world = *state;
	static const struct answer answers[] = {
	    {"SELECT loc FROM url WHERE loc = 'http://h.test/b'",
		"http://h.test/b\n"},
	    {"SELECT loc FROM url WHERE loc LIKE 'http://h.test/A%'"
	     " ORDER BY 1",
		"http://h.test/A\nhttp://h.test/a\n"},
	    {"SELECT loc FROM url WHERE loc > 'http://h.test/c' AND"
	     " loc <= 'http://h.test/x' ORDER BY 1",
		"http://h.test/d\nhttp://h.test/x\n"},
	};

	fill(world->store);
	world_shut(world);
	sql_run(world->path,
	    "UPDATE block_index SET last_url = NULL, bloom = NULL");
	assert_answers(world->path, answers, COUNT(answers));
}

/* A block with any changed byte gives an answer or damage, never a crash. */
static void
test_turned_bytes(void **state)
{
	struct world *world = *state;
	struct buf *out = &world->out;
	char sql[256];

	fill(world->store);
	world_shut(world);
	for (int at = 1; at < 120; at += 3) {
		(void)snprintf(sql, sizeof(sql),
		    "UPDATE segment SET data = CAST(substr(data, 1, %d) ||"
		    " x'%02x' || substr(data, %d) AS BLOB)",
		    at - 1, (unsigned)(at * 37 % 256), at + 1);
		sql_run(world->path, sql);
		const char *answer = ask(
		    world->path, "SELECT count(*), max(loc) FROM url", out);
		assert_true(strlen(answer) > 2);
		(void)ask(world->path,
		    "SELECT * FROM url WHERE loc LIKE 'http://h.test/a%'", out);
	}
}

/* Every public column can be asked for, by its name. */
static void
test_every_column(void **state)
{
	struct world *world = *state;
	struct buf *out = &world->out;
	struct buf query;

	fill(world->store);
	buf_init(&query, SIZE_MAX);
	for (const struct public_table *table = public_tables;
	     table->name != NULL; table++) {
		const char *rows;

		/* "name" alone would be text if no column had it. */
		buf_clear(&query);
		for (size_t k = 0; k < table->count; k++) {
			(void)buf_print(&query, "%s t.\"%s\"",
			    k == 0 ? "SELECT" : ",", table->columns[k].name);
			assert_null(strchr(table->columns[k].about, '\''));
		}
		(void)buf_print(&query, " FROM \"%s\" t", table->name);
		rows = ask(world->path, buf_str(&query), out);
		if (rows[0] == '\0' || strstr(rows, "wrong") != NULL)
			fail_msg("%s: %s", buf_str(&query), rows);
	}
	buf_release(&query);
}

/* What queries over the public tables push down. */

static const char *const constraints_list[] = {
    "loc = 'http://h.test/b'",
    "loc = 'http://h.test/B'",
    "loc = 'http://h.test/b' COLLATE NOCASE",
    "loc > 'http://h.test/b'",
    "loc >= 'http://h.test/b' AND loc < 'http://h.test/d'",
    "loc <= 'http://h.test/b'",
    "loc LIKE 'http://h.test/a%'",
    "loc LIKE 'HTTP://H.test/A%'",
    "loc LIKE '%d'",
    "loc LIKE 'http://h.test/_'",
    "loc NOT LIKE 'http://h.test/a%'",
    "loc GLOB 'http://h.test/a*'",
    "loc GLOB 'http://h.test/[ab]'",
    "loc GLOB '*c'",
    "loc LIKE 'http://h.test/a%' AND loc > 'http://h.test/B'",
    "loc IN ('http://h.test/a', 'http://h.test/y', 'z')",
    "loc = 'http://h.test/a' OR loc = 'http://h.test/y'",
    "loc = 'http://h.test/a' OR loc LIKE 'http://h.test/A%'",
    "loc = NULL",
    "loc > NULL",
    "loc = 5",
    "loc > 5",
    "loc < 5",
    "loc > x'00'",
    "loc < x'00'",
    "loc = x'00'",
    "loc IS NULL",
    "site = 'h.test'",
    "site = 'nobody'",
    "site = 'H.TEST' COLLATE NOCASE",
    "document = 'http://h.test/a.xml'",
    "document = 'http://h.test/index.xml'",
    "document = 'http://h.test/a.xml' AND site = 'i.test'",
    "document_id = 2",
    "document_id = '2'",
    "document_id = 2.5",
    "document_id = 'x'",
    "document_id = 1",
    "document_id IN (2, 3)",
    "document_id = 2 AND loc = 'http://h.test/a'",
    "document_id = 3 AND loc = 'http://h.test/a'",
    "state = 'removed' AND site = 'h.test'",
    "lastmod >= '2024-01-05'",
    "loc IN (SELECT loc FROM change WHERE kind = 'added')",
};

/* What is pushed down finds what SQLite finds by itself, in what is asked. */
static void
test_constraints(void **state)
{
	struct world *world = *state;
	struct buf query;
	struct buf plain;
	struct buf pushed;

	fill(world->store);
	buf_init(&query, SIZE_MAX);
	buf_init(&plain, SIZE_MAX);
	buf_init(&pushed, SIZE_MAX);
	for (size_t i = 0; i < COUNT(constraints_list); i++) {
		buf_clear(&query);
		(void)buf_print(&query,
		    "SELECT loc, document_id FROM url WHERE %s ORDER BY 2, 1",
		    constraints_list[i]);
		(void)ask(world->path, buf_str(&query), &pushed);
		buf_clear(&query);
		(void)buf_print(&query,
		    "WITH u AS MATERIALIZED (SELECT * FROM url)"
		    " SELECT loc, document_id FROM u WHERE %s ORDER BY 2, 1",
		    constraints_list[i]);
		(void)ask(world->path, buf_str(&query), &plain);
		if (strcmp(buf_str(&plain), buf_str(&pushed)) != 0)
			fail_msg("%s\n%s---\n%s", constraints_list[i],
			    buf_str(&plain), buf_str(&pushed));
	}
	buf_release(&query);
	buf_release(&plain);
	buf_release(&pushed);
}

static void
test_change_constraints(void **state)
{
	struct world *world = *state;
	static const struct answer answers[] = {
	    {"SELECT count(*) FROM change", "4\n"},
	    {"SELECT count(*) FROM change WHERE reading = 4", "4\n"},
	    {"SELECT count(*) FROM change WHERE reading IN (3, 4)", "4\n"},
	    {"SELECT count(*) FROM change WHERE reading = 99", "0\n"},
	    {"SELECT count(*) FROM change WHERE document_id = 2", "4\n"},
	    {"SELECT count(*) FROM change WHERE site = 'h.test'", "4\n"},
	    {"SELECT count(*) FROM change WHERE document ="
	     " 'http://h.test/a.xml'",
		"4\n"},
	    {"SELECT count(*) FROM change WHERE at_s > 1712707500", "4\n"},
	    {"SELECT count(*) FROM change WHERE at_s <= 1712707500", "0\n"},
	    {"SELECT count(*) FROM change WHERE at > '2024-04-10T00:05:00Z'",
		"4\n"},
	    {"SELECT count(*) FROM change WHERE at >= '2024-04-10'", "4\n"},
	    {"SELECT count(*) FROM change WHERE at < '2024'", "0\n"},
	    {"SELECT count(*) FROM change WHERE at < 5", "4\n"},
	    {"SELECT count(*) FROM change WHERE at > 5", "0\n"},
	    {"SELECT count(*) FROM change WHERE at < x'00'", "4\n"},
	    {"SELECT count(*) FROM change WHERE loc = 'http://h.test/a'",
		"1\n"},
	    {"SELECT count(*) FROM change WHERE loc >= 'http://h.test/c'",
		"2\n"},
	    {"SELECT count(*) FROM change WHERE loc LIKE 'http://h.test/a%'",
		"2\n"},
	    {"SELECT count(*) FROM change WHERE loc GLOB 'http://h.test/a*'",
		"1\n"},
	    {"SELECT count(*) FROM change WHERE reading = 3 OR loc ="
	     " 'http://h.test/d'",
		"1\n"},
	};

	fill(world->store);
	assert_answers(world->path, answers, COUNT(answers));
}

static const struct {
	const char *query;
	const char *taken; /* in the plan */
	bool sorts;
} plans_cases[] = {
    {"SELECT * FROM url WHERE loc = 'a'", ":loc=", false},
    {"SELECT * FROM url WHERE 'a' = loc AND document_id = 3",
	":document_id= loc=", false},
    {"SELECT * FROM url WHERE loc LIKE 'a%'", ":loc LIKE", false},
    {"SELECT * FROM url WHERE loc GLOB 'a*'", "loc GLOB", false},
    {"SELECT * FROM url WHERE loc >= 'a' AND loc < 'b'", ":loc> loc<", false},
    {"SELECT * FROM url WHERE site = 'a' AND loc > 'b'", ":site= loc>", false},
    {"SELECT * FROM url WHERE document = 'a'", ":document=", false},
    {"SELECT * FROM url WHERE loc = 'a' COLLATE NOCASE", "INDEX 0:", false},
    {"SELECT * FROM url WHERE document_id = 3 ORDER BY loc",
	":document_id=", false},
    {"SELECT * FROM url WHERE document_id = 3 ORDER BY loc DESC",
	":document_id=", true},
    {"SELECT * FROM url WHERE document = 'a' AND site = 'b'"
     " ORDER BY loc",
	":document= site=", false},
    {"SELECT * FROM url WHERE site = 'b' ORDER BY document, loc",
	":site=", false},
    {"SELECT * FROM url WHERE site = 'b' ORDER BY loc", ":site=", true},
    {"SELECT * FROM url ORDER BY document_id, loc", "INDEX 0:", false},
    {"SELECT * FROM url ORDER BY loc", "INDEX 0:", true},
    /* the small table first, then its entries */
    {"SELECT * FROM document d JOIN url u ON u.document_id = d.id"
     " WHERE d.id = 3",
	":document_id=", false},
    {"SELECT * FROM change WHERE reading = 3 ORDER BY loc", ":reading=", false},
    {"SELECT * FROM change WHERE site = 'a' AND at_s > 3"
     " ORDER BY reading, loc",
	":site= at_s>", false},
    {"SELECT * FROM change WHERE at >= '2024' AND kind = 'added'", ":at>",
	false},
    {"SELECT * FROM change WHERE document_id = 3 AND at_s = 3",
	":document_id=", false},
};

/* What SQLite is told in EXPLAIN QUERY PLAN: constraints that are taken over,
 * and whether it must sort. */
static void
test_plans(void **state)
{
	struct world *world = *state;
	struct buf query;
	struct buf plan;

	fill(world->store);
	buf_init(&query, SIZE_MAX);
	buf_init(&plan, SIZE_MAX);
	for (size_t i = 0; i < COUNT(plans_cases); i++) {
		buf_clear(&query);
		(void)buf_print(
		    &query, "EXPLAIN QUERY PLAN %s", plans_cases[i].query);
		const char *text = ask(world->path, buf_str(&query), &plan);
		bool sorts = strstr(text, "USE TEMP B-TREE") != NULL;
		if (strstr(text, plans_cases[i].taken) == NULL ||
		    sorts != plans_cases[i].sorts)
			fail_msg("%s\n%s", plans_cases[i].query, text);
	}
	buf_release(&query);
	buf_release(&plan);
}

static const struct answer blocks_read_answers[] = {
    {"SELECT count(*), freshet_blocks_read() FROM url", "27000|9\n"},
    {"SELECT count(*), freshet_blocks_read() FROM url WHERE"
     " document_id = 2",
	"9000|3\n"},
    {"SELECT count(*), freshet_blocks_read() FROM url WHERE"
     " loc = 'http://h.test/p05000'",
	"1|1\n"},
    {"SELECT count(*), freshet_blocks_read() FROM url WHERE"
     " document_id = 2 AND loc = 'http://h.test/p13096'",
	"1|1\n"},
    {"SELECT count(*), freshet_blocks_read() FROM url WHERE"
     " document_id = 2 AND loc = 'http://h.test/p00001'",
	"0|0\n"},
    {"SELECT count(*), freshet_blocks_read() FROM url WHERE"
     " loc = 'http://h.test/a'",
	"0|0\n"},
    {"SELECT count(*), freshet_blocks_read() FROM url WHERE"
     " loc LIKE 'http://h.test/P13%'",
	"1000|5\n"},
    {"SELECT count(*), freshet_blocks_read() FROM url WHERE"
     " loc LIKE 'http://h.tes_/p13%'",
	"1000|9\n"},
    {"SELECT count(*), freshet_blocks_read() FROM url WHERE"
     " loc LIKE 'http://i.test/%'",
	"0|0\n"},
    {"SELECT count(*), freshet_blocks_read() FROM url WHERE"
     " loc GLOB 'http://h.test/p1234*'",
	"10|1\n"},
    {"SELECT count(*), freshet_blocks_read() FROM url WHERE"
     " loc >= 'http://h.test/p10000' AND loc < 'http://h.test/p11000'",
	"1000|1\n"},
    {"SELECT count(*), freshet_blocks_read() FROM (SELECT loc FROM url"
     " WHERE document_id = 2 ORDER BY loc LIMIT 5)",
	"5|1\n"},
};

/* Only the blocks that are needed are decoded. */
static void
test_blocks_read(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;

	for (unsigned i = 0; i < 3; i++) {
		char url[64];
		char *listed = numbered(i * MANY, (i + 1) * MANY);

		(void)snprintf(url, sizeof(url), HOST_TEXT "%u.xml", i);
		int64_t id = document_make(s, "h.test", url);
		(void)read_at(s, id, AT, COMPLETE, listed);
		free(listed);
	}
	assert_answers(
	    world->path, blocks_read_answers, COUNT(blocks_read_answers));
}

UNIT_TESTS(sql, world_test(test_tables), world_test(test_first_readings),
    world_test(test_wrong_queries), world_test(test_snapshot),
    cmocka_unit_test(test_damage), world_test(test_unknown_block_indexes),
    world_test(test_turned_bytes), world_test(test_every_column),
    world_test(test_constraints), world_test(test_change_constraints),
    world_test(test_plans), world_test(test_blocks_read));
