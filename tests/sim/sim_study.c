/* Run policies on the same worlds or traces, and compute the figures of
 * each. */
#include "tests/sim/sim_study.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/sim/bounds.h"
#include "tests/sim/known.h"
#include "tests/sim/random.h"

struct sim_bounds {
	bool has[STUDY_BOUNDS];
	double freshness[STUDY_BOUNDS]; /* shares of the weight */
	enum study_bound best; /* the bound that policies are compared with */
};

struct sim_bounds_of {
	const struct history *history;
	const struct sim_options *options;
	struct sim_window window;
	double weight; /* mean weight of all listed pages in the window */
	/* pages exist for ever and change in a Poisson process at the rates of
	 * the history, which all bounds but the clairvoyant assume */
	bool has_rates;
};

/* Names of figures and bounds. */

const char *
study_key(enum study_figure figure)
{
	static const char *const keys[] = {"freshness", "gap_closed",
	    "share_of_bound", "behind_first", "age_days", "delay_days",
	    "delay_top_days", "fetches", "found_share", "failed_share",
	    "readings", "readings_cost", "requests_for_equal", "honesty_within",
	    "precision_off", "recall_off"};

	return keys[figure];
}

const char *
study_bound_key(enum study_bound bound)
{
	static const char *const keys[] = {
	    "signals", "blind", "joint", "clairvoyant"};

	return keys[bound];
}

const char *
study_bound_text(enum study_bound bound)
{
	static const char *const texts[] = {"rates known, moves told at once",
	    "rates known, dates not looked at", "rates known, readings paid",
	    "the future known"};

	return texts[bound];
}

/* From a history to the bounds. */

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
	/* precision may change over time: take it in the middle of the
	 * window */
	int64_t at_s = day_of(of, (of->window.from + of->window.to) / 2);
	struct known known;

	for (size_t i = 0; i < history->document_count; i++)
		costs[i] = history->documents[i].cost;
	known_init(&known, history);
	for (size_t i = 0; i < history->page_count; i++) {
		documents[i] = history->pages[i].document;
		rates[i] = known_rates(&known, (uint32_t)i, at_s);
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

/* Compute the bounds that hold for the history. */
static void
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

#define DAY_S INT64_C(86400)

/* One seed. */
struct round {
	struct study *study;
	const struct history *history;
	struct sim_options options;
	struct sim_bounds bounds;
	double top_weight;
	bool is_closed; /* readings tell nothing of pages */
	double base; /* freshness of fifo */
	double weight; /* mean weight of all listed pages */
	study_step_fn *on_step;
	void *arg;
	struct study_step step;
};

static void
on_day(void *arg, size_t day, size_t days)
{
	struct round *round = arg;

	round->step.part = days > 0 ? (double)day / (double)days : 1;
	if (round->on_step != NULL)
		round->on_step(round->arg, &round->step);
}

static void
add_figures(struct study_row *row, const struct sim_figures *f)
{
	struct sim_sample *to = row->figures;

	sim_sample_add(&to[STUDY_FRESHNESS], f->freshness);
	sim_sample_add(&to[STUDY_AGE], f->age_days);
	sim_sample_add(&to[STUDY_DELAY], f->delay_days);
	sim_sample_add(&to[STUDY_DELAY_TOP], f->delay_top_days);
	sim_sample_add(&to[STUDY_FETCHES], f->fetches);
	sim_sample_add(&to[STUDY_FOUND], f->found_share);
	sim_sample_add(&to[STUDY_FAILED], f->failed_share);
	sim_sample_add(&to[STUDY_READINGS], f->readings);
	sim_sample_add(&to[STUDY_READINGS_COST], f->readings_cost);
}

static void
add_honesty(struct study_row *row, const struct sim_result *result,
    const struct round *round)
{
	struct sim_score score;
	int64_t asked_s = round->history->begin_s + round->options.honesty_s;

	if (row->policy->honesty == NULL)
		return;
	sim_score(result->honesty_then, round->history, asked_s,
	    STUDY_LEAST_MOVES, &score);
	if (score.documents > 0)
		sim_sample_add(&row->figures[STUDY_WITHIN],
		    (double)score.within / (double)score.documents);
	sim_sample_add(
	    &row->figures[STUDY_PRECISION_ERROR], score.precision_error);
	sim_sample_add(&row->figures[STUDY_RECALL_ERROR], score.recall_error);
	row->honesty = mem_resize(
	    row->honesty, (result->document_count + 1) * sizeof(*row->honesty));
	memcpy(row->honesty, result->honesty_end,
	    result->document_count * sizeof(*row->honesty));
}

static void
add_classes(struct study *study, struct study_row *row,
    const struct sim_result *result, double top_weight)
{
	for (size_t i = 0; i < study->class_count; i++) {
		struct sim_figures figures;

		sim_figures(result, i, study->window, top_weight, &figures);
		sim_sample_add(&row->classes[i], figures.freshness);
		study->class_weights[i] += figures.weight > 0 ? figures.weight
							      : 0;
	}
}

static void
add_days(
    struct study *study, struct study_row *row, const struct sim_result *result)
{
	for (size_t day = 0; day < study->day_count; day++) {
		double fresh = 0, weight = 0;

		for (size_t i = 0; i < result->class_count; i++) {
			const struct sim_day *part =
			    &result->days[day * result->class_count + i];

			fresh += part->fresh;
			weight += part->weight;
		}
		sim_sample_add(&row->days[day], fresh / weight);
	}
}

/* Counted from 0. */
static unsigned
seed_of(const struct round *round)
{
	return round->step.seed - 1;
}

/* The bounds are of the same window and seed. */
static void
add_shares(struct round *round, struct study_row *row)
{
	const struct study *study = round->study;
	double freshness = row->seeds[seed_of(round)];
	double bound;

	/* a policy that knows the future is compared with the bound that knows
	 * it, too */
	row->bound = (row->policy->knows & SIM_KNOWS_TRUTH) != 0
	    ? STUDY_CLAIRVOYANT
	    : study->best;
	bound = round->bounds.freshness[row->bound];
	if (!study->has_bound[row->bound])
		return;
	sim_sample_add(
	    &row->figures[STUDY_GAP], sim_gap(freshness, round->base, bound));
	sim_sample_add(&row->figures[STUDY_SHARE], freshness / bound);
}

/* Policies run on the same seeds, so the difference between two policies is
 * more exact than the freshness of each. */
static void
add_behind(struct round *round, struct study_row *row)
{
	const struct study_row *first = &round->study->rows[0];
	unsigned seed = seed_of(round);

	if (row != first)
		sim_sample_add(&row->figures[STUDY_BEHIND],
		    first->seeds[seed] - row->seeds[seed]);
}

static void
make_days(struct study *study, size_t day_count)
{
	if (study->day_count > 0)
		return;
	study->day_count = day_count;
	for (size_t i = 0; i < study->row_count; i++)
		study->rows[i].days = mem_zero(
		    (day_count + 1) * sizeof(struct sim_sample));
}

/* The options for a policy. A policy that cannot ask for readings gets some,
 * unless it would learn nothing from them. */
static struct sim_options
options_for(const struct round *round, const struct sim_policy *policy)
{
	struct sim_options options = round->options;

	if (options.read_every_s == 0 && !policy->reads) {
		options.read_every_s = policy->ignores_dates && round->is_closed
		    ? SIM_NEVER
		    : round->study->plan->paid_readings_s;
		options.is_reading_paid = true;
	}
	return options;
}

static void
run_policy(struct round *round, struct study_row *row)
{
	struct study *study = round->study;
	struct sim_options options;
	struct sim_result result;
	struct sim_figures figures;

	round->step.policy = row->policy->name;
	round->step.part = 0;
	options = options_for(round, row->policy);
	sim_run(&result, row->policy, round->history, &options);
	round->step.done++;
	study->window = sim_second_half(&result);
	if (study->plan->first_days > 0)
		study->window.from = 0;
	else if (study->plan->warm_up_days != STUDY_HALF)
		study->window.from = study->plan->warm_up_days;
	make_days(study, result.day_count);
	sim_figures(
	    &result, SIM_ALL, study->window, round->top_weight, &figures);
	row->seeds[seed_of(round)] = figures.freshness;
	round->weight = figures.weight;
	if (strcmp(row->policy->name, "fifo") == 0)
		round->base = figures.freshness;
	add_figures(row, &figures);
	add_classes(study, row, &result, round->top_weight);
	add_days(study, row, &result);
	add_honesty(row, &result, round);
	sim_result_release(&result);
}

/* Find how many requests the policy needs to be as fresh as the first one. */
static void
add_requests(struct round *round, struct study_row *row)
{
	const struct study_row *first = &round->study->rows[0];
	struct sim_options options = options_for(round, row->policy);

	if (!round->study->plan->wants_equal)
		return;
	round->step.policy = row->policy->name;
	sim_sample_add(&row->figures[STUDY_REQUESTS],
	    row == first
		? options.requests_per_day
		: sim_requests_for(row->policy, round->history, &options,
		      round->study->window, first->seeds[seed_of(round)]));
	round->step.done++;
}

/* Do pages change in a Poisson process and exist for ever? */
static bool
has_rates(const struct world_options *world)
{
	return world != NULL && (int)world->changes == WORLD_POISSON &&
	    world->born <= 0 && world->gone <= 0;
}

static void
run_seed(struct round *round)
{
	struct study *study = round->study;

	round->top_weight = sim_top_weight(round->history);
	round->is_closed = sim_is_closed(round->history);
	round->base = NAN;
	for (size_t i = 0; i < study->row_count; i++)
		run_policy(round, &study->rows[i]);
	sim_bounds_make(&round->bounds,
	    &(struct sim_bounds_of){.history = round->history,
		.options = &round->options,
		.window = study->window,
		.weight = round->weight,
		.has_rates = has_rates(study->plan->world)});
	for (int i = 0; i < STUDY_BOUNDS; i++) {
		study->has_bound[i] = round->bounds.has[i];
		if (!round->bounds.has[i])
			continue;
		study->bound_seeds[i][seed_of(round)] = round->bounds
							    .freshness[i];
		sim_sample_add(&study->bounds[i], round->bounds.freshness[i]);
	}
	study->best = round->bounds.best;
	for (size_t i = 0; i < study->row_count; i++) {
		add_shares(round, &study->rows[i]);
		add_behind(round, &study->rows[i]);
		add_requests(round, &study->rows[i]);
	}
}

/* Keep what the output needs about the last seed. */
static void
keep_truth(struct study *study, const struct history *history)
{
	struct known_dates *counts;

	study->page_count = history->page_count;
	study->site_count = history->site_count;
	study->document_count = history->document_count;
	study->sites = mem_alloc(history->site_count * sizeof(*study->sites));
	for (size_t i = 0; i < history->site_count; i++)
		study->sites[i] = (struct history_site){
		    mem_copy(history->sites[i].name), history->sites[i].class};
	study->documents = mem_alloc(
	    history->document_count * sizeof(*study->documents));
	counts = known_dates_make(history);
	for (size_t i = 0; i < history->document_count; i++) {
		const struct history_dates *dates = history_dates(
		    &history->documents[i], history->end_s);
		bool is_counted = dates->dating == DATING_UNKNOWN;

		study->documents[i] = (struct study_document){
		    .site = history->documents[i].site,
		    .precision = is_counted ? known_dates_precision(&counts[i])
					    : (double)dates->precision,
		    .recall = is_counted ? known_dates_recall(&counts[i])
					 : (double)dates->recall};
	}
	free(counts);
}

static void
make_rows(struct study *study, const struct history *history)
{
	const struct study_plan *plan = study->plan;

	study->class_count = history->class_count;
	study->class_names = history->class_names;
	study->class_weights = mem_zero(
	    study->class_count * sizeof(*study->class_weights));
	for (int i = 0; i < STUDY_BOUNDS; i++)
		study->bound_seeds[i] = mem_zero(
		    plan->seeds * sizeof(*study->bound_seeds[i]));
	study->row_count = plan->policy_count;
	study->rows = mem_zero(study->row_count * sizeof(*study->rows));
	for (size_t i = 0; i < study->row_count; i++) {
		study->rows[i].policy = plan->policies[i];
		study->rows[i].seeds = mem_zero(
		    plan->seeds * sizeof(*study->rows[i].seeds));
		study->rows[i].classes = mem_zero(
		    study->class_count * sizeof(struct sim_sample));
	}
}

/* Divide the sums over all seeds by their total, so that they become shares of
 * 1. */
static void
share_weights(struct study *study)
{
	double sum = 0;

	for (size_t i = 0; i < study->class_count; i++)
		sum += study->class_weights[i];
	for (size_t i = 0; i < study->class_count && sum > 0; i++)
		study->class_weights[i] /= sum;
}

/* When the simulation of a later seed of a trace starts: at another time for
 * each seed, but before the first day that is counted. */
static int64_t
late_start(const struct study_plan *plan, unsigned seed)
{
	int64_t start_s = sim_late_start(plan->trace, seed);
	int64_t most_s = plan->warm_up_days == STUDY_HALF
	    ? INT64_MAX
	    : (int64_t)plan->warm_up_days * DAY_S;

	return start_s < most_s ? start_s : most_s;
}

/* Leave only so many days of a history: its first ones, or those behind a
 * moment that the seed draws. */
static void
history_cut(struct history *history, unsigned seed, size_t days, bool is_drawn)
{
	int64_t length_s = (int64_t)days * DAY_S;
	int64_t more_s = history->end_s - history->begin_s - length_s;
	struct random random;

	if (more_s <= 0)
		return;
	random_init(&random, seed, UINT64_MAX);
	if (is_drawn)
		history->begin_s += (int64_t)(random_unit(&random) *
		    (double)more_s);
	history->end_s = history->begin_s + length_s;
}

static void
make_seed(struct round *round, unsigned seed)
{
	const struct study_plan *plan = round->study->plan;
	struct history made, part;

	round->step.seed = seed;
	round->options.seed = seed;
	round->history = plan->trace;
	if (plan->trace != NULL)
		round->options.start_s = late_start(plan, seed);
	if (plan->world != NULL) {
		struct world_options world = *plan->world;

		world.seed += seed - 1;
		world_make(&made, &world);
		round->history = &made;
	}
	if (plan->first_days > 0) {
		part = *round->history;
		history_cut(&part, seed, plan->first_days, plan->trace != NULL);
		round->options.start_s = 0;
		round->history = &part;
	}
	if (round->study->rows == NULL)
		make_rows(round->study, round->history);
	run_seed(round);
	if (seed == plan->seeds)
		keep_truth(round->study, round->history);
	if (plan->world != NULL)
		history_release(&made);
}

void
study_make(struct study *study, const struct study_plan *plan,
    study_step_fn *on_step, void *arg)
{
	struct round round = {.study = study,
	    .options = plan->options,
	    .on_step = on_step,
	    .arg = arg,
	    .step = {.all = plan->seeds * plan->policy_count *
		    (plan->wants_equal ? 2 : 1)}};

	*study = (struct study){.plan = plan};
	round.options.on_day = on_day;
	round.options.arg = &round;
	for (unsigned seed = 1; seed <= plan->seeds; seed++)
		make_seed(&round, seed);
	share_weights(study);
}

const struct study_row *
study_learner(const struct study *study)
{
	for (size_t i = 0; i < study->row_count; i++)
		if (study->rows[i].honesty != NULL)
			return &study->rows[i];
	return NULL;
}

void
study_release(struct study *study)
{
	for (size_t i = 0; i < study->row_count; i++) {
		free(study->rows[i].classes);
		free(study->rows[i].days);
		free(study->rows[i].honesty);
		free(study->rows[i].seeds);
	}
	for (int i = 0; i < STUDY_BOUNDS; i++)
		free(study->bound_seeds[i]);
	for (size_t i = 0; i < study->site_count; i++)
		free(study->sites[i].name);
	free(study->rows);
	free(study->class_weights);
	free(study->sites);
	free(study->documents);
	*study = (struct study){0};
}
