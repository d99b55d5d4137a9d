/* Messages of a daemon to the service manager. */
#include "crawler/event/notify.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

bool
notify_open(struct notify *notify, const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	size_t len = path == NULL ? 0 : strlen(path);
	socklen_t size;

	notify->fd = -1;
	if (len == 0)
		return true;
	errno = EINVAL;
	if ((path[0] != '/' && path[0] != '@') || len >= sizeof(to.sun_path))
		return false;
	memcpy(to.sun_path, path, len);
	size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	if (path[0] == '@')
		to.sun_path[0] = '\0'; /* size says where the name ends */
	else
		size++;
	notify->fd = socket(
	    AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (notify->fd >= 0 &&
	    connect(notify->fd, (struct sockaddr *)&to, size) == 0)
		return true;
	notify_close(notify);
	return false;
}

/* The function keeps errno, because callers report why opening failed. */
void
notify_close(struct notify *notify)
{
	int error = errno;

	if (notify->fd >= 0)
		(void)close(notify->fd);
	notify->fd = -1;
	errno = error;
}

void
notify_say(const struct notify *notify, const char *state)
{
	if (notify->fd >= 0)
		(void)!send(notify->fd, state, strlen(state), MSG_NOSIGNAL);
}
