/* The scheduler: what is asked for when, one rule at a time. */
#include "tests/fixtures/scheduler_fixture.h"

#include <math.h>

/* The price falls while there is nothing to ask for. */
static void
expect_soon(struct bench *bench, uint32_t page)
{
	for (int i = 0; i < 200; i++) {
		bench->now_s += 60;
		if (!scheduler_next(bench->s, bench->now_s, &bench->choice))
			continue;
		assert_int_equal(bench->choice.kind, SCHEDULER_PAGE);
		assert_int_equal(bench->choice.number, page);
		return;
	}
	fail();
}

/* Worth first; what was chosen is out until it is told, or given back. */
static void
test_order(void **state)
{
	struct scheduler_options options = pages_only();
	struct scheduler_choice first;
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	expect_nothing(&b);
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	(void)add_page(&b, 1, 10 * DAY);
	(void)add_page(&b, 3, 10 * DAY);
	(void)add_page(&b, 2, 0);
	expect(&b, SCHEDULER_PAGE, 2, REASON_NEW);
	expect(&b, SCHEDULER_PAGE, 1, REASON_VALUE);
	first = b.choice;
	expect(&b, SCHEDULER_PAGE, 0, REASON_VALUE);
	expect_nothing(&b);
	assert_true(first.value > b.choice.value);
	scheduler_give_back(b.s, b.now_s, &first);
	expect(&b, SCHEDULER_PAGE, 1, REASON_VALUE);
	scheduler_free(b.s);
}

/* never before the floor. */
static void
test_floor(void **state)
{
	struct scheduler_options options = pages_only();
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	(void)add_page(&b, 1, 0);
	expect(&b, SCHEDULER_PAGE, 0, REASON_NEW);
	answer(&b, 0, FETCH_CHANGED);
	for (int64_t t = 0; t < HOUR; t += 60) {
		b.now_s = T0 + t;
		expect_nothing(&b);
		assert_true(scheduler_due_s(b.s, b.now_s) > b.now_s);
	}
	expect_soon(&b, 0);
	scheduler_free(b.s);
}

/* A date that moved makes a page worth more; one that its last fetch has seen
 * does not. */
static void
test_signals(void **state)
{
	struct scheduler_options options = pages_only();
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	for (int i = 0; i < 10; i++)
		(void)add_page(&b, i == 9 ? 1.01F : 1, 10 * DAY);
	read_document(&b, 0, 10, 0);
	b.now_s += DAY;
	read_document(&b, 0, 10, 2);
	move(&b, 4, b.now_s - 10);
	move(&b, 5, b.now_s - 11 * DAY); /* before its fetch */
	expect(&b, SCHEDULER_PAGE, 4, REASON_VALUE);
	expect(&b, SCHEDULER_PAGE, 9, REASON_VALUE);
	scheduler_free(b.s);
}

/* SCHEDULING F.2: when most of a source moves, no page stands out. */
static void
test_mass(void **state)
{
	struct scheduler_options options = pages_only();
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	for (int i = 0; i < 10; i++)
		(void)add_page(&b, 1, 10 * DAY);
	read_document(&b, 0, 10, 0);
	for (int day = 0; day < 20; day++) {
		b.now_s += DAY;
		read_document(&b, 0, 10, 10);
		for (uint32_t i = 0; i < 9; i++)
			move(&b, i, b.now_s);
	}
	/* Always now: its dates count for nothing, so that the pages are as
	 * good as each other, the one that never moved too. */
	scheduler_weigh(b.s, 9, 1.01F);
	b.now_s += DAY;
	expect(&b, SCHEDULER_PAGE, 9, REASON_VALUE);
	scheduler_free(b.s);
}

/* past the ceiling it is asked for, however little it is worth;
 * ceilings take a tenth of the requests. */
static void
test_ceiling(void **state)
{
	struct scheduler_options options = pages_only();
	int ceilings = 0;
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 5 * DAY);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	for (int i = 0; i < 100; i++)
		(void)add_page(&b, 1000, DAY);
	for (int i = 0; i < 100; i++)
		(void)add_page(&b, 0.001F, 6 * DAY);
	for (int i = 0; i < 300; i++) {
		b.now_s += HOUR;
		assert_true(scheduler_next(b.s, b.now_s, &b.choice));
		answer(&b, b.choice.number, FETCH_CHANGED);
		if (b.choice.reason == REASON_CEILING) {
			assert_in_range(b.choice.number, 100, 199);
			ceilings++;
		}
	}
	assert_in_range(ceilings, 20, 31);
	scheduler_free(b.s);
}

/* A page that is listed no more has no ceiling, until it is listed again. */
static void
test_ceiling_of_removed(void **state)
{
	struct scheduler_options options = pages_only();
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 30 * DAY);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	(void)add_page(&b, 1e-9F, HOUR);
	for (int i = 0; i < 10; i++)
		(void)add_page(&b, 1e6F, HOUR);
	scheduler_page_signal(b.s, 0,
	    &(struct scheduler_signal){
		.kind = SIGNAL_REMOVED, .lastmod_s = SCHEDULER_NO_DATE});
	for (int day = 1; day < 90; day++) {
		b.now_s += DAY;
		assert_true(scheduler_next(b.s, b.now_s, &b.choice));
		assert_int_not_equal(b.choice.number, 0);
		answer(&b, b.choice.number, FETCH_CHANGED);
	}
	scheduler_page_signal(b.s, 0,
	    &(struct scheduler_signal){
		.kind = SIGNAL_RETURNED, .lastmod_s = SCHEDULER_NO_DATE});
	for (int i = 0; i < 20 && b.choice.number != 0; i++) {
		b.now_s += HOUR;
		assert_true(scheduler_next(b.s, b.now_s, &b.choice));
		answer(&b, b.choice.number, FETCH_CHANGED);
	}
	assert_int_equal(b.choice.reason, REASON_CEILING);
	scheduler_free(b.s);
}

/* No answer: nothing is learned, and it is left alone for an hour, or for as
 * long as the host says. */
static void
test_failure(void **state)
{
	struct scheduler_options options = pages_only();
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	(void)add_page(&b, 1, 10 * DAY);
	(void)add_page(&b, 0.5F, 10 * DAY);
	expect(&b, SCHEDULER_PAGE, 0, REASON_VALUE);
	answer(&b, 0, FETCH_FAILED);
	expect(&b, SCHEDULER_PAGE, 1, REASON_VALUE);
	scheduler_outcome(b.s, 1,
	    &(struct scheduler_outcome){
		.now_s = b.now_s, .kind = FETCH_FAILED, .hold_s = 3 * HOUR});
	for (int64_t t = 0; t < 3 * HOUR; t += 600) {
		b.now_s = T0 + t;
		expect_nothing(&b);
	}
	b.now_s = T0 + 3 * HOUR + 60;
	expect(&b, SCHEDULER_PAGE, 0, REASON_VALUE);
	expect(&b, SCHEDULER_PAGE, 1, REASON_VALUE);
	scheduler_free(b.s);
}

static int
ask_daily(struct bench *bench, int days)
{
	int asked = 0;

	for (int i = 0; i < days; i++) {
		bench->now_s += DAY;
		if (!scheduler_next(bench->s, bench->now_s, &bench->choice))
			continue;
		asked++;
		answer(bench, 0, FETCH_GONE);
	}
	return asked;
}

/* What is listed may come back, however often it was gone; what is no longer
 * listed as well is over. */
static void
test_gone(void **state)
{
	struct scheduler_options options = pages_only();
	struct scheduler_signal removed = {.kind = SIGNAL_REMOVED};
	struct scheduler_signal back = {
	    .kind = SIGNAL_RETURNED, .lastmod_s = SCHEDULER_NO_DATE};
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 30 * DAY);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	(void)add_page(&b, 1, 10 * DAY);
	assert_true(ask_daily(&b, 400) >= 13);
	scheduler_page_signal(b.s, 0, &removed);
	assert_int_equal(ask_daily(&b, 400), 0);
	scheduler_page_signal(b.s, 0, &back);
	assert_true(ask_daily(&b, 400) >= 13);
	scheduler_free(b.s);
}

/* What was gone and is listed again is as good as new, but for its floor. */
static void
test_listed_again(void **state)
{
	struct scheduler_options options = pages_only();
	struct scheduler_signal removed = {.kind = SIGNAL_REMOVED};
	struct scheduler_signal back = {
	    .kind = SIGNAL_NEW, .lastmod_s = SCHEDULER_NO_DATE};
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	(void)add_page(&b, 1, 10 * DAY);
	(void)add_page(&b, 1, 10 * DAY);
	answer(&b, 1, FETCH_GONE);
	scheduler_page_signal(b.s, 1, &removed);
	expect(&b, SCHEDULER_PAGE, 0, REASON_VALUE);
	expect_nothing(&b);
	scheduler_give_back(b.s, b.now_s, &b.choice);
	scheduler_page_signal(b.s, 1, &back);
	b.now_s += 2 * HOUR;
	expect(&b, SCHEDULER_PAGE, 1, REASON_NEW);
	answer(&b, 1, FETCH_CHANGED);
	expect(&b, SCHEDULER_PAGE, 0, REASON_VALUE);
	scheduler_free(b.s);
}

/* A request that is not made is lost: what is worth little will do. */
static void
test_nothing_is_lost(void **state)
{
	struct scheduler_options options = pages_only();
	struct bench b;

	(void)state;
	options.is_scarce = true;
	bench_open(&b, &options);
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	(void)add_page(&b, 1e6F, 10 * DAY);
	for (int i = 0; i < 200; i++)
		(void)add_page(&b, 1, 2 * HOUR);
	expect(&b, SCHEDULER_PAGE, 0, REASON_VALUE);
	b.now_s += 60;
	for (int i = 0; i < 200; i++) {
		assert_true(scheduler_next(b.s, b.now_s, &b.choice));
		assert_true(b.choice.value < b.choice.price);
	}
	expect_nothing(&b);
	scheduler_free(b.s);
}

/* Where a host may be asked once a minute, and has more to ask for, requests
 * have no price: no budget binds.  With a budget that does, they are worth what
 * they bring; with one that does not, nothing. */
static void
test_price(void **state)
{
	static const struct {
		double per_hour;
		bool has_price;
	} cases[] = {{0, false}, {30, true}, {600, false}};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct scheduler_options options = pages_only();
		struct scheduler_host host = {.delay_ms = 60000};
		struct scheduler_site site = plain_site();
		struct bench b = {.now_s = T0};
		double least = INFINITY;

		options.requests_per_hour = cases[c].per_hour;
		b.s = scheduler_new(&options);
		(void)scheduler_add_host(b.s, &host);
		site.page_ceiling_s = 0;
		(void)scheduler_add_site(b.s, &site);
		(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
		for (int i = 0; i < 3000; i++)
			(void)add_page(&b, 1, 100 * DAY);
		for (int i = 0; i < 4000; i++) {
			b.now_s += 30;
			if (!scheduler_next(b.s, b.now_s, &b.choice))
				continue;
			answer(&b, b.choice.number, FETCH_SAME);
			least = b.choice.value < least ? b.choice.value : least;
			if (i < 400)
				continue;
			if (cases[c].has_price)
				assert_true(b.choice.price > 0.9 * least);
			else
				assert_close(b.choice.price, 0, 0);
		}
		scheduler_free(b.s);
	}
}

/* One that is no longer listed is asked for once, to see, after what is; and
 * one that is still there again after a month. */
static void
test_removed(void **state)
{
	struct scheduler_options options = pages_only();
	struct scheduler_signal removed = {.kind = SIGNAL_REMOVED};
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	(void)add_page(&b, 1, DAY);
	(void)add_page(&b, 1, DAY);
	scheduler_page_signal(b.s, 1, &removed);
	expect(&b, SCHEDULER_PAGE, 0, REASON_VALUE);
	expect(&b, SCHEDULER_PAGE, 1, REASON_REMOVED);
	answer(&b, 0, FETCH_SAME);
	answer(&b, 1, FETCH_SAME);
	b.now_s += 2 * DAY;
	expect(&b, SCHEDULER_PAGE, 0, REASON_VALUE);
	expect_nothing(&b);
	/* it is still there: it may go yet */
	b.now_s += 29 * DAY;
	expect(&b, SCHEDULER_PAGE, 1, REASON_VALUE);
	answer(&b, 1, FETCH_GONE);
	b.now_s += 400 * DAY;
	expect_nothing(&b);
	scheduler_free(b.s);
}

/* One more page of a document, as long as there is one. */
static void
test_listed(void **state)
{
	struct scheduler_options options = pages_only();
	struct scheduler_page page = {.weight = 1,
	    .lastmod_s = SCHEDULER_NO_DATE,
	    .fetched_s = SCHEDULER_NEVER,
	    .is_out = true};
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	scheduler_listed(b.s, 0, 2);
	expect(&b, SCHEDULER_LISTED, 0, REASON_NEW);
	assert_int_equal(scheduler_add_page(b.s, &page, b.now_s), 0);
	expect(&b, SCHEDULER_LISTED, 0, REASON_NEW);
	expect_nothing(&b);
	scheduler_give_back(b.s, b.now_s, &b.choice);
	expect(&b, SCHEDULER_LISTED, 0, REASON_NEW);
	answer(&b, 0, FETCH_CHANGED);
	b.now_s += DAY;
	expect_soon(&b, 0);
	scheduler_free(b.s);
}

/* A clock that was put back stands; one that leaps does no harm. */
static void
test_clock(void **state)
{
	struct scheduler_options options = pages_only();
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	(void)add_page(&b, 1, DAY);
	expect(&b, SCHEDULER_PAGE, 0, REASON_VALUE);
	b.now_s -= 1000 * DAY;
	answer(&b, 0, FETCH_SAME);
	expect_nothing(&b);
	b.now_s = T0 + HOUR + 60;
	expect_soon(&b, 0);
	b.now_s = INT64_MAX / 1000000;
	answer(&b, 0, FETCH_SAME);
	b.now_s += 100 * DAY;
	expect_soon(&b, 0);
	scheduler_free(b.s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order),
	    cmocka_unit_test(test_floor),
	    cmocka_unit_test(test_signals),
	    cmocka_unit_test(test_mass),
	    cmocka_unit_test(test_ceiling),
	    cmocka_unit_test(test_ceiling_of_removed),
	    cmocka_unit_test(test_failure),
	    cmocka_unit_test(test_gone),
	    cmocka_unit_test(test_listed_again),
	    cmocka_unit_test(test_nothing_is_lost),
	    cmocka_unit_test(test_price),
	    cmocka_unit_test(test_removed),
	    cmocka_unit_test(test_listed),
	    cmocka_unit_test(test_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
