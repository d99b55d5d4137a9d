/* Other processes: this program again, and programs of the user's. */
#ifndef FRESHET_SPAWN_H
#define FRESHET_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * spawn_program(path, words, in, out): start the program at that path with
 * these words, of which the last is NULL, and the first its name.  The
 * descriptors become its stdin and its stdout, and stay the caller's; -1 is
 * /dev/null.  It has no others but stderr, is in a process group of its own, is
 * not known to the service manager, and gets SIGTERM when this process dies.
 * Returns -1 with errno if no process can be made; where the program is none,
 * the process ends with status 127.
 */
pid_t spawn_program(
    const char *path, const char *const words[], int in, int out);

/* spawn_self(words): the same for this program, without stdin and stdout.
 * spawn_shell(command, in, out): the same for `sh -c command`. */
pid_t spawn_self(const char *const words[]);
pid_t spawn_shell(const char *command, int in, int out);

/* spawn_ended(pid, how, status): has the process ended?  Waits for that if
 * `how` is 0, and not if it is WNOHANG.  *pid is 0 then, and if no process ran,
 * which is none that ended. */
bool spawn_ended(pid_t *pid, int how, int *status);

/* spawn_end(pid, ms): let the process end, if one runs, and wait for that; it
 * is killed if it does not end within so many milliseconds. */
void spawn_end(pid_t *pid, int ms);

#endif
