/* `freshet alert send` beside a daemon. */
#include "crawler/alert/alert_runner.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>

#include "crawler/alert/alert_spawn.h"
#include "crawler/event/exit.h"

/* Has the process ended?  Waits for that if `how` is 0. */
static bool
reap(struct alert_runner *runner, int how, int *status)
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

	if (!reap(runner, WNOHANG, &status))
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
	(void)reap(runner, 0, &status);
}
