/* What the scheduler explains, and what it saves and loads. */
#include "tests/fixtures/scheduler_fixture.h"

#include <math.h>
#include <string.h>

#include "base/wire.h"
#include "sched/scheduler.h"
#include "sched/scheduler_next.h"

/* The terms of a value make the value. */
static void
test_explain(void **state)
{
	struct bench *b = *state;
	struct scheduler_terms terms;

	open_pages(b, 0);
	(void)add_page(b, 2, 10 * DAY);
	(void)add_page(b, 2, 0);
	read_document(b, 0, 2, 0);
	scheduler_explain_page(b->s, 0, b->now_s, &terms);
	assert_close(terms.days, 10, 1e-9);
	assert_close(terms.weight, 2, 1e-9);
	assert_close(terms.fresh, exp(-terms.hazard), 1e-9);
	assert_close(terms.changes_per_day,
	    terms.alpha + terms.gamma * (1 - terms.q), 1e-9);
	assert_int_equal(terms.moves, 0);
	assert_true(terms.is_waiting && !terms.is_out);
	move(b, 0, b->now_s);
	scheduler_explain_page(b->s, 0, b->now_s, &terms);
	assert_int_equal(terms.moves, 1);
	expect(b, SCHEDULER_PAGE, 1, REASON_NEW);
	expect(b, SCHEDULER_PAGE, 0, REASON_VALUE);
	assert_close(b->choice.value, terms.value, 1e-9);
	scheduler_explain_page(b->s, 0, b->now_s, &terms);
	assert_true(!terms.is_waiting && terms.is_out);
	scheduler_explain_document(b->s, 0, b->now_s, &terms);
	assert_true(terms.precision > 0 && terms.precision < 1);
	assert_false(terms.is_distrusted);
	assert_true(b->s->pages.evaluations > 0);
}

/* Check that a record that is cut anywhere is refused. */
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

/* A page that was added to be loaded is chosen afterwards, whether its record
 * was right or not. */
static void
test_loaded_page(void **state)
{
	struct bench *b = *state;

	for (int is_right = 0; is_right < 2; is_right++) {
		struct scheduler_page page = {.weight = 1,
		    .lastmod_s = SCHEDULER_NO_DATE,
		    .fetched_s = SCHEDULER_NEVER,
		    .is_loaded = true};
		struct buf record;

		buf_init(&record, 1000);
		open_pages(b, 0);
		read_document(b, 0, 1, 0);
		(void)scheduler_add_page(b->s, &page, b->now_s);
		expect_nothing(b);
		scheduler_save_page(b->s, 0, &record);
		if (!is_right)
			(void)buf_put_char(&record, 'x');
		assert_int_equal(
		    scheduler_load_page(b->s, 0, buf_text(&record)), is_right);
		expect(b, SCHEDULER_PAGE, 0, REASON_NEW);
		buf_release(&record);
	}
}

/* What was learned is saved and loaded; damaged records change nothing. */
static void
test_state(void **state)
{
	struct scheduler_options options = pages_only();
	struct scheduler_terms before, after;
	struct bench b[2] = {0};
	struct buf bytes[4];

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

enum kept { KEPT_PAGE, KEPT_DOCUMENT, KEPT_SITE, KEPT_ALL, KEPT };

static void
save(const struct scheduler *s, enum kept kept, struct buf *bytes)
{
	buf_clear(bytes);
	if (kept == KEPT_PAGE)
		scheduler_save_page(s, 0, bytes);
	else if (kept == KEPT_DOCUMENT)
		scheduler_save_document(s, 0, bytes);
	else if (kept == KEPT_SITE)
		scheduler_save_site(s, 0, bytes);
	else
		scheduler_save_all(s, bytes);
}

static bool
load(struct scheduler *s, enum kept kept, struct slice bytes)
{
	return kept == KEPT_PAGE    ? scheduler_load_page(s, 0, bytes)
	    : kept == KEPT_DOCUMENT ? scheduler_load_document(s, 0, bytes)
	    : kept == KEPT_SITE     ? scheduler_load_site(s, 0, bytes)
				    : scheduler_load_all(s, bytes);
}

/* A record with a time that no clock can show is refused, because times are
 * computed from it. */
static void
test_no_time(void **state)
{
	struct bench *b = *state;
	struct buf bytes, time;
	char *at;

	buf_init(&bytes, 100000);
	buf_init(&time, 100);
	open_bench(b, 0);
	read_document(b, 0, 10, 0);
	scheduler_save_document(b->s, 0, &bytes);
	assert_true(scheduler_load_document(b->s, 0, buf_text(&bytes)));
	/* the time of its reading, little-endian */
	wire_put_fixed(&time, 8, (uint64_t)b->now_s);
	at = memmem(bytes.p, bytes.len, time.p, time.len);
	assert_non_null(at);
	at[7] = (char)0x80;
	assert_false(scheduler_load_document(b->s, 0, buf_text(&bytes)));
	at[7] = 0x10;
	assert_false(scheduler_load_document(b->s, 0, buf_text(&bytes)));
	at[7] = 0;
	assert_true(scheduler_load_document(b->s, 0, buf_text(&bytes)));
	buf_release(&bytes);
	buf_release(&time);
}

/* Let some days pass with what was loaded. */
static void
live(struct bench *bench)
{
	for (int i = 0; i < 12; i++) {
		struct scheduler_terms terms;

		(void)scheduler_due_of_s(
		    bench->s, bench->now_s, SCHEDULER_KINDS_ALL);
		while (scheduler_next(bench->s, bench->now_s, &bench->choice)) {
			if (bench->choice.kind == SCHEDULER_DOCUMENT)
				read_document(bench, 0, 10, (uint32_t)i % 3);
			else
				answer(bench, bench->choice.number,
				    i % 2 == 0 ? FETCH_CHANGED : FETCH_SAME);
		}
		scheduler_explain_page(bench->s, 0, bench->now_s, &terms);
		assert_false(isnan(terms.value));
		scheduler_explain_document(bench->s, 0, bench->now_s, &terms);
		bench->now_s += i == 8 ? -5 * DAY : DAY;
	}
}

/* A damaged record that is accepted all the same does no harm. */
static void
test_damage(void **state)
{
	struct bench *b = *state;
	static const unsigned char masks[] = {0x01, 0x40, 0x80, 0xff};
	struct scheduler_options options = scheduler_options_default;
	struct buf bytes;

	options.requests_per_hour = 12;
	buf_init(&bytes, 100000);
	for (int kept = 0; kept < KEPT; kept++)
		for (size_t at = 0; at == 0 || at < 4 * bytes.len; at++) {
			bench_open(b, &options);
			(void)add_site(b, 30 * DAY);
			(void)add_document(b, SCHEDULER_NONE, "/s.xml");
			(void)add_page(b, 1, 10 * DAY);
			live(b);
			save(b->s, (enum kept)kept, &bytes);
			bytes.p[at / 4] = (char)(bytes.p[at / 4] ^
			    (char)masks[at % 4]);
			if (load(b->s, (enum kept)kept, buf_text(&bytes)))
				live(b);
		}
	buf_release(&bytes);
}

UNIT_TESTS(scheduler_state, bench_test(test_explain),
    bench_test(test_loaded_page), cmocka_unit_test(test_state),
    bench_test(test_no_time), bench_test(test_damage));
