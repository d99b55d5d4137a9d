/* The scheduler: which request is made when, one rule at a time. */
#include "tests/fixtures/scheduler_fixture.h"

#include <math.h>

#include "sched/scheduler.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_parts.h"
#include "tests/sim/random.h"
#include "tests/sim/told.h"

/* Expect a choice of the page soon: the price falls while there is nothing
 * else to choose. */
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

/* The most valuable page comes first; a chosen page is out until its outcome
 * comes, or until it is given back. */
static void
test_order(void **state)
{
	struct bench *b = *state;
	struct scheduler_options options = pages_only();
	struct scheduler_choice first;

	bench_open(b, &options);
	expect_nothing(b);
	(void)add_site(b, 0);
	(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	(void)add_page(b, 1, 10 * DAY);
	(void)add_page(b, 3, 10 * DAY);
	(void)add_page(b, 2, 0);
	expect(b, SCHEDULER_PAGE, 2, REASON_NEW);
	expect(b, SCHEDULER_PAGE, 1, REASON_VALUE);
	first = b->choice;
	expect(b, SCHEDULER_PAGE, 0, REASON_VALUE);
	expect_nothing(b);
	assert_true(first.value > b->choice.value);
	scheduler_give_back(b->s, b->now_s, &first);
	expect(b, SCHEDULER_PAGE, 1, REASON_VALUE);
}

/* A moved date makes a page more valuable, unless the move was before its last
 * fetch. */
static void
test_signals(void **state)
{
	struct bench *b = *state;

	open_pages(b, 0);
	for (int i = 0; i < 10; i++)
		(void)add_page(b, i == 9 ? 1.01F : 1, 10 * DAY);
	read_document(b, 0, 10, 0);
	b->now_s += DAY;
	read_document(b, 0, 10, 2);
	move(b, 4, b->now_s - 10);
	move(b, 5, b->now_s - 10 * DAY); /* before its fetch */
	expect(b, SCHEDULER_PAGE, 4, REASON_VALUE);
	expect(b, SCHEDULER_PAGE, 5, REASON_VALUE);
	/* a date that moved back is a reason, too, but an odd one */
	move(b, 6, b->now_s - 12 * DAY);
	expect(b, SCHEDULER_PAGE, 6, REASON_VALUE);
}

/* SCHEDULING F.2: when most of a source moves, no page stands out. */
static void
test_mass(void **state)
{
	struct bench *b = *state;

	open_pages(b, 0);
	add_pages(b, 10, 1, 10 * DAY);
	read_document(b, 0, 10, 0);
	for (int day = 0; day < 20; day++) {
		b->now_s += DAY;
		read_document(b, 0, 10, 10);
		for (uint32_t i = 0; i < 9; i++)
			move(b, i, b->now_s);
	}
	/* All dates always move, so they count for nothing, and a page whose
	 * date never moved is worth as much as the others. */
	scheduler_weigh(b->s, 9, 1.01F);
	b->now_s += DAY;
	expect(b, SCHEDULER_PAGE, 9, REASON_VALUE);
}

/* A page that is no longer listed has no ceiling, until it is listed again. */
static void
test_ceiling_of_removed(void **state)
{
	struct bench *b = *state;

	open_pages(b, 30 * DAY);
	(void)add_page(b, 1e-9F, HOUR);
	add_pages(b, 10, 1e6F, HOUR);
	signal_page(b, 0, SIGNAL_REMOVED);
	for (int day = 1; day < 90; day++) {
		b->now_s += DAY;
		assert_true(scheduler_next(b->s, b->now_s, &b->choice));
		assert_int_not_equal(b->choice.number, 0);
		answer(b, b->choice.number, FETCH_CHANGED);
	}
	signal_page(b, 0, SIGNAL_RETURNED);
	for (int i = 0; i < 20 && b->choice.number != 0; i++) {
		b->now_s += HOUR;
		assert_true(scheduler_next(b->s, b->now_s, &b->choice));
		answer(b, b->choice.number, FETCH_CHANGED);
	}
	assert_int_equal(b->choice.reason, REASON_CEILING);
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

/* A listed page may come back, however often it was gone; a page that is gone
 * and no longer listed is not fetched again. */
static void
test_gone(void **state)
{
	struct bench *b = *state;

	open_pages(b, 30 * DAY);
	(void)add_page(b, 1, 10 * DAY);
	assert_true(ask_daily(b, 400) >= 13);
	signal_page(b, 0, SIGNAL_REMOVED);
	assert_int_equal(ask_daily(b, 400), 0);
	signal_page(b, 0, SIGNAL_RETURNED);
	assert_true(ask_daily(b, 400) >= 13);
}

/* A page that was gone and is listed again is treated as new, except for its
 * floor. */
static void
test_listed_again(void **state)
{
	struct bench *b = *state;

	open_pages(b, 0);
	(void)add_page(b, 1, 10 * DAY);
	(void)add_page(b, 1, 10 * DAY);
	answer(b, 1, FETCH_GONE);
	signal_page(b, 1, SIGNAL_REMOVED);
	expect(b, SCHEDULER_PAGE, 0, REASON_VALUE);
	expect_nothing(b);
	scheduler_give_back(b->s, b->now_s, &b->choice);
	signal_page(b, 1, SIGNAL_NEW);
	b->now_s += 2 * HOUR;
	expect(b, SCHEDULER_PAGE, 1, REASON_NEW);
	answer(b, 1, FETCH_CHANGED);
	expect(b, SCHEDULER_PAGE, 0, REASON_VALUE);
}

/* A request that is not made is lost, so pages of little value are chosen when
 * there is nothing better. */
static void
test_nothing_is_lost(void **state)
{
	struct bench *b = *state;
	struct scheduler_options options = pages_only();

	bench_open(b, &options);
	told_scarce(b->s);
	(void)add_site(b, 0);
	(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	(void)add_page(b, 1e6F, 10 * DAY);
	add_pages(b, 200, 1, 2 * HOUR);
	expect(b, SCHEDULER_PAGE, 0, REASON_VALUE);
	b->now_s += 60;
	for (int i = 0; i < 200; i++) {
		assert_true(scheduler_next(b->s, b->now_s, &b->choice));
		assert_true(b->choice.value < b->choice.price);
	}
	expect_nothing(b);
	told_forget(b->s);
}

/* The delay of a host alone gives requests no price, because no budget binds.
 * With a budget that binds, the price is about the least value that was
 * chosen; with a budget that does not bind, there is no price. */
static void
test_price(void **state)
{
	static const struct {
		double per_hour;
		bool has_price;
	} cases[] = {{0, false}, {30, true}, {600, false}};
	struct bench *b = *state;

	for (size_t c = 0; c < COUNT(cases); c++) {
		struct scheduler_options options = pages_only();
		double least = INFINITY;

		options.requests_per_hour = cases[c].per_hour;
		bench_open(b, &options);
		scheduler_set_host(
		    b->s, 0, &(struct scheduler_host){.delay_ms = 60000});
		(void)add_site(b, 0);
		(void)add_document(b, SCHEDULER_NONE, "/s.xml");
		add_pages(b, 3000, 1, 100 * DAY);
		for (int i = 0; i < 4000; i++) {
			b->now_s += 30;
			if (!scheduler_next(b->s, b->now_s, &b->choice))
				continue;
			answer(b, b->choice.number, FETCH_SAME);
			least = fmin(least, b->choice.value);
			if (i >= 400 &&
			    (cases[c].has_price ? b->choice.price <= 0.9 * least
						: b->choice.price != 0))
				fail_msg("%g an hour: the price is %g, not %g",
				    cases[c].per_hour, b->choice.price, least);
		}
	}
}

/* A page that is no longer listed is fetched once, after listed pages, to see
 * whether it is gone, and again if that fails; if it still exists, it is
 * fetched again after a month. */
static void
test_removed(void **state)
{
	struct bench *b = *state;

	open_pages(b, 0);
	add_pages(b, 2, 1, DAY);
	signal_page(b, 1, SIGNAL_REMOVED);
	expect(b, SCHEDULER_PAGE, 0, REASON_VALUE);
	expect(b, SCHEDULER_PAGE, 1, REASON_REMOVED);
	answer(b, 1, FETCH_FAILED);
	b->now_s += 2 * HOUR;
	expect(b, SCHEDULER_PAGE, 1, REASON_REMOVED);
	answer(b, 0, FETCH_SAME);
	answer(b, 1, FETCH_SAME);
	b->now_s += 2 * DAY;
	expect(b, SCHEDULER_PAGE, 0, REASON_VALUE);
	expect_nothing(b);
	/* the page still exists, but may go later */
	b->now_s += 29 * DAY;
	expect(b, SCHEDULER_PAGE, 1, REASON_VALUE);
	answer(b, 1, FETCH_GONE);
	b->now_s += 400 * DAY;
	expect_nothing(b);
}

/* The scheduler chooses one more page of a document as long as there is
 * one. */
static void
test_listed(void **state)
{
	struct bench *b = *state;
	struct scheduler_page page = {.weight = 1,
	    .lastmod_s = SCHEDULER_NO_DATE,
	    .fetched_s = SCHEDULER_NEVER,
	    .is_out = true};

	open_pages(b, 0);
	scheduler_listed(b->s, 0, 2);
	expect(b, SCHEDULER_LISTED, 0, REASON_NEW);
	assert_int_equal(scheduler_add_page(b->s, &page, b->now_s), 0);
	expect(b, SCHEDULER_LISTED, 0, REASON_NEW);
	expect_nothing(b);
	scheduler_give_back(b->s, b->now_s, &b->choice);
	expect(b, SCHEDULER_LISTED, 0, REASON_NEW);
	answer(b, 0, FETCH_CHANGED);
	b->now_s += DAY;
	expect_soon(b, 0);
}

/* A time before the present is ignored; a clock that leaps does no harm. */
static void
test_clock(void **state)
{
	struct bench *b = *state;

	open_pages(b, 0);
	(void)add_page(b, 1, DAY);
	expect(b, SCHEDULER_PAGE, 0, REASON_VALUE);
	answer(b, 0, FETCH_SAME);
	b->now_s -= 1000 * DAY;
	assert_false(scheduler_next(b->s, b->now_s, &b->choice));
	b->now_s = T0 + HOUR + 60;
	expect_soon(b, 0);
	b->now_s = INT64_MAX / 1000000;
	answer(b, 0, FETCH_SAME);
	b->now_s += 100 * DAY;
	expect_soon(b, 0);
}

/* Clocks that jump, numbers without a meaning, events in a wrong order. */

/* requests(bench, days): the number of requests in these days, each answered
 * at once; there are 24 calls a day. */
static int
requests(struct bench *bench, int days)
{
	int count = 0;

	for (int hour = 0; hour < days * 24; hour++) {
		bench->now_s += HOUR;
		while (scheduler_next(bench->s, bench->now_s, &bench->choice)) {
			count++;
			if (bench->choice.kind == SCHEDULER_PAGE)
				answer(bench, bench->choice.number, FETCH_SAME);
			else
				read_document(
				    bench, bench->choice.number, 100, 1);
		}
	}
	return count;
}

static void
open_busy(struct bench *bench)
{
	struct scheduler_options options = scheduler_options_default;
	struct scheduler_site site = scheduler_site_default;

	options.requests_per_hour = 3600;
	bench_open(bench, &options);
	site.page_floor_s = 2 * HOUR;
	(void)scheduler_add_site(bench->s, &site);
	(void)add_document(bench, SCHEDULER_NONE, "/index.xml");
	(void)add_document(bench, 0, "/s.xml");
	for (int i = 0; i < 100; i++)
		(void)add_new_page(bench, 1, 1);
}

static int64_t
held_s(const struct bench *b)
{
	return scheduler_held_s(b->s, 0, HELD_ALL);
}

/* A hold lasts as long as was said. */
static void
test_hold(void **state)
{
	struct bench *b = *state;

	open_busy(b);
	assert_int_equal(held_s(b), INT64_MIN);
	scheduler_hold(b->s, 0, HELD_ALL, b->now_s, 3 * HOUR);
	assert_int_equal(held_s(b), b->now_s + 3 * HOUR);
	scheduler_hold(b->s, 0, HELD_ALL, b->now_s, HOUR);
	assert_int_equal(held_s(b), b->now_s + 3 * HOUR);
	b->now_s += HOUR;
	expect_nothing(b);
	b->now_s += 2 * HOUR - 61;
	expect_nothing(b);
	b->now_s += 61;
	assert_true(scheduler_next(b->s, b->now_s, &b->choice));
	/* A hold that has ended does not begin again. */
	b->now_s += 1000 * DAY;
	expect(b, SCHEDULER_DOCUMENT, 1, REASON_NEW);
	scheduler_hold(b->s, 0, HELD_ALL, b->now_s, HOUR);
	b->now_s += 2 * HOUR;
	assert_true(scheduler_next(b->s, b->now_s, &b->choice));
	b->now_s += 2 * HOUR;
	scheduler_hold(b->s, 0, HELD_ALL, b->now_s, 1000 * DAY);
	assert_int_equal(held_s(b), b->now_s + 366 * DAY);
}

/* Times that no clock shows. */
static void
test_clock_limits(void **state)
{
	struct bench *b = *state;
	static const int64_t times[] = {INT64_MIN, 0, -1, INT64_MIN + 1, T0};

	open_busy(b);
	for (size_t i = 0; i < COUNT(times); i++) {
		b->now_s = times[i];
		(void)scheduler_due_of_s(b->s, b->now_s, SCHEDULER_KINDS_ALL);
		(void)scheduler_next(b->s, b->now_s, &b->choice);
		scheduler_give_back(b->s, b->now_s, &b->choice);
	}
	assert_true(requests(b, 5) > 100);
	for (int i = 1; i >= 0; i--) {
		(void)scheduler_due_of_s(
		    b->s, INT64_MAX - i, SCHEDULER_KINDS_ALL);
		(void)scheduler_next(b->s, INT64_MAX - i, &b->choice);
		scheduler_give_back(b->s, INT64_MAX - i, &b->choice);
	}
}

/* After a leap of the clock the due items are evaluated over several calls. */
static void
test_leap(void **state)
{
	struct bench *b = *state;
	struct scheduler_options options = pages_only();
	struct scheduler_site site = scheduler_site_default;
	uint64_t evaluations, before;
	uint32_t pages = 200000;

	options.requests_per_hour = 60;
	bench_open(b, &options);
	site.page_floor_s = 50 * DAY;
	(void)scheduler_add_site(b->s, &site);
	(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	add_pages(b, pages, 1, HOUR);
	b->now_s += 100 * DAY;
	before = b->s->pages.evaluations;
	for (int call = 0; call < 300; call++) {
		evaluations = b->s->pages.evaluations;
		if (scheduler_next(b->s, b->now_s, &b->choice))
			answer(b, b->choice.number, FETCH_SAME);
		assert_true(b->s->pages.evaluations - evaluations < pages / 2);
		b->now_s++;
	}
	assert_true(b->s->pages.evaluations - before > pages);
}

/* The highest value of a reading may lie in the past; then the document must
 * not be evaluated again and again. */
static void
test_past_its_best(void **state)
{
	struct bench *b = *state;
	struct scheduler_options options = scheduler_options_default;
	int over = 0;

	bench_open(b, &options);
	told_scarce(b->s);
	(void)add_site(b, 0);
	(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	add_pages(b, 50, 1000, DAY);
	/* The pages of the document change all the time, but the document does
	 * not. */
	for (int reading = 0; reading < 60; reading++) {
		b->now_s += 2 * HOUR;
		read_document(b, 0, 50, 0);
		for (uint32_t i = 0; i < 50; i++)
			answer(b, i, FETCH_CHANGED);
	}
	b->now_s += 40 * DAY;
	for (double price = 1e-3; price < 1e6; price *= 1.2) {
		struct scheduler_terms terms;

		over += document_terms(b, 0).value < price;
		set_level(b, price);
		source_reschedule(&b->s->sources, 0);
		terms = document_terms(b, 0);
		assert_true(terms.is_waiting || terms.due_s > b->now_s);
	}
	assert_in_range(over, 10, 100);
	told_forget(b->s);
}

/* The sitemap of a past day is no longer read for changes that it might
 * have. */
static void
test_day_is_over(void **state)
{
	struct bench *b = *state;
	struct scheduler_options options = scheduler_options_default;
	int asked[2] = {0};

	bench_open(b, &options);
	(void)scheduler_add_site(b->s,
	    &(struct scheduler_site){.tag = SCHEDULER_NONE,
		.weight = 1,
		.reading_floor_s = 900,
		.reading_ceiling_s = 5 * DAY});
	(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	(void)add_document(b, SCHEDULER_NONE, "/s-2027-01-12.xml");
	for (int hour = 0; hour < 80 * 24; hour++) {
		b->now_s += HOUR;
		while (scheduler_next(b->s, b->now_s, &b->choice)) {
			asked[b->choice.number] += hour > 10 * 24;
			read_document(b, b->choice.number, 10, 0);
		}
	}
	/* it is read at intervals of three times the ceiling. */
	assert_in_range(asked[1], 3, 6);
	assert_true(asked[0] > 2 * asked[1]);
}

/* A site that dates everything anew costs a few evaluations in each tick. */
static void
test_all_is_dated_anew(void **state)
{
	struct bench *b = *state;
	struct scheduler_options options = pages_only();
	uint32_t pages = 20000;
	uint64_t evaluations;
	int asked = 0;

	options.requests_per_hour = 600;
	bench_open(b, &options);
	(void)add_site(b, 0);
	(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	add_pages(b, pages, 1, DAY);
	read_document(b, 0, pages, 0);
	for (int minute = 0; minute < 3 * 24 * 60; minute++) {
		b->now_s += 60;
		while (scheduler_next(b->s, b->now_s, &b->choice))
			answer(b, b->choice.number, FETCH_SAME);
	}
	evaluations = b->s->pages.evaluations;
	read_document(b, 0, pages, pages);
	for (uint32_t i = 0; i < pages; i++)
		move(b, i, b->now_s);
	assert_true(b->s->pages.evaluations - evaluations < 100);
	for (int minute = 0; minute < 60; minute++) {
		b->now_s += 60;
		evaluations = b->s->pages.evaluations;
		while (scheduler_next(b->s, b->now_s, &b->choice)) {
			answer(b, b->choice.number, FETCH_SAME);
			asked++;
		}
		assert_true(b->s->pages.evaluations - evaluations < 2000);
	}
	assert_in_range(asked, 550, 611);
}

/* Costs and weights without a meaning teach nothing, and charge nothing. */
static void
test_numbers(void **state)
{
	struct bench *b = *state;
	static const double odd[] = {INFINITY, -INFINITY, NAN, 1e300, -1, 0};
	struct buf buf;
	int before;

	open_busy(b);
	(void)requests(b, 5);
	before = requests(b, 5);
	for (size_t i = 0; i < COUNT(odd); i++)
		for (int times = 0; times < 2; times++) {
			b->now_s += HOUR;
			scheduler_reading(b->s, 1,
			    &(struct scheduler_reading){.now_s = b->now_s,
				.listed = UINT32_MAX,
				.added = 1,
				.bytes = UINT64_MAX,
				.cost = odd[i]});
			scheduler_outcome(b->s, 0,
			    &(struct scheduler_outcome){.now_s = b->now_s,
				.kind = FETCH_CHANGED,
				.bytes = UINT64_MAX});
			scheduler_weigh(b->s, 0, (float)odd[i]);
		}
	buf_init(&buf, 100000);
	scheduler_save_document(b->s, 1, &buf);
	assert_true(scheduler_load_document(b->s, 1, buf_text(&buf)));
	buf_clear(&buf);
	scheduler_save_page(b->s, 0, &buf);
	assert_true(scheduler_load_page(b->s, 0, buf_text(&buf)));
	/* the debts of the budgets are paid after that */
	(void)requests(b, 10);
	assert_true(requests(b, 5) > before / 2);
	buf_release(&buf);
}

/* All that was learned can be saved, also the negative numbers of a page that
 * changes less than its site. */
static void
test_kept(void **state)
{
	struct bench *b = *state;
	struct random random;
	struct buf buf;

	random_init(&random, 7, 0);
	buf_init(&buf, 100000);
	open_pages(b, 0);
	add_pages(b, 40, 1, DAY);
	for (int day = 0; day < 300; day++) {
		b->now_s += DAY;
		read_document(b, 0, 40, random_below(&random, 9));
		for (uint32_t i = 0; i < 40; i++) {
			if (random_below(&random, 4) == 0)
				move(b, i, b->now_s);
			if (random_below(&random, 5 + i) != 0)
				continue;
			answer(b, i,
			    random_below(&random, 3) == 0 ? FETCH_CHANGED
							  : FETCH_SAME);
			buf_clear(&buf);
			scheduler_save_page(b->s, i, &buf);
			assert_true(
			    scheduler_load_page(b->s, i, buf_text(&buf)));
		}
	}
	buf_release(&buf);
}

/* A page with more moves than can be counted still counts as moved. */
static void
test_many_moves(void **state)
{
	struct bench *b = *state;

	open_child(b);
	read_document(b, 1, 1, 0);
	for (int i = 0; i <= UINT16_MAX; i++) {
		b->now_s++;
		scheduler_child_signal(b->s, 1,
		    &(struct scheduler_signal){
			.kind = SIGNAL_MOVED, .lastmod_s = b->now_s});
	}
	assert_int_equal(document_terms(b, 1).moves, UINT16_MAX);
}

UNIT_TESTS(scheduler, bench_test(test_order), bench_test(test_signals),
    bench_test(test_mass), bench_test(test_ceiling_of_removed),
    bench_test(test_gone), bench_test(test_listed_again),
    bench_test(test_nothing_is_lost), bench_test(test_price),
    bench_test(test_removed), bench_test(test_listed), bench_test(test_clock),
    bench_test(test_hold), bench_test(test_clock_limits), bench_test(test_leap),
    bench_test(test_past_its_best), bench_test(test_day_is_over),
    bench_test(test_all_is_dated_anew), bench_test(test_numbers),
    bench_test(test_kept), bench_test(test_many_moves));
