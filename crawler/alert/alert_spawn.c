/* Starting another program. */
#include "crawler/alert/alert_spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <unistd.h>

/* Say which descriptors the program has. */
static int
set_files(posix_spawn_file_actions_t *actions, int in)
{
	int error = in >= 0 ? posix_spawn_file_actions_adddup2(actions, in, 0)
			    : posix_spawn_file_actions_addopen(
				  actions, 0, "/dev/null", O_RDONLY, 0);

	/* stdout belongs to whoever called freshet */
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(actions, 2, 1);
	if (error == 0)
		error = posix_spawn_file_actions_addclosefrom_np(actions, 3);
	return error;
}

/* No signal is blocked or ignored, and a signal to the process group reaches
 * the program and what it starts. */
static int
set_signals(posix_spawnattr_t *attributes)
{
	sigset_t none, all;
	int error;

	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	error = posix_spawnattr_setsigmask(attributes, &none);
	if (error == 0)
		error = posix_spawnattr_setsigdefault(attributes, &all);
	if (error == 0)
		error = posix_spawnattr_setpgroup(attributes, 0);
	if (error == 0)
		error = posix_spawnattr_setflags(attributes,
		    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
			POSIX_SPAWN_SETPGROUP);
	return error;
}

int
alert_spawn(pid_t *pid, const char *path, const char *const argv[], int in)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error = posix_spawn_file_actions_init(&actions);

	if (error != 0)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (error == 0) {
		error = set_files(&actions, in);
		if (error == 0)
			error = set_signals(&attributes);
		/* the program does not write to its arguments */
		if (error == 0)
			error = posix_spawn(pid, path, &actions, &attributes,
			    (char *const *)(uintptr_t)argv, environ);
		(void)posix_spawnattr_destroy(&attributes);
	}
	(void)posix_spawn_file_actions_destroy(&actions);
	return error;
}
