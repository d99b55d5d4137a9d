/* Documents inside the scheduler: see sources.h. */
#include "sched/sources.h"

#include <assert.h>
#include <math.h>

#include "base/mem.h"
#include "sched/quota.h"
#include "sched/scheduler_internal.h"

/* SPEC R-121: the first readings, to learn from, are this far apart. */
#define FIRST_READINGS 4
#define FIRST_S 86400
/* The value of a reading changes with its pages, without an event here. */
#define EVALUATION_S 86400
/* Dates that deceived may be trusted again at any time, without an event
 * here. */
#define TRUST_REGAIN_S 3600
/* The cost of a reading that brings nothing new, until there was one: most
 * servers send the whole document all the same. */
#define SAME_SHARE 0.5
/* New pages expected in a day before any were seen, and for how many days
 * that belief counts. */
#define ARRIVALS_FIRST 0.02
#define ARRIVALS_DAYS 10
/* The ceiling of documents whose dates deceive, or that are over, is longer. */
#define CEILING_FACTOR 3
/* The least ceiling, before CEILING_FACTOR, of a document that no index lists
 * any more: an operator who sets a shorter one mostly means documents that are
 * listed. */
#define DROPPED_CEILING_S (7 * 86400)

bool
source_estimate(struct scheduler *s, uint32_t number, struct estimate_of *of,
    struct pending *pending)
{
	struct sched_source *source = &s->sources[number];
	struct sched_source *index = source->parent == SCHEDULER_NONE
	    ? NULL
	    : &s->sources[source->parent];
	int64_t seen_s = source->read_s;

	*of = (struct estimate_of){
	    .trust = index == NULL ? NULL : source_trust(index),
	    .rate = &source->rate,
	    .mean = rate_mean(
		&s->family[source->family].rates, &s->source_rates)};
	*pending = (struct pending){.tau = INFINITY, .published = -1};
	if (source->read_s == SCHEDULER_NEVER)
		return index != NULL;
	pending->tau = days_after(s, seen_s);
	if (index == NULL)
		return false;
	pending->moves = source->moves;
	pending->mass = source->mass;
	if (index->read_s != SCHEDULER_NEVER && index->read_s > seen_s)
		seen_s = index->read_s;
	pending->blind = days_after(s, seen_s);
	return true;
}

/* The cost of a reading, and the new pages expected from it. */
static struct gains_reading
reading_of(const struct scheduler *s, const struct sched_source *source,
    double changes)
{
	double days = source->arrival_days + ARRIVALS_DAYS;

	return (struct gains_reading){.cost = source->cost,
	    .cost_same = source->cost_same > 0
		? fmin(source->cost_same, source->cost)
		: source->cost * SAME_SHARE,
	    .changes = changes,
	    .arrivals = s->sites[source->site].is.weight *
		(source->arrivals + ARRIVALS_FIRST * ARRIVALS_DAYS) / days};
}

/* The days since the last reading, corrected by the date in the index: a
 * date that did not move means that less happened, one that moved that more
 * did.  (S3) */
static double
days_believed(const struct view *view, const struct pending *pending)
{
	double moves_ever = view->evidence.blind;
	double quiet = view->rates.alpha * pending->tau +
	    moves_ever * pending->blind;
	double hazard = value_hazard(&view->rates, &view->evidence);

	if (hazard < quiet)
		hazard = quiet;
	return hazard /
	    (view->changes_per_day > 1e-6 ? view->changes_per_day : 1e-6);
}

void
source_view(struct scheduler *s, uint32_t number, unsigned moves,
    struct view *view, struct pending *pending)
{
	struct trust none = {.is_gated = true};
	struct estimate_of of;

	/* Without an index no date announces its changes. */
	if (!source_estimate(s, number, &of, pending))
		of.trust = &none;
	else
		pending->moves += moves;
	estimate_view(view, &of, pending);
}

/* Returns how often a day the date in the index moves. */
static double
evaluation(struct scheduler *s, uint32_t number, unsigned moves, double *days,
    struct gains_reading *reading)
{
	const struct sched_source *source = &s->sources[number];
	struct pending pending;
	struct view view;

	source_view(s, number, moves, &view, &pending);
	*reading = reading_of(s, source, view.changes_per_day);
	*days = pending.tau;
	if (source->parent == SCHEDULER_NONE)
		return 0;
	*days = days_believed(&view, &pending);
	return view.rates.gamma;
}

double
source_evaluate(struct scheduler *s, uint32_t number, unsigned moves)
{
	struct gains_reading reading;
	double days;

	(void)evaluation(s, number, moves, &days, &reading);
	if (s->sources[number].read_s == SCHEDULER_NEVER)
		return forced_value(
		    s, NODE_READINGS, s->sources[number].added_s);
	return gains_worth(&s->sources[number].gains, &reading, days);
}

int64_t
source_ceiling_s(const struct scheduler *s, const struct sched_source *source)
{
	int64_t ceiling_s = s->sites[source->site].is.reading_ceiling_s;

	if (source->is_dropped && ceiling_s > 0 &&
	    ceiling_s < DROPPED_CEILING_S)
		ceiling_s = DROPPED_CEILING_S;
	if (source->is_retired || source->is_dropped || source->is_gone ||
	    trust_is_distrusted(&source->trust))
		ceiling_s *= CEILING_FACTOR;
	return ceiling_s;
}

bool
source_is_owed(const struct scheduler *s, const struct sched_source *source)
{
	return source->owed_s != 0 && s->now_s >= source->owed_s;
}

bool
source_is_overdue(const struct scheduler *s, const struct sched_source *source)
{
	int64_t ceiling_s = source_ceiling_s(s, source);

	return !source->is_excluded && source->read_s != SCHEDULER_NEVER &&
	    s->now_s >= source->held_s &&
	    (source_is_owed(s, source) ||
		(ceiling_s > 0 && s->now_s - source->read_s >= ceiling_s));
}

/* Update what the document adds to the value of a reading of its index. */
static void
update_gain(struct scheduler *s, uint32_t number, double moves)
{
	struct sched_source *source = &s->sources[number];
	double gain = 0;

	if (source->parent == SCHEDULER_NONE)
		return;
	if (moves > 0 && source->read_s != SCHEDULER_NEVER)
		gain = (source_evaluate(s, number, 1) -
			   site_price(s, source->site)->price) *
		    source->cost;
	gains_set(
	    &s->sources[source->parent].gains, &source->gain, gain, moves);
}

/* Fewer readings are made to learn from when they cost more than a page. */
static bool
is_first(const struct sched_source *source)
{
	return (double)source->readings * fmax(source->cost, 1) <
	    FIRST_READINGS;
}

/* Before this time only a ceiling makes a reading due. */
static int64_t
floor_s(const struct scheduler *s, const struct sched_source *source)
{
	const struct scheduler_site *site = &s->sites[source->site].is;
	int64_t due_s = source->read_s + site->reading_floor_s;
	int64_t first_s = FIRST_S;

	/* a shorter ceiling holds from the first reading on */
	if (site->reading_ceiling_s > 0 && site->reading_ceiling_s < first_s)
		first_s = site->reading_ceiling_s;
	if (is_first(source) && due_s < source->read_s + first_s)
		due_s = source->read_s + first_s;
	return due_s > source->held_s ? due_s : source->held_s;
}

/* A ceiling equal to the floor means that a person set an interval. */
static bool
is_by_clock(const struct scheduler *s, const struct sched_source *source)
{
	const struct scheduler_site *site = &s->sites[source->site].is;

	return !source->is_dropped && site->reading_ceiling_s > 0 &&
	    site->reading_ceiling_s <= site->reading_floor_s;
}

/* The days until a reading is worth `least`, one at most: the best time may
 * have passed, and values change. */
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

/* The time due_s, or the time of the ceiling, which must not be missed.  A
 * document whose ceiling is longer because its dates deceive may be trusted
 * again before. */
static int64_t
next_evaluation_s(
    const struct scheduler *s, const struct sched_source *source, int64_t due_s)
{
	int64_t ceiling_s = s->sites[source->site].is.reading_ceiling_s;
	int64_t late_s = source->read_s + ceiling_s;

	if (ceiling_s > 0 && late_s <= s->now_s) {
		late_s = source->read_s + source_ceiling_s(s, source);
		if (due_s > s->now_s + TRUST_REGAIN_S)
			due_s = s->now_s + TRUST_REGAIN_S;
	}
	if (ceiling_s > 0 && late_s > s->now_s && late_s < due_s)
		return late_s;
	return due_s;
}

/* evaluate_later(scheduler, item, source, due_s): evaluate at due_s, or when
 * a reading is owed. */
static void
evaluate_later(struct scheduler *s, uint32_t item,
    const struct sched_source *source, int64_t due_s)
{
	int64_t owed_s = source->owed_s > source->held_s ? source->owed_s
							 : source->held_s;

	if (source->owed_s != 0 && owed_s > s->now_s && owed_s < due_s)
		due_s = owed_s;
	item_evaluate_at(s, item, due_s);
}

/* Reschedule a document that was read before. */
static void
reschedule_by_value(struct scheduler *s, uint32_t number)
{
	struct sched_source *source = &s->sources[number];
	uint32_t node = s->sites[source->site].nodes[NODE_READINGS];
	uint32_t item = item_of(ITEM_READING, number);
	double least = DUE_SHARE * site_price(s, source->site)->price;
	struct gains_reading reading;
	double days, left, value;
	int64_t due_s;

	update_gain(s, number, evaluation(s, number, 0, &days, &reading));
	due_s = floor_s(s, source);
	left = is_by_clock(s, source)
	    ? 0
	    : quota_days(s, source, days, reading.changes);
	if (left > 0 && due_s <= s->now_s)
		due_s = next_evaluation_s(s, source,
		    s->now_s + 1 + (int64_t)(fmin(left, 1) * EVALUATION_S));
	if (due_s > s->now_s && !source->is_forced) {
		evaluate_later(s, item, source, due_s);
		return;
	}
	value = gains_worth(&source->gains, &reading, days);
	if (source->is_forced || is_first(source) || is_by_clock(s, source)) {
		item_wait(s, item, node,
		    forced_value(s, NODE_READINGS, floor_s(s, source)));
	} else if (value >= least && !source->is_retired &&
	    !source->is_dropped && !source->is_gone) {
		item_wait(s, item, node, value);
	} else {
		left = days_until_worth(&source->gains, &reading, days, least);
		evaluate_later(s, item, source,
		    next_evaluation_s(s, source,
			s->now_s + 1 + (int64_t)(left * EVALUATION_S)));
	}
}

void
source_reschedule(struct scheduler *s, uint32_t number)
{
	struct sched_source *source = &s->sources[number];
	uint32_t node = s->sites[source->site].nodes[NODE_READINGS];
	uint32_t item = item_of(ITEM_READING, number);

	if (!s->options.reads_documents)
		return;
	item_remove(s, item, node);
	if (source->is_excluded)
		update_gain(s, number, 0);
	if (source->is_out || source->is_excluded)
		return;
	if (!source_is_overdue(s, source)) {
		/* the ceiling may be longer than when its turn came */
		source->is_forced = false;
	} else if (!source->is_overdue && !source->is_forced) {
		source->is_overdue = true;
		fifo_put(&s->overdue, item);
	}
	if (source->read_s != SCHEDULER_NEVER)
		reschedule_by_value(s, number);
	else if (source->held_s > s->now_s)
		item_evaluate_at(s, item, source->held_s);
	else
		item_wait(s, item, node,
		    forced_value(s, NODE_READINGS, source->added_s));
}

double
source_listed_value(const struct scheduler *s, uint32_t number)
{
	const struct sched_site *site = &s->sites[s->sources[number].site];

	return site->is.weight / rate_mean(&site->rates, &s->page_rates);
}

/* When the first of the listed pages without a fetch passes its ceiling;
 * SCHEDULER_NEVER: none will. */
static int64_t
listed_late_s(const struct scheduler *s, const struct sched_source *source)
{
	int64_t ceiling_s = s->sites[source->site].is.page_ceiling_s;

	if (ceiling_s <= 0 || source->backlog.count == 0)
		return SCHEDULER_NEVER;
	return backlog_since_s(&source->backlog) + ceiling_s;
}

void
source_reschedule_listed(struct scheduler *s, uint32_t number)
{
	struct sched_source *source = &s->sources[number];
	uint32_t node = s->sites[source->site].nodes[NODE_PAGES];
	uint32_t item = item_of(ITEM_LISTED, number);
	int64_t late_s = listed_late_s(s, source);

	item_remove(s, item, node);
	if (late_s > s->now_s) {
		source->is_listed_forced = false;
	} else if (!source->is_listed_overdue && !source->is_listed_forced) {
		source->is_listed_overdue = true;
		fifo_put(&s->overdue, item);
	}
	if (source->backlog.count == 0)
		return;
	item_wait(s, item, node,
	    source->is_listed_forced ? forced_value(s, NODE_PAGES, late_s)
				     : source_listed_value(s, number));
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
