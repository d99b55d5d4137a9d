/* Main's side of the fork servers: one at work, and one to take its place. */
#include "crawler/sandbox/forkserver.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/sandbox/forkserver_internal.h"

struct forkserver {
	int fd; /* owned */
	pid_t pid;
	bool is_gone;
	int spare_fd; /* owned; -1: there is none, or not yet */
	pid_t spare_pid;
};

union control {
	char room[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static bool
ask(struct forkserver *forkserver, enum request_kind kind, pid_t pid)
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
	struct forkserver *forkserver = mem_zero(sizeof(*forkserver));
	struct forkserver_options later = *options;

	forkserver->spare_fd = -1;
	forkserver->pid = forkserver_fork(options, false, -1, &forkserver->fd);
	if (forkserver->pid < 0) {
		free(forkserver);
		return NULL;
	}
	later.plant = NULL;
	forkserver->spare_pid = forkserver_fork(
	    &later, false, forkserver->fd, &forkserver->spare_fd);
	return forkserver;
}

/* end_server(fd, pid): it has ended when its end of the socket is closed;
 * those that main has not forked itself cannot be waited for. */
static void
end_server(int fd, pid_t pid)
{
	char rest[sizeof(struct answer)];

	(void)shutdown(fd, SHUT_WR);
	(void)kill(pid, SIGCONT);
	while (recv(fd, rest, sizeof(rest), 0) > 0 || errno == EINTR)
		errno = 0;
	(void)close(fd);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

void
forkserver_free(struct forkserver *forkserver)
{
	if (forkserver == NULL)
		return;
	if (forkserver->spare_fd >= 0)
		end_server(forkserver->spare_fd, forkserver->spare_pid);
	end_server(forkserver->fd, forkserver->pid);
	free(forkserver);
}

bool
forkserver_replace(struct forkserver *forkserver)
{
	assert(forkserver->is_gone);
	if (forkserver->spare_fd < 0)
		return false;
	(void)close(forkserver->fd);
	while (waitpid(forkserver->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	forkserver->fd = forkserver->spare_fd;
	forkserver->pid = forkserver->spare_pid;
	forkserver->spare_fd = -1;
	forkserver->is_gone = false;
	/* Should this one be gone, too, forkserver_take tells. */
	(void)ask(forkserver, REQUEST_SPARE, 0);
	return true;
}

int
forkserver_fd(const struct forkserver *forkserver)
{
	return forkserver->fd;
}

pid_t
forkserver_pid(const struct forkserver *forkserver)
{
	return forkserver->pid;
}

bool
forkserver_spawn(struct forkserver *forkserver)
{
	return ask(forkserver, REQUEST_SPAWN, 0);
}

bool
forkserver_kill(struct forkserver *forkserver, pid_t pid)
{
	return ask(forkserver, REQUEST_KILL, pid);
}

bool
forkserver_extend(struct forkserver *forkserver, pid_t pid)
{
	return ask(forkserver, REQUEST_EXTEND, pid);
}

/* take_fd(message): the descriptor that came along, -1: none. */
static int
take_fd(struct msghdr *message)
{
	struct cmsghdr *head = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (head != NULL && head->cmsg_level == SOL_SOCKET &&
	    head->cmsg_type == SCM_RIGHTS &&
	    head->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

/* take_one(forkserver, answer, fd): false when nothing is there now. */
static bool
take_one(struct forkserver *forkserver, struct answer *answer, int *fd)
{
	struct iovec bytes = {answer, sizeof(*answer)};
	union control control = {{0}};
	struct msghdr head = {.msg_iov = &bytes,
	    .msg_iovlen = 1,
	    .msg_control = control.room,
	    .msg_controllen = sizeof(control.room)};
	ssize_t n;

	do
		n = recvmsg(
		    forkserver->fd, &head, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return false;
	*fd = n > 0 ? take_fd(&head) : -1;
	if (n != (ssize_t)sizeof(*answer)) {
		*answer = (struct answer){.event = FORKSERVER_GONE};
		forkserver->is_gone = true;
	}
	return true;
}

bool
forkserver_take(
    struct forkserver *forkserver, struct forkserver_message *message)
{
	struct answer answer = {.event = FORKSERVER_GONE};

	do {
		if (forkserver->is_gone ||
		    !take_one(forkserver, &answer, &message->fd))
			return false;
		/* Without one the next death of a server is for good. */
		if (answer.is_spare) {
			forkserver->spare_fd = message->fd;
			forkserver->spare_pid = answer.pid;
		}
	} while (answer.is_spare);
	if (answer.event == FORKSERVER_SPAWNED && message->fd < 0) {
		/* No room for one more descriptor here: do without it. */
		(void)forkserver_kill(forkserver, answer.pid);
		answer.event = FORKSERVER_FAILED;
		answer.status = EMFILE;
	}
	message->event = answer.event;
	message->pid = answer.pid;
	message->status = answer.status;
	return true;
}
