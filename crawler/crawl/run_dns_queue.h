/* The driver: tasks whose host names must be looked up first. */
#ifndef FRESHET_RUN_DNS_QUEUE_H
#define FRESHET_RUN_DNS_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct dns_queue;
struct run;

/* dns_queue_new(run): an empty queue; the run is borrowed. */
struct dns_queue *dns_queue_new(struct run *);
void dns_queue_free(struct dns_queue *);

/* dns_queue_holds(dns_queue, task): the host queue gave the task out; if its
 * request would only wait for a look-up, the task waits here, without a
 * transfer, a file or an attempt.  False: it need not wait. */
bool dns_queue_holds(struct dns_queue *, uint32_t task);

/* dns_queue_next(dns_queue, *task): a task that may be started now, as if the
 * host queue had just given it out; false: there is none. */
bool dns_queue_next(struct dns_queue *, uint32_t *task);

/* dns_queue_is_empty(dns_queue): does no task wait? The end of a look-up is not
 * reported, so the caller asks for the next task again after a while. */
bool dns_queue_is_empty(const struct dns_queue *);

/* dns_queue_open(dns_queue): all tasks go back into the host queue. */
void dns_queue_open(struct dns_queue *);

#endif
