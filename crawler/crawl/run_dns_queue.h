/* The driver: tasks whose host names must be looked up first. */
#ifndef FRESHET_RUN_DNS_QUEUE_H
#define FRESHET_RUN_DNS_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct run;

/* dns_queue_holds(run, task): the host queue gave the task out; if its
 * request would only wait for a look-up, the task waits here, without a
 * transfer, a file or an attempt.  False: it need not wait. */
bool dns_queue_holds(struct run *, uint32_t task);

/* dns_queue_next(run, *task): a task that may be started now, as if the
 * host queue had just given it out; false: there is none. */
bool dns_queue_next(struct run *, uint32_t *task);

/* dns_queue_open(run): all tasks go back into the host queue. */
void dns_queue_open(struct run *);

#endif
