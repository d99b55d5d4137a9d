/* Sections of sites: scheduling-formulas.md, (T12). */
#include "tests/fixtures/scheduler_fixture.h"

#include "sched/scheduler.h"
#include "sched/scheduler_next.h"
#include "sched/sites.h"
#include "tests/sim/history.h"
#include "tests/sim/policies.h"
#include "tests/sim/sim.h"

static uint32_t
add_in(struct bench *bench, uint32_t section, int64_t fetched_s)
{
	struct scheduler_page page = {.section = section,
	    .weight = 1,
	    .lastmod_s = SCHEDULER_NO_DATE,
	    .fetched_s = fetched_s};

	return scheduler_add_page(bench->s, &page, bench->now_s);
}

static double
rate_of(struct bench *bench, uint32_t page)
{
	return page_terms(bench, page).changes_per_day;
}

/* The pages of a section show how the next page of it will behave; those of
 * sections around it show less, and those of other sections hardly
 * anything. */
static void
test_alike(void **state)
{
	struct bench *b = *state;
	uint32_t news, help, deep, quick, slow, page[4];

	open_pages(b, 0);
	news = sections_add(&b->s->sections, 0, 0);
	deep = sections_add(&b->s->sections, 0, news);
	help = sections_add(&b->s->sections, 0, 0);
	quick = add_in(b, deep, b->now_s);
	slow = add_in(b, help, b->now_s);
	for (int day = 0; day < 40; day++) {
		b->now_s += DAY;
		answer(b, quick, FETCH_CHANGED);
		answer(b, slow, FETCH_SAME);
	}
	page[0] = add_in(b, deep, SCHEDULER_NEVER);
	page[1] = add_in(b, news, SCHEDULER_NEVER);
	page[2] = add_in(b, 0, SCHEDULER_NEVER);
	page[3] = add_in(b, help, SCHEDULER_NEVER);
	/* The means are computed anew only after a day. */
	b->now_s += DAY;
	for (int i = 1; i < 4; i++)
		assert_true(rate_of(b, page[i]) < rate_of(b, page[i - 1]));
	/* Those that change least are fetched first: they stay fresh. */
	for (int i = 3; i >= 0; i--)
		expect(b, SCHEDULER_PAGE, page[i], REASON_NEW);
}

/* A page that is gone is expected to come back as often as other pages of the
 * site change, until the site shows otherwise. */
static void
test_gone(void **state)
{
	struct bench *b = *state;
	uint32_t old, page, alive, news;
	double there;

	open_pages(b, 0);
	old = sections_add(&b->s->sections, 0, 0);
	page = add_in(b, old, b->now_s);
	alive = add_in(b, old, b->now_s);
	news = add_in(b, 0, b->now_s);
	for (int day = 0; day < 40; day++) {
		b->now_s += DAY;
		answer(b, page, FETCH_SAME);
		answer(b, news, FETCH_CHANGED);
	}
	there = section_mean(&b->s->sections, 0, old);
	assert_true(rate_of(b, page) < there);
	answer(b, page, FETCH_GONE);
	for (int day = 0; day < 40; day++) {
		b->now_s += DAY;
		answer(b, page, FETCH_GONE);
	}
	/* Gone pages do not make other pages look slower. */
	assert_true(section_mean(&b->s->sections, 0, old) > 0.99 * there);
	answer(b, alive, FETCH_GONE);
	assert_true(rate_of(b, alive) > there);
	/* If gone pages of a site come back, others are expected to come back,
	 * too. */
	there = rate_of(b, alive);
	for (int i = 0; i < 20; i++) {
		b->now_s += DAY;
		answer(b, page, i % 2 ? FETCH_GONE : FETCH_CHANGED);
	}
	assert_true(rate_of(b, alive) > 2 * there);
}

/* (T12) by hand: k = 2, at each level. */
static void
test_levels(void **state)
{
	struct bench *b = *state;
	struct rate_prior seen = {.changes = 6, .days = 30}, none = {0};
	uint32_t outer, inner;
	double site;

	open_pages(b, 0);
	outer = sections_add(&b->s->sections, 0, 0);
	inner = sections_add(&b->s->sections, 0, outer);
	assert_close(section_mean(&b->s->sections, 0, inner), 0.05, 1e-6);
	section_learn(&b->s->sections, 0, outer, &seen);
	b->now_s += DAY;
	(void)add_in(b, 0, b->now_s);
	site = section_mean(&b->s->sections, 0, 0);
	assert_close(site, rate_mean(&seen, &seen), 1e-9);
	assert_close(
	    section_mean(&b->s->sections, 0, outer), 8 / (2 / site + 30), 1e-6);
	/* A section of which nothing is known is like the section around
	 * it. */
	assert_close(section_mean(&b->s->sections, 0, inner),
	    rate_mean_in(&none, 8 / (2 / site + 30)), 1e-6);
	assert_close(section_mean(&b->s->sections, 0, inner),
	    section_mean(&b->s->sections, 0, outer), 1e-6);
}

/* A section that is too deep, or one too many, counts as the section above. */
static void
test_limits(void **state)
{
	struct bench *b = *state;
	uint32_t number = 0, last = 0, other;

	open_pages(b, 0);
	for (int i = 0; i < 100; i++) {
		last = number;
		number = sections_add(&b->s->sections, 0, number);
	}
	assert_int_equal(number, last);
	assert_int_equal(number, 16);
	for (int i = 0; i < 10000; i++)
		number = sections_add(&b->s->sections, 0, 1);
	assert_int_equal(number, 1);
	assert_int_equal(sections_add(&b->s->sections, 0, 0), 0);
	/* Another site has sections of its own. */
	assert_int_equal(add_site(b, 0), 1);
	other = sections_add(&b->s->sections, 1, 0);
	assert_int_equal(other, 4097);
	(void)add_in(b, 16, SCHEDULER_NEVER);
}

static void
test_state(void **state)
{
	struct rate_prior seen = {.changes = 6, .days = 30};
	struct bench b[2] = {0};
	struct buf bytes, site;

	buf_init(&bytes, 1000);
	buf_init(&site, 1000);
	for (int i = 0; i < 2; i++) {
		open_pages(&b[i], 0);
		(void)sections_add(&b[i].s->sections, 0, 0);
		(void)section_mean(&b[i].s->sections, 0, 1);
	}
	section_learn(&b[0].s->sections, 0, 1, &seen);
	scheduler_save_section(b[0].s, 1, &bytes);
	scheduler_save_site(b[0].s, 0, &site);
	for (size_t len = 0; len < bytes.len; len++)
		assert_false(scheduler_load_section(
		    b[1].s, 1, slice_make(bytes.p, len)));
	assert_false(scheduler_load_section(b[1].s, 1, buf_text(&site)));
	assert_close(section_mean(&b[1].s->sections, 0, 1), 0.05, 1e-6);
	assert_true(scheduler_load_section(b[1].s, 1, buf_text(&bytes)));
	assert_close(
	    section_mean(&b[1].s->sections, 0, 1), 8 / (2 / 0.05 + 30), 1e-6);
	for (int i = 0; i < 2; i++)
		scheduler_free(b[i].s);
	buf_release(&bytes);
	buf_release(&site);
}

/* Two sites may list pages of one folder, in any order. */
static void
test_folder_of_two_sites(void **state)
{
	struct sim_options options = sim_options_default();
	struct sim_result result;
	struct history history;

	history_init(&history);
	(void)history_add_section(&history, 0);
	(void)history_add_section(&history, 1);
	for (uint32_t i = 0; i < 2; i++) {
		struct history_page page = {.weight = 1, .section = 2 - i};
		struct history_document document = {
		    .parent = HISTORY_NONE, .cost = 1, .shows_at_once = true};

		document.site = history_add_site(&history, "s", 0);
		page.document = history_add_document(&history, &document);
		(void)history_add_page(&history, &page);
		page.section = 2;
		(void)history_add_page(&history, &page);
	}
	for (uint32_t i = 0; i < 4; i++)
		history_add(&history,
		    &(struct history_event){
			.t_s = T0, .kind = HISTORY_EXISTS, .subject = i});
	for (uint32_t i = 0; i < 4; i++)
		history_add(&history,
		    &(struct history_event){
			.t_s = T0, .kind = HISTORY_ADDED, .subject = i});
	history.begin_s = T0;
	history.end_s = T0 + 30 * DAY;
	history_sort(&history);
	sim_run(&result, &policy_ours, &history, &options);
	assert_true(result.days[29].weight > 0);
	assert_close(result.days[29].fresh, result.days[29].weight, 1e-9);
	sim_result_release(&result);
	history_release(&history);
}

UNIT_TESTS(sections, bench_test(test_alike), bench_test(test_gone),
    bench_test(test_levels), bench_test(test_limits),
    cmocka_unit_test(test_state), cmocka_unit_test(test_folder_of_two_sites));
