/* crawler/sandbox/sandbox.c: each case enters the sandbox in a process of its
 * own (HOSTILE X34). */
#include "tests/fixtures/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crawler/sandbox/sandbox.h"
#include "tests/fixtures/readers_fixture.h"

#define GOOD 41
#define BAD 40
#define NO_SANDBOX 42
#define KEPT 20
#define SYSTEM_PATH "/etc/passwd"

typedef bool inside_fn(void);

static bool
opens_nothing(void)
{
	struct stat st;
	char link[16];

	return open(SYSTEM_PATH, O_RDONLY) < 0 && errno == EACCES &&
	    open("/dev/null", O_WRONLY) < 0 && errno == EACCES &&
	    syscall(SYS_openat2, AT_FDCWD, "/", NULL, 0) < 0 &&
	    errno == EACCES && stat(SYSTEM_PATH, &st) < 0 && errno == EACCES &&
	    access(SYSTEM_PATH, R_OK) < 0 && errno == EACCES &&
	    readlink("/proc/self/exe", link, sizeof(link)) < 0 &&
	    errno == EACCES;
}

static bool
has_memory(void)
{
	char *p = malloc(64u << 20);
	char *more;

	if (p == NULL)
		return false;
	memset(p, 1, 64u << 20);
	more = realloc(p, 128u << 20);
	if (more == NULL)
		return false;
	free(more);
	p = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p != MAP_FAILED && mprotect(p, 4096, PROT_READ) == 0 &&
	    munmap(p, 8192) == 0;
}

/* has_one_descriptor(): is everything closed but KEPT, and are 0 to 2
 * /dev/null? */
static bool
has_one_descriptor(void)
{
	char byte;
	int fd;

	for (fd = 3; fd < 256; fd++) {
		bool is_open = lseek(fd, 0, SEEK_CUR) >= 0 || errno != EBADF;

		if (is_open != (fd == KEPT))
			return false;
	}
	return read(0, &byte, 1) == 0 && write(1, "lost\n", 5) == 5;
}

static bool
makes_code(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p != MAP_FAILED)
		(void)mprotect(p, 4096, PROT_READ | PROT_EXEC);
	return false;
}

#ifdef __x86_64__
/* In the i386 ABI the same number is another system call. */
static bool
calls_i386(void)
{
	long answer;

	__asm__ volatile("int $0x80" : "=a"(answer) : "a"(3L) : "memory");
	return answer == 0;
}
#endif

/* Kernels differ in what they do with entries that are not theirs.  Whichever
 * signal ends the process, the call was not made. */
#define ANY (-1)

static const struct inside_case {
	const char *name;
	int signal; /* 0: exits with GOOD; ANY: of any signal */
	inside_fn *fn; /* NULL: this system call */
	long call[7]; /* and what it is called with */
} cases[] = {
    {"open", 0, .fn = opens_nothing},
    {"memory", 0, .fn = has_memory},
    {"descriptors", 0, .fn = has_one_descriptor},
    {"make code", SIGSYS, .fn = makes_code},
    {"map code", SIGSYS,
	.call = {SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0}},
    {"socket", SIGSYS, .call = {SYS_socket, AF_UNIX, SOCK_STREAM, 0}},
    {"execve", SIGSYS, .call = {SYS_execve, (long)"/bin/true", 0, 0}},
    {"clone", SIGSYS, .call = {SYS_clone, SIGCHLD, 0, 0, 0, 0}},
    {"ptrace", SIGSYS, .call = {SYS_ptrace, PTRACE_TRACEME, 0, 0, 0}},
    {"kill", SIGSYS, .call = {SYS_kill, 1, 0}},
    {"unlink", SIGSYS,
	.call = {SYS_unlinkat, AT_FDCWD, (long)"/no/such/file", 0}},
    {"prlimit", SIGSYS, .call = {SYS_prlimit64, 0, RLIMIT_CPU, 0, 0}},
    {"io_uring", SIGSYS, .call = {SYS_io_uring_setup, 1, 0}},
    {"sendto", SIGSYS, .call = {SYS_sendto, KEPT, (long)"x", 1, 0, 0, 0}},
#ifdef __x86_64__
    {"x32", ANY, .call = {0x40000000 + SYS_read, KEPT, 0, 0}},
    {"i386", ANY, .fn = calls_i386},
#endif
};

static _Noreturn void
inside(const struct sandbox_options *options, const struct inside_case *is)
{
	const long *call = is->call;

	/* a sanitizer would make an exit of them */
	(void)signal(SIGSEGV, SIG_DFL);
	(void)signal(SIGILL, SIG_DFL);
	if (!sandbox_enter(options))
		_exit(NO_SANDBOX);
	if (is->fn != NULL)
		_exit(is->fn() ? GOOD : BAD);
	(void)syscall(
	    call[0], call[1], call[2], call[3], call[4], call[5], call[6]);
	_exit(BAD);
}

static int
sandboxed(const struct sandbox_options *options, const struct inside_case *is)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		inside(options, is);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static int
open_kept(void **state)
{
	return dup2(STDIN_FILENO, KEPT) == KEPT ? 0 : -1;
}

static void
test_calls(void **state)
{
	struct sandbox_options options = {.keep_fd = KEPT,
	    .memory_bytes = UINT64_C(4) << 30,
	    .scratch_bytes = 1 << 20,
	    .is_required = true};

	for (size_t i = 0; i < COUNT(cases); i++) {
		int status = sandboxed(&options, &cases[i]);
		bool is_right = WIFSIGNALED(status)
		    ? cases[i].signal == ANY ||
			cases[i].signal == WTERMSIG(status)
		    : cases[i].signal == 0 && WEXITSTATUS(status) == GOOD;

		if (!is_right)
			fail_msg("%s: status %#x", cases[i].name, status);
	}
}

static bool
is_limited(void)
{
	static const struct {
		int resource;
		rlim_t most;
	} limits[] = {{RLIMIT_CORE, 0}, {RLIMIT_FSIZE, 1 << 20},
	    {RLIMIT_NOFILE, 12}, {RLIMIT_NPROC, 0}};
	struct rlimit limit;
	size_t i;

	for (i = 0; i < COUNT(limits); i++) {
		if (getrlimit(
			(__rlimit_resource_t)limits[i].resource, &limit) != 0 ||
		    limit.rlim_cur > limits[i].most ||
		    limit.rlim_max > limits[i].most)
			return false;
	}
	return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0 && has_one_descriptor();
}

/* Without the filter, limits and closed descriptors still count. */
static void
test_off(void **state)
{
	struct sandbox_options options = {
	    .keep_fd = KEPT, .scratch_bytes = 1 << 20, .is_off = true};
	int status = sandboxed(
	    &options, &(struct inside_case){.fn = is_limited});

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), GOOD);
}

SANDBOX_TESTS(sandbox, open_kept, cmocka_unit_test(test_calls),
    cmocka_unit_test(test_off));
