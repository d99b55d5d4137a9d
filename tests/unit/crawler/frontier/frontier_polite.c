/* The frontier: how much of a host is handed out, and when. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "store/page.h"
#include "store/proof.h"
#include "store/watch.h"
#include "tests/fixtures/frontier_sites_fixture.h"

#define YEAR_S (365 * (int64_t)DAY_S)
#define MANY "a b c d e f g h i j k l m n o p q r s t u v w x y z"

static void
test_per_host(void **state)
{
	struct office office;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, "a:4 b:3 c:2 d:1");
	office_site(&office, "o.test");
	office_begin(&office);
	office.consumer.per_host = 2;
	assert_int_equal(office_count(&office), 3);
	/* what waited is there at once */
	assert_string_equal(office_done(&office, "2.1", 200, NULL), "OK");
	assert_int_equal(office_count(&office), 1);
	office.now_s += 60;
	assert_int_equal(office_count(&office), 0);
	/* and is nobody's who has no such limit */
	office.consumer.per_host = 0;
	assert_int_equal(office_count(&office), 1);
	office_close(&office);
}

/* What waits since one may not have it is for the next one at once, and all of
 * the rest with it. */
static void
test_full_batch(void **state)
{
	struct office office;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, MANY);
	office_site(&office, "o.test");
	office_begin(&office);
	office.consumer.per_host = 1;
	assert_int_equal(office_count(&office), 2);
	office.consumer.per_host = 0;
	assert_int_equal(office_count(&office), 25);
	office_close(&office);
}

static void
test_hosts(void **state)
{
	struct office office;
	struct frontier_consumer other = {.lease_s = 60};
	struct frontier_page page;

	(void)state;
	office_open(&office);
	for (int i = 0; i < 20; i++) {
		char host[32];

		(void)snprintf(host, sizeof(host), "s%d.test", i);
		office_site(&office, host);
	}
	office_begin(&office);
	office.consumer.hosts = 3;
	assert_int_equal(office_count(&office), 3);
	assert_true(
	    frontier_lease(office.frontier, &other, office.now_s, &page));
	assert_string_equal(office_done(&office, page.token, 200, NULL), "OK");
	assert_int_equal(office_count(&office), 0);
	office.now_s += 600;
	assert_int_equal(office_count(&office), 3);
	/* its leases live on, and another begins with none */
	frontier_consumer_release(office.frontier, &office.consumer);
	office.now_s += 60;
	assert_int_equal(office_count(&office), 3);
	assert_int_equal(
	    frontier_release_all(office.frontier, office.now_s), 6);
	frontier_consumer_release(office.frontier, &other);
	office_close(&office);
}

static void
test_site(void **state)
{
	struct strings sites = {0};
	struct office office;
	struct frontier_page page;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, "a b");
	office_site(&office, "o.test");
	office_begin(&office);
	strings_add(&sites, slice_of("o.test"));
	office.consumer.sites = &sites;
	assert_true(office_take(&office, &page));
	assert_true(slice_is(page.url, "http://o.test/page"));
	assert_false(office_take(&office, &page));
	frontier_consumer_release(office.frontier, &office.consumer);
	office.consumer.sites = NULL;
	strings_release(&sites);
	assert_int_equal(office_count(&office), 2);
	office_close(&office);
}

/* At once what a host's rate brings in burst_ms, or one for each delay. */
static void
test_rate(void **state)
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

/* A delay that was raised holds from now on: what was asked at the one before
 * is not waited for, by its host or by all. */
static void
test_slower(void **state)
{
	struct office office;
	struct frontier_page page;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, MANY);
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
	office_read(&office, office.map, MANY);
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
	office_read(&office, office.map, MANY);
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

/* Pages come at the pace of the budget, of the site or of all, when each has a
 * frontier of its own, and none earlier: also one in two hours. */
static void
pace(bool is_total, double per_hour, int64_t every_s)
{
	struct office office;
	struct watch watch;

	office_open(&office);
	office_read(&office, office.map, MANY);
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
	office_read(&office, office.map, MANY);
	office_begin(&office);
	assert_false(frontier_hold(office.frontier, host,
	    office.now_s + 367 * (int64_t)DAY_S, office.now_s, "order"));
	assert_true(frontier_hold(office.frontier, host,
	    office.now_s + 3 * DAY_S, office.now_s, "order"));
	/* the longer one stands */
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
	office_read(&office, office.map, MANY);
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

/* What is told of holds: a letter for each why, "." for their ends. */
struct told {
	struct buf text;
	int64_t until_s; /* of the last one */
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
	office_read(office, office->map, MANY);
	office_begin(office);
}

/* That of the last frontier is told by the next one, and its end. */
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
	/* no news */
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

/* By a page, and by a sitemap while pages were judged before. */
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

/* 429 and 503 with Retry-After: of a day at most, and over a restart. */
static void
test_retry_after(void **state)
{
	struct office office;
	struct frontier_page page;
	struct frontier_answer answer;
	struct frontier_terms terms;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, MANY);
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

/* It asked a crawl to be left alone, when the clock was a year ahead: for as
 * long as it said from now on, not for a day with each frontier, and for a
 * year. */
static void
test_parked_ahead(void **state)
{
	struct office office;

	(void)state;
	office_open(&office);
	office.now_s += YEAR_S;
	office_read(&office, office.map, MANY);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_per_host),
	    cmocka_unit_test(test_full_batch),
	    cmocka_unit_test(test_hosts),
	    cmocka_unit_test(test_site),
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
