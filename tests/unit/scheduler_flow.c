/* While a host may be asked and has something worth fetching, whoever asks for
 * pages gets it: nothing that befalls other hosts changes that. */
#include "sched/scheduler_hosts.h"
#include "sched/scheduler_wants.h"
#include "scheduler_fixture.h"

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
		    flow->s, flow->now_s, SCHEDULER_WANTS_PAGES, &choice)) {
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_held),
	    cmocka_unit_test(test_slow),
	    cmocka_unit_test(test_failing),
	    cmocka_unit_test(test_learned),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
