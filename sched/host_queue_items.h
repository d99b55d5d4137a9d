/* The documents that wait for one host, the best first; private to the
 * frontier. */
#ifndef FRESHET_HOST_QUEUE_ITEMS_H
#define FRESHET_HOST_QUEUE_ITEMS_H

#include <stddef.h>

#include "sched/host_queue.h"

/* There may be 100,000 of one host, and 100,000 hosts with one each. */
struct queued {
	uint64_t id;
	int64_t newest_s;
	uint64_t rank; /* class, then order of arrival */
};

/* Zeroed: empty. */
struct items {
	struct queued *queued; /* owned; a heap */
	uint32_t count, cap;
};

/* items_add(items, item, order): order grows with each item of any host. */
void items_add(struct items *, const struct host_queue_item *, uint64_t order);

/* items_take(items): the id of the best; there must be one. */
uint64_t items_take(struct items *);

void items_release(struct items *);

#endif
