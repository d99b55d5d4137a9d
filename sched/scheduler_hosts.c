/* Hosts and tags, for callers: see scheduler_hosts.h. */
#include "sched/scheduler_hosts.h"

#include <assert.h>

#include "base/civil.h"
#include "base/mem.h"
#include "sched/limiter.h"
#include "sched/scheduler_parts.h"

#define HOLD_MAX_S (INT64_C(366) * DAY_S)

uint32_t
scheduler_add_host(struct scheduler *s, const struct scheduler_host *is)
{
	struct limiter_limit limit = hosts_limit(&s->hosts, is);

	s->hosts.items = mem_grow(s->hosts.items, &s->hosts.cap,
	    s->hosts.count + 1, sizeof(*s->hosts.items));
	s->hosts.items[s->hosts.count] = (struct sched_host){
	    .limit = limiter_limit(s->queues.limiter, &limit),
	    .nodes = {SCHEDULER_NONE, SCHEDULER_NONE},
	    .first_site = SCHEDULER_NONE};
	return (uint32_t)s->hosts.count++;
}

uint32_t
scheduler_add_tag(struct scheduler *s, double requests_per_hour)
{
	struct limiter_limit is = hosts_limit_rate(
	    &s->hosts, requests_per_hour);
	uint32_t limit = limiter_limit(s->queues.limiter, &is);

	s->hosts.tags = mem_grow(s->hosts.tags, &s->hosts.tag_cap,
	    s->hosts.tag_count + 1, sizeof(*s->hosts.tags));
	s->hosts.tags[s->hosts.tag_count].limit = limit;
	hosts_make_nodes(&s->hosts, s->hosts.kind_nodes, limit, NULL,
	    s->hosts.tags[s->hosts.tag_count].nodes);
	return (uint32_t)s->hosts.tag_count++;
}

uint32_t
scheduler_add_tag_below(struct scheduler *s, uint32_t above, uint32_t tag)
{
	struct sched_tag *made;

	assert(above < s->hosts.tag_count && tag < s->hosts.tag_count);
	s->hosts.tags = mem_grow(s->hosts.tags, &s->hosts.tag_cap,
	    s->hosts.tag_count + 1, sizeof(*s->hosts.tags));
	made = &s->hosts.tags[s->hosts.tag_count];
	made->limit = s->hosts.tags[tag].limit;
	hosts_make_nodes(&s->hosts, s->hosts.tags[above].nodes, made->limit,
	    NULL, made->nodes);
	return (uint32_t)s->hosts.tag_count++;
}

void
scheduler_limit_tag(
    struct scheduler *s, uint32_t tag, const struct scheduler_host *is)
{
	struct limiter_limit limit = hosts_limit(&s->hosts, is);

	assert(tag < s->hosts.tag_count);
	limiter_set_limit(s->queues.limiter, s->hosts.tags[tag].limit, &limit);
}

void
scheduler_set_tag(struct scheduler *s, uint32_t number, uint32_t tag)
{
	struct sched_host *host;

	assert(number < s->hosts.count);
	assert(tag == SCHEDULER_NONE || tag < s->hosts.tag_count);
	host = &s->hosts.items[number];
	host->tag = tag;
	for (uint32_t i = host->first_site; i != SCHEDULER_NONE;
	     i = s->sites.items[i].next_site)
		s->sites.items[i].is.tag = tag;
	hosts_move(&s->hosts, host);
}

void
scheduler_set_host(
    struct scheduler *s, uint32_t number, const struct scheduler_host *is)
{
	struct limiter_limit limit = hosts_limit(&s->hosts, is);

	assert(number < s->hosts.count);
	limiter_set_limit(
	    s->queues.limiter, s->hosts.items[number].limit, &limit);
}

void
scheduler_spend(struct scheduler *s, uint32_t site, int64_t at_s)
{
	assert(site < s->sites.count);
	budget_fill(&s->all, at_s * 1000, 1);
	limiter_fill(s->queues.limiter, at_s * 1000,
	    s->sites.items[site].nodes[NODE_PAGES]);
}

void
scheduler_spent(struct scheduler *s, int64_t now_s)
{
	clock_set(s, now_s);
	limiter_filled(s->queues.limiter, s->clock.now_s * 1000);
}

/* Holds. */

/* The node of the host's pages, or SCHEDULER_NONE: the host has no site yet. */
static uint32_t
node_of(const struct scheduler *s, uint32_t host)
{
	assert(host < s->hosts.count);
	return s->hosts.items[host].nodes[NODE_PAGES];
}

void
scheduler_hold(struct scheduler *s, uint32_t host,
    enum scheduler_hold_kind kind, int64_t now_s, int64_t hold_s)
{
	uint32_t node = node_of(s, host);

	clock_set(s, now_s);
	if (node == SCHEDULER_NONE || hold_s <= 0)
		return;
	if (hold_s > HOLD_MAX_S)
		hold_s = HOLD_MAX_S;
	limiter_hold(s->queues.limiter, node, host_hold_kind(kind),
	    (s->clock.now_s + hold_s) * 1000);
}

void
scheduler_unhold(
    struct scheduler *s, uint32_t host, enum scheduler_hold_kind kind)
{
	uint32_t node = node_of(s, host);

	if (node != SCHEDULER_NONE)
		limiter_unhold(s->queues.limiter, node, host_hold_kind(kind));
}

int64_t
scheduler_held_s(
    const struct scheduler *s, uint32_t host, enum scheduler_hold_kind kind)
{
	uint32_t node = node_of(s, host);
	int64_t held_ms;

	if (node == SCHEDULER_NONE)
		return INT64_MIN;
	held_ms = limiter_held_ms(
	    s->queues.limiter, node, host_hold_kind(kind));
	return held_ms == INT64_MIN ? INT64_MIN : held_ms / 1000;
}
