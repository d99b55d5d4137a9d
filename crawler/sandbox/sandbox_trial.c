/* Proof that the sandbox holds: this module tries system calls in it. */
#include "crawler/sandbox/sandbox_trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crawler/sandbox/sandbox.h"

#define KEPT_FD 3
#define MEMORY (256ull << 20) /* the same as a reader has: HOSTILE F16 */

/* The exit statuses of the process in the sandbox. */
enum { STATUS_DONE, STATUS_REFUSED, STATUS_BROKEN };

/* try_fn: make the call; true: it succeeded. */
typedef bool try_fn(void);

static bool
try_read(void)
{
	char byte;

	return read(KEPT_FD, &byte, 1) == 0;
}

static bool
try_openat(void)
{
	return syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY) >= 0;
}

static bool
try_socket(void)
{
	return syscall(SYS_socket, AF_INET, SOCK_STREAM, 0) >= 0;
}

static bool
try_execve(void)
{
	char *const words[] = {NULL};

	(void)syscall(SYS_execve, "/bin/true", words, words);
	return false;
}

static bool
try_ptrace(void)
{
	return syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0) == 0;
}

static bool
try_fork(void)
{
	return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0;
}

static bool
try_kill(void)
{
	return syscall(SYS_kill, getppid(), 0) == 0;
}

static bool
try_executable(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static const struct {
	const char *name;
	try_fn *try;
	bool is_allowed;
} calls[] = {{"read", try_read, true}, {"openat", try_openat, false},
    {"socket", try_socket, false}, {"execve", try_execve, false},
    {"ptrace", try_ptrace, false}, {"clone", try_fork, false},
    {"kill", try_kill, false}, {"mmap of code", try_executable, false}};

#define CALLS (sizeof(calls) / sizeof(calls[0]))

static enum sandbox_outcome
trial_outcome_of(int how)
{
	if (WIFSIGNALED(how))
		return WTERMSIG(how) == SIGSYS ? SANDBOX_KILLED
					       : SANDBOX_BROKEN;
	if (WEXITSTATUS(how) == STATUS_DONE)
		return SANDBOX_DONE;
	return WEXITSTATUS(how) == STATUS_REFUSED ? SANDBOX_REFUSED
						  : SANDBOX_BROKEN;
}

bool
sandbox_trial_run(size_t i, struct sandbox_trial *trial)
{
	pid_t pid;
	int how;

	if (i >= CALLS)
		return false;
	*trial = (struct sandbox_trial){.name = calls[i].name,
	    .is_allowed = calls[i].is_allowed,
	    .outcome = SANDBOX_BROKEN};
	pid = fork();
	if (pid == 0) {
		/* Runs in the child; never returns. */
		struct sandbox_options options = {.keep_fd = KEPT_FD,
		    .memory_bytes = MEMORY,
		    .is_required = true};
		int fd = open("/dev/null", O_RDONLY);

		if (fd < 0 || dup2(fd, KEPT_FD) != KEPT_FD ||
		    !sandbox_enter(&options))
			_exit(STATUS_BROKEN);
		errno = 0;
		_exit(calls[i].try() ? STATUS_DONE : STATUS_REFUSED);
	}
	while (pid > 0 && waitpid(pid, &how, 0) != pid)
		if (errno != EINTR)
			return true;
	if (pid > 0)
		trial->outcome = trial_outcome_of(how);
	return true;
}

bool
sandbox_trial_is_good(const struct sandbox_trial *trial)
{
	if (trial->is_allowed)
		return trial->outcome == SANDBOX_DONE;
	return trial->outcome == SANDBOX_REFUSED ||
	    trial->outcome == SANDBOX_KILLED;
}
