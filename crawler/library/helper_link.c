/* The library's end of one helper process: its life, requests and replies. */
#include "crawler/library/helper_link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/wire.h"
#include "crawler/library/library_protocol.h"

#define RECEIVE_BYTES (64u << 10)
#define END_MS 2000 /* to wait until a helper has ended by itself */

void
helper_link_init(struct helper_link *link)
{
	*link = (struct helper_link){.fd = -1};
}

/* The helper gets nothing of the caller's environment: it needs none of it, and
 * another thread may be changing it. */
static char *const environment[] = {NULL};

/* spawn(link, path, fd): start the helper with fd as its LIBRARY_FD and nothing
 * else of the caller's: no descriptors, no signal mask, no ignored signals.
 * Returns 0 or an errno. */
static int
spawn(struct helper_link *link, const char *path, int fd)
{
	char name[] = "freshet-helper";
	char *argv[] = {name, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int error;

	error = posix_spawn_file_actions_init(&actions);
	if (error != 0)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (error != 0) {
		(void)posix_spawn_file_actions_destroy(&actions);
		return error;
	}
	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	for (int i = 0; i <= STDERR_FILENO && error == 0; i++)
		error = posix_spawn_file_actions_addopen(
		    &actions, i, "/dev/null", O_RDWR, 0);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(
		    &actions, fd, LIBRARY_FD);
	if (error == 0)
		error = posix_spawn_file_actions_addclosefrom_np(
		    &actions, LIBRARY_FD + 1);
	if (error == 0)
		error = posix_spawnattr_setsigmask(&attributes, &none);
	if (error == 0)
		error = posix_spawnattr_setsigdefault(&attributes, &all);
	if (error == 0)
		error = posix_spawnattr_setflags(&attributes,
		    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (error == 0)
		error = posix_spawn(
		    &link->pid, path, &actions, &attributes, argv, environment);
	(void)posix_spawnattr_destroy(&attributes);
	(void)posix_spawn_file_actions_destroy(&actions);
	return error;
}

enum freshet_status
helper_link_start(struct helper_link *link, const char *path)
{
	int fds[2];
	int theirs;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
		link->error = errno;
		return FRESHET_NO_HELPER;
	}
	/* The numbers up to LIBRARY_FD are opened anew in the helper. */
	theirs = fcntl(fds[1], F_DUPFD_CLOEXEC, LIBRARY_FD + 1);
	link->error = theirs < 0 ? errno : spawn(link, path, theirs);
	(void)close(fds[1]);
	if (theirs >= 0)
		(void)close(theirs);
	if (link->error != 0) {
		(void)close(fds[0]);
		return FRESHET_NO_HELPER;
	}
	link->fd = fds[0];
	link->in_at = link->in_len = 0;
	return FRESHET_OK;
}

void
helper_link_abandon(struct helper_link *link)
{
	if (link->fd >= 0)
		(void)close(link->fd);
	link->fd = -1;
	link->in_at = link->in_len = 0;
}

void
helper_link_stop(struct helper_link *link)
{
	if (link->fd < 0)
		return;
	/* A process that the caller forked may hold the socket open. */
	(void)shutdown(link->fd, SHUT_RDWR);
	helper_link_abandon(link);
	/*
	 * Wait for the helper.  Where the caller has collected it, there
	 * is no such child, and waitpid fails.
	 */
	int waited_ms = 0;
	pid_t ended;

	for (;;) {
		ended = waitpid(link->pid, NULL, WNOHANG);
		if (ended != 0 && (ended > 0 || errno != EINTR))
			return;
		if (waited_ms >= END_MS)
			break;
		(void)poll(NULL, 0, waited_ms < 20 ? 1 : 10);
		waited_ms += waited_ms < 20 ? 1 : 10;
	}
	(void)kill(link->pid, SIGKILL);
	while (waitpid(link->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

void
helper_link_release(struct helper_link *link)
{
	helper_link_stop(link);
	free(link->in);
	helper_link_init(link);
}

bool
helper_link_is_idle(const struct helper_link *link)
{
	struct pollfd fd = {.fd = link->fd, .events = POLLIN};

	return link->fd >= 0 && link->in_at == link->in_len &&
	    poll(&fd, 1, 0) == 0;
}

/* Requests. */

static void
helper_link_append(struct message *message, const void *p, size_t n)
{
	size_t cap = message->cap;
	char *grown;

	if (message->is_broken || n == 0)
		return;
	while (cap < message->len + n)
		cap = cap == 0 ? 1024 : 2 * cap;
	if (cap > message->cap) {
		grown = cap > 2 * (size_t)LIBRARY_FRAME_MAX
		    ? NULL
		    : realloc(message->p, cap);
		if (grown == NULL) {
			message->is_broken = true;
			return;
		}
		message->p = grown;
		message->cap = cap;
	}
	memcpy(message->p + message->len, p, n);
	message->len += n;
}

static void
little(unsigned char *p, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		p[i] = (unsigned char)(value >> (8 * i));
}

static void
helper_link_number(struct message *message, uint64_t value, unsigned bytes)
{
	unsigned char p[8];

	little(p, value, bytes);
	helper_link_append(message, p, bytes);
}

void
message_begin(struct message *message, uint8_t type)
{
	*message = (struct message){0};
	helper_link_number(message, 0, 4);
	helper_link_number(message, type, 1);
}

void
message_u8(struct message *message, uint8_t value)
{
	helper_link_number(message, value, 1);
}

void
message_u32(struct message *message, uint32_t value)
{
	helper_link_number(message, value, 4);
}

void
message_u64(struct message *message, uint64_t value)
{
	helper_link_number(message, value, 8);
}

void
message_text(struct message *message, const char *text)
{
	size_t size = text == NULL ? 0 : strlen(text) + 1;

	if (size > LIBRARY_FRAME_MAX) {
		message->is_broken = true;
		return;
	}
	helper_link_number(message, size, 4);
	helper_link_append(message, text, size);
}

void
message_texts(struct message *message, const char *const *texts, size_t count)
{
	if (count > LIBRARY_FRAME_MAX) {
		message->is_broken = true;
		return;
	}
	helper_link_number(message, count, 4);
	for (size_t i = 0; i < count; i++)
		message_text(message, texts[i]);
}

/* wait_for(link, events): wait until the socket is ready. */
static bool
wait_for(struct helper_link *link, short events)
{
	struct pollfd fd = {.fd = link->fd, .events = events};
	int ready;

	do
		ready = poll(&fd, 1, link->wait_ms);
	while (ready < 0 && errno == EINTR);
	link->error = ready < 0 ? errno : ready == 0 ? ETIMEDOUT : 0;
	return ready > 0;
}

static bool
helper_link_is_again(int error)
{
	return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

static enum freshet_status
helper_link_send_all(struct helper_link *link, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(
		    link->fd, p, n, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0) {
			link->error = errno;
			if (!helper_link_is_again(errno) ||
			    !wait_for(link, POLLOUT))
				return FRESHET_HELPER_LOST;
			continue;
		}
		p += sent;
		n -= (size_t)sent;
	}
	return FRESHET_OK;
}

enum freshet_status
helper_link_request(struct helper_link *link, struct message *message)
{
	enum freshet_status status;
	size_t len = message->len - LIBRARY_HEAD;

	if (message->is_broken) {
		status = message->cap >= LIBRARY_FRAME_MAX
		    ? FRESHET_BAD_ARGUMENT
		    : FRESHET_NO_MEMORY;
	} else if (len > LIBRARY_FRAME_MAX) {
		status = FRESHET_BAD_ARGUMENT;
	} else {
		little((unsigned char *)message->p, len, 4);
		status = helper_link_send_all(link, message->p, message->len);
	}
	free(message->p);
	*message = (struct message){0};
	return status;
}

static enum freshet_status
send_head(struct helper_link *link, uint8_t type, size_t len)
{
	unsigned char head[LIBRARY_HEAD];

	little(head, len, 4);
	head[4] = type;
	return helper_link_send_all(link, (const char *)head, sizeof(head));
}

enum freshet_status
helper_link_body(struct helper_link *link, const char *bytes, size_t len)
{
	enum freshet_status status = FRESHET_OK;

	while (len > 0 && status == FRESHET_OK) {
		size_t n = len < LIBRARY_BODY_BYTES ? len : LIBRARY_BODY_BYTES;

		status = send_head(link, LIBRARY_BODY, n);
		if (status == FRESHET_OK)
			status = helper_link_send_all(link, bytes, n);
		bytes += n;
		len -= n;
	}
	return status;
}

enum freshet_status
helper_link_body_end(struct helper_link *link)
{
	return send_head(link, LIBRARY_BODY_END, 0);
}

/* Replies. */

/* has_frame(link, need): is there a whole frame?  *need is how many bytes must
 * be there to see more; 0: no frame begins like this. */
static bool
has_frame(const struct helper_link *link, size_t *need)
{
	size_t there = link->in_len - link->in_at;
	struct wire wire;
	uint32_t len;

	*need = LIBRARY_HEAD;
	if (there < LIBRARY_HEAD)
		return false;
	wire = wire_open(slice_make(link->in + link->in_at, there));
	len = wire_get_u32(&wire);
	*need = len > LIBRARY_FRAME_MAX ? 0 : LIBRARY_HEAD + (size_t)len;
	return *need > 0 && there >= *need;
}

/* make_room(link, need): for `need` bytes from in_at on, and for some more. */
static bool
make_room(struct helper_link *link, size_t need)
{
	size_t cap = need + RECEIVE_BYTES;
	char *grown;

	if (link->in_at > 0) {
		link->in_len -= link->in_at;
		memmove(link->in, link->in + link->in_at, link->in_len);
		link->in_at = 0;
	}
	if (link->in_cap - link->in_len > 0 && link->in_cap >= need)
		return true;
	grown = realloc(link->in, cap);
	if (grown == NULL)
		return false;
	link->in = grown;
	link->in_cap = cap;
	return true;
}

enum freshet_status
helper_link_take(struct helper_link *link, uint8_t *type, struct slice *payload)
{
	size_t need;
	ssize_t n;

	while (!has_frame(link, &need)) {
		link->error = EPROTO;
		if (need == 0)
			return FRESHET_HELPER_LOST;
		if (!make_room(link, need))
			return FRESHET_NO_MEMORY;
		n = recv(link->fd, link->in + link->in_len,
		    link->in_cap - link->in_len, MSG_DONTWAIT);
		link->error = n < 0 ? errno : 0;
		if (n == 0 ||
		    (n < 0 &&
			(!helper_link_is_again(errno) ||
			    !wait_for(link, POLLIN))))
			return FRESHET_HELPER_LOST;
		if (n > 0)
			link->in_len += (size_t)n;
	}
	*type = (uint8_t)link->in[link->in_at + 4];
	*payload = slice_make(
	    link->in + link->in_at + LIBRARY_HEAD, need - LIBRARY_HEAD);
	link->in_at += need;
	return FRESHET_OK;
}
