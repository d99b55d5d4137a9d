/* A scheduler that is told the truth, beside one that is not. */
#include "tests/fixtures/fixture.h"

#include <math.h>

#include "sched/estimate.h"
#include "sched/limiter.h"
#include "sched/scheduler.h"
#include "sched/scheduler_parts.h"
#include "tests/sim/told.h"
#include "tests/sim/value_exact.h"

enum { T0 = 1700000000, DAY = 86400 };

/* A site with one page, which was fetched at T0. */
static struct scheduler *
begin(bool reads_documents)
{
	struct scheduler_options options = scheduler_options_default;
	struct scheduler_site site = scheduler_site_default;
	struct scheduler *s;

	options.reads_documents = reads_documents;
	s = scheduler_new(&options);
	(void)scheduler_add_host(s, &(struct scheduler_host){0});
	(void)scheduler_add_site(s, &site);
	(void)scheduler_add_document(
	    s, &(struct scheduler_document){.parent = SCHEDULER_NONE}, T0);
	(void)scheduler_add_page(s,
	    &(struct scheduler_page){
		.weight = 2, .lastmod_s = SCHEDULER_NO_DATE, .fetched_s = T0},
	    T0);
	return s;
}

/* Only a told scheduler has a price without a budget of its own, and one that
 * is gone is nobody's. */
static void
test_price(void **state)
{
	struct scheduler *plain = begin(false), *told = begin(false);

	told_scarce(told);
	assert_true(!(site_price(&plain->sites, 0)->price > 0));
	assert_true(site_price(&told->sites, 0)->price ==
	    limiter_level(told->queues.limiter, 0, 0, NULL));
	told_forget(told);
	told->sites.levels++;
	assert_true(!(site_price(&told->sites, 0)->price > 0));
	scheduler_free(plain);
	scheduler_free(told);
}

/* The value follows the rates that were told, alone and together with other
 * pages; where the scheduler reads documents they are only nearly certain. */
static void
test_rates(void **state)
{
	static const struct value_rates rates = {1, 0.2, 0, 1};
	const struct value_evidence days = {.tau = 5};

	for (int reads = 0; reads < 2; reads++) {
		struct scheduler *s = begin(reads);
		struct evaluation alone;
		double least = 0, should;

		told_scarce(s);
		told_rates(s, 0, &rates);
		clock_set(s, T0 + 5 * DAY);
		/* of a page that weighs two */
		should = 2 * value_exact(&rates, &days);
		page_evaluate(&s->pages, 0, 0, least, &alone);
		assert_close(alone.value, should, 1e-3);
		told_forget(s);
		/* of a rate that has to be learned */
		page_evaluate(&s->pages, 0, 0, least, &alone);
		assert_true(fabs(alone.value - should) > 0.05 * should);
		scheduler_free(s);
	}
}

UNIT_TESTS(told, cmocka_unit_test(test_price), cmocka_unit_test(test_rates));
