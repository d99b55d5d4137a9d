/* The driver: visits whose hosts have names that are to be looked up first. */
#ifndef FRESHET_RUN_DNS_QUEUE_H
#define FRESHET_RUN_DNS_QUEUE_H

#include "crawler/crawl/run_base.h"

/* dns_queue_holds(run, visit): the frontier gave it, and a request for it would
 * only wait for a look-up: it waits here instead, without a place among the
 * transfers, a file or a attempt; false: it need not. */
bool dns_queue_holds(struct run *, uint32_t task);

/* dns_queue_next(run, *visit): one that may be started now, as if the frontier
 * had just given it; false: there is none. */
bool dns_queue_next(struct run *, uint32_t *task);

/* dns_queue_is_empty(run): nobody waits.  Nobody says when there is room for
 * the next: it is to be looked for. */
bool dns_queue_is_empty(const struct run *);

/* dns_queue_open(run): all go back into the frontier. */
void dns_queue_open(struct run *);

struct dns_queue *dns_queue_new(void);
void dns_queue_free(struct dns_queue *);

#endif
