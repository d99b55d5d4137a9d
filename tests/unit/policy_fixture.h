/* What the tests of policies share: a history of a few pages, and a policy
 * asked and answered by hand. */
#ifndef FRESHET_UNIT_POLICY_FIXTURE_H
#define FRESHET_UNIT_POLICY_FIXTURE_H

#include "fixture.h"

#include "sched/sim/history.h"
#include "sched/sim/policies.h"

#define DAY_S INT64_C(86400)
#define HOUR_S INT64_C(3600)

struct trial {
	struct history history;
	struct sim_setup setup;
	const struct sim_policy *policy;
	void *self;
	int64_t now_s;
	uint32_t unknown; /* so many of the last pages, at the beginning */
};

/* trial_add(trial, weight, rate): one more page of the only document. */
static inline uint32_t
trial_add(struct trial *trial, double weight, double rate)
{
	struct history_page page = {
	    .weight = (float)weight, .changes_per_day = (float)rate};

	return history_add_page(&trial->history, &page);
}

/* trial_init(trial, dates): a document with dates as truthful as given. */
static inline void
trial_init(struct trial *trial, struct history_dates dates)
{
	struct history_document document = {.cost = 1,
	    .parent = HISTORY_NONE,
	    .dates = {dates, dates},
	    .turn_s = INT64_MAX};

	*trial = (struct trial){
	    .setup = {.requests_per_day = 24, .tick_s = HOUR_S, .seed = 1}};
	history_init(&trial->history);
	(void)history_add_site(&trial->history, "a.example", 0);
	(void)history_add_document(&trial->history, &document);
}

/* trial_begin(trial, policy): all pages but the last `unknown` ones are known
 * and just fetched. */
static inline void
trial_begin(struct trial *trial, const struct sim_policy *policy)
{
	trial->history.starts_known = true;
	trial->history.end_s = 1000 * DAY_S;
	trial->setup.history = &trial->history;
	trial->policy = policy;
	trial->self = policy->new (&trial->setup);
	for (uint32_t i = 0; i + trial->unknown < trial->history.page_count;
	     i++)
		policy->page(trial->self, 0, i, true);
}

/* trial_ask(trial, outcome): the page asked for next, answered so; NONE. */
static inline uint32_t
trial_ask(struct trial *trial, enum sim_outcome outcome)
{
	struct sim_request request = {0};

	if (!trial->policy->next(trial->self, trial->now_s, &request))
		return HISTORY_NONE;
	assert_false(request.is_document);
	trial->policy->outcome(
	    trial->self, trial->now_s, request.number, outcome);
	return request.number;
}

/* trial_move(trial, page, kind, lastmod_s): a reading that shows only that. */
static inline void
trial_move(struct trial *trial, uint32_t page, enum sim_move_kind kind,
    int64_t lastmod_s)
{
	struct sim_move move = {
	    .number = page, .kind = kind, .lastmod_s = lastmod_s};
	struct sim_reading reading = {
	    .listed = 1, .dated = 1, .moves = &move, .move_count = 1};

	if (trial->policy->reading != NULL)
		trial->policy->reading(trial->self, trial->now_s, &reading);
}

static inline void
trial_end(struct trial *trial)
{
	trial->policy->free(trial->self);
	history_release(&trial->history);
}

#endif
