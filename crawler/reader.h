/*
 * The reader: a process that turns bodies into readings and can do nothing
 * else.  It is forked by the fork server, enters the jail, and then serves
 * jobs from its socket until the socket is closed.
 */
#ifndef FRESHET_READER_H
#define FRESHET_READER_H

#include <stdbool.h>

#include "crawler/forkserver.h"

/* reader_main(fd, options): never returns; exits 0 at the end of the socket.
 */
_Noreturn void reader_main(int fd, const struct forkserver_options *);

/*
 * reader_plant(name): the planted misbehaviours by which the tests prove the
 * jail, in the real reader: "open", "socket", "exec", "fork", "fds",
 * "crash", "loop", "sleep", "garbage", "oversize", "exit", "memory", "after-end".  False when name
 * is none of them.
 */
bool reader_plant(const char *name);

#endif
