/* Files of traces, for `sim`. */
#ifndef FRESHET_SIM_TRACE_H
#define FRESHET_SIM_TRACE_H

#include <stdint.h>

#include "tests/sim/history.h"

/*
 * sim_trace_read(history, path, now_s): read a trace, gzipped or not, into an
 * initialised history; "-" is stdin. Faults of the trace are printed on stderr:
 * the first three lines of each code, and the number of further ones. Release
 * the history in any case.
 *
 * Returns EXIT_DONE, EXIT_FINDINGS (some lines were left out or repaired) or
 * EXIT_NO_TARGET (there is nothing to replay).
 */
int sim_trace_read(struct history *, const char *path, int64_t now_s);

#endif
