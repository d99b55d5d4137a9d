/* The choice: which item goes out when, for its value or for its ceiling, and
 * how two kinds of items share a limit. */
#include "tests/fixtures/scheduler_fixture.h"

#include <math.h>
#include <stdlib.h>

#include "sched/estimate.h"
#include "sched/scheduler.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_parts.h"
#include "sched/sources.h"
#include "tests/fixtures/sanitized.h"
#include "tests/sim/random.h"
#include "tests/sim/told.h"

/* While a host may be asked and has a page that is worth a fetch, a client that
 * asks for pages gets one. */

enum { HOSTS = 6, PAGES = 400, MINUTE = 60 };

struct flow {
	struct scheduler *s;
	int64_t now_s;
	int64_t delay_ms[HOSTS];
	uint32_t asked[HOSTS]; /* since it was last cleared */
	bool is_limited[HOSTS]; /* answers 503 to everything */
	bool is_changing[HOSTS]; /* each fetch finds another text */
};

static void
set_weight(struct flow *flow, uint32_t site, double weight)
{
	struct scheduler_site is = scheduler_site_default;

	is.host = site;
	is.weight = weight;
	scheduler_set_site(flow->s, site, &is);
}

/* Each host has one site with one document, whose pages were never fetched. */
static void
flow_open(struct flow *flow, struct bench *b, double per_hour)
{
	struct scheduler_options options = scheduler_options_default;

	options.tick_s = 1;
	options.asks_apart = true;
	options.requests_per_hour = per_hour;
	bench_new(b, &options);
	flow->s = b->s;
	flow->now_s = T0;
	for (uint32_t i = 0; i < HOSTS; i++)
		(void)add_whole(b,
		    &(struct scheduler_host){.delay_ms = flow->delay_ms[i]},
		    scheduler_site_default, PAGES, 1);
}

/* A fetcher that answers at once. */
static void
flow_run(struct flow *flow, int64_t for_s)
{
	struct scheduler_choice choice;

	for (int i = 0; i < HOSTS; i++)
		flow->asked[i] = 0;
	for (int64_t end_s = flow->now_s + for_s; flow->now_s < end_s;
	     flow->now_s++)
		while (scheduler_next_of(flow->s, flow->now_s,
		    SCHEDULER_KINDS_PAGES, NULL, &choice)) {
			uint32_t site = choice.number / PAGES;
			struct scheduler_outcome outcome = {
			    .now_s = flow->now_s, .kind = FETCH_SAME};

			if (flow->is_changing[site])
				outcome.kind = FETCH_CHANGED;
			if (flow->is_limited[site]) {
				outcome.kind = FETCH_FAILED;
				outcome.is_limited = true;
				outcome.hold_s = 3600;
			}
			flow->asked[site]++;
			scheduler_outcome(flow->s, choice.number, &outcome);
		}
}

/* Check that all hosts but the last one were asked at their pace. */
static void
expect_pace(const struct flow *flow, int64_t for_s)
{
	for (int i = 0; i < HOSTS - 1; i++)
		assert_in_range(flow->asked[i] * 10,
		    for_s * 9000 / flow->delay_ms[i],
		    for_s * 11000 / flow->delay_ms[i]);
}

static void
flow_init(struct flow *flow, int64_t last_ms)
{
	*flow = (struct flow){0};
	for (int i = 0; i < HOSTS; i++)
		flow->delay_ms[i] = 1000;
	flow->delay_ms[HOSTS - 1] = last_ms;
}

/* The pages of five hosts become worth little; the sixth one, whose pages are
 * worth much, is no hindrance: */
static void
test_sixth(void **state)
{
	static const struct {
		const char *what;
		double per_hour; /* of all hosts together; 0: no limit */
		int64_t delay_ms; /* of the sixth */
		bool is_held, is_limited;
		int asked; /* of the sixth: about so often; -1: any number */
	} cases[] = {{"is held", 0, 1000, true, false, 0},
	    {"is held, with a budget", 1000000, 1000, true, false, 0},
	    {"is slow, so its pages always wait", 0, 3000, false, false, 40},
	    {"answers 503", 0, 1000, false, true, -1}};
	struct flow flow;

	for (size_t i = 0; i < COUNT(cases); i++) {
		print_message("the sixth host %s\n", cases[i].what);
		flow_init(&flow, cases[i].delay_ms);
		flow_open(&flow, *state, cases[i].per_hour);
		flow_run(&flow, 2 * MINUTE);
		expect_pace(&flow, 2 * MINUTE);
		flow.is_limited[HOSTS - 1] = cases[i].is_limited;
		for (uint32_t k = 0; k < HOSTS - 1; k++)
			set_weight(&flow, k, 0.02);
		if (cases[i].is_held)
			scheduler_hold(
			    flow.s, HOSTS - 1, HELD_ALL, flow.now_s, 2 * HOUR);
		flow_run(&flow, 2 * MINUTE);
		expect_pace(&flow, 2 * MINUTE);
		if (cases[i].asked == 0)
			assert_int_equal(flow.asked[HOSTS - 1], 0);
		else if (cases[i].asked > 0)
			assert_in_range(flow.asked[HOSTS - 1],
			    cases[i].asked - 2, cases[i].asked + 1);
	}
}

/* All weights are equal, but fetches that find a change show that all pages of
 * a site are worth little. */
static void
test_learned(void **state)
{
	struct flow flow;

	flow_init(&flow, 3000);
	for (int i = 0; i < HOSTS - 1; i++)
		flow.is_changing[i] = true;
	flow_open(&flow, *state, 0);
	flow_run(&flow, MINUTE);
	for (uint32_t page = 0; page < HOSTS * PAGES; page++)
		if (flow.is_changing[page / PAGES] && page % 4 == 0)
			for (int i = 0; i < 3; i++)
				scheduler_outcome(flow.s, page,
				    &(struct scheduler_outcome){
					.now_s = flow.now_s + i * 10,
					.kind = FETCH_CHANGED});
	flow.now_s += MINUTE;
	flow_run(&flow, 2 * MINUTE);
	expect_pace(&flow, 2 * MINUTE);
}

/* Hosts with all kinds of trouble: weights, budgets and holds change at
 * random, and some hosts fail or answer 429. */
enum {
	CROWD_MOST = 300,
	CROWD_PAGES = 150,
	WINDOW_S = 600,
	WINDOW_DELAYS = 20
};

struct crowd {
	struct scheduler *s;
	uint32_t hosts;
	struct random random;
	int64_t now_s;
	int64_t delay_s[CROWD_MOST];
	double per_hour[CROWD_MOST]; /* budget; 0: none */
	int64_t since_s[CROWD_MOST]; /* since when the pace is unchanged */
	uint32_t asked[CROWD_MOST]; /* requests since then */
	bool is_limited[CROWD_MOST], is_failing[CROWD_MOST],
	    is_quiet[CROWD_MOST];
	/* repeated fetches of pages of a site with a quota */
	uint32_t quiet_asked[CROWD_MOST];
};

static struct scheduler_site
crowd_site(struct crowd *crowd, uint32_t host)
{
	struct scheduler_site site = scheduler_site_default;

	site.host = host;
	site.page_floor_s = 60;
	site.weight = random_unit(&crowd->random) < 0.2
	    ? 0.001
	    : exp(3 * random_unit(&crowd->random));
	if (!crowd->is_quiet[host])
		site.pages_per_day = 0;
	return site;
}

static void
crowd_limit(struct crowd *crowd, uint32_t host)
{
	struct scheduler_host limit = {.delay_ms = 1000 * crowd->delay_s[host],
	    .requests_per_hour = crowd->per_hour[host],
	    .is_budget = crowd->per_hour[host] > 0};

	scheduler_set_host(crowd->s, host, &limit);
}

static void
crowd_open(struct crowd *crowd, struct bench *b, uint32_t hosts, int64_t tick_s)
{
	struct scheduler_options options = scheduler_options_default;

	*crowd = (struct crowd){.hosts = hosts, .now_s = T0};
	random_init(&crowd->random, 7, (uint64_t)tick_s);
	options.tick_s = tick_s;
	options.asks_apart = true;
	bench_new(b, &options);
	crowd->s = b->s;
	for (uint32_t i = 0; i < crowd->hosts; i++) {
		crowd->delay_s[i] = tick_s * (i % 7 + 1);
		crowd->is_quiet[i] = i % 6 == 5;
		crowd->is_limited[i] = i % 10 == 3;
		crowd->is_failing[i] = i % 10 == 7;
		crowd->since_s[i] = T0;
		(void)add_whole(b, &(struct scheduler_host){0},
		    crowd_site(crowd, i), CROWD_PAGES * (uint32_t)tick_s, 1);
		crowd_limit(crowd, i);
	}
}

/* The pace of a host changes from from_s on; before that the host may get no
 * requests. */
static void
crowd_begin(struct crowd *crowd, uint32_t host, int64_t from_s)
{
	/* the host may be held for longer than that */
	if (crowd->since_s[host] < from_s)
		crowd->since_s[host] = from_s;
	crowd->asked[host] = 0;
}

static void
crowd_disturb(struct crowd *crowd)
{
	uint32_t host = (uint32_t)(random_unit(&crowd->random) * crowd->hosts);
	double what = random_unit(&crowd->random);
	struct scheduler_site site = crowd_site(crowd, host);
	int64_t hold_s = (int64_t)(random_unit(&crowd->random) * 2 * HOUR);

	if (what < 0.5) {
		scheduler_set_site(crowd->s, host, &site);
	} else if (what < 0.75) {
		scheduler_hold(crowd->s, host, HELD_ALL, crowd->now_s, hold_s);
		crowd_begin(crowd, host, crowd->now_s + hold_s);
	} else {
		crowd->per_hour[host] = random_unit(&crowd->random) < 0.5
		    ? 0
		    : 1800.0 / (double)crowd->delay_s[host];
		crowd_limit(crowd, host);
		crowd_begin(crowd, host, crowd->now_s);
	}
}

static void
crowd_take(struct crowd *crowd, const struct scheduler_choice *choice)
{
	uint32_t host = crowd->s->pages.items[choice->number].document;
	bool was_fetched = crowd->s->pages.items[choice->number].fetched !=
	    NEVER;
	struct scheduler_outcome outcome = {
	    .now_s = crowd->now_s, .kind = FETCH_SAME};

	crowd->asked[host]++;
	crowd->quiet_asked[host] += was_fetched;
	if (!crowd->is_quiet[host] && random_unit(&crowd->random) < 0.3)
		outcome.kind = FETCH_CHANGED;
	if (crowd->is_limited[host] || crowd->is_failing[host]) {
		outcome.kind = FETCH_FAILED;
		outcome.is_limited = crowd->is_limited[host];
		outcome.hold_s = crowd->is_limited[host] ? 3600 : 0;
	}
	scheduler_outcome(crowd->s, choice->number, &outcome);
}

/* Check that all hosts that could be asked and had pages were asked at their
 * pace. */
static void
crowd_judge(struct crowd *crowd)
{
	for (uint32_t i = 0; i < crowd->hosts; i++) {
		int64_t for_s = crowd->now_s - crowd->since_s[i];
		double each_s = (double)crowd->delay_s[i];
		double paces;

		if (crowd->is_quiet[i] || crowd->is_limited[i] ||
		    crowd->is_failing[i])
			continue;
		if (crowd->per_hour[i] > 0)
			each_s = 3600 / crowd->per_hour[i];
		if (for_s < WINDOW_S || (double)for_s < WINDOW_DELAYS * each_s)
			continue;
		paces = (double)for_s / each_s;
		if (crowd->asked[i] < 0.9 * paces - 1 ||
		    crowd->asked[i] > 1.1 * paces + 1)
			fail_msg("host %u: asked %u times in %g delays",
			    (unsigned)i, (unsigned)crowd->asked[i], paces);
		crowd_begin(crowd, i, crowd->now_s);
	}
}

static void
run_crowd(struct bench *b, uint32_t hosts, int64_t tick_s, int64_t for_s)
{
	struct crowd crowd;
	struct scheduler_choice choice;
	double days = (double)for_s / DAY;

	crowd_open(&crowd, b, hosts, tick_s);
	for (; crowd.now_s < T0 + for_s; crowd.now_s += tick_s) {
		if (random_unit(&crowd.random) < 0.05)
			crowd_disturb(&crowd);
		while (scheduler_next_of(
		    crowd.s, crowd.now_s, SCHEDULER_KINDS_PAGES, NULL, &choice))
			crowd_take(&crowd, &choice);
		crowd_judge(&crowd);
	}
	for (uint32_t i = 0; i < crowd.hosts; i++)
		if (crowd.is_quiet[i] &&
		    crowd.quiet_asked[i] > 288 * (days + 1))
			fail_msg("host %u: %u fetches in %g days", (unsigned)i,
			    (unsigned)crowd.quiet_asked[i], days);
}

static void
test_crowd(void **state)
{
	run_crowd(*state, 120, 1, (IS_SANITIZED ? 1 : 8) * HOUR / 4);
	run_crowd(*state, 120, 60, (IS_SANITIZED ? 6 : 240) * HOUR);
}

/* A day at ticks of a second and a month at ticks of a minute: half a minute of
 * processor time. */
static void
test_large_crowd(void **state)
{
	run_crowd(*state, CROWD_MOST, 1, DAY);
	run_crowd(*state, CROWD_MOST, 60, 30 * DAY);
}

/* With any argument the test includes the large crowd. */

/* Items past their ceilings: in which order they go out, and what ends it. */

enum { LISTED = 20, DELAY_S = 3 };

/* A site with one document and too many pages for their ceiling. */
static void
open_site(struct bench *b, const struct scheduler_site *is)
{
	struct scheduler_options options = scheduler_options_default;

	options.tick_s = 1;
	options.reads_documents = false;
	options.asks_apart = true;
	bench_open(b, &options);
	scheduler_set_host(
	    b->s, 0, &(struct scheduler_host){.delay_ms = DELAY_S * 1000});
	(void)scheduler_add_site(b->s, is);
	(void)add_document(b, SCHEDULER_NONE, "/s.xml");
}

static struct scheduler_site
every(int64_t ceiling_s)
{
	struct scheduler_site is = plain_site();

	is.page_floor_s = is.page_ceiling_s = ceiling_s;
	return is;
}

/* The next page that is chosen; a URL that was only listed becomes a page. */
static uint32_t
next_page(struct bench *b)
{
	struct scheduler_page page = {.weight = 1,
	    .lastmod_s = SCHEDULER_NO_DATE,
	    .fetched_s = SCHEDULER_NEVER,
	    .is_out = true};

	while (!scheduler_next_of(
	    b->s, b->now_s, SCHEDULER_KINDS_PAGES, NULL, &b->choice))
		b->now_s++;
	if (b->choice.kind == SCHEDULER_LISTED)
		return scheduler_add_page(b->s, &page, b->now_s);
	assert_int_equal(b->choice.kind, SCHEDULER_PAGE);
	return b->choice.number;
}

/* Overdue pages go in the order in which they became overdue; the ceiling of a
 * page that was never fetched counts from the time at which it became
 * known. */
static void
test_turns(void **state)
{
	struct bench *b = *state;
	struct scheduler_site is = every(1);
	int asked[LISTED] = {0};

	open_site(b, &is);
	scheduler_listed(b->s, 0, LISTED);
	for (int i = 0; i < 5 * LISTED; i++) {
		uint32_t page = next_page(b);

		assert_in_range(page, 0, LISTED - 1);
		asked[page]++;
		assert_true(asked[page] <= i / LISTED + 2);
		answer(b, page, FETCH_SAME);
	}
	for (int i = 0; i < LISTED; i++)
		assert_in_range(asked[i], 4, 6);
}

/* Later pages do not delay earlier ones: neither do new pages delay old ones,
 * nor old ones new ones. */
static void
test_turns_of_new(void **state)
{
	struct bench *b = *state;
	struct scheduler_site is = every(60);
	int64_t asked_s[400] = {0}, longest_s = 0;
	uint32_t listed = 0, known = 0;

	open_site(b, &is);
	for (int i = 0; i < 300; i++) {
		uint32_t page;

		/* one new page is listed for every third fetch */
		if (i % 3 == 0) {
			listed++;
			scheduler_listed(b->s, 0, listed - known);
		}
		page = next_page(b);
		if (page == known)
			known++;
		else if (b->now_s - asked_s[page] > longest_s)
			longest_s = b->now_s - asked_s[page];
		asked_s[page] = b->now_s;
		answer(b, page, FETCH_SAME);
	}
	assert_true(known + 30 > listed);
	/* each of the known pages takes its turn */
	assert_true(longest_s <= 60 + (int64_t)known * DELAY_S);
}

/* A page that is given back comes after the others. */
static void
test_given_back(void **state)
{
	struct bench *b = *state;
	struct scheduler_site is = every(60);
	uint32_t first;

	open_site(b, &is);
	for (int i = 0; i < 3; i++)
		(void)add_page(b, 1, HOUR + 10 * i);
	first = next_page(b);
	assert_int_equal(first, 2);
	scheduler_give_back(b->s, b->now_s, &b->choice);
	assert_int_equal(next_page(b), 1);
	assert_int_equal(next_page(b), 0);
	assert_int_equal(next_page(b), 2);
}

/* A page is not overdue any more when its ceiling is removed or the page is no
 * longer listed; then the ceiling is not given as the reason of its fetch. */
static void
test_no_longer_late(void **state)
{
	struct bench *b = *state;
	struct scheduler_signal removed = {.kind = SIGNAL_REMOVED};
	struct scheduler_site is = every(60);
	uint32_t first;

	open_site(b, &is);
	add_pages(b, 5, 1, HOUR);
	first = next_page(b);
	assert_false(scheduler_next_of(
	    b->s, b->now_s, SCHEDULER_KINDS_PAGES, NULL, &b->choice));
	/* the turn of all other pages has come by now */
	for (uint32_t i = 0; i < 5; i++)
		assert_true(i == first ||
		    (b->s->pages.items[i].flags & ITEM_FORCED) != 0);
	scheduler_page_signal(b->s, 3, &removed);
	is.page_ceiling_s = 0;
	scheduler_set_site(b->s, 0, &is);
	for (int i = 0; i < 4; i++) {
		uint32_t page = next_page(b);

		assert_int_equal(b->choice.reason,
		    page == 3 ? REASON_REMOVED : REASON_VALUE);
	}
}

/* Overdue documents come before overdue pages, and get up to every second
 * request; they do not use the share of the budget for ceilings of pages. */
static void
test_documents_first(void **state)
{
	struct bench *b = *state;
	struct scheduler_options options = scheduler_options_default;
	struct scheduler_site is = every(10);
	int64_t longest_s = 0;
	int pages = 0;

	is.reading_floor_s = 5;
	is.reading_ceiling_s = 20;
	is.readings_per_day = 0;
	options.tick_s = 1;
	options.asks_apart = true;
	options.requests_per_hour = 3600;
	bench_open(b, &options);
	(void)scheduler_add_site(b->s, &is);
	for (int i = 0; i < 4; i++)
		(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	add_pages(b, 100, 1, HOUR);
	for (int i = 0; i < 1200; i++, b->now_s++) {
		while (scheduler_next_of(
		    b->s, b->now_s, SCHEDULER_KINDS_PAGES, NULL, &b->choice)) {
			pages++;
			answer(b, b->choice.number, FETCH_SAME);
		}
		while (scheduler_next_of(b->s, b->now_s,
		    SCHEDULER_KINDS_DOCUMENTS, NULL, &b->choice)) {
			int64_t read_s = b->s->sources.items[b->choice.number]
					     .read_s;

			if (read_s != SCHEDULER_NEVER &&
			    b->now_s - read_s > longest_s)
				longest_s = b->now_s - read_s;
			read_document(b, b->choice.number, 100, 0);
		}
	}
	assert_in_range(longest_s, 5, 26);
	assert_true(pages > 600);
}

/* A document that was never read and is missing waits longer and longer,
 * however often clients ask; scheduler_due_of_s tells them until when. */
static void
test_missing(void **state)
{
	struct bench *b = *state;
	struct scheduler_options options = scheduler_options_default;
	struct scheduler_site is = scheduler_site_default;
	int64_t asked_s = 0, pause_s = 15 * 60;
	int asked = 0;

	is.reading_floor_s = 5;
	is.reading_ceiling_s = 20;
	bench_open(b, &options);
	(void)scheduler_add_site(b->s, &is);
	(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	for (int i = 0; i < 3 * 3600; i++, b->now_s++) {
		assert_int_equal(document_terms(b, 0).again_s,
		    asked > 0 && b->now_s < asked_s + pause_s
			? asked_s + pause_s
			: 0);
		if (!scheduler_next(b->s, b->now_s, &b->choice))
			continue;
		scheduler_reading(b->s, 0,
		    &(struct scheduler_reading){
			.now_s = b->now_s, .is_failed = true, .is_gone = true});
		asked_s = b->now_s;
		pause_s *= asked++ > 0 ? 2 : 1;
	}
	assert_int_equal(document_terms(b, 0).failures, asked);
	assert_int_equal(asked, 4);
}

/* The oldest pages of a backlog are taken first; when there are fewer, the
 * newest ones leave. */
static void
test_unfetched(void **state)
{
	struct backlog of = {0};

	backlog_set(&of, 2, 100);
	backlog_set(&of, 5, 200);
	backlog_set(&of, 4, 300);
	assert_int_equal(of.since_s, 100);
	backlog_take(&of);
	assert_int_equal(of.since_s, 100);
	backlog_take(&of);
	assert_int_equal(of.since_s, 200);
	for (uint32_t i = 0; i < 10; i++)
		backlog_set(&of, 3 + i, 1000 + i);
	assert_int_equal(of.count, 12);
	while (of.count > 0)
		backlog_take(&of);
	assert_int_equal(of.since_s, 0);
	of.since_s = 50;
	backlog_set(&of, 1, 100);
	assert_int_equal(of.since_s, 50);
	backlog_set(&of, 0, 110);
	assert_int_equal(of.since_s, 0);
}

/* A restart keeps since when the pages of a backlog wait. */
static void
test_kept(void **state)
{
	struct scheduler_site is = every(DAY);
	struct bench before = {0}, after = {0};
	struct buf bytes;

	buf_init(&bytes, 16384);
	open_site(&before, &is);
	scheduler_listed(before.s, 0, 2);
	scheduler_save_document(before.s, 0, &bytes);
	scheduler_free(before.s);
	open_site(&after, &is);
	after.now_s += 2 * DAY;
	assert_true(scheduler_due_of_s(
			after.s, after.now_s, SCHEDULER_KINDS_PAGES) > 0);
	assert_true(scheduler_load_document(after.s, 0, buf_text(&bytes)));
	scheduler_listed(after.s, 0, 2);
	assert_int_equal(after.s->sources.items[0].backlog.since_s, T0);
	scheduler_free(after.s);
	buf_release(&bytes);
}

/* A machine that did not know the time began in 1970.  When its clock is put
 * right, items that are not due cost no more than on other machines. */
static void
test_from_1970(void **state)
{
	struct bench *b = *state;
	struct scheduler_options options = pages_only();
	uint64_t evaluations;

	options.tick_s = 1;
	bench_open(b, &options);
	b->now_s = 1000;
	(void)add_site(b, 0);
	(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	add_pages(b, 200, 1, 0);
	b->now_s = T0;
	for (int i = 0; i < 10; i++, b->now_s++)
		while (scheduler_next(b->s, b->now_s, &b->choice))
			answer(b, b->choice.number, FETCH_SAME);
	evaluations = b->s->pages.evaluations;
	for (int i = 0; i < 100; i++, b->now_s++)
		expect_nothing(b);
	assert_true(b->s->pages.evaluations - evaluations < 10000);
}

/* Pages and documents that are asked for apart. */

enum { APART_PAGES = 300 };

/* wants(bench, kinds, kind): the number of the item of that kind that is
 * chosen when clients want these kinds; -1: none. */
static long
wants(struct bench *b, unsigned kinds, enum scheduler_kind kind)
{
	if (!scheduler_next_of(b->s, b->now_s, kinds, NULL, &b->choice)) {
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
	struct scheduler_options options = scheduler_options_default;

	options.asks_apart = true;
	options.requests_per_hour = per_hour;
	bench_open(b, &options);
	(void)add_site(b, ceiling_s);
	(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	add_pages(b, APART_PAGES, 1, 0);
}

/* Each client gets the kinds that it wants, and a client that wants both gets
 * the best item; requests of both count against the limits of the host. */
static void
test_kinds(void **state)
{
	struct bench *b = *state;

	open_apart(b, 0, 0);
	assert_true(wants_page(b) >= 0);
	assert_int_equal(wants_document(b), 0);
	assert_int_equal(wants_document(b), -1);
	assert_true(wants_page(b) >= 0);
	scheduler_give_back(b->s, b->now_s,
	    &(struct scheduler_choice){.kind = SCHEDULER_DOCUMENT});
	expect(b, SCHEDULER_DOCUMENT, 0, REASON_NEW);
	scheduler_give_back(b->s, b->now_s, &b->choice);
	scheduler_set_host(b->s, 0, &(struct scheduler_host){.delay_ms = 5000});
	b->now_s += 10;
	assert_true(wants_page(b) >= 0);
	b->now_s += 4;
	assert_int_equal(wants_document(b), -1);
	assert_int_equal(
	    scheduler_due_of_s(b->s, b->now_s, SCHEDULER_KINDS_DOCUMENTS),
	    b->now_s + 1);
	b->now_s += 1;
	assert_int_equal(wants_document(b), 0);
}

static size_t
pages_waiting(const struct bench *b)
{
	size_t n = 0;

	for (uint32_t i = 0; i < b->s->pages.count; i++)
		n += queues_is_waiting(&b->s->queues, item_of(ITEM_PAGE, i));
	return n;
}

/* Items of a kind that no client asks for do not change the price: it neither
 * rises because many pages wait, nor falls because there is budget for
 * them. */
static void
test_price(void **state)
{
	struct bench *b = *state;
	double price;

	open_apart(b, 0, 0);
	price = 0.01;
	set_level(b, price);
	for (int i = 0; i < 20; i++, b->now_s += 60)
		(void)wants_document(b);
	assert_close(limiter_level(b->s->queues.limiter, 0,
			 b->s->hosts.kind_nodes[NODE_PAGES], NULL),
	    price, 1e-12);
	assert_int_equal(pages_waiting(b), APART_PAGES);
	/* When a client asks for pages, the price follows their values. */
	for (int i = 0; i < 20; i++, b->now_s += 60)
		assert_true(wants_page(b) >= 0);
	assert_true(limiter_level(b->s->queues.limiter, 0,
			b->s->hosts.kind_nodes[NODE_PAGES], NULL) > price);
}

/* An overdue page for which no client asks does not delay the documents behind
 * it in the FIFO, and is not forgotten. */
static void
test_ceilings(void **state)
{
	struct bench *b = *state;
	int forced = 0;

	open_apart(b, 3600, 30 * DAY);
	assert_int_equal(wants_document(b), 0);
	read_document(b, 0, APART_PAGES, 0);
	/* No item is worth that much, so only overdue documents are read. */
	told_scarce(b->s);
	for (int day = 0; day < 40; day++, b->now_s += DAY) {
		set_level(b, 1e9);
		if (wants_document(b) == 0)
			read_document(b, 0, APART_PAGES, 0);
	}
	assert_int_equal(b->choice.reason, REASON_CEILING);
	/* The most valuable pages are chosen, and a tenth of the requests is
	 * for overdue pages. */
	for (int i = 0; i < 100; i++, b->now_s += 60) {
		assert_true(wants_page(b) >= 0);
		forced += b->choice.reason == REASON_CEILING;
	}
	assert_in_range(forced, 8, 11);
	told_forget(b->s);
}

/* Overdue pages get a tenth of the requests, and those that remain when no
 * other item may be sent; more valuable pages come first. */
static void
test_ceilings_and_value(void **state)
{
	struct bench *b = *state;
	int listed = 0, late = 0;

	open_apart(b, 0, 5 * DAY);
	assert_int_equal(wants_document(b), 0);
	read_document(b, 0, APART_PAGES, 0);
	for (uint32_t i = 0; i < APART_PAGES; i++) {
		scheduler_weigh(b->s, i, 1e-6F);
		answer(b, i, FETCH_CHANGED);
	}
	b->now_s += 6 * DAY;
	read_document(b, 0, APART_PAGES, 0);
	scheduler_listed(b->s, 0, 100);
	for (int i = 0; i < 200; i++) {
		assert_true(scheduler_next_of(
		    b->s, b->now_s, SCHEDULER_KINDS_PAGES, NULL, &b->choice));
		if (b->choice.kind == SCHEDULER_LISTED)
			listed++;
		else
			late += b->choice.reason == REASON_CEILING;
		if (i == 109)
			assert_in_range(listed, 95, 100);
	}
	assert_int_equal(listed, 100);
	assert_in_range(late, 9, 20);
}

/* New settings of a site also hold for its items that wait. */
static void
test_set_site(void **state)
{
	struct bench *b = *state;
	struct scheduler_site is = plain_site();
	struct scheduler_options options = pages_only();

	bench_open(b, &options);
	is.page_floor_s = 3 * HOUR;
	is.page_ceiling_s = 0;
	(void)scheduler_add_site(b->s, &is);
	(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	(void)add_page(b, 1, 2 * HOUR);
	(void)add_page(b, 2, 2 * HOUR);
	expect_nothing(b);
	/* the pages are past the new ceiling */
	is.page_floor_s = is.page_ceiling_s = HOUR;
	is.tag = 77; /* stays */
	scheduler_set_site(b->s, 0, &is);
	b->s->ceilings = 2;
	for (int i = 0; i < 2; i++) {
		assert_true(scheduler_next(b->s, b->now_s, &b->choice));
		assert_int_equal(b->choice.reason, REASON_CEILING);
		scheduler_give_back(b->s, b->now_s, &b->choice);
	}
	is.page_ceiling_s = 0;
	scheduler_set_site(b->s, 0, &is);
	b->now_s += HOUR;
	expect(b, SCHEDULER_PAGE, 1, REASON_VALUE);
	/* the pages that wait are below the new floor */
	is.page_floor_s = DAY;
	scheduler_set_site(b->s, 0, &is);
	expect_nothing(b);
	is.page_floor_s = HOUR;
	is.weight = 5;
	scheduler_set_site(b->s, 0, &is);
	b->now_s += 60;
	expect(b, SCHEDULER_PAGE, 0, REASON_VALUE);
	assert_int_equal(b->s->sites.items[0].is.tag, SCHEDULER_NONE);
}

/* A site has more pages than are evaluated at once: no page is fetched below
 * its floor, and all pages are evaluated in the end. */
static void
test_set_large_site(void **state)
{
	struct bench *b = *state;
	struct scheduler_site is = plain_site();
	size_t found = 0;

	open_pages(b, 0);
	add_pages(b, 6000, 1, 2 * HOUR);
	assert_int_equal(pages_waiting(b), 6000);
	is.page_floor_s = 3 * HOUR;
	scheduler_set_site(b->s, 0, &is);
	expect_nothing(b);
	b->now_s += HOUR;
	for (int i = 0; i < 100; i++, b->now_s += 60)
		while (scheduler_next(b->s, b->now_s, &b->choice))
			found++;
	assert_int_equal(found, 6000);
}

/* If all pages are below their floor none is evaluated; a page above its floor
 * is found at once. */
static void
test_below_floor(void **state)
{
	struct bench *b = *state;
	struct scheduler_site is = plain_site();
	struct scheduler_options options = pages_only();
	uint64_t before;
	size_t found = 0;

	options.tick_s = 1;
	bench_open(b, &options);
	is.page_floor_s = 12 * HOUR;
	(void)scheduler_add_site(b->s, &is);
	(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	add_pages(b, APART_PAGES, 1, HOUR);
	before = b->s->pages.evaluations;
	for (; b->now_s < T0 + 11 * HOUR - 60; b->now_s += 10)
		expect_nothing(b);
	assert_int_equal(b->s->pages.evaluations - before, 0);
	assert_int_equal(
	    scheduler_due_of_s(b->s, b->now_s, SCHEDULER_KINDS_ALL),
	    T0 + 11 * HOUR);
	b->now_s = T0 + 11 * HOUR;
	while (scheduler_next(b->s, b->now_s, &b->choice))
		found++;
	assert_int_equal(found, APART_PAGES);
}

/* How often a page is fetched in 60 days, when all due requests are made. */
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

/* A retired page is not fetched, whatever events come, until it is listed
 * again or scheduler_retire() takes it back; and it adds nothing to the value
 * of a reading. */
static void
test_retire(void **state)
{
	struct bench *b = *state;
	struct scheduler_signal signal = {.kind = SIGNAL_RETURNED};

	open_bench(b, DAY);
	(void)add_page(b, 1, HOUR);
	(void)add_page(b, 1, 0);
	assert_true(asked_for(b, 0) > 10);
	scheduler_retire(b->s, SCHEDULER_PAGE, 0, true);
	assert_true(b->s->pages.items[0].gain <= 0);
	assert_int_equal(asked_for(b, 0), 0);
	move(b, 0, b->now_s);
	answer(b, 0, FETCH_FAILED);
	answer(b, 0, FETCH_SAME);
	scheduler_weigh(b->s, 0, 9);
	assert_int_equal(asked_for(b, 0), 0);
	assert_true(asked_for(b, 1) > 10);
	signal.lastmod_s = b->now_s;
	scheduler_page_signal(b->s, 0, &signal);
	assert_true(asked_for(b, 0) > 10);
	scheduler_retire(b->s, SCHEDULER_PAGE, 0, true);
	scheduler_retire(b->s, SCHEDULER_PAGE, 0, false);
	assert_true(asked_for(b, 0) > 10);
}

/* The same for documents: a retired one is read only after it is listed again,
 * or after scheduler_retire() took it back. */
static void
test_retire_document(void **state)
{
	struct bench *b = *state;
	struct scheduler_signal signal = {.kind = SIGNAL_MOVED};

	open_apart(b, 0, 0);
	(void)add_document(b, SCHEDULER_NONE, "/index.xml");
	(void)add_document(b, 1, "/child.xml");
	scheduler_retire(b->s, SCHEDULER_DOCUMENT, 2, true);
	for (int i = 0; i < 2; i++)
		read_document(b, (uint32_t)wants_document(b), 3, 1);
	for (int day = 0; day < 60; day++, b->now_s += DAY) {
		long document = wants_document(b);

		assert_true(document != 2);
		if (document >= 0)
			read_document(b, (uint32_t)document, 3, 1);
		if (document == 1) {
			signal.lastmod_s = b->now_s;
			scheduler_child_signal(b->s, 2, &signal);
		}
	}
	for (int way = 0; way < 2; way++) {
		scheduler_retire(b->s, SCHEDULER_DOCUMENT, 0, true);
		scheduler_retire(b->s, SCHEDULER_DOCUMENT, 1, true);
		b->now_s += 30 * DAY;
		assert_int_equal(wants_document(b), -1);
		signal.kind = SIGNAL_RETURNED;
		if (way == 0)
			scheduler_child_signal(b->s, 2, &signal);
		else
			scheduler_retire(b->s, SCHEDULER_DOCUMENT, 2, false);
		assert_int_equal(wants_document(b), 2);
		read_document(b, 2, 3, 1);
		scheduler_retire(b->s, SCHEDULER_DOCUMENT, 2, true);
	}
}

/* Pages and documents that are asked for apart, and share a limit. */

enum {
	SHARED_PAGES = 2000,
	DAYS = 20,
	PER_HOUR = 12,
	BUDGET = DAYS * 24 * PER_HOUR,
	MINUTES = DAYS * 24 * 60
};

struct counts {
	int pages, documents, asked;
	int64_t latest_s; /* the longest delay of a reading after it was due */
};

/* Two clients, such as the daemon and `due --follow`.  Each asks at the time
 * that scheduler_due_of_s names, and then takes all that it can get.  They ask
 * in this order. */
struct play {
	unsigned order[2]; /* SCHEDULER_KINDS_*; 0: there is no such client */
	int documents;
	int64_t every_s; /* between readings of one */
	double cost; /* of a reading, in page fetches */
	bool is_host_limited; /* false: the limit is that of all requests */
};

static void
tell(struct bench *b, struct counts *counts, const struct play *play)
{
	int64_t late_s;

	if (b->choice.kind == SCHEDULER_PAGE) {
		counts->pages++;
		answer(b, b->choice.number,
		    b->choice.number % 3 == 0 ? FETCH_CHANGED : FETCH_SAME);
		return;
	}
	late_s = b->now_s - b->s->sources.items[b->choice.number].read_s -
	    play->every_s;
	if (b->choice.reason != REASON_NEW && late_s > counts->latest_s)
		counts->latest_s = late_s;
	counts->documents++;
	scheduler_reading(b->s, b->choice.number,
	    &(struct scheduler_reading){.now_s = b->now_s,
		.listed = SHARED_PAGES,
		.dated = SHARED_PAGES,
		.is_unchanged = true,
		.cost = play->cost});
}

static void
open_play(struct bench *b, const struct play *play)
{
	struct scheduler_site is = scheduler_site_default;
	struct scheduler_options options = scheduler_options_default;

	options.asks_apart = true;
	if (!play->is_host_limited)
		options.requests_per_hour = PER_HOUR;
	bench_open(b, &options);
	if (play->is_host_limited)
		scheduler_set_host(b->s, 0,
		    &(struct scheduler_host){
			.requests_per_hour = PER_HOUR, .burst_ms = 1});
	is.reading_floor_s = is.reading_ceiling_s = play->every_s;
	(void)scheduler_add_site(b->s, &is);
	for (int i = 0; i < play->documents; i++)
		(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	for (int i = 0; i < SHARED_PAGES; i++)
		(void)add_page(b, 1, i % 2 == 0 ? 0 : 30 * DAY);
}

static struct counts
live(struct bench *b, const struct play *play)
{
	struct counts counts = {0};
	int64_t next_s[2] = {T0, T0}, next;

	open_play(b, play);
	while (b->now_s < T0 + DAYS * DAY) {
		for (int i = 0; i < 2; i++) {
			if (play->order[i] == 0 || next_s[i] > b->now_s)
				continue;
			counts.asked++;
			while (scheduler_next_of(
			    b->s, b->now_s, play->order[i], NULL, &b->choice))
				tell(b, &counts, play);
		}
		for (int i = 0; i < 2; i++)
			next_s[i] = play->order[i] == 0
			    ? INT64_MAX
			    : scheduler_due_of_s(
				  b->s, b->now_s, play->order[i]);
		next = next_s[0] < next_s[1] ? next_s[0] : next_s[1];
		b->now_s = next > b->now_s ? next : b->now_s + 1;
	}
	return counts;
}

#define P SCHEDULER_KINDS_PAGES
#define D SCHEDULER_KINDS_DOCUMENTS

/* Whichever client asks first: a due document goes before pages, and the pages
 * get the rest of the budget; more documents than there is budget for leave
 * half of it to the pages; and a client that is alone gets the whole budget. */
static void
test_shares(void **state)
{
	enum { DUE = DAYS * 4, MUCH = 6 * HOUR };
	static const struct {
		const char *what;
		struct play play;
		int documents, slack; /* readings: so many, give or take */
		int all; /* percent of the budget that is used */
	} cases[] = {
	    /* the limit of a host counts requests, not their cost */
	    {"due, host", {{P, D}, 1, MUCH, 10, true}, DUE, 1, 97},
	    {"due, host, turned", {{D, P}, 1, MUCH, 10, true}, DUE, 1, 97},
	    {"due, all", {{P, D}, 1, MUCH, 1, false}, DUE, 1, 97},
	    {"due, all, turned", {{D, P}, 1, MUCH, 1, false}, DUE, 1, 97},
	    {"many", {{P, D}, 60, 600, 0, true}, BUDGET / 2, BUDGET / 100, 98},
	    {"many, turned", {{D, P}, 60, 600, 0, true}, BUDGET / 2,
		BUDGET / 100, 98},
	    {"pages alone", {{P, 0}, 60, 600, 0, true}, 0, 0, 98},
	    {"documents alone", {{D, 0}, 60, 600, 0, true}, BUDGET, BUDGET / 50,
		98},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct play *play = &cases[i].play;
		struct counts counts = live(*state, play);

		print_message("%s\n", cases[i].what);
		assert_in_range(counts.documents,
		    cases[i].documents - cases[i].slack,
		    cases[i].documents + cases[i].slack);
		assert_in_range(counts.pages + counts.documents,
		    BUDGET * cases[i].all / 100, BUDGET * 101 / 100);
		if (play->documents == 1)
			assert_in_range(counts.latest_s, 0, 600);
		if (play->order[1] != 0)
			assert_in_range(counts.asked, 0, MINUTES + 2 * BUDGET);
	}
}

UNIT(scheduler_next)
{
	const struct CMUnitTest large[] = {
	    bench_test(test_large_crowd),
	};
	const struct CMUnitTest tests[] = {
	    bench_test(test_sixth),
	    bench_test(test_learned),
	    bench_test(test_crowd),
	    bench_test(test_turns),
	    bench_test(test_turns_of_new),
	    bench_test(test_given_back),
	    bench_test(test_no_longer_late),
	    bench_test(test_documents_first),
	    bench_test(test_missing),
	    cmocka_unit_test(test_unfetched),
	    cmocka_unit_test(test_kept),
	    bench_test(test_from_1970),
	    bench_test(test_kinds),
	    bench_test(test_price),
	    bench_test(test_ceilings),
	    bench_test(test_ceilings_and_value),
	    bench_test(test_set_site),
	    bench_test(test_set_large_site),
	    bench_test(test_below_floor),
	    bench_test(test_retire),
	    bench_test(test_retire_document),
	    bench_test(test_shares),
	};

	if (getenv("FRESHET_LARGE") != NULL &&
	    cmocka_run_group_tests(large, NULL, NULL) != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
