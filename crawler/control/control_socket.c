/* The socket beside a store. */
#include "crawler/control/control_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/slice.h"
#include "store/store.h"

#define BACKLOG 64

/* The place of the socket: a folder, and a name in it. */
struct socket_path {
	int folder; /* owned: a descriptor */
	char name[NAME_MAX + 1];
	struct sockaddr_un address;
};

/*
 * socket_path_find(place, store_path): find the place of the store's socket.
 * Since the path of a store may be longer than that of a socket, the address
 * names the folder by its descriptor.
 */
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

int
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

void
control_unlink(const char *store_path)
{
	struct socket_path place;

	if (!socket_path_find(&place, store_path))
		return;
	take_away(&place);
	(void)close(place.folder);
}

/* The user at the other end; false: it is not known. */
static bool
peer_of(int fd, uid_t *uid)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0)
		return false;
	*uid = peer.uid;
	return true;
}

int
control_accept(int listener)
{
	uid_t uid;
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return -1;
	if (peer_of(fd, &uid) && (uid == geteuid() || uid == 0))
		return fd;
	(void)close(fd);
	return -1;
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
	if (!peer_of(fd, &uid) || !store_trusts(store_path, uid)) {
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
