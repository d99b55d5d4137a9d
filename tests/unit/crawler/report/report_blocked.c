/* Listed URLs that robots.txt forbids, and how many are held to it. */
#include <string.h>

#include "crawler/report/report_build.h"
#include "store/proof.h"
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/store_fixture.h"

#define NOW_S 1700000000
#define RULES "User-agent: *\nDisallow: /x\nDisallow: /y\n"
#define RULES_STEPS 1 /* to read them */
#define URL_STEPS 2 /* of a short URL: as many as rules */

/* A store, and a report of it that is under way. */
struct table {
	struct world world;
	struct profile profile;
	struct report_builder *builder;
};

static void
put_robots(struct table *table)
{
	store_robots(table->world.store,
	    &(struct robots_fact){.origin = slice_of("http://h.test"),
		.fetched_s = NOW_S,
		.expires_s = NOW_S + DAY_S,
		.status = 200,
		.body = slice_of(RULES),
		.has_body = true});
	assert_true(store_flush(table->world.store) == DIAG_OK);
}

static void
open_table(struct table *table, uint64_t most)
{
	world_open(&table->world);
	static const char *const agents[] = {"freshet"};

	table->profile = profile_default(PROFILE_GOOGLE);
	table->builder = report_builder_new(7, NULL, NULL);
	report_builder_judge(
	    table->builder, table->world.store, agents, 1, most);
}

static void
close_table(struct table *table)
{
	report_builder_free(table->builder);
	world_close(&table->world);
}

/* listing(table, url, listed): a document that lists so much is read. */
static void
listing(struct table *table, const char *url, const char *listed)
{
	struct store *store = table->world.store;
	int64_t id = document_make(store, "h.test", url);
	struct reading *reading = reading_make(
	    store, id, NOW_S, COMPLETE, listed);

	report_builder_document(table->builder, slice_of(url),
	    slice_make(NULL, 0), reading, &table->profile);
	(void)submit(store, reading);
}

/* finish(table): how often a URL was found to be forbidden. */
static uint64_t
finish(struct table *table, const struct report **report)
{
	static const char *const targets[] = {"h.test"};
	struct report_facts facts = {.targets = targets, .target_count = 1};

	*report = report_builder_finish(
	    table->builder, table->world.store, &facts);
	for (size_t i = 0; i < (*report)->group_count; i++)
		if ((*report)->groups[i].code == DIAG_URL_BLOCKED_BY_ROBOTS)
			return (*report)->groups[i].count;
	return 0;
}

/* If the comparisons are too many, the first URLs are compared, and the report
 * counts the others. */
static void
test_time(void **state)
{
	static const struct {
		uint64_t most, found, compared;
	} cases[] = {
	    {REPORT_BLOCKED_STEPS, 3, 6}, {RULES_STEPS + 3 * URL_STEPS, 1, 3}};
	const struct report *report;
	struct table table;

	for (size_t i = 0; i < COUNT(cases); i++) {
		open_table(&table, cases[i].most);
		put_robots(&table);
		listing(&table, HOST_TEXT "a.xml", "a b x y");
		listing(&table, HOST_TEXT "b.xml", "c xx");
		assert_int_equal(finish(&table, &report), cases[i].found);
		assert_int_equal(report->compared, cases[i].compared);
		assert_int_equal(report->uncompared, 6 - cases[i].compared);
		close_table(&table);
	}
}

/* What is judged anew when its robots.txt has come is counted once, and no more
 * of it is compared than there is time for. */
static void
test_late(void **state)
{
	static const struct {
		uint64_t most, compared;
	} cases[] = {
	    {REPORT_BLOCKED_STEPS, 5}, {RULES_STEPS + 4 * URL_STEPS, 4}};
	const struct report *report;
	struct table table;

	for (size_t i = 0; i < COUNT(cases); i++) {
		open_table(&table, cases[i].most);
		listing(&table, HOST_TEXT "a.xml", "a x y");
		put_robots(&table);
		listing(&table, HOST_TEXT "b.xml", "x y");
		(void)finish(&table, &report);
		assert_int_equal(report->compared, cases[i].compared);
		assert_int_equal(report->uncompared, 5 - cases[i].compared);
		close_table(&table);
	}
}

UNIT(report_blocked)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_time),
	    cmocka_unit_test(test_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
