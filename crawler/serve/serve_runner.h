/* The server that `run --listen` starts: `freshet serve` as a process. */
#ifndef FRESHET_SERVE_RUNNER_H
#define FRESHET_SERVE_RUNNER_H

#include <stdbool.h>
#include <sys/types.h>

#include "crawler/cli/options.h"

/* Zeroed before its first use. */
struct serve_runner {
	pid_t pid; /* 0: it does not run */
};

/*
 * serve_runner_keep(runner, options, is_over): start the server on the store
 * and the configuration of these options, unless it runs.  *is_over says
 * whether it has ended since the last call.  It ends when this process does.
 * Returns 0 or errno.
 * serve_runner_end(runner): end the server, and wait for its end; it is killed
 * if it does not end within two seconds.
 */
int serve_runner_keep(
    struct serve_runner *, const struct options *, bool *is_over);
void serve_runner_end(struct serve_runner *);

#endif
