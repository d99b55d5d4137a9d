/* Other processes: this program again, and programs of the user's. */
#include "crawler/event/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_MS 10
#define CANNOT_START 127 /* the exit status, as that of a shell */

pid_t
spawn_program(const char *path, const char *const words[], int in, int out)
{
	static const int signals[] = {
	    SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD, SIGPIPE, SIGXFSZ};
	pid_t parent = getpid(), pid;
	sigset_t all, before;
	int null;

	/* A signal to the new process waits until the parent's handlers are
	 * gone there: they would take it, and it would never end. */
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid != 0) {
		(void)sigprocmask(SIG_SETMASK, &before, NULL);
		return pid;
	}
	null = open("/dev/null", O_RDWR);
	if (null < 0 || dup2(in < 0 ? null : in, STDIN_FILENO) < 0 ||
	    dup2(out < 0 ? null : out, STDOUT_FILENO) < 0)
		_exit(CANNOT_START);
	closefrom(STDERR_FILENO + 1);
	(void)setpgid(0, 0);
	(void)unsetenv("NOTIFY_SOCKET");
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		(void)signal(signals[i], SIG_DFL);
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	(void)sigemptyset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	/* the parent may have ended before prctl() */
	if (getppid() == parent)
		(void)execv(path, (char *const *)(uintptr_t)words);
	_exit(CANNOT_START);
}

pid_t
spawn_self(const char *const words[])
{
	return spawn_program("/proc/self/exe", words, -1, -1);
}

pid_t
spawn_shell(const char *command, int in, int out)
{
	const char *const words[] = {"sh", "-c", command, NULL};

	return spawn_program("/bin/sh", words, in, out);
}

bool
spawn_ended(pid_t *pid, int how, int *status)
{
	pid_t found = 0;

	if (*pid != 0)
		do
			found = waitpid(*pid, status, how);
		while (found < 0 && errno == EINTR);
	if (found != 0)
		*pid = 0;
	return found != 0;
}

void
spawn_end(pid_t *pid, int ms)
{
	int status;

	if (*pid == 0)
		return;
	(void)kill(*pid, SIGTERM);
	for (; ms > 0 && !spawn_ended(pid, WNOHANG, &status); ms -= LOOK_MS)
		(void)poll(NULL, 0, LOOK_MS);
	if (*pid != 0)
		(void)kill(*pid, SIGKILL);
	(void)spawn_ended(pid, 0, &status);
}
