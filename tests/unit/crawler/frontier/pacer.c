/* The delay between two requests to a host, to the millisecond. */
#include "tests/fixtures/fixture.h"

#include "crawler/frontier/pacer.h"
#include "store/page.h"
#include "store/proof.h"
#include "tests/fixtures/frontier_fixture.h"

/* A fetcher that leases pages beside the requests of freshet. */
struct both {
	struct office office;
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

	assert_true(slice_is(host, OFFICE_HOST));
	both->spared_ms = wait_ms;
	return both->is_waiting;
}

static void
open_both(struct both *both, int64_t delay_ms)
{
	*both = (struct both){.now_ms = 12345};
	office_open(&both->office);
	office_read(&both->office, both->office.map, OFFICE_LETTERS);
	both->office.rules.has_delay = true;
	both->office.rules.delay_ms = delay_ms;
	both->office.options.burst_ms = 300000;
	both->office.consumer.is_spaced = true;
	both->office.consumer.per_host = 1000;
	office_begin(&both->office);
	pacer_set_clock(frontier_pacer(both->office.frontier), clock_ms, both);
	pacer_set_leased(
	    frontier_pacer(both->office.frontier), on_handed, both);
}

static void
pass(struct both *both, int64_t ms)
{
	int64_t was_s = both->now_ms / 1000;

	both->now_ms += ms;
	both->office.now_s += both->now_ms / 1000 - was_s;
}

/* Pages that the owner of the store before has leased count for the delay. */
static void
test_another_holder(void **state)
{
	struct both both;
	struct frontier_page page;
	int64_t at_ms;

	(void)state;
	open_both(&both, 3000);
	assert_true(office_take(&both.office, &page));
	at_ms = both.now_ms;
	pass(&both, 400);
	office_kill(&both.office);
	pacer_set_clock(frontier_pacer(both.office.frontier), clock_ms, &both);
	while (!office_take(&both.office, &page)) {
		pass(&both, 10);
		assert_in_range(both.now_ms - at_ms, 0, 5000);
	}
	assert_in_range(both.now_ms - at_ms, 3000, 4000);
	office_close(&both.office);
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
				both.office.frontier)) == INT64_MAX);
		for (int n = 0; n < 20; n++) {
			int64_t wait_ms;

			assert_int_equal(office_count(&both.office), 1);
			assert_int_equal(both.spared_ms, delays_ms[i]);
			wait_ms = pacer_paced_ms(
			    frontier_pacer(both.office.frontier));
			/* longer delays are looked at each second */
			if (delays_ms[i] <= 1000)
				assert_in_range(wait_ms, delays_ms[i], most_ms);
			pass(&both, delays_ms[i] - 1);
			assert_int_equal(office_count(&both.office), 0);
			assert_true(pacer_paced_ms(frontier_pacer(
					both.office.frontier)) <= 20);
			pass(&both, 1);
		}
		office_close(&both.office);
	}
}

/* Requests of freshet and leased pages keep the delay together; where both
 * wait, they take turns. */
static void
test_both(void **state)
{
	struct slice host = slice_of(OFFICE_HOST);
	struct both both;

	(void)state;
	open_both(&both, 1000);
	/* no consumer waits for pages: none goes first */
	assert_true(
	    pacer_asked(frontier_pacer(both.office.frontier), host) == 0);
	assert_true(pacer_asked(frontier_pacer(both.office.frontier),
			slice_of("other.test")) == 0);
	pass(&both, 999);
	assert_int_equal(office_count(&both.office), 0);
	pass(&both, 1);
	assert_int_equal(office_count(&both.office), 1);
	/* the request of freshet goes before the next page */
	pass(&both, 1000);
	both.is_waiting = true;
	assert_int_equal(office_count(&both.office), 1);
	pass(&both, 1000);
	assert_int_equal(office_count(&both.office), 0);
	/* and the page before the next request of freshet */
	assert_true(
	    pacer_asked(frontier_pacer(both.office.frontier), host) == 2000);
	pass(&both, 999);
	assert_int_equal(office_count(&both.office), 0);
	pass(&both, 1);
	assert_int_equal(office_count(&both.office), 1);
	/* the page does not wait longer for a request that is never made */
	pass(&both, 1999);
	assert_int_equal(office_count(&both.office), 0);
	pass(&both, 1);
	assert_int_equal(office_count(&both.office), 1);
	/* nor does freshet wait for a fetcher that is gone */
	pass(&both, 5000);
	assert_true(
	    pacer_asked(frontier_pacer(both.office.frontier), host) == 0);
	office_close(&both.office);
}

static void
tell(struct both *both, const struct frontier_page *page, uint32_t ms)
{
	struct frontier_result result = {
	    .token = slice_of(page->token), .status = 200, .ms = ms};
	struct frontier_answer answer;

	assert_int_equal(frontier_done(both->office.frontier, &result,
			     both->office.now_s, &answer),
	    FRONTIER_OK);
	office_commit(&both->office);
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
	both.office.consumer.per_host = 0;
	assert_true(office_take(&both.office, &page));
	assert_int_equal(both.spared_ms, 60000);
	pass(&both, 5000);
	assert_int_equal(office_count(&both.office), 0);
	/* the page was requested 300 ms ago */
	tell(&both, &page, 300);
	assert_int_equal(both.spared_ms, 700);
	pass(&both, 699);
	assert_int_equal(office_count(&both.office), 0);
	pass(&both, 1);
	assert_true(office_take(&both.office, &page));
	/* a result that comes at once, of a fetch that took no time */
	tell(&both, &page, 0);
	assert_int_equal(both.spared_ms, 1000);
	pass(&both, 1000);
	assert_true(office_take(&both.office, &page));
	/* the fetch took longer than the delay: the next page is leased at
	 * once */
	pass(&both, 3000);
	tell(&both, &page, 2500);
	assert_int_equal(both.spared_ms, 0);
	assert_true(office_take(&both.office, &page));
	/* but a request of freshet goes first */
	pass(&both, 3000);
	both.is_waiting = true;
	tell(&both, &page, 1500);
	assert_int_equal(office_count(&both.office), 0);
	pass(&both, 500);
	assert_true(office_take(&both.office, &page));
	/* a page that is given back was not requested */
	pass(&both, 1000);
	both.is_waiting = false;
	assert_int_equal(
	    frontier_release_all(both.office.frontier, both.office.now_s), 1);
	assert_int_equal(both.spared_ms, 0);
	assert_int_equal(office_count(&both.office), 1);
	office_close(&both.office);
}

/* A consumer that is not spaced need not wait for the delay, and freshet
 * waits for its pages. */
static void
test_not_spaced(void **state)
{
	struct both both;

	(void)state;
	open_both(&both, 1000);
	both.office.consumer.is_spaced = false;
	assert_true(pacer_asked(frontier_pacer(both.office.frontier),
			slice_of(OFFICE_HOST)) == 0);
	assert_int_equal(office_count(&both.office), 26);
	assert_int_equal(both.spared_ms, 1000);
	office_close(&both.office);
}

/* A host without a delay is not spaced. */
static void
test_no_delay(void **state)
{
	struct both both;

	(void)state;
	open_both(&both, 0);
	assert_true(pacer_asked(frontier_pacer(both.office.frontier),
			slice_of(OFFICE_HOST)) == 0);
	assert_int_equal(office_count(&both.office), 26);
	assert_int_equal(both.spared_ms, 0);
	office_close(&both.office);
}

#define WANTS_7S "User-agent: *\nCrawl-delay: 7\n"

/* robots.txt is read again with the same Crawl-delay: the time of the next
 * page does not change. */
static void
test_robots_again(void **state)
{
	struct office office;

	(void)state;
	office_open(&office);
	office_robots(&office, WANTS_7S);
	office_read(&office, office.map, OFFICE_LETTERS);
	office.options.burst_ms = 1000;
	office_begin(&office);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(office_count(&office), 1);
		office.now_s += 1;
		office_robots(&office, WANTS_7S);
		office.now_s += 5;
		assert_int_equal(office_count(&office), 0);
		office.now_s += 1;
	}
	/* a new Crawl-delay holds at once */
	assert_int_equal(office_count(&office), 1);
	office_robots(&office, NULL);
	office.now_s += 1;
	assert_int_equal(office_count(&office), 1);
	office_robots(&office, WANTS_7S);
	office.now_s += 6;
	assert_int_equal(office_count(&office), 0);
	office.now_s += 1;
	assert_int_equal(office_count(&office), 1);
	office_close(&office);
}

/* The robots.txt of another port of the host is read: it does not change the
 * Crawl-delay of this origin (SPEC R-105). */
static void
test_other_origin(void **state)
{
	static const char origin[] = "http://h.test:81";
	struct reading *reading;
	struct store *store;
	struct office office;
	struct frontier_page page;

	(void)state;
	office_open(&office);
	store = office.world.store;
	office_robots(&office, WANTS_7S);
	office_read(&office, office.map, OFFICE_LETTERS);
	store_robots(store,
	    &(struct robots_fact){.origin = slice_of(origin),
		.fetched_s = office.now_s,
		.status = 404});
	(void)store_page_add(
	    store, office.map, slice_of("http://h.test:81/page"));
	assert_int_equal(store_flush(store), DIAG_OK);
	office_begin(&office);
	assert_int_equal(office_count(&office), 27);
	office.now_s += HOUR_S;
	reading = reading_new(
	    document_make(store, OFFICE_HOST, "http://h.test:81/robots.txt"),
	    office.now_s);
	reading->content.kind = KIND_ROBOTS;
	reading->content.is_complete = true;
	reading->outcome = OUTCOME_READ;
	(void)submit(store, reading);
	(void)frontier_sync(office.frontier, office.now_s);
	for (int i = 0; i < 3; i++) {
		office.now_s += HOUR_S;
		assert_true(office_take(&office, &page));
		assert_int_equal(page.delay_ms, 7000);
	}
	office_close(&office);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_another_holder),
	    cmocka_unit_test(test_milliseconds),
	    cmocka_unit_test(test_both),
	    cmocka_unit_test(test_alone),
	    cmocka_unit_test(test_not_spaced),
	    cmocka_unit_test(test_no_delay),
	    cmocka_unit_test(test_robots_again),
	    cmocka_unit_test(test_other_origin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
