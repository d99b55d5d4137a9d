/* Hosts, addresses and tags of the scheduler: see scheduler_hosts.h. */
#include "sched/scheduler_hosts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sched/limiter.h"
#include "sched/scheduler_internal.h"

#define DAY_S 86400
#define HOLD_MAX_S (INT64_C(366) * DAY_S)

/* The nodes of an address for hosts of one tag; all share the limit. */
struct address_node {
	uint32_t tag;
	uint32_t nodes[NODE_KINDS];
};

struct sched_address {
	uint32_t limit; /* a number of the limiter */
	struct address_node *nodes; /* owned */
	size_t count, cap;
};

struct limiter_limit
limit_of(const struct scheduler *s, double requests_per_hour)
{
	return (struct limiter_limit){.per_hour = requests_per_hour,
	    .burst_ms = s->options.tick_s * 1000,
	    .is_budget = requests_per_hour > 0};
}

static struct limiter_limit
limit_of_host(const struct scheduler *s, const struct scheduler_host *is)
{
	struct limiter_limit limit = limit_of(s, is->requests_per_hour);

	limit.gap_ms = is->delay_ms;
	limit.is_budget = is->is_budget;
	if (is->burst_ms > 0)
		limit.burst_ms = is->burst_ms;
	return limit;
}

void
nodes_make(struct scheduler *s, const uint32_t above[], uint32_t limit,
    struct positions *positions, uint32_t nodes[])
{
	uint32_t readings =
	    above[NODE_READINGS]; /* read first: `nodes` may be `above` */

	nodes[NODE_PAGES] = limiter_node(
	    s->limiter, above[NODE_PAGES], limit, positions);
	nodes[NODE_READINGS] = nodes[NODE_PAGES];
	if (!s->options.asks_apart)
		return;
	nodes[NODE_READINGS] = limiter_node(
	    s->limiter, readings, limit, positions);
	limiter_pair(s->limiter, nodes[NODE_PAGES], nodes[NODE_READINGS]);
}

uint32_t
scheduler_add_host(struct scheduler *s, const struct scheduler_host *is)
{
	struct limiter_limit limit = limit_of_host(s, is);

	s->hosts = mem_grow(
	    s->hosts, &s->host_cap, s->host_count + 1, sizeof(*s->hosts));
	s->hosts[s->host_count] = (struct sched_host){
	    .limit = limiter_limit(s->limiter, &limit),
	    .nodes = {SCHEDULER_NONE, SCHEDULER_NONE},
	    .address = SCHEDULER_NONE,
	    .first_site = SCHEDULER_NONE};
	return (uint32_t)s->host_count++;
}

uint32_t
scheduler_add_tag(struct scheduler *s, double requests_per_hour)
{
	struct limiter_limit is = limit_of(s, requests_per_hour);
	uint32_t limit = limiter_limit(s->limiter, &is);

	s->tags = mem_grow(
	    s->tags, &s->tag_cap, s->tag_count + 1, sizeof(*s->tags));
	s->tags[s->tag_count].limit = limit;
	nodes_make(s, s->kind_nodes, limit, NULL, s->tags[s->tag_count].nodes);
	return (uint32_t)s->tag_count++;
}

uint32_t
scheduler_add_tag_below(struct scheduler *s, uint32_t above, uint32_t tag)
{
	struct sched_tag *made;

	assert(above < s->tag_count && tag < s->tag_count);
	s->tags = mem_grow(
	    s->tags, &s->tag_cap, s->tag_count + 1, sizeof(*s->tags));
	made = &s->tags[s->tag_count];
	made->limit = s->tags[tag].limit;
	nodes_make(s, s->tags[above].nodes, made->limit, NULL, made->nodes);
	return (uint32_t)s->tag_count++;
}

void
scheduler_limit_tag(
    struct scheduler *s, uint32_t tag, const struct scheduler_host *is)
{
	struct limiter_limit limit = limit_of_host(s, is);

	assert(tag < s->tag_count);
	limiter_set_limit(s->limiter, s->tags[tag].limit, &limit);
}

void
scheduler_spend_tag(
    struct scheduler *s, uint32_t tag, int64_t now_s, double requests)
{
	assert(tag < s->tag_count);
	clock_set(s, now_s);
	budget_fill(&s->all, s->now_s * 1000, requests);
	limiter_spend(s->limiter, s->now_s * 1000,
	    s->tags[tag].nodes[NODE_PAGES], budget_fill, requests);
}

uint32_t
scheduler_add_address(struct scheduler *s, const struct scheduler_host *is)
{
	struct limiter_limit limit = limit_of_host(s, is);

	s->addresses = mem_grow(s->addresses, &s->address_cap,
	    s->address_count + 1, sizeof(*s->addresses));
	s->addresses[s->address_count] = (struct sched_address){
	    .limit = limiter_limit(s->limiter, &limit)};
	return (uint32_t)s->address_count++;
}

void
addresses_free(struct scheduler *s)
{
	for (size_t i = 0; i < s->address_count; i++)
		free(s->addresses[i].nodes);
	free(s->addresses);
}

/* The nodes above those of the hosts at that address with that tag;
 * borrowed. */
static const uint32_t *
nodes_above(struct scheduler *s, uint32_t number, uint32_t tag)
{
	const uint32_t *above = tag == SCHEDULER_NONE ? s->kind_nodes
						      : s->tags[tag].nodes;
	struct sched_address *address;
	struct address_node *at;

	if (number == SCHEDULER_NONE)
		return above;
	address = &s->addresses[number];
	for (size_t i = 0; i < address->count; i++)
		if (address->nodes[i].tag == tag)
			return address->nodes[i].nodes;
	address->nodes = mem_grow(address->nodes, &address->cap,
	    address->count + 1, sizeof(*address->nodes));
	at = &address->nodes[address->count++];
	at->tag = tag;
	nodes_make(s, above, address->limit, NULL, at->nodes);
	return at->nodes;
}

static bool
host_has_node(const struct sched_host *host)
{
	return host->nodes[NODE_PAGES] != SCHEDULER_NONE;
}

void
host_take(struct scheduler *s, uint32_t number)
{
	struct sched_site *site = &s->sites[number];
	struct sched_host *host = &s->hosts[site->is.host];

	/* Sites of one host and tag wait at one node; another tag has its
	 * own node, which shares the limit of the host. */
	if (!host_has_node(host) || host->tag != site->is.tag) {
		const uint32_t *above = nodes_above(
		    s, host->address, site->is.tag);

		host->tag = site->is.tag;
		nodes_make(s, above, host->limit, &s->positions, host->nodes);
	}
	memcpy(site->nodes, host->nodes, sizeof(site->nodes));
	site->next_site = host->first_site;
	host->first_site = number;
}

/* Move the nodes of the host's sites below the nodes that belong above them
 * now. */
static void
move(struct scheduler *s, const struct sched_host *host)
{
	for (uint32_t i = host->first_site; i != SCHEDULER_NONE;
	     i = s->sites[i].next_site) {
		const struct sched_site *site = &s->sites[i];
		const uint32_t *above = nodes_above(
		    s, host->address, site->is.tag);

		limiter_move(
		    s->limiter, site->nodes[NODE_PAGES], above[NODE_PAGES]);
		if (s->options.asks_apart)
			limiter_move(s->limiter, site->nodes[NODE_READINGS],
			    above[NODE_READINGS]);
	}
}

void
scheduler_set_address(struct scheduler *s, uint32_t number, uint32_t address)
{
	struct sched_host *host;

	assert(number < s->host_count);
	assert(address == SCHEDULER_NONE || address < s->address_count);
	host = &s->hosts[number];
	if (host->address == address)
		return;
	host->address = address;
	move(s, host);
}

void
scheduler_set_tag(struct scheduler *s, uint32_t number, uint32_t tag)
{
	struct sched_host *host;

	assert(number < s->host_count);
	assert(tag == SCHEDULER_NONE || tag < s->tag_count);
	host = &s->hosts[number];
	host->tag = tag;
	for (uint32_t i = host->first_site; i != SCHEDULER_NONE;
	     i = s->sites[i].next_site)
		s->sites[i].is.tag = tag;
	move(s, host);
}

void
scheduler_set_host(
    struct scheduler *s, uint32_t number, const struct scheduler_host *is)
{
	struct limiter_limit limit = limit_of_host(s, is);

	assert(number < s->host_count);
	limiter_set_limit(s->limiter, s->hosts[number].limit, &limit);
}

void
scheduler_spend(
    struct scheduler *s, uint32_t number, int64_t now_s, double requests)
{
	assert(number == SCHEDULER_NONE || number < s->host_count);
	clock_set(s, now_s);
	if (number != SCHEDULER_NONE && !host_has_node(&s->hosts[number]))
		return;
	budget_fill(&s->all, s->now_s * 1000, requests);
	limiter_spend(s->limiter, s->now_s * 1000,
	    number == SCHEDULER_NONE ? s->kind_nodes[NODE_PAGES]
				     : s->hosts[number].nodes[NODE_PAGES],
	    budget_fill, requests);
}

/* Holds. */

/* Nodes of both kinds share the limit of the host, and its holds. */
static enum limiter_hold_kind
kind_of(enum scheduler_hold_kind kind)
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

/* The node of the host's pages, or SCHEDULER_NONE: the host has no site yet. */
static uint32_t
node_of(const struct scheduler *s, uint32_t host)
{
	assert(host < s->host_count);
	return s->hosts[host].nodes[NODE_PAGES];
}

int64_t
site_hold(struct scheduler *s, const struct sched_site *site,
    enum scheduler_hold_kind kind, int64_t hold_s)
{
	if (hold_s > DAY_S)
		hold_s = DAY_S;
	limiter_hold(s->limiter, site->nodes[NODE_PAGES], kind_of(kind),
	    (s->now_s + hold_s) * 1000);
	return hold_s;
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
	limiter_hold(
	    s->limiter, node, kind_of(kind), (s->now_s + hold_s) * 1000);
}

void
scheduler_unhold(
    struct scheduler *s, uint32_t host, enum scheduler_hold_kind kind)
{
	uint32_t node = node_of(s, host);

	if (node != SCHEDULER_NONE)
		limiter_unhold(s->limiter, node, kind_of(kind));
}

int64_t
scheduler_held_s(
    const struct scheduler *s, uint32_t host, enum scheduler_hold_kind kind)
{
	uint32_t node = node_of(s, host);
	int64_t held_ms;

	if (node == SCHEDULER_NONE)
		return INT64_MIN;
	held_ms = limiter_held_ms(s->limiter, node, kind_of(kind));
	return held_ms == INT64_MIN ? INT64_MIN : held_ms / 1000;
}
