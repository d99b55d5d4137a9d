/* Messages of a daemon to the service manager: sd_notify(3), without its
 * library. */
#ifndef FRESHET_NOTIFY_H
#define FRESHET_NOTIFY_H

#include <stdbool.h>

struct notify {
	int fd; /* owned; -1: no service manager listens */
};

/*
 * notify_open(notify, socket): socket is the value of NOTIFY_SOCKET: a path, or
 * '@' and an abstract name; NULL or empty when no service manager listens.
 * False, with errno, when the named socket cannot be used.
 */
bool notify_open(struct notify *, const char *socket);
void notify_close(struct notify *);

/* notify_say(notify, state): send lines such as "READY=1"; they are lost if the
 * service manager does not receive them. */
void notify_say(const struct notify *, const char *state);

#endif
