/* The delay between two requests to a host, to the millisecond. */
#include "tests/fixtures/fixture.h"

#include "crawler/frontier/pacer.h"
#include "store/page.h"
#include "store/proof.h"
#include "store/request_log.h"
#include "tests/fixtures/frontier_fixture.h"

/* A fetcher that leases pages beside the requests of freshet. */
struct both {
	struct setup setup;
	int64_t now_ms;
	int64_t spared_ms; /* freshet must not ask for so long; 0: no call */
	bool is_waiting; /* does freshet want to ask the host? */
};

static int64_t
clock_ms(void *arg)
{
	const struct both *both = arg;

	return both->now_ms;
}

static bool
on_handed(void *arg, struct slice host, int64_t wait_ms)
{
	struct both *both = arg;

	assert_true(slice_is(host, SETUP_HOST));
	both->spared_ms = wait_ms;
	return both->is_waiting;
}

static void
open_both(struct both *both, int64_t delay_ms)
{
	*both = (struct both){.now_ms = 12345};
	setup_open(&both->setup);
	setup_read(&both->setup, both->setup.map, SETUP_LETTERS);
	both->setup.rules.has_delay = true;
	both->setup.rules.delay_ms = delay_ms;
	both->setup.options.burst_ms = 300000;
	both->setup.consumer.is_spaced = true;
	both->setup.consumer.per_host = 1000;
	setup_begin(&both->setup);
	pacer_set_clock(frontier_pacer(both->setup.frontier), clock_ms, both);
	pacer_set_leased(frontier_pacer(both->setup.frontier), on_handed, both);
}

static void
pass(struct both *both, int64_t ms)
{
	int64_t was_s = both->now_ms / 1000;

	both->now_ms += ms;
	both->setup.now_s += both->now_ms / 1000 - was_s;
}

/* Pages that the owner of the store before has leased count for the delay. */
static void
test_another_owner(void **state)
{
	struct both both;
	struct frontier_page page;
	int64_t at_ms;

	(void)state;
	open_both(&both, 3000);
	assert_true(setup_take(&both.setup, &page));
	at_ms = both.now_ms;
	pass(&both, 400);
	setup_kill(&both.setup);
	pacer_set_clock(frontier_pacer(both.setup.frontier), clock_ms, &both);
	while (!setup_take(&both.setup, &page)) {
		pass(&both, 10);
		assert_in_range(both.now_ms - at_ms, 0, 5000);
	}
	assert_in_range(both.now_ms - at_ms, 3000, 4000);
	setup_close(&both.setup);
}

/* One page is leased after each delay, to the millisecond. */
static void
test_milliseconds(void **state)
{
	static const int64_t delays_ms[] = {10, 150, 200, 700, 1000, 3000};
	struct both both;

	(void)state;
	for (size_t i = 0; i < COUNT(delays_ms); i++) {
		int64_t most_ms = delays_ms[i] < 200 ? delays_ms[i]
						     : delays_ms[i] + 19;

		open_both(&both, delays_ms[i]);
		assert_true(pacer_paced_ms(frontier_pacer(
				both.setup.frontier)) == INT64_MAX);
		for (int n = 0; n < 20; n++) {
			int64_t wait_ms;

			assert_int_equal(setup_count(&both.setup), 1);
			assert_int_equal(both.spared_ms, delays_ms[i]);
			wait_ms = pacer_paced_ms(
			    frontier_pacer(both.setup.frontier));
			/* longer delays are looked at each second */
			if (delays_ms[i] <= 1000)
				assert_in_range(wait_ms, delays_ms[i], most_ms);
			pass(&both, delays_ms[i] - 1);
			assert_int_equal(setup_count(&both.setup), 0);
			assert_true(pacer_paced_ms(frontier_pacer(
					both.setup.frontier)) <= 20);
			pass(&both, 1);
		}
		setup_close(&both.setup);
	}
}

/* Requests of freshet and leased pages keep the delay together; where both
 * wait, they take turns. */
static void
test_both(void **state)
{
	struct slice host = slice_of(SETUP_HOST);
	struct both both;

	(void)state;
	open_both(&both, 1000);
	/* no consumer waits for pages: none goes first */
	assert_true(
	    pacer_asked(frontier_pacer(both.setup.frontier), host, false) == 0);
	assert_true(pacer_asked(frontier_pacer(both.setup.frontier),
			slice_of("other.test"), false) == 0);
	pass(&both, 999);
	assert_int_equal(setup_count(&both.setup), 0);
	pass(&both, 1);
	assert_int_equal(setup_count(&both.setup), 1);
	/* the request of freshet goes before the next page */
	pass(&both, 1000);
	both.is_waiting = true;
	assert_int_equal(setup_count(&both.setup), 1);
	pass(&both, 1000);
	assert_int_equal(setup_count(&both.setup), 0);
	/* and the page before the next request of freshet */
	assert_true(pacer_asked(frontier_pacer(both.setup.frontier), host,
			false) == 2000);
	pass(&both, 999);
	assert_int_equal(setup_count(&both.setup), 0);
	pass(&both, 1);
	assert_int_equal(setup_count(&both.setup), 1);
	/* the page does not wait longer for a request that is never made */
	pass(&both, 1999);
	assert_int_equal(setup_count(&both.setup), 0);
	pass(&both, 1);
	assert_int_equal(setup_count(&both.setup), 1);
	/* nor does freshet wait for a fetcher that is gone */
	pass(&both, 5000);
	assert_true(
	    pacer_asked(frontier_pacer(both.setup.frontier), host, false) == 0);
	setup_close(&both.setup);
}

static void
tell(struct both *both, const struct frontier_page *page, uint32_t ms)
{
	struct frontier_result result = {
	    .token = slice_of(page->token), .status = 200, .ms = ms};
	struct frontier_answer answer;

	assert_int_equal(frontier_done(both->setup.frontier, &result,
			     both->setup.now_s, &answer),
	    FRONTIER_OK);
	setup_commit(&both->setup);
}

/* One page is leased at a time, and the delay counts from the time of its
 * request, however late the fetch or its result comes. */
static void
test_alone(void **state)
{
	struct both both;
	struct frontier_page page;

	(void)state;
	open_both(&both, 1000);
	both.setup.consumer.per_host = 0;
	assert_true(setup_take(&both.setup, &page));
	assert_int_equal(both.spared_ms, 60000);
	pass(&both, 5000);
	assert_int_equal(setup_count(&both.setup), 0);
	/* the page was requested 300 ms ago */
	tell(&both, &page, 300);
	assert_int_equal(both.spared_ms, 700);
	pass(&both, 699);
	assert_int_equal(setup_count(&both.setup), 0);
	pass(&both, 1);
	assert_true(setup_take(&both.setup, &page));
	/* a result that comes at once, of a fetch that took no time */
	tell(&both, &page, 0);
	assert_int_equal(both.spared_ms, 1000);
	pass(&both, 1000);
	assert_true(setup_take(&both.setup, &page));
	/* the fetch took longer than the delay: the next page is leased at
	 * once */
	pass(&both, 3000);
	tell(&both, &page, 2500);
	assert_int_equal(both.spared_ms, 0);
	assert_true(setup_take(&both.setup, &page));
	/* but a request of freshet goes first */
	pass(&both, 3000);
	both.is_waiting = true;
	tell(&both, &page, 1500);
	assert_int_equal(setup_count(&both.setup), 0);
	pass(&both, 500);
	assert_true(setup_take(&both.setup, &page));
	/* a page that is given back was not requested */
	pass(&both, 1000);
	both.is_waiting = false;
	assert_int_equal(
	    frontier_release_all(both.setup.frontier, both.setup.now_s), 1);
	assert_int_equal(both.spared_ms, 0);
	assert_int_equal(setup_count(&both.setup), 1);
	setup_close(&both.setup);
}

/* While freshet waits for an answer of a host no page of it is leased, however
 * long that takes. */
static void
test_under_way(void **state)
{
	struct slice host = slice_of(SETUP_HOST);
	struct both both;

	(void)state;
	for (int spaced = 0; spaced < 2; spaced++) {
		open_both(&both, 1000);
		both.setup.consumer.is_spaced = spaced != 0;
		(void)pacer_asked(
		    frontier_pacer(both.setup.frontier), host, true);
		pass(&both, 5000);
		assert_int_equal(setup_count(&both.setup), 0);
		/* it is looked at again soon */
		assert_in_range(
		    pacer_paced_ms(frontier_pacer(both.setup.frontier)), 1,
		    100);
		(void)pacer_asked(
		    frontier_pacer(both.setup.frontier), host, false);
		pass(&both, 1000);
		assert_int_equal(setup_count(&both.setup), spaced ? 1 : 26);
		setup_close(&both.setup);
	}
}

/* A consumer that is not spaced spaces its pages itself.  It gets the first one
 * when the delay is over, and freshet waits for as long as all of them take. */
static void
test_not_spaced(void **state)
{
	struct both both;

	(void)state;
	open_both(&both, 1000);
	both.setup.consumer.is_spaced = false;
	both.setup.consumer.per_host = 0;
	assert_int_equal(setup_count(&both.setup), 26);
	assert_int_equal(both.spared_ms, 60000 + 25 * 1000);
	setup_close(&both.setup);

	open_both(&both, 1000);
	both.setup.consumer.is_spaced = false;
	assert_true(pacer_asked(frontier_pacer(both.setup.frontier),
			slice_of(SETUP_HOST), false) == 0);
	assert_int_equal(setup_count(&both.setup), 0);
	pass(&both, 1000);
	assert_int_equal(setup_count(&both.setup), 26);
	assert_int_equal(both.spared_ms, 1000);
	setup_close(&both.setup);
}

/* A host without a delay is not spaced. */
static void
test_no_delay(void **state)
{
	struct both both;

	(void)state;
	open_both(&both, 0);
	assert_true(pacer_asked(frontier_pacer(both.setup.frontier),
			slice_of(SETUP_HOST), false) == 0);
	assert_int_equal(setup_count(&both.setup), 26);
	assert_int_equal(both.spared_ms, 0);
	setup_close(&both.setup);
}

#define WANTS_7S "User-agent: *\nCrawl-delay: 7\n"

/* robots.txt is read again with the same Crawl-delay: the time of the next
 * page does not change. */
static void
test_robots_again(void **state)
{
	struct setup setup;

	(void)state;
	setup_open(&setup);
	setup_robots(&setup, WANTS_7S);
	setup_read(&setup, setup.map, SETUP_LETTERS);
	setup.options.burst_ms = 1000;
	setup_begin(&setup);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(setup_count(&setup), 1);
		setup.now_s += 1;
		setup_robots(&setup, WANTS_7S);
		setup.now_s += 5;
		assert_int_equal(setup_count(&setup), 0);
		setup.now_s += 1;
	}
	/* a new Crawl-delay holds at once */
	assert_int_equal(setup_count(&setup), 1);
	setup_robots(&setup, NULL);
	setup.now_s += 1;
	assert_int_equal(setup_count(&setup), 1);
	setup_robots(&setup, WANTS_7S);
	setup.now_s += 6;
	assert_int_equal(setup_count(&setup), 0);
	setup.now_s += 1;
	assert_int_equal(setup_count(&setup), 1);
	setup_close(&setup);
}

/* The robots.txt of another port of the host is read: it does not change the
 * Crawl-delay of this origin (SPEC R-105). */
static void
test_other_origin(void **state)
{
	static const char origin[] = "http://h.test:81";
	struct reading *reading;
	struct store *store;
	struct setup setup;
	struct frontier_page page;

	(void)state;
	setup_open(&setup);
	store = setup.world.store;
	setup_robots(&setup, WANTS_7S);
	setup_read(&setup, setup.map, SETUP_LETTERS);
	store_robots(store,
	    &(struct robots_fact){.origin = slice_of(origin),
		.fetched_s = setup.now_s,
		.status = 404});
	(void)store_page_add(
	    store, setup.map, slice_of("http://h.test:81/page"));
	assert_int_equal(store_flush(store), DIAG_OK);
	setup_begin(&setup);
	assert_int_equal(setup_count(&setup), 27);
	setup.now_s += HOUR_S;
	reading = reading_new(
	    document_make(store, SETUP_HOST, "http://h.test:81/robots.txt"),
	    setup.now_s);
	reading->content.kind = KIND_ROBOTS;
	reading->content.is_complete = true;
	reading->outcome = OUTCOME_READ;
	(void)submit(store, reading);
	(void)frontier_sync(setup.frontier, setup.now_s);
	for (int i = 0; i < 3; i++) {
		setup.now_s += HOUR_S;
		assert_true(setup_take(&setup, &page));
		assert_int_equal(page.delay_ms, 7000);
	}
	setup_close(&setup);
}

/* A new owner has read no robots.txt yet, so it spares the host for the delay
 * that the log of requests says. */
static void
test_delay_before(void **state)
{
	static const struct request_log_note note = {.minute_s = 60,
	    .requests = 1,
	    .least_gap_ms = -1,
	    .delay_ms = 7000};
	struct both both;
	struct frontier_page page;

	(void)state;
	open_both(&both, 1000);
	assert_true(setup_take(&both.setup, &page));
	tell(&both, &page, 0);
	store_request_log_add(
	    both.setup.world.store, slice_of(SETUP_HOST), &note);
	setup_restart(&both.setup);
	pacer_set_leased(frontier_pacer(both.setup.frontier), on_handed, &both);
	pacer_set_clock(frontier_pacer(both.setup.frontier), clock_ms, &both);
	assert_int_equal(both.spared_ms, 7000);
	setup_close(&both.setup);
}

UNIT(pacer)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_another_owner),
	    cmocka_unit_test(test_delay_before),
	    cmocka_unit_test(test_milliseconds),
	    cmocka_unit_test(test_both),
	    cmocka_unit_test(test_alone),
	    cmocka_unit_test(test_under_way),
	    cmocka_unit_test(test_not_spaced),
	    cmocka_unit_test(test_no_delay),
	    cmocka_unit_test(test_robots_again),
	    cmocka_unit_test(test_other_origin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
