/*
 * The frontier's hosts: the table of sched/host_table.h, which the frontier
 * shares with the driver if there is one.  Here are the limits of hosts, their
 * holds in the store, and when a consumer may have a page of a host.
 */
#ifndef FRESHET_FRONTIER_HOSTS_H
#define FRESHET_FRONTIER_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "sched/host_table.h"
#include "store/hold.h"

struct frontier;
struct frontier_consumer;

/* host_keep(frontier, name): the number of that host, which the frontier knows
 * from now on. */
uint32_t host_keep(struct frontier *, struct slice name);

/* host_limit(frontier, host): set the limits of the host, in the scheduler too,
 * from its rules, its Crawl-delay and its budget. */
void host_limit(struct frontier *, uint32_t host);

/* host_lets(frontier, consumer, host): does the delay of the host allow that
 * the consumer gets a page of it now?  If not, frontier_paced_ms() says when.
 */
bool host_lets(
    struct frontier *, const struct frontier_consumer *, uint32_t host);

/* host_on_held: the follower of the table: tell the scheduler and options.held
 * of a hold; nothing is saved.  host_tell_hold(frontier, host, kind): tell the
 * scheduler alone whether there is such a hold. */
void host_on_held(
    void *frontier, struct host *, enum held_kind, const char *why);
void host_tell_hold(struct frontier *, const struct host *, enum held_kind);

/* host_report_hold(frontier, hold, until_s, why): call options.held.  A hold is
 * numbered host * HELD_KINDS + kind. */
void host_report_hold(
    struct frontier *, uint32_t hold, int64_t until_s, const char *why);

/* host_held_s(host): the end of all holds of its pages; HOST_NEVER: the host
 * never was held.  host_times(frontier, host): its holds that are not over. */
int64_t host_held_s(const struct host *);
struct hold_times host_times(const struct frontier *, uint32_t host);

#endif
