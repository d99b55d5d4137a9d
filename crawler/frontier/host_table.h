/*
 * Hosts: how often each host may be asked, and its holds, during which it gets
 * no requests.
 *
 * A host is known by its number.  Numbers rise from 0, and no host is ever
 * removed.  A hold ends at a known time; before that nothing of the host is
 * leased.  A pause concerns the scheduler only: it chooses no more pages of
 * the host while enough chosen ones wait.
 */
#ifndef FRESHET_HOST_TABLE_H
#define FRESHET_HOST_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fifo.h"
#include "base/slice.h"
#include "crawler/frontier/frontier_context.h"
#include "sched/budget.h"
#include "store/hold.h"

/* What a hold of a host covers. */
enum held_kind {
	HELD_ALL, /* pages and documents */
	HELD_PAGES, /* pages only */
	HELD_KINDS
};

struct host_item {
	uint32_t number; /* of the scheduler; NONE: no site has this host */
	uint32_t leases; /* pages of this host that are leased */
	uint64_t holder; /* the consumer that took the first of these; 0: one
			  * of an owner of the store before this one */
	/* owned: the ready queue, chosen pages that wait until the host may be
	 * asked, or until a consumer wants them */
	struct fifo ready;
	uint32_t origins; /* the first of its origins, plus one */
	uint32_t crawl_delay_ms; /* the longest Crawl-delay of its origins */
	int64_t delay_ms; /* between two requests */
	double per_hour; /* the budget of its site; 0: none */
	/* requests an hour that budget and delay allow; 0: no limit */
	double rate;
	int64_t asked_s; /* the last lease before loading; 0: never */
	bool was_asked; /* asked_s is recent enough to count in budgets */
	/* requests before loading for which its budget was charged */
	double charged;
	/* the rate limit of a host that the scheduler does not know */
	struct budget rate_limit;
	int64_t paced_ms,
	    paces; /* no page before paces delays after paced_ms */
	int64_t held_s[HELD_KINDS]; /* end of the hold; INT64_MIN: never held */
	bool is_recalled; /* what the request log knows is in paced_ms */
	bool is_asked; /* the driver waits for an answer of the host */
	bool is_limited; /* its last answer may have been 429 or 503 */
};

struct host_table;

struct host_table *host_table_new(const struct frontier_context *);
void host_table_free(struct host_table *);

/* host_find(table, name): the number of that host; NONE: unknown. */
uint32_t host_find(const struct host_table *, struct slice name);
struct host_item *host_at(const struct host_table *, uint32_t host);
const char *host_name(const struct host_table *, uint32_t host);
uint32_t host_count(const struct host_table *);

/* host_put(table, name): the number of that host, made when it is new. */
uint32_t host_put(struct host_table *, struct slice name);

/* host_limit(table, host): set the limits of the host, in the scheduler too,
 * from its rules, its Crawl-delay and its budget. */
void host_limit(struct host_table *, uint32_t host);

/* host_ready_s(table, host, is_spaced): when one more page of the host may
 * be leased.  Its delay counts if is_spaced, or if the scheduler does not know
 * the host. */
int64_t host_ready_s(struct host_table *, uint32_t host, bool is_spaced);

/* host_hold(table, host, kind, until_s, why): hold the host until until_s, or
 * end that hold, also for the driver; nothing is saved.  host_save_hold: save
 * the holds of a host.
 * host_hold_again: the scheduler has just learned of the host: tell it the
 * holds of the host. */
void host_hold(struct host_table *, uint32_t host, enum held_kind,
    int64_t until_s, const char *why);
void host_save_hold(struct host_table *, uint32_t host);
void host_hold_again(struct host_table *, uint32_t host);

/* hold_over_s(table): the end of the first hold that options.held was called
 * for and that is not over; FRONTIER_NEVER: none.  holds_over(table): report
 * the holds that are over. */
int64_t hold_over_s(const struct host_table *);
void holds_over(struct host_table *);

/* holds_save(table): save the holds of all hosts. */
void holds_save(struct host_table *);

/* host_held_s(table, host): the end of all holds of its pages; INT64_MIN: the
 * host never was held.  host_times(table, host): its holds that are not
 * over. */
int64_t host_held_s(const struct host_table *, uint32_t host);
struct hold_times host_times(const struct host_table *, uint32_t host);

#endif
