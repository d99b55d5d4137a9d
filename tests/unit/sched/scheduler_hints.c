/* Hints: somebody says by himself that a page or a document changed (T17). */
#include "tests/fixtures/scheduler_fixture.h"

#include "base/buf.h"
#include "sched/scheduler.h"

static void
hint(struct bench *bench, uint32_t page)
{
	scheduler_hint(bench->s, SCHEDULER_PAGE, page, bench->now_s);
}

/* Two sites with a document and two pages each; the first ones are hinted. */
static void
open_two(struct bench *b)
{
	open_pages(b, 0);
	add_pages(b, 2, 1, 10 * DAY);
	(void)add_site(b, 0);
	(void)scheduler_add_document(b->s,
	    &(struct scheduler_document){.site = 1,
		.parent = SCHEDULER_NONE,
		.name = slice_of("/t.xml")},
	    b->now_s);
	for (int i = 0; i < 2; i++)
		(void)scheduler_add_page(b->s,
		    &(struct scheduler_page){.document = 1,
			.weight = 1,
			.lastmod_s = SCHEDULER_NO_DATE,
			.fetched_s = b->now_s - 10 * DAY},
		    b->now_s);
	read_document(b, 0, 2, 0);
	read_document(b, 1, 2, 0);
}

/* Give so many hints of page 0, of which that many are true. */
static void
live_hints(struct bench *b, int count, int right)
{
	for (int i = 0; i < count; i++) {
		b->now_s += 4 * DAY;
		hint(b, 0);
		b->now_s += HOUR;
		answer(b, 0, i < right ? FETCH_CHANGED : FETCH_SAME);
	}
}

/* A hint is a reason to fetch that page, and no other of its site and of other
 * sites; the outcome says what such hints are worth. */
static void
test_hint(void **state)
{
	struct bench *b = *state;
	double before, other;

	open_two(b);
	before = page_terms(b, 0).value;
	other = page_terms(b, 2).value;
	assert_false(page_terms(b, 0).has_hints);
	hint(b, 0);
	assert_true(page_terms(b, 0).value > before);
	assert_int_equal(page_terms(b, 0).hints, 1);
	assert_int_equal(page_terms(b, 1).hints, 0);
	assert_true(page_terms(b, 1).value <= before);
	assert_close(page_terms(b, 2).value, other, 0);
	answer(b, 0, FETCH_SAME);
	assert_int_equal(page_terms(b, 0).hints, 0);
}

static void
test_learned(void **state)
{
	static const struct {
		int count, right;
		double low, high; /* of precision */
		bool counts;
	} rows[] = {{20, 20, 0.8, 1, true}, {20, 0, 0, 0.1, false},
	    {4, 0, 0, 0.3, true}, {40, 20, 0, 1, false}};
	struct bench *b = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct scheduler_terms terms;
		double without;

		open_two(b);
		live_hints(b, rows[i].count, rows[i].right);
		terms = page_terms(b, 0);
		assert_true(terms.hint_precision > rows[i].low);
		assert_true(terms.hint_precision < rows[i].high);
		assert_true(terms.hint_checks > 0);
		b->now_s += 5 * DAY;
		without = page_terms(b, 0).value;
		hint(b, 0);
		/* Hints that are nearly always wrong carry no weight. */
		assert_int_equal(
		    page_terms(b, 0).value > without, rows[i].counts);
		assert_int_equal(
		    hints_matter(b->s->sites.items[0].hints), rows[i].counts);
		assert_null(b->s->sites.items[1].hints);
	}
}

/* Where hints tell the changes, recall is high; when they stop, it is not any
 * more, so that pages without a hint are not left alone. */
static void
test_silence(void **state)
{
	struct bench *b = *state;
	double loud;

	open_two(b);
	for (int i = 0; i < 30; i++) {
		live_hints(b, 1, 1);
		answer(b, 1, FETCH_SAME);
	}
	loud = page_terms(b, 0).hint_recall;
	assert_true(loud > 0.6);
	for (int i = 0; i < 60; i++) {
		b->now_s += DAY;
		answer(b, 1, FETCH_SAME);
	}
	assert_true(page_terms(b, 0).hint_recall < loud / 2);
	hint(b, 0);
	b->now_s += DAY;
	answer(b, 1, FETCH_SAME);
	assert_true(page_terms(b, 0).hint_recall > loud * 0.8);
}

/* A page that was never fetched has no copy that could be out of date, and a
 * page that is not listed is not listed by a hint. */
static void
test_nothing_listed(void **state)
{
	struct bench *b = *state;
	uint32_t page;

	open_two(b);
	page = add_page(b, 1, 0);
	hint(b, page);
	assert_int_equal(page_terms(b, page).hints, 0);
	signal_page(b, 1, SIGNAL_REMOVED);
	hint(b, 1);
	assert_true((b->s->pages.items[1].flags & PAGE_REMOVED) != 0);
	for (int i = 0; i < 20; i++)
		hint(b, 0);
	assert_int_equal(page_terms(b, 0).hints, PAGE_HINTS_MOST);
}

/* A hint of a document makes it due, not before its floor; after hints that
 * were wrong it does not. */
static void
test_document(void **state)
{
	struct bench *b = *state;
	int64_t floor_s = scheduler_site_default.reading_floor_s;

	open_bench(b, 0);
	for (int i = 0; i < 10; i++) {
		b->now_s += 7 * DAY;
		read_document(b, 0, 10, 1);
	}
	while (scheduler_next(b->s, b->now_s, &b->choice))
		read_document(b, 0, 10, 0);
	scheduler_hint(b->s, SCHEDULER_DOCUMENT, 0, b->now_s);
	expect_nothing(b);
	b->now_s += floor_s + 60;
	expect(b, SCHEDULER_DOCUMENT, 0, REASON_OWED);
	read_document(b, 0, 10, 1);
	assert_int_equal(document_terms(b, 0).owed_s, 0);
	assert_true(document_terms(b, 0).hint_checks > 0);
	/* it does not wait for what is owed later */
	scheduler_owe(b->s, 0, b->now_s + 2 * floor_s);
	scheduler_hint(b->s, SCHEDULER_DOCUMENT, 0, b->now_s);
	assert_int_equal(document_terms(b, 0).owed_s, b->now_s + floor_s);
	b->now_s += floor_s;
	read_document(b, 0, 10, 1);
	for (int i = 0; i < 20; i++) {
		b->now_s += DAY;
		scheduler_hint(b->s, SCHEDULER_DOCUMENT, 0, b->now_s);
		read_document(b, 0, 10, 0);
	}
	b->now_s += HOUR;
	scheduler_hint(b->s, SCHEDULER_DOCUMENT, 0, b->now_s);
	assert_int_equal(document_terms(b, 0).owed_s, 0);
	assert_int_equal(document_terms(b, 0).hints, 1);
}

/* What was learned of hints, and the hints that no fetch has answered yet, are
 * kept; a record that is cut is refused, one without hints is not. */
static void
test_kept(void **state)
{
	struct bench *b = *state;
	struct buf site, page, old;
	struct scheduler_terms before;

	buf_init(&site, 100000);
	buf_init(&page, 1000);
	buf_init(&old, 100000);
	open_two(b);
	scheduler_save_site(b->s, 1, &old);
	live_hints(b, 10, 8);
	hint(b, 0);
	hint(b, 0);
	before = page_terms(b, 0);
	scheduler_save_site(b->s, 0, &site);
	scheduler_save_page(b->s, 0, &page);
	open_two(b);
	for (size_t len = old.len + 1; len < site.len; len++)
		assert_false(
		    scheduler_load_site(b->s, 0, slice_make(site.p, len)));
	assert_null(b->s->sites.items[0].hints);
	/* the record of the site may be lost */
	b->s->sites.items[0].is.pages_per_day = 20;
	assert_true(scheduler_load_page(b->s, 0, buf_text(&page)));
	b->s->sites.items[0].is.pages_per_day = 0;
	assert_true(scheduler_load_site(b->s, 1, buf_text(&old)));
	assert_null(b->s->sites.items[1].hints);
	for (int i = 0; i < 2; i++)
		assert_true(scheduler_load_site(b->s, 0, buf_text(&site)));
	assert_true(scheduler_load_page(b->s, 0, buf_text(&page)));
	assert_int_equal(page_terms(b, 0).hints, 2);
	assert_close(
	    page_terms(b, 0).hint_precision, before.hint_precision, 1e-12);
	assert_close(page_terms(b, 0).hint_checks, before.hint_checks, 1e-6);
	buf_release(&site);
	buf_release(&page);
	buf_release(&old);
}

UNIT_TESTS(scheduler_hints, bench_test(test_hint), bench_test(test_learned),
    bench_test(test_silence), bench_test(test_nothing_listed),
    bench_test(test_document), bench_test(test_kept));
