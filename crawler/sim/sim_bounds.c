/* From a history to the problems that the bounds are the solutions of. */
#include "crawler/sim/sim_bounds.h"

#include <stdlib.h>

#include "base/mem.h"
#include "sched/sim/bounds.h"
#include "sched/sim/known.h"

#define DAY_S INT64_C(86400)

/* The second at which a day of the history begins. */
static int64_t
day_of(const struct sim_bounds_of *of, size_t day)
{
	return of->history->begin_s + (int64_t)day * DAY_S;
}

static void
make_rated(
    struct sim_bounds *bounds, const struct sim_bounds_of *of, bool is_joint)
{
	const struct history *history = of->history;
	struct value_rates *rates = mem_alloc(
	    history->page_count * sizeof(*rates));
	uint32_t *documents = mem_alloc(
	    history->page_count * sizeof(*documents));
	double *shares = mem_alloc(history->page_count * sizeof(*shares));
	double *costs = mem_alloc(history->document_count * sizeof(*costs));
	struct bounds_problem problem = {.pages = rates,
	    .page_count = history->page_count,
	    .requests_per_day = of->options->requests_per_day,
	    .shares = shares,
	    .documents = documents,
	    .costs = costs,
	    .document_count = history->document_count};
	/* dates may have turned on the way: what they are when it counts */
	int64_t at_s = day_of(of, (of->window.from + of->window.to) / 2);
	struct known known;

	for (size_t i = 0; i < history->document_count; i++)
		costs[i] = history->documents[i].cost;
	known_init(&known, history);
	for (size_t i = 0; i < history->page_count; i++) {
		documents[i] = history->pages[i].document;
		rates[i] = known_rates(&known, (uint32_t)i, at_s, true);
	}
	known_release(&known);
	known_shares(history, day_of(of, of->window.from),
	    day_of(of, of->window.to), shares);
	if (is_joint)
		bounds->freshness[STUDY_JOINT] = bounds_joint(&problem)
						     .freshness;
	else
		bounds->freshness[STUDY_SIGNALS] = bounds_signals(&problem)
						       .freshness;
	bounds->freshness[STUDY_BLIND] = bounds_blind(&problem, NULL).freshness;
	free(rates);
	free(shares);
	free(documents);
	free(costs);
}

void
sim_bounds_make(struct sim_bounds *bounds, const struct sim_bounds_of *of)
{
	const struct sim_options *options = of->options;
	bool is_joint = options->read_every_s == 0 || options->is_reading_paid;
	double days = (double)(of->window.to - of->window.from);

	*bounds = (struct sim_bounds){.best = STUDY_CLAIRVOYANT};
	bounds->has[STUDY_CLAIRVOYANT] = of->weight * days > 0;
	bounds->freshness[STUDY_CLAIRVOYANT] = bounds_clairvoyant(of->history,
						   options->requests_per_day,
						   day_of(of, of->window.from),
						   day_of(of, of->window.to)) /
	    (of->weight * days);
	if (bounds->freshness[STUDY_CLAIRVOYANT] > 1)
		bounds->freshness[STUDY_CLAIRVOYANT] = 1;
	if (!of->has_rates)
		return;
	make_rated(bounds, of, is_joint);
	bounds->has[STUDY_BLIND] = true;
	bounds->best = is_joint ? STUDY_JOINT : STUDY_SIGNALS;
	bounds->has[bounds->best] = true;
}
