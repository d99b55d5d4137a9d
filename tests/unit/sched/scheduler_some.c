/* Choices among the pages of some sites only. */
#include "sched/scheduler_next.h"

#include "sched/scheduler.h"
#include "sched/scheduler_next.h"
#include "tests/fixtures/scheduler_fixture.h"

enum { SITES = 5000, OF_EACH = 10 };

/* Many sites, each at a host of its own, with pages that were never fetched;
 * those of the last are worth the least. */
static void
open_many(struct bench *b, double per_hour)
{
	struct scheduler_options options = scheduler_options_default;

	options.asks_apart = true;
	options.requests_per_hour = per_hour;
	bench_new(b, &options);
	for (uint32_t i = 0; i < SITES; i++)
		(void)add_whole(b, &(struct scheduler_host){0},
		    scheduler_site_default, OF_EACH, (float)(SITES - i));
}

/* next(bench, some): choose a page; returns its site, or -1 when there is
 * none. */
static int
next(struct bench *b, struct scheduler_some *some)
{
	if (!scheduler_next_of(
		b->s, b->now_s, SCHEDULER_KINDS_PAGES, some, &b->choice))
		return -1;
	assert_int_equal(b->choice.kind, SCHEDULER_PAGE);
	return (int)(b->choice.number / OF_EACH);
}

/* The pages of these sites come at once, however many others wait that are
 * worth more; and the others still wait afterwards. */
static void
test_one(void **state)
{
	struct bench *b = *state;
	const uint32_t last = SITES - 1;
	struct scheduler_some some = {.sites = &last, .count = 1};
	int left = 0;

	open_many(b, 0);
	for (int i = 0; i < OF_EACH; i++)
		assert_int_equal(next(b, &some), SITES - 1);
	assert_int_equal(next(b, &some), -1);
	while (scheduler_next(b->s, b->now_s, &b->choice))
		left += b->choice.kind != SCHEDULER_DOCUMENT;
	assert_int_equal(left, (SITES - 1) * OF_EACH);
}

/* Among a few sites the best page goes first. */
static void
test_order(void **state)
{
	struct bench *b = *state;
	const uint32_t sites[] = {70, 3, 4000};
	const int want[] = {3, 70, 4000};
	struct scheduler_some some = {.sites = sites, .count = 3};

	open_many(b, 0);
	for (int i = 0; i < 3 * OF_EACH; i++)
		assert_int_equal(next(b, &some), want[i / OF_EACH]);
	assert_int_equal(next(b, &some), -1);
	some.count = 0;
	assert_int_equal(next(b, &some), -1);
}

/* Of very many sites all have their turn. */
static void
test_turns(void **state)
{
	struct bench *b = *state;
	static uint32_t sites[SITES];
	static int counts[SITES];
	struct scheduler_some some = {.sites = sites, .count = SITES};

	open_many(b, 0);
	for (uint32_t i = 0; i < SITES; i++)
		sites[i] = i;
	for (int i = 0; i < SITES * OF_EACH; i++) {
		int site = next(b, &some);

		assert_true(site >= 0);
		counts[site]++;
	}
	for (int i = 0; i < SITES; i++)
		assert_int_equal(counts[i], OF_EACH);
	assert_int_equal(next(b, &some), -1);
}

/* All sites, each of which may be asked once in five minutes. */
static struct scheduler_some
open_slow(struct bench *b)
{
	static uint32_t sites[SITES];

	open_many(b, 0);
	for (uint32_t i = 0; i < SITES; i++) {
		sites[i] = i;
		scheduler_set_host(
		    b->s, i, &(struct scheduler_host){.delay_ms = 300000});
	}
	return (struct scheduler_some){.sites = sites, .count = SITES};
}

/* Among very many sites that may have no page yet, those that may have their
 * turns. */
static void
test_few_open(void **state)
{
	enum { EVERY = 50, LEFT = SITES / EVERY * (OF_EACH - 1) };
	static int counts[SITES];
	struct bench *b = *state;
	struct scheduler_some some = open_slow(b);

	for (int i = 0; i < SITES; i++)
		assert_true(next(b, &some) >= 0);
	assert_int_equal(next(b, &some), -1);
	for (uint32_t i = 0; i < SITES; i += EVERY)
		scheduler_set_host(
		    b->s, i, &(struct scheduler_host){.delay_ms = 0});
	for (int i = 0; i < LEFT; i++) {
		int site = next(b, &some);

		assert_true(site >= 0 && site % EVERY == 0);
		counts[site]++;
	}
	for (int i = 0; i < SITES; i += EVERY)
		assert_int_equal(counts[i], OF_EACH - 1);
	assert_int_equal(next(b, &some), -1);
}

/* A site that had no page may get one in the same second: because a page came,
 * its host may be asked sooner, or a hold has ended. */
static void
test_same_second(void **state)
{
	struct bench *b = *state;
	struct scheduler_some some = open_slow(b);

	for (int i = 0; i < SITES * OF_EACH; i++) {
		assert_true(next(b, &some) >= 0);
		b->now_s += i % SITES == SITES - 1 ? 300 : 0;
	}
	assert_int_equal(next(b, &some), -1);
	(void)add_new_page(b, 70, 1);
	(void)add_new_page(b, 70, 1);
	assert_true(scheduler_next_of(
	    b->s, b->now_s, SCHEDULER_KINDS_PAGES, &some, &b->choice));
	assert_int_equal(b->choice.number, SITES * OF_EACH);
	assert_int_equal(next(b, &some), -1);
	scheduler_set_host(b->s, 70, &(struct scheduler_host){.delay_ms = 0});
	assert_true(scheduler_next_of(
	    b->s, b->now_s, SCHEDULER_KINDS_PAGES, &some, &b->choice));
	scheduler_hold(b->s, 70, HELD_ALL, b->now_s, 1000);
	(void)add_new_page(b, 70, 1);
	assert_int_equal(next(b, &some), -1);
	scheduler_unhold(b->s, 70, HELD_ALL);
	assert_true(scheduler_next_of(
	    b->s, b->now_s, SCHEDULER_KINDS_PAGES, &some, &b->choice));
}

/* The limits of the host and of all requests hold, and the scheduler tells
 * until when. */
static void
test_limits(void **state)
{
	struct bench *b = *state;
	const uint32_t site = 7;
	struct scheduler_some some = {.sites = &site, .count = 1};

	open_many(b, 0);
	scheduler_set_host(
	    b->s, site, &(struct scheduler_host){.delay_ms = 300000});
	assert_int_equal(scheduler_ready_s(b->s, LIMITS_SITE, site), b->now_s);
	assert_int_equal(next(b, &some), site);
	assert_int_equal(next(b, &some), -1);
	assert_int_equal(
	    scheduler_ready_s(b->s, LIMITS_SITE, site), b->now_s + 300);
	assert_int_equal(scheduler_ready_s(b->s, LIMITS_SITE, 8), b->now_s);
	b->now_s += 300;
	assert_int_equal(next(b, &some), site);
	scheduler_hold(b->s, site, HELD_ALL, b->now_s, 1000);
	b->now_s += 999;
	assert_int_equal(next(b, &some), -1);
	assert_int_equal(
	    scheduler_ready_s(b->s, LIMITS_SITE, site), b->now_s + 1);
	open_many(b, 60);
	assert_int_equal(next(b, &some), site);
	assert_int_equal(next(b, &some), -1);
	assert_int_equal(
	    scheduler_ready_s(b->s, LIMITS_SITE, 8), b->now_s + 60);
	assert_int_equal(scheduler_ready_s(b->s, LIMITS_ALL, 0), b->now_s + 60);
}

/* The scheduler tells when the limit of a tag allows a request, apart from
 * that of a host and that of all requests. */
static void
test_limit_of_tag(void **state)
{
	struct bench *b = *state;
	const uint32_t site = 7;
	struct scheduler_some some = {.sites = &site, .count = 1};
	uint32_t tag, other;

	open_many(b, 0);
	tag = add_tag(b, 60);
	other = add_tag(b, 60);
	scheduler_set_tag(b->s, site, tag);
	assert_int_equal(next(b, &some), site);
	assert_int_equal(next(b, &some), -1);
	assert_int_equal(
	    scheduler_ready_s(b->s, LIMITS_SITE, site), b->now_s + 60);
	assert_int_equal(
	    scheduler_ready_s(b->s, LIMITS_TAG, tag), b->now_s + 60);
	assert_int_equal(scheduler_ready_s(b->s, LIMITS_TAG, other), b->now_s);
	assert_int_equal(scheduler_ready_s(b->s, LIMITS_ALL, 0), b->now_s);
}

/* A page that waits, one that was fetched, and one that is out. */
static void
test_page(void **state)
{
	struct bench *b = *state;
	const uint32_t site = 7;
	struct scheduler_some some = {.sites = &site, .count = 1};
	int64_t due_s;

	open_many(b, 0);
	assert_int_equal(next(b, &some), site);
	assert_true(scheduler_item_due_s(b->s, SCHEDULER_PAGE,
			b->choice.number) == SCHEDULER_NEVER);
	assert_true(scheduler_item_due_s(b->s, SCHEDULER_PAGE, 0) <= b->now_s);
	answer(b, b->choice.number, FETCH_SAME);
	due_s = scheduler_item_due_s(b->s, SCHEDULER_PAGE, b->choice.number);
	assert_true(due_s > b->now_s && due_s < b->now_s + 30 * DAY);
	assert_true(
	    scheduler_item_due_s(b->s, SCHEDULER_LISTED, 0) == SCHEDULER_NEVER);
	scheduler_listed(b->s, 0, 5);
	assert_true(
	    scheduler_item_due_s(b->s, SCHEDULER_LISTED, 0) <= b->now_s + 60);
}

/* A client asks all the time without success.  The scheduler must choose a
 * page at the time that it named before: early evaluations must not delay
 * later ones. */
static void
test_said_so(void **state)
{
	struct bench *b = *state;
	static const int64_t before_s[] = {2000, 1000, 500, 100, 10};
	struct scheduler_options options = scheduler_options_default;
	int64_t due_s;

	options.tick_s = 1;
	options.asks_apart = true;
	bench_open(b, &options);
	(void)add_site(b, 90 * DAY);
	(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	add_pages(b, 3, 1, 0);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 3; i++) {
			assert_true(scheduler_next_of(b->s, b->now_s,
			    SCHEDULER_KINDS_PAGES, NULL, &b->choice));
			answer(b, b->choice.number, FETCH_SAME);
		}
		due_s = scheduler_item_due_s(b->s, SCHEDULER_PAGE, 0);
		assert_true(due_s >= b->now_s + HOUR);
		for (size_t i = 0; i < COUNT(before_s); i++) {
			b->now_s = due_s - before_s[i];
			assert_false(scheduler_next_of(b->s, b->now_s,
			    SCHEDULER_KINDS_PAGES, NULL, &b->choice));
		}
		b->now_s = due_s;
	}
}

UNIT_TESTS(scheduler_some, bench_test(test_one), bench_test(test_order),
    bench_test(test_turns), bench_test(test_few_open),
    bench_test(test_same_second), bench_test(test_limits),
    bench_test(test_limit_of_tag), bench_test(test_page),
    bench_test(test_said_so));
