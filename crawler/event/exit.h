/* The exit statuses of the program; docs/man/manual.c lists them. */
#ifndef FRESHET_EXIT_H
#define FRESHET_EXIT_H

#include <signal.h>

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

/* exit_of_store(code): the exit status for a code that store_open or a commit
 * returned. */
int exit_of_store(enum diag_code);

/* exit_on_signals(): let SIGINT and SIGTERM end the process at once, with 130
 * and 143. This is for commands that write nothing that could remain half done:
 * the kernel releases their locks and unlinked files. */
void exit_on_signals(void);

/* exit_block_signals(ends, before): block SIGHUP, SIGINT and SIGTERM, and write
 * them to *ends, so that the command can look for them where nothing is half
 * done. *before: the signals that were blocked; NULL is allowed. */
void exit_block_signals(sigset_t *ends, sigset_t *before);

#endif
