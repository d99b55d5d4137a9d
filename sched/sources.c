/* Documents inside the scheduler: see sources.h. */
#include "sched/sources.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/quota.h"

/* SPEC R-121: the first readings, from which the scheduler learns, are this far
 * apart. */
#define FIRST_READINGS 4
#define FIRST_S 86400
/* The value of a reading changes with its pages, without an event here. */
#define EVALUATION_S 86400
/* Dates that deceived may be trusted again at any time, without an event
 * here. */
#define TRUST_REGAIN_S 3600
/* The cost of a reading that brings nothing new, as a share of a full one,
 * until the first such reading shows it.  Most servers send the whole document
 * anyway. */
#define SAME_SHARE 0.5
/* How many new pages a day are expected before any were seen, and how many days
 * of observation this belief counts for. */
#define ARRIVALS_FIRST 0.02
#define ARRIVALS_DAYS 10
/* Documents whose dates deceive, or that are over, have a ceiling that is
 * longer by this factor. */
#define CEILING_FACTOR 3
/* The least ceiling, before CEILING_FACTOR, of a document that no index lists
 * any more: an operator who sets a shorter one mostly means documents that are
 * listed. */
#define DROPPED_CEILING_S (7 * 86400)

bool
source_estimate(struct sched_sources *sources, uint32_t number,
    struct estimate_of *of, struct pending *pending)
{
	struct sched_source *source = &sources->items[number];
	struct sched_source *index = source->parent == SCHEDULER_NONE
	    ? NULL
	    : &sources->items[source->parent];
	int64_t seen_s = source->read_s;

	*of = (struct estimate_of){
	    .trust = index == NULL ? NULL : source_trust(index),
	    .rate = &source->rate,
	    .mean = rate_mean(
		&source_site(sources, source)->changes, &sources->rates)};
	*pending = (struct pending){.tau = INFINITY, .published = -1};
	if (source->read_s == SCHEDULER_NEVER)
		return index != NULL;
	pending->tau = days_after(sources->clock, seen_s);
	if (index == NULL)
		return false;
	pending->moves = source->moves;
	pending->mass = source->mass;
	if (index->read_s != SCHEDULER_NEVER && index->read_s > seen_s)
		seen_s = index->read_s;
	pending->blind = days_after(sources->clock, seen_s);
	return true;
}

/* The cost of a reading, and the new pages expected from it. */
static struct gains_reading
reading_of(const struct sched_sources *sources,
    const struct sched_source *source, double changes)
{
	double days = source->arrival_days + ARRIVALS_DAYS;

	return (struct gains_reading){.cost = source->cost,
	    .cost_same = source->cost_same > 0
		? fmin(source->cost_same, source->cost)
		: source->cost * SAME_SHARE,
	    .changes = changes,
	    .arrivals = source_site(sources, source)->is.weight *
		(source->arrivals + ARRIVALS_FIRST * ARRIVALS_DAYS) / days};
}

void
source_view(struct sched_sources *sources, uint32_t number, unsigned moves,
    struct view *view, struct pending *pending)
{
	struct trust none = {.is_gated = true};
	struct estimate_of of;

	/* Without an index no date announces its changes. */
	if (!source_estimate(sources, number, &of, pending))
		of.trust = &none;
	else
		pending->moves += moves;
	estimate_view(view, &of, pending);
}

/* Returns how often a day the date in the index moves. */
static double
evaluation(struct sched_sources *sources, uint32_t number, unsigned moves,
    double *days, struct gains_reading *reading)
{
	const struct sched_source *source = &sources->items[number];
	struct pending pending;
	struct view view;

	source_view(sources, number, moves, &view, &pending);
	*reading = reading_of(sources, source, view.changes_per_day);
	*days = pending.tau;
	if (source->parent == SCHEDULER_NONE)
		return 0;
	/* The days since the last reading, corrected by the date in the index:
	 * if that date did not move, probably less has happened; if it moved,
	 * more. (S3) */
	double moves_ever = view.evidence.blind;
	double quiet = view.rates.alpha * pending.tau +
	    moves_ever * pending.blind;
	double hazard = value_hazard(&view.rates, &view.evidence);

	if (hazard < quiet)
		hazard = quiet;
	*days = hazard /
	    (view.changes_per_day > 1e-6 ? view.changes_per_day : 1e-6);
	return view.rates.gamma;
}

double
source_evaluate(struct sched_sources *sources, uint32_t number, unsigned moves)
{
	struct gains_reading reading;
	double days;

	(void)evaluation(sources, number, moves, &days, &reading);
	if (sources->items[number].read_s == SCHEDULER_NEVER)
		return forced_value(sources->queues, NODE_READINGS,
		    sources->items[number].added_s);
	return gains_worth(&sources->items[number].gains, &reading, days);
}

int64_t
source_ceiling_s(
    const struct sched_sources *sources, const struct sched_source *source)
{
	int64_t ceiling_s = source_site(sources, source)->is.reading_ceiling_s;

	if (source->is_dropped && ceiling_s > 0 &&
	    ceiling_s < DROPPED_CEILING_S)
		ceiling_s = DROPPED_CEILING_S;
	if (source->is_retired || source->is_dropped || source->is_gone ||
	    trust_is_distrusted(&source->trust))
		ceiling_s *= CEILING_FACTOR;
	return ceiling_s;
}

bool
source_is_owed(
    const struct sched_sources *sources, const struct sched_source *source)
{
	return source->owed_s != 0 && sources->clock->now_s >= source->owed_s;
}

static bool
is_past_ceiling(
    const struct sched_sources *sources, const struct sched_source *source)
{
	int64_t ceiling_s = source_ceiling_s(sources, source);

	return ceiling_s > 0 && source->read_s != SCHEDULER_NEVER &&
	    sources->clock->now_s - source->read_s >= ceiling_s;
}

/* The first attempt to read a document goes before the quota of its site, and
 * so does the first one after its ceiling; further attempts do not. */
bool
source_is_exempt(
    const struct sched_sources *sources, const struct sched_source *source)
{
	return source->failures == 0 &&
	    (source->read_s == SCHEDULER_NEVER ||
		is_past_ceiling(sources, source));
}

int64_t
source_allowed_s(
    struct sched_sources *sources, const struct sched_source *source)
{
	return source_is_exempt(sources, source)
	    ? sources->clock->now_s
	    : quota_reading_s(sources, source->site);
}

bool
source_is_overdue(
    struct sched_sources *sources, const struct sched_source *source)
{
	return !source->is_excluded && source->read_s != SCHEDULER_NEVER &&
	    sources->clock->now_s >= source->held_s &&
	    (source_is_owed(sources, source) ||
		is_past_ceiling(sources, source)) &&
	    sources->clock->now_s >= source_allowed_s(sources, source);
}

/* Update what the document adds to the value of a reading of its index. */
static void
source_update_gain(struct sched_sources *sources, uint32_t number, double moves)
{
	struct sched_source *source = &sources->items[number];
	double gain = 0;

	if (source->parent == SCHEDULER_NONE)
		return;
	if (moves > 0 && source->read_s != SCHEDULER_NEVER)
		gain = (source_evaluate(sources, number, 1) -
			   site_price(sources->sites, source->site)->price) *
		    source->cost;
	gains_set(
	    &sources->items[source->parent].gains, &source->gain, gain, moves);
}

/* Fewer readings are made to learn from when they cost more than a page. */
static bool
source_is_first(const struct sched_source *source)
{
	return (double)source->readings * fmax(source->cost, 1) <
	    FIRST_READINGS;
}

/* Returns the time before which only a ceiling makes a reading due. */
static int64_t
floor_s(const struct sched_sources *sources, const struct sched_source *source)
{
	const struct scheduler_site *site = &source_site(sources, source)->is;
	int64_t due_s = source->read_s + site->reading_floor_s;
	int64_t first_s = FIRST_S;

	/* a shorter ceiling holds from the first reading on */
	if (site->reading_ceiling_s > 0 && site->reading_ceiling_s < first_s)
		first_s = site->reading_ceiling_s;
	if (source_is_first(source) && due_s < source->read_s + first_s)
		due_s = source->read_s + first_s;
	return due_s > source->held_s ? due_s : source->held_s;
}

/* A ceiling equal to the floor means that a person set an interval. */
static bool
is_by_clock(
    const struct sched_sources *sources, const struct sched_source *source)
{
	const struct scheduler_site *site = &source_site(sources, source)->is;

	return !source->is_dropped && site->reading_ceiling_s > 0 &&
	    site->reading_ceiling_s <= site->reading_floor_s;
}

/* Returns the days until a reading is worth `least`, at most one day, since
 * values change, and the best time may have passed. */
static double
days_until_worth(const struct gains *gains, const struct gains_reading *reading,
    double days, double least)
{
	double low = 0, high = 1;

	if (gains_worth(gains, reading, days + high) < least)
		return high;
	for (int i = 0; i < 8; i++) {
		double middle = (low + high) / 2;

		if (gains_worth(gains, reading, days + middle) < least)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Returns due_s or the time of the ceiling, whichever comes first.  If the
 * ceiling is longer because the dates of the document deceive, the document is
 * evaluated earlier, since it may be trusted again. */
static int64_t
source_next_evaluation_s(const struct sched_sources *sources,
    const struct sched_source *source, int64_t due_s)
{
	int64_t ceiling_s = source_site(sources, source)->is.reading_ceiling_s;
	int64_t late_s = source->read_s + ceiling_s;

	if (ceiling_s > 0 && late_s <= sources->clock->now_s) {
		late_s = source->read_s + source_ceiling_s(sources, source);
		if (due_s > sources->clock->now_s + TRUST_REGAIN_S)
			due_s = sources->clock->now_s + TRUST_REGAIN_S;
	}
	if (ceiling_s > 0 && late_s > sources->clock->now_s && late_s < due_s)
		return late_s;
	return due_s;
}

/* evaluate_later(scheduler, item, source, due_s): evaluate the document at
 * due_s, or earlier if it is owed a reading. */
static void
evaluate_later(struct sched_sources *sources, uint32_t item,
    const struct sched_source *source, int64_t due_s)
{
	int64_t owed_s = source->owed_s > source->held_s ? source->owed_s
							 : source->held_s;
	int64_t ready_s = quota_reading_s(sources, source->site);

	if (owed_s < ready_s)
		owed_s = ready_s;
	if (source->owed_s != 0 && owed_s > sources->clock->now_s &&
	    owed_s < due_s)
		due_s = owed_s;
	queues_evaluate_at(sources->queues, item, due_s);
}

/* Let the reading wait for its turn. */
static void
reading_wait(struct sched_sources *sources, uint32_t number, double value)
{
	struct sched_source *source = &sources->items[number];

	queues_wait(sources->queues, item_of(ITEM_READING, number),
	    source_site(sources, source)->nodes[NODE_READINGS], value,
	    source->is_waiting);
	source->is_waiting = true;
}

/* Reschedule a document that was read before. */
static void
reschedule_by_value(struct sched_sources *sources, uint32_t number)
{
	struct sched_source *source = &sources->items[number];
	uint32_t item = item_of(ITEM_READING, number);
	double least = DUE_SHARE *
	    site_price(sources->sites, source->site)->price;
	struct gains_reading reading;
	double days, left, value;
	int64_t due_s;

	source_update_gain(
	    sources, number, evaluation(sources, number, 0, &days, &reading));
	due_s = floor_s(sources, source);
	left = is_by_clock(sources, source)
	    ? 0
	    : quota_days(sources, source, days, reading.changes);
	if (left > 0 && due_s <= sources->clock->now_s)
		due_s = source_next_evaluation_s(sources, source,
		    sources->clock->now_s + 1 +
			(int64_t)(fmin(left, 1) * EVALUATION_S));
	if (due_s > sources->clock->now_s && !source->is_forced) {
		evaluate_later(sources, item, source, due_s);
		return;
	}
	value = gains_worth(&source->gains, &reading, days);
	if (source->is_forced || source_is_first(source) ||
	    is_by_clock(sources, source)) {
		reading_wait(sources, number,
		    forced_value(sources->queues, NODE_READINGS,
			floor_s(sources, source)));
	} else if (value >= least && !source->is_retired &&
	    !source->is_dropped && !source->is_gone) {
		reading_wait(sources, number, value);
	} else {
		left = days_until_worth(&source->gains, &reading, days, least);
		evaluate_later(sources, item, source,
		    source_next_evaluation_s(sources, source,
			sources->clock->now_s + 1 +
			    (int64_t)(left * EVALUATION_S)));
	}
}

void
source_reschedule(struct sched_sources *sources, uint32_t number)
{
	struct sched_source *source = &sources->items[number];
	uint32_t node = source_site(sources, source)->nodes[NODE_READINGS];
	uint32_t item = item_of(ITEM_READING, number);
	int64_t allowed_s;

	if (!sources->options->reads_documents)
		return;
	queues_remove(sources->queues, item, node);
	if (source->is_excluded)
		source_update_gain(sources, number, 0);
	if (source->is_out || source->is_excluded)
		return;
	if (!source_is_overdue(sources, source)) {
		/* the ceiling may have become longer since the reading was
		 * forced */
		source->is_forced = false;
	} else if (!source->is_overdue && !source->is_forced) {
		source->is_overdue = true;
		fifo_put(&sources->queues->overdue, item);
	}
	allowed_s = source_allowed_s(sources, source);
	if (allowed_s < source->held_s)
		allowed_s = source->held_s;
	if (source->read_s != SCHEDULER_NEVER)
		reschedule_by_value(sources, number);
	else if (allowed_s > sources->clock->now_s)
		queues_evaluate_at(sources->queues, item, allowed_s);
	else
		reading_wait(sources, number,
		    forced_value(
			sources->queues, NODE_READINGS, source->added_s));
}

double
source_listed_value(const struct sched_sources *sources, uint32_t number)
{
	const struct sched_site
	    *site = &sources->sites->items[sources->items[number].site];

	return site->is.weight /
	    rate_mean(&site->rates, &sources->sections->rates);
}

void
source_reschedule_listed(struct sched_sources *sources, uint32_t number)
{
	struct sched_source *source = &sources->items[number];
	uint32_t node = source_site(sources, source)->nodes[NODE_PAGES];
	uint32_t item = item_of(ITEM_LISTED, number);
	int64_t ceiling_s = source_site(sources, source)->is.page_ceiling_s;
	/* when the first of the listed pages that were never fetched passes its
	 * ceiling */
	int64_t late_s = SCHEDULER_NEVER;

	if (ceiling_s > 0 && source->backlog.count > 0)
		late_s = backlog_since_s(&source->backlog) + ceiling_s;
	queues_remove(sources->queues, item, node);
	if (late_s > sources->clock->now_s) {
		source->is_listed_forced = false;
	} else if (!source->is_listed_overdue && !source->is_listed_forced) {
		source->is_listed_overdue = true;
		fifo_put(&sources->queues->overdue, item);
	}
	if (source->backlog.count == 0)
		return;
	queues_wait(sources->queues, item, node,
	    source->is_listed_forced
		? forced_value(sources->queues, NODE_PAGES, late_s)
		: source_listed_value(sources, number),
	    source->is_listed_waiting);
	source->is_listed_waiting = true;
}

/* How many changes may wait for the next reading, which may never come. */
#define RETRO_MAX 10000

bool
source_ask(struct sched_source *source, uint32_t which)
{
	if (source->retro_count >= RETRO_MAX)
		return false;
	source->retro = mem_grow(source->retro, &source->retro_cap,
	    source->retro_count + 1, sizeof(*source->retro));
	source->retro[source->retro_count++] = which;
	return true;
}
