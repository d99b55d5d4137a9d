/* Documents inside the scheduler: see sources.h. */
#include "sched/sources.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "base/civil.h"
#include "sched/quota.h"

void
backlog_set(struct backlog *backlog, uint32_t count, int64_t now_s)
{
	if (backlog->count > 0 && count == 0) {
		*backlog = (struct backlog){0};
	} else if (backlog->count == 0) {
		if (count > 0 &&
		    (backlog->since_s == 0 || backlog->since_s > now_s))
			backlog->since_s = now_s;
		backlog->first = count;
	} else if (count > backlog->count && backlog->first == backlog->count) {
		backlog->then_s = now_s;
	}
	backlog->count = count;
	if (backlog->first > count)
		backlog->first = count;
}

void
backlog_take(struct backlog *backlog)
{
	assert(backlog->count > 0);
	backlog->count--;
	if (--backlog->first == 0) {
		backlog->first = backlog->count;
		backlog->since_s = backlog->count > 0 ? backlog->then_s : 0;
	}
}

/* Dates in names. */

/* Read one more part of a date, which has two digits. If is_split is true, one
 * separator out of `among` comes before them. */
static bool
take_part(struct slice *in, bool is_split, const char *among, int *part)
{
	struct slice rest = *in;

	if (is_split) {
		if (rest.p[0] == '\0' || strchr(among, rest.p[0]) == NULL)
			return false;
		rest = slice_from(rest, 1);
	}
	if (!scan_number(&rest, 2, part))
		return false;
	if (is_split && rest.len > 0 && ascii_is_digit(rest.p[0]))
		return false;
	*in = rest;
	return true;
}

/* Read the date at the begin of a run of digits.  Returns false when there is
 * none. */
static bool
stamp_at(struct stamp *stamp, struct slice in)
{
	static const struct {
		const char *among;
		int64_t span_s;
	} parts[] = {{"-_/.", 30 * DAY_S}, {"-_/.", DAY_S}, {"-_/.Tt", HOUR_S}};
	struct civil civil = {.month = 1, .day = 1};
	int year;

	if (!scan_number(&in, 4, &year) || year < 1990 || year > 2099)
		return false;
	civil.year = year;
	stamp->span_s = 365 * DAY_S;
	for (size_t i = 0; i < LENGTH(parts); i++) {
		struct civil finer = civil;
		struct slice rest = in;
		bool is_split = in.len > 0 && !ascii_is_digit(in.p[0]);
		int *part = i == 0 ? &finer.month
		    : i == 1       ? &finer.day
				   : &finer.hour;

		if (in.len == 0 ||
		    !take_part(&rest, is_split, parts[i].among, part) ||
		    !civil_is_real(&finer))
			break;
		civil = finer;
		in = rest;
		stamp->span_s = parts[i].span_s;
	}
	stamp->begin_s = civil_epoch_s(&civil);
	/* A longer run of digits is a number that begins like a date; but
	 * minutes may follow an hour. */
	return in.len == 0 || !ascii_is_digit(in.p[0]) ||
	    stamp->span_s == HOUR_S;
}

bool
stamp_parse(struct stamp *stamp, struct slice name)
{
	struct stamp best, found;
	bool has_one = false;

	for (size_t i = 0; i < name.len; i++) {
		/* A date begins only where a run of digits begins: there is
		 * none in 12026-11-21. */
		if (!ascii_is_digit(name.p[i]) ||
		    (i > 0 && ascii_is_digit(name.p[i - 1])))
			continue;
		if (!stamp_at(&found, slice_from(name, i)))
			continue;
		if (!has_one || found.span_s < best.span_s)
			best = found;
		has_one = true;
	}
	if (has_one)
		*stamp = best;
	return has_one;
}

/* Documents. */

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

/* SPEC R-104: a robots.txt is kept for a day after it was read, and one that
 * failed is asked for again after an hour. */
#define ROBOTS_S (86400 + 60)
#define ROBOTS_RETRY_S 3600

const struct scheduler_site *
source_rules(
    const struct sched_sources *sources, const struct sched_source *source)
{
	static const struct scheduler_site robots = {.weight = 1,
	    .reading_floor_s = ROBOTS_S,
	    .reading_ceiling_s = ROBOTS_S,
	    .retry_s = ROBOTS_RETRY_S};

	return source->is_robots ? &robots : &source_site(sources, source)->is;
}

void
source_add_gain(
    struct sched_source *source, struct gain *gain, double value, double moves)
{
	/* most sums are 0: of documents whose pages were not fetched, or have
	 * no dates */
	if (source->gains == NULL && !(value > 0))
		return;
	if (source->gains == NULL)
		source->gains = mem_zero(sizeof(*source->gains));
	gains_set(source->gains, gain, value, moves);
}

bool
source_estimate(struct sched_sources *sources, uint32_t number,
    struct estimate_of *of, struct pending *pending)
{
	struct sched_source *source = &sources->items[number];
	struct sched_source *index = source->parent == SCHEDULER_NONE
	    ? NULL
	    : &sources->items[source->parent];
	const struct rate_prior none = {0},
				*changes = source->is_robots
	    ? &none
	    : &source_site(sources, source)->changes;
	int64_t seen_s = source->read_s;

	/* a robots.txt gives no dates */
	if (index != NULL && index->is_robots)
		index = NULL;
	*of = (struct estimate_of){
	    .trust = index == NULL ? NULL : source_trust(index),
	    .rate = &source->rate,
	    .mean = rate_mean(changes, &sources->rates)};
	*pending = (struct pending){.tau = INFINITY, .published = -1};
	/* Hints of pages say nothing of documents, which may have none (T17).
	 */
	if (source->hints > 0) {
		pending->of_site = of->hints = source_site(sources, source)
						   ->hints;
		pending->hints = source->hints;
	}
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

void
source_view(struct sched_sources *sources, uint32_t number, unsigned moves,
    struct view *view, struct pending *pending)
{
	struct estimate_of of;

	/* Without an index no date announces its changes. */
	if (!source_estimate(sources, number, &of, pending))
		of.trust = NULL;
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
	/* the cost of a reading, and the new pages expected from it */
	*reading = (struct gains_reading){.cost = source->cost,
	    .cost_same = source->cost_same > 0
		? fmin(source->cost_same, source->cost)
		: source->cost * SAME_SHARE,
	    .changes = view.changes_per_day,
	    .arrivals = source_rules(sources, source)->weight *
		(source->arrivals + ARRIVALS_FIRST * ARRIVALS_DAYS) /
		(source->arrival_days + ARRIVALS_DAYS)};
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
	return gains_worth(sources->items[number].gains, &reading, days);
}

int64_t
source_ceiling_s(
    const struct sched_sources *sources, const struct sched_source *source)
{
	int64_t ceiling_s = source_rules(sources, source)->reading_ceiling_s;

	if (source->is_dropped && ceiling_s > 0 &&
	    ceiling_s < DROPPED_CEILING_S)
		ceiling_s = DROPPED_CEILING_S;
	if (source->is_retired || source->is_dropped || source->is_gone ||
	    trust_figures(source_dates(source)).is_distrusted)
		ceiling_s *= CEILING_FACTOR;
	return ceiling_s;
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
	    : quota_reading_s(sources, source);
}

bool
source_is_overdue(
    struct sched_sources *sources, const struct sched_source *source)
{
	return !source->is_excluded && source->read_s != SCHEDULER_NEVER &&
	    sources->clock->now_s >= source->held_s &&
	    ((source->owed_s != 0 && sources->clock->now_s >= source->owed_s) ||
		is_past_ceiling(sources, source)) &&
	    sources->clock->now_s >= source_allowed_s(sources, source);
}

/* Update what the document adds to the value of a reading of its index. */
static void
source_update_gain(struct sched_sources *sources, uint32_t number, double moves)
{
	struct sched_source *source = &sources->items[number];
	double gain = 0;

	/* a robots.txt is read by the clock, whatever it is worth */
	if (source->parent == SCHEDULER_NONE ||
	    sources->items[source->parent].is_robots)
		return;
	if (moves > 0 && source->read_s != SCHEDULER_NEVER)
		gain = (source_evaluate(sources, number, 1) -
			   site_price(sources->sites, source->site)->price) *
		    source->cost;
	source_add_gain(
	    &sources->items[source->parent], &source->gain, gain, moves);
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
	int64_t ceiling_s = source_rules(sources, source)->reading_ceiling_s;
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

/* Let the reading wait for its turn. */
static void
reading_wait(struct sched_sources *sources, uint32_t number, double value)
{
	struct sched_source *source = &sources->items[number];

	queues_wait(sources->queues, item_of(ITEM_READING, number),
	    source_site(sources, source)->nodes[NODE_READINGS], value,
	    &source->flags);
}

/* Reschedule a document that was read before. */
static void
reschedule_by_value(struct sched_sources *sources, uint32_t number)
{
	struct sched_source *source = &sources->items[number];
	const struct scheduler_site *rules = source_rules(sources, source);
	double least = DUE_SHARE *
	    site_price(sources->sites, source->site)->price;
	bool is_forced = (source->flags & ITEM_FORCED) != 0;
	/* Fewer readings are made to learn from when they cost more than a
	 * page. */
	bool is_first = (double)source->readings * fmax(source->cost, 1) <
	    FIRST_READINGS;
	/* A ceiling equal to the floor means that a person set an interval. */
	bool is_by_clock = !source->is_dropped &&
	    rules->reading_ceiling_s > 0 &&
	    rules->reading_ceiling_s <= rules->reading_floor_s;
	struct gains_reading reading;
	double days, left, value;
	int64_t floor_s = rules->reading_floor_s, first_s = FIRST_S;
	int64_t due_s, owed_s, ready_s;

	source_update_gain(
	    sources, number, evaluation(sources, number, 0, &days, &reading));
	/* The time before which only a ceiling makes a reading due.  A shorter
	 * ceiling holds from the first reading on. */
	if (rules->reading_ceiling_s > 0 && rules->reading_ceiling_s < first_s)
		first_s = rules->reading_ceiling_s;
	if (is_first && floor_s < first_s)
		floor_s = first_s;
	floor_s += source->read_s;
	if (floor_s < source->held_s)
		floor_s = source->held_s;
	due_s = floor_s;
	left = is_by_clock ? 0
			   : quota_days(sources, source, days, reading.changes);
	if (left > 0 && due_s <= sources->clock->now_s)
		due_s = source_next_evaluation_s(sources, source,
		    sources->clock->now_s + 1 +
			(int64_t)(fmin(left, 1) * EVALUATION_S));
	if (due_s <= sources->clock->now_s || is_forced) {
		value = gains_worth(source->gains, &reading, days);
		if (is_forced || is_first || is_by_clock) {
			reading_wait(sources, number,
			    forced_value(
				sources->queues, NODE_READINGS, floor_s));
			return;
		}
		if (value >= least && !source->is_retired &&
		    !source->is_dropped && !source->is_gone) {
			reading_wait(sources, number, value);
			return;
		}
		left = days_until_worth(source->gains, &reading, days, least);
		due_s = source_next_evaluation_s(sources, source,
		    sources->clock->now_s + 1 + (int64_t)(left * EVALUATION_S));
	}
	/* Evaluate the document at due_s, or earlier if it is owed a
	 * reading. */
	owed_s = source->owed_s > source->held_s ? source->owed_s
						 : source->held_s;
	ready_s = quota_reading_s(sources, source);
	if (owed_s < ready_s)
		owed_s = ready_s;
	if (source->owed_s != 0 && owed_s > sources->clock->now_s &&
	    owed_s < due_s)
		due_s = owed_s;
	queues_evaluate_at(
	    sources->queues, item_of(ITEM_READING, number), due_s);
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
	if ((source->flags & ITEM_OUT) != 0 || source->is_excluded)
		return;
	queues_note_overdue(sources->queues, item,
	    source_is_overdue(sources, source), &source->flags);
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
		late_s = source->backlog.since_s + ceiling_s;
	queues_remove(sources->queues, item, node);
	queues_note_overdue(sources->queues, item,
	    late_s <= sources->clock->now_s, &source->listed_flags);
	if (source->backlog.count == 0)
		return;
	queues_wait(sources->queues, item, node,
	    (source->listed_flags & ITEM_FORCED) != 0
		? forced_value(sources->queues, NODE_PAGES, late_s)
		: source_listed_value(sources, number),
	    &source->listed_flags);
}

/* How many changes may wait for the next reading, which may never come. */
#define RETRO_MAX 10000

bool
source_ask(struct sched_source *source, uint32_t which)
{
	if (source->retro_count >= RETRO_MAX)
		return false;
	*MEM_PUSH(
	    source->retro, source->retro_count, source->retro_cap) = which;
	return true;
}
