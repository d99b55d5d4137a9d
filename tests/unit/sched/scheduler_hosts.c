/* Hosts and tags. */
#include "tests/fixtures/scheduler_fixture.h"

#include "sched/scheduler.h"
#include "sched/scheduler_next.h"

enum { SITES = 3, PAGES = 40 };

/* Three hosts with one site each; there are enough pages for all. */
static void
open_hosts(struct bench *b)
{
	struct scheduler_options options = pages_only();

	options.tick_s = 1;
	bench_new(b, &options);
	for (int i = 0; i < SITES; i++)
		(void)add_whole(b, &(struct scheduler_host){0},
		    scheduler_site_default, PAGES, 1);
}

/* count(b, seconds, counts): count the requests to each host in these seconds;
 * returns the least time between two requests, of all hosts. */
static int64_t
count(struct bench *b, int seconds, int *counts)
{
	int64_t last_s = 0;
	int64_t least_s = INT64_MAX;

	for (int i = 0; i < SITES; i++)
		counts[i] = 0;
	for (int i = 0; i < seconds; i++, b->now_s++)
		while (scheduler_next(b->s, b->now_s, &b->choice)) {
			counts[b->choice.number / PAGES]++;
			if (last_s > 0 && b->now_s - last_s < least_s)
				least_s = b->now_s - last_s;
			last_s = b->now_s;
			answer(b, b->choice.number, FETCH_SAME);
		}
	return least_s;
}

/* The limit of a host may change while its pages wait. */
static void
test_set_host(void **state)
{
	struct bench *b = *state;
	struct scheduler_host slow = {.delay_ms = 20000};
	struct scheduler_host fast = {.delay_ms = 5000};
	int counts[SITES];

	open_hosts(b);
	scheduler_set_host(b->s, 0, &slow);
	(void)count(b, 100, counts);
	assert_int_equal(counts[0], 5);
	scheduler_set_host(b->s, 0, &fast);
	(void)count(b, 100, counts);
	assert_true(counts[0] >= 16 && counts[0] <= 20);
}

/* The requests of a burst may be made at once; without a burst, those of a
 * tick. */
static void
test_burst(void **state)
{
	struct bench *b = *state;
	static const struct {
		int64_t burst_ms;
		int at_once;
	} rows[] = {{0, 60}, {1, 1}, {10000, 10}, {3600000, 3600}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct scheduler_options options = pages_only();
		int asked = 0;

		bench_open(b, &options);
		scheduler_set_host(b->s, 0,
		    &(struct scheduler_host){.requests_per_hour = 3600,
			.burst_ms = rows[i].burst_ms});
		(void)add_site(b, 0);
		(void)add_document(b, SCHEDULER_NONE, "/s.xml");
		add_pages(b, 4000, 1, 0);
		for (; scheduler_next(b->s, b->now_s, &b->choice); asked++)
			answer(b, b->choice.number, FETCH_SAME);
		assert_in_range(asked, rows[i].at_once, rows[i].at_once + 1);
		b->now_s += 1;
		assert_true(scheduler_next(b->s, b->now_s, &b->choice));
		assert_false(scheduler_next(b->s, b->now_s, &b->choice));
	}
}

/* Budgets that the sites of a tag share. */

enum { TAG_SITES = 4, OF_EACH = 500 };

struct tags {
	struct bench *b;
	uint32_t hourly, rare, both; /* 60 an hour, 12 an hour */
	int asked[TAG_SITES];
};

/* Sites with no tag, with one, with the other, with both; there are enough
 * pages for all. */
static void
open_tags(struct tags *t, struct bench *b)
{
	struct scheduler_options options = scheduler_options_default;

	options.asks_apart = true;
	bench_new(b, &options);
	*t = (struct tags){.b = b};
	t->hourly = add_tag(b, 60);
	t->rare = add_tag(b, 12);
	t->both = scheduler_add_tag(b->s, t->hourly, t->rare);
	for (int i = 0; i < TAG_SITES; i++) {
		const uint32_t tags[] = {
		    SCHEDULER_NONE, t->hourly, t->rare, t->both};
		struct scheduler_site site = scheduler_site_default;

		site.tag = tags[i];
		(void)add_whole(b, &(struct scheduler_host){0}, site, OF_EACH,
		    i == 3 ? 9 : 1);
	}
}

/* ask(tags, hours): make all requests that are allowed in that time. */
static void
ask(struct tags *t, int hours)
{
	int64_t end_s = t->b->now_s + (int64_t)hours * HOUR;

	memset(t->asked, 0, sizeof(t->asked));
	for (; t->b->now_s < end_s; t->b->now_s += 60)
		while (scheduler_next(t->b->s, t->b->now_s, &t->b->choice))
			if (t->b->choice.kind == SCHEDULER_PAGE)
				t->asked[t->b->choice.number / OF_EACH]++;
			else
				t->asked[t->b->choice.number]++;
}

static void
expect_about(int count, int want)
{
	assert_in_range(count, want - 2, want + 2);
}

/* Each budget holds for all sites that have the tag, alone or with another. */
static void
test_together(void **state)
{
	struct bench *b = *state;
	struct tags t;

	open_tags(&t, b);
	ask(&t, 2);
	assert_int_equal(t.asked[0], OF_EACH + 1);
	expect_about(t.asked[1] + t.asked[3], 120);
	expect_about(t.asked[2] + t.asked[3], 24);
	assert_true(t.asked[3] > 0);
}

/* Tags and limits may change at any time; requests that were made before
 * count. */
static void
test_changes(void **state)
{
	struct bench *b = *state;
	struct tags t;

	open_tags(&t, b);
	ask(&t, 1);
	scheduler_set_tag(b->s, 2, SCHEDULER_NONE);
	ask(&t, 1);
	assert_true(t.asked[2] > 400);
	expect_about(t.asked[3], 12);
	expect_about(t.asked[1] + t.asked[3], 60);
	scheduler_limit_tag(b->s, t.hourly, &(struct scheduler_host){0});
	ask(&t, 1);
	assert_true(t.asked[1] > 300);
	expect_about(t.asked[3], 12);
	scheduler_set_tag(b->s, 3, t.hourly);
	ask(&t, 1);
	assert_true(t.asked[3] > 300);
}

/* Requests that were made before delay all sites that share the limit, but no
 * longer than a full budget when the limit was wider then. */
static void
test_spent(void **state)
{
	struct bench *b = *state;
	const uint32_t site = 3;
	struct scheduler_some some = {.sites = &site, .count = 1};
	struct scheduler_past past[1000];
	struct tags t;

	open_tags(&t, b);
	for (size_t i = 0; i < COUNT(past); i++)
		past[i] = (struct scheduler_past){.site = 2}; /* of t.rare */
	scheduler_spend(b->s, past, COUNT(past), b->now_s, b->now_s);
	assert_false(scheduler_next_of(
	    b->s, b->now_s, SCHEDULER_KINDS_PAGES, &some, &b->choice));
	assert_int_equal(
	    scheduler_ready_s(b->s, LIMITS_SITE, site), b->now_s + 300);
	ask(&t, 1);
	expect_about(t.asked[2] + t.asked[3], 11);
	expect_about(t.asked[1] + t.asked[3], 60);
}

UNIT_TESTS(scheduler_hosts, bench_test(test_set_host), bench_test(test_burst),
    bench_test(test_together), bench_test(test_changes),
    bench_test(test_spent));
