/* Hosts, addresses and tags of the scheduler: where things wait, and what
 * holds there (docs/scheduling.md, "The turn"). */
#include "sched/scheduler_hosts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sched/limiter.h"
#include "sched/quota.h"
#include "sched/scheduler_internal.h"
#include "sched/scheduler_tags.h"
#include "sched/scheduler_tell.h"

/* Nodes for each tag whose hosts have the address; all keep its limit. */
struct address_node {
	uint32_t tag;
	uint32_t nodes[NODE_KINDS];
};

struct address {
	uint32_t limit; /* of rate limiter */
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
	uint32_t readings = above[NODE_READINGS]; /* nodes may be above */

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
	s->hosts[s->host_count] = (struct host){
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
	struct tag *made;

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
	s->addresses[s->address_count] = (struct address){
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

/* The nodes above those of hosts of that address and tag: borrowed. */
static const uint32_t *
nodes_above(struct scheduler *s, uint32_t number, uint32_t tag)
{
	const uint32_t *above = tag == SCHEDULER_NONE ? s->kind_nodes
						      : s->tags[tag].nodes;
	struct address *address;
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
host_has_node(const struct host *host)
{
	return host->nodes[NODE_PAGES] != SCHEDULER_NONE;
}

void
host_take(struct scheduler *s, uint32_t number)
{
	struct site *site = &s->sites[number];
	struct host *host = &s->hosts[site->is.host];

	/* Sites of one host and tag wait at one node; another tag has a node of
	 * its own, and the limit of the host with it. */
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

/* What waits for the sites of a host goes below what is above them now. */
static void
move(struct scheduler *s, const struct host *host)
{
	for (uint32_t i = host->first_site; i != SCHEDULER_NONE;
	     i = s->sites[i].next_site) {
		const struct site *site = &s->sites[i];
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
	struct host *host;

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
	struct host *host;

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

void
scheduler_spare(struct scheduler *s, const struct scheduler_choice *choice)
{
	uint32_t document = choice->number;
	int64_t now_ms = s->now_s * 1000;

	assert(choice->kind != SCHEDULER_DOCUMENT);
	if (choice->kind == SCHEDULER_PAGE)
		document = s->pages[choice->number].document;
	budget_return(&s->all, now_ms, 1);
	if (choice->kind == SCHEDULER_PAGE)
		quota_spared(
		    s, s->sources[document].site, &s->pages[choice->number]);
	limiter_spend(s->limiter, now_ms,
	    s->sites[s->sources[document].site].nodes[NODE_PAGES],
	    budget_return, 1);
}
