/* What the scheduler is told of documents: see scheduler_tell.h. */
#include <assert.h>
#include <math.h>

#include "base/mem.h"
#include "sched/evaluation.h"
#include "sched/limiter.h"
#include "sched/scheduler_internal.h"
#include "sched/scheduler_tell.h"
#include "sched/scheduler_wants.h"

#define DAY_S 86400
/* A document that cannot be read is tried again after the retry_s of its site,
 * then after twice as long each time, up to that. */
#define RETRY_MAX_S DAY_S
/* Gone so many times, and known for more than a day, it is gone for good, until
 * its index says otherwise: what a deploy breaks is mended by then. */
#define GONE_MAX 8
#define GONE_LEAST_S DAY_S
#define GONE_S (21 * DAY_S)
#define GIVEN_UP_S (7 * DAY_S) /* between two attempts: SPEC R-77 */
/* For so long a page that was given back comes after others of its host. */
#define BACK_S 60
/* How fast the cost of a reading, and the arrivals, follow what is seen. */
#define COST_GAIN 0.3
#define ARRIVALS_MEMORY_DAYS 60
/* No document costs more than that, no page weighs more. */
#define COST_MAX 1e4
#define WEIGHT_MAX 1e12
/* So many changes wait for the next reading of a document, which may never
 * come. */
#define RETRO_MAX 10000
/* An hourly or daily document is over after two quiet readings later than
 * twice the time in which others of its family changed. */
#define QUIET_LEAST 2
#define LIVELY_FACTOR 2

void
source_refresh(struct scheduler *s, uint32_t number)
{
	struct source *source = &s->sources[number];

	if (source->is_index)
		return;
	source->refresh = source_first_page(s, number);
	if (source->is_refreshing)
		return;
	source->is_refreshing = true;
	line_put(&s->refreshes, number);
}

bool
source_ask(struct source *source, uint32_t which)
{
	if (source->retro_count >= RETRO_MAX)
		return false;
	source->retro = mem_grow(source->retro, &source->retro_cap,
	    source->retro_count + 1, sizeof(*source->retro));
	source->retro[source->retro_count++] = which;
	return true;
}

/* Has the change that a page, or a child of an index, waits with for a word
 * been told?  True: no, a reading had come since and did not move it. */
static bool
was_silent(struct scheduler *s, const struct source *source, uint32_t which,
    bool *is_open)
{
	const struct source *child;

	if (source->is_index) {
		child = &s->sources[which];
		*is_open = child->is_retro;
		return *is_open && is_read_since(source, child->read_s);
	}
	*is_open = (s->pages[which].flags & PAGE_RETRO) != 0;
	return *is_open &&
	    is_read_since(source, time_unpack(s->pages[which].fetched));
}

/* At a reading, before its moves are told, and before it counts. */
static void
resolve_retro(struct scheduler *s, uint32_t number)
{
	struct source *source = &s->sources[number];
	struct estimate_of of;
	struct pending pending;
	size_t kept = 0;

	for (size_t i = 0; i < source->retro_count; i++) {
		uint32_t which = source->retro[i];
		bool is_open;

		if (!was_silent(s, source, which, &is_open)) {
			if (is_open)
				source->retro[kept++] = which;
			continue;
		}
		if (source->is_index) {
			s->sources[which].is_retro = false;
			(void)source_estimate(s, which, &of, &pending);
		} else {
			s->pages[which].flags &= (uint8_t)~PAGE_RETRO;
			page_estimate(s, which, &of, &pending);
		}
		estimate_retro(&of, false, s->now_s);
	}
	source->retro_count = kept;
}

/* What was read before is tried again as often as it would be read, if not
 * sooner than after a first failure: a server in trouble is asked no oftener
 * than that, however often it was to be read (SPEC ). */
static int64_t
retry_most_s(const struct scheduler *s, const struct source *source)
{
	int64_t ceiling_s = source_ceiling_s(s, source);

	int64_t first_s = s->sites[source->site].is.retry_s;

	if (source->read_s == SCHEDULER_NEVER || ceiling_s <= 0)
		return GONE_S;
	return ceiling_s > first_s ? ceiling_s : first_s;
}

static void
fail(struct scheduler *s, uint32_t number,
    const struct scheduler_reading *reading)
{
	struct source *source = &s->sources[number];
	unsigned doublings = source->failures < 12 ? source->failures : 12;
	int64_t hold_s = s->sites[source->site].is.retry_s << doublings;

	if (source->failures < UINT8_MAX)
		source->failures++;
	if (reading->is_gone && source->failures >= GONE_MAX &&
	    s->now_s - source->added_s >= GONE_LEAST_S)
		source->is_gone = true;
	if (hold_s > RETRY_MAX_S)
		hold_s = RETRY_MAX_S;
	if (reading->is_given_up)
		hold_s = GIVEN_UP_S;
	/* One that was never there is worth no request a day. */
	if (source->is_gone)
		hold_s = GONE_S;
	if (hold_s > retry_most_s(s, source))
		hold_s = retry_most_s(s, source);
	if (reading->hold_s > 0) {
		int64_t host_s = site_hold(s, &s->sites[source->site],
		    SCHEDULER_HOLD_ALL, reading->hold_s);

		hold_s = hold_s > host_s ? hold_s : host_s;
	}
	source->held_s = s->now_s + hold_s;
}

/* In page fetches; 0: not known. */
static double
cost_of(const struct scheduler *s, const struct scheduler_reading *reading)
{
	double cost = reading->cost;

	if (!(cost > 0) || !isfinite(cost))
		cost = (double)reading->bytes / s->page_bytes;
	return fmin(cost, COST_MAX);
}

static void
follow(double *cost, double now, bool is_known)
{
	*cost = is_known ? *cost + COST_GAIN * (now - *cost) : now;
}

/* What new entries it brings, and what it costs. */
static void
count(struct scheduler *s, struct source *source,
    const struct scheduler_reading *reading, bool is_changed)
{
	bool wants_all = s->sites[source->site].is.wants_listing;
	double days = days_after(s, source->read_s);
	double memory = exp(-days / ARRIVALS_MEMORY_DAYS);
	double cost = cost_of(s, reading);
	double added = reading->added;

	if (reading->added_weight > 0 && isfinite(reading->added_weight))
		added = fmin(reading->added_weight, WEIGHT_MAX);
	if (wants_all)
		added += (double)reading->removed + reading->moved;
	source->arrivals = source->arrivals * memory + added;
	source->arrival_days = source->arrival_days * memory + days;
	if (!(cost > 0))
		return;
	if (!is_changed)
		follow(&source->cost_same, cost, source->cost_same > 0);
	else
		follow(&source->cost, cost, source->readings > 1);
}

/* Those of an hour or a day long ago change no more (families.h). */
static void
retire(struct scheduler *s, struct source *source, bool is_changed)
{
	struct family *family = &s->family[source->family];
	int64_t age_s;

	source->quiet = is_changed      ? 0
	    : source->quiet < UINT8_MAX ? (uint8_t)(source->quiet + 1)
					: source->quiet;
	source->is_retired = false;
	if (source->stamp.span_s == 0 || source->stamp.span_s > DAY_S)
		return;
	age_s = s->now_s - source->stamp.begin_s - source->stamp.span_s;
	if (is_changed && age_s > family->lively_s)
		family->lively_s = age_s;
	source->is_retired = source->quiet >= QUIET_LEAST &&
	    age_s > LIVELY_FACTOR * family->lively_s + source->stamp.span_s;
}

void
source_learn(struct scheduler *s, uint32_t number, bool is_changed)
{
	struct source *source = &s->sources[number];
	struct source *index;
	struct rate_prior seen = {0};
	struct trust none = {.is_gated = true};
	struct estimate_of of;
	struct pending pending;
	bool was_open = source->is_retro;
	bool is_open;

	if (source->read_s == SCHEDULER_NEVER)
		return;
	if (!source_estimate(s, number, &of, &pending))
		of.trust = &none;
	else if (was_open &&
	    is_read_since(&s->sources[source->parent], source->read_s))
		estimate_retro(&of, false, s->now_s);
	source->is_retro = false;
	of.seen = &seen;
	is_open = estimate_outcome(&of, &pending, is_changed, s->now_s);
	rate_prior_add(
	    &s->family[source->family].rates, seen.changes, seen.days);
	rate_prior_add(&s->source_rates, seen.changes, seen.days);
	if (!is_open || source->lastmod_s == SCHEDULER_NO_DATE)
		return;
	index = &s->sources[source->parent];
	source->is_retro = was_open || source_ask(index, number);
}

/* What a reading teaches of its dates as a whole. */
static void
judge(struct scheduler *s, uint32_t number,
    const struct scheduler_reading *reading)
{
	struct source *source = &s->sources[number];
	bool was_gated = source->trust.is_gated;
	bool is_news;
	uint32_t added = reading->added < reading->listed ? reading->added
							  : reading->listed;

	source->is_mass = trust_reading(source_trust(source),
	    &(struct trust_reading){.listed = reading->listed - added,
		.dated = reading->dated,
		.moved = reading->moved,
		.changes = source->is_index
		    ? 0
		    : reading->dated * section_mean(s, source->site, 0)},
	    s->now_s);
	if (reading->is_bulk) {
		source->is_mass = true;
		source->mass_count++;
	}
	resolve_retro(s, number);
	trust_pool_visit(source->is_index ? &s->indexes : &s->sitemaps,
	    source_trust(source), (double)s->source_count, s->now_s);
	/* Where nobody listens such moves say no more than that time passes. */
	is_news = source->is_mass &&
	    (!trust_is_deaf(&source->trust) ||
		source->trust.pace.gap_days >= PACE_NEWS_DAYS);
	if (is_news || was_gated != source->trust.is_gated)
		source_refresh(s, number);
}

/* It was a request like any other to its host; among all it weighs what it
 * brought. */
static void
charge(struct scheduler *s, double more)
{
	if (!s->options.reads_documents || !(more > 0))
		return;
	limiter_spend(s->limiter, s->now_s * 1000, s->kind_nodes[NODE_READINGS],
	    budget_spend, more);
	budget_spend(&s->all, s->now_s * 1000, more);
}

void
scheduler_reading(struct scheduler *s, uint32_t number,
    const struct scheduler_reading *reading)
{
	struct source *source;
	bool is_changed = !reading->is_unchanged &&
	    (reading->added > 0 || reading->removed > 0 || reading->moved > 0);

	assert(number < s->source_count);
	clock_set(s, reading->now_s);
	source = &s->sources[number];
	source->is_out = source->is_forced = false;
	source->is_mass = false;
	if (reading->is_failed) {
		fail(s, number, reading);
		source_reschedule(s, number);
		return;
	}
	source->failures = 0;
	source->is_gone = false;
	source->held_s = INT64_MIN;
	if (!reading->is_partial && source->read_s != SCHEDULER_NEVER) {
		source_learn(s, number, is_changed);
		judge(s, number, reading);
		retire(s, source, is_changed);
	}
	if (source->readings < UINT32_MAX)
		source->readings++;
	if (source->read_s != SCHEDULER_NEVER)
		count(s, source, reading, is_changed);
	else if (cost_of(s, reading) > 0)
		source->cost = cost_of(s, reading);
	charge(s, cost_of(s, reading) - 1);
	source->read_s = s->now_s;
	source->moves = source->mass = 0;
	source_reschedule(s, number);
}

static void
drop(struct source *source, bool is_dropped)
{
	source->is_dropped = is_dropped;
	if (!is_dropped)
		source->is_gone = source->is_retired = false;
}

void
scheduler_drop(struct scheduler *s, uint32_t number, bool is_dropped)
{
	assert(number < s->source_count);
	drop(&s->sources[number], is_dropped);
	source_reschedule(s, number);
}

void
scheduler_owe(struct scheduler *s, uint32_t number, int64_t owed_s)
{
	assert(number < s->source_count);
	if (owed_s > s->now_s + DAY_S)
		owed_s = s->now_s + DAY_S;
	s->sources[number].owed_s = owed_s;
	source_reschedule(s, number);
}

void
scheduler_child_signal(
    struct scheduler *s, uint32_t number, const struct scheduler_signal *signal)
{
	struct source *source;
	struct source *index;
	int64_t end_s = signal->lastmod_s;
	struct estimate_of of;
	struct pending pending;

	assert(number < s->source_count);
	source = &s->sources[number];
	assert(source->parent != SCHEDULER_NONE);
	index = &s->sources[source->parent];
	source->lastmod_s = signal->lastmod_s;
	drop(source, signal->kind == SIGNAL_REMOVED);
	if (signal->kind == SIGNAL_NEW || signal->kind == SIGNAL_RETURNED)
		source->is_excluded = false;
	if (source->read_s == SCHEDULER_NEVER &&
	    signal->kind != SIGNAL_REMOVED && source->failures >= GONE_MAX)
		source->held_s = INT64_MIN;
	if (signal->kind == SIGNAL_MOVED && source->read_s != SCHEDULER_NEVER &&
	    signal->lastmod_s != SCHEDULER_NO_DATE) {
		if (signal->is_day)
			end_s += DAY_S - 1;
		if (end_s <= source->read_s) {
			(void)source_estimate(s, number, &of, &pending);
			if (source->is_retro && !index->is_mass)
				estimate_retro(&of, true, s->now_s);
		} else if (!index->is_mass && source->moves < UINT16_MAX) {
			source->moves++;
		} else if (index->is_mass && source->mass < UINT16_MAX) {
			source->mass++;
		}
		source->is_retro = false;
	}
	source_reschedule(s, number);
}

void
scheduler_listed(struct scheduler *s, uint32_t number, uint32_t count)
{
	assert(number < s->source_count);
	backlog_set(&s->sources[number].backlog, count, s->now_s);
	source_reschedule_listed(s, number);
}

void
scheduler_give_back(
    struct scheduler *s, int64_t now_s, const struct scheduler_choice *choice)
{
	struct source *source;

	clock_set(s, now_s);
	switch (choice->kind) {
	case SCHEDULER_PAGE:
		assert(choice->number < s->page_count);
		s->pages[choice->number].flags &= (uint8_t) ~(
		    PAGE_OUT | PAGE_FORCED);
		s->pages[choice->number].is_back = true;
		page_reschedule(s, choice->number);
		page_put_back(s, choice->number, BACK_S);
		break;
	case SCHEDULER_LISTED:
		assert(choice->number < s->source_count);
		source = &s->sources[choice->number];
		/* it goes to the end of the line */
		backlog_set(
		    &source->backlog, source->backlog.count + 1, s->now_s);
		source_reschedule_listed(s, choice->number);
		break;
	case SCHEDULER_DOCUMENT:
		assert(choice->number < s->source_count);
		s->sources[choice->number].is_out = false;
		s->sources[choice->number].is_forced = false;
		source_reschedule(s, choice->number);
		break;
	}
}

int64_t
scheduler_due_of_s(struct scheduler *s, int64_t now_s, unsigned kinds)
{
	int64_t next_s, wait_ms;

	clock_follow(s, now_s);
	next_s = calendar_next_s(s->calendar);
	if (s->tick == INT64_MIN)
		next_s = s->now_s;
	/* It is looked at once a tick, if that is enough. */
	else if (next_s <= s->now_s && s->is_behind)
		next_s = s->now_s + 1;
	else if (next_s <= s->now_s && s->tick == s->now_s / s->options.tick_s)
		next_s = (s->tick + 1) * s->options.tick_s;
	wait_ms = limiter_wait_ms(
	    s->limiter, s->now_s * 1000, kinds_node(s, kinds));
	if (wait_ms >= 0 && s->now_s + (wait_ms + 999) / 1000 < next_s)
		next_s = s->now_s + (wait_ms + 999) / 1000;
	return next_s > s->now_s ? next_s : s->now_s;
}

int64_t
scheduler_due_s(struct scheduler *s, int64_t now_s)
{
	return scheduler_due_of_s(s, now_s, SCHEDULER_KINDS_ALL);
}
