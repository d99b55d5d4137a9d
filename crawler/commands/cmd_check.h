/* freshet check; see commands.h. */
#ifndef FRESHET_CMD_CHECK_H
#define FRESHET_CMD_CHECK_H

#include "crawler/cli/options.h"
#include "crawler/sandbox/forkserver.h"

/* command_check(options, forkserver): the exit status. */
int command_check(struct options *, struct forkserver *);

#endif
