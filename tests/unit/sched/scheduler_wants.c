/* Pages and documents asked for apart. */

#include "sched/evaluation.h"
#include "sched/scheduler_explain.h"
#include "sched/scheduler_hosts.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_parts.h"
#include "tests/fixtures/scheduler_fixture.h"

enum { PAGES = 300 };

/* wants(bench, wants, kind): one that is chosen when these are wanted; -1:
 * none. */
static long
wants(struct bench *b, unsigned kinds, enum scheduler_kind kind)
{
	if (!scheduler_next_of(b->s, b->now_s, kinds, &b->choice)) {
		assert_true(
		    scheduler_due_of_s(b->s, b->now_s, kinds) > b->now_s);
		return -1;
	}
	assert_int_equal(b->choice.kind, kind);
	return (long)b->choice.number;
}

static long
wants_page(struct bench *b)
{
	return wants(b, SCHEDULER_KINDS_PAGES, SCHEDULER_PAGE);
}

static long
wants_document(struct bench *b)
{
	return wants(b, SCHEDULER_KINDS_DOCUMENTS, SCHEDULER_DOCUMENT);
}

/* A site with one document that was never read, and pages never fetched. */
static void
open_apart(struct bench *b, double per_hour, int64_t ceiling_s)
{
	struct scheduler_options options = scheduler_options_default();

	options.asks_apart = true;
	options.requests_per_hour = per_hour;
	bench_open(b, &options);
	(void)add_site(b, ceiling_s);
	(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	for (int i = 0; i < PAGES; i++)
		(void)add_page(b, 1, 0);
}

/* Each gets what it wants, who wants both the best; what one is given counts
 * against the limits of the host, for the other too. */
static void
test_kinds(void **state)
{
	struct bench b;

	(void)state;
	open_apart(&b, 0, 0);
	assert_true(wants_page(&b) >= 0);
	assert_int_equal(wants_document(&b), 0);
	assert_int_equal(wants_document(&b), -1);
	assert_true(wants_page(&b) >= 0);
	scheduler_give_back(b.s, b.now_s,
	    &(struct scheduler_choice){.kind = SCHEDULER_DOCUMENT});
	expect(&b, SCHEDULER_DOCUMENT, 0, REASON_NEW);
	scheduler_give_back(b.s, b.now_s, &b.choice);
	scheduler_set_host(b.s, 0, &(struct scheduler_host){.delay_ms = 5000});
	b.now_s += 10;
	assert_true(wants_page(&b) >= 0);
	b.now_s += 4;
	assert_int_equal(wants_document(&b), -1);
	assert_int_equal(
	    scheduler_due_of_s(b.s, b.now_s, SCHEDULER_KINDS_DOCUMENTS),
	    b.now_s + 1);
	b.now_s += 1;
	assert_int_equal(wants_document(&b), 0);
	scheduler_free(b.s);
}

/* What nobody asks for does not move the price: it neither rises because many
 * pages wait, nor falls because there is budget for them. */
static void
test_price(void **state)
{
	struct bench b;
	double price;

	(void)state;
	open_apart(&b, 0, 0);
	price = 0.01;
	set_level(&b, price);
	for (int i = 0; i < 20; i++, b.now_s += 60)
		(void)wants_document(&b);
	assert_close(limiter_level(b.s->queues.limiter,
			 b.s->hosts.kind_nodes[NODE_PAGES]),
	    price, 1e-12);
	assert_int_equal(
	    limiter_count(b.s->queues.limiter, LIMITER_ROOT), PAGES);
	/* Who asks for pages pays what they are worth. */
	for (int i = 0; i < 20; i++, b.now_s += 60)
		assert_true(wants_page(&b) >= 0);
	assert_true(limiter_level(b.s->queues.limiter,
			b.s->hosts.kind_nodes[NODE_PAGES]) > price);
	scheduler_free(b.s);
}

/* A page that nobody asked for is late; the documents after it in that line are
 * not kept waiting, nor is it forgotten. */
static void
test_ceilings(void **state)
{
	struct bench b;
	int forced = 0;

	(void)state;
	open_apart(&b, 3600, 30 * DAY);
	assert_int_equal(wants_document(&b), 0);
	read_document(&b, 0, PAGES, 0);
	/* Nothing is worth that: what is read is late. */
	limiter_set_bound(b.s->queues.limiter, b.s->hosts.limit);
	for (int day = 0; day < 40; day++, b.now_s += DAY) {
		set_level(&b, 1e9);
		if (wants_document(&b) == 0)
			read_document(&b, 0, PAGES, 0);
	}
	assert_int_equal(b.choice.reason, REASON_CEILING);
	/* Of pages those that are worth most; a tenth is for those that are
	 * late. */
	for (int i = 0; i < 100; i++, b.now_s += 60) {
		assert_true(wants_page(&b) >= 0);
		forced += b.choice.reason == REASON_CEILING;
	}
	assert_in_range(forced, 8, 11);
	scheduler_free(b.s);
}

/* Late pages have a tenth of the requests, and what is left when nothing else
 * may go out; what is worth more comes first. */
static void
test_ceilings_and_value(void **state)
{
	struct bench b;
	int listed = 0, late = 0;

	(void)state;
	open_apart(&b, 0, 5 * DAY);
	assert_int_equal(wants_document(&b), 0);
	read_document(&b, 0, PAGES, 0);
	for (uint32_t i = 0; i < PAGES; i++) {
		scheduler_weigh(b.s, i, 1e-6F);
		answer(&b, i, FETCH_CHANGED);
	}
	b.now_s += 6 * DAY;
	read_document(&b, 0, PAGES, 0);
	scheduler_listed(b.s, 0, 100);
	for (int i = 0; i < 200; i++) {
		assert_true(scheduler_next_of(
		    b.s, b.now_s, SCHEDULER_KINDS_PAGES, &b.choice));
		if (b.choice.kind == SCHEDULER_LISTED)
			listed++;
		else
			late += b.choice.reason == REASON_CEILING;
		if (i == 109)
			assert_in_range(listed, 95, 100);
	}
	assert_int_equal(listed, 100);
	assert_in_range(late, 9, 20);
	scheduler_free(b.s);
}

/* Whatever a site is from now on holds for what waits, too. */
static void
test_set_site(void **state)
{
	struct scheduler_site is = plain_site();
	struct scheduler_options options = pages_only();
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	is.page_floor_s = 3 * HOUR;
	is.page_ceiling_s = 0;
	(void)scheduler_add_site(b.s, &is);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	(void)add_page(&b, 1, 2 * HOUR);
	(void)add_page(&b, 2, 2 * HOUR);
	expect_nothing(&b);
	/* the ceiling that it gets is over */
	is.page_floor_s = is.page_ceiling_s = HOUR;
	is.tag = 77; /* stays */
	scheduler_set_site(b.s, 0, &is);
	b.s->ceilings = 2;
	for (int i = 0; i < 2; i++) {
		assert_true(scheduler_next(b.s, b.now_s, &b.choice));
		assert_int_equal(b.choice.reason, REASON_CEILING);
		scheduler_give_back(b.s, b.now_s, &b.choice);
	}
	is.page_ceiling_s = 0;
	scheduler_set_site(b.s, 0, &is);
	b.now_s += HOUR;
	expect(&b, SCHEDULER_PAGE, 1, REASON_VALUE);
	/* what waits now is below the floor that it gets */
	is.page_floor_s = DAY;
	scheduler_set_site(b.s, 0, &is);
	expect_nothing(&b);
	is.page_floor_s = HOUR;
	is.weight = 5;
	scheduler_set_site(b.s, 0, &is);
	b.now_s += 60;
	expect(&b, SCHEDULER_PAGE, 0, REASON_VALUE);
	assert_int_equal(b.s->sites.items[0].is.tag, SCHEDULER_NONE);
	scheduler_free(b.s);
}

/* Of a site with more pages than are looked at at once none is asked for below
 * its floor, and all are found. */
static void
test_set_large_site(void **state)
{
	struct scheduler_site is = plain_site();
	struct scheduler_options options = pages_only();
	struct bench b;
	size_t found = 0;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	for (int i = 0; i < 6000; i++)
		(void)add_page(&b, 1, 2 * HOUR);
	assert_int_equal(
	    limiter_count(b.s->queues.limiter, LIMITER_ROOT), 6000);
	is.page_floor_s = 3 * HOUR;
	scheduler_set_site(b.s, 0, &is);
	expect_nothing(&b);
	b.now_s += HOUR;
	for (int i = 0; i < 100; i++, b.now_s += 60)
		while (scheduler_next(b.s, b.now_s, &b.choice))
			found++;
	assert_int_equal(found, 6000);
	scheduler_free(b.s);
}

/* Where all that is known is below its floor nothing is looked at, and what is
 * above it is found at once. */
static void
test_below_floor(void **state)
{
	struct scheduler_site is = plain_site();
	struct scheduler_options options = pages_only();
	struct bench b;
	uint64_t before;
	size_t found = 0;

	(void)state;
	options.tick_s = 1;
	bench_open(&b, &options);
	is.page_floor_s = 12 * HOUR;
	(void)scheduler_add_site(b.s, &is);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	for (int i = 0; i < PAGES; i++)
		(void)add_page(&b, 1, HOUR);
	before = scheduler_evaluations(b.s);
	for (; b.now_s < T0 + 11 * HOUR - 60; b.now_s += 10)
		expect_nothing(&b);
	assert_int_equal(scheduler_evaluations(b.s) - before, 0);
	assert_int_equal(scheduler_due_s(b.s, b.now_s), T0 + 11 * HOUR);
	b.now_s = T0 + 11 * HOUR;
	while (scheduler_next(b.s, b.now_s, &b.choice))
		found++;
	assert_int_equal(found, PAGES);
	scheduler_free(b.s);
}

/* How often a page is asked for in 60 days, all that is due being done. */
static int
asked_for(struct bench *b, uint32_t page)
{
	int n = 0;

	for (int day = 0; day < 60; day++, b->now_s += DAY)
		while (scheduler_next(b->s, b->now_s, &b->choice)) {
			n += b->choice.kind == SCHEDULER_PAGE &&
			    b->choice.number == page;
			if (b->choice.kind == SCHEDULER_PAGE)
				answer(b, b->choice.number, FETCH_CHANGED);
			else
				read_document(b, b->choice.number, 10, 1);
		}
	return n;
}

/* A page that is retired is not asked for, whatever is told of it, until it is
 * listed again or said to be back; and it is worth no reading. */
static void
test_retire(void **state)
{
	struct scheduler_options options = scheduler_options_default();
	struct scheduler_signal signal = {.kind = SIGNAL_RETURNED};
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, DAY);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	(void)add_page(&b, 1, HOUR);
	(void)add_page(&b, 1, 0);
	assert_true(asked_for(&b, 0) > 10);
	scheduler_retire(b.s, SCHEDULER_PAGE, 0);
	assert_true(b.s->pages.items[0].gain <= 0);
	assert_int_equal(asked_for(&b, 0), 0);
	move(&b, 0, b.now_s);
	answer(&b, 0, FETCH_FAILED);
	answer(&b, 0, FETCH_SAME);
	scheduler_weigh(b.s, 0, 9);
	assert_int_equal(asked_for(&b, 0), 0);
	assert_true(asked_for(&b, 1) > 10);
	signal.lastmod_s = b.now_s;
	scheduler_page_signal(b.s, 0, &signal);
	assert_true(asked_for(&b, 0) > 10);
	scheduler_retire(b.s, SCHEDULER_PAGE, 0);
	scheduler_return(b.s, SCHEDULER_PAGE, 0);
	assert_true(asked_for(&b, 0) > 10);
	scheduler_free(b.s);
}

/* The same of documents: nothing makes it read, but that it is listed again, or
 * said to be back. */
static void
test_retire_document(void **state)
{
	struct scheduler_signal signal = {.kind = SIGNAL_MOVED};
	struct bench b;

	(void)state;
	open_apart(&b, 0, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/index.xml");
	(void)add_document(&b, 1, "/child.xml");
	scheduler_retire(b.s, SCHEDULER_DOCUMENT, 2);
	for (int i = 0; i < 2; i++)
		read_document(&b, (uint32_t)wants_document(&b), 3, 1);
	for (int day = 0; day < 60; day++, b.now_s += DAY) {
		long document = wants_document(&b);

		assert_true(document != 2);
		if (document >= 0)
			read_document(&b, (uint32_t)document, 3, 1);
		if (document == 1) {
			signal.lastmod_s = b.now_s;
			scheduler_child_signal(b.s, 2, &signal);
		}
	}
	for (int way = 0; way < 2; way++) {
		scheduler_retire(b.s, SCHEDULER_DOCUMENT, 0);
		scheduler_retire(b.s, SCHEDULER_DOCUMENT, 1);
		b.now_s += 30 * DAY;
		assert_int_equal(wants_document(&b), -1);
		signal.kind = SIGNAL_RETURNED;
		if (way == 0)
			scheduler_child_signal(b.s, 2, &signal);
		else
			scheduler_return(b.s, SCHEDULER_DOCUMENT, 2);
		assert_int_equal(wants_document(&b), 2);
		read_document(&b, 2, 3, 1);
		scheduler_retire(b.s, SCHEDULER_DOCUMENT, 2);
	}
	scheduler_free(b.s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_kinds),
	    cmocka_unit_test(test_price),
	    cmocka_unit_test(test_ceilings),
	    cmocka_unit_test(test_ceilings_and_value),
	    cmocka_unit_test(test_set_site),
	    cmocka_unit_test(test_set_large_site),
	    cmocka_unit_test(test_below_floor),
	    cmocka_unit_test(test_retire),
	    cmocka_unit_test(test_retire_document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
