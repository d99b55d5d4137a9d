/* Hosts, and the addresses that they share. */
#include "sched/scheduler_hosts.h"

#include "sched/scheduler_next.h"
#include "tests/fixtures/scheduler_fixture.h"

enum { SITES = 3, PAGES = 40 };

/* Three hosts of a site each, the last two with a tag; pages enough for all. */
static void
open_hosts(struct bench *b)
{
	struct scheduler_options options = pages_only();
	struct scheduler_host host = {0};
	struct scheduler_site site = scheduler_site_default();

	options.tick_s = 1;
	bench_open(b, &options);
	(void)scheduler_add_tag(b->s, 0);
	for (uint32_t i = 0; i < SITES; i++) {
		site.host = i == 0 ? 0 : scheduler_add_host(b->s, &host);
		site.tag = i == 0 ? SCHEDULER_NONE : 0;
		(void)scheduler_add_site(b->s, &site);
		(void)scheduler_add_document(b->s,
		    &(struct scheduler_document){.site = i,
			.parent = SCHEDULER_NONE,
			.name = slice_of("/s.xml")},
		    T0);
		for (int p = 0; p < PAGES; p++)
			(void)scheduler_add_page(b->s,
			    &(struct scheduler_page){.document = i,
				.weight = 1,
				.lastmod_s = SCHEDULER_NO_DATE,
				.fetched_s = SCHEDULER_NEVER},
			    T0);
	}
}

/* count(b, seconds, counts): what each host is asked in these seconds; the
 * least time between two requests, of all hosts. */
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

/* Whatever their tags, hosts of one address keep its limit together, and one
 * that moves away does not any more. */
static void
test_address(void **state)
{
	struct scheduler_host limit = {.delay_ms = 10000};
	struct bench b;
	int counts[SITES];
	uint32_t address;

	(void)state;
	open_hosts(&b);
	address = scheduler_add_address(b.s, &limit);
	for (uint32_t i = 0; i < SITES; i++)
		scheduler_set_address(b.s, i, address);
	assert_int_equal(count(&b, 300, counts), 10);
	assert_int_equal(counts[0] + counts[1] + counts[2], 30);
	scheduler_set_address(b.s, 2, SCHEDULER_NONE);
	(void)count(&b, 100, counts);
	assert_int_equal(counts[0] + counts[1], 10);
	assert_true(counts[2] > 10);
	scheduler_free(b.s);
}

/* A site that comes later is at the address of its host, too. */
static void
test_later_site(void **state)
{
	struct scheduler_host limit = {.delay_ms = 10000};
	struct scheduler_site site = scheduler_site_default();
	struct bench b;
	int counts[SITES + 1];

	(void)state;
	open_hosts(&b);
	scheduler_set_address(b.s, 0, scheduler_add_address(b.s, &limit));
	site.tag = 0;
	(void)scheduler_add_site(b.s, &site);
	(void)scheduler_add_document(b.s,
	    &(struct scheduler_document){.site = SITES,
		.parent = SCHEDULER_NONE,
		.name = slice_of("/t.xml")},
	    T0);
	for (int i = 0; i < PAGES; i++)
		(void)scheduler_add_page(b.s,
		    &(struct scheduler_page){.document = SITES,
			.weight = 1,
			.lastmod_s = SCHEDULER_NO_DATE,
			.fetched_s = SCHEDULER_NEVER},
		    T0);
	counts[SITES] = 0;
	for (int i = 0; i < SITES; i++)
		counts[i] = 0;
	for (int i = 0; i < 100; i++, b.now_s++)
		while (scheduler_next(b.s, b.now_s, &b.choice)) {
			counts[b.choice.number / PAGES]++;
			answer(&b, b.choice.number, FETCH_SAME);
		}
	assert_int_equal(counts[0] + counts[SITES], 10);
	assert_int_equal(counts[1] + counts[2], 2 * PAGES);
	scheduler_free(b.s);
}

/* What holds for a host may change while its pages wait. */
static void
test_set_host(void **state)
{
	struct scheduler_host slow = {.delay_ms = 20000};
	struct scheduler_host fast = {.delay_ms = 5000};
	struct bench b;
	int counts[SITES];

	(void)state;
	open_hosts(&b);
	scheduler_set_host(b.s, 0, &slow);
	(void)count(&b, 100, counts);
	assert_int_equal(counts[0], 5);
	scheduler_set_host(b.s, 0, &fast);
	(void)count(&b, 100, counts);
	assert_true(counts[0] >= 16 && counts[0] <= 20);
	scheduler_free(b.s);
}

/* What a burst brings may be asked for at once, a tick's if none is said. */
static void
test_burst(void **state)
{
	static const struct {
		int64_t burst_ms;
		int at_once;
	} rows[] = {{0, 60}, {1, 1}, {10000, 10}, {3600000, 3600}};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct scheduler_options options = pages_only();
		struct bench b;
		int asked = 0;

		bench_open(&b, &options);
		scheduler_set_host(b.s, 0,
		    &(struct scheduler_host){.requests_per_hour = 3600,
			.burst_ms = rows[i].burst_ms});
		(void)add_site(&b, 0);
		(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
		for (int p = 0; p < 4000; p++)
			(void)add_page(&b, 1, 0);
		for (; scheduler_next(b.s, b.now_s, &b.choice); asked++)
			answer(&b, b.choice.number, FETCH_SAME);
		assert_in_range(asked, rows[i].at_once, rows[i].at_once + 1);
		b.now_s += 1;
		assert_true(scheduler_next(b.s, b.now_s, &b.choice));
		assert_false(scheduler_next(b.s, b.now_s, &b.choice));
		scheduler_free(b.s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_address),
	    cmocka_unit_test(test_later_site),
	    cmocka_unit_test(test_set_host),
	    cmocka_unit_test(test_burst),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
