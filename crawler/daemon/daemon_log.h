/* The daemon's events as lines. */
#ifndef FRESHET_DAEMON_LOG_H
#define FRESHET_DAEMON_LOG_H

#include "crawler/daemon/daemon.h"
#include "crawler/event/log.h"

struct frontier_late;
struct loop_stall;

/* daemon_log(log, now_s, event): one line, docs/run.md. */
void daemon_log(struct log *, int64_t now_s, const struct daemon_event *);

/* daemon_log_hold(log, now_s, held): the same of desk.h's held. */
void daemon_log_hold(
    struct log *, int64_t now_s, const struct frontier_held *held);

/* daemon_log_full(log, now_s, host): the same of desk.h's full. */
void daemon_log_full(struct log *, int64_t now_s, struct slice host);

/* daemon_log_stall(log, now_s, stall): the same of loop.h's stall. */
void daemon_log_stall(
    struct log *, int64_t now_s, const struct loop_stall *stall);

/* daemon_log_late(log, now_s, late): the same of desk.h's late. */
void daemon_log_late(
    struct log *, int64_t now_s, const struct frontier_late *late);

#endif
