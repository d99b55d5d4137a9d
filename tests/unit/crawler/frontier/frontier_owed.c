/* The frontier: what a reading leaves open is looked at again within the hour,
 * once a day (SPEC R-120). */
#include "tests/fixtures/fixture.h"

#include <string.h>

#include "crawler/frontier/frontier_tables.h"
#include "tests/fixtures/frontier_sites_fixture.h"

#define HOUR_S 3600
#define STEP_S (HOUR_S / 12)

static void
begin(struct office *office, int64_t every_s)
{
	office_open(office);
	office->options.reads_documents = true;
	office_watch(office, 1, OFFICE_HOST, every_s);
	office_read(office, office->map, "a b c");
	office->now_s += HOUR_S;
	office_read(office, office->map, "a b c");
	office_begin(office);
}

/* next_s(office, most_s, why): how long it takes until the map is to be read,
 * and that; the robots.txt is read meanwhile; -1: not in that time. */
static int64_t
next_s(struct office *office, int64_t most_s, const char *why)
{
	int64_t begin_s = office->now_s;
	struct frontier_document document;

	for (; office->now_s - begin_s <= most_s; office->now_s += STEP_S)
		while (frontier_next_document(
		    office->frontier, office->now_s, &document)) {
			if (document.id == office->map) {
				assert_string_equal(document.why, why);
				return office->now_s - begin_s;
			}
			(void)submit(office->world.store,
			    reading_make(office->world.store, document.id,
				office->now_s, UNCHANGED, ""));
			(void)frontier_sync(office->frontier, office->now_s);
		}
	return -1;
}

/* read_as(office, how, status, kind, listed): the reading that it was asked
 * for. */
static void
read_as(struct office *office, enum how how, int status,
    enum document_kind kind, const char *listed)
{
	struct reading *reading = reading_make(
	    office->world.store, office->map, office->now_s, how, listed);

	if (status != 0)
		reading->http.status = status;
	if (kind != KIND_UNKNOWN)
		reading->content.kind = kind;
	(void)submit(office->world.store, reading);
	if (office->frontier != NULL)
		(void)frontier_sync(office->frontier, office->now_s);
}

static int64_t
owed_s(struct office *office)
{
	uint32_t number = document_by_id(
	    office->frontier->documents, office->map);

	return document_at(office->frontier->documents, number)->owed_s;
}

static void
test_page_leaves(void **state)
{
	struct office office;

	(void)state;
	begin(&office, DAY_S);
	office_read(&office, office.map, "a b");
	assert_in_range(next_s(&office, DAY_S, "owed"), 900, HOUR_S);
	office_read(&office, office.map, "a b");
	assert_int_equal(next_s(&office, DAY_S - HOUR_S, ""), -1);
	office_close(&office);
}

/* What was answered may be open again, but not on the same day. */
static void
test_once_a_day(void **state)
{
	struct office office;

	(void)state;
	begin(&office, 4 * (int64_t)DAY_S);
	office_read(&office, office.map, "a b");
	assert_in_range(next_s(&office, HOUR_S, "owed"), 900, HOUR_S);
	office_read(&office, office.map, "a");
	assert_in_range(
	    next_s(&office, 2 * (int64_t)DAY_S, "owed"), DAY_S, DAY_S + HOUR_S);
	office_read(&office, office.map, "b");
	assert_in_range(
	    next_s(&office, 2 * (int64_t)DAY_S, "owed"), DAY_S, DAY_S + HOUR_S);
	office_read(&office, office.map, "b");
	assert_int_equal(next_s(&office, 3 * (int64_t)DAY_S, ""), -1);
	office_close(&office);
}

/* Nobody decided how often it is read: what it is worth says nothing. */
static void
test_by_value(void **state)
{
	struct office office;

	(void)state;
	begin(&office, 0);
	office_read(&office, office.map, "a b");
	assert_in_range(next_s(&office, DAY_S, "owed"), 900, HOUR_S);
	office_close(&office);
}

static void
test_held(void **state)
{
	struct office office;
	struct reading *reading;

	(void)state;
	begin(&office, DAY_S);
	reading = reading_make(
	    office.world.store, office.map, office.now_s, COMPLETE, "a b");
	reading->content.is_held = true;
	(void)submit(office.world.store, reading);
	(void)frontier_sync(office.frontier, office.now_s);
	assert_in_range(next_s(&office, DAY_S, "owed"), 900, HOUR_S);
	/* what it could not see stays open, and waits for a day */
	read_as(&office, PARTIAL, 0, KIND_UNKNOWN, "a");
	assert_in_range(
	    next_s(&office, 2 * (int64_t)DAY_S, "owed"), DAY_S, DAY_S + HOUR_S);
	read_as(&office, COMPLETE, 0, KIND_UNKNOWN, "a b c");
	assert_int_equal(next_s(&office, DAY_S - HOUR_S, ""), -1);
	office_close(&office);
}

/* The second answer in a row is the last that is asked for at once. */
static void
test_absent(void **state)
{
	struct office office;

	(void)state;
	begin(&office, 0);
	read_as(&office, FAILED, 410, KIND_UNKNOWN, "");
	assert_in_range(next_s(&office, DAY_S, "owed"), 900, HOUR_S);
	read_as(&office, FAILED, 410, KIND_UNKNOWN, "");
	assert_int_equal(next_s(&office, HOUR_S, ""), -1);
	office_close(&office);
}

/* A server in trouble is asked no oftener for that. */
static void
test_failing(void **state)
{
	struct office office;

	(void)state;
	begin(&office, DAY_S);
	office_read(&office, office.map, "a b");
	for (int i = 0; i < 6; i++)
		read_as(&office, FAILED, 503, KIND_UNKNOWN, "");
	assert_in_range(next_s(&office, DAY_S, "owed"), 7 * HOUR_S, DAY_S);
	office_close(&office);
}

static void
test_feed(void **state)
{
	struct office office;

	(void)state;
	begin(&office, DAY_S);
	read_as(&office, COMPLETE, 0, KIND_RSS, "a b c");
	read_as(&office, COMPLETE, 0, KIND_RSS, "b c d");
	assert_int_equal(next_s(&office, DAY_S - HOUR_S, ""), -1);
	read_as(&office, FAILED, 404, KIND_UNKNOWN, "");
	assert_int_equal(owed_s(&office), 0);
	office_close(&office);
}

static void
test_news(void **state)
{
	struct office office;

	(void)state;
	begin(&office, DAY_S);
	office_read(&office, office.map, "^n ^o ^p a b c");
	office_read(&office, office.map, "^q a b c");
	assert_int_equal(next_s(&office, DAY_S - HOUR_S, ""), -1);
	office_close(&office);
}

static void
test_restart(void **state)
{
	struct office office;

	(void)state;
	begin(&office, DAY_S);
	office_read(&office, office.map, "a b");
	office_restart(&office);
	assert_in_range(next_s(&office, DAY_S, "owed"), 900, HOUR_S);
	office_kill(&office);
	assert_in_range(next_s(&office, DAY_S, "owed"), 0, HOUR_S);
	office_read(&office, office.map, "a b");
	office_kill(&office);
	assert_int_equal(next_s(&office, DAY_S - HOUR_S, ""), -1);
	office_close(&office);
}

/* The clock was a year ahead, and was put right. */
static void
test_clock(void **state)
{
	struct office office;

	(void)state;
	begin(&office, DAY_S);
	office_read(&office, office.map, "a b");
	assert_int_equal(next_s(&office, HOUR_S / 12, ""), -1);
	office.now_s -= 300 * (int64_t)DAY_S;
	assert_in_range(next_s(&office, DAY_S, "owed"), 0, HOUR_S);
	office_close(&office);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_page_leaves),
	    cmocka_unit_test(test_once_a_day),
	    cmocka_unit_test(test_by_value),
	    cmocka_unit_test(test_held),
	    cmocka_unit_test(test_absent),
	    cmocka_unit_test(test_failing),
	    cmocka_unit_test(test_feed),
	    cmocka_unit_test(test_news),
	    cmocka_unit_test(test_restart),
	    cmocka_unit_test(test_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
