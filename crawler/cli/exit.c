/* Exit statuses. */
#include "crawler/cli/exit.h"

#include <assert.h>
#include <signal.h>
#include <unistd.h>

#include "crawler/cli/out.h"
#include "store/store.h"

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

int
exit_complain(struct store *store, enum diag_code code)
{
	const char *where = store_trouble(store);

	if (code == DIAG_STORE_DAMAGED && where[0] != '\0')
		complain(
		    "%s: %s; see 'freshet db fsck'", diag_name(code), where);
	else
		complain("%s: %s", diag_name(code), diag_info(code)->trigger);
	return exit_of_store(code);
}

static void
on_signal(int number)
{
	_exit(number == SIGINT ? EXIT_INTERRUPTED : EXIT_TERMINATED);
}

void
exit_on_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
}
