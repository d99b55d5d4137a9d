/* Exit statuses (CLI section 3). */
#ifndef FRESHET_EXIT_H
#define FRESHET_EXIT_H

#include "base/diag.h"

enum exit_status {
	EXIT_DONE = 0,
	EXIT_FINDINGS = 1,
	EXIT_USAGE = 2,
	EXIT_BUDGET = 3,
	EXIT_NO_TARGET = 4,
	EXIT_LOCKED = 5,
	EXIT_DAMAGED = 6,
	EXIT_DISK = 7,
	EXIT_RESOURCES = 8,
	EXIT_BUG = 9,
	EXIT_INTERRUPTED = 130,
	EXIT_TERMINATED = 143
};

/* exit_of_store(code): the status that a store's diagnostic means. */
int exit_of_store(enum diag_code);

/* exit_on_signals(): SIGINT and SIGTERM end the process at once, with 130 and
 * 143: for commands that write nothing that could be left half done; what is
 * printed ends, and locks and temporary files go with the process. */
void exit_on_signals(void);

#endif
