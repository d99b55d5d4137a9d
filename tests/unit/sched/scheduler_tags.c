/* Budgets that sites keep together. */

#include "sched/scheduler_hosts.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_some.h"
#include "tests/fixtures/scheduler_fixture.h"

enum { SITES = 4, OF_EACH = 500 };

struct tags {
	struct bench b;
	uint32_t a, b_tag, both; /* 60 an hour, 12 an hour */
	int asked[SITES];
};

/* No tag, one, the other, both; pages enough for all. */
static void
open_tags(struct tags *t)
{
	struct scheduler_options options = scheduler_options_default();

	options.asks_apart = true;
	*t = (struct tags){.b = {.s = scheduler_new(&options), .now_s = T0}};
	t->a = scheduler_add_tag(t->b.s, 60);
	t->b_tag = scheduler_add_tag(t->b.s, 12);
	t->both = scheduler_add_tag_below(t->b.s, t->a, t->b_tag);
	for (int i = 0; i < SITES; i++) {
		const uint32_t tags[] = {
		    SCHEDULER_NONE, t->a, t->b_tag, t->both};
		struct scheduler_site site = scheduler_site_default();
		struct scheduler_document document = {
		    .parent = SCHEDULER_NONE, .name = slice_of("/s.xml")};
		struct scheduler_page page = {.weight = i == 3 ? 9 : 1,
		    .lastmod_s = SCHEDULER_NO_DATE,
		    .fetched_s = SCHEDULER_NEVER};

		site.tag = tags[i];
		site.host = scheduler_add_host(
		    t->b.s, &(struct scheduler_host){0});
		document.site = scheduler_add_site(t->b.s, &site);
		page.document = scheduler_add_document(
		    t->b.s, &document, t->b.now_s);
		for (int k = 0; k < OF_EACH; k++)
			(void)scheduler_add_page(t->b.s, &page, t->b.now_s);
	}
}

/* ask(tags, hours): all that may be had in that time. */
static void
ask(struct tags *t, int hours)
{
	int64_t end_s = t->b.now_s + (int64_t)hours * HOUR;

	memset(t->asked, 0, sizeof(t->asked));
	for (; t->b.now_s < end_s; t->b.now_s += 60)
		while (scheduler_next(t->b.s, t->b.now_s, &t->b.choice))
			if (t->b.choice.kind == SCHEDULER_PAGE)
				t->asked[t->b.choice.number / OF_EACH]++;
			else
				t->asked[t->b.choice.number]++;
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
	struct tags t;

	(void)state;
	open_tags(&t);
	ask(&t, 2);
	assert_int_equal(t.asked[0], OF_EACH + 1);
	expect_about(t.asked[1] + t.asked[3], 120);
	expect_about(t.asked[2] + t.asked[3], 24);
	assert_true(t.asked[3] > 0);
	scheduler_free(t.b.s);
}

/* Tags and limits may be others from one moment to the next; what was asked
 * counts. */
static void
test_changes(void **state)
{
	struct tags t;

	(void)state;
	open_tags(&t);
	ask(&t, 1);
	scheduler_set_tag(t.b.s, 2, SCHEDULER_NONE);
	ask(&t, 1);
	assert_true(t.asked[2] > 400);
	expect_about(t.asked[3], 12);
	expect_about(t.asked[1] + t.asked[3], 60);
	scheduler_limit_tag(t.b.s, t.a, &(struct scheduler_host){0});
	ask(&t, 1);
	assert_true(t.asked[1] > 300);
	expect_about(t.asked[3], 12);
	scheduler_set_tag(t.b.s, 3, t.a);
	ask(&t, 1);
	assert_true(t.asked[3] > 300);
	scheduler_free(t.b.s);
}

/* What was spent before is waited for, by all that keep the limit; not for
 * what was spent when it was wider. */
static void
test_spent(void **state)
{
	const uint32_t site = 3;
	struct scheduler_some some = {.sites = &site, .count = 1};
	struct tags t;

	(void)state;
	open_tags(&t);
	scheduler_spend_tag(t.b.s, t.b_tag, t.b.now_s, 1000);
	assert_false(scheduler_next_page(t.b.s, t.b.now_s, &some, &t.b.choice));
	assert_int_equal(scheduler_site_ready_s(t.b.s, site), t.b.now_s + 300);
	ask(&t, 1);
	expect_about(t.asked[2] + t.asked[3], 11);
	expect_about(t.asked[1] + t.asked[3], 60);
	scheduler_free(t.b.s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_together),
	    cmocka_unit_test(test_changes),
	    cmocka_unit_test(test_spent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
