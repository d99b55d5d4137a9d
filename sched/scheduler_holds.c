/* Hosts that are left alone: see scheduler_holds.h. */
#include "sched/scheduler_holds.h"

#include <assert.h>

#include "sched/limiter.h"
#include "sched/scheduler_internal.h"

#define DAY_S 86400
#define HOLD_MAX_S (INT64_C(366) * DAY_S)

/* Nodes of both kinds have the limit of the host, and are held with it. */
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

/* The node of its pages, or SCHEDULER_NONE: it has no site yet. */
static uint32_t
node_of(const struct scheduler *s, uint32_t host)
{
	assert(host < s->host_count);
	return s->hosts[host].nodes[NODE_PAGES];
}

int64_t
site_hold(struct scheduler *s, const struct site *site,
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
