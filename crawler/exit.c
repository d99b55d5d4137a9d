/* Exit statuses. */
#include "crawler/exit.h"

#include <assert.h>

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
