/* How often the documents of a site are read when nobody sets an interval. */
#include "sched/quota.h"

#include "sched/scheduler_next.h"
#include "sched/scheduler_parts.h"
#include "tests/fixtures/scheduler_fixture.h"

/* STEP_S: calls do not come exactly when something is due. */
enum { MANY = 2000, LIVELY = 10, DAYS = 30, STEP_S = 301 };

struct play {
	uint32_t documents; /* the first `lively` ones change every hour */
	uint32_t lively;
	double readings_per_day;
	bool has_index; /* an index with dates of them all */
	/* each reading leaves a question open, and is owed another one */
	bool is_owing;
	uint32_t robots; /* requests for robots.txt a day */
	int64_t dead_s; /* from then on no reading succeeds; 0: never */
};

struct counts {
	int quiet, lively, index; /* readings, in the last week */
	/* the longest time in that week until a change was found */
	int64_t latest_s;
	/* the most requests in 24 hours of that week, robots.txt included */
	int most;
	int64_t asked_s[50 * DAYS * 100]; /* when, in these weeks */
	int asked;
};

/* A request is made now. */
static void
note(const struct bench *b, struct counts *counts)
{
	int from = counts->asked;

	assert_true((size_t)counts->asked < COUNT(counts->asked_s));
	counts->asked_s[counts->asked++] = b->now_s;
	while (from > 0 && counts->asked_s[from - 1] > b->now_s - DAY)
		from--;
	if (b->now_s >= T0 + (DAYS - 7) * DAY &&
	    counts->asked - from > counts->most)
		counts->most = counts->asked - from;
}

static void
open_play(struct bench *b, const struct play *play)
{
	struct scheduler_options options = scheduler_options_default;
	struct scheduler_site is = scheduler_site_default;

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
	if (play->is_owing)
		scheduler_owe(b->s, number, b->now_s + HOUR / 2);
	if (!counts_now)
		return;
	counts->quiet += !is_lively;
	counts->lively += is_lively;
	if (is_lively && was_s / HOUR != b->now_s / HOUR &&
	    b->now_s - (was_s / HOUR + 1) * HOUR > counts->latest_s)
		counts->latest_s = b->now_s - (was_s / HOUR + 1) * HOUR;
}

static void
fail_one(struct bench *b)
{
	scheduler_reading(b->s, b->choice.number,
	    &(struct scheduler_reading){.now_s = b->now_s, .is_failed = true});
}

static struct counts
live(const struct play *play)
{
	struct counts counts = {0};
	int64_t robots_s = T0;
	struct bench b = {0};

	open_play(&b, play);
	for (; b.now_s < T0 + DAYS * DAY; b.now_s += STEP_S) {
		if (play->robots > 0 && b.now_s >= robots_s) {
			robots_s += DAY / play->robots;
			scheduler_asked(b.s, 0, b.now_s);
			note(&b, &counts);
		}
		while (scheduler_next(b.s, b.now_s, &b.choice)) {
			note(&b, &counts);
			if (play->dead_s > 0 && b.now_s >= play->dead_s)
				fail_one(&b);
			else
				read_one(&b, play, &counts);
		}
	}
	scheduler_free(b.s);
	return counts;
}

/* Whatever a site does, no 24 hours have more requests than 48, or than five
 * for each change that its documents show. */
static void
test_any_day(void **state)
{
	static const struct {
		const char *what;
		struct play play;
		int changes; /* a day */
		int least; /* of requests: the quota is used */
	} rows[] = {
	    {"one sitemap", {.documents = 1}, 0, 40},
	    {"a few", {.documents = 3, .robots = 1}, 0, 40},
	    {"many", {.documents = 40, .robots = 1}, 0, 40},
	    {"owing", {.documents = 3, .is_owing = true, .robots = 1}, 0, 40},
	    {"many owing", {.documents = 40, .is_owing = true}, 0, 40},
	    {"several hosts", {.documents = 5, .robots = 6}, 0, 40},
	    {"robots.txt for an hour", {.documents = 2, .robots = 24}, 0, 40},
	    {"busy", {.documents = 1, .lively = 1, .robots = 1}, 24, 70},
	    {"busy among quiet ones", {.documents = 10, .lively = 1}, 24, 70},
	    {"busy and owing",
		{.documents = 4, .lively = 2, .is_owing = true, .robots = 2},
		48, 120},
	    {"an index", {.documents = 20, .lively = 3, .has_index = true}, 96,
		100},
	    {"dead", {.documents = 30, .dead_s = T0 + 10 * DAY}, 0, 1},
	    {"dead from the first day", {.documents = 30, .dead_s = T0}, 0, 1},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct play play = rows[i].play;
		int most = rows[i].changes * 5 > 48 ? rows[i].changes * 5 : 48;
		struct counts counts;

		play.readings_per_day = 48;
		counts = live(&play);
		if (counts.most > most || counts.most < rows[i].least)
			fail_msg("%s: %d requests", rows[i].what, counts.most);
	}
}

static void
test_week(void **state)
{
	static const struct {
		const char *what;
		struct play play;
		/* readings in a week */
		int quiet_least, quiet_most, lively_least, lively_most;
		int index_least, index_most;
	} rows[] = {
	    {"a large quota: every 15 minutes, as R-121 allows",
		{.documents = 3, .readings_per_day = 400}, 3 * 7 * 94,
		3 * 7 * 96, 0, 0, 0, 0},
	    {"no quota: every 15 minutes", {.documents = 50}, 50 * 7 * 94,
		50 * 7 * 96, 0, 0, 0, 0},
	    /* and changes are found as soon as at a small site */
	    {"many: what does not change is read once a week",
		{.documents = MANY, .lively = LIVELY, .readings_per_day = 48},
		MANY / 2, 48 * 7 + MANY * 2, LIVELY * 7 * 70, LIVELY * 7 * 96,
		0, 0},
	    {"an index with dates: children are read when these move",
		{.documents = MANY,
		    .lively = LIVELY,
		    .readings_per_day = 48,
		    .has_index = true},
		MANY / 2, 48 * 7 + MANY * 2, LIVELY * 7 * 24, LIVELY * 7 * 96,
		7 * 70, 7 * 96},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct counts counts = live(&rows[i].play);

		print_message("%s\n", rows[i].what);
		assert_in_range(
		    counts.quiet, rows[i].quiet_least, rows[i].quiet_most);
		assert_in_range(
		    counts.lively, rows[i].lively_least, rows[i].lively_most);
		assert_in_range(
		    counts.index, rows[i].index_least, rows[i].index_most);
		assert_in_range(counts.latest_s, 0, 1800);
	}
}

/* Within a day, documents that are no longer read leave their share to the
 * others. */
static void
test_shares(void **state)
{
	struct bench *b = *state;
	static const struct play play = {
	    .documents = 100, .readings_per_day = 288};
	double days;

	open_play(b, &play);
	for (uint32_t i = 0; i < 100; i++)
		read_document(b, i, 10, 0);
	b->now_s += 3 * DAY; /* the debt of the first readings is paid */
	read_document(b, 0, 10, 0);
	days = quota_days(&b->s->sources, &b->s->sources.items[0], 0, 0);
	assert_close(days, 100 / (288.0 * 7 / 8), 1e-4);
	/* the greater of the two terms counts */
	b->s->sources.items[0].moves = 1;
	assert_close(quota_days(&b->s->sources, &b->s->sources.items[0], 0, 1),
	    1 / (5.0 * 7 / 8), 1e-4);
	assert_true(
	    quota_days(&b->s->sources, &b->s->sources.items[0], 0.3, 1) <= 0);
	b->s->sources.items[0].moves = 0;
	b->s->sources.items[0].rate = (struct rate){.changes = 4, .days = 2};
	assert_true(
	    quota_days(&b->s->sources, &b->s->sources.items[0], 0.15, 1) <= 0);
	b->s->sources.items[0].rate = (struct rate){0};
	for (uint32_t i = 20; i < 100; i++)
		scheduler_retire(b->s, SCHEDULER_DOCUMENT, i, true);
	b->now_s += 2 * DAY;
	read_document(b, 0, 10, 0);
	days = quota_days(&b->s->sources, &b->s->sources.items[0], 0, 0);
	assert_close(days, 20 / (288.0 * 7 / 8), 1e-4);
}

/* A site with many hosts has one robots.txt for each of them; half of the quota
 * is left to its documents.  A document that waits for the quota says so. */
static void
test_many_hosts(void **state)
{
	struct bench *b = *state;
	static const struct play play = {
	    .documents = 4, .readings_per_day = 48};
	struct scheduler_terms terms;
	struct quota_record record;
	int64_t allowed_s;

	open_play(b, &play);
	for (uint32_t i = 0; i < 4; i++)
		read_document(b, i, 10, 0);
	b->now_s += 3 * DAY;
	for (int i = 0; i < 100; i++)
		scheduler_asked(b->s, 0, b->now_s);
	quota_save(&b->s->sites, 0, &record);
	assert_close(record.spent, 24, 1e-4);
	scheduler_explain_document(b->s, 0, b->now_s, &terms);
	allowed_s = quota_reading_s(&b->s->sources, &b->s->sources.items[0]);
	assert_true(allowed_s > b->now_s);
	assert_true(terms.is_quota);
	assert_int_equal(terms.due_s, allowed_s);
	b->now_s += 3 * DAY;
	scheduler_explain_document(b->s, 0, b->now_s, &terms);
	assert_false(terms.is_quota);
}

/* The fetches of pages in a day, by a fetcher that always has time, after all
 * pages were fetched once.  `changing` pages have a new text at each fetch. */
static int
pages_a_day(uint32_t pages, uint32_t changing, double pages_per_day)
{
	enum { PAGE_DAYS = 20, FROM = 12, PAGE_STEP_S = 300 };
	struct scheduler_options options = pages_only();
	struct scheduler_site is = scheduler_site_default;
	struct bench b = {0};
	int count = 0;

	bench_open(&b, &options);
	is.pages_per_day = pages_per_day;
	(void)scheduler_add_site(b.s, &is);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	for (uint32_t i = 0; i < pages; i++)
		(void)add_new_page(&b, 0, 1);
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
	assert_in_range(pages_a_day(2000, 0, 288), 260, 290);
	assert_in_range(pages_a_day(10, 0, 288), 9, 10);
	assert_in_range(pages_a_day(1000, 20, 288), 400, 2700);
	/* without a quota there are more fetches */
	assert_in_range(pages_a_day(10, 0, 0), 200, 240);
}

/* A robots.txt is read once a day, even if the quota of its site is used up,
 * and nothing is believed of its dates. */
static void
test_robots(void **state)
{
	struct bench *b = *state;
	static const struct play play = {
	    .documents = 1, .readings_per_day = 48};
	struct scheduler_document is = {.parent = SCHEDULER_NONE,
	    .is_index = true,
	    .is_robots = true,
	    .name = slice_of("/robots.txt")};
	uint32_t robots;

	open_play(b, &play);
	robots = scheduler_add_document(b->s, &is, b->now_s);
	for (int day = 0; day < 5; day++) {
		int64_t begin_s = b->now_s;

		read_document(b, robots, 1, (uint32_t)day % 2);
		read_document(b, 0, 10, 0);
		for (int i = 0; i < 100; i++)
			quota_asked(
			    &b->s->sources, 0, &b->s->sources.items[0], 1);
		do {
			b->now_s += 60;
		} while (!scheduler_next(b->s, b->now_s, &b->choice) ||
		    b->choice.number != robots);
		assert_in_range(b->now_s - begin_s, DAY, DAY + 180);
	}
	assert_null(b->s->sources.items[robots].trust);
	assert_int_equal(b->s->sites.count, 1);
}

UNIT_TESTS(quota, cmocka_unit_test(test_any_day), cmocka_unit_test(test_week),
    bench_test(test_shares), bench_test(test_many_hosts),
    bench_test(test_robots), cmocka_unit_test(test_pages));
