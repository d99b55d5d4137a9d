/* Quotas: see quota.h. */
#include "sched/quota.h"

#include <math.h>

#include "base/civil.h"
#include "sched/budget.h"
#include "sched/estimate.h"
#include "sched/limiter.h"
#include "sched/pages.h"

/* The quota is such that one reading in this many finds a change. */
#define READINGS_A_CHANGE 5
/* The quota is such that one fetch in this many finds a change. */
#define PAGES_A_CHANGE 5
/* Fetches for moved dates may use the quota of this many days in advance, today
 * included. */
#define OWED_DAYS 2
/* No change is expected of a page that changes more rarely than that. */
#define EXPECTS_DAYS 100

/* An eighth of readings_per_day may be spent at once, for example when an index
 * says that some documents have changed.  The others come evenly, so that no 24
 * hours have more than all of them. */
#define AT_ONCE (1.0 / 8)
/* How long a change counts among those that the documents show a day. */
#define FOUND_DAYS 3

/* Documents. */

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

static bool
is_read(const struct sched_source *source)
{
	return !source->is_robots && !source->is_excluded &&
	    !source->is_dropped && !source->is_gone && !source->is_retired;
}

/* How many readings a day found a change lately. */
static double
found_per_day(const struct sched_sites *sites, const struct sched_site *site)
{
	return site->found > 0 ? site->found / FOUND_DAYS *
		exp(-days_after(sites->clock, site->found_s) / FOUND_DAYS)
			       : 0;
}

/* Compute how many requests for documents the site gets a day, from at_s on. */
static void
set_readings(
    const struct sched_sites *sites, struct sched_site *site, int64_t at_s)
{
	double all = fmax(site->is.readings_per_day,
	    READINGS_A_CHANGE * found_per_day(sites, site));
	double at_once = site->is.readings_per_day * AT_ONCE;

	/* before the clock begins nothing is used up */
	budget_change(&site->readings, at_s == INT64_MIN ? 0 : at_s * 1000,
	    (all - at_once) / 24,
	    (int64_t)(DAY_MS * at_once / (all - at_once)));
}

/* The site, if its requests for documents are counted; NULL: they are not. */
static struct sched_site *
counted_site(struct sched_sources *sources, uint32_t number)
{
	struct sched_site *site = &sources->sites->items[number];

	if (!(site->is.readings_per_day > 0) ||
	    site->is.reading_ceiling_s <= site->is.reading_floor_s)
		return NULL;
	/* Once a day, count the documents of the site, and compute how many
	 * readings a day they together would take. */
	int64_t left_s = site->counted_s - sources->clock->now_s;
	double share;

	if (left_s <= 0 || left_s > DAY_S || site->readings.per_ms <= 0) {
		site->counted_s = sources->clock->now_s + DAY_S;
		site->documents = site->others = 0;
		for (uint32_t i = site->first; i != 0;
		     i = sources->items[i - 1].next_of_site)
			site->documents += is_read(&sources->items[i - 1]);
		share = site->is.readings_per_day /
		    fmax((double)site->documents, 1);
		site->wanted = 0;
		for (uint32_t i = site->first; i != 0;
		     i = sources->items[i - 1].next_of_site)
			if (is_read(&sources->items[i - 1]))
				site->wanted += fmax(share,
				    READINGS_A_CHANGE *
					own_changes(&sources->items[i - 1]));
		set_readings(sources->sites, site, sources->clock->now_s);
	}

	return site;
}

/* The same, for a document: a robots.txt is read by the clock. */
static struct sched_site *
counted_site_of(
    struct sched_sources *sources, const struct sched_source *source)
{
	return source->is_robots ? NULL : counted_site(sources, source->site);
}

int64_t
quota_reading_s(
    struct sched_sources *sources, const struct sched_source *source)
{
	struct sched_site *site = counted_site_of(sources, source);
	int64_t now_ms = sources->clock->now_s * 1000;

	return site == NULL
	    ? sources->clock->now_s
	    : (budget_ready_ms(&site->readings, now_ms) + 999) / 1000;
}

double
quota_days(struct sched_sources *sources, const struct sched_source *source,
    double days, double per_day)
{
	struct sched_site *site = counted_site_of(sources, source);
	double share, each, left;

	if (site == NULL)
		return 0;
	/* The site's documents want more than it gets: all get less. */
	each = fmin(
	    site->readings.per_ms * DAY_MS / fmax(site->wanted, 1e-9), 1);
	share = each * site->is.readings_per_day /
	    fmax((double)site->documents, 1);
	/* What is believed of a document because of others does not count: it
	 * would take the quota from those that do change. */
	if (source->moves == 0 && source->mass == 0)
		per_day = 0;
	per_day = each * READINGS_A_CHANGE * fmax(per_day, own_changes(source));
	left = 1 / share - days_after(sources->clock, source->read_s);
	if (per_day > 0)
		left = fmin(left, 1 / per_day - days);
	return fmax(left,
	    (double)(quota_reading_s(sources, source) - sources->clock->now_s) /
		DAY_S);
}

double
quota_spent(const struct sched_sites *sites, uint32_t number)
{
	struct budget readings = sites->items[number].readings;

	return budget_spent(&readings, sites->clock->now_s * 1000);
}

void
quota_load_readings(struct sched_sites *sites, uint32_t number, double spent,
    int64_t spent_s, double found)
{
	struct sched_site *site = &sites->items[number];

	if (!(site->is.readings_per_day > 0) || !(spent >= 0 && found >= 0))
		return;
	site->found = found;
	site->found_s = spent_s;
	/* The clock may not have begun: what was spent then is told as of then.
	 */
	set_readings(sites, site, spent_s);
	budget_spend(&site->readings, spent_s * 1000,
	    fmin(spent, site->readings.cap + site->readings.per_ms * DAY_MS));
}

double
quota_found_readings(const struct sched_sites *sites, uint32_t number)
{
	return found_per_day(sites, &sites->items[number]) * FOUND_DAYS;
}

void
quota_reading_found(
    struct sched_sources *sources, const struct sched_source *source)
{
	struct sched_site *site = counted_site_of(sources, source);

	if (site == NULL)
		return;
	site->found = quota_found_readings(sources->sites, source->site) + 1;
	site->found_s = sources->clock->now_s;
	set_readings(sources->sites, site, sources->clock->now_s);
}

static void
quota_spend(struct sched_site *site, int64_t now_ms, double requests)
{
	/* A site that is new, or whose ceilings demand more, waits for a day
	 * afterwards, not for weeks. */
	double most = site->readings.cap + site->readings.per_ms * DAY_MS -
	    budget_spent(&site->readings, now_ms);

	budget_spend(&site->readings, now_ms, fmin(requests, fmax(most, 0)));
}

void
quota_asked(struct sched_sources *sources, const struct sched_source *source,
    double requests)
{
	struct sched_site *site = counted_site_of(sources, source);
	int64_t now_ms = sources->clock->now_s * 1000;

	if (site == NULL)
		return;
	if (requests < 0)
		budget_return(&site->readings, now_ms, -requests);
	else
		quota_spend(site, now_ms, requests);
}

void
quota_asked_other(struct sched_sources *sources, uint32_t number)
{
	struct sched_site *site = counted_site(sources, number);

	if (site != NULL && site->others++ < site->is.readings_per_day / 2)
		quota_spend(site, sources->clock->now_s * 1000, 1);
}

/* Pages. */

static double
remaining(const struct sched_sites *sites, const struct sched_site *site)
{
	return limiter_remaining(
	    sites->queues->limiter, sites->clock->now_s * 1000, site->quota);
}

static void
quota_charge(const struct sched_sites *sites, const struct sched_site *site,
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
	quota_charge(sites, site, budget_spend,
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
	quota_charge(sites, site, budget_spend, owed_at_first(sites, site));
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
	quota_charge(
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

	if (!is_counted(site, page) || (page->flags & ITEM_FORCED) != 0)
		return PLACE_HOST;
	if (!page_has_signal(pages, page) &&
	    quota_expects_s(pages, page) > pages->clock->now_s)
		return PLACE_SILENT;
	/* Is the quota of OWED_DAYS days used up? */
	return (site->quota != SCHEDULER_NONE &&
		   remaining(pages->sites, site) <=
		       (1 - OWED_DAYS) * pages_per_day(site))
	    ? PLACE_SILENT
	    : PLACE_HOST;
}

void
quota_sent(
    struct sched_sites *sites, uint32_t number, const struct sched_page *page)
{
	struct sched_site *site = &sites->items[number];

	if (!is_counted(site, page) || page->place == PLACE_SILENT)
		return;
	make(sites, site);
	quota_charge(sites, site, budget_spend, 1);
}

void
quota_spared(
    struct sched_sites *sites, uint32_t number, const struct sched_page *page)
{
	const struct sched_site *site = &sites->items[number];

	if (is_counted(site, page) && site->quota != SCHEDULER_NONE)
		quota_charge(sites, site, budget_return, 1);
}

void
quota_found(struct sched_sites *sites, uint32_t number)
{
	const struct sched_site *site = &sites->items[number];

	if (site->quota != SCHEDULER_NONE)
		quota_charge(sites, site, budget_return, PAGES_A_CHANGE);
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
