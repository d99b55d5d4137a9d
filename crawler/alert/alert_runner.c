/* Starting another program, and `freshet alert send` beside a daemon. */
#include "crawler/alert/alert_runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crawler/event/exit.h"

/* The program has `in` as stdin and stderr as stdout, which belongs to whoever
 * called freshet.  No signal is blocked or ignored, and a signal to the process
 * group reaches the program and what it starts. */
int
alert_spawn(pid_t *pid, const char *path, const char *const argv[], int in)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int error = posix_spawn_file_actions_init(&actions);

	if (error != 0)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (error != 0)
		goto fail;
	error = in >= 0 ? posix_spawn_file_actions_adddup2(&actions, in, 0)
			: posix_spawn_file_actions_addopen(
			      &actions, 0, "/dev/null", O_RDONLY, 0);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(&actions, 2, 1);
	if (error == 0)
		error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	if (error == 0)
		error = posix_spawnattr_setsigmask(&attributes, &none);
	if (error == 0)
		error = posix_spawnattr_setsigdefault(&attributes, &all);
	if (error == 0)
		error = posix_spawnattr_setpgroup(&attributes, 0);
	if (error == 0)
		error = posix_spawnattr_setflags(&attributes,
		    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
			POSIX_SPAWN_SETPGROUP);
	/* the program does not write to its arguments */
	if (error == 0)
		error = posix_spawn(pid, path, &actions, &attributes,
		    (char *const *)(uintptr_t)argv, environ);
	(void)posix_spawnattr_destroy(&attributes);

fail:
	(void)posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Has the process ended?  Waits for that if `how` is 0. */
static bool
alert_reap(struct alert_runner *runner, int how, int *status)
{
	pid_t pid;

	if (runner->pid == 0)
		return false;
	do
		pid = waitpid(runner->pid, status, how);
	while (pid < 0 && errno == EINTR);
	if (pid == 0)
		return false;
	runner->pid = 0;
	return true;
}

enum alert_end
alert_runner_ended(struct alert_runner *runner, struct buf *why)
{
	int status = 0;

	if (!alert_reap(runner, WNOHANG, &status))
		return ALERT_NOT_ENDED;
	if (WIFSIGNALED(status)) {
		(void)buf_print(
		    why, "was ended by signal %d", WTERMSIG(status));
		return ALERT_DIED;
	}
	switch (WEXITSTATUS(status)) {
	case EXIT_DONE:
	case EXIT_FINDINGS: /* it says itself what could not be told */
	case EXIT_LOCKED: /* another one is at work */
		return ALERT_ENDED_WELL;
	default:
		(void)buf_print(
		    why, "ended with status %d", WEXITSTATUS(status));
		return ALERT_DIED;
	}
}

int
alert_runner_tick(
    struct alert_runner *runner, const struct options *options, int64_t now_ms)
{
	const char *const argv[] = {"freshet", "alert", "send", "--quiet",
	    "--store", options->store.path, "--config", options->config.path,
	    options->output.is_json ? "--json" : NULL, NULL};

	if (runner->pid != 0 || now_ms < runner->next_ms ||
	    options->config.alerts.count == 0)
		return 0;
	runner->next_ms = now_ms + ALERT_EVERY_MS;
	return alert_spawn(&runner->pid, "/proc/self/exe", argv, -1);
}

void
alert_runner_end(struct alert_runner *runner)
{
	int status;

	if (runner->pid != 0)
		(void)kill(runner->pid, SIGTERM);
	(void)alert_reap(runner, 0, &status);
}
