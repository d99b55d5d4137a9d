/* Files of traces, for `sim`. */
#ifndef FRESHET_SIM_TRACE_H
#define FRESHET_SIM_TRACE_H

#include <stdint.h>

#include "sched/sim/history.h"

/*
 * sim_trace_read(history, path, now_s):
 * Read a trace, gzipped or not, into the history, which is initialised and to
 * be released in any case; "-" is stdin.  What is wrong with it is said on
 * stderr, of each code the first three lines and how many more there are.
 *
 * Returns EXIT_DONE, EXIT_FINDINGS (some lines were left out or repaired) or
 * EXIT_NO_TARGET (there is nothing to replay).
 */
int sim_trace_read(struct history *, const char *path, int64_t now_s);

#endif
