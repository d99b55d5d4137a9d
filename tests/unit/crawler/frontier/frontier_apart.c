/* The frontier: what happens to one host, document or page is not another's. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "store/document.h"
#include "store/link.h"
#include "store/page.h"
#include "store/proof.h"
#include "tests/fixtures/frontier_fixture.h"

#define HOUR_S 3600
#define MANY "a b c d e f g h i j k l m n o p q r s t u v w x y z"
#define OTHER "o.test"

static void
begin(struct office *office, const char *listed)
{
	office_open(office);
	office_read(office, office->map, listed);
	office_begin(office);
}

static struct frontier_page
take(struct office *office)
{
	struct frontier_page page;

	assert_true(office_take(office, &page));
	return page;
}

static struct frontier_terms
terms_of(struct office *office, const char *url)
{
	struct frontier_terms terms;

	assert_true(frontier_page_terms(
	    office->frontier, slice_of(url), office->now_s, &terms));
	return terms;
}

/* Its robots.txt, which is out of reach, or as it was. */
static void
read_robots(struct office *office, bool is_failing)
{
	struct store *store = office->world.store;
	int64_t id = document_make(store, OFFICE_HOST, HOST_TEXT "robots.txt");
	struct reading *reading = reading_new(id, office->now_s);
	struct slice origin = slice_of(HOST_TEXT);

	origin.len--;
	store_robots(store,
	    &(struct robots_fact){.origin = origin,
		.fetched_s = office->now_s,
		.expires_s = office->now_s + DAY_S,
		.failing_since_s = is_failing ? office->now_s : 0,
		.status = is_failing ? 503 : 200,
		.body = slice_of("User-agent: *\nDisallow: /zz\n"),
		.has_body = true});
	reading->content.kind = KIND_ROBOTS;
	reading->content.is_complete = true;
	reading->outcome = is_failing ? OUTCOME_FAILED : OUTCOME_UNCHANGED;
	(void)submit(store, reading);
	(void)frontier_sync(office->frontier, office->now_s);
}

/* A sitemap of pages that are out becomes an index; its child lists them. */
static void
test_becomes_index(void **state)
{
	struct office office;
	struct buf out;
	struct frontier_page page;
	struct reading *reading;
	int64_t child;

	(void)state;
	buf_init(&out, SIZE_MAX);
	begin(&office, "a b");
	assert_string_equal(office_taken(&office, &out), "a b ");
	child = document_make(
	    office.world.store, OFFICE_HOST, HOST_TEXT "x.xml");
	reading = reading_make(
	    office.world.store, office.map, office.now_s, COMPLETE, "x.xml:5");
	reading->content.kind = KIND_INDEX;
	store_links_begin(office.world.store, office.map);
	store_link(office.world.store, office.map, child, &(struct date){0});
	(void)submit(office.world.store, reading);
	office_read(&office, child, "a b c");
	office_restart(&office);
	assert_string_equal(office_done(&office, "1.1", 200, "x"), "OK");
	assert_string_equal(office_done(&office, "2.1", 200, "x"), "OK");
	assert_string_equal(office_taken(&office, &out), "c ");
	assert_string_equal(office_done(&office, "3.1", 200, "x"), "OK");
	/* and are asked for again some day */
	for (int day = 0; day < 400 && !office_take(&office, &page); day++)
		office.now_s += DAY_S;
	assert_true(office.now_s < OFFICE_S + 400 * (int64_t)DAY_S);
	buf_release(&out);
	office_close(&office);
}

/* What it says of the dates of that page is heard. */
static void
hear_of(struct office *office, int64_t other)
{
	for (int i = 0; i < 2; i++) {
		office->now_s += DAY_S;
		office_read(office, other, i == 0 ? "a:101 d:8" : "a:102 d:8");
		if (i == 0)
			office_restart(office);
	}
	assert_true(terms_of(office, HOST_TEXT "a").is_listed);
	assert_int_equal(terms_of(office, HOST_TEXT "a").document_id, other);
	assert_int_equal(
	    terms_of(office, HOST_TEXT "a").lastmod_s, DAY_0 + 102 * DAY_S);
	assert_int_equal(terms_of(office, HOST_TEXT "a").terms.moves, 2);
}

/* A page goes from one sitemap to another, which is heard from then on: it was
 * there before, or comes later. */
static void
test_goes_over(void **state)
{
	static const char *const tokens[] = {"1.1", "2.1", "3.1"};

	(void)state;
	for (int is_later = 0; is_later < 2; is_later++) {
		struct office office;
		int64_t other;

		office_open(&office);
		other = document_make(
		    office.world.store, OFFICE_HOST, HOST_TEXT "map2.xml");
		office_read(&office, office.map, "a:5 b:6");
		office_read(&office, other, "d:8");
		office_begin(&office);
		assert_int_equal(office_count(&office), 3);
		for (int i = 0; i < 3; i++)
			assert_string_equal(
			    office_done(&office, tokens[i], 200, "x"), "OK");
		office.now_s += HOUR_S;
		if (is_later == 0)
			office_read(&office, other, "a:5 d:8");
		for (int i = 0; i < 2; i++) {
			office.now_s += HOUR_S;
			office_read(&office, office.map, "b:6");
		}
		assert_true(terms_of(&office, HOST_TEXT "a").is_listed ==
		    (is_later == 0));
		if (is_later != 0)
			office_read(&office, other, "a:5 d:8");
		hear_of(&office, other);
		office_close(&office);
	}
}

/* Then it is believed as the other sitemap is, not as its first one was. */
static void
test_goes_over_with_trust(void **state)
{
	struct frontier_result same = {.url = slice_of(HOST_TEXT "a"),
	    .status = 200,
	    .has_hash = true,
	    .content_hash = slice_of("x")};
	struct frontier_answer answer;
	struct office office;
	char listed[32];
	int64_t other;

	(void)state;
	office_open(&office);
	other = document_make(
	    office.world.store, OFFICE_HOST, HOST_TEXT "map2.xml");
	office_read(&office, office.map, "a:5 b:6");
	office_read(&office, other, "d:8");
	office_begin(&office);
	assert_int_equal(office_count(&office), 3);
	for (int day = 101; day < 120; day++) {
		office.now_s += DAY_S;
		(void)snprintf(listed, sizeof(listed), "a:%d b:6", day);
		office_read(&office, office.map, listed);
		assert_int_equal(frontier_done(office.frontier, &same,
				     office.now_s, &answer),
		    FRONTIER_OK);
	}
	assert_true(terms_of(&office, HOST_TEXT "a").terms.precision <
	    terms_of(&office, HOST_TEXT "d").terms.precision);
	office_read(&office, other, "a:119 d:8");
	for (int i = 0; i < 2; i++)
		office_read(&office, office.map, "b:6");
	assert_int_equal(terms_of(&office, HOST_TEXT "a").document_id, other);
	assert_close(terms_of(&office, HOST_TEXT "a").terms.precision,
	    terms_of(&office, HOST_TEXT "d").terms.precision, 1e-9);
	office_close(&office);
}

/* The sitemap that has it now may be one that nobody has told of yet: however
 * many there are by then, the page counts no more for the one before. */
static void
test_goes_over_to_new(void **state)
{
	(void)state;
	for (int others = 0; others < 16; others++) {
		struct office office;
		struct buf out;
		int64_t other = 0;
		char url[64];

		buf_init(&out, SIZE_MAX);
		office_open(&office);
		for (int i = 0; i < others; i++) {
			(void)snprintf(
			    url, sizeof(url), HOST_TEXT "other%d.xml", i);
			(void)document_make(
			    office.world.store, OFFICE_HOST, url);
		}
		office_read(&office, office.map, "a:5 b:6");
		office_begin(&office);
		assert_int_equal(office_count(&office), 2);
		office.now_s += HOUR_S;
		office_read(&office, office.map, "b:6");
		(void)submit(office.world.store,
		    reading_make(office.world.store, office.map, office.now_s,
			COMPLETE, "b:6"));
		other = document_make(
		    office.world.store, OFFICE_HOST, HOST_TEXT "new.xml");
		office_read(&office, other, "a:5");
		assert_int_equal(
		    terms_of(&office, HOST_TEXT "a").document_id, other);
		office.now_s += HOUR_S;
		office_read(&office, office.map, "b:6 c:7");
		assert_true(strstr(office_taken(&office, &out), "c ") != NULL);
		buf_release(&out);
		office_close(&office);
	}
}

static void
test_robots_back(void **state)
{
	struct office office;

	(void)state;
	begin(&office, "a b");
	read_robots(&office, true);
	assert_int_equal(office_count(&office), 0);
	office.now_s += HOUR_S;
	read_robots(&office, false);
	assert_int_equal(office_count(&office), 2);
	office_close(&office);
}

/* Another host's pages wait: those of the site that lists them do not. */
static void
test_other_host(void **state)
{
	struct office office;
	struct store *store;

	(void)state;
	office_open(&office);
	store = office.world.store;
	office_read(&office, office.map, MANY);
	store_robots(store,
	    &(struct robots_fact){.origin = slice_of("http://" OTHER),
		.fetched_s = OFFICE_S,
		.status = 404});
	for (int i = 0; i < 12; i++) {
		char url[64];

		(void)snprintf(url, sizeof(url), "http://" OTHER "/%d", i);
		(void)store_page_add(store, office.map, slice_of(url));
	}
	assert_int_equal(store_flush(store), DIAG_OK);
	office_begin(&office);
	assert_true(frontier_hold(office.frontier, slice_of(OTHER),
	    office.now_s + 5 * HOUR_S, office.now_s, "order"));
	(void)office_count(&office);
	office.now_s += 60;
	(void)office_count(&office);
	assert_int_equal(
	    frontier_release_all(office.frontier, office.now_s), 26);
	assert_int_equal(terms_of(&office, HOST_TEXT "a").held_until_s, 0);
	office_close(&office);
}

/* Many that saw one outage; and answers that are none. */
static void
test_outage(void **state)
{
	static const struct {
		int status;
		int64_t most_s; /* that the host is left alone */
	} cases[] = {
	    {503, 600}, {0, 600}, {302, 0}, {403, 60}, {451, 0}, {408, 600}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct office office;
		struct frontier_page pages[12];
		int64_t held_s;

		begin(&office, MANY);
		for (size_t j = 0; j < COUNT(pages); j++)
			pages[j] = take(&office);
		for (size_t j = 0; j < COUNT(pages); j++)
			assert_string_equal(office_done(&office, pages[j].token,
						cases[i].status, NULL),
			    "OK");
		held_s = terms_of(&office, HOST_TEXT "a").held_until_s;
		held_s = held_s > office.now_s ? held_s - office.now_s : 0;
		assert_true(held_s <= cases[i].most_s);
		assert_true((held_s > 0) == (cases[i].most_s > 0));
		office_close(&office);
	}
}

/* A fetcher whose clock is a day behind fetched it when it was leased. */
static void
test_clock_behind(void **state)
{
	struct office office;
	struct frontier_page page;
	struct frontier_answer answer;

	(void)state;
	begin(&office, "a");
	page = take(&office);
	assert_int_equal(
	    frontier_done(office.frontier,
		&(struct frontier_result){.token = slice_of(page.token),
		    .status = 200,
		    .at_s = office.now_s - DAY_S},
		office.now_s, &answer),
	    FRONTIER_OK);
	assert_int_equal(
	    terms_of(&office, HOST_TEXT "a").fetched_s, office.now_s);
	assert_int_equal(office_count(&office), 0);
	office_close(&office);
}

/* The same result twice, without a lease. */
static void
test_said_again(void **state)
{
	struct office office;
	struct frontier_page page;
	struct frontier_answer answer;
	struct frontier_result result = {.url = slice_of(HOST_TEXT "a"),
	    .status = 200,
	    .has_hash = true,
	    .content_hash = slice_of("y")};

	(void)state;
	begin(&office, "a");
	page = take(&office);
	assert_string_equal(office_done(&office, page.token, 200, "x"), "OK");
	office.now_s += HOUR_S;
	result.at_s = office.now_s - 60;
	assert_int_equal(
	    frontier_done(office.frontier, &result, office.now_s, &answer),
	    FRONTIER_OK);
	result.content_hash = slice_of("z");
	assert_int_equal(
	    frontier_done(office.frontier, &result, office.now_s, &answer),
	    FRONTIER_SKIPPED);
	assert_string_equal(answer.reason, "older-result");
	office_close(&office);
}

/* No more is out than can be fetched in half of the lease. */
static void
test_lease_is_short(void **state)
{
	struct office office;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, MANY);
	office.rules.has_delay = true;
	office.rules.delay_ms = 1000;
	office_begin(&office);
	office.consumer.lease_s = 20;
	assert_int_equal(office_count(&office), 10);
	office_close(&office);
}

/* What one command asked of a host counts in the next. */
static void
test_next_command(void **state)
{
	struct office office;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, MANY);
	office.rules.has_delay = true;
	office.rules.delay_ms = 10000;
	office.options.burst_ms = 50000;
	office_begin(&office);
	assert_int_equal(office_count(&office), 5);
	office_restart(&office);
	assert_true(office_count(&office) <= 1);
	office.now_s += 60;
	office_restart(&office);
	assert_true(office_count(&office) > 0);
	office_close(&office);
}

/* Not even one more, where the delay is that of robots.txt. */
static void
test_next_crawl_delay(void **state)
{
	struct office office;

	(void)state;
	office_open(&office);
	office_robots(&office, "User-agent: *\nCrawl-delay: 10\n");
	office_read(&office, office.map, MANY);
	office.options.burst_ms = 20000;
	office_begin(&office);
	assert_true(office_count(&office) > 0);
	office_restart(&office);
	(void)office_count(&office);
	office_restart(&office);
	assert_int_equal(office_count(&office), 0);
	office_restart(&office);
	assert_int_equal(office_count(&office), 0);
	office.now_s += 60;
	assert_true(office_count(&office) > 0);
	office_close(&office);
}

/* When all is held, it is said how long that is. */
static void
test_due_after_hold(void **state)
{
	struct office office;
	int64_t until_s;

	(void)state;
	begin(&office, "a b");
	until_s = office.now_s + 5 * HOUR_S;
	assert_true(frontier_hold(office.frontier, slice_of(OFFICE_HOST),
	    until_s, office.now_s, "order"));
	assert_int_equal(office_count(&office), 0);
	assert_true(frontier_due_s(office.frontier, office.now_s) >= until_s);
	office.now_s = until_s;
	assert_int_equal(office_count(&office), 2);
	office_close(&office);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_becomes_index),
	    cmocka_unit_test(test_goes_over),
	    cmocka_unit_test(test_goes_over_with_trust),
	    cmocka_unit_test(test_goes_over_to_new),
	    cmocka_unit_test(test_robots_back),
	    cmocka_unit_test(test_other_host),
	    cmocka_unit_test(test_outage),
	    cmocka_unit_test(test_clock_behind),
	    cmocka_unit_test(test_said_again),
	    cmocka_unit_test(test_lease_is_short),
	    cmocka_unit_test(test_next_command),
	    cmocka_unit_test(test_next_crawl_delay),
	    cmocka_unit_test(test_due_after_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
