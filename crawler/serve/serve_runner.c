/* The server that `run --listen` starts. */
#include "crawler/serve/serve_runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS 14 /* of its command line, at most */

#define END_MS 2000 /* for its end; then it is killed */
#define PAUSE_MS 10 /* between two looks whether it has ended */

/* The new process: it becomes the server.  Never returns. */
static void
runner_become(const char *const *words, pid_t parent)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
	sigset_t none;
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0)
		_exit(127);
	closefrom(STDERR_FILENO + 1);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		(void)signal(signals[i], SIG_DFL);
	/* the parent may have ended before prctl() */
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (getppid() == parent)
		(void)execv("/proc/self/exe", (char *const *)(uintptr_t)words);
	_exit(127);
}

/* Has the process ended?  Waits for that if options is 0. */
static bool
has_ended(pid_t pid, int options)
{
	pid_t found;

	do
		found = waitpid(pid, NULL, options);
	while (found < 0 && errno == EINTR);
	return found != 0;
}

int
serve_runner_keep(
    struct serve_runner *runner, const struct options *options, bool *is_over)
{
	const char *words[WORDS + 1] = {"freshet", "serve", "--quiet",
	    "--listen", options->serve.beside, "--store", options->store.path};
	size_t count = 7;
	int error = 0;
	pid_t parent = getpid();
	sigset_t all, before;

	*is_over = runner->pid != 0 && has_ended(runner->pid, WNOHANG);
	if (*is_over)
		runner->pid = 0;
	if (runner->pid != 0)
		return 0;
	if (options->serve.token_file != NULL) {
		words[count++] = "--token-file";
		words[count++] = options->serve.token_file;
	}
	if (options->config.path != NULL) {
		words[count++] = "--config";
		words[count++] = options->config.path;
	} else {
		words[count++] = "--no-config";
	}
	/* A signal to the new process waits until the parent's handlers are
	 * gone there: they would take it, and it would never end. */
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &before);
	runner->pid = fork();
	if (runner->pid == 0)
		runner_become(words, parent);
	if (runner->pid < 0) {
		error = errno;
		runner->pid = 0;
	}
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

void
serve_runner_end(struct serve_runner *runner)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000};

	if (runner->pid == 0)
		return;
	(void)kill(runner->pid, SIGTERM);
	for (int i = 0; i < END_MS / PAUSE_MS; i++) {
		if (has_ended(runner->pid, WNOHANG)) {
			runner->pid = 0;
			return;
		}
		(void)nanosleep(&pause, NULL);
	}
	/* It only reads: nothing is lost. */
	(void)kill(runner->pid, SIGKILL);
	(void)has_ended(runner->pid, 0);
	runner->pid = 0;
}
