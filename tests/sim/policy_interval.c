/*
 * Policies with an interval for each page, which becomes longer or shorter by
 * what its fetches find: the schedules of Nutch and StormCrawler, after their
 * sources.  Neither uses a lastmod that moves.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tests/sim/baseline.h"
#include "tests/sim/policies.h"

#define MINUTE_S 60.0
#define DAY_S BASELINE_DAY_S

#define NUTCH_FIRST_S (30 * DAY_S)
#define NUTCH_LEAST_S 60.0
#define NUTCH_MOST_S (365 * DAY_S)
#define NUTCH_GONE_MOST_S (90 * DAY_S) /* db.fetch.interval.max */
/* The factor by which an interval rises or falls, and the share of the way that
 * the next fetch moves towards the time of a change. */
#define NUTCH_RATE 0.2
#define NUTCH_RETRY_S DAY_S

#define STORM_FIRST_S (1440 * MINUTE_S)
#define STORM_LEAST_S (60 * MINUTE_S)
#define STORM_MOST_S (14 * DAY_S)
#define STORM_RETRY_S (120 * MINUTE_S)
#define STORM_GONE_S (44640 * MINUTE_S)

struct interval {
	double interval_s;
	int64_t modified_s; /* Nutch: the last change, as far as it was seen */
	bool is_blank; /* StormCrawler: no text to compare with */
};

struct intervals {
	struct baseline baseline; /* by the time of the next fetch */
	struct interval *pages; /* owned */
	/* The time of the next fetch of the page, which follows from the
	 * outcome of this one. */
	double (*after)(
	    struct intervals *, int64_t now_s, uint32_t page, enum sim_outcome);
	bool waits; /* the policy makes no requests while no page is due */
};

static struct intervals *
intervals_new(const struct sim_setup *setup, double first_s)
{
	struct intervals *intervals = mem_zero(sizeof(*intervals));
	size_t count = setup->history->page_count;

	baseline_init(&intervals->baseline, setup);
	intervals->pages = mem_zero((count + 1) * sizeof(struct interval));
	for (size_t i = 0; i < count; i++)
		intervals->pages[i].interval_s = first_s;
	return intervals;
}

static void
intervals_free(void *arg)
{
	struct intervals *intervals = arg;

	baseline_release(&intervals->baseline);
	free(intervals->pages);
	free(intervals);
}

static void
intervals_page(void *arg, int64_t now_s, uint32_t page, bool is_fetched)
{
	struct intervals *intervals = arg;
	double due_s = (double)now_s;

	intervals->pages[page].modified_s = now_s;
	if (is_fetched) {
		intervals->baseline.fetched_s[page] = now_s;
		due_s += intervals->pages[page].interval_s;
	}
	ranking_put(&intervals->baseline.order, page, due_s);
}

static void
intervals_outcome(
    void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	struct intervals *intervals = arg;

	ranking_put(&intervals->baseline.order, page,
	    intervals->after(intervals, now_s, page, outcome));
	(void)baseline_seen(&intervals->baseline, now_s, page, outcome);
}

static bool
intervals_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct intervals *intervals = arg;
	const struct ranking_item *first = ranking_first(
	    &intervals->baseline.order);

	if (intervals->waits && first != NULL && first->key > (double)now_s)
		return false;
	return baseline_next(&intervals->baseline, request);
}

/* Nutch takes the lastmod of a URL that it does not know yet. */
static void
nutch_reading(void *arg, int64_t now_s, const struct sim_reading *reading)
{
	struct intervals *intervals = arg;

	for (size_t i = 0; i < reading->move_count; i++) {
		const struct sim_move *move = &reading->moves[i];
		bool is_unknown = !move->is_document && move->kind == SIM_NEW &&
		    intervals->baseline.fetched_s[move->number] ==
			BASELINE_NEVER;
		if (is_unknown && move->lastmod_s != HISTORY_NO_DATE &&
		    move->lastmod_s < now_s)
			intervals->pages[move->number]
			    .modified_s = move->lastmod_s;
	}
}

static double
nutch_after(struct intervals *intervals, int64_t now_s, uint32_t page,
    enum sim_outcome outcome)
{
	struct interval *i = &intervals->pages[page];
	bool is_first = intervals->baseline.fetched_s[page] == BASELINE_NEVER;
	double since_s;

	if (outcome == SIM_FAILED)
		return (double)now_s + NUTCH_RETRY_S;
	if (outcome == SIM_DEAD) {
		i->interval_s = i->interval_s * 1.5 < NUTCH_GONE_MOST_S
		    ? i->interval_s * 1.5
		    : NUTCH_GONE_MOST_S * 0.9;
		return (double)now_s + i->interval_s;
	}
	/* The first fetch has nothing to be compared with. */
	if (!is_first && outcome == SIM_CHANGED) {
		i->interval_s *= 1 - NUTCH_RATE;
		i->modified_s = now_s;
	} else if (!is_first) {
		i->interval_s *= 1 + NUTCH_RATE;
	}
	/* SYNC_DELTA: move the next fetch towards the time of the change. */
	since_s = (double)(now_s - i->modified_s);
	i->interval_s = fmax(i->interval_s, since_s);
	i->interval_s = fmin(fmax(i->interval_s, NUTCH_LEAST_S), NUTCH_MOST_S);
	return (double)now_s - NUTCH_RATE * since_s + i->interval_s;
}

/* After an answer without content the page begins anew. */
static double
storm_after(struct intervals *intervals, int64_t now_s, uint32_t page,
    enum sim_outcome outcome)
{
	struct interval *i = &intervals->pages[page];
	bool is_first = i->is_blank ||
	    intervals->baseline.fetched_s[page] == BASELINE_NEVER;

	i->is_blank = outcome == SIM_FAILED || outcome == SIM_DEAD;
	if (i->is_blank) {
		i->interval_s = STORM_FIRST_S;
		return (double)now_s +
		    (outcome == SIM_FAILED ? STORM_RETRY_S : STORM_GONE_S);
	}
	if (!is_first && outcome == SIM_CHANGED)
		i->interval_s = 0.5 * i->interval_s + 0.5 * STORM_LEAST_S;
	else if (!is_first)
		i->interval_s = fmin(1.5 * i->interval_s, STORM_MOST_S);
	return (double)now_s + i->interval_s;
}

static double
storm_after_fixed(struct intervals *intervals, int64_t now_s, uint32_t page,
    enum sim_outcome outcome)
{
	(void)intervals;
	(void)page;
	if (outcome == SIM_FAILED)
		return (double)now_s + STORM_RETRY_S;
	if (outcome == SIM_DEAD)
		return (double)now_s + STORM_GONE_S;
	return (double)now_s + STORM_FIRST_S;
}

static void *
nutch_new(const struct sim_setup *setup)
{
	struct intervals *intervals = intervals_new(setup, NUTCH_FIRST_S);

	intervals->after = nutch_after;
	return intervals;
}

static void *
nutch_due_new(const struct sim_setup *setup)
{
	struct intervals *intervals = nutch_new(setup);

	intervals->waits = true;
	return intervals;
}

static void *
storm_new(const struct sim_setup *setup)
{
	struct intervals *intervals = intervals_new(setup, STORM_FIRST_S);

	intervals->after = storm_after;
	return intervals;
}

static void *
storm_due_new(const struct sim_setup *setup)
{
	struct intervals *intervals = storm_new(setup);

	intervals->waits = true;
	return intervals;
}

static void *
storm_fixed_new(const struct sim_setup *setup)
{
	struct intervals *intervals = intervals_new(setup, STORM_FIRST_S);

	intervals->after = storm_after_fixed;
	intervals->waits = true;
	return intervals;
}

#define BY_INTERVAL                                        \
	.knows = SIM_KNOWS_NOTHING, .ignores_dates = true, \
	.free = intervals_free, .page = intervals_page,    \
	.outcome = intervals_outcome, .next = intervals_next

const struct sim_policy policy_nutch = {
    BY_INTERVAL,
    .name = "nutch-adaptive",
    .text = "Nutch's adaptive schedule, the most overdue page first",
    .new = nutch_new,
    .reading = nutch_reading,
};

const struct sim_policy policy_nutch_due = {
    BY_INTERVAL,
    .name = "nutch-adaptive-due",
    .text = "the same, and no page before it is due, as Nutch does",
    .new = nutch_due_new,
    .reading = nutch_reading,
};

const struct sim_policy policy_storm = {
    BY_INTERVAL,
    .name = "stormcrawler-adaptive",
    .text = "StormCrawler's adaptive schedule, the most overdue first",
    .new = storm_new,
};

const struct sim_policy policy_storm_due = {
    BY_INTERVAL,
    .name = "stormcrawler-adaptive-due",
    .text = "the same, and no page before it is due, as StormCrawler does",
    .new = storm_due_new,
};

const struct sim_policy policy_storm_default = {
    BY_INTERVAL,
    .name = "stormcrawler-default",
    .text = "StormCrawler's default: each page once a day, when due",
    .new = storm_fixed_new,
};
