/* What queries over the public tables push down. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/fixtures/sql_fixture.h"

#define MANY 9000 /* entries: three blocks */

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
	struct world world;
	struct buf query;
	struct buf plain;
	struct buf pushed;

	(void)state;
	world_open(&world);
	fill(world.store);
	buf_init(&query, SIZE_MAX);
	buf_init(&plain, SIZE_MAX);
	buf_init(&pushed, SIZE_MAX);
	for (size_t i = 0; i < COUNT(constraints_list); i++) {
		buf_clear(&query);
		(void)buf_print(&query,
		    "SELECT loc, document_id FROM url WHERE %s ORDER BY 2, 1",
		    constraints_list[i]);
		(void)ask(world.path, buf_str(&query), &pushed);
		buf_clear(&query);
		(void)buf_print(&query,
		    "WITH u AS MATERIALIZED (SELECT * FROM url)"
		    " SELECT loc, document_id FROM u WHERE %s ORDER BY 2, 1",
		    constraints_list[i]);
		(void)ask(world.path, buf_str(&query), &plain);
		if (strcmp(buf_str(&plain), buf_str(&pushed)) != 0)
			fail_msg("%s\n%s---\n%s", constraints_list[i],
			    buf_str(&plain), buf_str(&pushed));
	}
	buf_release(&query);
	buf_release(&plain);
	buf_release(&pushed);
	world_close(&world);
}

static void
test_change_constraints(void **state)
{
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
	struct world world;

	(void)state;
	world_open(&world);
	fill(world.store);
	assert_answers(world.path, answers, COUNT(answers));
	world_close(&world);
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
	struct world world;
	struct buf query;
	struct buf plan;

	(void)state;
	world_open(&world);
	fill(world.store);
	buf_init(&query, SIZE_MAX);
	buf_init(&plan, SIZE_MAX);
	for (size_t i = 0; i < COUNT(plans_cases); i++) {
		buf_clear(&query);
		(void)buf_print(
		    &query, "EXPLAIN QUERY PLAN %s", plans_cases[i].query);
		const char *text = ask(world.path, buf_str(&query), &plan);
		bool sorts = strstr(text, "USE TEMP B-TREE") != NULL;
		if (strstr(text, plans_cases[i].taken) == NULL ||
		    sorts != plans_cases[i].sorts)
			fail_msg("%s\n%s", plans_cases[i].query, text);
	}
	buf_release(&query);
	buf_release(&plan);
	world_close(&world);
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
     " loc LIKE 'http://h.test/p1234%'",
	"10|1\n"},
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

/* Few blocks are decoded: of one document of three, and of others. */
static void
test_blocks_read(void **state)
{
	struct world world;

	(void)state;
	world_open(&world);
	struct store *s = world.store;
	for (unsigned i = 0; i < 3; i++) {
		char url[64];
		char *listed = numbered(i * MANY, (i + 1) * MANY);

		(void)snprintf(url, sizeof(url), HOST_TEXT "%u.xml", i);
		int64_t id = document_make(s, "h.test", url);
		(void)submit(s, reading_make(s, id, AT, COMPLETE, listed));
		free(listed);
	}
	assert_answers(
	    world.path, blocks_read_answers, COUNT(blocks_read_answers));
	world_close(&world);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_constraints),
	    cmocka_unit_test(test_change_constraints),
	    cmocka_unit_test(test_plans),
	    cmocka_unit_test(test_blocks_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
