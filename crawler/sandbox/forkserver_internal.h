/* What the two sides of the fork server share. */
#ifndef FRESHET_FORKSERVER_INTERNAL_H
#define FRESHET_FORKSERVER_INTERNAL_H

#include <stdbool.h>
#include <sys/types.h>

#include "crawler/sandbox/forkserver.h"

enum request_kind {
	REQUEST_SPAWN,
	REQUEST_KILL,
	REQUEST_EXTEND,
	REQUEST_SPARE
};

struct request {
	enum request_kind kind;
	pid_t pid;
};

struct answer {
	enum forkserver_event event;
	bool is_spare; /* SPAWNED or FAILED: a server, no reader */
	pid_t pid;
	int status;
};

/*
 * forkserver_fork(options, is_orphan, other, *fd): fork one more server from
 * this process; other is a descriptor that it must not have, -1: none.
 * Answers its pid and main's end of its socket, or -1 with errno.  It ends
 * when that end is closed everywhere and, unless it outlives its parent as an
 * orphan, with its parent.
 */
pid_t forkserver_fork(
    const struct forkserver_options *, bool is_orphan, int other, int *fd);

#endif
