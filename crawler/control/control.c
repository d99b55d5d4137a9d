/*
 * Serving commands.  The states of a peer:
 *
 *	ASKING --first line--> SERVED --control_end--> ENDING --sent--> freed
 *
 * A peer is freed from its own watch or timer only, never from within
 * control_send, which may be called in a loop.
 */
#include "crawler/control/control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out_json.h"
#include "crawler/event/splitter.h"
#include "store/store.h"

#define BACKLOG 64 /* connections that wait to be accepted */
#define MAX_PEERS 256
/* how long nothing is accepted when no descriptor is left */
#define REST_MS 100
/* waiting for one peer that does not read */
#define MAX_WAITING_BYTES (16u << 20)
/* waiting for a peer whose next lines can wait as well */
#define REST_BYTES (4u << 20)
#define TAKE_BYTES 16384 /* how much is read from a peer in one round */
/* how long a peer that reads nothing keeps a process that ends */
#define FAREWELL_MS 200
#define ASK_MS 5000 /* how long a peer may take to send its first line */

/* The socket beside the store. */

/* The place of the socket: a folder, and a name in it. */
struct socket_path {
	int folder; /* owned: a descriptor */
	char name[NAME_MAX + 1];
	struct sockaddr_un address;
};

/* socket_path_find(place, store_path): find the place of the store's socket.
 * Since the path of a store may be longer than that of a socket, the address
 * names the folder by its descriptor. */
static bool
socket_path_find(struct socket_path *place, const char *store_path)
{
	const char *slash = strrchr(store_path, '/');
	const char *base = slash == NULL ? store_path : slash + 1;
	char *folder = slash == NULL ? mem_copy(".")
	    : slash == store_path
	    ? mem_copy("/")
	    : slice_dup(slice_make(store_path, (size_t)(slash - store_path)));
	int name = snprintf(place->name, sizeof(place->name), "%s.sock", base);
	int path;

	place->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	if (place->folder < 0)
		return false;
	place->address = (struct sockaddr_un){.sun_family = AF_UNIX};
	path = snprintf(place->address.sun_path,
	    sizeof(place->address.sun_path), "/proc/self/fd/%d/%s",
	    place->folder, place->name);
	if (name < 0 || (size_t)name >= sizeof(place->name) || path < 0 ||
	    (size_t)path >= sizeof(place->address.sun_path)) {
		(void)close(place->folder);
		errno = ENAMETOOLONG;
		return false;
	}
	return true;
}

/* socket_fail(fd, folder): close both, keep errno, and return -1. */
static int
socket_fail(int fd, int folder)
{
	int error = errno;

	if (fd >= 0)
		(void)close(fd);
	(void)close(folder);
	errno = error;
	return -1;
}

/* take_away(place): remove the socket; a file that is no socket stays. */
static void
take_away(const struct socket_path *place)
{
	struct stat st;

	if (fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW) ==
		0 &&
	    S_ISSOCK(st.st_mode))
		(void)unlinkat(place->folder, place->name, 0);
}

/* control_listen(store_path): a listening, non-blocking socket at STORE.sock,
 * for this user alone; -1 with errno.  Only the process that holds the store's
 * lock may call this; a socket that another process left behind is replaced. */
static int
control_listen(const char *store_path)
{
	struct socket_path place;
	mode_t mask;
	int fd;

	if (!socket_path_find(&place, store_path))
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	take_away(&place);
	/* A second step could set the mode of something else that took the
	 * socket's place. */
	mask = umask(0177);
	if (fd < 0 ||
	    bind(fd, (const struct sockaddr *)&place.address,
		sizeof(place.address)) != 0) {
		(void)umask(mask);
		return socket_fail(fd, place.folder);
	}
	(void)umask(mask);
	if (listen(fd, BACKLOG) != 0)
		return socket_fail(fd, place.folder);
	(void)close(place.folder);
	return fd;
}

/* The user at the other end; false: it is not known. */
static bool
control_uid_of(int fd, uid_t *uid)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0)
		return false;
	*uid = peer.uid;
	return true;
}

int
control_connect(const char *store_path)
{
	struct socket_path place;
	uid_t uid;
	int fd;

	if (!socket_path_find(&place, store_path))
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 ||
	    connect(fd, (const struct sockaddr *)&place.address,
		sizeof(place.address)) != 0)
		return socket_fail(fd, place.folder);
	/* In a folder where others make files, anybody may listen: he would
	 * get the whole command, and his answer would be believed. */
	if (!control_uid_of(fd, &uid) || !store_trusts(store_path, uid)) {
		errno = EPERM;
		return socket_fail(fd, place.folder);
	}
	(void)close(place.folder);
	return fd;
}

bool
control_flush(int fd, struct buf *buf)
{
	size_t at = 0;

	while (at < buf->len) {
		ssize_t n = send(fd, buf->p + at, buf->len - at,
		    MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
			return false;
		if (n < 0)
			break;
		at += (size_t)n;
	}
	if (at > 0) {
		buf->len -= at;
		memmove(buf->p, buf->p + at, buf->len);
	}
	return true;
}

/* Peers. */

enum peer_state { PEER_ASKING, PEER_SERVED, PEER_ENDING };

struct control_peer {
	struct control *control;
	struct control_peer *next;
	control_write_fn *write; /* a peer of this process; NULL: of another */
	void *write_arg;
	int fd; /* owned; -1: a peer of this process, and no watch or timer */
	struct loop_watch *watch; /* owned */
	/* owned: frees the peer if it asks too slowly, or is hopeless */
	struct loop_timer *timer;
	struct splitter in;
	struct buf out;
	struct control_client *client; /* NULL: the peer is not served */
	uint8_t state; /* enum peer_state */
	bool is_hopeless; /* the peer does not read what is sent to it */
	bool is_resting; /* until something is sent (control_rest) */
};

struct control {
	struct loop *loop;
	const char *store_path;
	control_request_fn *request;
	void *arg;
	int fd; /* owned; -1: no socket could be made */
	struct loop_watch *watch; /* owned */
	struct loop_timer *rest; /* owned */
	struct control_peer *peers; /* owned */
	unsigned count;
};

void
control_leave(void *arg)
{
	struct control_peer *peer = arg;
	struct control_peer **at = &peer->control->peers;

	while (*at != peer)
		at = &(*at)->next;
	*at = peer->next;
	peer->control->count--;
	if (peer->state == PEER_SERVED && peer->client != NULL)
		peer->client->gone(peer->client);
	loop_watch_free(peer->watch);
	loop_timer_free(peer->timer);
	if (peer->fd >= 0)
		(void)close(peer->fd);
	buf_release(&peer->in.text);
	buf_release(&peer->out);
	free(peer);
}

struct control_peer *
control_join(
    struct control *control, int fd, control_write_fn *write, void *arg)
{
	struct control_peer *peer = mem_zero(sizeof(*peer));

	peer->control = control;
	peer->next = control->peers;
	control->peers = peer;
	control->count++;
	peer->fd = fd;
	peer->write = write;
	peer->write_arg = arg;
	splitter_init(&peer->in, CONTROL_MAX_REQUEST);
	return peer;
}

void
control_line(struct control_peer *peer, struct slice line)
{
	const struct control *control = peer->control;

	if (peer->state == PEER_ASKING) {
		if (peer->timer != NULL)
			loop_timer_set(peer->timer, LOOP_NEVER);
		peer->state = PEER_SERVED;
		/* The request may be over when the function returns. */
		peer->client = control->request(control->arg, peer, line);
	} else if (peer->state == PEER_SERVED && peer->client != NULL &&
	    peer->client->line != NULL) {
		peer->client->line(peer->client, line);
	}
}

/* Wait until something can be read or sent.  A peer that rests and goes is
 * noticed when the next answer is sent to it. */
static void
peer_watch(struct control_peer *peer)
{
	bool rests = peer->is_resting || peer->out.len > REST_BYTES;

	loop_watch_set(peer->watch,
	    (rests ? 0 : LOOP_READ) | (peer->out.len > 0 ? LOOP_WRITE : 0));
}

size_t
control_waiting(const struct control_peer *peer)
{
	return peer->out.len;
}

void
control_rest(struct control_peer *peer)
{
	peer->is_resting = true;
}

/* One round of a peer: read some bytes, and send what fits; the rest waits for
 * the next rounds, so that other peers have their turn.  The peer is freed when
 * it has gone, has sent a line that is longer than a line may be, or has got
 * its last line. */
static void
on_peer(void *arg, int fd, int ready)
{
	struct control_peer *peer = arg;
	char bytes[TAKE_BYTES];
	struct slice line;
	ssize_t n = -1;
	bool is_good = true;

	loop_doing(peer->control->loop, "what a command asked");
	if ((ready & LOOP_READ) != 0) {
		n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		is_good = n > 0 ||
		    (n < 0 &&
			(errno == EAGAIN || errno == EWOULDBLOCK ||
			    errno == EINTR));
	}
	if (n > 0)
		is_good = splitter_put(&peer->in, slice_make(bytes, (size_t)n));
	while (is_good && n > 0 && splitter_next(&peer->in, &line))
		control_line(peer, line);
	if (!is_good || !control_flush(peer->fd, &peer->out) ||
	    (peer->out.len == 0 && peer->state == PEER_ENDING))
		control_leave(peer);
	else
		peer_watch(peer);
}

static void
listen_again(void *arg)
{
	struct control *control = arg;

	loop_watch_set(control->watch, LOOP_READ);
}

static void
on_listener(void *arg, int listener, int ready)
{
	struct control *control = arg;
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct control_peer *peer;
	uid_t uid;

	(void)ready;
	/* Connections of other users than this one, and root, are closed. */
	if (fd >= 0 &&
	    (!control_uid_of(fd, &uid) || (uid != geteuid() && uid != 0))) {
		(void)close(fd);
		fd = -1;
	}
	if (fd < 0) {
		/* The connection that could not be accepted would make the
		 * listener ready again at once. */
		loop_watch_set(control->watch, 0);
		loop_timer_set(control->rest, REST_MS);
		return;
	}
	if (control->count >= MAX_PEERS) {
		(void)close(fd);
		return;
	}
	peer = control_join(control, fd, NULL, NULL);
	peer->watch = loop_watch_new(
	    control->loop, fd, LOOP_READ, on_peer, peer);
	peer->timer = loop_timer_new(control->loop, control_leave, peer);
	loop_timer_set(peer->timer, ASK_MS);
}

struct control *
control_new(struct loop *loop, const char *store_path,
    control_request_fn *request, void *arg, int *error)
{
	struct control *control = mem_zero(sizeof(*control));

	*control = (struct control){.loop = loop,
	    .store_path = store_path,
	    .request = request,
	    .arg = arg,
	    .fd = control_listen(store_path)};
	*error = control->fd < 0 ? errno : 0;
	if (control->fd < 0)
		return control;
	control->watch = loop_watch_new(
	    loop, control->fd, LOOP_READ, on_listener, control);
	control->rest = loop_timer_new(loop, listen_again, control);
	return control;
}

void
control_free(struct control *control)
{
	struct socket_path place;
	if (control == NULL)
		return;
	if (control->fd >= 0 && socket_path_find(&place, control->store_path)) {
		take_away(&place);
		(void)close(place.folder);
	}
	loop_watch_free(control->watch);
	loop_timer_free(control->rest);
	if (control->fd >= 0)
		(void)close(control->fd);
	while (control->peers != NULL) {
		struct control_peer *peer = control->peers;
		struct pollfd room = {.fd = peer->fd, .events = POLLOUT};

		if (peer->fd >= 0 && peer->state != PEER_ENDING)
			(void)buf_put_slice(&peer->out,
			    slice_of("{\"v\":1,\"type\":\"bye\"}\n"));
		/* Send all that waits for the peer, as long as it reads: what
		 * waits may be leases, which nobody else gets before their time
		 * is over. */
		while (peer->fd >= 0 && control_flush(peer->fd, &peer->out) &&
		    peer->out.len > 0 && poll(&room, 1, FAREWELL_MS) > 0)
			;
		control_leave(peer);
	}
	free(control);
}

void
control_send(struct control_peer *peer, struct slice text)
{
	if (peer->is_hopeless || text.len == 0)
		return;
	if (peer->fd < 0) {
		peer->write(peer->write_arg, text);
		return;
	}
	if (peer->out.len + text.len > MAX_WAITING_BYTES) {
		peer->is_hopeless = true;
		loop_timer_set(peer->timer, 0);
		return;
	}
	(void)buf_put_slice(&peer->out, text);
	peer->is_resting = false;
	peer_watch(peer);
}

void
control_end(struct control_peer *peer, int status, struct slice why)
{
	struct buf line = BUF_UP_TO(SIZE_MAX);

	out_json_line(&line, "end");
	out_json_number(&line, "exit", (uint64_t)status);
	if (why.len > 0)
		out_json_text(&line, "text", why);
	out_json_line_end(&line);
	control_send(peer, buf_text(&line));
	buf_release(&line);
	peer->state = PEER_ENDING;
	if (peer->fd >= 0)
		loop_watch_set(peer->watch, LOOP_READ | LOOP_WRITE);
}
