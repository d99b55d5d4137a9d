/*
 * The fork server: first its own side, then main's.
 *
 * The server talks with main in fixed records over a SOCK_SEQPACKET pair, and
 * never reads anything that a reader wrote. When main ends, the socket closes,
 * and the server ends with its readers; the kernel kills each reader whose
 * parent ends.
 */
#include "crawler/sandbox/forkserver.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/parse/read.h"
#include "crawler/sandbox/reader.h"

/* How much of an answer the kernel keeps until main, which may be waiting for
 * the disk, takes it: most of what a sitemap of 50,000 URLs becomes. */
#define ANSWER_BYTES (1 << 20)

struct request {
	enum forkserver_request kind;
	pid_t pid;
};

/* The server's side. */

struct server {
	struct forkserver_options options;
	sigset_t former_mask;
	pid_t *readers; /* owned */
	size_t count;
	size_t cap;
	int fd;
	bool is_warm; /* the libraries of readers have loaded what they need */
};

static void
server_answer(const struct server *server,
    const struct forkserver_message *answer, int fd)
{
	struct slice bytes = slice_make((const char *)answer, sizeof(*answer));

	/* If main has ended, the next read of a request fails. */
	(void)frame_send_bytes(server->fd, bytes, &fd, fd >= 0 ? 1 : 0, 0);
}

static void
server_spawn(struct server *server)
{
	const int answer_bytes = ANSWER_BYTES;
	struct forkserver_message answer = {.event = FORKSERVER_FAILED};
	pid_t self = getpid();
	int fds[2];

	/* This comes first, because without a descriptor read_warm() would end
	 * the server. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
		answer.status = errno;
		server_answer(server, &answer, -1);
		return;
	}
	/* Where the kernel does not allow as much, less will do. */
	(void)setsockopt(
	    fds[1], SOL_SOCKET, SO_SNDBUF, &answer_bytes, sizeof(answer_bytes));
	/* Not before: a crawl in which nothing has changed needs no reader. */
	if (!server->is_warm)
		read_warm();
	server->is_warm = true;
	answer.pid = fork();
	if (answer.pid == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 ||
		    getppid() != self)
			_exit(READER_EXIT_OK);
		(void)prctl(PR_SET_NAME, "freshet-reader", 0, 0, 0);
		(void)signal(SIGCHLD, SIG_DFL);
		(void)sigprocmask(SIG_SETMASK, &server->former_mask, NULL);
		reader_main(fds[1], &server->options);
	}
	answer.status = errno;
	(void)close(fds[1]);
	if (answer.pid > 0) {
		*MEM_PUSH(
		    server->readers, server->count, server->cap) = answer.pid;
		server->options
		    .inject = NULL; /* only the first reader has a fault */
		answer.event = FORKSERVER_SPAWNED;
		answer.status = 0;
	}
	server_answer(server, &answer, answer.pid > 0 ? fds[0] : -1);
	(void)close(fds[0]);
}

static size_t
server_find(const struct server *server, pid_t pid)
{
	size_t i = 0;

	while (i < server->count && server->readers[i] != pid)
		i++;
	return i;
}

/* cpu_used_s(pid): the CPU seconds that the process has used; -1: unknown. */
static int64_t
cpu_used_s(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) == 0 &&
		clock_gettime(clock, &used) == 0
	    ? used.tv_sec
	    : -1;
}

static void
server_request(struct server *server)
{
	struct request request;
	ssize_t n = recv(server->fd, &request, sizeof(request), 0);

	if (n < 0 && errno == EINTR)
		return;
	if (n != (ssize_t)sizeof(request)) {
		size_t i;

		for (i = 0; i < server->count; i++)
			(void)kill(server->readers[i], SIGKILL);
		while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
			continue;
		_exit(0);
	}
	if (request.kind == FORKSERVER_SPAWN) {
		server_spawn(server);
		return;
	}
	/* Requests count only for a reader that this server has forked and not
	 * reaped, so the pid cannot belong to another process. */
	if (server_find(server, request.pid) == server->count)
		return;
	if (request.kind == FORKSERVER_KILL)
		(void)kill(request.pid, SIGKILL);
	else {
		/* HOSTILE T15: set the soft limit above what is
		 * used now; a reader that passes it gets SIGXCPU, which ends
		 * it. */
		int64_t used_s = cpu_used_s(request.pid);
		struct rlimit limit;

		/* Without a limit there is nothing to raise, and a reader that
		 * has just died needs none. Main's wall clock limit ends a
		 * reader that lives. */
		if (server->options.job_cpu_s != 0 && used_s >= 0 &&
		    prlimit(request.pid, RLIMIT_CPU, NULL, &limit) == 0) {
			/* One second more, because the kernel counts whole
			 * seconds. */
			limit.rlim_cur = (rlim_t)used_s + 1 +
			    FORKSERVER_SLACK_S + server->options.job_cpu_s;
			if (limit.rlim_cur > limit.rlim_max)
				limit.rlim_cur = limit.rlim_max;
			(void)prlimit(request.pid, RLIMIT_CPU, &limit, NULL);
		}
	}
}

static void
on_child(int number)
{
	(void)number; /* the handler only has to interrupt ppoll */
}

static _Noreturn void
server_main(int fd, const struct forkserver_options *options)
{
	struct server server = {.options = *options, .fd = fd};
	struct forkserver_message answer = {.event = FORKSERVER_EXITED};
	struct sigaction action = {.sa_handler = on_child};
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	sigset_t blocked;

	(void)prctl(PR_SET_NAME, "freshet-forks", 0, 0, 0);
	static const int ignored[] = {
	    SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2, SIGQUIT};
	size_t i;

	/* The terminal sends these signals to all processes; main decides what
	 * happens. */
	for (i = 0; i < LENGTH(ignored); i++)
		(void)signal(ignored[i], SIG_IGN);
	(void)sigemptyset(&blocked);
	(void)sigaddset(&blocked, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &blocked, &server.former_mask);
	(void)sigdelset(&server.former_mask, SIGCHLD);
	(void)sigaction(SIGCHLD, &action, NULL);
	for (;;) {
		/* Tell main of each reader that has ended. */
		do {
			answer.pid = waitpid(-1, &answer.status, WNOHANG);
			i = server_find(&server, answer.pid);
			if (answer.pid <= 0 || i == server.count)
				continue;
			server.readers[i] = server.readers[--server.count];
			server_answer(&server, &answer, -1);
		} while (answer.pid > 0);
		if (ppoll(&ready, 1, NULL, &server.former_mask) > 0)
			server_request(&server);
	}
}

/* Main's side. */

bool
forkserver_ask(
    struct forkserver *forkserver, enum forkserver_request kind, pid_t pid)
{
	struct request request = {kind, pid};
	ssize_t n;

	if (forkserver->is_gone)
		return false;
	do
		n = send(
		    forkserver->fd, &request, sizeof(request), MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(request);
}

struct forkserver *
forkserver_start(const struct forkserver_options *options)
{
	struct forkserver *forkserver;
	pid_t self = getpid();
	int fds[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
		return NULL;
	pid = fork();
	if (pid == 0) {
		int own = fcntl(fds[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		int null;

		(void)close(fds[0]);
		(void)close(fds[1]);
		if (options->private_fd > 0)
			(void)close(options->private_fd);
		if (own < 0)
			_exit(1);
		/* Open 0, 1 and 2: a socket could get such a number. */
		do
			null = open("/dev/null", O_RDWR | O_CLOEXEC);
		while (null >= 0 && null <= STDERR_FILENO);
		if (null < 0)
			_exit(1);
		(void)dup2(null, STDIN_FILENO);
		(void)dup2(null, STDOUT_FILENO);
		(void)close(null);
		if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 ||
		    getppid() != self)
			_exit(1);
		server_main(own, options);
	}
	(void)close(fds[1]);
	if (pid < 0) {
		(void)close(fds[0]);
		return NULL;
	}
	forkserver = mem_zero(sizeof(*forkserver));
	forkserver->fd = fds[0];
	forkserver->pid = pid;
	return forkserver;
}

void
forkserver_free(struct forkserver *forkserver)
{
	if (forkserver == NULL)
		return;
	/* The server ends with the connection, and may have been stopped. */
	(void)shutdown(forkserver->fd, SHUT_RDWR);
	(void)close(forkserver->fd);
	(void)kill(forkserver->pid, SIGCONT);
	while (waitpid(forkserver->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	free(forkserver);
}

bool
forkserver_take(
    struct forkserver *forkserver, struct forkserver_message *message)
{
	struct frame_fds fds;
	ssize_t n;

	if (forkserver->is_gone)
		return false;
	n = frame_receive_bytes(forkserver->fd, message, sizeof(*message), &fds,
	    MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return false;
	/* A record comes whole over this kind of socket; anything else is the
	 * end of it. */
	if (n != (ssize_t)sizeof(*message)) {
		*message = (struct forkserver_message){
		    .event = FORKSERVER_GONE};
		forkserver->is_gone = true;
	}
	message->fd = fds.fd[0];
	if (message->event == FORKSERVER_SPAWNED && message->fd < 0) {
		/* This process has no room for another descriptor: give the
		 * reader up. */
		(void)forkserver_ask(forkserver, FORKSERVER_KILL, message->pid);
		message->event = FORKSERVER_FAILED;
		message->status = EMFILE;
	}
	return true;
}
