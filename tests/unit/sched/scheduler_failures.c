/* Pages that fail: which are left alone, and which hosts. */
#include "tests/fixtures/scheduler_fixture.h"

#include "sched/scheduler_explain.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_parts.h"
#include "sched/scheduler_state.h"

#define WEEK (7 * DAY)
#define PAGES 40

static void
open_site(struct bench *b, int64_t ceiling_s)
{
	struct scheduler_options options = pages_only();

	bench_open(b, &options);
	(void)add_site(b, ceiling_s);
	(void)add_document(b, SCHEDULER_NONE, "/s.xml");
}

static void
fail_limited(struct bench *b, uint32_t page, int64_t hold_s)
{
	scheduler_outcome(b->s, page,
	    &(struct scheduler_outcome){.now_s = b->now_s,
		.kind = FETCH_FAILED,
		.hold_s = hold_s,
		.is_limited = true});
}

/* When the page is asked for next; others are there, and never changed. */
static int64_t
asked_again_s(struct bench *b, uint32_t page)
{
	for (int64_t begin_s = b->now_s;; b->now_s += 60) {
		while (scheduler_next(b->s, b->now_s, &b->choice)) {
			if (b->choice.number == page)
				return b->now_s - begin_s;
			answer(b, b->choice.number, FETCH_SAME);
		}
		assert_true(b->now_s < begin_s + 30 * DAY);
	}
}

/* An hour, then twice as long, up to a week or its ceiling: a page never
 * fetched, too, which is worth the most, and one past its ceiling. */
static void
test_backs_off(void **state)
{
	static const int64_t ceilings[] = {0, 600, 5 * HOUR, 90 * DAY};
	static const int64_t most_s[] = {WEEK, HOUR, 5 * HOUR, WEEK};
	struct bench b;

	(void)state;
	for (size_t i = 0; i < COUNT(ceilings); i++) {
		int64_t wait_s = HOUR;

		open_site(&b, ceilings[i]);
		(void)add_page(&b, 1, 0);
		(void)add_page(&b, 1, DAY);
		(void)asked_again_s(&b, 0);
		for (int n = 0; n < 12; n++) {
			answer(&b, 0, FETCH_FAILED);
			assert_in_range(
			    asked_again_s(&b, 0), wait_s, wait_s + HOUR);
			wait_s = 2 * wait_s < most_s[i] ? 2 * wait_s
							: most_s[i];
		}
		/* it is as good as others after an answer */
		answer(&b, 0, FETCH_CHANGED);
		(void)asked_again_s(&b, 0);
		answer(&b, 0, FETCH_FAILED);
		assert_in_range(asked_again_s(&b, 0), HOUR, 2 * HOUR);
		scheduler_free(b.s);
	}
}

/* One bad page is asked for once an hour at most, and all others go on. */
static void
test_others_go_on(void **state)
{
	int asked[PAGES] = {0};
	struct bench b;

	(void)state;
	open_site(&b, 0);
	for (int i = 0; i < PAGES; i++)
		(void)add_page(&b, i == 0 ? 9 : 1, 0);
	for (; b.now_s < T0 + HOUR; b.now_s += 10)
		if (scheduler_next(b.s, b.now_s, &b.choice)) {
			asked[b.choice.number]++;
			answer(&b, b.choice.number,
			    b.choice.number == 0 ? FETCH_FAILED : FETCH_SAME);
		}
	for (int i = 0; i < PAGES; i++)
		assert_int_equal(asked[i], 1);
	scheduler_free(b.s);
}

/* How long nothing is asked for. */
static int64_t
held_s(struct bench *b)
{
	int64_t begin_s = b->now_s;

	while (!scheduler_next(b->s, b->now_s, &b->choice)) {
		b->now_s += 5;
		assert_true(b->now_s < begin_s + DAY);
	}
	return b->now_s - begin_s;
}

/* The third page in a row holds the host, and each after it for twice as long;
 * the same one again does not count. */
static void
test_many(void **state)
{
	struct bench b;

	(void)state;
	open_site(&b, 0);
	for (int i = 0; i < PAGES; i++)
		(void)add_page(&b, 1, 0);
	assert_int_equal(held_s(&b), 0);
	answer(&b, b.choice.number, FETCH_FAILED);
	answer(&b, b.choice.number, FETCH_FAILED);
	assert_int_equal(held_s(&b), 0);
	answer(&b, b.choice.number, FETCH_FAILED);
	assert_int_equal(held_s(&b), 0);
	for (int64_t wait_s = 60; wait_s < 6 * HOUR; wait_s *= 2) {
		answer(&b, b.choice.number, FETCH_FAILED);
		assert_in_range(held_s(&b), wait_s, wait_s + 9);
	}
	answer(&b, b.choice.number, FETCH_FAILED);
	assert_in_range(held_s(&b), 6 * HOUR, 6 * HOUR + 9);
	answer(&b, b.choice.number, FETCH_SAME);
	assert_int_equal(held_s(&b), 0);
	answer(&b, b.choice.number, FETCH_FAILED);
	assert_int_equal(held_s(&b), 0);
	scheduler_free(b.s);
}

/* When one of that kind is asked for, from now on. */
static int64_t
next_of_s(struct bench *b, unsigned wants)
{
	int64_t now_s = b->now_s;

	while (!scheduler_next_of(b->s, now_s, wants, &b->choice)) {
		int64_t due_s = scheduler_due_of_s(b->s, now_s, wants);

		now_s = due_s > now_s ? due_s : now_s + 1;
		assert_true(now_s < b->now_s + DAY);
	}
	return now_s;
}

/* Asked too much: at once, for as long as it says, and longer if that did not
 * help; without such a word for a minute, and twice as long each time. */
static void
test_limited(void **state)
{
	static const int64_t said_s[] = {30, 30, 60, 120};
	static const int64_t unsaid_s[] = {60, 120, 240, 480};
	struct bench b;

	(void)state;
	for (int said = 0; said < 2; said++) {
		const int64_t *waits_s = said ? said_s : unsaid_s;

		open_site(&b, 0);
		for (int i = 0; i < PAGES; i++)
			(void)add_page(&b, (float)(PAGES - i), 0);
		assert_int_equal(held_s(&b), 0);
		for (uint32_t i = 0; i < 4; i++) {
			uint32_t page = b.choice.number;

			fail_limited(&b, page, said ? 30 : 0);
			assert_int_equal(held_s(&b), waits_s[i]);
			scheduler_give_back(b.s, b.now_s, &b.choice);
			scheduler_retire(b.s, SCHEDULER_PAGE, page);
			assert_int_equal(held_s(&b), 0);
		}
		scheduler_free(b.s);
	}
}

/* One that is always asked too much does not keep its host held. */
static void
test_always_limited(void **state)
{
	struct bench b;
	int64_t held = 0;

	(void)state;
	open_site(&b, 0);
	for (int i = 0; i < PAGES; i++)
		(void)add_page(&b, i == 0 ? 9 : 1, 0);
	for (; b.now_s < T0 + 3 * HOUR; b.now_s += 10) {
		if (!scheduler_next(b.s, b.now_s, &b.choice))
			continue;
		if (b.choice.number != 0) {
			answer(&b, b.choice.number, FETCH_CHANGED);
			continue;
		}
		fail_limited(&b, 0, 30);
		held += 30;
	}
	/* now, then, an hour and two hours later */
	assert_int_equal(held, 90);
	scheduler_free(b.s);
}

struct failing {
	int failures;
	bool is_limited;
	int64_t hold_s; /* that its host says */
	int64_t pages_s, documents_s; /* they are held for */
};

/* After these failures: when one of that kind is asked for. */
static int64_t
held_of_s(const struct failing *failing, unsigned wants)
{
	struct scheduler_options options = scheduler_options_default();
	struct bench b;
	int64_t next_s;

	options.asks_apart = true;
	bench_open(&b, &options);
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	for (int i = 0; i < PAGES; i++)
		(void)add_page(&b, 1, 0);
	for (uint32_t i = 0; i < (uint32_t)failing->failures; i++)
		scheduler_outcome(b.s, i,
		    &(struct scheduler_outcome){.now_s = b.now_s,
			.kind = FETCH_FAILED,
			.hold_s = failing->hold_s,
			.is_limited = failing->is_limited});
	next_s = next_of_s(&b, wants);
	scheduler_free(b.s);
	return next_s - T0;
}

/* Pages that fail hold pages; a host that is asked too much, or says until
 * when, is asked for nothing. */
static void
test_what_is_held(void **state)
{
	static const struct failing cases[] = {{2, false, 0, 0, 0},
	    {3, false, 0, 60, 0}, {1, true, 0, 60, 60}, {1, true, 30, 30, 30},
	    {1, false, 30, 30, 30}, {3, false, 30, 60, 30},
	    {3, true, 30, 60, 60}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(
		    held_of_s(&cases[i], SCHEDULER_KINDS_DOCUMENTS),
		    cases[i].documents_s);
		assert_int_equal(held_of_s(&cases[i], SCHEDULER_KINDS_PAGES),
		    cases[i].pages_s);
	}
}

/* It is kept, and put back with the clock. */
static void
test_kept(void **state)
{
	struct scheduler_terms terms;
	struct bench b, other;
	struct buf buf;

	(void)state;
	buf_init(&buf, 1000);
	open_site(&b, 0);
	open_site(&other, 0);
	(void)add_page(&b, 1, 0);
	(void)add_page(&other, 1, 0);
	expect(&b, SCHEDULER_PAGE, 0, REASON_NEW);
	answer(&b, 0, FETCH_FAILED);
	scheduler_save_page(b.s, 0, &buf);
	assert_true(scheduler_load_page(other.s, 0, buf_text(&buf)));
	expect_nothing(&other);
	scheduler_explain_page(other.s, 0, other.now_s, &terms);
	assert_in_range(terms.due_s, T0 + HOUR, T0 + HOUR + 60);
	assert_int_equal(terms.failures, 1);
	other.now_s += HOUR + 60;
	expect(&other, SCHEDULER_PAGE, 0, REASON_NEW);
	answer(&other, 0, FETCH_FAILED);
	assert_in_range(asked_again_s(&other, 0), 2 * HOUR, 2 * HOUR + 60);
	/* what is left of it is waited for */
	b.now_s += HOUR / 2;
	expect_nothing(&b);
	b.now_s -= DAY;
	assert_in_range(asked_again_s(&b, 0), HOUR / 2, HOUR / 2 + 60);
	/* no page can have failed so often, and not have */
	buf.len--;
	assert_false(scheduler_load_page(other.s, 0, buf_text(&buf)));
	scheduler_free(b.s);
	scheduler_free(other.s);
	buf_release(&buf);
}

/* As outcomes say: that nothing is told for a while is beside it. */
static double
recall_of(struct bench *b)
{
	return (double)b->s->sources.items[0].trust.recall;
}

/* No date moves when a page goes, or comes back: readings that do not move it
 * say nothing of what dates tell. */
static void
test_gone_untold(void **state)
{
	static const enum scheduler_outcome_kind goes[] = {
	    FETCH_GONE, FETCH_MOVED_AWAY};

	(void)state;
	for (size_t i = 0; i < COUNT(goes); i++) {
		enum scheduler_outcome_kind kinds[] = {goes[i], FETCH_CHANGED};
		struct bench b;
		double recall;

		open_site(&b, 0);
		(void)add_page(&b, 1, 10 * DAY);
		read_document(&b, 0, 1, 0);
		answer(&b, 0, FETCH_SAME);
		for (size_t k = 0; k < COUNT(kinds); k++) {
			b.now_s += HOUR;
			read_document(&b, 0, 1, 0);
			recall = recall_of(&b);
			b.now_s += HOUR;
			answer(&b, 0, kinds[k]);
			for (int n = 0; n < 2; n++) {
				b.now_s += HOUR;
				read_document(&b, 0, 1, 0);
			}
			assert_close(recall_of(&b), recall, 1e-12);
		}
		/* a text that is another one is a change */
		recall = recall_of(&b);
		answer(&b, 0, FETCH_CHANGED);
		b.now_s += HOUR;
		read_document(&b, 0, 1, 0);
		b.now_s += HOUR;
		read_document(&b, 0, 1, 0);
		assert_true(recall_of(&b) < recall);
		scheduler_free(b.s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_backs_off),
	    cmocka_unit_test(test_others_go_on),
	    cmocka_unit_test(test_many),
	    cmocka_unit_test(test_limited),
	    cmocka_unit_test(test_always_limited),
	    cmocka_unit_test(test_what_is_held),
	    cmocka_unit_test(test_kept),
	    cmocka_unit_test(test_gone_untold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
