/* A choice among some sites only: see scheduler_some.h. */
#include "sched/scheduler_some.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/limiter.h"
#include "sched/sites.h"

/* At most this many sites are compared at once. */
#define SITES_COMPARED 64
#define CLOSED UINT32_MAX

struct sites_open {
	/* Of the site with this index: its neighbours in the ring of open
	 * sites. */
	uint32_t next, before; /* CLOSED: it is not in the ring */
	/* These two members do not belong to the site with this index.  They
	 * form a table of nodes in order, with the index of the site that waits
	 * at each node.  Sites of one host share a node. */
	uint32_t node, place;
};

static uint32_t
node_of(const struct sched_sites *sites, const struct scheduler_some *some,
    size_t at)
{
	return sites->items[some->sites[at]].nodes[NODE_PAGES];
}

/* Take the site out of the ring. */
static void
shut(struct scheduler_some *some, uint32_t at)
{
	struct sites_open *ring = some->ring;
	uint32_t next = ring[at].next;

	ring[ring[at].before].next = next;
	ring[next].before = ring[at].before;
	ring[at].next = CLOSED;
	some->open--;
	if (some->at == at)
		some->at = next;
}

/* Put the site back into the ring, as the last to have its turn. */
static void
reopen(struct scheduler_some *some, uint32_t at)
{
	struct sites_open *ring = some->ring;
	uint32_t next = (uint32_t)some->at;

	if (ring[at].next != CLOSED)
		return;
	if (some->open++ == 0) {
		ring[at].next = ring[at].before = at;
		some->at = at;
		return;
	}
	ring[at].next = next;
	ring[at].before = ring[next].before;
	ring[ring[at].before].next = at;
	ring[next].before = at;
}

static int
compare_nodes(const void *pa, const void *pb)
{
	const struct sites_open *a = pa, *b = pb;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static void
make_ring(const struct sched_sites *sites, struct scheduler_some *some)
{
	some->ring = mem_zero(some->count * sizeof(*some->ring));
	for (uint32_t i = 0; i < some->count; i++) {
		some->ring[i].node = node_of(sites, some, i);
		some->ring[i].place = i;
	}
	qsort(some->ring, some->count, sizeof(*some->ring), compare_nodes);
}

static void
reopen_all(const struct sched_sites *sites, struct scheduler_some *some)
{
	uint32_t count = (uint32_t)some->count;

	if (some->ring == NULL)
		make_ring(sites, some);
	for (uint32_t i = 0; i < count; i++) {
		some->ring[i].next = (i + 1) % count;
		some->ring[i].before = (i + count - 1) % count;
	}
	some->open = some->count;
	some->at %= some->count;
}

static void
reopen_node(struct scheduler_some *some, uint32_t node)
{
	const struct sites_open *ring = some->ring;
	size_t first = 0, last = some->count;

	while (first < last) {
		size_t middle = first + (last - first) / 2;

		if (ring[middle].node < node)
			first = middle + 1;
		else
			last = middle;
	}
	for (; first < some->count && ring[first].node == node; first++)
		reopen(some, ring[first].place);
}

/* Reopen the sites that may have a page since they were closed. */
static void
apply_news(const struct sched_sites *sites, struct scheduler_some *some)
{
	bool is_new = some->ring == NULL || some->now_s != sites->clock->now_s;
	uint32_t node;

	some->now_s = sites->clock->now_s;
	while (
	    limiter_next_news(sites->queues->limiter, &some->seen_news, &node))
		if (node == LIMITER_ROOT)
			is_new = true;
		else if (!is_new)
			reopen_node(some, node);
	if (is_new)
		reopen_all(sites, some);
}

/* Compare all sites, if there are few of them. */
static bool
best_of_all(
    struct sched_sites *sites, const struct scheduler_some *some, size_t *at)
{
	struct limiter_choice best;
	float value = 0;
	size_t found = 0;

	for (size_t i = 0; i < some->count; i++) {
		size_t site = (some->at + i) % some->count;

		if (!limiter_best(sites->queues->limiter,
			sites->clock->now_s * 1000, node_of(sites, some, site),
			&best))
			continue;
		if (found++ > 0 && best.value <= value)
			continue;
		value = best.value;
		*at = site;
	}
	return found > 0;
}

bool
sites_best(struct sched_sites *sites, struct scheduler_some *some, size_t *at)
{
	struct limiter_choice best;
	float value = 0;
	size_t found = 0, site;

	if (some->count <= SITES_COMPARED)
		return best_of_all(sites, some, at);
	apply_news(sites, some);
	site = some->at;
	for (size_t left = some->open; left > 0 && found < SITES_COMPARED;
	     left--) {
		uint32_t next = some->ring[site].next;

		some->evaluations++;
		if (!limiter_best(sites->queues->limiter,
			sites->clock->now_s * 1000, node_of(sites, some, site),
			&best)) {
			shut(some, (uint32_t)site);
		} else if (found++ == 0 || best.value > value) {
			value = best.value;
			*at = site;
		}
		site = next;
	}
	return found > 0;
}

void
sites_next(struct scheduler_some *some, size_t at)
{
	if (some->ring == NULL)
		some->at = at + 1;
	else if (some->ring[at].next != CLOSED)
		some->at = some->ring[at].next;
}

void
scheduler_some_release(struct scheduler_some *some)
{
	free(some->ring);
	some->ring = NULL;
}
