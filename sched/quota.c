/* Quotas: see quota.h. */
#include "sched/quota.h"

#include <math.h>

#include "sched/budget.h"
#include "sched/evaluation.h"
#include "sched/limiter.h"
#include "sched/pages.h"

#define DAY_S 86400
/* The quota is such that one reading in this many finds a change. */
#define READINGS_A_CHANGE 5
/* The quota is such that one fetch in this many finds a change. */
#define PAGES_A_CHANGE 5
/* Fetches for moved dates may use the quota of this many days in advance, today
 * included. */
#define OWED_DAYS 2
/* No change is expected of a page that changes more rarely than that. */
#define EXPECTS_DAYS 100

/* Returns how many documents of the site may be read; they are counted once a
 * day. */
static uint32_t
documents_of(struct sched_sources *sources, struct sched_site *site)
{
	int64_t left_s = site->counted_s - sources->clock->now_s;

	if (left_s > 0 && left_s <= DAY_S)
		return site->documents;
	site->counted_s = sources->clock->now_s + DAY_S;
	site->documents = 0;
	for (uint32_t i = site->first; i != 0;
	     i = sources->items[i - 1].next_of_site)
		site->documents += !sources->items[i - 1].is_excluded &&
		    !sources->items[i - 1].is_dropped &&
		    !sources->items[i - 1].is_gone &&
		    !sources->items[i - 1].is_retired;
	return site->documents;
}

/* The changes a day that the document's own readings showed. If thousands of
 * documents never change, the estimates of all are drawn to a low mean, and
 * follow too slowly for the documents that do change. */
static double
own_changes(const struct sched_source *source)
{
	double days = (double)source->rate.days;
	double changes = (double)source->rate.changes;

	return days > 0 && changes > 0 ? changes / days : 0;
}

double
quota_days(struct sched_sources *sources, const struct sched_source *source,
    double days, double per_day)
{
	struct sched_site *site = source_site(sources, source);
	double share, done, growth;

	if (!(site->is.readings_per_day > 0))
		return 0;
	per_day = READINGS_A_CHANGE * fmax(per_day, own_changes(source));
	share = site->is.readings_per_day /
	    fmax((double)documents_of(sources, site), 1);
	done = share * days_after(sources->clock, source->read_s) +
	    per_day * days;
	growth = share + per_day;
	return (1 - done) / growth;
}

/* Pages. */

static double
remaining(const struct sched_sites *sites, const struct sched_site *site)
{
	return limiter_remaining(
	    sites->queues->limiter, sites->clock->now_s * 1000, site->quota);
}

static void
charge(const struct sched_sites *sites, const struct sched_site *site,
    limiter_spend_fn *spend, double requests)
{
	limiter_spend_limit(sites->queues->limiter, sites->clock->now_s * 1000,
	    site->quota, spend, requests);
}

/* How many fetches a day the quota allows. */
static double
pages_per_day(const struct sched_site *site)
{
	return fmin(site->is.pages_per_day, fmax((double)site->pages, 1));
}

static struct limiter_limit
limit_of_silent(const struct sched_site *site)
{
	return (struct limiter_limit){.per_hour = pages_per_day(site) / 24,
	    .burst_ms = INT64_C(1000) * DAY_S};
}

void
quota_set(struct sched_sites *sites, uint32_t number)
{
	struct sched_site *site = &sites->items[number];
	struct limiter_limit limit = limit_of_silent(site);
	double before;

	if (site->quota == SCHEDULER_NONE || !(limit.per_hour > 0))
		return;
	/* When the quota grows, the additional fetches are not available at
	 * once. */
	before = remaining(sites, site);
	limiter_set_limit(sites->queues->limiter, site->quota, &limit);
	charge(sites, site, budget_spend,
	    fmax(remaining(sites, site) - before, 0));
}

/* Returns how many fetches a new quota has already used: the stored number less
 * what has become available since then. Without a stored number a whole day's
 * quota counts as used, so that it becomes available little by little. */
static double
owed_at_first(const struct sched_sites *sites, const struct sched_site *site)
{
	double per_day = pages_per_day(site);

	if (site->owed_s == SCHEDULER_NEVER)
		return per_day;
	return fmin(
	    fmax(site->owed - per_day * days_after(sites->clock, site->owed_s),
		0),
	    OWED_DAYS * per_day);
}

static void
make(struct sched_sites *sites, struct sched_site *site)
{
	struct limiter_limit limit = limit_of_silent(site);

	if (site->quota != SCHEDULER_NONE)
		return;
	site->quota = limiter_limit(sites->queues->limiter, &limit);
	charge(sites, site, budget_spend, owed_at_first(sites, site));
}

void
quota_load(
    struct sched_sites *sites, uint32_t number, double owed, int64_t owed_s)
{
	struct sched_site *site = &sites->items[number];
	double less;

	site->owed = owed;
	site->owed_s = owed_s;
	if (site->quota == SCHEDULER_NONE)
		return;
	less = quota_owed(sites, number) - owed_at_first(sites, site);
	charge(
	    sites, site, less > 0 ? budget_return : budget_spend, fabs(less));
}

uint32_t
quota_node(struct sched_sites *sites, uint32_t number)
{
	struct sched_site *site = &sites->items[number];

	make(sites, site);
	if (site->silent == SCHEDULER_NONE) {
		site->silent = limiter_node(sites->queues->limiter,
		    site->nodes[NODE_PAGES], site->quota,
		    &sites->queues->positions);
		site->price.levels = 0;
	}
	return site->silent;
}

/* Does a fetch of the page count? First fetches do not, and neither do fetches
 * that check whether an unlisted page is gone, since a change of the site
 * causes these. */
static bool
is_counted(const struct sched_site *site, const struct sched_page *page)
{
	return site->is.pages_per_day > 0 && page->fetched != NEVER &&
	    (page->flags & PAGE_VERIFY) == 0;
}

/* Is the quota of OWED_DAYS days used up? */
static bool
is_owing(struct sched_sites *sites, struct sched_site *site)
{
	return site->quota != SCHEDULER_NONE &&
	    remaining(sites, site) <= (1 - OWED_DAYS) * pages_per_day(site);
}

int64_t
quota_expects_s(struct sched_pages *pages, const struct sched_page *page)
{
	struct sched_source *source = page_source(pages, page);
	struct rate_belief belief;
	double per_day;

	if (!is_counted(&pages->sites->items[source->site], page) ||
	    !(page->rate.changes > 0))
		return SCHEDULER_NEVER;
	belief = rate_belief(&page->rate,
	    section_mean(pages->sections, source->site, page->section));
	per_day = belief.shape / belief.days *
	    (double)source_word(source)->silent * PAGES_A_CHANGE;
	if (!(per_day > 1.0 / EXPECTS_DAYS))
		return SCHEDULER_NEVER;
	return time_unpack(page->fetched) + (int64_t)(DAY_S / per_day);
}

enum page_place
quota_place(struct sched_pages *pages, const struct sched_page *page)
{
	struct sched_site *site = page_site(pages, page);

	if (!is_counted(site, page) || (page->flags & PAGE_FORCED) != 0)
		return PLACE_HOST;
	if (!page_has_signal(pages, page) &&
	    quota_expects_s(pages, page) > pages->clock->now_s)
		return PLACE_SILENT;
	return is_owing(pages->sites, site) ? PLACE_SILENT : PLACE_HOST;
}

void
quota_sent(
    struct sched_sites *sites, uint32_t number, const struct sched_page *page)
{
	struct sched_site *site = &sites->items[number];

	if (!is_counted(site, page) || page->place == PLACE_SILENT)
		return;
	make(sites, site);
	charge(sites, site, budget_spend, 1);
}

void
quota_spared(
    struct sched_sites *sites, uint32_t number, const struct sched_page *page)
{
	const struct sched_site *site = &sites->items[number];

	if (is_counted(site, page) && site->quota != SCHEDULER_NONE)
		charge(sites, site, budget_return, 1);
}

void
quota_found(struct sched_sites *sites, uint32_t number)
{
	const struct sched_site *site = &sites->items[number];

	if (site->quota != SCHEDULER_NONE)
		charge(sites, site, budget_return, PAGES_A_CHANGE);
}

int64_t
quota_ready_s(struct sched_sites *sites, uint32_t number)
{
	const struct sched_site *site = &sites->items[number];
	int64_t ready_ms;

	if (site->silent == SCHEDULER_NONE)
		return sites->clock->now_s;
	ready_ms = limiter_ready_ms(
	    sites->queues->limiter, sites->clock->now_s * 1000, site->silent);
	return ready_ms > INT64_MAX - 999 ? SCHEDULER_NEVER
					  : (ready_ms + 999) / 1000;
}

double
quota_owed(const struct sched_sites *sites, uint32_t number)
{
	const struct sched_site *site = &sites->items[number];

	return site->quota == SCHEDULER_NONE
	    ? 0
	    : pages_per_day(site) - remaining(sites, site);
}
