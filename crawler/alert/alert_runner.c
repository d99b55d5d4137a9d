/* `freshet alert send` beside a daemon. */
#include "crawler/alert/alert_runner.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>

#include "crawler/alert/alert_spawn.h"

static void
reap(struct alert_runner *runner, int how)
{
	pid_t pid;

	do
		pid = runner->pid == 0 ? 0 : waitpid(runner->pid, NULL, how);
	while (pid < 0 && errno == EINTR);
	if (pid != 0)
		runner->pid = 0;
}

int
alert_runner_tick(
    struct alert_runner *runner, const struct options *options, int64_t now_ms)
{
	const char *const argv[] = {"freshet", "alert", "send", "--quiet",
	    "--store", options->store.path, "--config", options->config.path,
	    options->output.is_json ? "--json" : NULL, NULL};

	reap(runner, WNOHANG);
	if (runner->pid != 0 || now_ms < runner->next_ms ||
	    options->config.alerts.count == 0)
		return 0;
	runner->next_ms = now_ms + ALERT_EVERY_MS;
	return alert_spawn(&runner->pid, "/proc/self/exe", argv, -1);
}

void
alert_runner_end(struct alert_runner *runner)
{
	if (runner->pid != 0)
		(void)kill(runner->pid, SIGTERM);
	reap(runner, 0);
}
