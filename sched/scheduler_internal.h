/* What the parts of the scheduler share: see scheduler.h. */
#ifndef FRESHET_SCHEDULER_INTERNAL_H
#define FRESHET_SCHEDULER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fifo.h"
#include "sched/budget.h"
#include "sched/calendar.h"
#include "sched/families.h"
#include "sched/items.h"
#include "sched/limiter.h"
#include "sched/pages.h"
#include "sched/positions.h"
#include "sched/scheduler.h"
#include "sched/scheduler_hosts.h"
#include "sched/sections.h"
#include "sched/sites.h"
#include "sched/sources.h"
#include "sched/trust_pool.h"

/* What is worth this share of the level, or of the price, is due: they move. */
#define DUE_SHARE 0.98
/* What has no price comes first; a float can hold it: forced_value. */
#define IS_FORCED(value) ((value) > 1e14)

struct scheduler {
	struct scheduler_options options;
	struct sched_page *pages; /* owned, as all below */
	size_t page_count, page_cap;
	struct sched_source *sources;
	size_t source_count, source_cap;
	struct sched_site *sites;
	size_t site_count, site_cap;
	struct section *sections; /* that of number 1 first */
	size_t section_count, section_cap;
	struct sched_host *hosts;
	size_t host_count, host_cap;
	struct sched_address *addresses; /* scheduler_hosts.c */
	size_t address_count, address_cap;
	struct sched_tag *tags;
	size_t tag_count, tag_cap;
	uint32_t
	    kind_nodes[NODE_KINDS]; /* nodes of rate limiter: all of each */
	struct sched_family *family; /* by number of families */
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
	struct fifo overdue; /* things past their ceilings */
	struct fifo passed[NODE_KINDS]; /* before those: not wanted then */
	struct fifo waiting; /* things to be looked at again */
	struct fifo
	    refreshes; /* sources: all their pages are to be looked at */
	struct fifo relinks; /* sources with has_moved_pages */
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

/* site_hold(scheduler, site, kind, hold_s): its host is left alone for so long,
 * a day at most.  Returns how long. */
int64_t site_hold(struct scheduler *, const struct sched_site *,
    enum scheduler_hold_kind, int64_t hold_s);

/*
 * Of scheduler_hosts.c, for scheduler.c only.
 * limit_of(scheduler, per_hour): a limit of so many requests an hour.
 * nodes_make(scheduler, above, limit, positions, nodes): make a node of that
 * limit for each kind of items, below the nodes in `above`.
 * host_take(scheduler, site): add the site to those of its host.
 * addresses_free(scheduler): free the table of addresses.
 */
struct limiter_limit limit_of(const struct scheduler *, double per_hour);
void nodes_make(struct scheduler *, const uint32_t above[], uint32_t limit,
    struct positions *, uint32_t nodes[]);
void host_take(struct scheduler *, uint32_t site);
void addresses_free(struct scheduler *);

#endif
