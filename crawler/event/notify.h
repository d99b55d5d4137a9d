/* What the service manager hears of a daemon: sd_notify(3), without its
 * library. */
#ifndef FRESHET_NOTIFY_H
#define FRESHET_NOTIFY_H

#include <stdbool.h>

struct notify {
	int fd; /* owned, -1: nobody listens */
};

/*
 * notify_open(notify, socket): socket is NOTIFY_SOCKET's value: a path, or an
 * abstract name that '@' begins; NULL or empty: nobody listens.  False, with
 * errno, when it names no socket that can be spoken to.
 */
bool notify_open(struct notify *, const char *socket);
void notify_close(struct notify *);

/* notify_say(notify, state): lines such as "READY=1"; lost when nobody takes
 * them. */
void notify_say(const struct notify *, const char *state);

#endif
