/* What the scheduler makes of what it is told: late, not yet, or in part. */
#include "tests/fixtures/scheduler_fixture.h"

#include "sched/scheduler_explain.h"
#include "sched/scheduler_hosts.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_parts.h"

static struct scheduler_terms
terms_of(struct bench *bench, uint32_t page)
{
	struct scheduler_terms terms;

	scheduler_explain_page(bench->s, page, bench->now_s, &terms);
	return terms;
}

/* As outcomes say: that nothing is told for a while is beside it. */
static double
recall_of(const struct bench *bench)
{
	return (double)bench->s->sources.items[0].trust.recall;
}

static void
open_ten(struct bench *bench)
{
	struct scheduler_options options = pages_only();

	bench_open(bench, &options);
	(void)add_site(bench, 0);
	(void)add_document(bench, SCHEDULER_NONE, "/s.xml");
	for (int i = 0; i < 10; i++)
		(void)add_page(bench, 1, 10 * DAY);
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
 * A change was found and no move had told it: whether it was told the next
 * reading shows, by a date before the fetch, or by none.  Neither another
 * fetch does, nor a date that is later still, nor one that all pages get.
 */
static void
test_verdict(void **state)
{
	static const struct {
		int64_t date_s; /* after the fetch; 0: no move */
		uint32_t moved;
		int verdict; /* 1: it was told, -1: it was not, 0: none */
	} rows[] = {{0, 0, -1}, {-600, 1, 1}, {600, 1, 0}, {-600, 10, 0}};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct bench b;
		double recall, precision;

		open_ten(&b);
		recall = recall_of(&b);
		precision = terms_of(&b, 0).precision;
		b.now_s += HOUR;
		answer(&b, 0, FETCH_CHANGED);
		b.now_s += HOUR;
		answer(&b, 0, FETCH_CHANGED);
		assert_close(recall_of(&b), recall, 1e-12);
		later(&b, HOUR, rows[i].moved);
		assert_close(recall_of(&b), recall, 1e-12);
		if (rows[i].moved > 0)
			move(&b, 0, b.now_s - HOUR + rows[i].date_s);
		later(&b, HOUR, 0);
		later(&b, HOUR, 0);
		if (rows[i].verdict < 0)
			assert_true(recall_of(&b) < recall);
		else if (rows[i].verdict > 0)
			assert_true(terms_of(&b, 0).precision > precision);
		else
			assert_close(recall_of(&b), recall, 1e-12);
		scheduler_free(b.s);
	}
}

/* After a reading that did not move it a fetch settles it, once. */
static void
test_verdict_at_fetch(void **state)
{
	struct bench b;
	double recall;

	(void)state;
	open_ten(&b);
	b.now_s += HOUR;
	answer(&b, 0, FETCH_CHANGED);
	recall = recall_of(&b);
	later(&b, HOUR, 0);
	b.now_s += HOUR;
	answer(&b, 0, FETCH_CHANGED);
	assert_true(recall_of(&b) < recall);
	recall = recall_of(&b);
	/* The second change is another one: it waits for its own reading. */
	later(&b, HOUR, 0);
	assert_close(recall_of(&b), recall, 1e-12);
	later(&b, HOUR, 0);
	assert_true(recall_of(&b) < recall);
	scheduler_free(b.s);
}

/* Asked at one, told at ten: what changed at five was not seen. */
static void
test_late(void **state)
{
	struct scheduler_outcome outcome = {.kind = FETCH_CHANGED};
	struct bench b;

	(void)state;
	for (int is_read_first = 0; is_read_first < 2; is_read_first++) {
		open_ten(&b);
		outcome.now_s = b.now_s + HOUR;
		if (is_read_first) {
			later(&b, 6 * HOUR, 1);
			move(&b, 0, T0 + 5 * HOUR);
		}
		b.now_s = T0 + 10 * HOUR;
		scheduler_outcome(b.s, 0, &outcome);
		assert_close(terms_of(&b, 0).days, 9 / 24.0, 1e-6);
		if (!is_read_first) {
			later(&b, HOUR, 1);
			move(&b, 0, T0 + 5 * HOUR);
		}
		assert_int_equal(terms_of(&b, 0).moves, 1);
		/* An older answer than the last one changes no time. */
		outcome.now_s = T0 - 50 * DAY;
		scheduler_outcome(b.s, 0, &outcome);
		assert_true(terms_of(&b, 0).days < 0.5);
		outcome.now_s = T0 + HOUR;
		scheduler_free(b.s);
	}
}

/* New entries do not hide that all others moved. */
static void
test_mass_among_new(void **state)
{
	struct bench b;

	(void)state;
	open_ten(&b);
	b.now_s += DAY;
	scheduler_reading(b.s, 0,
	    &(struct scheduler_reading){.now_s = b.now_s,
		.listed = 30,
		.dated = 30,
		.added = 20,
		.moved = 10,
		.cost = 1});
	move(&b, 0, b.now_s);
	assert_int_equal(terms_of(&b, 0).mass, 1);
	assert_int_equal(terms_of(&b, 0).moves, 0);
	scheduler_free(b.s);
}

/* What readings cost that bring nothing is learned beside those that do. */
static void
test_costs(void **state)
{
	struct scheduler_options options = scheduler_options_default();
	struct scheduler_reading reading = {.listed = 10, .dated = 10};
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	for (int i = 0; i < 40; i++) {
		reading.moved = i % 2;
		reading.cost = i % 2 ? 8 : 2;
		reading.now_s = b.now_s += DAY;
		scheduler_reading(b.s, 0, &reading);
	}
	assert_close(b.s->sources.items[0].cost, 8, 0.1);
	assert_close(b.s->sources.items[0].cost_same, 2, 1e-6);
	scheduler_free(b.s);
}

/* the first four readings come a day apart, or as many as cost no more
 * than four pages. */
static void
test_first_readings(void **state)
{
	static const struct {
		double cost;
		int readings;
	} rows[] = {{0.1, 4}, {1, 4}, {2, 2}, {10, 1}};
	struct scheduler_options options = scheduler_options_default();

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int readings = 0;
		struct bench b;

		bench_open(&b, &options);
		(void)add_site(&b, 0);
		(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
		for (int hour = 0; hour < 5 * 24; hour++) {
			struct scheduler_reading reading = {
			    .listed = 10, .moved = 1, .cost = rows[i].cost};

			b.now_s += HOUR;
			if (!scheduler_next(b.s, b.now_s, &b.choice))
				continue;
			readings += b.choice.reason != REASON_VALUE;
			reading.now_s = b.now_s;
			scheduler_reading(b.s, 0, &reading);
		}
		assert_int_equal(readings, rows[i].readings);
		scheduler_free(b.s);
	}
}

/* By the clock, and more than the budget has room for: whoever has been due for
 * longest goes first, a new one among them. */
static void
test_in_turn(void **state)
{
	enum { DOCUMENTS = 40, PER_HOUR = 10, ROUNDS = 5 };
	struct scheduler_options options = scheduler_options_default();
	struct scheduler_site site = scheduler_site_default();
	int64_t asked_s[2 * DOCUMENTS];
	struct bench b;

	(void)state;
	options.tick_s = 1;
	bench_open(&b, &options);
	scheduler_set_host(
	    b.s, 0, &(struct scheduler_host){.requests_per_hour = PER_HOUR});
	site.reading_floor_s = site.reading_ceiling_s = 600;
	(void)scheduler_add_site(b.s, &site);
	for (size_t i = 0; i < COUNT(asked_s); i++)
		asked_s[i] = T0;
	for (int i = 0; i < DOCUMENTS; i++)
		(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	for (int n = 0; n < ROUNDS * DOCUMENTS; n++, b.now_s += 360) {
		struct scheduler_reading reading = {
		    .now_s = b.now_s, .listed = 10, .cost = 1};
		int count = DOCUMENTS + n / (2 * PER_HOUR);

		if (n % (2 * PER_HOUR) == 0)
			asked_s[add_document(&b, SCHEDULER_NONE, "/n.xml")] =
			    b.now_s;
		assert_true(scheduler_next(b.s, b.now_s, &b.choice));
		assert_true(
		    b.now_s - asked_s[b.choice.number] <= (count + 1) * 360);
		asked_s[b.choice.number] = b.now_s;
		scheduler_reading(b.s, b.choice.number, &reading);
	}
	for (int i = 0; i < DOCUMENTS; i++)
		assert_true(b.now_s - asked_s[i] <= 2 * DOCUMENTS * 360);
	scheduler_free(b.s);
}

/* the ceiling of a page that was never fetched counts from when it
 * became known. */
static void
test_ceiling_of_new(void **state)
{
	struct scheduler_options options = pages_only();
	bool is_asked = false;
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 30 * DAY);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	(void)add_page(&b, 1e-9F, 0);
	for (int i = 0; i < 50; i++)
		(void)add_page(&b, 1e6F, HOUR);
	for (int day = 1; day < 60 && !is_asked; day++) {
		b.now_s += DAY;
		for (int i = 0; i < 3 && !is_asked; i++) {
			assert_true(scheduler_next(b.s, b.now_s, &b.choice));
			is_asked = b.choice.number == 0;
			if (is_asked)
				assert_int_equal(
				    b.choice.reason, REASON_CEILING);
			else
				answer(&b, b.choice.number, FETCH_CHANGED);
		}
		assert_true(day >= 30 || !is_asked);
	}
	assert_true(is_asked);
	scheduler_free(b.s);
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

/* A document that was never there is asked for ever more rarely, until its
 * index says that it moved. */
static void
test_never_there(void **state)
{
	struct scheduler_options options = scheduler_options_default();
	struct scheduler_signal moved = {.kind = SIGNAL_MOVED};
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/index.xml");
	(void)add_document(&b, 0, "/s.xml");
	read_document(&b, 0, 1, 0);
	assert_in_range(ask_in_vain(&b, 60), 3, 15);
	assert_in_range(ask_in_vain(&b, 90), 2, 5);
	assert_int_equal(ask_in_vain(&b, 5), 0);
	moved.lastmod_s = b.now_s;
	scheduler_child_signal(b.s, 1, &moved);
	assert_true(ask_in_vain(&b, 1) > 0);
	scheduler_free(b.s);
}

/* A fetch that tells nothing of whether the page changed: the copy is as new
 * as it says, and nothing is learned, of rates or of dates.  That a page which
 * was gone is there again is seen, though. */
static void
test_read(void **state)
{
	struct scheduler_terms before;
	struct bench b;
	struct rate rate;
	double recall;

	(void)state;
	open_ten(&b);
	b.now_s += HOUR;
	answer(&b, 0, FETCH_CHANGED);
	rate = b.s->pages.items[0].rate;
	recall = recall_of(&b);
	b.now_s += 30 * DAY;
	before = terms_of(&b, 0);
	move(&b, 0, b.now_s - DAY);
	assert_int_equal(terms_of(&b, 0).moves, 1);
	answer(&b, 0, FETCH_READ);
	assert_int_equal(terms_of(&b, 0).moves, 0);
	assert_true(terms_of(&b, 0).days <= 0);
	assert_true(terms_of(&b, 0).fresh > before.fresh);
	assert_memory_equal(&b.s->pages.items[0].rate, &rate, sizeof(rate));
	assert_close(terms_of(&b, 0).precision, before.precision, 1e-12);
	/* Whether the change before was told is not known any more. */
	later(&b, HOUR, 0);
	later(&b, HOUR, 0);
	assert_close(recall_of(&b), recall, 1e-12);
	answer(&b, 0, FETCH_GONE);
	assert_true(b.s->pages.items[0].dead > 0);
	answer(&b, 0, FETCH_READ);
	assert_int_equal(b.s->pages.items[0].dead, 0);
	scheduler_free(b.s);
}

/* fail_for(bench, s, gone, longest): requests for the one document meanwhile,
 * and the longest time between two. */
static int
fail_for(struct bench *bench, int64_t for_s, bool is_gone, int64_t *longest_s)
{
	int64_t end_s = bench->now_s + for_s, last_s = bench->now_s;
	int asked = 0;

	*longest_s = 0;
	for (; bench->now_s < end_s; bench->now_s += 60)
		while (asked < 10000 &&
		    scheduler_next(bench->s, bench->now_s, &bench->choice)) {
			scheduler_reading(bench->s, 0,
			    &(struct scheduler_reading){.now_s = bench->now_s,
				.is_failed = true,
				.is_gone = is_gone});
			asked++;
			if (bench->now_s - last_s > *longest_s)
				*longest_s = bench->now_s - last_s;
			last_s = bench->now_s;
		}
	return asked;
}

/* One that fails is past its ceiling, and asked for again with pauses all the
 * same: not shorter than the first, nor longer than the ceiling. */
static void
test_ceiling_of_failing(void **state)
{
	static const struct {
		int64_t ceiling_s;
		bool is_gone;
		int least, most; /* requests in 60 days */
	} rows[] = {{60, false, 5700, 5761}, {HOUR, false, 1400, 1445},
	    {HOUR, true, 470, 500}, {7 * DAY, false, 60, 70},
	    {7 * DAY, true, 9, 13}};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct scheduler_options options = scheduler_options_default();
		struct scheduler_site site = scheduler_site_default();
		int64_t longest_s;
		struct bench b;

		bench_open(&b, &options);
		site.reading_ceiling_s = rows[i].ceiling_s;
		site.reading_floor_s = rows[i].ceiling_s;
		(void)scheduler_add_site(b.s, &site);
		(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
		read_document(&b, 0, 10, 0);
		b.now_s += rows[i].ceiling_s;
		assert_in_range(
		    fail_for(&b, 60 * DAY, rows[i].is_gone, &longest_s),
		    rows[i].least, rows[i].most);
		assert_true(
		    longest_s <= 3 * rows[i].ceiling_s || longest_s <= 15 * 60);
		/* Three seconds are no more than one failure. */
		b.now_s += 30 * DAY;
		read_document(&b, 0, 10, 0);
		b.now_s += 7 * DAY;
		assert_int_equal(fail_for(&b, 1, true, &longest_s), 1);
		b.now_s += 15 * 60;
		assert_true(scheduler_next(b.s, b.now_s, &b.choice));
		scheduler_free(b.s);
	}
}

/* How often a document that cannot be read is asked for in a day. */
static int
failures_of(int64_t ceiling_s, int64_t retry_s)
{
	struct scheduler_options options = scheduler_options_default();
	struct scheduler_site is = scheduler_site_default();
	int64_t longest_s;
	struct bench b;
	int n;

	bench_open(&b, &options);
	is.reading_floor_s = is.reading_ceiling_s = ceiling_s;
	is.retry_s = retry_s;
	(void)scheduler_add_site(b.s, &is);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	read_document(&b, 0, 5, 0);
	b.now_s += 2 * ceiling_s;
	n = fail_for(&b, DAY, false, &longest_s);
	scheduler_free(b.s);
	return n;
}

/* After the time that its site says, then after twice as long each time. */
static void
test_retry(void **state)
{
	(void)state;
	assert_int_equal(failures_of(6 * HOUR, 900), 8);
	assert_int_equal(failures_of(DAY, HOUR), 5);
	assert_int_equal(failures_of(7 * DAY, 900), 7);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_verdict),
	    cmocka_unit_test(test_verdict_at_fetch),
	    cmocka_unit_test(test_late),
	    cmocka_unit_test(test_mass_among_new),
	    cmocka_unit_test(test_costs),
	    cmocka_unit_test(test_first_readings),
	    cmocka_unit_test(test_in_turn),
	    cmocka_unit_test(test_ceiling_of_new),
	    cmocka_unit_test(test_never_there),
	    cmocka_unit_test(test_retry),
	    cmocka_unit_test(test_read),
	    cmocka_unit_test(test_ceiling_of_failing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
