/* The daemon's events as lines. */
#ifndef FRESHET_DAEMON_LOG_H
#define FRESHET_DAEMON_LOG_H

#include "crawler/daemon.h"
#include "crawler/log.h"

/* daemon_log(log, now_s, event): one line, docs/run.md. */
void daemon_log(struct log *, int64_t now_s, const struct daemon_event *);

#endif
