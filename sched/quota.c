/* Quotas: see quota.h. */
#include "sched/quota.h"

#include <math.h>

#include "base/civil.h"
#include "sched/budget.h"
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
	budget_set(&site->readings, at_s == INT64_MIN ? 0 : at_s * 1000,
	    (all - at_once) / 24,
	    (int64_t)(DAY_MS * at_once / (all - at_once)));
}

/* The site, if its requests for documents are counted; NULL: they are not. A
 * robots.txt is read by the clock. */
static struct sched_site *
counted_site(struct sched_sources *sources, uint32_t number, bool is_robots)
{
	struct sched_site *site = &sources->sites->items[number];

	if (is_robots || !(site->is.readings_per_day > 0) ||
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

int64_t
quota_reading_s(
    struct sched_sources *sources, const struct sched_source *source)
{
	struct sched_site *site = counted_site(
	    sources, source->site, source->is_robots);
	int64_t now_ms = sources->clock->now_s * 1000;

	return site == NULL
	    ? sources->clock->now_s
	    : (budget_ready_ms(&site->readings, now_ms, 1) + 999) / 1000;
}

double
quota_days(struct sched_sources *sources, const struct sched_source *source,
    double days, double per_day)
{
	struct sched_site *site = counted_site(
	    sources, source->site, source->is_robots);
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

void
quota_reading_found(
    struct sched_sources *sources, const struct sched_source *source)
{
	struct sched_site *site = counted_site(
	    sources, source->site, source->is_robots);

	if (site == NULL)
		return;
	site->found = found_per_day(sources->sites, site) * FOUND_DAYS + 1;
	site->found_s = sources->clock->now_s;
	set_readings(sources->sites, site, sources->clock->now_s);
}

void
quota_asked(struct sched_sources *sources, uint32_t number,
    const struct sched_source *source, double requests)
{
	struct sched_site *site = counted_site(
	    sources, number, source != NULL && source->is_robots);
	int64_t now_ms = sources->clock->now_s * 1000;

	if (site == NULL ||
	    (source == NULL && site->others++ >= site->is.readings_per_day / 2))
		return;
	/* A site that is new, or whose ceilings demand more, waits for a day
	 * afterwards, not for weeks. */
	if (requests > 0)
		requests = fmin(requests,
		    fmax(site->readings.cap + site->readings.per_ms * DAY_MS -
			    budget_spent(&site->readings, now_ms),
			0));
	budget_spend(&site->readings, now_ms, requests);
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
    double requests)
{
	limiter_spend_limit(sites->queues->limiter, sites->clock->now_s * 1000,
	    site->quota, requests);
}

/* How many fetches a day the quota allows. */
static double
pages_per_day(const struct sched_site *site)
{
	return fmin(site->is.pages_per_day, fmax((double)site->pages, 1));
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

void
quota_set(struct sched_sites *sites, uint32_t number, bool is_needed)
{
	struct sched_site *site = &sites->items[number];
	struct limiter *limiter = sites->queues->limiter;
	struct limiter_limit limit = {.per_hour = pages_per_day(site) / 24,
	    .burst_ms = INT64_C(1000) * DAY_S};
	double before;

	if (site->quota == SCHEDULER_NONE && is_needed) {
		site->quota = limiter_limit(limiter, &limit);
		quota_charge(sites, site, owed_at_first(sites, site));
		return;
	}
	if (site->quota == SCHEDULER_NONE || is_needed || !(limit.per_hour > 0))
		return;
	/* When the quota grows, the additional fetches are not available at
	 * once. */
	before = remaining(sites, site);
	limiter_set_limit(limiter, site->quota, &limit);
	quota_charge(sites, site, fmax(remaining(sites, site) - before, 0));
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
	const struct sched_source *source = page_source(pages, page);
	struct sched_site *site = page_site(pages, page);
	bool has_signal;

	if ((page->flags & PAGE_REMOVED) != 0)
		return PLACE_UNLISTED;
	if (!is_counted(site, page) || (page->flags & ITEM_FORCED) != 0)
		return PLACE_HOST;
	/* Was there a hint since the last fetch, or has the date moved, alone
	 * or with most of the document, where such news counts? */
	has_signal = (page->hints > 0 && hints_matter(site->hints)) ||
	    (page->moves > 0 && !source_dates(source)->is_gated) ||
	    ((page->mass > 0 || page->mass_seen != source->mass_count) &&
		!trust_is_deaf(source_dates(source)));
	if (!has_signal && quota_expects_s(pages, page) > pages->clock->now_s)
		return PLACE_SILENT;
	/* Is the quota of OWED_DAYS days used up? */
	return (site->quota != SCHEDULER_NONE &&
		   remaining(pages->sites, site) <=
		       (1 - OWED_DAYS) * pages_per_day(site))
	    ? PLACE_SILENT
	    : PLACE_HOST;
}

void
quota_sent(struct sched_sites *sites, uint32_t number,
    const struct sched_page *page, double requests)
{
	struct sched_site *site = &sites->items[number];

	/* The node of the quota counts what waited there by itself. */
	if (!is_counted(site, page) ||
	    (requests > 0 ? page->place == PLACE_SILENT
			  : site->quota == SCHEDULER_NONE))
		return;
	quota_set(sites, number, true);
	quota_charge(sites, site, requests);
}

void
quota_found(struct sched_sites *sites, uint32_t number)
{
	const struct sched_site *site = &sites->items[number];

	if (site->quota != SCHEDULER_NONE)
		quota_charge(sites, site, -PAGES_A_CHANGE);
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

void
quota_save(const struct sched_sites *sites, uint32_t number,
    struct quota_record *record)
{
	const struct sched_site *site = &sites->items[number];
	struct budget readings = site->readings;

	*record = (struct quota_record){.owed = site->owed,
	    .owed_s = site->owed_s,
	    .spent = budget_spent(&readings, sites->clock->now_s * 1000),
	    .found = found_per_day(sites, site) * FOUND_DAYS,
	    .spent_s = sites->clock->now_s};
	/* Until a quota is needed, what was loaded stays. */
	if (site->quota == SCHEDULER_NONE)
		return;
	record->owed = fmax(pages_per_day(site) - remaining(sites, site), 0);
	record->owed_s = sites->clock->now_s;
}

void
quota_load(struct sched_sites *sites, uint32_t number,
    const struct quota_record *record)
{
	struct sched_site *site = &sites->items[number];

	site->owed = record->owed;
	site->owed_s = record->owed_s;
	if (site->quota != SCHEDULER_NONE)
		quota_charge(sites, site,
		    owed_at_first(sites, site) -
			(pages_per_day(site) - remaining(sites, site)));
	if (!(site->is.readings_per_day > 0) ||
	    !(record->spent > 0 && record->found >= 0))
		return;
	site->found = record->found;
	site->found_s = record->spent_s;
	/* The clock may not have begun: what was spent then is told as of then.
	 */
	set_readings(sites, site, record->spent_s);
	budget_spend(&site->readings, record->spent_s * 1000,
	    fmin(record->spent,
		site->readings.cap + site->readings.per_ms * DAY_MS));
}
