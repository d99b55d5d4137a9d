/* Sites, their sizes, rates and habits; then their documents. */
#include "sched/sim/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/sim/random.h"
#include "sched/sim/world_plan.h"

enum { DAY_S = 86400 };

/* 2024-01-01T00:00:00Z: a day begins, for dates without a time. */
#define BEGIN_S INT64_C(1704067200)

static const char *const part_names[] = {"none", "correct", "day", "now",
    "deploy", "stale", "partial", "noisy", "fair", "random", "turns stale",
    "turns now", "turns good"};

static const uint8_t datings[][2] = {
    [WORLD_NONE] = {DATING_NONE, DATING_NONE},
    [WORLD_CORRECT] = {DATING_CORRECT, DATING_CORRECT},
    [WORLD_DAY] = {DATING_DAY, DATING_DAY},
    [WORLD_NOW] = {DATING_NOW, DATING_NOW},
    [WORLD_DEPLOY] = {DATING_DEPLOY, DATING_DEPLOY},
    [WORLD_STALE] = {DATING_STALE, DATING_STALE},
    [WORLD_PARTIAL] = {DATING_PARTIAL, DATING_PARTIAL},
    [WORLD_NOISY] = {DATING_NOISY, DATING_NOISY},
    [WORLD_FAIR] = {DATING_NOISY, DATING_NOISY},
    [WORLD_RANDOM] = {DATING_RANDOM, DATING_RANDOM},
    [WORLD_TURNS_STALE] = {DATING_CORRECT, DATING_STALE},
    [WORLD_TURNS_NOW] = {DATING_CORRECT, DATING_NOW},
    [WORLD_TURNS_GOOD] = {DATING_NOW, DATING_CORRECT},
};

void
world_random(const struct world_plan *plan, struct random *random,
    enum world_stream stream, uint64_t i)
{
	random_init(random, (uint64_t)plan->options->seed,
	    i * STREAM_COUNT + (uint64_t)stream);
}

int64_t
world_when(const struct world_plan *plan, double days)
{
	return plan->begin_s + (int64_t)floor(days * DAY_S);
}

/* Pages by lognormal sizes, of each site at least one while there are. */
static void
draw_sizes(struct world_plan *plan)
{
	const struct world_options *options = plan->options;
	double *size = mem_alloc(plan->site_count * sizeof(*size));
	double total = 0, sum = 0;
	uint32_t given = 0;
	uint32_t pages = (uint32_t)options->pages;
	uint32_t least = pages >= plan->site_count;

	for (uint32_t i = 0; i < plan->site_count; i++) {
		struct random random;
		world_random(plan, &random, STREAM_SITES, i);
		size[i] = exp(options->size_spread * random_normal(&random));
		total += size[i];
		plan->sites[i].log_rate = log(options->rate) +
		    options->spread * options->site_spread *
			random_normal(&random);
	}
	pages -= least * plan->site_count;
	for (uint32_t i = 0; i < plan->site_count; i++) {
		uint32_t until;
		sum += size[i];
		until = (uint32_t)floor(sum / total * pages + 0.5);
		plan->sites[i].pages = until - given + least;
		given = until;
	}
	free(size);
}

/* A random order of the sites, owned by the caller. */
static uint32_t *
shuffle(const struct world_plan *plan)
{
	uint32_t *order = mem_alloc(plan->site_count * sizeof(*order));
	struct random random;

	world_random(plan, &random, STREAM_PARTS, 0);
	for (uint32_t i = 0; i < plan->site_count; i++) {
		uint32_t at = random_below(&random, i + 1);
		order[i] = order[at];
		order[at] = i;
	}
	return order;
}

static enum world_part
part_at(const double *shares, double at)
{
	double sum = 0, total = 0;
	enum world_part last = WORLD_NONE;

	for (int i = 0; i < WORLD_TURNS_STALE; i++)
		total += shares[i];
	for (int i = 0; i < WORLD_TURNS_STALE; i++) {
		if (shares[i] <= 0)
			continue;
		last = (enum world_part)i;
		sum += shares[i];
		if (at * total < sum)
			break;
	}
	return last;
}

/* turn(plan, order, from, to): a share of those sites, in that order. */
static void
turn(struct world_plan *plan, const uint32_t *order, double share, bool is_good,
    enum world_part to)
{
	uint32_t count = 0, turned = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < plan->site_count; i++) {
			enum world_part *part = &plan->sites[order[i]].part;
			bool was_good = *part == WORLD_CORRECT ||
			    *part == WORLD_DAY || *part == WORLD_TURNS_STALE;
			if (is_good ? !was_good : *part != WORLD_NOW)
				continue;
			if (pass == 0) {
				count++;
			} else if (*part != WORLD_TURNS_STALE &&
			    turned + 0.5 < share * count) {
				*part = to;
				turned++;
			}
		}
	}
}

/* Shares are of sites, exactly; which ones is drawn. */
static void
draw_parts(struct world_plan *plan)
{
	const struct world_options *options = plan->options;
	uint32_t *order = shuffle(plan);

	for (uint32_t i = 0; i < plan->site_count; i++) {
		struct world_site *site = &plan->sites[order[i]];
		const struct world_range *recall, *precision;
		struct random random;
		site->part = part_at(
		    options->shares, (i + 0.5) / plan->site_count);
		recall = &options->recall[site->part];
		precision = &options->precision[site->part];
		world_random(plan, &random, STREAM_HONESTY, order[i]);
		site->recall = random_between(
		    &random, recall->low, recall->high);
		site->precision = random_between(
		    &random, precision->low, precision->high);
		if (site->part == WORLD_PARTIAL)
			site->precision = 1;
	}
	if (options->turn_days > 0) {
		turn(plan, order, options->turn_stale, true, WORLD_TURNS_STALE);
		turn(plan, order, options->turn_now, true, WORLD_TURNS_NOW);
		turn(plan, order, options->turn_good, false, WORLD_TURNS_GOOD);
	}
	free(order);
}

void
world_plan_init(struct world_plan *plan, const struct world_options *options)
{
	*plan = (struct world_plan){.options = options,
	    .site_count = (uint32_t)options->sites,
	    .begin_s = BEGIN_S,
	    .turn_s = INT64_MAX};
	plan->end_s = world_when(plan, options->days);
	if (options->turn_days > 0)
		plan->turn_s = world_when(plan, options->turn_days);
	plan->sites = mem_zero(plan->site_count * sizeof(*plan->sites));
	draw_sizes(plan);
	draw_parts(plan);
}

void
world_plan_release(struct world_plan *plan)
{
	free(plan->sites);
	*plan = (struct world_plan){0};
}

/* What its dates are worth; moves that tell nothing have no recall. */
static struct history_dates
dates_of(const struct world_site *site, int after)
{
	struct history_dates dates = {
	    .dating = datings[site->part][after], .precision = -1};

	switch ((enum history_dating)dates.dating) {
	case DATING_CORRECT:
	case DATING_DAY:
		dates.precision = 1;
		dates.recall = 1;
		break;
	case DATING_PARTIAL:
	case DATING_NOISY:
		dates.precision = (float)site->precision;
		dates.recall = (float)site->recall;
		break;
	case DATING_UNKNOWN:
	case DATING_NONE:
	case DATING_NOW:
	case DATING_DEPLOY:
	case DATING_STALE:
	case DATING_RANDOM:
	case DATING_COUNT:
		break;
	}
	return dates;
}

static uint32_t
add_document(const struct world_plan *plan, struct history *history,
    uint32_t number, uint32_t parent)
{
	const struct world_site *site = &plan->sites[number];
	struct history_document document = {.site = number,
	    .parent = parent,
	    .cost = (float)plan->options->reading_cost,
	    .shows_at_once = true,
	    .dates = {dates_of(site, 0), dates_of(site, 1)},
	    .turn_s = plan->turn_s};

	return history_add_document(history, &document);
}

/* An index whose dates are worth what is drawn for it. */
static uint32_t
add_index(
    const struct world_plan *plan, struct history *history, uint32_t number)
{
	const struct world_options *options = plan->options;
	struct random random;
	struct history_dates dates = {.dating = DATING_NOISY};
	uint32_t index = add_document(plan, history, number, HISTORY_NONE);

	world_random(plan, &random, STREAM_INDEXES, number);
	dates.recall = (float)random_between(
	    &random, options->index_recall.low, options->index_recall.high);
	dates.precision = (float)random_between(&random,
	    options->index_precision.low, options->index_precision.high);
	history->documents[index].dates[0] = dates;
	history->documents[index].dates[1] = dates;
	return index;
}

static void
add_site(
    const struct world_plan *plan, struct history *history, uint32_t number)
{
	const struct world_site *site = &plan->sites[number];
	uint32_t documents = (uint32_t)plan->options->children;
	uint32_t parent = HISTORY_NONE, given = 0;
	char name[32];

	(void)snprintf(name, sizeof(name), "s%u.example", number);
	(void)history_add_site(history, name, site->part);
	if (documents > 0)
		parent = add_index(plan, history, number);
	else
		documents = 1;
	for (uint32_t i = 0; i < documents; i++) {
		uint32_t until = (uint32_t)((uint64_t)site->pages * (i + 1) /
		    documents);
		uint32_t document = add_document(plan, history, number, parent);
		world_add_pages(plan, history, number, document, until - given);
		given = until;
	}
}

void
world_make(struct history *history, const struct world_options *options)
{
	struct world_plan plan;

	history_init(history);
	world_plan_init(&plan, options);
	history->class_names = part_names;
	history->class_count = WORLD_PARTS;
	history->begin_s = plan.begin_s;
	history->end_s = plan.end_s;
	history->starts_known = true;
	for (uint32_t i = 0; i < plan.site_count; i++)
		add_site(&plan, history, i);
	world_plan_release(&plan);
	history_sort(history);
}

struct sim_options
world_sim(const struct world_options *options)
{
	struct sim_options sim = sim_options_default();

	sim.requests_per_day = options->requests * floor(options->pages);
	if (options->joint > 0) {
		sim.read_every_s = 0;
		sim.is_reading_paid = true;
	}
	sim.failure_share = options->failures;
	sim.seed = (uint64_t)options->seed;
	return sim;
}
