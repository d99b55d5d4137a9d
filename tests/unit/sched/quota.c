/* How often the documents of a site are read when nobody sets an interval. */
#include "sched/quota.h"

#include "sched/scheduler_next.h"
#include "sched/scheduler_parts.h"
#include "tests/fixtures/scheduler_fixture.h"

/* STEP_S: calls do not come exactly when something is due. */
enum { MANY = 2000, LIVELY = 10, DAYS = 20, STEP_S = 301 };

struct play {
	uint32_t documents; /* the first `lively` ones change every hour */
	uint32_t lively;
	double readings_per_day;
	bool has_index; /* an index with dates of them all */
};

struct counts {
	int quiet, lively, index; /* readings, in the last week */
	/* the longest time in that week until a change was found */
	int64_t latest_s;
};

static void
open_play(struct bench *b, const struct play *play)
{
	struct scheduler_options options = scheduler_options_default();
	struct scheduler_site is = scheduler_site_default();

	options.tick_s = 1;
	bench_open(b, &options);
	is.readings_per_day = play->readings_per_day;
	(void)scheduler_add_site(b->s, &is);
	if (play->has_index)
		(void)add_document(b, SCHEDULER_NONE, "/index.xml");
	for (uint32_t i = 0; i < play->documents; i++)
		(void)add_document(
		    b, play->has_index ? 0 : SCHEDULER_NONE, "/s.xml");
}

/* The dates of children that changed since the last reading of the index move
 * in the index. */
static void
read_index(struct bench *b, const struct play *play)
{
	int64_t was_s = b->s->sources.items[0].read_s;
	bool is_moved = was_s != SCHEDULER_NEVER &&
	    was_s / HOUR != b->now_s / HOUR;

	read_document(b, 0, play->documents, is_moved ? play->lively : 0);
	for (uint32_t i = 1; is_moved && i <= play->lively; i++)
		scheduler_child_signal(b->s, i,
		    &(struct scheduler_signal){.kind = SIGNAL_MOVED,
			.lastmod_s = b->now_s / HOUR * HOUR});
}

static void
read_one(struct bench *b, const struct play *play, struct counts *counts)
{
	uint32_t number = b->choice.number;
	int64_t was_s = b->s->sources.items[number].read_s;
	bool counts_now = b->now_s >= T0 + (DAYS - 7) * DAY;
	bool is_lively;

	if (play->has_index && number == 0) {
		counts->index += counts_now;
		read_index(b, play);
		return;
	}
	is_lively = number - play->has_index < play->lively;
	read_document(
	    b, number, 10, is_lively && was_s / HOUR != b->now_s / HOUR);
	if (!counts_now)
		return;
	counts->quiet += !is_lively;
	counts->lively += is_lively;
	if (is_lively && was_s / HOUR != b->now_s / HOUR &&
	    b->now_s - (was_s / HOUR + 1) * HOUR > counts->latest_s)
		counts->latest_s = b->now_s - (was_s / HOUR + 1) * HOUR;
}

static struct counts
live(const struct play *play)
{
	struct counts counts = {0};
	struct bench b;

	open_play(&b, play);
	for (; b.now_s < T0 + DAYS * DAY; b.now_s += STEP_S)
		while (scheduler_next(b.s, b.now_s, &b.choice))
			read_one(&b, play, &counts);
	scheduler_free(b.s);
	return counts;
}

/* A few documents are read every 15 minutes, as R-121 allows. */
static void
test_few(void **state)
{
	static const struct play play = {
	    .documents = 3, .readings_per_day = 288};
	struct counts counts = live(&play);

	(void)state;
	assert_in_range(counts.quiet, 3 * 7 * 94, 3 * 7 * 96);
}

/* Of many documents, those that do not change are read once a week, and
 * changes are found as soon as at a small site. */
static void
test_many(void **state)
{
	static const struct play play = {
	    .documents = MANY, .lively = LIVELY, .readings_per_day = 288};
	struct counts counts = live(&play);

	(void)state;
	assert_in_range(counts.quiet, MANY / 2, 288 * 7 + MANY * 2);
	assert_in_range(counts.lively, LIVELY * 7 * 80, LIVELY * 7 * 96);
	assert_in_range(counts.latest_s, 0, 1800);
}

/* When an index gives dates, its children are read when their dates move. */
static void
test_told(void **state)
{
	static const struct play play = {.documents = MANY,
	    .lively = LIVELY,
	    .readings_per_day = 288,
	    .has_index = true};
	struct counts counts = live(&play);

	(void)state;
	assert_in_range(counts.index, 7 * 80, 7 * 96);
	assert_in_range(counts.quiet, MANY / 2, 288 * 7 + MANY * 2);
	assert_in_range(counts.lively, LIVELY * 7 * 24, LIVELY * 7 * 96);
	assert_in_range(counts.latest_s, 0, 1800);
}

/* Without a quota each document is read every 15 minutes. */
static void
test_without(void **state)
{
	static const struct play play = {.documents = 50};
	struct counts counts = live(&play);

	(void)state;
	assert_in_range(counts.quiet, 50 * 7 * 94, 50 * 7 * 96);
}

/* Within a day, documents that are no longer read leave their share to the
 * others. */
static void
test_shares(void **state)
{
	static const struct play play = {
	    .documents = 100, .readings_per_day = 288};
	struct bench b;
	double days;

	(void)state;
	open_play(&b, &play);
	for (uint32_t i = 0; i < 100; i++)
		read_document(&b, i, 10, 0);
	days = quota_days(&b.s->sources, &b.s->sources.items[0], 0, 0);
	assert_close(days, 100 / 288.0, 1e-9);
	assert_close(quota_days(&b.s->sources, &b.s->sources.items[0], 0, 1),
	    1 / (2.88 + 5), 1e-9);
	assert_true(
	    quota_days(&b.s->sources, &b.s->sources.items[0], 0.2, 1) <= 0);
	b.s->sources.items[0].rate = (struct rate){.changes = 4, .days = 2};
	assert_true(
	    quota_days(&b.s->sources, &b.s->sources.items[0], 0.1, 1) <= 0);
	b.s->sources.items[0].rate = (struct rate){0};
	for (uint32_t i = 20; i < 100; i++)
		scheduler_retire(b.s, SCHEDULER_DOCUMENT, i);
	b.now_s += 2 * DAY;
	read_document(&b, 0, 10, 0);
	days = quota_days(&b.s->sources, &b.s->sources.items[0], 0, 0);
	assert_close(days, 20 / 288.0, 1e-9);
	scheduler_free(b.s);
}

/* The fetches of pages in a day, by a fetcher that always has time, after all
 * pages were fetched once.  `changing` pages have a new text at each fetch. */
static int
pages_a_day(uint32_t pages, uint32_t changing, double pages_per_day)
{
	enum { PAGE_DAYS = 20, FROM = 12, PAGE_STEP_S = 300 };
	struct scheduler_options options = pages_only();
	struct scheduler_site is = scheduler_site_default();
	struct bench b;
	int count = 0;

	bench_open(&b, &options);
	is.pages_per_day = pages_per_day;
	(void)scheduler_add_site(b.s, &is);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	for (uint32_t i = 0; i < pages; i++)
		(void)scheduler_add_page(b.s,
		    &(struct scheduler_page){.weight = 1,
			.lastmod_s = SCHEDULER_NO_DATE,
			.fetched_s = SCHEDULER_NEVER},
		    b.now_s);
	for (; b.now_s < T0 + PAGE_DAYS * DAY; b.now_s += PAGE_STEP_S)
		while (scheduler_next(b.s, b.now_s, &b.choice)) {
			count += b.now_s >= T0 + FROM * DAY;
			answer(&b, b.choice.number,
			    b.choice.number < changing ? FETCH_CHANGED
						       : FETCH_SAME);
		}
	scheduler_free(b.s);
	return count / (PAGE_DAYS - FROM);
}

/* A site that never changes costs its quota and no more; pages of a site that
 * changes are fetched more often. */
static void
test_pages(void **state)
{
	(void)state;
	assert_in_range(pages_a_day(2000, 0, 288), 260, 290);
	assert_in_range(pages_a_day(10, 0, 288), 9, 10);
	assert_in_range(pages_a_day(1000, 20, 288), 400, 2700);
	/* without a quota there are more fetches */
	assert_in_range(pages_a_day(10, 0, 0), 200, 240);
}

UNIT(quota)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_few),
	    cmocka_unit_test(test_many),
	    cmocka_unit_test(test_told),
	    cmocka_unit_test(test_without),
	    cmocka_unit_test(test_shares),
	    cmocka_unit_test(test_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
