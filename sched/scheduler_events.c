/* Events: see scheduler_events.h.  Readings of documents come first, then
 * signals and outcomes of pages. */
#include "sched/scheduler_events.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/civil.h"
#include "base/mem.h"
#include "sched/estimate.h"
#include "sched/quota.h"
#include "sched/scheduler_parts.h"

/* A document that cannot be read is tried again after the retry_s of its site.
 * The pause then doubles after each failure, up to a day. */
#define READING_RETRY_MAX_S DAY_S
/* After GONE_MAX answers that it is gone, over more than a day, a document that
 * was never read counts as gone for good, unless its index lists it anew.  One
 * that was read does so when it is given up (SPEC R-77): until then its listing
 * stands, and it is still asked for once a day. */
#define GONE_MAX 8
#define GONE_LEAST_S DAY_S
#define GONE_S (21 * DAY_S)
#define GIVEN_UP_S (7 * DAY_S) /* between two attempts: SPEC R-77 */
/* How fast the cost of a reading, and the arrivals, follow observations. */
#define COST_GAIN 0.3
#define ARRIVALS_MEMORY_DAYS 60
#define COST_MAX 1e4 /* of a document */
/* An hourly or daily document is over after two quiet readings, when it is
 * older than twice the age at which others of its site changed. */
#define QUIET_LEAST 2
#define LIVELY_FACTOR 2
/* When this many pages of a host fail in a row, its pages are held for a
 * minute.  The hold doubles with each further failure, up to six hours.  After
 * 429 or 503 the host is held at once. */
#define FAILURES_MANY 3
/* This many answers 401 or 403 in a row mean a bot wall or a ban. */
#define REFUSALS_MANY 10
#define HOLD_FIRST_S 60
#define HOLD_MAX_S (6 * 3600)
/* A page that failed is left alone for this time.  The pause doubles with each
 * failure, up to a week or the page's ceiling. */
#define FETCH_RETRY_S 3600
#define FETCH_RETRY_MAX_S (7 * DAY_S)
/* A page that is larger says nothing about the size of other pages. */
#define PAGE_BYTES_MAX 1e8
/* SPEC R-31: a date further ahead than this lies in the future. */
#define FUTURE_S DAY_S
/* If the precision of mass moves changes by this factor, the values of all
 * pages of the source change. */
#define MASS_NEWS 1.4

/* Returns first_s, doubled `times` times, but at most most_s. */
static int64_t
doubled(int64_t first_s, int times, int64_t most_s)
{
	int64_t s = first_s << (times < 16 ? times : 16);

	return s < most_s ? s : most_s;
}

/* Readings. */

static void
fail_reading(struct scheduler *s, uint32_t number,
    const struct scheduler_reading *reading)
{
	struct sched_source *source = &s->sources.items[number];
	int64_t retry_s = source_rules(&s->sources, source)->retry_s;
	int64_t hold_s = doubled(
	    retry_s, source->failures, READING_RETRY_MAX_S);
	int64_t most_s;

	if (source->failures < UINT8_MAX)
		source->failures++;
	if (reading->is_gone && source->failures >= GONE_MAX &&
	    (source->read_s == SCHEDULER_NEVER
		    ? s->clock.now_s - source->added_s >= GONE_LEAST_S
		    : reading->is_given_up))
		source->is_gone = true;
	if (reading->is_given_up)
		hold_s = GIVEN_UP_S;
	/* A document that never existed is not worth a request a day. */
	if (source->is_gone)
		hold_s = GONE_S;
	/* A document that was read before is tried again as often as it would
	 * be read, but not sooner than after a first failure: a server in
	 * trouble gets no more requests than usual (SPEC ). */
	most_s = source_ceiling_s(&s->sources, source);
	if (source->read_s == SCHEDULER_NEVER || most_s <= 0)
		most_s = GONE_S;
	else if (most_s < retry_s)
		most_s = retry_s;
	if (hold_s > most_s)
		hold_s = most_s;
	source->held_s = s->clock.now_s + hold_s;
}

/* The cost in page fetches; 0: unknown. */
static double
cost_of(const struct scheduler *s, const struct scheduler_reading *reading)
{
	double cost = reading->cost;

	if (!(cost > 0) || !isfinite(cost))
		cost = (double)reading->bytes / s->page_bytes;
	return fmin(cost, COST_MAX);
}

/* Count the new entries of a reading, and its cost. */
static void
count_reading(struct scheduler *s, struct sched_source *source,
    const struct scheduler_reading *reading, bool is_changed)
{
	bool wants_all = source_rules(&s->sources, source)->wants_listing;
	double days = days_after(&s->clock, source->read_s);
	double memory = exp(-days / ARRIVALS_MEMORY_DAYS);
	double cost = cost_of(s, reading);
	double added = reading->added;
	double *kept = is_changed ? &source->cost : &source->cost_same;

	if (wants_all)
		added += (double)reading->removed + reading->moved;
	source->arrivals = source->arrivals * memory + added;
	source->arrival_days = source->arrival_days * memory + days;
	if (!(cost > 0))
		return;
	/* The first cost that is seen counts; later ones are followed. */
	if (is_changed ? source->readings > 1 : source->cost_same > 0)
		cost = *kept + COST_GAIN * (cost - *kept);
	*kept = cost;
}

static void
source_learn(struct sched_sources *sources, uint32_t number, bool is_changed)
{
	struct sched_source *source = &sources->items[number];
	struct rate_prior seen = {0};
	struct trust none = {.is_gated = true};
	struct estimate_of of;
	struct pending pending;
	bool was_open = (source->flags & ITEM_RETRO) != 0;
	bool is_open;

	if (source->read_s == SCHEDULER_NEVER)
		return;
	if (!source_estimate(sources, number, &of, &pending))
		of.trust = &none;
	if (was_open &&
	    is_read_since(&sources->items[source->parent], source->read_s))
		trust_clue(of.trust, CLUE_SILENT, sources->clock->now_s);
	source->flags &= (uint8_t)~ITEM_RETRO;
	source->hints = 0;
	of.seen = &seen;
	is_open = estimate_outcome(
	    &of, &pending, is_changed, sources->clock->now_s);
	if (!source->is_robots)
		rate_prior_add(&source_site(sources, source)->changes,
		    seen.changes, seen.days);
	rate_prior_add(&sources->rates, seen.changes, seen.days);
	if (!is_open || source->lastmod_s == SCHEDULER_NO_DATE)
		return;
	if (was_open || source_ask(&sources->items[source->parent], number))
		source->flags |= ITEM_RETRO;
}

/* Learn from a reading how far its dates can be trusted. */
static void
judge_reading(struct sched_pages *pages, uint32_t number,
    const struct scheduler_reading *reading)
{
	struct sched_source *source = &pages->sources->items[number];
	bool was_gated = source_dates(source)->is_gated;
	bool is_news;
	uint32_t added = reading->added < reading->listed ? reading->added
							  : reading->listed;

	source->is_mass = trust_reading(source_trust(source),
	    &(struct trust_reading){.listed = reading->listed - added,
		.dated = reading->dated,
		.moved = reading->moved,
		.changes = source->is_index ? 0
					    : reading->dated *
			section_mean(pages->sections, source->site, 0)},
	    pages->clock->now_s);
	if (reading->is_bulk) {
		source->is_mass = true;
		source->mass_count++;
	}
	/* Changes that waited for this reading, whose signals come after it. */
	size_t kept = 0;

	for (size_t i = 0; i < source->retro_count; i++) {
		uint32_t which = source->retro[i];
		bool is_child = source->is_index;
		uint8_t *flags = is_child ? &pages->sources->items[which].flags
					  : &pages->items[which].flags;
		int64_t found_s = is_child
		    ? pages->sources->items[which].read_s
		    : time_unpack(pages->items[which].fetched);

		/* another event may have answered the question */
		if ((*flags & ITEM_RETRO) == 0)
			continue;
		if (!is_read_since(source, found_s)) {
			source->retro[kept++] = which;
			continue;
		}
		/* This reading did not move the date, so the change was never
		 * announced. */
		*flags &= (uint8_t)~ITEM_RETRO;
		trust_clue(source_trust(is_child
				   ? source
				   : page_source(pages, &pages->items[which])),
		    CLUE_SILENT, pages->clock->now_s);
	}
	source->retro_count = kept;

	trust_pool_visit(source->is_index ? &pages->sources->indexes
					  : &pages->sources->sitemaps,
	    source_trust(source), source_known(source),
	    (double)pages->sources->count, pages->clock->now_s);
	/* If dates are ignored, a mass move tells no more than the passing of
	 * time does. */
	is_news = source->is_mass &&
	    (!trust_is_deaf(source->trust) ||
		source->trust->pace.gap_days >= PACE_NEWS_DAYS);
	if (is_news || was_gated != source->trust->is_gated)
		source_refresh(pages, number);
}

void
scheduler_reading(struct scheduler *s, uint32_t number,
    const struct scheduler_reading *reading)
{
	struct sched_source *source = sched_source_at(s, number);
	bool is_changed = !reading->is_unchanged &&
	    (reading->added > 0 || reading->removed > 0 || reading->moved > 0);

	clock_set(s, reading->now_s);
	/* The scheduler did not ask for the reading. */
	if ((source->flags & ITEM_OUT) == 0)
		quota_asked(&s->sources, source->site, source, 1);
	source->flags &= (uint8_t) ~(ITEM_OUT | ITEM_FORCED);
	source->is_mass = false;
	if (source->hints > 0)
		source->owed_s = 0;
	if (reading->is_failed) {
		fail_reading(s, number, reading);
		source_reschedule(&s->sources, number);
		return;
	}
	source->failures = 0;
	source->is_gone = false;
	source->held_s = INT64_MIN;
	if (is_changed && source->read_s != SCHEDULER_NEVER)
		quota_reading_found(&s->sources, source);
	if (!reading->is_partial && source->read_s != SCHEDULER_NEVER) {
		source_learn(&s->sources, number, is_changed);
		if (!source->is_robots)
			judge_reading(&s->pages, number, reading);
		/* Retire documents whose names contain an hour or a day long
		 * ago: they do not change any more. */
		struct sched_site *site = source_site(&s->sources, source);
		int64_t age_s;

		source->quiet = is_changed      ? 0
		    : source->quiet < UINT8_MAX ? (uint8_t)(source->quiet + 1)
						: source->quiet;
		source->is_retired = false;
		if (source->stamp.span_s != 0 &&
		    source->stamp.span_s <= DAY_S) {
			age_s = s->sources.clock->now_s -
			    source->stamp.begin_s - source->stamp.span_s;
			if (is_changed && age_s > site->lively_s)
				site->lively_s = age_s;
			source->is_retired = source->quiet >= QUIET_LEAST &&
			    age_s > LIVELY_FACTOR * site->lively_s +
				    source->stamp.span_s;
		}
	}
	if (source->readings < UINT32_MAX)
		source->readings++;
	if (source->read_s != SCHEDULER_NEVER)
		count_reading(s, source, reading, is_changed);
	else if (cost_of(s, reading) > 0)
		source->cost = cost_of(s, reading);
	/* The host counted a reading as one request; the budget of all is
	 * charged for the rest of its cost. */
	double more = cost_of(s, reading) - 1;
	if (s->options.reads_documents && more > 0) {
		limiter_spend(s->queues.limiter, s->clock.now_s * 1000,
		    s->hosts.kind_nodes[NODE_READINGS], more);
		budget_spend(&s->all, s->clock.now_s * 1000, more);
	}

	source->read_s = s->clock.now_s;
	source->moves = source->mass = 0;
	source_reschedule(&s->sources, number);
}

void
scheduler_charge(struct scheduler *s, uint32_t site, int64_t now_s)
{
	clock_set(s, now_s);
	budget_spend(&s->all, s->clock.now_s * 1000, 1);
	limiter_spend(s->queues.limiter, s->clock.now_s * 1000,
	    sched_site_at(s, site)->nodes[NODE_PAGES], 1);
}

void
scheduler_asked(struct scheduler *s, uint32_t site, int64_t now_s)
{
	(void)sched_site_at(s, site);
	clock_set(s, now_s);
	quota_asked(&s->sources, site, NULL, 1);
}

void
scheduler_drop(struct scheduler *s, uint32_t number, bool is_dropped)
{
	struct sched_source *source = sched_source_at(s, number);

	source->is_dropped = is_dropped;
	if (!is_dropped)
		source->is_gone = source->is_retired = false;
	source_reschedule(&s->sources, number);
}

void
scheduler_owe(struct scheduler *s, uint32_t number, int64_t owed_s)
{
	if (owed_s > s->clock.now_s + DAY_S)
		owed_s = s->clock.now_s + DAY_S;
	sched_source_at(s, number)->owed_s = owed_s;
	source_reschedule(&s->sources, number);
}

/* (T17): what time teaches of the site's hints. */
static void
site_learn_hints(struct scheduler *s, uint32_t number)
{
	const struct sched_site *site = &s->sites.items[number];

	if (site->hints != NULL)
		hints_learn(site->hints,
		    site->pages * section_mean(&s->sections, number, 0),
		    s->clock.now_s);
}

void
scheduler_hint(struct scheduler *s, enum scheduler_kind kind, uint32_t number,
    int64_t now_s)
{
	bool is_page = kind == SCHEDULER_PAGE;
	struct sched_source *source = sched_source_at(
	    s, is_page ? sched_page_at(s, number)->document : number);
	struct sched_site *site = source_site(&s->sources, source);

	clock_set(s, now_s);
	if (site->hints == NULL)
		site->hints = mem_zero(sizeof(*site->hints));
	site->hints->is_heard = true;
	site_learn_hints(s, source->site);
	if (is_page) {
		struct sched_page *page = sched_page_at(s, number);

		if (page->fetched == NEVER)
			return;
		if (page->hints < PAGE_HINTS_MOST)
			page->hints++;
		page_reschedule(&s->pages, number, false);
	} else if (source->read_s != SCHEDULER_NEVER) {
		int64_t floor_s = source->read_s +
		    source_rules(&s->sources, source)->reading_floor_s;

		if (source->hints < UINT8_MAX)
			source->hints++;
		if (hints_matter(site->hints) &&
		    (source->owed_s == 0 || source->owed_s > floor_s))
			scheduler_owe(s, number, floor_s);
	}
}

/* date_end_s(date_s, is_day): the last second that a date may mean. */
static int64_t
date_end_s(int64_t date_s, bool is_day)
{
	return is_day && date_s < INT64_MAX - DAY_S ? date_s + DAY_S - 1
						    : date_s;
}

void
scheduler_child_signal(
    struct scheduler *s, uint32_t number, const struct scheduler_signal *signal)
{
	struct sched_source *source = sched_source_at(s, number);
	struct sched_source *index = sched_source_at(s, source->parent);
	int64_t end_s = date_end_s(signal->lastmod_s, signal->is_day);

	source->lastmod_s = signal->lastmod_s;
	source->is_dropped = signal->kind == SIGNAL_REMOVED;
	if (!source->is_dropped)
		source->is_gone = source->is_retired = false;
	if (signal->kind == SIGNAL_NEW || signal->kind == SIGNAL_RETURNED)
		source->is_excluded = false;
	if (source->read_s == SCHEDULER_NEVER &&
	    signal->kind != SIGNAL_REMOVED && source->failures >= GONE_MAX)
		source->held_s = INT64_MIN;
	if (signal->kind == SIGNAL_MOVED && source->read_s != SCHEDULER_NEVER &&
	    signal->lastmod_s != SCHEDULER_NO_DATE) {
		/* A reading that found a change may have found the one that
		 * the date tells of; after another one, the date tells of
		 * something that was not read. */
		if (end_s <= source->read_s &&
		    (source->flags & ITEM_RETRO) != 0) {
			if (!index->is_mass)
				trust_clue(source_trust(index), CLUE_LATE,
				    s->clock.now_s);
		} else if (!index->is_mass && source->moves < UINT16_MAX) {
			source->moves++;
		} else if (index->is_mass && source->mass < UINT16_MAX) {
			source->mass++;
		}
		source->flags &= (uint8_t)~ITEM_RETRO;
	}
	source_reschedule(&s->sources, number);
}

void
scheduler_relearn(struct scheduler *s, uint32_t number)
{
	struct sched_source *source = sched_source_at(s, number);

	/* the sum that the pages have a part in is forgotten, too */
	for (uint32_t page = source_first_page(&s->pages, number); page != 0;
	     page = s->pages.items[page - 1].next) {
		page_set_gain(&s->pages, page - 1, 0, 0);
		s->pages.items[page - 1].flags &= (uint8_t)~ITEM_RETRO;
	}
	for (size_t i = 0; i < s->sources.count; i++) {
		if (s->sources.items[i].parent != number)
			continue;
		s->sources.items[i].parent = SCHEDULER_NONE;
		s->sources.items[i].gain = (struct gain){0};
		s->sources.items[i].flags &= (uint8_t)~ITEM_RETRO;
	}
	source->is_index = !source->is_index;
	free(source->trust);
	free(source->gains);
	source->trust = NULL;
	source->gains = NULL;
	source->has_word = source->is_mass = false;
	source->rate = (struct rate){0};
	source->retro_count = 0;
	source->read_s = SCHEDULER_NEVER;
	source->readings = 0;
	source->cost = 1;
	source->cost_same = source->arrivals = source->arrival_days = 0;
	source->lastmod_s = SCHEDULER_NO_DATE;
	source->moves = source->mass = 0;
	source->held_s = INT64_MIN;
	source->failures = source->quiet = 0;
	source->is_gone = source->is_retired = false;
	source->flags &= (uint8_t)~ITEM_RETRO;
	scheduler_listed(s, number, 0);
	source_reschedule(&s->sources, number);
}

void
scheduler_listed(struct scheduler *s, uint32_t number, uint32_t count)
{
	backlog_set(
	    &sched_source_at(s, number)->backlog, count, s->clock.now_s);
	source_reschedule_listed(&s->sources, number);
}

/* Signals and outcomes of pages. */

/* A page's date moved.  Returns true when the page must be evaluated. */
static bool
move_date(struct sched_pages *pages, struct sched_page *page,
    bool was_impossible, int64_t end_s)
{
	struct sched_source *source = page_source(pages, page);

	if (page->fetched == NEVER)
		return false;
	if (was_impossible) {
		trust_clue(
		    source_trust(source), CLUE_IMPOSSIBLE, pages->clock->now_s);
	} else {
		/* Moves that change with the text tell of its rate (T15). */
		if (!source->is_mass) {
			follow_move(
			    &source_trust(source)->follow, page->moves_ever);
			if (page->moves_ever < UINT16_MAX)
				page->moves_ever++;
		}

		/* A later date, or a mass move, hides whether the change that
		 * was found had been announced. */
		if ((page->flags & ITEM_RETRO) != 0 && !source->is_mass &&
		    end_s <= time_unpack(page->fetched))
			trust_clue(source_trust(source), CLUE_LATE,
			    pages->clock->now_s);
		page->flags &= (uint8_t)~ITEM_RETRO;
	}
	/* A date that is not later than the last fetch may tell of the change
	 * that this fetch found.  But it may as well be in the time of another
	 * zone, and tell of a later change; and the text, too, may have moved
	 * back.  So every move is a reason to fetch. */
	if (source->is_mass && page->mass < UINT16_MAX)
		page->mass++;
	if (!source->is_mass && page->moves < UINT16_MAX)
		page->moves++;
	/* After a mass move all pages are evaluated, little by little. */
	return !source->is_mass && !source_dates(source)->is_gated;
}

void
scheduler_page_signal(
    struct scheduler *s, uint32_t number, const struct scheduler_signal *signal)
{
	struct sched_page *page = sched_page_at(s, number);
	const struct generator *made_by;
	bool was_impossible, is_new;

	if (signal->kind == SIGNAL_REMOVED || signal->kind == SIGNAL_LEFT) {
		page->flags |= PAGE_REMOVED;
		if (signal->kind == SIGNAL_REMOVED)
			page->flags |= PAGE_VERIFY;
		page->lastmod = NEVER;
		page_reschedule(&s->pages, number, false);
		return;
	}
	is_new = (page->flags & PAGE_REMOVED) != 0;
	if (signal->kind == SIGNAL_NEW || signal->kind == SIGNAL_RETURNED) {
		is_new |= page->is_retired;
		page->is_retired = false;
	}
	page->flags &= (uint8_t) ~(PAGE_REMOVED | PAGE_DAY);
	if (is_new)
		page->flags &= (uint8_t)~PAGE_VERIFY;
	if (is_new && page->dead > 0) {
		/* Treat a page that was gone and is listed again as a new page.
		 */
		page->dead = 0;
		page->rate = (struct rate){0};
		page->flags &= (uint8_t)~ITEM_RETRO;
		page->flags |= PAGE_VERIFY;
		page->moves = page->mass = 0;
		page->mass_seen = page_source(&s->pages, page)->mass_count;
		page->position = (float)source_position(
		    &s->sources, page->document);
	}
	if (signal->is_day)
		page->flags |= PAGE_DAY;
	if (signal->lastmod_s == SCHEDULER_NO_DATE) {
		page->lastmod = NEVER;
	} else {
		/* No change explains a date that lies in the future, or that
		 * moved back; but one that git gives an author may, and so may
		 * one that is given to a library. */
		made_by = page_source(&s->pages, page)->generator;
		was_impossible = signal->lastmod_s >
			s->clock.now_s + FUTURE_S ||
		    (page->lastmod != NEVER &&
			time_pack(signal->lastmod_s) < page->lastmod &&
			(made_by == NULL ||
			    (made_by->source != DATES_AUTHOR &&
				!made_by->is_library)));
		page->lastmod = time_pack(signal->lastmod_s);
		if (signal->kind == SIGNAL_MOVED)
			is_new |= move_date(&s->pages, page, was_impossible,
			    date_end_s(signal->lastmod_s, signal->is_day));
	}
	if (is_new)
		page_reschedule(&s->pages, number, false);
}

/* Handle the failure of a page.  Returns for how many seconds the pages of its
 * host are held; 0: they are not held. */
static int64_t
hold_host(struct scheduler *s, uint32_t number,
    const struct scheduler_outcome *outcome)
{
	struct sched_site *site = page_site(
	    &s->pages, sched_page_at(s, number));
	int over;
	int64_t many_s = 0, hold_s = 0;

	/* SPEC R-76: a day at most */
	if (outcome->hold_s > 0)
		hold_s = outcome->hold_s < DAY_S ? outcome->hold_s : DAY_S;
	scheduler_hold(s, site->is.host, HELD_ALL, s->clock.now_s, hold_s);
	if (outcome->is_limited)
		return hold_s;
	/* One page that fails again and again says nothing about the other
	 * pages. */
	if ((site->failed != number + 1 || site->failures == 0) &&
	    site->failures < UINT8_MAX)
		site->failures++;
	site->failed = number + 1;
	over = site->failures - FAILURES_MANY;
	/* Failures of pages do not hold the sitemaps of the host. */
	if (over >= 0)
		many_s = doubled(HOLD_FIRST_S, over, HOLD_MAX_S);
	scheduler_hold(s, site->is.host, HELD_PAGES, s->clock.now_s, many_s);
	return hold_s > many_s ? hold_s : many_s;
}

/* If all pages of a host are refused, they are held as if all had failed.
 * Requests that were under way when a hold began do not make it longer: they
 * met the same wall. */
static void
note_refusal(struct scheduler *s, struct sched_site *site, bool is_refused)
{
	int over;

	if (!is_refused) {
		site->refusals = 0;
		return;
	}
	if (site->refusals >= REFUSALS_MANY &&
	    scheduler_held_s(s, site->is.host, HELD_PAGES) > s->clock.now_s)
		return;
	if (site->refusals < UINT8_MAX)
		site->refusals++;
	over = site->refusals - REFUSALS_MANY;
	if (over >= 0)
		scheduler_hold(s, site->is.host, HELD_PAGES, s->clock.now_s,
		    doubled(HOLD_FIRST_S, over, HOLD_MAX_S));
}

/* Handle a fetch without an answer: nothing is learned, and the page pauses. */
static void
fail_fetch(struct scheduler *s, uint32_t number,
    const struct scheduler_outcome *outcome)
{
	struct sched_page *page = &s->pages.items[number];
	struct sched_site *site = page_site(&s->pages, page);
	uint32_t item = item_of(ITEM_PAGE, number);
	int64_t wait_s = hold_host(s, number, outcome);
	int64_t most_s = site->is.page_ceiling_s, own_s;

	/* A failing page is tried as often as its ceiling demands, but not
	 * sooner than after a first failure. */
	if (most_s <= 0 || most_s > FETCH_RETRY_MAX_S)
		most_s = FETCH_RETRY_MAX_S;
	else if (most_s < FETCH_RETRY_S)
		most_s = FETCH_RETRY_S;
	own_s = doubled(FETCH_RETRY_S, page->failures, most_s);

	/* If the first failure of a page leads to a hold of its host, the host
	 * is to blame, and the page itself does not pause.  A page that failed
	 * again right after each hold would keep the host held for ever. */
	if (wait_s <= 0 || page->failures > 0)
		wait_s = wait_s > own_s ? wait_s : own_s;
	if (page->failures < PAGE_FAILURES_MOST)
		page->failures++;
	page->again = time_pack(s->clock.now_s + wait_s);
	page_leave(&s->pages, number);
	queues_evaluate_at(&s->queues, item, s->clock.now_s + wait_s);
}

/* Did the date move since the request?  The answer may be reported late. */
static bool
has_moved_since(const struct sched_source *source,
    const struct sched_page *page, int64_t asked_s)
{
	int64_t end_s = date_end_s(
	    time_unpack(page->lastmod), (page->flags & PAGE_DAY) != 0);

	return page->moves > 0 && page->lastmod != NEVER && end_s > asked_s &&
	    source->read_s != SCHEDULER_NEVER && source->read_s > asked_s;
}

/* Learn from a fetch; is_text: there was a text before and after. */
static void
learn_fetch(struct sched_pages *pages, uint32_t number, int64_t asked_s,
    bool is_changed, bool is_text)
{
	struct sched_page *page = &pages->items[number];
	struct sched_source *source = page_source(pages, page);
	struct trust_figures before = trust_figures(source_dates(source)), now;
	struct rate_prior seen = {0};
	struct trust none = {.is_gated = true};
	struct estimate_of of;
	struct pending pending;
	bool was_open = (page->flags & ITEM_RETRO) != 0;
	double mass;

	/* Compute what was pending at the time of the request. */
	double late = days_after(pages->clock, asked_s);

	page_estimate(pages, number, &of, &pending);
	if (!is_text)
		of.hints = NULL;
	pending.tau = fmax(pending.tau - late, 0);
	pending.blind = fmax(pending.blind - late, 0);
	pending.moves -= has_moved_since(source, page, asked_s);

	/* the dates of an index are not those of a page (scheduler_relearn) */
	of.trust = source->is_index ? &none : source_trust(source);
	/* A date that is not later than the last fetch may tell of what that
	 * fetch has seen already.  If the page is the same, such a date was not
	 * false. */
	if (!is_changed && page->lastmod != NEVER &&
	    date_end_s(time_unpack(page->lastmod),
		(page->flags & PAGE_DAY) != 0) <= time_unpack(page->fetched)) {
		if (pending.moves >= 1)
			pending.moves -= 1;
		else if (pending.mass >= 1)
			pending.mass -= 1;
	}
	of.seen = &seen;
	page->flags &= (uint8_t)~ITEM_RETRO;
	/* Only a reading can show that a change was not announced. */
	if (was_open && is_read_since(source, time_unpack(page->fetched)))
		trust_clue(of.trust, CLUE_SILENT, pages->clock->now_s);
	/* No date announces that a page went or came back, so the next reading
	 * is not waited for. */
	if (estimate_outcome(&of, &pending, is_changed, pages->clock->now_s) &&
	    is_text && page->lastmod != NEVER && !source->is_index &&
	    (was_open || source_ask(source, number)))
		page->flags |= ITEM_RETRO;
	if (is_changed)
		quota_found(pages->sites, source->site);
	if (page->dead == 0)
		section_learn(
		    pages->sections, source->site, page->section, &seen);
	else
		rate_prior_add(&pages->sites->items[source->site].returns,
		    seen.changes, seen.days);
	/* After a mass move, the first fetches show what the move means for
	 * other pages. */
	now = trust_figures(source_dates(source));
	mass = before.mass_precision / now.mass_precision;
	if (before.is_believed != now.is_believed || mass > MASS_NEWS ||
	    mass < 1 / MASS_NEWS)
		source_refresh(pages, page->document);
}

void
scheduler_outcome(struct scheduler *s, uint32_t number,
    const struct scheduler_outcome *outcome)
{
	bool is_gone = outcome->kind == FETCH_GONE ||
	    outcome->kind == FETCH_MOVED_AWAY;
	struct sched_page *page = sched_page_at(s, number);
	bool is_moved, is_anew;
	int64_t asked_s;

	clock_set(s, outcome->now_s);
	page->flags &= (uint8_t) ~(ITEM_OUT | ITEM_FORCED);
	page->is_back = false;
	if (outcome->kind == FETCH_FAILED) {
		fail_fetch(s, number, outcome);
		return;
	}
	is_anew = page_is_anew(page);
	page->flags &= (uint8_t)~PAGE_VERIFY;
	page->failures = 0;
	page->again = NEVER;
	page_site(&s->pages, page)->failures = 0;
	site_learn_hints(s, page_source(&s->pages, page)->site);
	note_refusal(s, page_site(&s->pages, page), outcome->is_refused);
	if (outcome->bytes > 0 && outcome->kind != FETCH_NOT_MODIFIED)
		s->page_bytes += (fmin((double)outcome->bytes, PAGE_BYTES_MAX) -
				     s->page_bytes) /
		    256;
	/* the request was made between the last fetch and now */
	asked_s = outcome->now_s;
	if (page->fetched != NEVER && asked_s < time_unpack(page->fetched))
		asked_s = time_unpack(page->fetched);
	if (asked_s > s->clock.now_s)
		asked_s = s->clock.now_s;
	is_moved = has_moved_since(page_source(&s->pages, page), page, asked_s);
	if (page->fetched != NEVER && !is_anew) {
		/* Learn from an answer what it says about changes.  That the
		 * page is gone is one change, and that it is back is another.
		 */
		if (is_gone)
			learn_fetch(
			    &s->pages, number, asked_s, page->dead == 0, false);
		else if (page->dead > 0)
			learn_fetch(&s->pages, number, asked_s, true, false);
		else if (outcome->kind != FETCH_READ)
			learn_fetch(&s->pages, number, asked_s,
			    outcome->kind == FETCH_CHANGED, true);
		else
			page->flags &= (uint8_t)~ITEM_RETRO;
	}
	/* How often a page changed does not tell how often it goes and comes
	 * back. */
	if (is_gone != (page->dead > 0))
		page->rate = (struct rate){0};
	if (!is_gone)
		page->dead = 0;
	else if (page->dead < PAGE_DEAD_MOST)
		page->dead++;

	page->fetched = time_pack(asked_s);
	page->moves = is_moved;
	page->mass = 0;
	page->hints = 0;
	page->mass_seen = page_source(&s->pages, page)->mass_count;
	page->position = (float)source_position(&s->sources, page->document);
	page_reschedule(&s->pages, number, false);
}

void
scheduler_retire(struct scheduler *s, enum scheduler_kind kind, uint32_t number,
    bool is_retired)
{
	if (kind == SCHEDULER_PAGE) {
		sched_page_at(s, number)->is_retired = is_retired;
		page_reschedule(&s->pages, number, false);
	} else {
		assert(kind == SCHEDULER_DOCUMENT);
		sched_source_at(s, number)->is_excluded = is_retired;
		source_reschedule(&s->sources, number);
	}
}

void
scheduler_set_document(struct scheduler *s, uint32_t number, uint32_t document)
{
	struct sched_page *page = sched_page_at(s, number);
	struct sched_source *from = page_source(&s->pages, page);
	struct sched_source *to = sched_source_at(s, document);
	uint16_t mass;

	assert(!to->is_index);
	if (page->document == document)
		return;
	page_set_gain(&s->pages, number, 0, 0);
	/* the page waits at the node of its site */
	if (to->site != from->site)
		page_leave(&s->pages, number);
	if (!from->has_moved_pages)
		fifo_put(&s->pages.relinks, page->document);
	from->has_moved_pages = true;
	mass = (uint16_t)(from->mass_count - page->mass_seen);
	page->mass = mass < UINT16_MAX - page->mass
	    ? (uint16_t)(page->mass + mass)
	    : UINT16_MAX;
	page->mass_seen = to->mass_count;
	/* The new document cannot show whether a change was announced by the
	 * old one. */
	page->flags &= (uint8_t)~ITEM_RETRO;
	page->document = document;
	page->position = (float)source_position(&s->sources, document);
	page_reschedule(&s->pages, number, false);
}

void
scheduler_weigh(struct scheduler *s, uint32_t number, float weight)
{
	sched_page_at(s, number)->weight = weight;
	page_reschedule(&s->pages, number, false);
}
