/* Programs that alerts start: that of a rule, and `freshet alert send` beside a
 * daemon, so that nobody who is told holds up the crawl. */
#ifndef FRESHET_ALERT_RUNNER_H
#define FRESHET_ALERT_RUNNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "crawler/cli/options.h"

/* alert_spawn(pid, path, argv, in): start a program with the descriptor `in` as
 * its stdin (-1: /dev/null), stderr as its stdout, and nothing else of this
 * process but the environment, in a process group of its own.  argv ends with
 * NULL.  Returns 0 or errno. */
int alert_spawn(pid_t *pid, const char *path, const char *const argv[], int in);

#define ALERT_EVERY_MS 300000

/* Zeroed before its first use. */
struct alert_runner {
	pid_t pid; /* of the process; 0: none runs */
	int64_t next_ms;
};

/* alert_runner_ended(runner, why): has the process ended since the last call?
 * If it died, or ended before it had told what it could, `why` gets the reason.
 */
enum alert_end { ALERT_NOT_ENDED, ALERT_ENDED_WELL, ALERT_DIED };
enum alert_end alert_runner_ended(struct alert_runner *, struct buf *why);

/* alert_runner_tick(runner, options, now_ms): start the process if its time has
 * come, none runs and the configuration has an alert.  Its stdout and stderr
 * are the stderr of this process.  Returns 0 or errno.
 * alert_runner_end(runner): end the process, if it runs; it finishes what it is
 * telling, for ten seconds at most. */
int alert_runner_tick(
    struct alert_runner *, const struct options *, int64_t now_ms);
void alert_runner_end(struct alert_runner *);

#endif
