/* The delay between two requests to a host, to the millisecond. */
#include "tests/fixtures/fixture.h"

#include "crawler/frontier/pacer.h"
#include "store/hold.h"
#include "store/page.h"
#include "store/proof.h"
#include "tests/fixtures/frontier_fixture.h"

/* A fetcher that leases pages beside the requests of freshet. */
struct both {
	struct setup *setup;
	struct pacer *pacer;
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
set_pacer(struct both *both)
{
	both->pacer = frontier_pacer(both->setup->frontier);
	pacer_set_leased(both->pacer, on_handed, both);
	pacer_set_clock(both->pacer, clock_ms, both);
}

/* Begin anew with hosts of that delay, and a consumer that has its pages
 * spaced. */
static void
begin(struct both *both, struct setup *setup, int64_t delay_ms)
{
	*both = (struct both){.setup = setup, .now_ms = 12345};
	setup_again(setup);
	setup_delay(setup, delay_ms);
	setup->options.burst_ms = 300000;
	setup->consumer.is_spaced = true;
	setup->consumer.per_host = 1000;
	setup_start(setup, SETUP_LETTERS);
	set_pacer(both);
}

static void
pass(struct both *both, int64_t ms)
{
	int64_t was_s = both->now_ms / 1000;

	both->now_ms += ms;
	both->setup->now_s += both->now_ms / 1000 - was_s;
}

/* After so many milliseconds so many pages are leased. */
static void
after(struct both *both, int64_t ms, int pages)
{
	pass(both, ms);
	assert_int_equal(setup_count(both->setup), pages);
}

/* freshet asks the host, or has its answer.  Returns when it may ask again. */
static int64_t
asked(struct both *both, bool is_under_way)
{
	return pacer_asked(both->pacer, slice_of(SETUP_HOST), is_under_way);
}

/* Pages that the owner of the store before has leased count for the delay. */
static void
test_another_owner(void **state)
{
	struct setup *setup = *state;
	struct both both;
	int64_t at_ms;

	begin(&both, setup, 3000);
	(void)setup_page(setup);
	at_ms = both.now_ms;
	after(&both, 400, 0);
	setup_kill(setup);
	set_pacer(&both);
	while (setup_count(setup) == 0) {
		pass(&both, 10);
		assert_in_range(both.now_ms - at_ms, 0, 5000);
	}
	assert_in_range(both.now_ms - at_ms, 3000, 4000);
}

/* One page is leased after each delay, to the millisecond. */
static void
test_milliseconds(void **state)
{
	static const int64_t delays_ms[] = {10, 150, 200, 700, 1000, 3000};
	struct both both;

	for (size_t i = 0; i < COUNT(delays_ms); i++) {
		int64_t delay_ms = delays_ms[i];

		begin(&both, *state, delay_ms);
		assert_true(pacer_paced_ms(both.pacer) == INT64_MAX);
		for (int n = 0; n < 20; n++) {
			after(&both, n == 0 ? 0 : 1, 1);
			assert_int_equal(both.spared_ms, delay_ms);
			/* longer delays are looked at each second */
			if (delay_ms <= 1000)
				assert_in_range(pacer_paced_ms(both.pacer),
				    delay_ms,
				    delay_ms + (delay_ms < 200 ? 0 : 19));
			after(&both, delay_ms - 1, 0);
			assert_true(pacer_paced_ms(both.pacer) <= 20);
		}
	}
}

/* Requests of freshet and leased pages keep the delay together; where both
 * wait, they take turns. */
static void
test_both(void **state)
{
	struct both both;

	begin(&both, *state, 1000);
	/* no consumer waits for pages: none goes first */
	assert_int_equal(asked(&both, false), 0);
	assert_true(
	    pacer_asked(both.pacer, slice_of("other.test"), false) == 0);
	after(&both, 999, 0);
	after(&both, 1, 1);
	/* the request of freshet goes before the next page */
	both.is_waiting = true;
	after(&both, 1000, 1);
	after(&both, 1000, 0);
	/* and the page before the next request of freshet */
	assert_int_equal(asked(&both, false), 2000);
	after(&both, 999, 0);
	after(&both, 1, 1);
	/* the page does not wait longer for a request that is never made */
	after(&both, 1999, 0);
	after(&both, 1, 1);
	/* nor does freshet wait for a fetcher that is gone */
	pass(&both, 5000);
	assert_int_equal(asked(&both, false), 0);
}

/* One page is leased at a time, and the delay counts from the time of its
 * request, however late the fetch or its result comes. */
static void
test_alone(void **state)
{
	static const struct {
		int64_t after_ms; /* the lease: the result comes, */
		uint32_t took_ms; /* so long after the request */
		bool is_waiting;
		int64_t spared_ms; /* freshet waits for so long then, */
		int64_t next_ms; /* and the next page for so long */
	} cases[] = {
	    /* the page was requested 300 ms ago */
	    {5000, 300, false, 700, 700},
	    /* a result that comes at once, of a fetch that took no time */
	    {0, 0, false, 1000, 1000},
	    /* the fetch took longer than the delay: the next page is leased
	     * at once */
	    {3000, 2500, false, 0, 0},
	    /* but a request of freshet goes first */
	    {3000, 1500, true, 0, 500},
	};
	struct setup *setup = *state;
	struct frontier_page page;
	struct both both;

	begin(&both, setup, 1000);
	setup->consumer.per_host = 0;
	page = setup_page(setup);
	assert_int_equal(both.spared_ms, 60000);
	for (size_t i = 0; i < COUNT(cases); i++) {
		after(&both, cases[i].after_ms, 0);
		both.is_waiting = cases[i].is_waiting;
		(void)setup_report(setup,
		    &(struct frontier_result){.token = slice_of(page.token),
			.status = 200,
			.ms = cases[i].took_ms});
		if (both.spared_ms != cases[i].spared_ms)
			fail_msg(
			    "%zu: spared for %d ms", i, (int)both.spared_ms);
		if (cases[i].next_ms > 0) {
			after(&both, cases[i].next_ms - 1, 0);
			pass(&both, 1);
		}
		page = setup_page(setup);
	}
	/* a page that is given back was not requested */
	after(&both, 1000, 0);
	both.is_waiting = false;
	assert_int_equal(
	    frontier_release_all(setup->frontier, setup->now_s), 1);
	assert_int_equal(both.spared_ms, 0);
	after(&both, 0, 1);
}

/* While freshet waits for an answer of a host no page of it is leased, however
 * long that takes. */
static void
test_under_way(void **state)
{
	struct setup *setup = *state;
	struct both both;

	for (int spaced = 0; spaced < 2; spaced++) {
		begin(&both, setup, 1000);
		setup->consumer.is_spaced = spaced != 0;
		(void)asked(&both, true);
		after(&both, 5000, 0);
		/* it is looked at again soon */
		assert_in_range(pacer_paced_ms(both.pacer), 1, 100);
		(void)asked(&both, false);
		after(&both, 1000, spaced ? 1 : 26);
	}
}

/* A consumer that is not spaced spaces its pages itself.  It gets the first one
 * when the delay is over, and freshet waits for as long as all of them take. */
static void
test_not_spaced(void **state)
{
	struct setup *setup = *state;
	struct both both;

	begin(&both, setup, 1000);
	setup->consumer.is_spaced = false;
	setup->consumer.per_host = 0;
	after(&both, 0, 26);
	assert_int_equal(both.spared_ms, 60000 + 25 * 1000);

	begin(&both, setup, 1000);
	setup->consumer.is_spaced = false;
	assert_int_equal(asked(&both, false), 0);
	after(&both, 0, 0);
	after(&both, 1000, 26);
	assert_int_equal(both.spared_ms, 1000);
}

/* A host without a delay is not spaced. */
static void
test_no_delay(void **state)
{
	struct both both;

	begin(&both, *state, 0);
	assert_int_equal(asked(&both, false), 0);
	after(&both, 0, 26);
	assert_int_equal(both.spared_ms, 0);
}

#define WANTS_7S "User-agent: *\nCrawl-delay: 7\n"

/* robots.txt is read again with the same Crawl-delay: the time of the next
 * page does not change. */
static void
test_robots_again(void **state)
{
	struct setup *setup = *state;

	setup_robots(setup, WANTS_7S);
	setup->options.burst_ms = 1000;
	setup_start(setup, SETUP_LETTERS);
	for (int i = 0; i < 5; i++) {
		setup_walk(setup, "1 +1");
		setup_robots(setup, WANTS_7S);
		setup_walk(setup, "+5 0 +1");
	}
	/* a new Crawl-delay holds at once */
	setup_walk(setup, "1");
	setup_robots(setup, NULL);
	setup_walk(setup, "+1 1");
	setup_robots(setup, WANTS_7S);
	setup_walk(setup, "+6 0 +1 1");
}

/* The robots.txt of another port of the host is read: it does not change the
 * Crawl-delay of this origin (SPEC R-105). */
static void
test_other_origin(void **state)
{
	static const char origin[] = "http://h.test:81";
	struct setup *setup = *state;
	struct store *store = setup->world.store;
	struct reading *reading;

	setup_robots(setup, WANTS_7S);
	setup_list(setup, SETUP_LETTERS);
	store_robots(store,
	    &(struct robots_fact){.origin = slice_of(origin),
		.fetched_s = setup->now_s,
		.status = 404});
	(void)store_page_add(
	    store, setup->map, slice_of("http://h.test:81/page"));
	assert_int_equal(store_flush(store), DIAG_OK);
	setup_begin(setup);
	setup_walk(setup, "27 +3600");
	reading = reading_new(
	    document_make(store, SETUP_HOST, "http://h.test:81/robots.txt"),
	    setup->now_s);
	reading->content.kind = KIND_ROBOTS;
	reading->content.is_complete = true;
	reading->outcome = OUTCOME_READ;
	setup_submit(setup, reading);
	for (int i = 0; i < 3; i++) {
		setup->now_s += HOUR_S;
		assert_int_equal(setup_page(setup).delay_ms, 7000);
	}
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
	struct setup *setup = *state;
	struct both both;

	begin(&both, setup, 1000);
	setup_fetch(setup, NULL);
	store_request_log_add(setup->world.store, slice_of(SETUP_HOST), &note);
	setup_restart(setup);
	set_pacer(&both);
	assert_int_equal(both.spared_ms, 7000);
}

UNIT_TESTS(pacer, setup_test(test_another_owner), setup_test(test_milliseconds),
    setup_test(test_both), setup_test(test_alone), setup_test(test_under_way),
    setup_test(test_not_spaced), setup_test(test_no_delay),
    setup_test(test_robots_again), setup_test(test_other_origin),
    setup_test(test_delay_before));
