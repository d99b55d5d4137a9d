/* While a host may be asked and has something worth fetching, whoever asks for
 * pages gets it: nothing that befalls other hosts changes that. */
#include <math.h>

#include "sched/scheduler_hosts.h"
#include "sched/scheduler_next.h"
#include "sched/sim/random.h"
#include "tests/fixtures/scheduler_fixture.h"

enum { HOSTS = 6, PAGES = 400, MINUTE = 60 };

struct flow {
	struct scheduler *s;
	int64_t now_s;
	int64_t delay_ms[HOSTS];
	uint32_t asked[HOSTS]; /* since it was last cleared */
	uint32_t site_of[HOSTS * PAGES];
	bool is_limited[HOSTS]; /* answers 503 to everything */
	bool is_changing[HOSTS]; /* each fetch finds another text */
};

static void
set_weight(struct flow *flow, uint32_t site, double weight)
{
	struct scheduler_site is = scheduler_site_default();

	is.host = site;
	is.weight = weight;
	scheduler_set_site(flow->s, site, &is);
}

/* Each host has one site, of one document, of pages never fetched. */
static void
flow_open(struct flow *flow, double per_hour)
{
	struct scheduler_options options = scheduler_options_default();

	options.tick_s = 1;
	options.asks_apart = true;
	options.requests_per_hour = per_hour;
	flow->s = scheduler_new(&options);
	flow->now_s = T0;
	for (uint32_t i = 0; i < HOSTS; i++) {
		struct scheduler_host host = {.delay_ms = flow->delay_ms[i]};
		struct scheduler_site site = scheduler_site_default();
		struct scheduler_document document = {.site = i,
		    .parent = SCHEDULER_NONE,
		    .name = slice_of("/s.xml")};

		site.host = scheduler_add_host(flow->s, &host);
		(void)scheduler_add_site(flow->s, &site);
		(void)scheduler_add_document(flow->s, &document, flow->now_s);
		for (uint32_t k = 0; k < PAGES; k++) {
			uint32_t page = scheduler_add_page(flow->s,
			    &(struct scheduler_page){.document = i,
				.weight = 1,
				.lastmod_s = SCHEDULER_NO_DATE,
				.fetched_s = SCHEDULER_NEVER},
			    flow->now_s);

			flow->site_of[page] = i;
		}
	}
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
		while (scheduler_next_of(
		    flow->s, flow->now_s, SCHEDULER_KINDS_PAGES, &choice)) {
			uint32_t site = flow->site_of[choice.number];
			struct scheduler_outcome outcome = {
			    .now_s = flow->now_s, .kind = FETCH_SAME};

			if (flow->is_changing[site])
				outcome.kind = FETCH_CHANGED;
			if (flow->is_limited[site]) {
				outcome.kind = FETCH_FAILED;
				outcome.is_limited = true;
			}
			flow->asked[site]++;
			scheduler_outcome(flow->s, choice.number, &outcome);
		}
}

/* Those but the last were asked at their pace. */
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

/* Five become worth little, and only the sixth, which is worth much, may not
 * be asked. */
static void
test_held(void **state)
{
	static const double budgets[] = {0, 1000000};
	struct flow flow;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		flow_init(&flow, 1000);
		flow_open(&flow, budgets[i]);
		flow_run(&flow, 2 * MINUTE);
		expect_pace(&flow, 2 * MINUTE);
		for (uint32_t k = 0; k < HOSTS - 1; k++)
			set_weight(&flow, k, 0.02);
		scheduler_hold(flow.s, HOSTS - 1, SCHEDULER_HOLD_ALL,
		    flow.now_s, 2 * HOUR);
		flow_run(&flow, 2 * MINUTE);
		expect_pace(&flow, 2 * MINUTE);
		assert_int_equal(flow.asked[HOSTS - 1], 0);
		scheduler_free(flow.s);
	}
}

/* The sixth is slow: it always waits. */
static void
test_slow(void **state)
{
	struct flow flow;

	(void)state;
	flow_init(&flow, 3000);
	flow_open(&flow, 0);
	flow_run(&flow, 2 * MINUTE);
	for (uint32_t k = 0; k < HOSTS - 1; k++)
		set_weight(&flow, k, 0.02);
	flow_run(&flow, 2 * MINUTE);
	expect_pace(&flow, 2 * MINUTE);
	assert_in_range(flow.asked[HOSTS - 1], 38, 41);
	scheduler_free(flow.s);
}

/* The sixth answers 503. */
static void
test_failing(void **state)
{
	struct flow flow;

	(void)state;
	flow_init(&flow, 1000);
	flow_open(&flow, 0);
	flow_run(&flow, 2 * MINUTE);
	flow.is_limited[HOSTS - 1] = true;
	for (uint32_t k = 0; k < HOSTS - 1; k++)
		set_weight(&flow, k, 0.02);
	flow_run(&flow, 2 * MINUTE);
	expect_pace(&flow, 2 * MINUTE);
	scheduler_free(flow.s);
}

/* Nobody set a weight: what is found changed teaches that all pages of a site
 * are worth little. */
static void
test_learned(void **state)
{
	struct flow flow;

	(void)state;
	flow_init(&flow, 3000);
	for (int i = 0; i < HOSTS - 1; i++)
		flow.is_changing[i] = true;
	flow_open(&flow, 0);
	flow_run(&flow, MINUTE);
	for (uint32_t page = 0; page < HOSTS * PAGES; page++)
		if (flow.is_changing[flow.site_of[page]] && page % 4 == 0)
			for (int i = 0; i < 3; i++)
				scheduler_outcome(flow.s, page,
				    &(struct scheduler_outcome){
					.now_s = flow.now_s + i * 10,
					.kind = FETCH_CHANGED});
	flow.now_s += MINUTE;
	flow_run(&flow, 2 * MINUTE);
	expect_pace(&flow, 2 * MINUTE);
	scheduler_free(flow.s);
}

/* Hosts of all kinds of trouble; weights, budgets and holds are changed at
 * random, and some hosts fail or say that they are asked too much. */
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
	int64_t since_s[CROWD_MOST]; /* asked at one pace since then, */
	uint32_t asked[CROWD_MOST]; /* so often */
	bool is_limited[CROWD_MOST], is_failing[CROWD_MOST],
	    is_quiet[CROWD_MOST];
	/* pages again, of a site with quota */
	uint32_t quiet_asked[CROWD_MOST];
};

static struct scheduler_site
crowd_site(struct crowd *crowd, uint32_t host)
{
	struct scheduler_site site = scheduler_site_default();

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
crowd_open(struct crowd *crowd, uint32_t hosts, int64_t tick_s)
{
	struct scheduler_options options = scheduler_options_default();

	*crowd = (struct crowd){.hosts = hosts, .now_s = T0};
	random_init(&crowd->random, 7, (uint64_t)tick_s);
	options.tick_s = tick_s;
	options.asks_apart = true;
	crowd->s = scheduler_new(&options);
	for (uint32_t i = 0; i < crowd->hosts; i++) {
		struct scheduler_host host = {0};
		struct scheduler_site site;
		struct scheduler_document document = {.site = i,
		    .parent = SCHEDULER_NONE,
		    .name = slice_of("/s.xml")};

		crowd->delay_s[i] = tick_s * (i % 7 + 1);
		crowd->is_quiet[i] = i % 6 == 5;
		crowd->is_limited[i] = i % 10 == 3;
		crowd->is_failing[i] = i % 10 == 7;
		crowd->since_s[i] = T0;
		(void)scheduler_add_host(crowd->s, &host);
		crowd_limit(crowd, i);
		site = crowd_site(crowd, i);
		(void)scheduler_add_site(crowd->s, &site);
		(void)scheduler_add_document(crowd->s, &document, crowd->now_s);
		for (int k = 0; k < CROWD_PAGES * (int)tick_s; k++)
			(void)scheduler_add_page(crowd->s,
			    &(struct scheduler_page){.document = i,
				.weight = 1,
				.lastmod_s = SCHEDULER_NO_DATE,
				.fetched_s = SCHEDULER_NEVER},
			    crowd->now_s);
	}
}

/* The pace of a host is another one from now on, or none until then. */
static void
crowd_begin(struct crowd *crowd, uint32_t host, int64_t from_s)
{
	/* it may be held for longer */
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
		scheduler_hold(
		    crowd->s, host, SCHEDULER_HOLD_ALL, crowd->now_s, hold_s);
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
	}
	scheduler_outcome(crowd->s, choice->number, &outcome);
}

/* Those that may be asked and have something were asked at their pace, if they
 * could be for so long. */
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
run_crowd(uint32_t hosts, int64_t tick_s, int64_t for_s)
{
	struct crowd crowd;
	struct scheduler_choice choice;
	double days = (double)for_s / DAY;

	crowd_open(&crowd, hosts, tick_s);
	for (; crowd.now_s < T0 + for_s; crowd.now_s += tick_s) {
		if (random_unit(&crowd.random) < 0.05)
			crowd_disturb(&crowd);
		while (scheduler_next_of(
		    crowd.s, crowd.now_s, SCHEDULER_KINDS_PAGES, &choice))
			crowd_take(&crowd, &choice);
		crowd_judge(&crowd);
	}
	for (uint32_t i = 0; i < crowd.hosts; i++)
		if (crowd.is_quiet[i] &&
		    crowd.quiet_asked[i] > 288 * (days + 1))
			fail_msg("host %u: %u fetches in %g days", (unsigned)i,
			    (unsigned)crowd.quiet_asked[i], days);
	scheduler_free(crowd.s);
}

static void
test_crowd(void **state)
{
	(void)state;
	run_crowd(120, 1, 2 * HOUR);
	run_crowd(120, 60, 10 * DAY);
}

/* A day at ticks of a second and a month at ticks of a minute: half a minute of
 * processor time. */
static void
test_large_crowd(void **state)
{
	(void)state;
	run_crowd(CROWD_MOST, 1, DAY);
	run_crowd(CROWD_MOST, 60, 30 * DAY);
}

/* An argument, whatever it is: the large crowd too. */
int
main(int argc, char **argv)
{
	const struct CMUnitTest large[] = {
	    cmocka_unit_test(test_large_crowd),
	};
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_held),
	    cmocka_unit_test(test_slow),
	    cmocka_unit_test(test_failing),
	    cmocka_unit_test(test_learned),
	    cmocka_unit_test(test_crowd),
	};
	(void)argv;
	if (argc > 1 && cmocka_run_group_tests(large, NULL, NULL) != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
