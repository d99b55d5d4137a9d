/* Inside the frontier. */
#ifndef FRESHET_HOST_QUEUE_INTERNAL_H
#define FRESHET_HOST_QUEUE_INTERNAL_H

#include "base/names.h"
#include "sched/addresses.h"
#include "sched/host_queue.h"
#include "sched/host_queue_items.h"
#include "sched/time_heap.h"

struct host {
	struct heap_entry entry; /* first: it is found by it */
	struct items items;
	struct address *address; /* NULL: not limited */
	int64_t delay_ms;
	int64_t last_sent_ms;
	int64_t before_ms; /* last_sent_ms before that */
	int64_t hold_until_ms;
	int64_t shared_until_ms; /* others ask it */
	bool is_busy;
	bool is_aside; /* busy, but not in flight */
	bool is_counted; /* among the frontier's active */
};

#define NEVER_SENT INT64_MIN

struct host_queue {
	struct host_queue_options options;
	struct names names; /* of the hosts, by their numbers */
	struct host **hosts; /* owned, and what they point to */
	size_t host_count, host_cap;
	struct time_heap ready; /* hosts, and addresses for theirs */
	struct addresses addresses;
	uint64_t arrivals;
	uint64_t turns;
	uint64_t queued;
	uint32_t in_flight;
	uint32_t active; /* hosts that wait or are busy */
};

struct host *host_queue_get(const struct host_queue *, uint32_t number);

/* host_update(frontier, host): into its heap, out of it, or to its place;
 * address_update: the same. */
void host_update(struct host_queue *, struct host *);
void address_update(struct host_queue *, struct address *);

#endif
