/* Events: what the scheduler learns from readings, signals and outcomes. */
#include "tests/fixtures/scheduler_fixture.h"

#include "base/buf.h"
#include "sched/scheduler.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_parts.h"
#include "tests/sim/told.h"

/* Readings, signals and outcomes that come late, are incomplete, or do not
 * come at all. */

/* The recall as outcomes show it; silence does not count here. */
static double
recall_of(const struct bench *bench)
{
	return (double)bench->s->sources.items[0].trust->recall;
}

static void
open_ten(struct bench *bench)
{
	open_pages(bench, 0);
	add_pages(bench, 10, 1, 10 * DAY);
	read_document(bench, 0, 10, 0);
	read_document(bench, 0, 10, 0);
}

static void
later(struct bench *bench, int64_t by_s, uint32_t moved)
{
	bench->now_s += by_s;
	read_document(bench, 0, 10, moved);
}

/*
 * A fetch found a change that no move had announced.  The next reading shows
 * whether the change was announced late: a new date before the fetch announces
 * it, no new date means that it was not announced.  Another fetch says nothing
 * about that, nor does a date after the fetch, nor a date that all pages get.
 */
static void
test_verdict(void **state)
{
	struct bench *b = *state;
	static const struct {
		int64_t date_s; /* after the fetch; 0: no move */
		uint32_t moved;
		int verdict; /* 1: announced; -1: not announced; 0: unknown */
	} rows[] = {{0, 0, -1}, {-600, 1, 1}, {600, 1, 0}, {-600, 10, 0}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		double recall, precision;

		open_ten(b);
		recall = recall_of(b);
		precision = page_terms(b, 0).precision;
		b->now_s += HOUR;
		answer(b, 0, FETCH_CHANGED);
		b->now_s += HOUR;
		answer(b, 0, FETCH_CHANGED);
		assert_close(recall_of(b), recall, 1e-12);
		later(b, HOUR, rows[i].moved);
		assert_close(recall_of(b), recall, 1e-12);
		if (rows[i].moved > 0)
			move(b, 0, b->now_s - HOUR + rows[i].date_s);
		later(b, HOUR, 0);
		later(b, HOUR, 0);
		if (rows[i].verdict < 0)
			assert_true(recall_of(b) < recall);
		else if (rows[i].verdict > 0)
			assert_true(page_terms(b, 0).precision > precision);
		else
			assert_close(recall_of(b), recall, 1e-12);
	}
}

/* After a reading without a move of the date, the next fetch counts the change
 * as not announced, once. */
static void
test_verdict_at_fetch(void **state)
{
	struct bench *b = *state;
	double recall;

	open_ten(b);
	b->now_s += HOUR;
	answer(b, 0, FETCH_CHANGED);
	recall = recall_of(b);
	later(b, HOUR, 0);
	b->now_s += HOUR;
	answer(b, 0, FETCH_CHANGED);
	assert_true(recall_of(b) < recall);
	recall = recall_of(b);
	/* The second change waits for a reading of its own. */
	later(b, HOUR, 0);
	assert_close(recall_of(b), recall, 1e-12);
	later(b, HOUR, 0);
	assert_true(recall_of(b) < recall);
}

/* The page was requested at one and its outcome came at ten, so a change at
 * five was not seen. */
static void
test_late(void **state)
{
	struct bench *b = *state;
	struct scheduler_outcome outcome = {.kind = FETCH_CHANGED};

	for (int is_read_first = 0; is_read_first < 2; is_read_first++) {
		open_ten(b);
		outcome.now_s = b->now_s + HOUR;
		if (is_read_first) {
			later(b, 6 * HOUR, 1);
			move(b, 0, T0 + 5 * HOUR);
		}
		b->now_s = T0 + 10 * HOUR;
		scheduler_outcome(b->s, 0, &outcome);
		assert_close(page_terms(b, 0).days, 9 / 24.0, 1e-6);
		if (!is_read_first) {
			later(b, HOUR, 1);
			move(b, 0, T0 + 5 * HOUR);
		}
		assert_int_equal(page_terms(b, 0).moves, 1);
		/* An outcome that is older than the last one changes no
		 * times. */
		outcome.now_s = T0 - 50 * DAY;
		scheduler_outcome(b->s, 0, &outcome);
		assert_true(page_terms(b, 0).days < 0.5);
		outcome.now_s = T0 + HOUR;
	}
}

/* A mass move is noticed even if many entries are new. */
static void
test_mass_among_new(void **state)
{
	struct bench *b = *state;

	open_ten(b);
	b->now_s += DAY;
	scheduler_reading(b->s, 0,
	    &(struct scheduler_reading){.now_s = b->now_s,
		.listed = 30,
		.dated = 30,
		.added = 20,
		.moved = 10,
		.cost = 1});
	move(b, 0, b->now_s);
	assert_int_equal(page_terms(b, 0).mass, 1);
	assert_int_equal(page_terms(b, 0).moves, 0);
}

/* The cost of readings that bring nothing new is learned apart from that of
 * the others. */
static void
test_costs(void **state)
{
	struct bench *b = *state;
	struct scheduler_reading reading = {.listed = 10, .dated = 10};

	open_bench(b, 0);
	for (int i = 0; i < 40; i++) {
		reading.moved = i % 2;
		reading.cost = i % 2 ? 8 : 2;
		reading.now_s = b->now_s += DAY;
		scheduler_reading(b->s, 0, &reading);
	}
	assert_close(b->s->sources.items[0].cost, 8, 0.1);
	assert_close(b->s->sources.items[0].cost_same, 2, 1e-6);
}

/* the first four readings come a day apart; fewer, if they cost more
 * than four pages. */
static void
test_first_readings(void **state)
{
	struct bench *b = *state;
	static const struct {
		double cost;
		int readings;
	} rows[] = {{0.1, 4}, {1, 4}, {2, 2}, {10, 1}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		int readings = 0;

		open_bench(b, 0);
		for (int hour = 0; hour < 5 * 24; hour++) {
			struct scheduler_reading reading = {
			    .listed = 10, .moved = 1, .cost = rows[i].cost};

			b->now_s += HOUR;
			if (!scheduler_next(b->s, b->now_s, &b->choice))
				continue;
			readings += b->choice.reason != REASON_VALUE;
			reading.now_s = b->now_s;
			scheduler_reading(b->s, 0, &reading);
		}
		assert_int_equal(readings, rows[i].readings);
	}
}

/* More readings are due at fixed times than the budget allows: the one that
 * has been due for longest goes first, new documents included. */
static void
test_in_turn(void **state)
{
	struct bench *b = *state;
	enum { DOCUMENTS = 40, PER_HOUR = 10, ROUNDS = 5 };
	struct scheduler_options options = scheduler_options_default;
	struct scheduler_site site = scheduler_site_default;
	int64_t asked_s[2 * DOCUMENTS];

	options.tick_s = 1;
	bench_open(b, &options);
	scheduler_set_host(
	    b->s, 0, &(struct scheduler_host){.requests_per_hour = PER_HOUR});
	site.reading_floor_s = site.reading_ceiling_s = 600;
	(void)scheduler_add_site(b->s, &site);
	for (size_t i = 0; i < COUNT(asked_s); i++)
		asked_s[i] = T0;
	for (int i = 0; i < DOCUMENTS; i++)
		(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	for (int n = 0; n < ROUNDS * DOCUMENTS; n++, b->now_s += 360) {
		struct scheduler_reading reading = {
		    .now_s = b->now_s, .listed = 10, .cost = 1};
		int count = DOCUMENTS + n / (2 * PER_HOUR);

		if (n % (2 * PER_HOUR) == 0)
			asked_s[add_document(b, SCHEDULER_NONE, "/n.xml")] =
			    b->now_s;
		assert_true(scheduler_next(b->s, b->now_s, &b->choice));
		assert_true(
		    b->now_s - asked_s[b->choice.number] <= (count + 1) * 360);
		asked_s[b->choice.number] = b->now_s;
		scheduler_reading(b->s, b->choice.number, &reading);
	}
	for (int i = 0; i < DOCUMENTS; i++)
		assert_true(b->now_s - asked_s[i] <= 2 * DOCUMENTS * 360);
}

/* the ceiling of a page that was never fetched counts from the time at
 * which it became known. */
static void
test_ceiling_of_new(void **state)
{
	struct bench *b = *state;
	bool is_asked = false;

	open_pages(b, 30 * DAY);
	(void)add_page(b, 1e-9F, 0);
	add_pages(b, 50, 1e6F, HOUR);
	for (int day = 1; day < 60 && !is_asked; day++) {
		b->now_s += DAY;
		for (int i = 0; i < 3 && !is_asked; i++) {
			assert_true(scheduler_next(b->s, b->now_s, &b->choice));
			is_asked = b->choice.number == 0;
			if (is_asked)
				assert_int_equal(
				    b->choice.reason, REASON_CEILING);
			else
				answer(b, b->choice.number, FETCH_CHANGED);
		}
		assert_true(day >= 30 || !is_asked);
	}
	assert_true(is_asked);
}

static int
ask_in_vain(struct bench *bench, int days)
{
	struct scheduler_reading gone = {.is_failed = true, .is_gone = true};
	int asked = 0;

	for (int hour = 0; hour < days * 24; hour++) {
		bench->now_s += HOUR;
		while (scheduler_next(bench->s, bench->now_s, &bench->choice)) {
			gone.now_s = bench->now_s;
			if (bench->choice.number == 0) {
				read_document(bench, 0, 1, 0);
				continue;
			}
			asked++;
			scheduler_reading(bench->s, 1, &gone);
		}
	}
	return asked;
}

/* A document that never existed is requested more and more rarely, until its
 * index gives it a new date, or lists it again. */
static void
test_never_there(void **state)
{
	struct bench *b = *state;

	open_child(b);
	assert_in_range(ask_in_vain(b, 60), 3, 15);
	assert_in_range(ask_in_vain(b, 90), 2, 5);
	assert_int_equal(ask_in_vain(b, 5), 0);
	scheduler_child_signal(b->s, 1,
	    &(struct scheduler_signal){
		.kind = SIGNAL_MOVED, .lastmod_s = b->now_s});
	assert_true(ask_in_vain(b, 1) > 0);
	assert_int_equal(ask_in_vain(b, 5), 0);
	scheduler_child_signal(
	    b->s, 1, &(struct scheduler_signal){.kind = SIGNAL_RETURNED});
	b->now_s += 1;
	expect(b, SCHEDULER_DOCUMENT, 1, REASON_NEW);
}

/* A fetch may not show whether the page changed.  Then the copy is as new as
 * the fetch, and nothing is learned about rates or dates; but the scheduler
 * notices that a page which was gone exists again. */
static void
test_read(void **state)
{
	struct bench *b = *state;
	struct scheduler_terms before;
	struct rate rate;
	double recall;

	open_ten(b);
	b->now_s += HOUR;
	answer(b, 0, FETCH_CHANGED);
	rate = b->s->pages.items[0].rate;
	recall = recall_of(b);
	b->now_s += 30 * DAY;
	before = page_terms(b, 0);
	move(b, 0, b->now_s - DAY);
	assert_int_equal(page_terms(b, 0).moves, 1);
	answer(b, 0, FETCH_READ);
	assert_int_equal(page_terms(b, 0).moves, 0);
	assert_true(page_terms(b, 0).days <= 0);
	assert_true(page_terms(b, 0).fresh > before.fresh);
	assert_memory_equal(&b->s->pages.items[0].rate, &rate, sizeof(rate));
	assert_close(page_terms(b, 0).precision, before.precision, 1e-12);
	/* After that it is unknown whether the earlier change was
	 * announced. */
	later(b, HOUR, 0);
	later(b, HOUR, 0);
	assert_close(recall_of(b), recall, 1e-12);
	answer(b, 0, FETCH_GONE);
	assert_true(b->s->pages.items[0].dead > 0);
	answer(b, 0, FETCH_READ);
	assert_int_equal(b->s->pages.items[0].dead, 0);
}

/* fail_for(bench, for_s, is_gone, longest_s): let all readings fail for that
 * long; returns how many there were, and the longest time between two.  What is
 * gone is given up after a week. */
static int
fail_for(struct bench *bench, int64_t for_s, bool is_gone, int64_t *longest_s)
{
	int64_t end_s = bench->now_s + for_s, last_s = bench->now_s;
	int64_t given_up_s = bench->now_s + 7 * DAY;
	int asked = 0;

	*longest_s = 0;
	for (; bench->now_s < end_s; bench->now_s += 60)
		while (asked < 10000 &&
		    scheduler_next(bench->s, bench->now_s, &bench->choice)) {
			scheduler_reading(bench->s, 0,
			    &(struct scheduler_reading){.now_s = bench->now_s,
				.is_failed = true,
				.is_gone = is_gone,
				.is_given_up = is_gone &&
				    bench->now_s >= given_up_s});
			asked++;
			if (bench->now_s - last_s > *longest_s)
				*longest_s = bench->now_s - last_s;
			last_s = bench->now_s;
		}
	return asked;
}

/* A site whose document was read just now, and is read again after so long. */
static void
open_reading(struct bench *b, int64_t ceiling_s, int64_t retry_s)
{
	struct scheduler_options options = scheduler_options_default;
	struct scheduler_site site = scheduler_site_default;

	bench_open(b, &options);
	site.reading_floor_s = site.reading_ceiling_s = ceiling_s;
	if (retry_s > 0)
		site.retry_s = retry_s;
	(void)scheduler_add_site(b->s, &site);
	(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	read_document(b, 0, 10, 0);
}

/* A document that fails is past its ceiling, and is still requested with
 * pauses, which are not shorter than the first one and not longer than the
 * ceiling. */
static void
test_ceiling_of_failing(void **state)
{
	static const struct {
		int64_t ceiling_s;
		bool is_gone;
		int least, most; /* requests in 60 days */
	} rows[] = {{60, false, 5700, 5761}, {HOUR, false, 1400, 1445},
	    {HOUR, true, 570, 610}, {7 * DAY, false, 60, 70},
	    /* daily for a week, and then every 21 days */
	    {7 * DAY, true, 14, 18}};
	struct bench *b = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		int64_t longest_s;

		open_reading(b, rows[i].ceiling_s, 0);
		b->now_s += rows[i].ceiling_s;
		assert_in_range(
		    fail_for(b, 60 * DAY, rows[i].is_gone, &longest_s),
		    rows[i].least, rows[i].most);
		assert_true(
		    longest_s <= 3 * rows[i].ceiling_s || longest_s <= 15 * 60);
		/* Failures within three seconds count as one. */
		b->now_s += 30 * DAY;
		read_document(b, 0, 10, 0);
		b->now_s += 7 * DAY;
		assert_int_equal(fail_for(b, 1, true, &longest_s), 1);
		b->now_s += 15 * 60;
		assert_true(scheduler_next(b->s, b->now_s, &b->choice));
	}
}

/* A failed reading is tried again after the retry_s of the site, then after
 * twice as long each time. */
static void
test_retry(void **state)
{
	static const struct {
		int64_t ceiling_s, retry_s;
		int asked; /* in a day */
	} rows[] = {{6 * HOUR, 900, 8}, {DAY, HOUR, 5}, {7 * DAY, 900, 7}};
	struct bench *b = *state;
	int64_t longest_s;

	for (size_t i = 0; i < COUNT(rows); i++) {
		open_reading(b, rows[i].ceiling_s, rows[i].retry_s);
		b->now_s += 2 * rows[i].ceiling_s;
		assert_int_equal(
		    fail_for(b, DAY, false, &longest_s), rows[i].asked);
	}
}

/* Pages that fail: which pages are left alone, and which hosts are held. */

#define WEEK (7 * DAY)
#define FAILING_PAGES 40

static void
fail_limited(struct bench *b, uint32_t page, int64_t hold_s)
{
	scheduler_outcome(b->s, page,
	    &(struct scheduler_outcome){.now_s = b->now_s,
		.kind = FETCH_FAILED,
		.hold_s = hold_s,
		.is_limited = true});
}

/* When the page is chosen next, among other pages that never changed. */
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

/* After a failure a page waits for an hour, then for twice as long each time,
 * up to a week or its ceiling; also a page that was never fetched, although it
 * is worth the most, and a page past its ceiling. */
static void
test_backs_off(void **state)
{
	struct bench *b = *state;
	static const struct {
		int64_t ceiling_s, most_s;
	} rows[] = {
	    {0, WEEK}, {600, HOUR}, {5 * HOUR, 5 * HOUR}, {90 * DAY, WEEK}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		int64_t wait_s = HOUR;

		open_pages(b, rows[i].ceiling_s);
		(void)add_page(b, 1, 0);
		(void)add_page(b, 1, DAY);
		(void)asked_again_s(b, 0);
		for (int n = 0; n < 12; n++) {
			answer(b, 0, FETCH_FAILED);
			assert_in_range(
			    asked_again_s(b, 0), wait_s, wait_s + HOUR);
			wait_s *= 2;
			if (wait_s > rows[i].most_s)
				wait_s = rows[i].most_s;
		}
		/* after an answer the page waits no longer than others */
		answer(b, 0, FETCH_CHANGED);
		(void)asked_again_s(b, 0);
		answer(b, 0, FETCH_FAILED);
		assert_in_range(asked_again_s(b, 0), HOUR, 2 * HOUR);
	}
}

/* A failing page is fetched once an hour at most, and all others go on. */
static void
test_others_go_on(void **state)
{
	struct bench *b = *state;
	int asked[FAILING_PAGES] = {0};

	open_pages(b, 0);
	for (int i = 0; i < FAILING_PAGES; i++)
		(void)add_page(b, i == 0 ? 9 : 1, 0);
	for (; b->now_s < T0 + HOUR; b->now_s += 10)
		if (scheduler_next(b->s, b->now_s, &b->choice)) {
			asked[b->choice.number]++;
			answer(b, b->choice.number,
			    b->choice.number == 0 ? FETCH_FAILED : FETCH_SAME);
		}
	for (int i = 0; i < FAILING_PAGES; i++)
		assert_int_equal(asked[i], 1);
}

/* For how long no request is made. */
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

/* The third page that fails in a row holds the host, and each one after it
 * holds the host for twice as long; another failure of the same page does not
 * count. */
static void
test_many(void **state)
{
	struct bench *b = *state;

	open_pages(b, 0);
	add_pages(b, FAILING_PAGES, 1, 0);
	assert_int_equal(held_s(b), 0);
	answer(b, b->choice.number, FETCH_FAILED);
	answer(b, b->choice.number, FETCH_FAILED);
	assert_int_equal(held_s(b), 0);
	answer(b, b->choice.number, FETCH_FAILED);
	assert_int_equal(held_s(b), 0);
	for (int64_t wait_s = 60; wait_s < 6 * HOUR; wait_s *= 2) {
		answer(b, b->choice.number, FETCH_FAILED);
		assert_in_range(held_s(b), wait_s, wait_s + 9);
	}
	answer(b, b->choice.number, FETCH_FAILED);
	assert_in_range(held_s(b), 6 * HOUR, 6 * HOUR + 9);
	answer(b, b->choice.number, FETCH_SAME);
	assert_int_equal(held_s(b), 0);
	answer(b, b->choice.number, FETCH_FAILED);
	assert_int_equal(held_s(b), 0);
}

/* When an item of these kinds is chosen next. */
static int64_t
next_of_s(struct bench *b, unsigned wants)
{
	int64_t now_s = b->now_s;

	while (!scheduler_next_of(b->s, now_s, wants, NULL, &b->choice)) {
		int64_t due_s = scheduler_due_of_s(b->s, now_s, wants);

		now_s = due_s > now_s ? due_s : now_s + 1;
		assert_true(now_s < b->now_s + DAY);
	}
	return now_s;
}

/* A host that had too many requests is held at once, for as long as the caller
 * says, and no page of it has failed. */
static void
test_limited(void **state)
{
	struct bench *b = *state;
	static const int64_t waits_s[] = {30, 30, 60, 120};

	open_pages(b, 0);
	for (int i = 0; i < FAILING_PAGES; i++)
		(void)add_page(b, (float)(FAILING_PAGES - i), 0);
	assert_int_equal(held_s(b), 0);
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t page = b->choice.number;

		fail_limited(b, page, waits_s[i]);
		assert_int_equal(held_s(b), waits_s[i]);
		scheduler_give_back(b->s, b->now_s, &b->choice);
		scheduler_retire(b->s, SCHEDULER_PAGE, page, true);
		assert_int_equal(held_s(b), 0);
	}
}

/* A page that always answers 429 does not keep its host held. */
static void
test_always_limited(void **state)
{
	struct bench *b = *state;
	int64_t held = 0;

	open_pages(b, 0);
	for (int i = 0; i < FAILING_PAGES; i++)
		(void)add_page(b, i == 0 ? 9 : 1, 0);
	for (; b->now_s < T0 + 3 * HOUR; b->now_s += 10) {
		if (!scheduler_next(b->s, b->now_s, &b->choice))
			continue;
		if (b->choice.number != 0) {
			answer(b, b->choice.number, FETCH_CHANGED);
			continue;
		}
		fail_limited(b, 0, 30);
		held += 30;
	}
	/* the page was fetched three times, 30 seconds of hold each */
	assert_int_equal(held, 90);
}

/* Failing pages hold only the pages of their host; a host that had too many
 * requests, or names a time, gets no requests at all. */
static void
test_what_is_held(void **state)
{
	static const struct {
		uint32_t failures;
		bool is_limited;
		int64_t hold_s; /* the time that the host names */
		int64_t pages_s, documents_s; /* how long each kind is held */
	} rows[] = {{2, false, 0, 0, 0}, {3, false, 0, 60, 0},
	    {1, true, 30, 30, 30}, {3, true, 30, 30, 30},
	    {1, false, 30, 30, 30}, {3, false, 30, 60, 30}};
	struct scheduler_options options = scheduler_options_default;
	struct bench *b = *state;

	options.asks_apart = true;
	for (size_t i = 0; i < 2 * COUNT(rows); i++) {
		bool is_page = i % 2 == 0;
		int64_t held;

		bench_open(b, &options);
		(void)add_site(b, 0);
		(void)add_document(b, SCHEDULER_NONE, "/s.xml");
		add_pages(b, FAILING_PAGES, 1, 0);
		for (uint32_t page = 0; page < rows[i / 2].failures; page++)
			scheduler_outcome(b->s, page,
			    &(struct scheduler_outcome){.now_s = b->now_s,
				.kind = FETCH_FAILED,
				.hold_s = rows[i / 2].hold_s,
				.is_limited = rows[i / 2].is_limited});
		held = next_of_s(b,
			   is_page ? SCHEDULER_KINDS_PAGES
				   : SCHEDULER_KINDS_DOCUMENTS) -
		    T0;
		if (held !=
		    (is_page ? rows[i / 2].pages_s : rows[i / 2].documents_s))
			fail_msg("row %zu: held for %d s", i / 2, (int)held);
	}
}

/* The pause of a page is saved, and is as long if the clock was put back before
 * it is loaded. */
static void
test_kept(void **state)
{
	struct scheduler_terms terms;
	struct bench b = {0}, other = {0};
	struct buf buf;

	buf_init(&buf, 1000);
	open_pages(&b, 0);
	open_pages(&other, 0);
	(void)add_page(&b, 1, 0);
	(void)add_page(&other, 1, 0);
	expect(&b, SCHEDULER_PAGE, 0, REASON_NEW);
	answer(&b, 0, FETCH_FAILED);
	scheduler_save_page(b.s, 0, &buf);
	assert_true(scheduler_load_page(other.s, 0, buf_text(&buf)));
	expect_nothing(&other);
	terms = page_terms(&other, 0);
	assert_in_range(terms.due_s, T0 + HOUR, T0 + HOUR + 60);
	assert_int_equal(terms.failures, 1);
	other.now_s += HOUR + 60;
	expect(&other, SCHEDULER_PAGE, 0, REASON_NEW);
	answer(&other, 0, FETCH_FAILED);
	assert_in_range(asked_again_s(&other, 0), 2 * HOUR, 2 * HOUR + 60);
	/* the page waits for the rest of its pause */
	open_pages(&b, 0);
	(void)add_page(&b, 1, 0);
	b.s->loaded_s = b.now_s;
	b.s->back_s = HOUR / 2;
	assert_true(scheduler_load_page(b.s, 0, buf_text(&buf)));
	expect_nothing(&b);
	assert_in_range(asked_again_s(&b, 0), HOUR / 2, HOUR / 2 + 60);
	/* a damaged record: this number of failures is impossible */
	buf.len--;
	assert_false(scheduler_load_page(other.s, 0, buf_text(&buf)));
	scheduler_free(b.s);
	scheduler_free(other.s);
	buf_release(&buf);
}

/* No date moves when a page goes or comes back, so readings without a move
 * then say nothing about the recall of dates. */
static void
test_gone_untold(void **state)
{
	struct bench *b = *state;
	static const enum scheduler_outcome_kind goes[] = {
	    FETCH_GONE, FETCH_MOVED_AWAY};

	for (size_t i = 0; i < COUNT(goes); i++) {
		enum scheduler_outcome_kind kinds[] = {goes[i], FETCH_CHANGED};
		double recall;

		open_pages(b, 0);
		(void)add_page(b, 1, 10 * DAY);
		read_document(b, 0, 1, 0);
		answer(b, 0, FETCH_SAME);
		for (size_t k = 0; k < COUNT(kinds); k++) {
			b->now_s += HOUR;
			read_document(b, 0, 1, 0);
			recall = recall_of(b);
			b->now_s += HOUR;
			answer(b, 0, kinds[k]);
			for (int n = 0; n < 2; n++) {
				b->now_s += HOUR;
				read_document(b, 0, 1, 0);
			}
			assert_close(recall_of(b), recall, 1e-12);
		}
		/* another text is a change */
		recall = recall_of(b);
		answer(b, 0, FETCH_CHANGED);
		b->now_s += HOUR;
		read_document(b, 0, 1, 0);
		b->now_s += HOUR;
		read_document(b, 0, 1, 0);
		assert_true(recall_of(b) < recall);
	}
}

/* Children of an index: the dates in an index are evidence, not commands. */

enum {
	INDEX,
	TOLD,
	UNTOLD,
	STILL,
	CHILDREN,
	CHILD_PAGES = 8,
	DAYS = 240,
	WARM = 60
};

/* In each child that changes, a page changes once in so many days. */
static const int every_days[CHILDREN] = {0, 1, 2, 0};

struct play {
	struct bench b;
	int64_t changed_s[CHILDREN]; /* of a page of it: the latest */
	int64_t read_s[CHILDREN];
	/* when the page changed; 0: it was fetched since */
	int64_t stale_s[CHILDREN * CHILD_PAGES];
	int turn[CHILDREN]; /* the page that changes next */
	int by_value[CHILDREN]; /* readings after the warm days */
	bool knows[CHILDREN]; /* the index has announced its latest change */
};

static uint32_t
page_of(uint32_t child, int place)
{
	return (child - 1) * CHILD_PAGES + (uint32_t)place;
}

static void
open_play(struct play *play)
{
	struct scheduler_options options = scheduler_options_default;
	struct scheduler_site site = scheduler_site_default;

	*play = (struct play){0};
	options.requests_per_hour = 1;
	bench_open(&play->b, &options);
	site.reading_ceiling_s = 0;
	site.page_ceiling_s = 0;
	(void)scheduler_add_site(play->b.s, &site);
	(void)add_document(&play->b, SCHEDULER_NONE, "/index.xml");
	(void)add_document(&play->b, INDEX, "/told.xml");
	(void)add_document(&play->b, INDEX, "/untold.xml");
	(void)add_document(&play->b, INDEX, "/still.xml");
	for (uint32_t child = TOLD; child < CHILDREN; child++)
		for (int i = 0; i < CHILD_PAGES; i++)
			(void)scheduler_add_page(play->b.s,
			    &(struct scheduler_page){.document = child,
				.weight = 1,
				.lastmod_s = T0 - DAY,
				.fetched_s = T0},
			    T0);
}

static void
change(struct play *play, int64_t day)
{
	for (uint32_t child = TOLD; child < CHILDREN; child++) {
		if (every_days[child] == 0 || day % every_days[child] != 0)
			continue;
		int place = play->turn[child]++ % CHILD_PAGES;
		play->stale_s[page_of(child, place)] = play->b.now_s;
		play->changed_s[child] = play->b.now_s;
		play->knows[child] = false;
	}
}

static void
read_index(struct play *play)
{
	bool is_new = !play->knows[TOLD] && play->changed_s[TOLD] > 0;

	read_document(&play->b, INDEX, CHILDREN - 1, is_new);
	if (is_new)
		scheduler_child_signal(play->b.s, TOLD,
		    &(struct scheduler_signal){.kind = SIGNAL_MOVED,
			.lastmod_s = play->changed_s[TOLD]});
	play->knows[TOLD] = true;
}

/* The dates of pages that changed since the reading before move; all dates are
 * right. */
static void
read_child(struct play *play, uint32_t child)
{
	uint32_t moved = 0;

	for (int i = 0; i < CHILD_PAGES; i++)
		moved += play->stale_s[page_of(child, i)] > play->read_s[child];
	read_document(&play->b, child, CHILD_PAGES, moved);
	for (int i = 0; i < CHILD_PAGES; i++) {
		uint32_t page = page_of(child, i);
		if (play->stale_s[page] > play->read_s[child])
			move(&play->b, page, play->stale_s[page]);
	}
	play->read_s[child] = play->b.now_s;
}

static void
ask(struct play *play, int64_t day)
{
	struct scheduler_choice *choice = &play->b.choice;

	while (scheduler_next(play->b.s, play->b.now_s, choice)) {
		if (choice->kind == SCHEDULER_PAGE) {
			int64_t *stale_s = &play->stale_s[choice->number];
			answer(&play->b, choice->number,
			    *stale_s > 0 ? FETCH_CHANGED : FETCH_SAME);
			*stale_s = 0;
			continue;
		}
		play->by_value[choice->number] += day >= WARM &&
		    choice->reason == REASON_VALUE;
		if (choice->number == INDEX)
			read_index(play);
		else
			read_child(play, choice->number);
	}
}

static void
run_play(struct play *play, int days)
{
	open_play(play);
	for (int64_t hour = 0; hour < days * 24; hour++) {
		play->b.now_s = T0 + hour * HOUR;
		if (hour % 24 == 0)
			change(play, hour / 24);
		ask(play, hour / 24);
	}
}

static void
test_sampled(void **state)
{
	struct play play;

	run_play(&play, DAYS);
	/* The child whose date moves is read because of that.  The scheduler
	 * finds out that another child changes without being announced, and
	 * reads it at the pace of its changes.  The child that does not change
	 * is read now and then, although no ceiling demands it. */
	assert_true(play.by_value[TOLD] > 2 * play.by_value[UNTOLD]);
	assert_true(play.by_value[UNTOLD] > 4 * play.by_value[STILL]);
	assert_true(play.by_value[UNTOLD] > (DAYS - WARM) / 8);
	assert_true(play.by_value[STILL] >= 2 && play.by_value[STILL] < 20);
	scheduler_free(play.b.s);
}

/* Save all records, in the order in which they can be loaded. */
static void
save_all(const struct scheduler *s, struct buf *records)
{
	scheduler_save_all(s, &records[0]);
	scheduler_save_site(s, 0, &records[1]);
	for (uint32_t i = 0; i < CHILDREN; i++)
		scheduler_save_document(s, i, &records[2 + i]);
	for (uint32_t i = 0; i < (CHILDREN - 1) * CHILD_PAGES; i++)
		scheduler_save_page(s, i, &records[2 + CHILDREN + i]);
}

/* What was learned in months, of children of an index, too, is saved
 * exactly. */
static void
test_child_kept(void **state)
{
	enum { RECORDS = 2 + CHILDREN + (CHILDREN - 1) * CHILD_PAGES };
	struct buf records[2][RECORDS];
	struct play learned, fresh;

	run_play(&learned, WARM);
	open_play(&fresh);
	for (int i = 0; i < RECORDS; i++) {
		buf_init(&records[0][i], 100000);
		buf_init(&records[1][i], 100000);
	}
	/* this call brings what is owed up to now */
	(void)scheduler_due_of_s(
	    fresh.b.s, learned.b.now_s, SCHEDULER_KINDS_ALL);
	save_all(learned.b.s, records[0]);
	assert_true(scheduler_load_all(fresh.b.s, buf_text(&records[0][0])));
	assert_true(
	    scheduler_load_site(fresh.b.s, 0, buf_text(&records[0][1])));
	for (uint32_t i = 0; i < CHILDREN; i++)
		assert_true(scheduler_load_document(
		    fresh.b.s, i, buf_text(&records[0][2 + i])));
	for (uint32_t i = 0; i < (CHILDREN - 1) * CHILD_PAGES; i++)
		assert_true(scheduler_load_page(
		    fresh.b.s, i, buf_text(&records[0][2 + CHILDREN + i])));
	save_all(fresh.b.s, records[1]);
	for (int i = 0; i < RECORDS; i++) {
		assert_true(slice_equal(
		    buf_text(&records[0][i]), buf_text(&records[1][i])));
		buf_release(&records[0][i]);
		buf_release(&records[1][i]);
	}
	scheduler_free(learned.b.s);
	scheduler_free(fresh.b.s);
}

/* How many minutes after its last reading a document whose dates deceive is
 * read because of its ceiling; at believed_s its dates are believed again. */
static int64_t
late_at(int64_t believed_s)
{
	struct scheduler_options options = scheduler_options_default;
	struct scheduler_site is = scheduler_site_default;
	struct bench b = {0};

	bench_open(&b, &options);
	told_scarce(b.s);
	is.reading_ceiling_s = DAY;
	(void)scheduler_add_site(b.s, &is);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	b.s->sources.items[0].readings = 10;
	read_document(&b, 0, 10, 0);
	source_trust(&b.s->sources.items[0])->is_gated = true;
	do {
		b.now_s += 60;
		set_level(&b, 1e9);
		if (b.now_s - T0 >= believed_s)
			b.s->sources.items[0].trust->is_gated = false;
	} while (!scheduler_next(b.s, b.now_s, &b.choice));
	assert_int_equal(b.choice.reason, REASON_CEILING);
	told_forget(b.s);
	scheduler_free(b.s);
	return (b.now_s - T0) / 60;
}

/* Its ceiling is three times that of another document; it is read within the
 * hour if its dates are believed again before that. */
static void
test_late_and_deceiving(void **state)
{
	assert_in_range(late_at(9 * DAY), 3 * DAY / 60, 3 * DAY / 60 + 2);
	assert_in_range(
	    late_at(2 * DAY - 60), 2 * DAY / 60 - 1, 2 * DAY / 60 + 61);
}

/* Pages that go from one document to another. */

/* A day later the first document dates its first page anew. */
static void
tell_move(struct bench *bench)
{
	bench->now_s += DAY;
	read_document(bench, 0, 10, 1);
	move(bench, 0, bench->now_s - HOUR);
}

/* How many pages a document has. */
static int
pages_of(struct bench *bench, uint32_t document)
{
	int count = 0;

	for (uint32_t page = source_first_page(&bench->s->pages, document);
	     page != 0; page = bench->s->pages.items[page - 1].next) {
		assert_int_equal(
		    bench->s->pages.items[page - 1].document, document);
		count++;
	}
	return count;
}

/* A page that another document lists now gets the trust in the dates of that
 * document. */
static void
test_other_parent(void **state)
{
	struct bench *b = *state;
	struct scheduler_page other = {.document = 1, .weight = 1};
	uint32_t page;
	double lied;

	open_pages(b, 0);
	add_pages(b, 10, 1, 10 * DAY);
	read_document(b, 0, 10, 0);
	(void)add_document(b, SCHEDULER_NONE, "/t.xml");
	other.lastmod_s = other.fetched_s = b->now_s - 10 * DAY;
	page = scheduler_add_page(b->s, &other, b->now_s);
	for (int i = 0; i < 20; i++) {
		tell_move(b);
		answer(b, 0, FETCH_SAME);
	}
	lied = page_terms(b, 0).precision;
	assert_true(lied < page_terms(b, page).precision - 0.1);
	tell_move(b);
	scheduler_set_document(b->s, 0, 1);
	assert_close(
	    page_terms(b, 0).precision, page_terms(b, page).precision, 1e-12);
	assert_int_equal(b->s->pages.items[0].moves, 1);
	assert_int_equal(pages_of(b, 0), 9);
	assert_int_equal(pages_of(b, 1), 2);
	/* a fetch now teaches about that document */
	answer(b, 0, FETCH_SAME);
	assert_close(page_terms(b, 1).precision, lied, 0.05);
	scheduler_set_document(b->s, 0, 0);
	assert_int_equal(pages_of(b, 0), 10);
}

/* A page leaves its document while all pages of the document are evaluated
 * again: the evaluation of the others goes on. */
static void
test_refresh(void **state)
{
	struct bench *b = *state;
	enum { PAGES = 300 };
	const struct sched_source *source;
	uint32_t left = 0;

	open_pages(b, 0);
	add_pages(b, PAGES, 1, 10 * DAY);
	(void)add_document(b, SCHEDULER_NONE, "/t.xml");
	source_refresh(&b->s->pages, 0);
	(void)scheduler_next(b->s, b->now_s, &b->choice);
	source = &b->s->sources.items[0];
	assert_true(source->refresh != 0);
	scheduler_set_document(b->s, source->refresh - 1, 1);
	source_refresh(&b->s->pages, 1);
	for (uint32_t page = source->refresh; page != 0;
	     page = b->s->pages.items[page - 1].next) {
		assert_int_equal(b->s->pages.items[page - 1].document, 0);
		left++;
	}
	assert_in_range(left, PAGES / 2, PAGES);
}

/* A sitemap becomes an index: nothing of its dates is known any more, and its
 * pages teach nothing of them until it is a sitemap again. */
static void
test_relearn(void **state)
{
	struct bench *b = *state;
	const struct sched_source *source;
	struct trust before;

	open_pages(b, 0);
	add_pages(b, 10, 1, 10 * DAY);
	read_document(b, 0, 10, 0);
	source = &b->s->sources.items[0];
	tell_move(b);
	answer(b, 0, FETCH_CHANGED);
	assert_true(source->trust->moves > 0);
	for (int i = 0; i < 2; i++) {
		scheduler_relearn(b->s, 0);
		assert_true(source->is_index == (i == 0));
		assert_true(source_dates(source)->moves <= 0);
		assert_true(source->read_s == SCHEDULER_NEVER);
		read_document(b, 0, 10, 0);
		tell_move(b);
		before = *source_dates(source);
		answer(b, 0, FETCH_CHANGED);
		b->now_s += DAY;
		answer(b, 0, FETCH_CHANGED);
		assert_true((memcmp(&before, source_dates(source),
				 sizeof(before)) == 0) == (i == 0));
		assert_true(i == 1 || source->retro_count == 0);
	}
}

/* A date that moves back is a reason to fetch, as any other.  It costs trust,
 * unless the dates are those that git gives an author. */
static void
test_back(void **state)
{
	static const struct generator author = {.source = DATES_AUTHOR};
	static const struct generator *const makers[] = {NULL, &author};
	struct bench *b = *state;

	for (size_t i = 0; i < COUNT(makers); i++) {
		double precision;

		open_ten(b);
		b->s->sources.items[0].generator = makers[i];
		precision = trust_figures(source_dates(&b->s->sources.items[0]))
				.precision;
		b->now_s += DAY;
		read_document(b, 0, 10, 1);
		move(b, 3, b->now_s - 40 * DAY);
		assert_int_equal(page_terms(b, 3).moves, 1);
		assert_true(page_terms(b, 3).value > page_terms(b, 4).value);
		assert_int_equal(page_terms(b, 3).precision < precision - 0.01,
		    makers[i] == NULL);
	}
}

UNIT_TESTS(scheduler_events, bench_test(test_verdict),
    bench_test(test_verdict_at_fetch), bench_test(test_late),
    bench_test(test_mass_among_new), bench_test(test_costs),
    bench_test(test_first_readings), bench_test(test_in_turn),
    bench_test(test_ceiling_of_new), bench_test(test_never_there),
    bench_test(test_read), bench_test(test_ceiling_of_failing),
    bench_test(test_retry), bench_test(test_backs_off),
    bench_test(test_others_go_on), bench_test(test_many),
    bench_test(test_limited), bench_test(test_always_limited),
    bench_test(test_what_is_held), cmocka_unit_test(test_kept),
    bench_test(test_gone_untold), cmocka_unit_test(test_sampled),
    cmocka_unit_test(test_child_kept),
    cmocka_unit_test(test_late_and_deceiving), bench_test(test_other_parent),
    bench_test(test_refresh), bench_test(test_relearn), bench_test(test_back));
