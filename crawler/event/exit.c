/* Exit statuses. */
#include "crawler/event/exit.h"

#include <assert.h>
#include <unistd.h>

/* store_open() and commits return no other codes. */
int
exit_of_store(enum diag_code code)
{
	if (code == DIAG_OK)
		return EXIT_DONE;
	if (code == DIAG_STORE_LOCKED)
		return EXIT_LOCKED;
	if (code == DIAG_STORE_DAMAGED)
		return EXIT_DAMAGED;
	if (code == DIAG_STORE_UNUSABLE)
		return EXIT_USAGE;
	assert(code == DIAG_DISK_FULL);
	return EXIT_DISK;
}

static void
exit_on_signal(int number)
{
	_exit(number == SIGINT ? EXIT_INTERRUPTED : EXIT_TERMINATED);
}

void
exit_on_signals(void)
{
	struct sigaction action = {.sa_handler = exit_on_signal};

	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
}

void
exit_block_signals(sigset_t *ends, sigset_t *before)
{
	(void)sigemptyset(ends);
	(void)sigaddset(ends, SIGHUP);
	(void)sigaddset(ends, SIGINT);
	(void)sigaddset(ends, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, ends, before);
}
