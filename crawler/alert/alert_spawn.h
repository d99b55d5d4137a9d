/* Starting another program. */
#ifndef FRESHET_ALERT_SPAWN_H
#define FRESHET_ALERT_SPAWN_H

#include <sys/types.h>

/* alert_spawn(pid, path, argv, in): start a program with the descriptor `in` as
 * its stdin (-1: /dev/null), stderr as its stdout, and nothing else of this
 * process but the environment, in a process group of its own.  argv ends with
 * NULL.  Returns 0 or errno. */
int alert_spawn(pid_t *pid, const char *path, const char *const argv[], int in);

#endif
