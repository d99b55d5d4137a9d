/*
 * freshet fetch: the owner of the store fetches the pages that are due.
 */
#include "crawler/commands/commands.h"
#include "crawler/control/store_client.h"

int
command_fetch(struct options *options, struct forkserver *forkserver)
{
	struct store_call call = {.command = "fetch"};

	(void)forkserver;
	return store_call(options, &call);
}
