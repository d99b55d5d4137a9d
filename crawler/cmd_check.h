/* freshet check; see commands.h. */
#ifndef FRESHET_CMD_CHECK_H
#define FRESHET_CMD_CHECK_H

#include "crawler/forkserver.h"
#include "crawler/options.h"

/* command_check(options, forkserver): the exit status. */
int command_check(struct options *, struct forkserver *);

#endif
