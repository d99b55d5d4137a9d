/* The limits of a host, and its holds. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "store/page.h"
#include "store/proof.h"
#include "store/watch.h"
#include "tests/fixtures/frontier_fixture.h"

/* A host's pages are leased at once up to what its rate brings in burst_ms,
 * or one for each delay. */
static void
test_rate(void **state)
{
	struct office office;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, OFFICE_LETTERS);
	office.rules.has_delay = true;
	office.rules.delay_ms = 10000;
	office.options.burst_ms = 50000;
	office_begin(&office);
	assert_int_equal(office_count(&office), 5);
	office.now_s += 9;
	assert_int_equal(office_count(&office), 0);
	office.now_s += 1;
	assert_int_equal(office_count(&office), 1);
	office.now_s += 3600;
	office.consumer.is_spaced = true;
	office.consumer.per_host = 1000;
	for (int i = 0; i < 5; i++) {
		assert_int_equal(office_count(&office), 1);
		office.now_s += 9;
		assert_int_equal(office_count(&office), 0);
		office.now_s += 1;
	}
	office_close(&office);
}

/* A delay that was raised holds from now on: requests under the shorter
 * delay are not waited for. */
static void
test_slower(void **state)
{
	struct office office;
	struct frontier_page page;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, OFFICE_LETTERS);
	office.rules.has_delay = true;
	office.rules.delay_ms = 200;
	office.options.burst_ms = 5000;
	office.options.requests_per_hour = 720000;
	office_begin(&office);
	for (int i = 0; i < 20; i++)
		assert_true(office_take(&office, &page));
	office.rules.delay_ms = 3000;
	office.options.requests_per_hour = 3600;
	office.consumer.is_spaced = true;
	office.consumer.per_host = 1000;
	office_restart(&office);
	for (int i = 0; i < 6; i++) {
		office.now_s += 3;
		assert_int_equal(office_count(&office), 1);
	}
	office_close(&office);
}

static void
test_crawl_delay(void **state)
{
	struct office office;
	struct frontier_page page;

	(void)state;
	office_open(&office);
	office_robots(&office, "User-agent: *\nCrawl-delay: 7\n");
	office_read(&office, office.map, OFFICE_LETTERS);
	office.options.burst_ms = 14000;
	office_begin(&office);
	assert_true(office_take(&office, &page));
	assert_int_equal(page.delay_ms, 7000);
	assert_true(office_count(&office) <= 2);
	office.now_s += 7;
	assert_int_equal(office_count(&office), 1);
	office_robots(&office, NULL);
	office.now_s += 3600;
	assert_true(office_take(&office, &page));
	assert_int_equal(page.delay_ms, 1000);
	office_close(&office);
}

static void
test_budget(void **state)
{
	struct office office;
	struct watch watch;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, OFFICE_LETTERS);
	watch_init(&watch);
	watch.site_id = 1;
	watch.requests_per_hour = 6;
	store_watch_put(office.world.store, &watch);
	office.options.burst_ms = 1000;
	office_begin(&office);
	assert_int_equal(office_count(&office), 1);
	office.now_s += 599;
	assert_int_equal(office_count(&office), 0);
	office.now_s += 1;
	assert_int_equal(office_count(&office), 1);
	watch.requests_per_hour = 0;
	store_watch_put(office.world.store, &watch);
	frontier_watch_changed(office.frontier, 1, office.now_s);
	office.now_s += 1;
	assert_int_equal(office_count(&office), 1);
	watch_release(&watch);
	office_close(&office);
}

/* Pages are leased at the pace of the budget, of the site or of all, though
 * each comes from a new frontier; also at one request in two hours. */
static void
pace(bool is_total, double per_hour, int64_t every_s)
{
	struct office office;
	struct watch watch;

	office_open(&office);
	office_read(&office, office.map, OFFICE_LETTERS);
	watch_init(&watch);
	watch.site_id = 1;
	if (is_total)
		office.options.requests_per_hour = per_hour;
	else
		watch.requests_per_hour = per_hour;
	store_watch_put(office.world.store, &watch);
	office.options.burst_ms = 1000;
	office.now_s += 3 * every_s;
	office_begin(&office);
	for (int i = 0; i < 24; i++) {
		struct frontier_page page;

		assert_true(office_take(&office, &page));
		assert_string_equal(
		    office_done(&office, page.token, 200, "x"), "OK");
		office.now_s += every_s - 1;
		office_restart(&office);
		assert_int_equal(office_count(&office), 0);
		office.now_s += 1;
		office_restart(&office);
	}
	watch_release(&watch);
	office_close(&office);
}

static void
test_budget_of_many(void **state)
{
	(void)state;
	pace(false, 12, 300);
	pace(true, 12, 300);
	pace(false, 0.5, 7200);
	pace(true, 0.5, 7200);
}

static void
test_hold(void **state)
{
	struct office office;
	struct slice host = slice_of(OFFICE_HOST);

	(void)state;
	office_open(&office);
	office_read(&office, office.map, OFFICE_LETTERS);
	office_begin(&office);
	assert_false(frontier_hold(office.frontier, host,
	    office.now_s + 367 * (int64_t)DAY_S, office.now_s, "order"));
	assert_true(frontier_hold(office.frontier, host,
	    office.now_s + 3 * DAY_S, office.now_s, "order"));
	/* the longer hold stands */
	assert_true(frontier_hold(
	    office.frontier, host, office.now_s + 60, office.now_s, "order"));
	office.now_s += 3 * DAY_S - 1;
	assert_int_equal(office_count(&office), 0);
	office_restart(&office);
	assert_int_equal(office_count(&office), 0);
	office.now_s += 2;
	assert_true(office_count(&office) > 0);
	office_close(&office);
}

static void
test_hold_ends(void **state)
{
	struct office office;
	struct slice host = slice_of(OFFICE_HOST);

	(void)state;
	office_open(&office);
	office_read(&office, office.map, OFFICE_LETTERS);
	office_begin(&office);
	assert_true(frontier_hold(office.frontier, host,
	    office.now_s + 3 * DAY_S, office.now_s, "order"));
	assert_int_equal(office_count(&office), 0);
	assert_true(
	    frontier_hold(office.frontier, host, 0, office.now_s, "order"));
	assert_true(office_count(&office) > 0);
	office_restart(&office);
	office.now_s += 600;
	assert_true(office_count(&office) > 0);
	office_close(&office);
}

/* The calls of options.held: the first letter of each why, "." for the end
 * of a hold. */
struct told {
	struct buf text;
	int64_t until_s; /* of the last call */
};

static void
on_held(void *arg, const struct frontier_held *held)
{
	struct told *told = arg;

	assert_true(slice_is(held->host, OFFICE_HOST));
	if (held->is_pages)
		(void)buf_put_char(&told->text, 'P');
	(void)buf_put_char(
	    &told->text, held->until_s == 0 ? '.' : held->why[0]);
	told->until_s = held->until_s;
}

static void
open_told(struct office *office, struct told *told)
{
	*told = (struct told){.until_s = 0};
	buf_init(&told->text, 64);
	office_open(office);
	office->options.held = on_held;
	office->options.arg = told;
	office_read(office, office->map, OFFICE_LETTERS);
	office_begin(office);
}

/* A hold of the frontier before is reported by the next one, and so is its
 * end. */
static void
test_holds_are_told(void **state)
{
	struct slice host = slice_of(OFFICE_HOST);
	struct told told;
	struct office office;

	(void)state;
	open_told(&office, &told);
	assert_int_equal(frontier_hold_over_s(office.frontier), FRONTIER_NEVER);
	(void)frontier_hold(
	    office.frontier, host, office.now_s + 300, office.now_s, "order");
	/* a hold that is hardly longer is not reported again */
	(void)frontier_hold(
	    office.frontier, host, office.now_s + 310, office.now_s, "order");
	assert_string_equal(buf_str(&told.text), "o");
	assert_int_equal(
	    frontier_hold_over_s(office.frontier), office.now_s + 310);
	(void)frontier_hold(office.frontier, host, 0, office.now_s, "order");
	assert_string_equal(buf_str(&told.text), "o.");
	(void)frontier_hold(
	    office.frontier, host, office.now_s + 600, office.now_s, "order");
	office_restart(&office);
	assert_string_equal(buf_str(&told.text), "o.ob");
	assert_int_equal(told.until_s, office.now_s + 600);
	office.now_s += 599;
	(void)frontier_sync(office.frontier, office.now_s);
	assert_string_equal(buf_str(&told.text), "o.ob");
	office.now_s += 1;
	(void)frontier_sync(office.frontier, office.now_s);
	assert_string_equal(buf_str(&told.text), "o.ob.");
	office_close(&office);
	buf_release(&told.text);
}

/* A Retry-After holds the host, whether a page met it or a sitemap. */
static void
test_holds_asked_for(void **state)
{
	struct slice origin = slice_make(HOST_TEXT, sizeof(HOST_TEXT) - 2);
	struct frontier_result result = {.status = 503, .retry_after_s = 600};
	struct told told;
	struct office office;
	struct frontier_page page;
	struct frontier_answer answer;

	(void)state;
	open_told(&office, &told);
	assert_true(office_take(&office, &page));
	result.token = slice_of(page.token);
	assert_int_equal(
	    frontier_done(office.frontier, &result, office.now_s, &answer),
	    FRONTIER_OK);
	assert_string_equal(buf_str(&told.text), "r");
	assert_int_equal(told.until_s, office.now_s + 600);
	office.now_s += 600;
	assert_true(office_take(&office, &page));
	store_park(office.world.store, origin, office.now_s + 900);
	(void)submit(office.world.store,
	    reading_make(
		office.world.store, office.map, office.now_s, FAILED, ""));
	(void)frontier_sync(office.frontier, office.now_s);
	assert_string_equal(buf_str(&told.text), "r.r");
	office.now_s += 899;
	assert_false(office_take(&office, &page));
	office.now_s += 1;
	assert_true(office_take(&office, &page));
	office_close(&office);
	buf_release(&told.text);
}

/* 429 and 503 with Retry-After hold a host for a day at most, and over a
 * restart. */
static void
test_retry_after(void **state)
{
	struct office office;
	struct frontier_page page;
	struct frontier_answer answer;
	struct frontier_terms terms;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, OFFICE_LETTERS);
	office_begin(&office);
	assert_true(office_take(&office, &page));
	assert_int_equal(
	    frontier_done(office.frontier,
		&(struct frontier_result){.token = slice_of(page.token),
		    .status = 429,
		    .retry_after_s = 7200},
		office.now_s, &answer),
	    FRONTIER_OK);
	assert_true(answer.next_due_s >= office.now_s + 7200);
	office_commit(&office);
	office.now_s += 7199;
	assert_int_equal(office_count(&office), 0);
	office_restart(&office);
	assert_true(frontier_page_terms(
	    office.frontier, slice_of(HOST_TEXT "a"), office.now_s, &terms));
	assert_int_equal(terms.held_until_s, OFFICE_S + 7200);
	assert_int_equal(office_count(&office), 0);
	office.now_s += 1;
	assert_true(office_count(&office) > 0);
	office_close(&office);
}

/* A crawl met a Retry-After while the clock was a year ahead: the host is
 * held for that time from now on, neither for a year nor for a day with each
 * new frontier. */
static void
test_parked_ahead(void **state)
{
	struct office office;

	(void)state;
	office_open(&office);
	office.now_s += YEAR_S;
	office_read(&office, office.map, OFFICE_LETTERS);
	store_park(office.world.store, slice_of("http://" OFFICE_HOST),
	    office.now_s + 3600);
	assert_int_equal(store_flush(office.world.store), DIAG_OK);
	office.now_s -= YEAR_S;
	office_begin(&office);
	assert_int_equal(office_count(&office), 0);
	office.now_s += 3601;
	assert_true(office_count(&office) > 0);
	office_restart(&office);
	office.now_s += DAY_S;
	assert_true(office_count(&office) > 0);
	office_close(&office);
}

#define OTHER "o.test"

/* Pages at another host wait; the other pages of the site that lists them do
 * not. */
static void
test_other_host(void **state)
{
	struct office office;
	struct store *store;

	(void)state;
	office_open(&office);
	store = office.world.store;
	office_read(&office, office.map, OFFICE_LETTERS);
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
	assert_int_equal(office_terms(&office, HOST_TEXT "a").held_until_s, 0);
	office_close(&office);
}

/* The same with a delay of robots.txt: not even one page more is leased. */
static void
test_next_crawl_delay(void **state)
{
	struct office office;

	(void)state;
	office_open(&office);
	office_robots(&office, "User-agent: *\nCrawl-delay: 10\n");
	office_read(&office, office.map, OFFICE_LETTERS);
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

/* When all hosts are held, frontier_due_s() is the end of the first hold. */
static void
test_due_after_hold(void **state)
{
	struct office office;
	int64_t until_s;

	(void)state;
	office_start(&office, "a b");
	until_s = office.now_s + 5 * HOUR_S;
	assert_true(frontier_hold(office.frontier, slice_of(OFFICE_HOST),
	    until_s, office.now_s, "order"));
	assert_int_equal(office_count(&office), 0);
	assert_true(frontier_due_s(office.frontier, office.now_s) >= until_s);
	office.now_s = until_s;
	assert_int_equal(office_count(&office), 2);
	office_close(&office);
}

/* Report a failure, and return for how long the host is held now. */
static int64_t
fail_now(struct office *office, const char *token, int64_t retry_after_s)
{
	struct frontier_result result = {.token = slice_of(token),
	    .status = 503,
	    .retry_after_s = retry_after_s};
	struct frontier_answer answer;
	int64_t until_s;

	assert_int_equal(
	    frontier_done(office->frontier, &result, office->now_s, &answer),
	    FRONTIER_OK);
	until_s = frontier_held(office->frontier, slice_of(OFFICE_HOST)).all_s;
	return until_s == 0 ? 0 : until_s - office->now_s;
}

/* The clock is put back after a hold is over and while a host is paused:
 * neither begins again, and a failure after that counts as the first one. */
static void
test_pause_back(void **state)
{
	struct office office;
	struct frontier_page page;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, OFFICE_LETTERS);
	office_begin(&office);
	assert_true(office_take(&office, &page));
	assert_int_equal(fail_now(&office, page.token, 120), 120);
	office.now_s += 121;
	office.consumer.per_host = 1;
	assert_int_equal(
	    office_count(&office), 1); /* the ready queue is full */
	office.consumer.per_host = 0;
	assert_true(office_count(&office) > 20);
	assert_int_equal(
	    frontier_release_all(office.frontier, office.now_s), 26);
	assert_true(office_take(&office, &page));
	office.now_s -= YEAR_S;
	assert_in_range(fail_now(&office, page.token, 0), 0, HOUR_S);
	office_commit(&office);
	office.now_s += HOUR_S;
	assert_true(office_count(&office) > 20);
	office_close(&office);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rate),
	    cmocka_unit_test(test_slower),
	    cmocka_unit_test(test_crawl_delay),
	    cmocka_unit_test(test_budget),
	    cmocka_unit_test(test_budget_of_many),
	    cmocka_unit_test(test_hold),
	    cmocka_unit_test(test_hold_ends),
	    cmocka_unit_test(test_holds_are_told),
	    cmocka_unit_test(test_holds_asked_for),
	    cmocka_unit_test(test_retry_after),
	    cmocka_unit_test(test_parked_ahead),
	    cmocka_unit_test(test_other_host),
	    cmocka_unit_test(test_next_crawl_delay),
	    cmocka_unit_test(test_due_after_hold),
	    cmocka_unit_test(test_pause_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
