/* The sandbox of a reader: descriptors, limits and system calls that it gives
 * up. */
#include "crawler/sandbox/sandbox.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/slice.h"

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

#if defined(__x86_64__) && !defined(__ILP32__)
#define SANDBOX_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define SANDBOX_ARCH AUDIT_ARCH_AARCH64
#endif

/* The socket, 0 to 2, body and scratch file of two jobs, and some to spare. */
#define MAX_DESCRIPTORS 12

#ifdef SANDBOX_ARCH

#define X32_BIT 0x40000000u /* x32 calls report the same architecture */
#define MAX_FILTER 128

#define LOAD (BPF_LD | BPF_W | BPF_ABS) /* a field of struct seccomp_data */
#define RETURN (BPF_RET | BPF_K)
#define JUMP (BPF_JMP | BPF_K)

/* The system calls of DESIGN section 3; frequent ones first, because the filter
 * walks the list. */
static const int allowed[] = {
    SYS_read, SYS_recvmsg, SYS_sendmsg, SYS_close, SYS_write, SYS_lseek,
    SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise, SYS_futex, SYS_getrandom,
    SYS_clock_gettime, SYS_rt_sigreturn, SYS_exit_group,
#if IS_SANITIZED
    /* A sanitizer was seen to need these to print its report. */
    SYS_sigaltstack, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_gettid,
    SYS_getpid, SYS_sched_yield, SYS_tgkill, SYS_prctl
#endif
};

/* With PROT_EXEC, in their third argument, these calls kill. */
static const int guarded[] = {SYS_mmap, SYS_mprotect};

/* Libraries look for files, such as converters and time zones, and can do
 * without them: these calls fail. */
static const int denied[] = {SYS_openat, SYS_openat2, SYS_newfstatat, SYS_fstat,
    SYS_statx, SYS_faccessat, SYS_faccessat2, SYS_readlinkat,
#if IS_SANITIZED
    SYS_ioctl, SYS_pipe2, /* for reports: colours, names of functions */
#ifdef __x86_64__
    SYS_pipe,
#endif
#endif
#ifdef __x86_64__
    SYS_open, SYS_creat, SYS_stat, SYS_lstat, SYS_access, SYS_readlink
#endif
};

struct filter {
	struct sock_filter items[MAX_FILTER];
	unsigned short count;
};

/* filter_add(filter, code, k, yes, no): an instruction; a jump skips `yes` or
 * `no` of the next ones. */
static void
filter_add(
    struct filter *filter, unsigned code, uint32_t k, uint8_t yes, uint8_t no)
{
	assert(filter->count < MAX_FILTER);
	filter->items[filter->count++] = (struct sock_filter){
	    (unsigned short)code, yes, no, k};
}

static void
filter_calls(
    struct filter *filter, const int *calls, size_t count, uint32_t verdict)
{
	size_t i;

	for (i = 0; i < count; i++) {
		filter_add(filter, JUMP | BPF_JEQ, (uint32_t)calls[i], 0, 1);
		filter_add(filter, RETURN, verdict, 0, 0);
	}
}

#endif

static bool
filter_enter(void)
{
#ifdef SANDBOX_ARCH
	struct filter filter;
	struct sock_fprog program;

	filter.count = 0;
	filter_add(
	    &filter, LOAD, (uint32_t)offsetof(struct seccomp_data, arch), 0, 0);
	filter_add(&filter, JUMP | BPF_JEQ, SANDBOX_ARCH, 1, 0);
	filter_add(&filter, RETURN, SECCOMP_RET_KILL_PROCESS, 0, 0);
	filter_add(
	    &filter, LOAD, (uint32_t)offsetof(struct seccomp_data, nr), 0, 0);
	filter_add(&filter, JUMP | BPF_JGE, X32_BIT, 0, 1);
	filter_add(&filter, RETURN, SECCOMP_RET_KILL_PROCESS, 0, 0);
	filter_calls(&filter, allowed, LENGTH(allowed), SECCOMP_RET_ALLOW);
	/* The low half of the argument (little-endian) has all PROT_ bits. */
	size_t argument = offsetof(struct seccomp_data, args[2]);
	size_t i;

	for (i = 0; i < LENGTH(guarded); i++) {
		filter_add(&filter, JUMP | BPF_JEQ, (uint32_t)guarded[i], 0, 4);
		filter_add(&filter, LOAD, (uint32_t)argument, 0, 0);
		filter_add(&filter, JUMP | BPF_JSET, PROT_EXEC, 0, 1);
		filter_add(&filter, RETURN, SECCOMP_RET_KILL_PROCESS, 0, 0);
		filter_add(&filter, RETURN, SECCOMP_RET_ALLOW, 0, 0);
	}
	filter_calls(
	    &filter, denied, LENGTH(denied), SECCOMP_RET_ERRNO | EACCES);
	filter_add(&filter, RETURN, SECCOMP_RET_KILL_PROCESS, 0, 0);
	program.len = filter.count;
	program.filter = filter.items;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
#else
	return false;
#endif
}

bool
sandbox_is_supported(void)
{
#ifdef SANDBOX_ARCH
	uint32_t action = SECCOMP_RET_KILL_PROCESS;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
#else
	return false;
#endif
}

static bool
close_all_but(int keep_fd)
{
	int last = IS_SANITIZED ? STDOUT_FILENO : STDERR_FILENO;
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct rlimit limit;
	int i;

	assert(keep_fd > STDERR_FILENO);
	if (fd < 0)
		return false;
	/* A sanitizer's report still goes to standard error. */
	for (i = 0; i <= last; i++) {
		if (fd != i && dup2(fd, i) != i)
			return false;
	}
	/* The descriptors below keep_fd, and then those above it. */
	for (i = 0; i < 2; i++) {
		unsigned first = i == 0 ? STDERR_FILENO + 1
					: (unsigned)keep_fd + 1;
		unsigned end = i == 0 ? (unsigned)keep_fd - 1 : ~0u;

		if (first > end || close_range(first, end, 0) == 0)
			continue;
		/* Kernels before 5.9 do not have close_range. */
		if (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
		    limit.rlim_cur <= end)
			end = (unsigned)limit.rlim_cur;
		for (unsigned k = first; k <= end; k++)
			(void)close((int)k);
	}
	return true;
}

static bool
limit_to(int resource, uint64_t value)
{
	struct rlimit now;
	struct rlimit limit = {value, value};

	/* A limit that is already lower cannot be raised, and may stay. */
	if (getrlimit((__rlimit_resource_t)resource, &now) != 0)
		return false;
	if (now.rlim_max < value)
		limit = (struct rlimit){now.rlim_max, now.rlim_max};
	return setrlimit((__rlimit_resource_t)resource, &limit) == 0;
}

bool
sandbox_end_first(uint64_t memory_bytes)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	/* Where there is no such file, nothing is lost. */
	if (fd >= 0) {
		(void)!write(fd, "1000", 4);
		(void)close(fd);
	}
	return memory_bytes == 0 || IS_SANITIZED ||
	    limit_to(RLIMIT_AS, memory_bytes);
}

bool
sandbox_enter(const struct sandbox_options *options)
{
	/* A handler that the parent installed must not run in a
	 * reader. */
	static const int dropped[] = {
		SIGILL,
		SIGTRAP,
		SIGSYS,
		SIGXCPU,
		SIGXFSZ,
		SIGABRT,
#if !IS_SANITIZED
		SIGSEGV,
		SIGBUS,
		SIGFPE
#endif
	};
	size_t i;

	for (i = 0; i < LENGTH(dropped); i++)
		(void)signal(dropped[i], SIG_DFL);
	if (!close_all_but(options->keep_fd) ||
	    (options->memory_bytes != 0 && !IS_SANITIZED &&
		!limit_to(RLIMIT_AS, options->memory_bytes)))
		return false;
	/* No core dumps: a dump would put hostile data on the operator's disk,
	 * and the system's handler would run for each crash. */
	if (!limit_to(RLIMIT_CORE, 0) ||
	    !limit_to(RLIMIT_FSIZE, options->scratch_bytes) ||
	    !limit_to(RLIMIT_NOFILE, MAX_DESCRIPTORS) ||
	    !limit_to(RLIMIT_NPROC, 0) ||
	    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return false;
	if (options->is_off)
		return true;
	return filter_enter() || !options->is_required;
}

/* The proof that the sandbox holds. */

#define KEPT_FD 3
#define MEMORY (256ull << 20) /* the same as a reader has: HOSTILE F16 */

/* The exit statuses of the process in the sandbox. */
enum { STATUS_DONE, STATUS_REFUSED, STATUS_BROKEN };

static const struct {
	const char *name;
	long number; /* of the system call */
	bool is_allowed;
} calls[] = {{"read", SYS_read, true}, {"openat", SYS_openat, false},
    {"socket", SYS_socket, false}, {"execve", SYS_execve, false},
    {"ptrace", SYS_ptrace, false}, {"clone", SYS_clone, false},
    {"kill", SYS_kill, false}, {"mmap of code", SYS_mmap, false}};

#define CALLS (LENGTH(calls))

/* trial_call(number): make the system call, as a subverted reader would; true:
 * it succeeded. */
static bool
trial_call(long number)
{
	char *const words[] = {NULL};
	char byte;

	switch (number) {
	case SYS_read:
		return read(KEPT_FD, &byte, 1) == 0;
	case SYS_openat:
		return syscall(number, AT_FDCWD, "/etc/passwd", O_RDONLY) >= 0;
	case SYS_socket:
		return syscall(number, AF_INET, SOCK_STREAM, 0) >= 0;
	case SYS_execve:
		(void)syscall(number, "/bin/true", words, words);
		return false; /* it does not return when it succeeds */
	case SYS_ptrace:
		return syscall(number, PTRACE_TRACEME, 0, 0, 0) == 0;
	case SYS_clone:
		return syscall(number, SIGCHLD, 0, 0, 0, 0) >= 0;
	case SYS_kill:
		return syscall(number, getppid(), 0) == 0;
	default: /* of memory that can be executed */
		return mmap(NULL, 4096, PROT_READ | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
	}
}

bool
sandbox_trial_run(size_t i, struct sandbox_trial *trial)
{
	struct sandbox_options options = {
	    .keep_fd = KEPT_FD, .memory_bytes = MEMORY, .is_required = true};
	int how = STATUS_BROKEN << 8;
	pid_t pid;

	if (i >= CALLS)
		return false;
	pid = fork();
	if (pid == 0) {
		int fd = open("/dev/null", O_RDONLY);

		if (fd < 0 || dup2(fd, KEPT_FD) != KEPT_FD ||
		    !sandbox_enter(&options))
			_exit(STATUS_BROKEN);
		errno = 0;
		_exit(
		    trial_call(calls[i].number) ? STATUS_DONE : STATUS_REFUSED);
	}
	while (pid > 0 && waitpid(pid, &how, 0) != pid && errno == EINTR)
		continue;
	*trial = (struct sandbox_trial){
	    .name = calls[i].name, .outcome = SANDBOX_BROKEN};
	/* The filter ends the process with SIGSYS; another end is no answer. */
	if (WIFSIGNALED(how) && WTERMSIG(how) == SIGSYS)
		trial->outcome = SANDBOX_KILLED;
	else if (WIFEXITED(how) && WEXITSTATUS(how) == STATUS_DONE)
		trial->outcome = SANDBOX_DONE;
	else if (WIFEXITED(how) && WEXITSTATUS(how) == STATUS_REFUSED)
		trial->outcome = SANDBOX_REFUSED;
	trial->is_good = trial->outcome != SANDBOX_BROKEN &&
	    (trial->outcome == SANDBOX_DONE) == calls[i].is_allowed;
	return true;
}
