/* The scheduler's tables, shared by its modules: see scheduler.h. */
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

/* An item worth this share of the level, or of the price, is due: both move. */
#define DUE_SHARE 0.98
/* The value of an item that is due whatever it is worth (forced_value); a
 * float can hold it. */
#define IS_FORCED(value) ((value) > 1e14)

struct scheduler {
	struct scheduler_options options;
	struct sched_page *pages; /* owned, as all below */
	size_t page_count, page_cap;
	struct sched_source *sources;
	size_t source_count, source_cap;
	struct sched_site *sites;
	size_t site_count, site_cap;
	struct section *sections; /* number 1 first */
	size_t section_count, section_cap;
	struct sched_host *hosts;
	size_t host_count, host_cap;
	struct sched_address *addresses; /* scheduler_hosts.c */
	size_t address_count, address_cap;
	struct sched_tag *tags;
	size_t tag_count, tag_cap;
	/* the node above all items of each kind */
	uint32_t kind_nodes[NODE_KINDS];
	struct sched_family *family; /* by number in `families` */
	size_t family_cap;
	struct value_rates *known; /* true rates by page, for comparisons */
	size_t known_count, known_cap;
	struct families families;
	struct positions positions;
	struct calendar *calendar; /* NULL: the clock has not begun */
	struct limiter *limiter;
	uint32_t limit; /* the limiter's number of the limit of all requests */
	struct rate_prior page_rates,
	    source_rates; /* of all pages, and of all documents */
	struct trust_pool sitemaps,
	    indexes; /* trust in all dates of each kind of document */
	struct budget all, documents; /* for all requests, and for readings */
	double ceilings; /* requests that may be made for ceilings now */
	double page_bytes; /* of a fetch, the mean */
	struct fifo overdue; /* items past their ceilings */
	/* taken from `overdue` for the other kind */
	struct fifo passed[NODE_KINDS];
	struct fifo waiting; /* items to be evaluated again */
	/* documents whose pages are all evaluated again */
	struct fifo refreshes;
	struct fifo relinks; /* documents with has_moved_pages */
	int64_t now_s, tick; /* INT64_MIN: not begun */
	int64_t first_s; /* when the clock began */
	size_t asked; /* requests chosen in this tick */
	uint64_t levels; /* how often levels changed (struct site_price) */
	bool is_behind; /* some due items were not evaluated yet */
	uint64_t evaluations; /* values computed so far */
};

/* clock_set(scheduler, now_s): move the clock on to now_s; a time before the
 * present is ignored. clock_follow(scheduler, now_s): likewise, but also
 * follow a clock that was put back (scheduler.h). */
void clock_set(struct scheduler *, int64_t now_s);
void clock_follow(struct scheduler *, int64_t now_s);

/* days_after(scheduler, t_s): the days since t_s; 0 when t_s lies in the
 * future. */
static inline double
days_after(const struct scheduler *s, int64_t t_s)
{
	return t_s < s->now_s ? (double)(s->now_s - t_s) / 86400 : 0;
}

/* site_hold(scheduler, site, kind, hold_s): hold the host of the site for
 * that long, a day at most (SPEC R-76).  Returns the seconds. */
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
