/* The simulator: see sim.h. */
#include "tests/sim/sim.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tests/sim/history.h"
#include "tests/sim/random.h"
#include "tests/sim/sim_state.h"

enum { DAY_S = 86400, HOUR_S = 3600 };

struct sim_run {
	const struct sim_policy *policy;
	const struct sim_options *options;
	const struct history *history;
	struct sim_result *result;
	struct sim_state state;
	void *mind; /* what the policy's `new` returned */
	double credit; /* requests that may be made */
	int64_t now_s;
};

struct sim_options
sim_options_default(void)
{
	return (struct sim_options){.requests_per_day = 1000,
	    .tick_s = HOUR_S,
	    .read_every_s = 6 * HOUR_S,
	    .unchanged_cost = 1,
	    .honesty_s = INT64_C(30) * DAY_S};
}

int64_t
sim_late_start(const struct history *history, uint64_t seed)
{
	struct random random;
	int64_t length_s = history->end_s - history->begin_s;

	if (seed <= 1)
		return 0;
	random_init(&random, seed, UINT64_MAX);
	return (int64_t)(random_unit(&random) * (double)length_s / 10);
}

/* read_document(run, document, is_charged): read the document, and give the
 * reading to the policy. */
static void
read_document(struct sim_run *run, uint32_t number, bool is_charged)
{
	struct sim_document *document = &run->state.documents[number];
	struct sim_reading reading;
	struct sim_day *day;
	size_t moved_before = document->moves;

	sim_state_read(&run->state, run->now_s, number, &reading);
	if (reading.move_count == 0)
		reading.cost *= run->options->unchanged_cost;
	day = day_sums_day(&run->state.sums, document->class,
	    sim_days(&run->state, run->now_s));
	day->readings++;
	day->readings_cost += reading.cost;
	day->moves += (double)(document->moves - moved_before);
	if (is_charged)
		run->credit -= reading.cost;
	else
		reading.cost = 0;
	for (size_t i = 0; i < reading.move_count; i++) {
		const struct sim_move *move = &reading.moves[i];
		if (move->is_document ||
		    run->state.pages[move->number].is_known)
			continue;
		run->state.pages[move->number].is_known = true;
		run->policy->page(run->mind, run->now_s, move->number, false);
	}
	if (run->policy->reading != NULL)
		run->policy->reading(run->mind, run->now_s, &reading);
}

/* A fetch at until_s ends the delay of all changes before it. */
static void
count_delays(
    struct sim_run *run, uint32_t number, int64_t until_s, bool is_held)
{
	struct sim_page *page = &run->state.pages[number];
	const struct sim_truth *truth = &run->state.truth;
	struct sim_result *result = run->result;

	while (page->next_delay < truth->first[number + 1] &&
	    truth->changes_s[page->next_delay] <= until_s) {
		int64_t change_s = truth->changes_s[page->next_delay++];
		struct sim_delay delay = {
		    .at_days = (float)sim_days(&run->state, change_s),
		    .delay_days = INFINITY,
		    .weight = run->history->pages[number].weight,
		    .class = page->class,
		    .page = number};
		if (!is_held || !page->is_counted)
			continue;
		if (until_s < run->history->end_s)
			delay.delay_days = (float)((double)(until_s -
						       change_s) /
			    DAY_S);
		result->delays = mem_grow(result->delays, &result->delay_cap,
		    result->delay_count + 1, sizeof(delay));
		result->delays[result->delay_count++] = delay;
	}
}

static bool
fails(const struct sim_run *run, uint32_t page)
{
	struct random random;

	if (run->options->failure_share <= 0)
		return false;
	random_init(&random, run->options->seed ^ (uint64_t)run->now_s, page);
	return random_unit(&random) < run->options->failure_share;
}

static void
fetch_page(struct sim_run *run, uint32_t number)
{
	struct sim_page *page = &run->state.pages[number];
	bool is_held = page->held_life != LIFE_NEVER;
	enum sim_outcome outcome = SIM_FAILED;
	struct sim_day *day = day_sums_day(
	    &run->state.sums, page->class, sim_days(&run->state, run->now_s));

	assert(page->is_known);
	run->credit -= 1;
	day->fetches++;
	if (!fails(run, number)) {
		count_delays(run, number, run->now_s, is_held);
		outcome = sim_state_fetch(&run->state, run->now_s, number);
		day->first += !is_held;
	}
	day->found += is_held && outcome == SIM_CHANGED;
	day->failed += outcome == SIM_FAILED || outcome == SIM_DEAD;
	run->policy->outcome(run->mind, run->now_s, number, outcome);
}

/* Everything has been read and fetched before the first tick. */
static void
start_known(struct sim_run *run)
{
	for (size_t i = 0; i < run->history->page_count; i++) {
		struct sim_page *page = &run->state.pages[i];
		if (!page->shown.is_listed)
			continue;
		page->is_known = true;
		/* Changes before the beginning do not count as delays of the
		 * policy. */
		count_delays(run, (uint32_t)i, run->now_s, false);
		(void)sim_state_fetch(&run->state, run->now_s, (uint32_t)i);
		run->policy->page(run->mind, run->now_s, (uint32_t)i, true);
	}
	for (size_t i = 0; i < run->history->document_count; i++)
		read_document(run, (uint32_t)i, false);
}

/* Make the readings of this tick that the policy does not ask for; they are
 * spread evenly over the ticks. */
static void
read_due(struct sim_run *run, uint64_t tick)
{
	uint64_t every = (uint64_t)run->options->read_every_s /
	    (uint64_t)run->options->tick_s;

	if (run->options->read_every_s == 0 ||
	    run->options->read_every_s == SIM_NEVER)
		return;
	if (every == 0)
		every = 1;
	for (uint64_t i = tick % every; i < run->history->document_count;
	     i += every)
		read_document(run, (uint32_t)i, run->options->is_reading_paid);
}

/*
 * Spend the budget of a tick.  A reading may cost more than remains: the debt
 * is paid before the next request.  What the policy does not spend is lost,
 * except for the budget of one tick, or one request.
 */
static void
spend(struct sim_run *run)
{
	double per_tick = run->options->requests_per_day *
	    (double)run->options->tick_s / DAY_S;
	struct sim_request request;

	run->credit += per_tick;
	while (run->credit >= 1 - 1e-9 &&
	    run->policy->next(run->mind, run->now_s, &request)) {
		if (request.is_document) {
			assert(run->options->read_every_s == 0);
			read_document(run, request.number, true);
		} else {
			fetch_page(run, request.number);
		}
	}
	run->credit = fmin(run->credit, fmax(1, per_tick));
}

static void
ask_honesty(struct sim_run *run, struct sim_honesty *honesty)
{
	for (size_t i = 0; i < run->history->document_count; i++) {
		honesty[i] = (struct sim_honesty){
		    .moves = run->state.documents[i].moves};
		if (run->policy->honesty != NULL)
			honesty[i].is_known = run->policy->honesty(run->mind,
			    (uint32_t)i, &honesty[i].precision,
			    &honesty[i].recall);
	}
}

static void
run_ticks(struct sim_run *run)
{
	const struct history *history = run->history;
	const struct sim_options *options = run->options;
	int64_t honesty_s = history->begin_s + options->honesty_s;
	uint64_t tick = 0;
	size_t day = 0;
	bool is_asked = false;

	run->now_s = history->begin_s + options->start_s;
	sim_state_pass(&run->state, run->now_s);
	if (history->starts_known)
		start_known(run);
	for (; run->now_s < history->end_s; run->now_s += options->tick_s) {
		sim_state_pass(&run->state, run->now_s);
		if (!is_asked && run->now_s >= honesty_s) {
			is_asked = true;
			ask_honesty(run, run->result->honesty_then);
		}
		read_due(run, tick++);
		spend(run);
		if (options->on_day != NULL &&
		    sim_days(&run->state, run->now_s) >= (double)(day + 1))
			options->on_day(
			    options->arg, ++day, run->state.sums.day_count);
	}
	sim_state_pass(&run->state, history->end_s - 1);
	if (!is_asked)
		ask_honesty(run, run->result->honesty_then);
	ask_honesty(run, run->result->honesty_end);
	for (size_t i = 0; i < history->page_count; i++)
		count_delays(run, (uint32_t)i, history->end_s,
		    run->state.pages[i].held_life != LIFE_NEVER);
	day_sums_finish(&run->state.sums);
}

bool
sim_is_closed(const struct history *history)
{
	if (!history->starts_known)
		return false;
	for (size_t i = 0; i < history->event_count; i++) {
		const struct history_event *event = &history->events[i];
		bool is_page = event->kind == HISTORY_EXISTS ||
		    event->kind == HISTORY_ENDS ||
		    event->kind == HISTORY_ADDED ||
		    event->kind == HISTORY_REMOVED;
		if (is_page && event->t_s > history->begin_s)
			return false;
	}
	return true;
}

void
sim_run(struct sim_result *result, const struct sim_policy *policy,
    const struct history *history, const struct sim_options *options)
{
	struct sim_run run = {.policy = policy,
	    .options = options,
	    .history = history,
	    .result = result};
	struct sim_setup setup = {.history = history,
	    .requests_per_day = options->requests_per_day,
	    .tick_s = options->tick_s,
	    .reads_documents = options->read_every_s == 0,
	    .generator = options->generator,
	    .has_generators = options->has_generators,
	    .seed = options->seed};

	assert(options->tick_s > 0 && options->read_every_s >= 0 &&
	    options->start_s >= 0);
	sim_state_init(&run.state, history);
	*result = (struct sim_result){.class_count = history->class_count,
	    .day_count = run.state.sums.day_count,
	    .document_count = history->document_count};
	result->honesty_then = mem_zero(
	    (history->document_count + 1) * sizeof(*result->honesty_then));
	result->honesty_end = mem_zero(
	    (history->document_count + 1) * sizeof(*result->honesty_end));
	run.mind = policy->new (&setup);
	run.state.on_hint = policy->hint;
	run.state.arg = run.mind;
	run_ticks(&run);
	policy->free(run.mind);
	result->days = run.state.sums.days;
	run.state.sums.days = NULL;
	sim_state_release(&run.state);
}

void
sim_result_release(struct sim_result *result)
{
	free(result->days);
	free(result->delays);
	free(result->honesty_then);
	free(result->honesty_end);
	*result = (struct sim_result){0};
}
