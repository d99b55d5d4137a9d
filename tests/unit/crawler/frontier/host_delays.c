/* The delay between two requests to a host, to the millisecond. */
#include "tests/fixtures/fixture.h"

#include "sched/host_table.h"
#include "store/hold.h"
#include "store/page.h"
#include "store/proof.h"
#include "tests/fixtures/frontier_fixture.h"

/* A fetcher that leases pages beside the requests of freshet. */
struct both {
	struct setup *setup;
	struct host_table *table;
	int64_t now_ms;
};

static int64_t
clock_ms(void *arg)
{
	const struct both *both = arg;

	return both->now_ms;
}

static void
set_clock(struct both *both)
{
	both->table = frontier_hosts(both->setup->frontier);
	host_table_set_clock(both->table, clock_ms, both);
}

static struct host *
host_of(const struct both *both)
{
	uint32_t number = host_put(both->table, slice_of(SETUP_HOST));

	return both->table->items[number];
}

/* For how long freshet must not ask the host. */
static int64_t
spared_ms(const struct both *both)
{
	int64_t ready_ms = host_ready_ms(
	    both->table, host_of(both), HOST_DOCUMENTS, NULL);

	return ready_ms > both->now_ms ? ready_ms - both->now_ms : 0;
}

/* Does freshet want to ask the host? */
static void
want(const struct both *both, bool is_waiting)
{
	host_of(both)->waiting[HOST_DOCUMENTS] = is_waiting;
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
	set_clock(both);
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

/* What is shown of the host: why it may not be asked, and for how long. */
static void
shown(const struct both *both, enum host_why why, int64_t wait_s)
{
	struct frontier_terms terms = setup_terms(both->setup, HOST_TEXT "a");

	assert_int_equal(terms.host_why, why);
	assert_int_equal(terms.host_ready_s,
	    why == HOST_FREE ? 0 : both->setup->now_s + wait_s);
}

/* freshet asks the host, which answers at once.  Returns when it may ask
 * again. */
static int64_t
asked(struct both *both)
{
	host_asks(both->table, host_of(both), both->now_ms);
	host_answered(both->table, host_of(both), both->now_ms);
	return spared_ms(both);
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
	set_clock(&both);
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
		assert_true(
		    frontier_paced_ms(both.setup->frontier) == INT64_MAX);
		for (int n = 0; n < 20; n++) {
			after(&both, n == 0 ? 0 : 1, 1);
			assert_int_equal(spared_ms(&both), delay_ms);
			/* longer delays are looked at each second */
			if (delay_ms <= 1000)
				assert_in_range(
				    frontier_paced_ms(both.setup->frontier),
				    delay_ms,
				    delay_ms + (delay_ms < 200 ? 0 : 19));
			after(&both, delay_ms - 1, 0);
			assert_true(
			    frontier_paced_ms(both.setup->frontier) <= 20);
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
	assert_int_equal(asked(&both), 1000);
	after(&both, 999, 0);
	after(&both, 1, 1);
	/* the request of freshet goes before the next page */
	want(&both, true);
	after(&both, 1000, 1);
	shown(&both, HOST_TURN, 2);
	after(&both, 1000, 0);
	/* and the page before the next request of freshet */
	assert_int_equal(asked(&both), 2000);
	after(&both, 999, 0);
	after(&both, 1, 1);
	/* the page does not wait longer for a request that is never made */
	after(&both, 1999, 0);
	after(&both, 1, 1);
	/* nor does freshet wait for a fetcher that is gone */
	pass(&both, 5000);
	assert_int_equal(asked(&both), 1000);
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
	assert_int_equal(spared_ms(&both), 60000);
	for (size_t i = 0; i < COUNT(cases); i++) {
		after(&both, cases[i].after_ms, 0);
		want(&both, cases[i].is_waiting);
		(void)setup_report(setup,
		    &(struct frontier_result){.token = slice_of(page.token),
			.status = 200,
			.ms = cases[i].took_ms});
		if (spared_ms(&both) != cases[i].spared_ms)
			fail_msg(
			    "%zu: spared for %d ms", i, (int)spared_ms(&both));
		if (cases[i].next_ms > 0) {
			after(&both, cases[i].next_ms - 1, 0);
			pass(&both, 1);
		}
		page = setup_page(setup);
	}
	/* a page that is given back was not requested */
	after(&both, 1000, 0);
	want(&both, false);
	assert_int_equal(
	    frontier_release_all(setup->frontier, setup->now_s), 1);
	assert_int_equal(spared_ms(&both), 0);
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
		host_asks(both.table, host_of(&both), both.now_ms);
		after(&both, 5000, 0);
		/* it is looked at again soon */
		assert_in_range(
		    frontier_paced_ms(both.setup->frontier), 1, 100);
		host_answered(both.table, host_of(&both), both.now_ms);
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
	assert_int_equal(spared_ms(&both), 60000 + 25 * 1000);

	begin(&both, setup, 1000);
	setup->consumer.is_spaced = false;
	assert_int_equal(asked(&both), 1000);
	after(&both, 0, 0);
	after(&both, 1000, 26);
	assert_int_equal(spared_ms(&both), 1000);
}

/* A host without a delay is not spaced. */
static void
test_no_delay(void **state)
{
	struct both both;

	begin(&both, *state, 0);
	assert_int_equal(asked(&both), 0);
	after(&both, 0, 26);
	assert_int_equal(spared_ms(&both), 0);
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
	int64_t last_s, delay_ms;
	struct both both;

	begin(&both, setup, 1000);
	setup_fetch(setup, NULL);
	store_request_log_add(setup->world.store, slice_of(SETUP_HOST), &note);
	setup_restart(setup);
	set_clock(&both);
	last_s = store_asked_s(
	    setup->world.store, slice_of(SETUP_HOST), setup->now_s, &delay_ms);
	host_recall(both.table, host_of(&both), last_s, setup->now_s, delay_ms);
	assert_int_equal(spared_ms(&both), 7000);
}

UNIT_TESTS(host_delays, setup_test(test_another_owner),
    setup_test(test_milliseconds), setup_test(test_both),
    setup_test(test_alone), setup_test(test_under_way),
    setup_test(test_not_spaced), setup_test(test_no_delay),
    setup_test(test_robots_again), setup_test(test_other_origin),
    setup_test(test_delay_before));
