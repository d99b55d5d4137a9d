/*
 * Hosts and tags inside the scheduler, and the nodes of the limiter where the
 * items of their sites wait.
 *
 * From the root down, the limiter has: a node for each kind of items, if
 * clients ask for the kinds apart; tags; hosts.  The items of all sites of one
 * host and tag wait at one node.
 */
#ifndef FRESHET_HOSTS_H
#define FRESHET_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/clock.h"
#include "sched/limiter.h"
#include "sched/queues.h"
#include "sched/scheduler.h"
#include "sched/scheduler_hosts.h"
#include "sched/sites.h"

struct sched_host {
	uint32_t limit; /* a number of the limiter */
	uint32_t tag; /* of the nodes */
	uint32_t nodes[NODE_KINDS]; /* SCHEDULER_NONE: no site yet */
	uint32_t first_site; /* or SCHEDULER_NONE */
};

struct sched_tag {
	uint32_t limit; /* a number of the limiter */
	uint32_t nodes[NODE_KINDS];
};

struct sched_hosts {
	/* borrowed, as the three below */
	const struct scheduler_options *options;
	const struct sched_clock *clock;
	struct sched_queues *queues;
	struct sched_sites *sites;
	struct sched_host *items; /* owned, as all below */
	size_t count, cap;
	struct sched_tag *tags;
	size_t tag_count, tag_cap;
	uint32_t limit; /* the limiter's number of the limit of all requests */
	uint32_t kind_nodes[NODE_KINDS]; /* above all items of each kind */
};

/* hosts_init(hosts): make the limiter, with the nodes above all hosts.  The
 * borrowed members are set, the others zeroed. */
void hosts_init(struct sched_hosts *);
void hosts_release(struct sched_hosts *);

/* hosts_limit_rate(hosts, per_hour): a limit of so many requests an hour.
 * hosts_limit(hosts, is): the limit that a caller gave. */
struct limiter_limit hosts_limit_rate(
    const struct sched_hosts *, double per_hour);
struct limiter_limit hosts_limit(
    const struct sched_hosts *, const struct scheduler_host *);

/* hosts_make_nodes(hosts, above, limit, positions, nodes): make a node of that
 * limit for each kind of items, below the nodes in `above`.  positions is as
 * for limiter_node.  `nodes` may be `above`. */
void hosts_make_nodes(struct sched_hosts *, const uint32_t above[],
    uint32_t limit, struct positions *, uint32_t nodes[]);

/* hosts_take(hosts, site): add the site to those of its host, and give it the
 * nodes where its items wait. */
void hosts_take(struct sched_hosts *, uint32_t site);

/* hosts_move(hosts, host): the tags of the host's sites have changed; move the
 * nodes of these sites below those of their tags. */
void hosts_move(struct sched_hosts *, const struct sched_host *);

/* host_has_node(host): does the host have a site, and so a node? */
static inline bool
host_has_node(const struct sched_host *host)
{
	return host->nodes[NODE_PAGES] != SCHEDULER_NONE;
}

/* hosts_hold(hosts, site, kind, hold_s): hold the host of the site for that
 * long, a day at most (SPEC R-76).  Returns the seconds. */
int64_t hosts_hold(struct sched_hosts *, const struct sched_site *,
    enum scheduler_hold_kind, int64_t hold_s);

/* host_hold_kind(kind): the limiter's kind of that hold.  The nodes of both
 * kinds of items share the limit of the host, and its holds. */
enum limiter_hold_kind host_hold_kind(enum scheduler_hold_kind);

#endif
