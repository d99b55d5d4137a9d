/*
 * The simulator with a policy that follows a script and records what it is
 * shown: what is seen when, what is counted, and what it costs.
 */
#include "tests/sim/sim.h"

#include <math.h>
#include <stdlib.h>

#include "tests/fixtures/fixture.h"
#include "tests/sim/sim_policy.h"

enum { H = 3600, D = 86400 };

/* What to ask for at some time; documents as -1 - number. */
struct ask {
	int64_t t_s;
	int number;
};

/* The history comes first: a policy finds its script by it. */
struct play {
	struct history history;
	const struct ask *asks;
	size_t ask_count, asked;
	struct buf log;
};

static void *
play_new(const struct sim_setup *setup)
{
	return (void *)(uintptr_t)setup->history;
}

static void
play_free(void *arg)
{
	(void)arg;
}

static void
play_page(void *arg, int64_t now_s, uint32_t page, bool is_fetched)
{
	struct play *play = arg;

	(void)buf_print(&play->log, "%dh page %u%s\n", (int)(now_s / H), page,
	    is_fetched ? " fetched" : "");
}

static void
play_reading(void *arg, int64_t now_s, const struct sim_reading *reading)
{
	static const char *const kinds[] = {"new", "moved", "gone"};
	struct play *play = arg;

	(void)buf_print(&play->log, "%dh read %u: %u/%u%s", (int)(now_s / H),
	    reading->document, reading->dated, reading->listed,
	    reading->is_failed ? " failed" : "");
	for (size_t i = 0; i < reading->move_count; i++) {
		const struct sim_move *move = &reading->moves[i];
		(void)buf_print(&play->log, ", %s%u %s",
		    move->is_document ? "d" : "", move->number,
		    kinds[move->kind]);
		if (move->lastmod_s != HISTORY_NO_DATE)
			(void)buf_print(&play->log, " %d%s",
			    (int)(move->lastmod_s / H),
			    move->is_day ? "d" : "h");
	}
	if (reading->cost > 0)
		(void)buf_print(&play->log, ", costs %.1f", reading->cost);
	(void)buf_put_char(&play->log, '\n');
}

static void
play_outcome(void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	static const char *const names[] = {
	    "changed", "same", "dead", "failed"};
	struct play *play = arg;

	(void)buf_print(&play->log, "%dh fetch %u: %s\n", (int)(now_s / H),
	    page, names[outcome]);
}

static bool
play_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct play *play = arg;
	const struct ask *ask = &play->asks[play->asked];

	if (play->asked == play->ask_count || ask->t_s > now_s)
		return false;
	play->asked++;
	request->is_document = ask->number < 0;
	request->number = (uint32_t)(ask->number < 0 ? -1 - ask->number
						     : ask->number);
	return true;
}

static bool
play_honesty(void *arg, uint32_t document, double *precision, double *recall)
{
	(void)arg;
	*precision = 0.5;
	*recall = 0.25;
	return document == 0;
}

static const struct sim_policy play_policy = {.name = "play",
    .new = play_new,
    .free = play_free,
    .page = play_page,
    .reading = play_reading,
    .outcome = play_outcome,
    .next = play_next,
    .honesty = play_honesty};

/* One site with one document and two pages, of weight 1 and 3. */
static void
begin(struct play *play, bool is_known, bool shows_at_once)
{
	struct history_document document = {.parent = HISTORY_NONE,
	    .cost = 1,
	    .shows_at_once = shows_at_once,
	    .turn_s = INT64_MAX};

	*play = (struct play){.ask_count = 0};
	buf_init(&play->log, 1 << 16);
	history_init(&play->history);
	play->history.end_s = 2 * D;
	play->history.starts_known = is_known;
	(void)history_add_site(&play->history, "a.example", 0);
	(void)history_add_document(&play->history, &document);
	for (int i = 0; i < 2; i++)
		(void)history_add_page(&play->history,
		    &(struct history_page){.weight = i == 0 ? 1 : 3});
}

static void
add(struct play *play, int64_t t_s, enum history_kind kind, uint32_t subject)
{
	struct history_event event = {
	    .t_s = t_s, .kind = (uint8_t)kind, .subject = subject};

	history_add(&play->history, &event);
}

static void
add_text(struct play *play, int64_t t_s, uint32_t page, uint64_t text)
{
	struct history_event event = {
	    .t_s = t_s, .kind = HISTORY_CHANGES, .subject = page, .text = text};

	history_add(&play->history, &event);
}

static void
add_claim(struct play *play, int64_t t_s, enum history_kind kind,
    uint32_t subject, int64_t lastmod_s)
{
	struct history_event event = {.t_s = t_s,
	    .kind = (uint8_t)kind,
	    .subject = subject,
	    .lastmod_s = lastmod_s};

	history_add(&play->history, &event);
}

static void
add_listed(struct play *play)
{
	for (uint32_t i = 0; i < play->history.page_count; i++) {
		add(play, 0, HISTORY_EXISTS, i);
		add(play, 0, HISTORY_ADDED, i);
	}
}

static void
run(struct play *play, struct sim_result *result,
    const struct sim_options *options, const struct ask *asks)
{
	history_sort(&play->history);
	play->asks = asks;
	play->asked = 0;
	for (play->ask_count = 0; asks[play->ask_count].t_s >= 0;)
		play->ask_count++;
	sim_run(result, &play_policy, &play->history, options);
}

static void
finish(struct play *play, struct sim_result *result)
{
	sim_result_release(result);
	history_release(&play->history);
	buf_release(&play->log);
}

/* Page 0 changes at 12 h and is fetched at 18 h; page 1 at 36 h, and never. */
static void
test_freshness(void **state)
{
	static const struct ask asks[] = {{6 * H, 0}, {18 * H, 0}, {-1, 0}};
	struct sim_options options = sim_options_default();
	struct sim_result result;
	struct play play;

	begin(&play, true, true);
	add_listed(&play);
	add_text(&play, 12 * H, 0, 7);
	add_text(&play, 36 * H, 1, 8);
	options.read_every_s = 24 * H;
	run(&play, &result, &options, asks);
	assert_string_equal(buf_str(&play.log),
	    "0h page 0 fetched\n0h page 1 fetched\n"
	    "0h read 0: 0/2, 1 new, 0 new\n0h read 0: 0/2\n"
	    "6h fetch 0: same\n18h fetch 0: changed\n24h read 0: 0/2\n");
	assert_int_equal(result.day_count, 2);
	assert_close(result.days[0].weight, 4, 1e-9);
	assert_close(result.days[0].fresh, 4 - 0.25, 1e-9);
	assert_close(result.days[0].age, 0.25 * 0.25 / 2, 1e-9);
	assert_close(result.days[1].fresh, 4 - 3 * 0.5, 1e-9);
	assert_close(result.days[1].age, 3 * 0.5 * 0.5 / 2, 1e-9);
	assert_true(result.days[0].fetches == 2 && result.days[0].found == 1);
	assert_true(result.days[1].fetches == 0);
	assert_true(result.days[0].readings == 2);
	assert_int_equal(result.delay_count, 2);
	assert_close(result.delays[0].delay_days, 0.25, 1e-6);
	assert_close(result.delays[0].at_days, 0.5, 1e-6);
	assert_true(isinf(result.delays[1].delay_days));
	assert_true(result.honesty_end[0].is_known);
	assert_close(result.honesty_end[0].recall, 0.25, 0);
	finish(&play, &result);
}

/* A text that was held before is fresh again by itself; an end is a change. */
static void
test_text(void **state)
{
	static const struct ask asks[] = {
	    {24 * H, 0}, {30 * H, 1}, {36 * H, 1}, {-1, 0}};
	struct sim_options options = sim_options_default();
	struct sim_result result;
	struct play play;

	begin(&play, true, true);
	add_listed(&play);
	add_text(&play, 6 * H, 0, 7);
	add_text(&play, 12 * H, 0, 0);
	add(&play, 18 * H, HISTORY_BYTES, 0);
	add(&play, 24 * H, HISTORY_ENDS, 1);
	add(&play, 33 * H, HISTORY_EXISTS, 1);
	run(&play, &result, &options, asks);
	assert_non_null(strstr(buf_str(&play.log),
	    "24h read 0: 0/2\n24h fetch 0: same\n"
	    "30h read 0: 0/2\n30h fetch 1: dead\n"));
	assert_non_null(strstr(buf_str(&play.log), "36h fetch 1: changed\n"));
	assert_close(result.days[0].fresh, 4 - 0.25, 1e-9);
	assert_close(result.days[1].fresh, 4 - 3 * (0.25 + 0.125), 1e-9);
	finish(&play, &result);
}

/* A listed page becomes known by a reading, but counts before that. */
static void
test_unknown(void **state)
{
	static const struct ask asks[] = {{7 * H, 0}, {-1, 0}};
	struct sim_options options = sim_options_default();
	struct sim_result result;
	struct play play;

	begin(&play, false, false);
	add(&play, 0, HISTORY_EXISTS, 0);
	add(&play, 1 * H, HISTORY_ADDED, 0);
	add_claim(&play, 1 * H, HISTORY_CLAIMS, 0, -5 * H);
	add(&play, 1 * H, HISTORY_PUBLISHED, 0);
	/* This claim is never published. */
	add_claim(&play, 8 * H, HISTORY_CLAIMS, 0, 8 * H);
	add(&play, 13 * H, HISTORY_WITHDRAWN, 0);
	add_text(&play, 20 * H, 0, 9);
	add(&play, 24 * H, HISTORY_REMOVED, 0);
	add(&play, 24 * H, HISTORY_PUBLISHED, 0);
	run(&play, &result, &options, asks);
	assert_string_equal(buf_str(&play.log),
	    "0h read 0: 0/0\n6h page 0\n6h read 0: 1/1, 0 new -5h\n"
	    "7h fetch 0: changed\n12h read 0: 1/1\n"
	    "18h read 0: 0/0 failed\n24h read 0: 0/0, 0 gone\n"
	    "30h read 0: 0/0\n36h read 0: 0/0\n42h read 0: 0/0\n");
	assert_close(result.days[0].weight, 23.0 / 24, 1e-9);
	assert_close(result.days[0].fresh, 13.0 / 24, 1e-9);
	assert_close(result.days[1].weight, 0, 1e-9);
	assert_true(result.days[0].first == 1 && result.days[0].found == 0);
	finish(&play, &result);
}

/* Moves are differences to the last reading, not to the last claim. */
static void
test_moves(void **state)
{
	static const struct ask asks[] = {{-1, 0}};
	struct sim_options options = sim_options_default();
	struct sim_result result;
	struct play play;

	begin(&play, true, true);
	add_listed(&play);
	add_claim(&play, 1 * H, HISTORY_CLAIMS, 0, 1 * H);
	add_claim(&play, 2 * H, HISTORY_CLAIMS, 0, HISTORY_NO_DATE);
	add_claim(&play, 7 * H, HISTORY_CLAIMS_ALL, 0, 7 * H);
	add_claim(&play, 13 * H, HISTORY_CLAIMS, 1, 13 * H);
	add_claim(&play, 14 * H, HISTORY_CLAIMS, 1, HISTORY_NO_DATE);
	play.history.documents[0].turn_s = 20 * H;
	play.history.documents[0].dates[1].dating = DATING_NOW;
	play.history.end_s = D + H;
	run(&play, &result, &options, asks);
	assert_non_null(strstr(buf_str(&play.log),
	    "6h read 0: 0/2\n12h read 0: 2/2, 1 moved 7h, 0 moved 7h\n"
	    "18h read 0: 1/2, 1 moved\n"
	    "24h read 0: 2/2, 0 moved 24h, 1 moved 24h\n"));
	assert_true(result.days[0].moves == 3 && result.days[1].moves == 2);
	assert_int_equal(result.honesty_end[0].moves, 5);
	finish(&play, &result);
}

/* An end of always-now shows the true dates again. */
static void
test_now_ends(void **state)
{
	static const struct ask asks[] = {{-1, 0}};
	struct sim_options options = sim_options_default();
	struct sim_result result;
	struct play play;

	begin(&play, true, true);
	add_listed(&play);
	play.history.documents[0].turn_s = 7 * H;
	play.history.documents[0].dates[0].dating = DATING_NOW;
	add_claim(&play, 3 * H, HISTORY_CLAIMS, 0, 3 * H);
	add_claim(&play, 7 * H, HISTORY_CLAIMS, 1, 5 * H);
	play.history.end_s = 19 * H;
	run(&play, &result, &options, asks);
	assert_non_null(strstr(buf_str(&play.log),
	    "6h read 0: 2/2, 0 moved 6h, 1 moved 6h\n"
	    "12h read 0: 2/2, 0 moved 3h, 1 moved 5h\n18h read 0: 2/2\n"));
	finish(&play, &result);
}

/* An index shows the dates of its children. */
static void
test_children(void **state)
{
	static const struct ask asks[] = {{-1, 0}};
	struct history_document child = {
	    .parent = 0, .cost = 1, .shows_at_once = true, .turn_s = INT64_MAX};
	struct sim_options options = sim_options_default();
	struct sim_result result;
	struct play play;

	begin(&play, true, true);
	for (int i = 0; i < 2; i++)
		(void)history_add_document(&play.history, &child);
	add_claim(&play, 0, HISTORY_CHILD_CLAIMS, 1, 0);
	add_claim(&play, 0, HISTORY_CHILD_CLAIMS, 2, 0);
	add_claim(&play, 7 * H, HISTORY_CHILD_CLAIMS, 2, 7 * H);
	play.history.end_s = 13 * H;
	run(&play, &result, &options, asks);
	assert_string_equal(buf_str(&play.log),
	    "0h read 0: 0/0, d1 new 0h, d2 new 0h\n0h read 1: 0/0\n"
	    "0h read 2: 0/0\n0h read 0: 0/0\n1h read 1: 0/0\n"
	    "2h read 2: 0/0\n6h read 0: 0/0\n7h read 1: 0/0\n8h read 2: 0/0\n"
	    "12h read 0: 0/0, d2 moved 7h\n");
	finish(&play, &result);
}

/*
 * Two requests a tick: requests that are not made are lost, except for those
 * of one tick; an expensive reading makes a debt; an unchanged reading is
 * cheaper.
 */
static void
test_budget(void **state)
{
	static const struct ask asks[] = {{0, -1}, {0, -1}, {0, 0}, {10 * H, 0},
	    {10 * H, 1}, {10 * H, 0}, {10 * H, 1}, {10 * H, 0}, {-1, 0}};
	struct sim_options options = sim_options_default();
	struct sim_result result;
	struct play play;

	begin(&play, true, true);
	add_listed(&play);
	add_claim(&play, 0, HISTORY_CLAIMS, 0, 0);
	play.history.documents[0].cost = 5;
	play.history.end_s = 13 * H;
	options.requests_per_day = 48;
	options.read_every_s = 0;
	options.unchanged_cost = 0.1;
	run(&play, &result, &options, asks);
	assert_non_null(strstr(buf_str(&play.log),
	    "0h read 0: 1/2, costs 0.5\n0h read 0: 1/2, costs 0.5\n"
	    "0h fetch 0: same\n10h fetch 0: same\n10h fetch 1: same\n"
	    "10h fetch 0: same\n10h fetch 1: same\n11h fetch 0: same\n"));
	assert_close(result.days[0].readings_cost, 5 + 0.5 + 0.5, 1e-9);
	finish(&play, &result);
}

/* Paid readings at an interval are taken first; fetches get the rest. */
static void
test_paid_readings(void **state)
{
	static const struct ask asks[] = {{0, 0}, {0, 1}, {0, 0}, {-1, 0}};
	struct sim_options options = sim_options_default();
	struct sim_result result;
	struct play play;

	begin(&play, true, true);
	add_listed(&play);
	play.history.end_s = 13 * H;
	options.requests_per_day = 12;
	options.is_reading_paid = true;
	run(&play, &result, &options, asks);
	assert_non_null(strstr(buf_str(&play.log),
	    "0h read 0: 0/2, costs 1.0\n3h fetch 0: same\n5h fetch 1: same\n"
	    "6h read 0: 0/2, costs 1.0\n9h fetch 0: same\n"
	    "12h read 0: 0/2, costs 1.0\n"));
	finish(&play, &result);
}

static void
test_late_start(void **state)
{
	static const struct ask asks[] = {{0, 0}, {20 * H, 1}, {-1, 0}};
	struct sim_options options = sim_options_default();
	struct sim_result result;
	struct play play;

	begin(&play, true, true);
	add_listed(&play);
	add_text(&play, 3 * H, 0, 7);
	add_text(&play, 19 * H, 1, 7);
	options.start_s = 12 * H;
	run(&play, &result, &options, asks);
	assert_non_null(strstr(buf_str(&play.log),
	    "12h page 0 fetched\n12h page 1 fetched\n"
	    "12h read 0: 0/2, 1 new, 0 new\n12h read 0: 0/2\n"
	    "12h fetch 0: same\n18h read 0: 0/2\n20h fetch 1: changed\n"));
	assert_close(result.days[0].fresh, 2 - 3.0 / 24, 1e-9);
	assert_int_equal(result.delay_count, 1);
	assert_true(sim_late_start(&play.history, 1) == 0);
	for (uint64_t seed = 2; seed < 50; seed++)
		assert_in_range(
		    sim_late_start(&play.history, seed), 1, 2 * D / 10);
	finish(&play, &result);
}

/* A failure teaches nothing and leaves the page as it was. */
static void
test_failures(void **state)
{
	static const struct ask asks[] = {{6 * H, 0}, {-1, 0}};
	struct sim_options options = sim_options_default();
	struct sim_result result;
	struct play play;

	begin(&play, true, true);
	add_listed(&play);
	add_text(&play, 3 * H, 0, 7);
	options.failure_share = 1;
	run(&play, &result, &options, asks);
	assert_non_null(strstr(buf_str(&play.log), "6h fetch 0: failed\n"));
	assert_true(result.days[0].failed == 1 && result.days[0].found == 0);
	assert_close(result.days[0].fresh, 4 - 21.0 / 24, 1e-9);
	finish(&play, &result);
}

UNIT_TESTS(sim, cmocka_unit_test(test_freshness), cmocka_unit_test(test_text),
    cmocka_unit_test(test_unknown), cmocka_unit_test(test_moves),
    cmocka_unit_test(test_now_ends), cmocka_unit_test(test_children),
    cmocka_unit_test(test_budget), cmocka_unit_test(test_paid_readings),
    cmocka_unit_test(test_late_start), cmocka_unit_test(test_failures));
