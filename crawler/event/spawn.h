/* Other processes: this program again, and programs of the user's. */
#ifndef FRESHET_SPAWN_H
#define FRESHET_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * spawn_self(words): start this program with these words, of which the last is
 * NULL, and the first its name.  It is in a process group of its own, has no
 * stdin and no stdout, is not known to the service manager, and gets SIGTERM
 * when this process dies.  Returns -1 with errno if it cannot be started.
 */
pid_t spawn_self(const char *const words[]);

/* spawn_shell(command, in, out): the same for `sh -c command`, with descriptors
 * that become its stdin and its stdout; they stay the caller's. */
pid_t spawn_shell(const char *command, int in, int out);

/* spawn_ended(pid, how, status): has the process ended?  Waits for that if
 * `how` is 0, and not if it is WNOHANG.  *pid is 0 then, and if no process ran,
 * which is none that ended. */
bool spawn_ended(pid_t *pid, int how, int *status);

#endif
