/* What the parts of the scheduler share: see scheduler.h. */
#ifndef FRESHET_SCHEDULER_INTERNAL_H
#define FRESHET_SCHEDULER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/budget.h"
#include "sched/calendar.h"
#include "sched/families.h"
#include "sched/limiter.h"
#include "sched/line.h"
#include "sched/pages.h"
#include "sched/positions.h"
#include "sched/scheduler.h"
#include "sched/scheduler_holds.h"
#include "sched/scheduler_sites.h"
#include "sched/sections.h"
#include "sched/sources.h"
#include "sched/things.h"
#include "sched/trust_pool.h"

/* What is worth this share of the level, or of the price, is due: they move. */
#define DUE_SHARE 0.98
/* What has no price comes first; a float can hold it: forced_value. */
#define IS_FORCED(value) ((value) > 1e14)

struct scheduler {
	struct scheduler_options options;
	struct page *pages; /* owned, as all below */
	size_t page_count, page_cap;
	struct source *sources;
	size_t source_count, source_cap;
	struct site *sites;
	size_t site_count, site_cap;
	struct section *sections; /* that of number 1 first */
	size_t section_count, section_cap;
	struct host *hosts;
	size_t host_count, host_cap;
	struct address *addresses; /* scheduler_hosts.c */
	size_t address_count, address_cap;
	struct tag *tags;
	size_t tag_count, tag_cap;
	uint32_t
	    kind_nodes[NODE_KINDS]; /* nodes of rate limiter: all of each */
	struct family *family; /* by number of families */
	size_t family_cap;
	struct value_rates *known; /* by page, for comparison: not learned */
	size_t known_count, known_cap;
	struct families families;
	struct positions positions;
	struct calendar *calendar; /* NULL: no time was told yet */
	struct limiter *limiter;
	uint32_t limit; /* of rate limiter: of all */
	struct rate_prior page_rates, source_rates; /* of all */
	struct trust_pool sitemaps, indexes; /* all dates of each kind */
	struct budget all, documents; /* for everything, and for readings */
	double ceilings; /* requests that may be for ceilings */
	double page_bytes; /* of a fetch, on average */
	struct line overdue; /* things past their ceilings */
	struct line passed[NODE_KINDS]; /* before those: not wanted then */
	struct line waiting; /* things to be looked at again */
	struct line
	    refreshes; /* sources: all their pages are to be looked at */
	struct line relinks; /* sources with has_moved_pages */
	int64_t now_s, tick; /* INT64_MIN: not begun */
	int64_t first_s; /* the first time that was told */
	size_t asked; /* in this tick */
	uint64_t levels; /* how often they changed: see struct site_price */
	bool is_behind; /* not all that is due was looked at */
	uint64_t evaluations; /* values computed */
};

/* clock_set(scheduler, now_s): it is that late, or as late as it was.
 * clock_follow: it is that time, though the clock was put back (scheduler.h).
 */
void clock_set(struct scheduler *, int64_t now_s);
void clock_follow(struct scheduler *, int64_t now_s);

/* days_after(scheduler, t_s): days since then; 0 if it is to come. */
static inline double
days_after(const struct scheduler *s, int64_t t_s)
{
	return t_s < s->now_s ? (double)(s->now_s - t_s) / 86400 : 0;
}

/* site_price(scheduler, site): what its limits ask for now; borrowed.
 * site_levels_change(scheduler): what was worked out is no longer right. */
const struct site_price *site_price(struct scheduler *, uint32_t site);
void site_levels_change(struct scheduler *);

/* forced_value(scheduler, kind, due_s): of what comes first whatever it is
 * worth; readings (NODE_READINGS) before pages.  Who has been due for longest
 * goes first: of more than a budget has room for nobody starves. */
double forced_value(const struct scheduler *, int kind, int64_t due_s);

/* kinds_node(scheduler, wants): of rate limiter, where all of these kinds
 * wait. */
uint32_t kinds_node(const struct scheduler *, unsigned kinds);

/* site_hold(scheduler, site, kind, hold_s): its host is left alone for so long,
 * a day at most.  Returns how long. */
int64_t site_hold(struct scheduler *, const struct site *,
    enum scheduler_hold_kind, int64_t hold_s);

/* source_ask(source, which): a change of that page, or child, was found that no
 * move had told: the next reading decides.  False: too many wait for it. */
bool source_ask(struct source *, uint32_t which);

/* source_refresh(scheduler, number): what is believed of the dates of the
 * source is another thing now: look at all its pages, by and by. */
void source_refresh(struct scheduler *, uint32_t number);

#endif
