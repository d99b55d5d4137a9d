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
	struct setup setup;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, SETUP_LETTERS);
	setup.rules.has_delay = true;
	setup.rules.delay_ms = 10000;
	setup.options.burst_ms = 50000;
	setup_begin(&setup);
	assert_int_equal(setup_count(&setup), 5);
	setup.now_s += 9;
	assert_int_equal(setup_count(&setup), 0);
	setup.now_s += 1;
	assert_int_equal(setup_count(&setup), 1);
	setup.now_s += 3600;
	setup.consumer.is_spaced = true;
	setup.consumer.per_host = 1000;
	for (int i = 0; i < 5; i++) {
		assert_int_equal(setup_count(&setup), 1);
		setup.now_s += 9;
		assert_int_equal(setup_count(&setup), 0);
		setup.now_s += 1;
	}
	setup_close(&setup);
}

/* A delay that was raised holds from now on: requests under the shorter
 * delay are not waited for. */
static void
test_slower(void **state)
{
	struct setup setup;
	struct frontier_page page;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, SETUP_LETTERS);
	setup.rules.has_delay = true;
	setup.rules.delay_ms = 200;
	setup.options.burst_ms = 5000;
	setup.options.requests_per_hour = 720000;
	setup_begin(&setup);
	for (int i = 0; i < 20; i++)
		assert_true(setup_take(&setup, &page));
	setup.rules.delay_ms = 3000;
	setup.options.requests_per_hour = 3600;
	setup.consumer.is_spaced = true;
	setup.consumer.per_host = 1000;
	setup_restart(&setup);
	for (int i = 0; i < 6; i++) {
		setup.now_s += 3;
		assert_int_equal(setup_count(&setup), 1);
	}
	setup_close(&setup);
}

static void
test_crawl_delay(void **state)
{
	struct setup setup;
	struct frontier_page page;

	(void)state;
	setup_open(&setup);
	setup_robots(&setup, "User-agent: *\nCrawl-delay: 7\n");
	setup_read(&setup, setup.map, SETUP_LETTERS);
	setup.options.burst_ms = 14000;
	setup_begin(&setup);
	assert_true(setup_take(&setup, &page));
	assert_int_equal(page.delay_ms, 7000);
	assert_true(setup_count(&setup) <= 2);
	setup.now_s += 7;
	assert_int_equal(setup_count(&setup), 1);
	setup_robots(&setup, NULL);
	setup.now_s += 3600;
	assert_true(setup_take(&setup, &page));
	assert_int_equal(page.delay_ms, 1000);
	setup_close(&setup);
}

static void
test_budget(void **state)
{
	struct setup setup;
	struct watch watch;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, SETUP_LETTERS);
	watch_init(&watch);
	watch.site_id = 1;
	watch.requests_per_hour = 6;
	store_watch_put(setup.world.store, &watch);
	setup.options.burst_ms = 1000;
	setup_begin(&setup);
	/* the sitemap was read just now */
	assert_int_equal(setup_count(&setup), 0);
	setup.now_s += 599;
	assert_int_equal(setup_count(&setup), 0);
	setup.now_s += 1;
	assert_int_equal(setup_count(&setup), 1);
	setup.now_s += 599;
	assert_int_equal(setup_count(&setup), 0);
	setup.now_s += 1;
	assert_int_equal(setup_count(&setup), 1);
	watch.requests_per_hour = 0;
	store_watch_put(setup.world.store, &watch);
	frontier_watch_changed(setup.frontier, 1, setup.now_s);
	setup.now_s += 1;
	assert_int_equal(setup_count(&setup), 1);
	watch_release(&watch);
	setup_close(&setup);
}

/* Pages are leased at the pace of a budget, that of the site or that of all
 * sites. A new frontier, which is made for each page, keeps the pace, too. */
static void
pace(bool is_total, double per_hour, int64_t every_s)
{
	struct setup setup;
	struct watch watch;

	setup_open(&setup);
	setup_read(&setup, setup.map, SETUP_LETTERS);
	watch_init(&watch);
	watch.site_id = 1;
	if (is_total)
		setup.options.requests_per_hour = per_hour;
	else
		watch.requests_per_hour = per_hour;
	store_watch_put(setup.world.store, &watch);
	setup.options.burst_ms = 1000;
	setup.now_s += 3 * every_s;
	setup_begin(&setup);
	for (int i = 0; i < 24; i++) {
		struct frontier_page page;

		assert_true(setup_take(&setup, &page));
		assert_string_equal(
		    setup_done(&setup, page.token, 200, "x"), "OK");
		setup.now_s += every_s - 1;
		setup_restart(&setup);
		assert_int_equal(setup_count(&setup), 0);
		setup.now_s += 1;
		setup_restart(&setup);
	}
	watch_release(&watch);
	setup_close(&setup);
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
	struct setup setup;
	struct slice host = slice_of(SETUP_HOST);

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, SETUP_LETTERS);
	setup_begin(&setup);
	assert_false(frontier_hold(setup.frontier, host,
	    setup.now_s + 367 * (int64_t)DAY_S, setup.now_s, "order"));
	assert_true(frontier_hold(setup.frontier, host, setup.now_s + 3 * DAY_S,
	    setup.now_s, "order"));
	/* the longer hold stands */
	assert_true(frontier_hold(
	    setup.frontier, host, setup.now_s + 60, setup.now_s, "order"));
	setup.now_s += 3 * DAY_S - 1;
	assert_int_equal(setup_count(&setup), 0);
	setup_restart(&setup);
	assert_int_equal(setup_count(&setup), 0);
	setup.now_s += 2;
	assert_true(setup_count(&setup) > 0);
	setup_close(&setup);
}

static void
test_hold_ends(void **state)
{
	struct setup setup;
	struct slice host = slice_of(SETUP_HOST);

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, SETUP_LETTERS);
	setup_begin(&setup);
	assert_true(frontier_hold(setup.frontier, host, setup.now_s + 3 * DAY_S,
	    setup.now_s, "order"));
	assert_int_equal(setup_count(&setup), 0);
	assert_true(
	    frontier_hold(setup.frontier, host, 0, setup.now_s, "order"));
	assert_true(setup_count(&setup) > 0);
	setup_restart(&setup);
	setup.now_s += 600;
	assert_true(setup_count(&setup) > 0);
	setup_close(&setup);
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

	assert_true(slice_is(held->host, SETUP_HOST));
	if (held->is_pages)
		(void)buf_put_char(&told->text, 'P');
	(void)buf_put_char(
	    &told->text, held->until_s == 0 ? '.' : held->why[0]);
	told->until_s = held->until_s;
}

static void
open_told(struct setup *setup, struct told *told)
{
	*told = (struct told){.until_s = 0};
	buf_init(&told->text, 64);
	setup_open(setup);
	setup->options.held = on_held;
	setup->options.arg = told;
	setup_read(setup, setup->map, SETUP_LETTERS);
	setup_begin(setup);
}

/* A hold of the frontier before is reported by the next one, and so is its
 * end. */
static void
test_holds_are_told(void **state)
{
	struct slice host = slice_of(SETUP_HOST);
	struct told told;
	struct setup setup;

	(void)state;
	open_told(&setup, &told);
	assert_int_equal(frontier_hold_over_s(setup.frontier), FRONTIER_NEVER);
	(void)frontier_hold(
	    setup.frontier, host, setup.now_s + 300, setup.now_s, "order");
	/* a hold that is hardly longer is not reported again */
	(void)frontier_hold(
	    setup.frontier, host, setup.now_s + 310, setup.now_s, "order");
	assert_string_equal(buf_str(&told.text), "o");
	assert_int_equal(
	    frontier_hold_over_s(setup.frontier), setup.now_s + 310);
	(void)frontier_hold(setup.frontier, host, 0, setup.now_s, "order");
	assert_string_equal(buf_str(&told.text), "o.");
	(void)frontier_hold(
	    setup.frontier, host, setup.now_s + 600, setup.now_s, "order");
	setup_restart(&setup);
	assert_string_equal(buf_str(&told.text), "o.ob");
	assert_int_equal(told.until_s, setup.now_s + 600);
	setup.now_s += 599;
	(void)frontier_sync(setup.frontier, setup.now_s);
	assert_string_equal(buf_str(&told.text), "o.ob");
	setup.now_s += 1;
	(void)frontier_sync(setup.frontier, setup.now_s);
	assert_string_equal(buf_str(&told.text), "o.ob.");
	setup_close(&setup);
	buf_release(&told.text);
}

/* A Retry-After holds the host, whether a page met it or a sitemap. */
static void
test_holds_asked_for(void **state)
{
	struct frontier_result result = {.status = 503, .retry_after_s = 600};
	int64_t wait_s;
	struct told told;
	struct setup setup;
	struct frontier_page page;
	struct frontier_answer answer;

	(void)state;
	open_told(&setup, &told);
	assert_true(setup_take(&setup, &page));
	result.token = slice_of(page.token);
	assert_int_equal(
	    frontier_done(setup.frontier, &result, setup.now_s, &answer),
	    FRONTIER_OK);
	assert_string_equal(buf_str(&told.text), "r");
	assert_int_equal(told.until_s, setup.now_s + 600);
	setup.now_s += 600;
	assert_true(setup_take(&setup, &page));
	(void)frontier_sync(setup.frontier, setup.now_s);
	/* the driver meets one at a sitemap */
	(void)store_limited(
	    setup.world.store, slice_of(SETUP_HOST), setup.now_s, 900, &wait_s);
	frontier_limited(setup.frontier, slice_of(SETUP_HOST),
	    setup.now_s + wait_s, setup.now_s, "retry-after");
	assert_string_equal(buf_str(&told.text), "r.r");
	setup.now_s += 899;
	assert_false(setup_take(&setup, &page));
	setup.now_s += 1;
	assert_true(setup_take(&setup, &page));
	setup_close(&setup);
	buf_release(&told.text);
}

/* 429 and 503 with Retry-After hold a host for a day at most, and over a
 * restart. */
static void
test_retry_after(void **state)
{
	struct setup setup;
	struct frontier_page page;
	struct frontier_answer answer;
	struct frontier_terms terms;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, SETUP_LETTERS);
	setup_begin(&setup);
	assert_true(setup_take(&setup, &page));
	assert_int_equal(
	    frontier_done(setup.frontier,
		&(struct frontier_result){.token = slice_of(page.token),
		    .status = 429,
		    .retry_after_s = 7200},
		setup.now_s, &answer),
	    FRONTIER_OK);
	assert_true(answer.next_due_s >= setup.now_s + 7200);
	setup_commit(&setup);
	setup.now_s += 7199;
	assert_int_equal(setup_count(&setup), 0);
	setup_restart(&setup);
	assert_true(frontier_page_terms(
	    setup.frontier, slice_of(HOST_TEXT "a"), setup.now_s, &terms));
	assert_int_equal(terms.held_until_s, SETUP_S + 7200);
	assert_int_equal(setup_count(&setup), 0);
	setup.now_s += 1;
	assert_true(setup_count(&setup) > 0);
	setup_close(&setup);
}

/* A crawl met a Retry-After while the clock was a year ahead: the host is
 * held for that time from now on, neither for a year nor for a day with each
 * new frontier. */
static void
test_parked_ahead(void **state)
{
	struct setup setup;
	int64_t wait_s;

	(void)state;
	setup_open(&setup);
	setup.now_s += YEAR_S;
	setup_read(&setup, setup.map, SETUP_LETTERS);
	(void)store_limited(setup.world.store, slice_of(SETUP_HOST),
	    setup.now_s, 3600, &wait_s);
	assert_int_equal(store_flush(setup.world.store), DIAG_OK);
	setup.now_s -= YEAR_S;
	setup_begin(&setup);
	assert_int_equal(setup_count(&setup), 0);
	setup.now_s += 3601;
	assert_true(setup_count(&setup) > 0);
	setup_restart(&setup);
	setup.now_s += DAY_S;
	assert_true(setup_count(&setup) > 0);
	setup_close(&setup);
}

#define OTHER "o.test"

/* Pages at another host wait; the other pages of the site that lists them do
 * not. */
static void
test_other_host(void **state)
{
	struct setup setup;
	struct store *store;

	(void)state;
	setup_open(&setup);
	store = setup.world.store;
	setup_read(&setup, setup.map, SETUP_LETTERS);
	store_robots(store,
	    &(struct robots_fact){.origin = slice_of("http://" OTHER),
		.fetched_s = SETUP_S,
		.status = 404});
	for (int i = 0; i < 12; i++) {
		char url[64];

		(void)snprintf(url, sizeof(url), "http://" OTHER "/%d", i);
		(void)store_page_add(store, setup.map, slice_of(url));
	}
	assert_int_equal(store_flush(store), DIAG_OK);
	setup_begin(&setup);
	assert_true(frontier_hold(setup.frontier, slice_of(OTHER),
	    setup.now_s + 5 * HOUR_S, setup.now_s, "order"));
	(void)setup_count(&setup);
	setup.now_s += 60;
	(void)setup_count(&setup);
	assert_int_equal(frontier_release_all(setup.frontier, setup.now_s), 26);
	assert_int_equal(setup_terms(&setup, HOST_TEXT "a").held_until_s, 0);
	setup_close(&setup);
}

/* The same with a delay of robots.txt: not even one page more is leased. */
static void
test_next_crawl_delay(void **state)
{
	struct setup setup;

	(void)state;
	setup_open(&setup);
	setup_robots(&setup, "User-agent: *\nCrawl-delay: 10\n");
	setup_read(&setup, setup.map, SETUP_LETTERS);
	setup.options.burst_ms = 20000;
	setup_begin(&setup);
	assert_true(setup_count(&setup) > 0);
	setup_restart(&setup);
	(void)setup_count(&setup);
	setup_restart(&setup);
	assert_int_equal(setup_count(&setup), 0);
	setup_restart(&setup);
	assert_int_equal(setup_count(&setup), 0);
	setup.now_s += 60;
	assert_true(setup_count(&setup) > 0);
	setup_close(&setup);
}

/* When all hosts are held, frontier_due_s() is the end of the first hold. */
static void
test_due_after_hold(void **state)
{
	struct setup setup;
	int64_t until_s;

	(void)state;
	setup_start(&setup, "a b");
	until_s = setup.now_s + 5 * HOUR_S;
	assert_true(frontier_hold(setup.frontier, slice_of(SETUP_HOST), until_s,
	    setup.now_s, "order"));
	assert_int_equal(setup_count(&setup), 0);
	assert_true(frontier_due_s(setup.frontier, setup.now_s) >= until_s);
	setup.now_s = until_s;
	assert_int_equal(setup_count(&setup), 2);
	setup_close(&setup);
}

/* Report a failure, and return for how long the host is held now. */
static int64_t
fail_now(struct setup *setup, const char *token, int64_t retry_after_s)
{
	struct frontier_result result = {.token = slice_of(token),
	    .status = 503,
	    .retry_after_s = retry_after_s};
	struct frontier_answer answer;
	int64_t until_s;

	assert_int_equal(
	    frontier_done(setup->frontier, &result, setup->now_s, &answer),
	    FRONTIER_OK);
	until_s = frontier_held(setup->frontier, slice_of(SETUP_HOST)).all_s;
	return until_s == 0 ? 0 : until_s - setup->now_s;
}

/* The clock is put back after a hold is over and while a host is paused:
 * neither begins again, and a failure after that counts as the first one. */
static void
test_pause_back(void **state)
{
	struct setup setup;
	struct frontier_page page;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, SETUP_LETTERS);
	setup_begin(&setup);
	assert_true(setup_take(&setup, &page));
	assert_int_equal(fail_now(&setup, page.token, 120), 120);
	setup.now_s += 121;
	setup.consumer.per_host = 1;
	assert_int_equal(setup_count(&setup), 1); /* the ready queue is full */
	setup.consumer.per_host = 0;
	assert_true(setup_count(&setup) > 20);
	assert_int_equal(frontier_release_all(setup.frontier, setup.now_s), 26);
	assert_true(setup_take(&setup, &page));
	setup.now_s -= YEAR_S;
	assert_in_range(fail_now(&setup, page.token, 0), 0, HOUR_S);
	setup_commit(&setup);
	setup.now_s += HOUR_S;
	assert_true(setup_count(&setup) > 20);
	setup_close(&setup);
}

UNIT(host_table)
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
