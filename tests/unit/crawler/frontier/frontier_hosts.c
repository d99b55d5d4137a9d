/* The limits of a host, and its holds. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "sched/host_table.h"
#include "store/page.h"
#include "store/proof.h"
#include "tests/fixtures/frontier_fixture.h"

/* A host's pages are leased at once up to what its rate brings in burst_ms,
 * or one for each delay. */
static void
test_rate(void **state)
{
	struct setup *setup = *state;

	setup_delay(setup, 10000);
	setup->options.burst_ms = 50000;
	setup_start(setup, SETUP_LETTERS);
	setup_walk(setup, "5 +9 0 +1 1");
	setup->consumer.is_spaced = true;
	setup->consumer.per_host = 1000;
	setup_walk(setup, "+3600 1 +9 0 +1 1 +9 0 +1 1 +9 0 +1 1 +9 0 +1 1");
}

/* A delay that was raised holds from now on: requests under the shorter
 * delay are not waited for. */
static void
test_slower(void **state)
{
	struct setup *setup = *state;

	setup_delay(setup, 200);
	setup->options.burst_ms = 5000;
	setup->options.requests_per_hour = 720000;
	setup_start(setup, SETUP_LETTERS);
	for (int i = 0; i < 20; i++)
		(void)setup_page(setup);
	setup_delay(setup, 3000);
	setup->options.requests_per_hour = 3600;
	setup->consumer.is_spaced = true;
	setup->consumer.per_host = 1000;
	setup_walk(setup, "restart +3 1 +3 1 +3 1 +3 1 +3 1 +3 1");
}

static void
test_crawl_delay(void **state)
{
	struct setup *setup = *state;

	setup_robots(setup, "User-agent: *\nCrawl-delay: 7\n");
	setup->options.burst_ms = 14000;
	setup_start(setup, SETUP_LETTERS);
	assert_int_equal(setup_page(setup).delay_ms, 7000);
	assert_true(setup_count(setup) <= 2);
	setup_walk(setup, "+7 1");
	setup_robots(setup, NULL);
	setup->now_s += 3600;
	assert_int_equal(setup_page(setup).delay_ms, 1000);
}

/* Put the site on the watch list with that budget. */
static void
put_budget(struct setup *setup, double requests_per_hour)
{
	struct watch watch;

	watch = (struct watch)WATCH_DEFAULTS;
	watch.site_id = 1;
	watch.requests_per_hour = requests_per_hour;
	setup_put(setup, &watch);
	watch_release(&watch);
}

static void
test_budget(void **state)
{
	struct setup *setup = *state;

	setup_list(setup, SETUP_LETTERS);
	put_budget(setup, 6);
	setup->options.burst_ms = 1000;
	setup_begin(setup);
	/* the sitemap was read just now */
	setup_walk(setup, "0 +599 0 +1 1 +599 0 +1 1");
	put_budget(setup, 0);
	setup_walk(setup, "+1 1");
}

/* Pages are leased at the pace of a budget, that of the site or that of all
 * sites.  A new frontier, which is made for each page, keeps the pace, too. */
static void
test_budget_of_many(void **state)
{
	static const struct {
		bool is_total;
		double per_hour;
		int64_t every_s;
	} cases[] = {{false, 12, 300}, {true, 12, 300}, {false, 0.5, 7200},
	    {true, 0.5, 7200}};
	struct setup *setup = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		setup_again(setup);
		setup_list(setup, SETUP_LETTERS);
		put_budget(setup, cases[i].is_total ? 0 : cases[i].per_hour);
		if (cases[i].is_total)
			setup->options.requests_per_hour = cases[i].per_hour;
		setup->options.burst_ms = 1000;
		setup->now_s += 3 * cases[i].every_s;
		setup_begin(setup);
		for (int times = 0; times < 24; times++) {
			setup_fetch(setup, "x");
			setup->now_s += cases[i].every_s - 1;
			setup_walk(setup, "restart 0 +1 restart");
		}
	}
}

static bool
others_have_none(void *arg, struct slice host)
{
	(void)arg, (void)host;
	return false;
}

static bool
others_let(void *arg)
{
	(void)arg;
	return true;
}

/* A share of a budget is all that may be used of it, also after the share has
 * changed. */
static void
test_share(void **state)
{
	static const struct host_others sharing = {
	    .has = others_have_none, .may_ask = others_let, .has_shares = true};
	static const char *const names[] = {"", "news"};
	struct setup *setup = *state;

	for (size_t i = 0; i < COUNT(names); i++) {
		struct frontier_share asked;
		struct watch row = WATCH_DEFAULTS;

		setup_again(setup);
		setup_list(setup, SETUP_LETTERS);
		row.site_id = 1;
		strings_add(&row.tags, slice_of("news"));
		setup_put(setup, &row);
		watch_release(&row);
		setup->options.requests_per_hour = i == 0 ? 60 : 0;
		if (i == 1)
			store_tag_budget_put(setup->world.store, "news", 60);
		setup->options.burst_ms = 1000;
		setup->options.others = &sharing;
		setup_begin(setup);
		/* the sitemap was read just now */
		setup_walk(setup, "0 +3600 0");
		frontier_set_share(setup->frontier, "none", 9);
		frontier_set_share(setup->frontier, names[i], 30);
		setup_walk(setup, "0 +118 0 +2 1 +118 0 +2 1");
		frontier_set_share(setup->frontier, names[i], 600);
		/* no more than the whole budget */
		setup_walk(setup, "+59 0 +1 1 +59 0 +1 1");
		frontier_set_share(setup->frontier, names[i], 20);
		assert_true(
		    frontier_next_share(setup->frontier, setup->now_s, &asked));
		assert_string_equal(asked.name, names[i]);
		assert_true(asked.per_hour == 60 && asked.wanted >= 26);
		assert_false(frontier_next_share(
		    setup->frontier, setup->now_s + 9, &asked));
		setup_walk(setup, "+180 1");
		frontier_set_share(setup->frontier, names[i], 0);
		setup_walk(setup, "+3600 0");
	}
}

static void
test_hold(void **state)
{
	struct setup *setup = *state;

	setup_start(setup, SETUP_LETTERS);
	assert_false(frontier_hold(setup->frontier, slice_of(SETUP_HOST),
	    setup->now_s + 367 * DAY_S, setup->now_s, "order"));
	setup_hold(setup, SETUP_HOST, 3 * DAY_S);
	/* the longer hold stands */
	setup_hold(setup, SETUP_HOST, 60);
	setup->now_s += 3 * DAY_S - 1;
	setup_walk(setup, "0 restart 0 +2 some");
}

static void
test_hold_ends(void **state)
{
	struct setup *setup = *state;

	setup_start(setup, SETUP_LETTERS);
	setup_hold(setup, SETUP_HOST, 3 * DAY_S);
	setup_walk(setup, "0");
	setup_hold(setup, SETUP_HOST, -setup->now_s);
	setup_walk(setup, "some restart +600 some");
}

/* The calls of options.held: the first letter of each why, "." for the end
 * of a hold. */
struct told {
	struct buf text;
	int64_t until_s; /* of the last call */
};

static void
on_held(void *arg, const struct frontier_held *held)
{
	struct told *told = arg;

	assert_true(slice_is(held->host, SETUP_HOST));
	if (held->is_pages)
		(void)buf_put_char(&told->text, 'P');
	(void)buf_put_char(
	    &told->text, held->until_s == 0 ? '.' : held->why[0]);
	told->until_s = held->until_s;
}

static void
begin_told(struct setup *setup, struct told *told)
{
	*told = (struct told){.until_s = 0};
	buf_init(&told->text, 64);
	setup->options.held = on_held;
	setup->options.arg = told;
	setup_start(setup, SETUP_LETTERS);
}

/* A hold of the frontier before is reported by the next one, and so is its
 * end. */
static void
test_holds_are_told(void **state)
{
	struct setup *setup = *state;
	struct told told;

	begin_told(setup, &told);
	assert_int_equal(frontier_hold_over_s(setup->frontier), FRONTIER_NEVER);
	setup_hold(setup, SETUP_HOST, 300);
	/* a hold that is hardly longer is not reported again */
	setup_hold(setup, SETUP_HOST, 310);
	assert_string_equal(buf_str(&told.text), "o");
	assert_int_equal(
	    frontier_hold_over_s(setup->frontier), setup->now_s + 310);
	setup_hold(setup, SETUP_HOST, -setup->now_s);
	assert_string_equal(buf_str(&told.text), "o.");
	setup_hold(setup, SETUP_HOST, 600);
	setup_restart(setup);
	assert_string_equal(buf_str(&told.text), "o.ob");
	assert_int_equal(told.until_s, setup->now_s + 600);
	setup->now_s += 599;
	(void)frontier_sync(setup->frontier, setup->now_s);
	assert_string_equal(buf_str(&told.text), "o.ob");
	setup->now_s += 1;
	(void)frontier_sync(setup->frontier, setup->now_s);
	assert_string_equal(buf_str(&told.text), "o.ob.");
	buf_release(&told.text);
}

/* The page gets a 503.  Returns for how long its host is held now. */
static int64_t
fail_now(struct setup *setup, const char *token, int64_t retry_after_s)
{
	struct hold_times held;

	(void)setup_report(setup,
	    &(struct frontier_result){.token = slice_of(token),
		.status = 503,
		.retry_after_s = retry_after_s});
	held = frontier_held(setup->frontier, slice_of(SETUP_HOST));
	return held.all_s == 0 ? 0 : held.all_s - setup->now_s;
}

/* A Retry-After holds the host, whether a page met it or a sitemap. */
static void
test_holds_asked_for(void **state)
{
	struct setup *setup = *state;
	int64_t wait_s;
	struct told told;

	begin_told(setup, &told);
	(void)fail_now(setup, setup_page(setup).token, 600);
	assert_string_equal(buf_str(&told.text), "r");
	assert_int_equal(told.until_s, setup->now_s + 600);
	setup->now_s += 600;
	(void)setup_page(setup);
	(void)frontier_sync(setup->frontier, setup->now_s);
	/* the driver meets one at a sitemap */
	(void)store_limited(setup->world.store, slice_of(SETUP_HOST),
	    setup->now_s, 900, &wait_s);
	struct host_table *hosts = frontier_hosts(setup->frontier);
	uint32_t host = host_put(hosts, slice_of(SETUP_HOST));

	host_hold(hosts, hosts->items[host], HELD_ALL, setup->now_s + wait_s,
	    setup->now_s, "retry-after");
	assert_string_equal(buf_str(&told.text), "r.r");
	setup_walk(setup, "+899 0 +1 some");
	buf_release(&told.text);
}

/* 429 and 503 with Retry-After hold a host for a day at most, and over a
 * restart. */
static void
test_retry_after(void **state)
{
	struct setup *setup = *state;
	struct frontier_answer answer;
	struct frontier_page page;

	setup_start(setup, SETUP_LETTERS);
	page = setup_page(setup);
	answer = setup_report(setup,
	    &(struct frontier_result){.token = slice_of(page.token),
		.status = 429,
		.retry_after_s = 7200});
	assert_true(answer.next_due_s >= setup->now_s + 7200);
	setup_walk(setup, "+7199 0 restart");
	assert_int_equal(
	    setup_terms(setup, HOST_TEXT "a").held_until_s, SETUP_S + 7200);
	setup_walk(setup, "0 +1 some");
}

/* A crawl met a Retry-After while the clock was a year ahead: the host is
 * held for that time from now on, neither for a year nor for a day with each
 * new frontier. */
static void
test_parked_ahead(void **state)
{
	struct setup *setup = *state;
	int64_t wait_s;

	setup->now_s += YEAR_S;
	setup_list(setup, SETUP_LETTERS);
	(void)store_limited(setup->world.store, slice_of(SETUP_HOST),
	    setup->now_s, 3600, &wait_s);
	assert_int_equal(store_flush(setup->world.store), DIAG_OK);
	setup->now_s -= YEAR_S;
	setup_begin(setup);
	setup_walk(setup, "0 +3601 some restart +86400 some");
}

#define OTHER "o.test"

/* Pages at another host wait; the other pages of the site that lists them do
 * not. */
static void
test_other_host(void **state)
{
	struct setup *setup = *state;
	struct store *store = setup->world.store;
	char url[64];

	setup_list(setup, SETUP_LETTERS);
	store_robots(store,
	    &(struct robots_fact){.origin = slice_of("http://" OTHER),
		.fetched_s = SETUP_S,
		.status = 404});
	for (int i = 0; i < 12; i++) {
		(void)snprintf(url, sizeof(url), "http://" OTHER "/%d", i);
		(void)store_page_add(store, setup->map, slice_of(url));
	}
	assert_int_equal(store_flush(store), DIAG_OK);
	setup_begin(setup);
	setup_hold(setup, OTHER, 5 * HOUR_S);
	(void)setup_count(setup);
	setup->now_s += 60;
	(void)setup_count(setup);
	assert_int_equal(
	    frontier_release_all(setup->frontier, setup->now_s), 26);
	assert_int_equal(setup_terms(setup, HOST_TEXT "a").held_until_s, 0);
}

/* With a delay of robots.txt not even one page more is leased by the frontier
 * of the next command. */
static void
test_next_crawl_delay(void **state)
{
	struct setup *setup = *state;

	setup_robots(setup, "User-agent: *\nCrawl-delay: 10\n");
	setup->options.burst_ms = 20000;
	setup_start(setup, SETUP_LETTERS);
	setup_walk(setup, "some restart");
	(void)setup_count(setup);
	setup_walk(setup, "restart 0 restart 0 +60 some");
}

/* When all hosts are held, frontier_due_s() is the end of the first hold. */
static void
test_due_after_hold(void **state)
{
	struct setup *setup = *state;
	int64_t until_s = setup->now_s + 5 * HOUR_S;

	setup_start(setup, "a b");
	setup_hold(setup, SETUP_HOST, 5 * HOUR_S);
	setup_walk(setup, "0");
	assert_true(frontier_due_s(setup->frontier, setup->now_s) >= until_s);
	setup->now_s = until_s;
	setup_walk(setup, "2");
}

/* The clock is put back before a restart, after a hold is over and while a host
 * is paused: neither begins again, and a failure after that counts as the first
 * one. */
static void
test_pause_back(void **state)
{
	struct setup *setup = *state;
	struct frontier_page page;

	setup_start(setup, SETUP_LETTERS);
	page = setup_page(setup);
	assert_int_equal(fail_now(setup, page.token, 120), 120);
	setup->consumer.per_host = 1;
	setup_walk(setup, "+121 1"); /* the ready queue is full */
	setup->consumer.per_host = 0;
	assert_true(setup_count(setup) > 20);
	assert_int_equal(
	    frontier_release_all(setup->frontier, setup->now_s), 26);
	page = setup_page(setup);
	setup->now_s -= YEAR_S;
	setup_restart(setup);
	assert_in_range(fail_now(setup, page.token, 0), 0, HOUR_S);
	setup->now_s += HOUR_S;
	assert_true(setup_count(setup) > 20);
}

UNIT_TESTS(frontier_hosts, setup_test(test_rate), setup_test(test_slower),
    setup_test(test_crawl_delay), setup_test(test_budget),
    setup_test(test_budget_of_many), setup_test(test_share),
    setup_test(test_hold), setup_test(test_hold_ends),
    setup_test(test_holds_are_told), setup_test(test_holds_asked_for),
    setup_test(test_retry_after), setup_test(test_parked_ahead),
    setup_test(test_other_host), setup_test(test_next_crawl_delay),
    setup_test(test_due_after_hold), setup_test(test_pause_back));
