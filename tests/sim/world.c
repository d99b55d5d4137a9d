/* Sites, their sizes, rates and habits; their pages; then their documents. */
#include "tests/sim/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tests/sim/random.h"

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

/* Each kind of random draw has a stream of random numbers of its own, so that
 * draws of one kind do not depend on how many there are of another.  So the
 * changes of pages do not depend on how the pages are dated. */
enum world_stream {
	STREAM_SITES, /* sizes and rates */
	/* which kind of dates each site has */
	STREAM_PARTS,
	STREAM_HONESTY,
	STREAM_RATES,
	STREAM_WEIGHTS,
	STREAM_LIVES,
	STREAM_CHANGES,
	STREAM_DATES,
	STREAM_FALSE, /* dates that move without a change */
	STREAM_DEPLOYS,
	STREAM_INDEXES,
	STREAM_SHOCKS, /* when much of a site changes together */
	STREAM_SHARES, /* which pages a shock reaches */
	STREAM_MOVES,
	STREAM_HINTS, /* which changes are hinted */
	STREAM_FALSE_HINTS,
	/* more than are used, so that a new stream does not change the
	 * others */
	STREAM_COUNT = 64
};

struct world_site {
	enum world_part part;
	uint32_t pages;
	double log_rate; /* of the median page */
	double recall, precision; /* of noisy kinds */
};

struct world_plan {
	const struct world_options *options; /* borrowed */
	struct world_site *sites; /* owned */
	uint32_t site_count;
	int64_t begin_s, turn_s, end_s;
};

static void
world_random(const struct world_plan *plan, struct random *random,
    enum world_stream stream, uint64_t i)
{
	random_init(random, (uint64_t)plan->options->seed,
	    i * STREAM_COUNT + (uint64_t)stream);
}

static int64_t
world_when(const struct world_plan *plan, double days)
{
	return plan->begin_s + (int64_t)floor(days * DAY_S);
}

/* Give each site a lognormal share of the pages, and at least one page if
 * there are enough pages. */
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

/* The numbers of the sites in random order; the caller owns the array. */
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

/* turn(plan, order, share, is_good, to): let a share of the sites with good
 * dates (or of those with WORLD_NOW) become `to`, the first ones in that
 * order. */
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

/* Each part gets exactly its share of the sites; which sites these are is
 * random. */
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

static void
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

static void
world_plan_release(struct world_plan *plan)
{
	free(plan->sites);
	*plan = (struct world_plan){0};
}

/* Pages: what happens to each page, and what its document says about it. */

/* What is needed to make one document. */
struct site_maker {
	const struct world_plan *plan;
	struct history *history;
	const struct world_site *site;
	uint32_t document;
	/* dates that the document gave after the beginning */
	size_t claims;
	/* for the dates that the index gives the document */
	struct random index;
	/* owned; in days since the beginning, in order */
	double *shocks;
	size_t shock_count, shock_cap;
};

/* What is needed to make one page; times are in days since the beginning. */
struct page_maker {
	struct site_maker *site;
	uint32_t number;
	double rate;
	/* of changes that do not come with a shock */
	double own_rate;
	/* of the site's shocks that reach the page */
	double share;
	/* gone: INFINITY when the page stays */
	double born, gone;
	/* the page leaves its document at `gone`, but still exists */
	bool stays;
	/* the last change; it may lie before the beginning */
	double last;
	struct random changes, dates, shares, hints;
	size_t next_shock;
};

static void
add(const struct page_maker *page, enum history_kind kind, double days,
    uint64_t text)
{
	struct history_event event = {
	    .t_s = world_when(page->site->plan, days > 0 ? days : 0),
	    .text = text,
	    .subject = page->number,
	    .kind = (uint8_t)kind};

	history_add(page->site->history, &event);
}

/* The document gave a new date; with the probability of its recall the index
 * gives the document a new date, too. */
static void
tell_index(struct site_maker *site, int64_t t_s)
{
	const struct history_document *documents = site->history->documents;
	uint32_t parent = documents[site->document].parent;
	struct history_event event = {.t_s = t_s,
	    .lastmod_s = t_s,
	    .subject = site->document,
	    .kind = HISTORY_CHILD_CLAIMS};

	site->claims++;
	if (parent != HISTORY_NONE &&
	    random_unit(&site->index) < documents[parent].dates[0].recall)
		history_add(site->history, &event);
}

/* claim(page, days, lastmod): the document gives this date from then on. */
static void
claim(const struct page_maker *page, double days, double lastmod)
{
	struct site_maker *site = page->site;
	struct history_event event = {.t_s = world_when(site->plan, days),
	    .lastmod_s = world_when(site->plan, lastmod),
	    .subject = page->number,
	    .kind = HISTORY_CLAIMS};
	const struct history_document
	    *document = &site->history->documents[site->document];

	if (history_dates(document, event.t_s)->dating == DATING_DAY) {
		event.is_day = true;
		/* The days of the world and of the calendar both begin at
		 * midnight. */
		event.lastmod_s = world_when(site->plan, floor(lastmod));
	}
	history_add(site->history, &event);
	if (days > 0)
		tell_index(site, event.t_s);
}

/* The time of the date that a page has at the beginning: that of the last move
 * of the date before the beginning. */
static double
first_date(struct page_maker *page, enum history_dating dating)
{
	double recall = page->site->site->recall;
	double precision = page->site->site->precision;

	switch (dating) {
	case DATING_PARTIAL:
		return -random_exponential(&page->dates) /
		    (recall * page->rate + 1e-9);
	case DATING_NOISY:
		return -random_exponential(&page->dates) /
		    (recall * page->rate / precision + 1e-9);
	case DATING_STALE:
		return -random_between(&page->dates, 1, 1000);
	case DATING_DEPLOY:
		return -page->site->plan->options->deploy_days;
	case DATING_NOW:
		return -1;
	case DATING_CORRECT:
	case DATING_DAY:
	case DATING_NONE:
	case DATING_RANDOM:
	case DATING_UNKNOWN:
	case DATING_COUNT:
		break;
	}
	return page->last;
}

/* The remaining part, at a random time, of a gap whose length is between 1 -
 * jitter and 1 + jitter.  The density of the remaining part at x is the
 * probability that a gap is longer than x. */
static double
periodic_rest(struct random *random, double jitter)
{
	double u = random_unit(random);

	if (u <= 1 - jitter)
		return u;
	return 1 + jitter - 2 * sqrt(jitter * (1 - u));
}

/* The first gap is drawn as if the process had always been going on. */
static double
first_gap(struct page_maker *page)
{
	const struct world_options *options = page->site->plan->options;
	double short_gap = 1 / (options->burst_speed * page->own_rate);
	double long_gap;

	switch ((int)options->changes) {
	case WORLD_PERIODIC:
		return periodic_rest(&page->changes, options->jitter) /
		    page->own_rate;
	case WORLD_BURSTY:
		long_gap = (1 / page->own_rate - options->burst * short_gap) /
		    (1 - options->burst);
		if (random_unit(&page->changes) <
		    options->burst / options->burst_speed)
			return short_gap * random_exponential(&page->changes);
		return long_gap * random_exponential(&page->changes);
	default:
		return random_exponential(&page->changes) / page->own_rate;
	}
}

static double
next_gap(struct page_maker *page)
{
	const struct world_options *options = page->site->plan->options;
	double short_gap = 1 / (options->burst_speed * page->own_rate);
	double long_gap;

	switch ((int)options->changes) {
	case WORLD_PERIODIC:
		return random_between(&page->changes, 1 - options->jitter,
			   1 + options->jitter) /
		    page->own_rate;
	case WORLD_BURSTY:
		long_gap = (1 / page->own_rate - options->burst * short_gap) /
		    (1 - options->burst);
		if (random_unit(&page->changes) < options->burst)
			return short_gap * random_exponential(&page->changes);
		return long_gap * random_exponential(&page->changes);
	default:
		return random_exponential(&page->changes) / page->own_rate;
	}
}

/* Does a change move the date?  One random number is drawn for each change,
 * even if the answer does not depend on the number, so that all kinds of dates
 * use equally many. */
static bool
is_dated(struct page_maker *page, enum history_dating dating)
{
	double draw = random_unit(&page->dates);

	switch (dating) {
	case DATING_CORRECT:
	case DATING_DAY:
		return true;
	case DATING_PARTIAL:
	case DATING_NOISY:
		return draw < page->site->site->recall;
	case DATING_UNKNOWN:
	case DATING_NONE:
	case DATING_NOW:
	case DATING_DEPLOY:
	case DATING_STALE:
	case DATING_RANDOM:
	case DATING_COUNT:
		break;
	}
	return false;
}

static enum history_dating
dating_at(const struct page_maker *page, double days)
{
	const struct site_maker *site = page->site;
	const struct history_document
	    *document = &site->history->documents[site->document];

	return (enum history_dating)history_dates(
	    document, world_when(site->plan, days))
	    ->dating;
}

/* When the dates of a site become honest, the site gives the true dates of all
 * pages at once. */
static void
repent(const struct page_maker *page)
{
	const struct world_plan *plan = page->site->plan;
	double turn = plan->options->turn_days;

	if (page->site->site->part == WORLD_TURNS_GOOD && page->born < turn &&
	    page->gone > turn)
		claim(page, turn, page->last);
}

/* The next shock that reaches the page after it was born; INFINITY: none. */
static double
next_shock(struct page_maker *page)
{
	const struct site_maker *site = page->site;

	while (page->next_shock < site->shock_count) {
		double at = site->shocks[page->next_shock++];
		bool is_reached = random_unit(&page->shares) < page->share;
		if (is_reached && at > page->born)
			return at;
	}
	return INFINITY;
}

static void
add_changes(struct page_maker *page)
{
	const struct world_options *options = page->site->plan->options;
	double end = fmin(options->days, page->gone);
	double own = page->own_rate > 0 ? page->born + first_gap(page)
					: INFINITY;
	double shock = next_shock(page);
	double at;
	uint64_t text = 0;
	bool has_turned = options->turn_days <= 0;

	for (at = fmin(own, shock); at < end; at = fmin(own, shock)) {
		if (at < own)
			shock = next_shock(page);
		else
			own += next_gap(page);
		if (!has_turned && at >= options->turn_days) {
			has_turned = true;
			repent(page);
		}
		page->last = at;
		add(page, HISTORY_CHANGES, at, ++text);
		if (options->hints > 0 &&
		    random_unit(&page->hints) < options->hints)
			add(page, HISTORY_HINTS, at, 0);
		if (is_dated(page, dating_at(page, at)))
			claim(page, at, at);
	}
	if (!has_turned)
		repent(page);
}

/* Move the date without a change, as often as the precision of the dates
 * demands. */
static void
add_false(struct page_maker *page)
{
	const struct world_site *site = page->site->site;
	double end = fmin(page->site->plan->options->days, page->gone);
	double rate, at = page->born;
	struct random random;

	if (site->part != WORLD_NOISY && site->part != WORLD_FAIR)
		return;
	rate = site->recall * page->rate * (1 - site->precision) /
	    site->precision;
	world_random(page->site->plan, &random, STREAM_FALSE, page->number);
	for (;;) {
		at += random_exponential(&random) / (rate + 1e-12);
		if (!(at < end))
			return;
		claim(page, at, at);
	}
}

static void
add_false_hints(struct page_maker *page)
{
	const struct world_options *options = page->site->plan->options;
	double end = fmin(options->days, page->gone);
	double at = page->born;
	struct random random;

	if (options->false_hints <= 0)
		return;
	world_random(
	    page->site->plan, &random, STREAM_FALSE_HINTS, page->number);
	for (;;) {
		at += random_exponential(&random) / options->false_hints;
		if (!(at < end))
			return;
		add(page, HISTORY_HINTS, at, 0);
	}
}

/* About once a day the page gets another date, from three years back to 30
 * days ahead. */
static void
add_random(struct page_maker *page)
{
	double end = fmin(page->site->plan->options->days, page->gone);
	double at = page->born;
	struct random random;

	if (page->site->site->part != WORLD_RANDOM)
		return;
	world_random(page->site->plan, &random, STREAM_FALSE, page->number);
	for (;;) {
		at += random_exponential(&random);
		if (!(at < end))
			return;
		claim(page, at, at + random_between(&random, -1000, 30));
	}
}

static void
draw_life(struct page_maker *page)
{
	const struct world_options *options = page->site->plan->options;
	struct random random;
	double birth, death;

	world_random(page->site->plan, &random, STREAM_LIVES, page->number);
	birth = random_unit(&random) < options->born;
	birth *= options->days * random_unit(&random);
	death = random_unit(&random) < options->gone;
	page->born = birth;
	page->gone = INFINITY;
	if (death > 0)
		page->gone = birth +
		    (options->days - birth) * random_unit(&random);
}

/* Pages form pairs, or sites do (move_site): the first one moves to the URL of
 * the second one, so that one ends when the other begins. */
static void
draw_move(struct page_maker *page)
{
	const struct world_options *options = page->site->plan->options;
	bool is_site = options->move_site > 0;
	uint32_t which = is_site ? page->site->document : page->number;
	struct random random;
	double at;
	bool is_moved;

	world_random(page->site->plan, &random, STREAM_MOVES, which / 2);
	is_moved = is_site || random_unit(&random) < options->moved;
	at = options->move_days + options->move_over * random_unit(&random);
	if (!is_moved)
		return;
	if (which % 2 == 1) {
		page->born = at;
		page->gone = INFINITY;
	} else {
		page->born = 0;
		page->gone = at;
		page->stays = random_unit(&random) < options->move_stays;
	}
}

/* With move_stamps, a site that moves pages gives all other pages a new date
 * at that time. */
static void
add_stamp(struct page_maker *page)
{
	const struct world_options *options = page->site->plan->options;
	double at = options->move_days;
	enum history_dating dating = dating_at(page, at);

	if (options->move_stamps > 0 && page->born < at && page->gone > at &&
	    dating != DATING_NONE && dating != DATING_STALE)
		claim(page, at, at);
}

/* Draw how often a page changes in a day.  The result is never 0, because 1 /
 * rate is used as a time. */
static float
draw_rate(const struct site_maker *site, struct random *random)
{
	const struct world_options *options = site->plan->options;
	double rate = exp(site->site->log_rate +
	    options->spread * options->page_spread * random_normal(random));

	rate = fmin(fmax(rate, options->slowest), options->fastest);
	return (float)fmax(rate, 1e-9);
}

static void
add_page(struct site_maker *site)
{
	const struct world_plan *plan = site->plan;
	struct page_maker page = {.site = site};
	struct history_page entry = {.document = site->document};
	struct random random;
	enum history_dating dating;
	uint64_t number = site->history->page_count;

	world_random(plan, &random, STREAM_RATES, number);
	entry.changes_per_day = draw_rate(site, &random);
	world_random(plan, &random, STREAM_WEIGHTS, number);
	entry.weight = (float)exp(
	    plan->options->weight_spread * random_normal(&random));
	page.rate = entry.changes_per_day;
	page.number = history_add_page(site->history, &entry);
	world_random(plan, &page.changes, STREAM_CHANGES, number);
	world_random(plan, &page.dates, STREAM_DATES, number);
	world_random(plan, &page.shares, STREAM_SHARES, number);
	world_random(plan, &page.hints, STREAM_HINTS, number);
	page.share = fmin(
	    1, page.rate * plan->options->shared * plan->options->shock_days);
	page.own_rate = page.rate - page.share / plan->options->shock_days;
	draw_life(&page);
	if (plan->options->moved > 0 || plan->options->move_site > 0)
		draw_move(&page);
	page.last = page.born > 0
	    ? page.born
	    : -random_exponential(&page.changes) / page.rate;
	add(&page, HISTORY_EXISTS, page.born, 0);
	add(&page, HISTORY_ADDED, page.born, 0);
	dating = dating_at(&page, page.born);
	if (dating != DATING_NONE)
		claim(&page, page.born,
		    page.born > 0 ? page.born : first_date(&page, dating));
	add_changes(&page);
	add_false(&page);
	add_random(&page);
	add_false_hints(&page);
	add_stamp(&page);
	if (page.gone < plan->options->days) {
		if (!page.stays)
			add(&page, HISTORY_ENDS, page.gone, 0);
		add(&page, HISTORY_REMOVED, page.gone, 0);
	}
}

/* A deployment every deploy_days gives all pages of the document the same
 * date. */
static void
add_deploys(struct site_maker *site, uint64_t number)
{
	const struct world_options *options = site->plan->options;
	struct random random;
	double at;

	if (site->site->part != WORLD_DEPLOY)
		return;
	world_random(site->plan, &random, STREAM_DEPLOYS, number);
	at = options->deploy_days * random_unit(&random);
	for (; at < options->days; at += options->deploy_days) {
		int64_t t_s = world_when(site->plan, at);
		struct history_event event = {.t_s = t_s,
		    .lastmod_s = t_s,
		    .subject = site->document,
		    .kind = HISTORY_CLAIMS_ALL};
		history_add(site->history, &event);
		tell_index(site, t_s);
	}
}

/* The index gives its child a date at the beginning, and later moves that date
 * without a change, as often as the precision of the index demands. */
static void
add_index_noise(struct site_maker *site)
{
	const struct history_document *documents = site->history->documents;
	uint32_t parent = documents[site->document].parent;
	double days = site->plan->options->days, at = 0, rate;
	const struct history_dates *dates;
	struct history_event event = {
	    .subject = site->document, .kind = HISTORY_CHILD_CLAIMS};

	if (parent == HISTORY_NONE)
		return;
	event.t_s = event.lastmod_s = site->plan->begin_s;
	history_add(site->history, &event);
	dates = &documents[parent].dates[0];
	rate = (double)site->claims / days * dates->recall *
	    (1 - dates->precision) / (dates->precision + 1e-9);
	for (;;) {
		at += random_exponential(&site->index) / (rate + 1e-12);
		if (!(at < days))
			return;
		event.t_s = event.lastmod_s = world_when(site->plan, at);
		history_add(site->history, &event);
	}
}

static void
draw_shocks(struct site_maker *site, uint32_t number)
{
	const struct world_options *options = site->plan->options;
	struct random random;
	double at = 0;

	if (options->shared <= 0)
		return;
	world_random(site->plan, &random, STREAM_SHOCKS, number);
	for (;;) {
		at += options->shock_days * random_exponential(&random);
		if (!(at < options->days))
			return;
		site->shocks = mem_grow(site->shocks, &site->shock_cap,
		    site->shock_count + 1, sizeof(*site->shocks));
		site->shocks[site->shock_count++] = at;
	}
}

static void
world_add_pages(const struct world_plan *plan, struct history *history,
    uint32_t number, uint32_t document, uint32_t count)
{
	struct site_maker site = {.plan = plan,
	    .history = history,
	    .site = &plan->sites[number],
	    .document = document};

	world_random(
	    plan, &site.index, STREAM_INDEXES, (UINT64_C(1) << 40) + document);
	draw_shocks(&site, number);
	for (uint32_t i = 0; i < count; i++)
		add_page(&site);
	add_deploys(&site, number);
	add_index_noise(&site);
	free(site.shocks);
}

/* Documents and sites. */

/* The precision and recall of the dates of a site, before or after the turn.
 * Dates that say nothing have no recall. */
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

/* Add an index with a random precision and recall of its dates. */
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
