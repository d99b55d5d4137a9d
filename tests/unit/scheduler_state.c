/* What the scheduler tells of itself, and what is kept of it. */
#include "tests/unit/scheduler_fixture.h"

#include <math.h>

#include "sched/scheduler_show.h"

/* The terms of a value make the value. */
static void
test_explain(void **state)
{
	struct scheduler_options options = pages_only();
	struct scheduler_terms terms;
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	(void)add_page(&b, 2, 10 * DAY);
	(void)add_page(&b, 2, 0);
	read_document(&b, 0, 2, 0);
	scheduler_explain_page(b.s, 0, b.now_s, &terms);
	assert_close(terms.days, 10, 1e-9);
	assert_close(terms.weight, 2, 1e-9);
	assert_close(terms.fresh, exp(-terms.hazard), 1e-9);
	assert_close(terms.changes_per_day,
	    terms.alpha + terms.gamma * (1 - terms.q), 1e-9);
	assert_int_equal(terms.moves, 0);
	assert_true(terms.is_waiting && !terms.is_out);
	move(&b, 0, b.now_s);
	scheduler_explain_page(b.s, 0, b.now_s, &terms);
	assert_int_equal(terms.moves, 1);
	expect(&b, SCHEDULER_PAGE, 1, REASON_NEW);
	expect(&b, SCHEDULER_PAGE, 0, REASON_VALUE);
	assert_close(b.choice.value, terms.value, 1e-9);
	scheduler_explain_page(b.s, 0, b.now_s, &terms);
	assert_true(!terms.is_waiting && terms.is_out);
	scheduler_explain_document(b.s, 0, b.now_s, &terms);
	assert_true(terms.precision > 0 && terms.precision < 1);
	assert_false(terms.is_distrusted);
	assert_true(scheduler_looks(b.s) > 0);
	scheduler_free(b.s);
}

/* Cut anywhere, a record is refused. */
static void
refuse(struct scheduler *s, struct slice page, struct slice document)
{
	for (size_t len = 0; len < page.len; len++)
		assert_false(
		    scheduler_load_page(s, 0, slice_make(page.p, len)));
	for (size_t len = 0; len < document.len; len++)
		assert_false(
		    scheduler_load_document(s, 0, slice_make(document.p, len)));
	assert_false(scheduler_load_page(s, 0, document));
	assert_false(scheduler_load_document(s, 0, page));
}

/* One page that changed, and a second that moved since. */
static void
learn(struct bench *bench)
{
	read_document(bench, 0, 10, 0);
	expect(bench, SCHEDULER_PAGE, 0, REASON_VALUE);
	answer(bench, 0, FETCH_CHANGED);
	bench->now_s += 10;
	read_document(bench, 0, 10, 1);
	move(bench, 0, bench->now_s);
}

/* What was learned outlives the scheduler; what is damaged changes nothing. */
static void
test_state(void **state)
{
	struct scheduler_options options = pages_only();
	struct scheduler_terms before, after;
	struct bench b[2];
	struct buf bytes[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		buf_init(&bytes[i], 100000);
	for (int i = 0; i < 2; i++) {
		bench_open(&b[i], &options);
		(void)add_site(&b[i], 0);
		(void)add_document(&b[i], SCHEDULER_NONE, "/s.xml");
		(void)add_page(&b[i], 1, 10 * DAY);
	}
	learn(&b[0]);
	scheduler_save_page(b[0].s, 0, &bytes[0]);
	scheduler_save_document(b[0].s, 0, &bytes[1]);
	scheduler_save_site(b[0].s, 0, &bytes[2]);
	scheduler_save_all(b[0].s, &bytes[3]);
	refuse(b[1].s, buf_text(&bytes[0]), buf_text(&bytes[1]));
	assert_true(scheduler_load_all(b[1].s, buf_text(&bytes[3])));
	assert_true(scheduler_load_site(b[1].s, 0, buf_text(&bytes[2])));
	assert_true(scheduler_load_document(b[1].s, 0, buf_text(&bytes[1])));
	assert_true(scheduler_load_page(b[1].s, 0, buf_text(&bytes[0])));
	b[0].now_s += 5 * DAY;
	scheduler_explain_page(b[0].s, 0, b[0].now_s, &before);
	scheduler_explain_page(b[1].s, 0, b[0].now_s, &after);
	assert_close(after.value, before.value, 1e-12);
	assert_int_equal(after.moves, 1);
	assert_close(after.changes_per_day, before.changes_per_day, 1e-12);
	for (int i = 0; i < 4; i++)
		buf_release(&bytes[i]);
	scheduler_free(b[0].s);
	scheduler_free(b[1].s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_explain),
	    cmocka_unit_test(test_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
