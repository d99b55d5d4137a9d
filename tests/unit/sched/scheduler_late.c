/* What is past its ceiling: whose turn it is, and what ends it. */
#include "sched/backlog.h"
#include "sched/scheduler_explain.h"
#include "sched/scheduler_hosts.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_parts.h"
#include "sched/scheduler_state.h"
#include "tests/fixtures/scheduler_fixture.h"

enum { LISTED = 20, DELAY_S = 3 };

/* A site of one document, whose pages no ceiling can be kept for. */
static void
open_site(struct bench *b, const struct scheduler_site *is)
{
	struct scheduler_options options = scheduler_options_default();

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

/* The next page that the host allows; one that was only listed is one now. */
static uint32_t
next_page(struct bench *b)
{
	struct scheduler_page page = {.weight = 1,
	    .lastmod_s = SCHEDULER_NO_DATE,
	    .fetched_s = SCHEDULER_NEVER,
	    .is_out = true};

	while (!scheduler_next_of(
	    b->s, b->now_s, SCHEDULER_KINDS_PAGES, &b->choice))
		b->now_s++;
	if (b->choice.kind == SCHEDULER_LISTED)
		return scheduler_add_page(b->s, &page, b->now_s);
	assert_int_equal(b->choice.kind, SCHEDULER_PAGE);
	return b->choice.number;
}

/* Those that are late take turns by how late they are, and what was never
 * fetched is late since it became known. */
static void
test_turns(void **state)
{
	struct scheduler_site is = every(1);
	int asked[LISTED] = {0};
	struct bench b;

	(void)state;
	open_site(&b, &is);
	scheduler_listed(b.s, 0, LISTED);
	for (int i = 0; i < 5 * LISTED; i++) {
		uint32_t page = next_page(&b);

		assert_in_range(page, 0, LISTED - 1);
		asked[page]++;
		assert_true(asked[page] <= i / LISTED + 2);
		answer(&b, page, FETCH_SAME);
	}
	for (int i = 0; i < LISTED; i++)
		assert_in_range(asked[i], 4, 6);
	scheduler_free(b.s);
}

/* What comes later does not keep those waiting that came before: neither new
 * pages old ones, nor old ones new ones. */
static void
test_turns_of_new(void **state)
{
	struct scheduler_site is = every(60);
	int64_t asked_s[400] = {0}, longest_s = 0;
	uint32_t listed = 0, known = 0;
	struct bench b;

	(void)state;
	open_site(&b, &is);
	for (int i = 0; i < 300; i++) {
		uint32_t page;

		/* one is listed for every third that can be fetched */
		if (i % 3 == 0) {
			listed++;
			scheduler_listed(b.s, 0, listed - known);
		}
		page = next_page(&b);
		if (page == known)
			known++;
		else if (b.now_s - asked_s[page] > longest_s)
			longest_s = b.now_s - asked_s[page];
		asked_s[page] = b.now_s;
		answer(&b, page, FETCH_SAME);
	}
	assert_true(known + 30 > listed);
	/* so many are known, and each takes its turn */
	assert_true(longest_s <= 60 + (int64_t)known * DELAY_S);
	scheduler_free(b.s);
}

/* Who gives one back has the others first. */
static void
test_given_back(void **state)
{
	struct scheduler_site is = every(60);
	struct bench b;
	uint32_t first;

	(void)state;
	open_site(&b, &is);
	for (int i = 0; i < 3; i++)
		(void)add_page(&b, 1, HOUR + 10 * i);
	first = next_page(&b);
	assert_int_equal(first, 2);
	scheduler_give_back(b.s, b.now_s, &b.choice);
	assert_int_equal(next_page(&b), 1);
	assert_int_equal(next_page(&b), 0);
	assert_int_equal(next_page(&b), 2);
	scheduler_free(b.s);
}

/* What was late is not, when its ceiling is taken away or it is listed no more:
 * nobody hears that it is asked for because of one. */
static void
test_no_longer_late(void **state)
{
	struct scheduler_signal removed = {.kind = SIGNAL_REMOVED};
	struct scheduler_site is = every(60);
	struct bench b;
	uint32_t first;

	(void)state;
	open_site(&b, &is);
	for (int i = 0; i < 5; i++)
		(void)add_page(&b, 1, HOUR);
	first = next_page(&b);
	assert_false(
	    scheduler_next_of(b.s, b.now_s, SCHEDULER_KINDS_PAGES, &b.choice));
	/* the turn of each of the others has come by now */
	for (uint32_t i = 0; i < 5; i++)
		assert_true(i == first ||
		    (b.s->pages.items[i].flags & PAGE_FORCED) != 0);
	scheduler_page_signal(b.s, 3, &removed);
	is.page_ceiling_s = 0;
	scheduler_set_site(b.s, 0, &is);
	for (int i = 0; i < 4; i++) {
		uint32_t page = next_page(&b);

		assert_int_equal(
		    b.choice.reason, page == 3 ? REASON_REMOVED : REASON_VALUE);
	}
	scheduler_free(b.s);
}

/* Documents that are late come before pages that are, as often as every second
 * request; and what a budget has for ceilings of pages is not theirs. */
static void
test_documents_first(void **state)
{
	struct scheduler_options options = scheduler_options_default();
	struct scheduler_site is = every(10);
	int64_t longest_s = 0;
	struct bench b;
	int pages = 0;

	(void)state;
	is.reading_floor_s = 5;
	is.reading_ceiling_s = 20;
	is.readings_per_day = 0;
	options.tick_s = 1;
	options.asks_apart = true;
	options.requests_per_hour = 3600;
	bench_open(&b, &options);
	(void)scheduler_add_site(b.s, &is);
	for (int i = 0; i < 4; i++)
		(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	for (int i = 0; i < 100; i++)
		(void)add_page(&b, 1, HOUR);
	for (int i = 0; i < 1200; i++, b.now_s++) {
		while (scheduler_next_of(
		    b.s, b.now_s, SCHEDULER_KINDS_PAGES, &b.choice)) {
			pages++;
			answer(&b, b.choice.number, FETCH_SAME);
		}
		while (scheduler_next_of(
		    b.s, b.now_s, SCHEDULER_KINDS_DOCUMENTS, &b.choice)) {
			int64_t read_s = b.s->sources.items[b.choice.number]
					     .read_s;

			if (read_s != SCHEDULER_NEVER &&
			    b.now_s - read_s > longest_s)
				longest_s = b.now_s - read_s;
			read_document(&b, b.choice.number, 100, 0);
		}
	}
	assert_in_range(longest_s, 5, 26);
	assert_true(pages > 600);
	scheduler_free(b.s);
}

/* A document that was never read and is missing waits longer and longer,
 * however often it is wanted, and whoever asks is told until when. */
static void
test_missing(void **state)
{
	struct scheduler_options options = scheduler_options_default();
	struct scheduler_site is = scheduler_site_default();
	struct scheduler_terms terms;
	int64_t asked_s = 0, pause_s = 15 * 60;
	struct bench b;
	int asked = 0;

	(void)state;
	is.reading_floor_s = 5;
	is.reading_ceiling_s = 20;
	bench_open(&b, &options);
	(void)scheduler_add_site(b.s, &is);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	for (int i = 0; i < 3 * 3600; i++, b.now_s++) {
		scheduler_explain_document(b.s, 0, b.now_s, &terms);
		if (asked > 0 && b.now_s < asked_s + pause_s)
			assert_int_equal(terms.again_s, asked_s + pause_s);
		else
			assert_int_equal(terms.again_s, 0);
		if (!scheduler_next(b.s, b.now_s, &b.choice))
			continue;
		scheduler_reading(b.s, 0,
		    &(struct scheduler_reading){
			.now_s = b.now_s, .is_failed = true, .is_gone = true});
		asked_s = b.now_s;
		pause_s *= asked++ > 0 ? 2 : 1;
	}
	scheduler_explain_document(b.s, 0, b.now_s, &terms);
	assert_int_equal(terms.failures, asked);
	assert_int_equal(asked, 4);
	scheduler_free(b.s);
}

/* The oldest are taken, the latest are those that were one too many. */
static void
test_unfetched(void **state)
{
	struct backlog of = {0};

	(void)state;
	assert_true(backlog_since_s(&of) == INT64_MAX);
	backlog_set(&of, 2, 100);
	backlog_set(&of, 5, 200);
	backlog_set(&of, 4, 300);
	assert_int_equal(backlog_since_s(&of), 100);
	backlog_take(&of);
	assert_int_equal(backlog_since_s(&of), 100);
	backlog_take(&of);
	assert_int_equal(backlog_since_s(&of), 200);
	for (uint32_t i = 0; i < 10; i++)
		backlog_set(&of, 3 + i, 1000 + i);
	backlog_not_after(&of, 150);
	assert_int_equal(backlog_since_s(&of), 150);
	assert_int_equal(of.count, 12);
	while (of.count > 0)
		backlog_take(&of);
	assert_int_equal(of.parts, 0);
	of.before_s = 50;
	backlog_set(&of, 1, 100);
	assert_int_equal(backlog_since_s(&of), 50);
	backlog_set(&of, 0, 110);
	assert_int_equal(of.parts, 0);
}

/* Nor is it forgotten over a restart since when they wait. */
static void
test_kept(void **state)
{
	struct scheduler_site is = every(DAY);
	struct bench before, after;
	struct buf bytes;

	(void)state;
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
	assert_int_equal(
	    backlog_since_s(&after.s->sources.items[0].backlog), T0);
	scheduler_free(after.s);
	buf_release(&bytes);
}

/* A machine that did not know the time began in 1970: once it is put right what
 * is not due costs no more than on others. */
static void
test_from_1970(void **state)
{
	struct scheduler_options options = pages_only();
	uint64_t evaluations;
	struct bench b;

	(void)state;
	options.tick_s = 1;
	bench_open(&b, &options);
	b.now_s = 1000;
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	for (int i = 0; i < 200; i++)
		(void)add_page(&b, 1, 0);
	b.now_s = T0;
	for (int i = 0; i < 10; i++, b.now_s++)
		while (scheduler_next(b.s, b.now_s, &b.choice))
			answer(&b, b.choice.number, FETCH_SAME);
	evaluations = scheduler_evaluations(b.s);
	for (int i = 0; i < 100; i++, b.now_s++)
		expect_nothing(&b);
	assert_true(scheduler_evaluations(b.s) - evaluations < 10000);
	scheduler_free(b.s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_turns),
	    cmocka_unit_test(test_turns_of_new),
	    cmocka_unit_test(test_given_back),
	    cmocka_unit_test(test_no_longer_late),
	    cmocka_unit_test(test_documents_first),
	    cmocka_unit_test(test_missing),
	    cmocka_unit_test(test_unfetched),
	    cmocka_unit_test(test_kept),
	    cmocka_unit_test(test_from_1970),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
