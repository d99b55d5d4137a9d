/* Hosts and tags of the scheduler: see hosts.h. */
#include "sched/hosts.h"

#include <stdlib.h>
#include <string.h>

#include "base/civil.h"
#include "base/mem.h"

struct limiter_limit
hosts_limit_rate(const struct sched_hosts *hosts, double requests_per_hour)
{
	return (struct limiter_limit){.per_hour = requests_per_hour,
	    .burst_ms = hosts->options->tick_s * 1000,
	    .is_budget = requests_per_hour > 0};
}

struct limiter_limit
hosts_limit(const struct sched_hosts *hosts, const struct scheduler_host *is)
{
	struct limiter_limit limit = hosts_limit_rate(
	    hosts, is->requests_per_hour);

	limit.gap_ms = is->delay_ms;
	limit.is_budget = is->is_budget;
	if (is->burst_ms > 0)
		limit.burst_ms = is->burst_ms;
	return limit;
}

void
hosts_make_nodes(struct sched_hosts *hosts, const uint32_t above[],
    uint32_t limit, struct positions *positions, uint32_t nodes[])
{
	uint32_t readings =
	    /* read this node first: `nodes` and `above` may be the same */
	    above[NODE_READINGS];

	nodes[NODE_PAGES] = limiter_node(
	    hosts->queues->limiter, above[NODE_PAGES], limit, positions);
	nodes[NODE_READINGS] = nodes[NODE_PAGES];
	if (!hosts->options->asks_apart)
		return;
	nodes[NODE_READINGS] = limiter_node(
	    hosts->queues->limiter, readings, limit, positions);
	limiter_pair(
	    hosts->queues->limiter, nodes[NODE_PAGES], nodes[NODE_READINGS]);
}

void
hosts_init(struct sched_hosts *hosts)
{
	const struct scheduler_options *options = hosts->options;
	struct limiter_limit all = hosts_limit_rate(
	    hosts, options->requests_per_hour);

	hosts->kind_nodes[NODE_PAGES] = LIMITER_ROOT;
	hosts->kind_nodes[NODE_READINGS] = LIMITER_ROOT;
	if (options->asks_apart) {
		/* the total limit belongs to the two twin nodes */
		hosts->queues->limiter = limiter_new(
		    &(struct limiter_limit){0});
		hosts->limit = limiter_limit(hosts->queues->limiter, &all);
		hosts_make_nodes(hosts, hosts->kind_nodes, hosts->limit, NULL,
		    hosts->kind_nodes);
	} else {
		hosts->queues->limiter = limiter_new(&all);
	}
	limiter_set_tick(hosts->queues->limiter, options->tick_s);
}

void
hosts_release(struct sched_hosts *hosts)
{
	free(hosts->items);
	free(hosts->tags);
}

/* The nodes above those of the hosts whose sites have that tag; borrowed. */
static const uint32_t *
nodes_above(const struct sched_hosts *hosts, uint32_t tag)
{
	return tag == SCHEDULER_NONE ? hosts->kind_nodes
				     : hosts->tags[tag].nodes;
}

void
hosts_take(struct sched_hosts *hosts, uint32_t number)
{
	struct sched_site *site = &hosts->sites->items[number];
	struct sched_host *host = &hosts->items[site->is.host];

	/* Sites of one host and tag wait at one node; another tag has its
	 * own node, which shares the limit of the host. */
	if (!host_has_node(host) || host->tag != site->is.tag) {
		const uint32_t *above = nodes_above(hosts, site->is.tag);

		host->tag = site->is.tag;
		hosts_make_nodes(hosts, above, host->limit,
		    &hosts->queues->positions, host->nodes);
	}
	memcpy(site->nodes, host->nodes, sizeof(site->nodes));
	site->next_site = host->first_site;
	host->first_site = number;
}

void
hosts_move(struct sched_hosts *hosts, const struct sched_host *host)
{
	for (uint32_t i = host->first_site; i != SCHEDULER_NONE;
	     i = hosts->sites->items[i].next_site) {
		const struct sched_site *site = &hosts->sites->items[i];
		const uint32_t *above = nodes_above(hosts, site->is.tag);

		limiter_move(hosts->queues->limiter, site->nodes[NODE_PAGES],
		    above[NODE_PAGES]);
		if (hosts->options->asks_apart)
			limiter_move(hosts->queues->limiter,
			    site->nodes[NODE_READINGS], above[NODE_READINGS]);
	}
}

enum limiter_hold_kind
host_hold_kind(enum scheduler_hold_kind kind)
{
	switch (kind) {
	case SCHEDULER_HOLD_PAGES:
		return LIMITER_HOLD_FIRST;
	case SCHEDULER_HOLD_PAUSE:
		return LIMITER_HOLD_PAUSE;
	case SCHEDULER_HOLD_ALL:
		break;
	}
	return LIMITER_HOLD_ALL;
}

int64_t
hosts_hold(struct sched_hosts *hosts, const struct sched_site *site,
    enum scheduler_hold_kind kind, int64_t hold_s)
{
	if (hold_s > DAY_S)
		hold_s = DAY_S;
	limiter_hold(hosts->queues->limiter, site->nodes[NODE_PAGES],
	    host_hold_kind(kind), (hosts->clock->now_s + hold_s) * 1000);
	return hold_s;
}
