/* The daemon's events as lines of its log (run.md). */
#ifndef FRESHET_DAEMON_LOG_H
#define FRESHET_DAEMON_LOG_H

#include "crawler/daemon/daemon.h"
#include "crawler/event/log.h"

struct frontier_late;
struct loop_stall;

/* daemon_log(log, now_s, event): write one line of the log. */
void daemon_log(struct log *, int64_t now_s, const struct daemon_event *);

/* daemon_log_time(log, key, at_s): append a time to a line that was begun. */
void daemon_log_time(struct log *, const char *key, int64_t at_s);

/* These write a line for a callback of frontier_options, or a stall of the
 * loop. */
void daemon_log_hold(
    struct log *, int64_t now_s, const struct frontier_held *held);

void daemon_log_full(struct log *, int64_t now_s, struct slice host);
void daemon_log_stall(
    struct log *, int64_t now_s, const struct loop_stall *stall);

void daemon_log_late(
    struct log *, int64_t now_s, const struct frontier_late *late);

#endif
