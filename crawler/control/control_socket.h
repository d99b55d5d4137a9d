/* The socket beside a store: both ends of it. */
#ifndef FRESHET_CONTROL_SOCKET_H
#define FRESHET_CONTROL_SOCKET_H

#include <stdbool.h>

#include "base/buf.h"

/*
 * control_listen(store_path): a listening, non-blocking socket at STORE.sock,
 * for this user alone; -1 with errno.  Only the process that holds the store's
 * lock may call this; a socket that another process left behind is replaced.
 * control_unlink(store_path): remove the name.
 */
int control_listen(const char *store_path);
void control_unlink(const char *store_path);

/* control_accept(fd): a non-blocking connection of the same user, or of root;
 * -1 when there is none.  Connections of other users are closed. */
int control_accept(int fd);

/* control_connect(store_path): a connection; -1 with errno when no
 * process serves the socket, or one that store_trusts() does not. */
int control_connect(const char *store_path);

/* control_flush(fd, buf): send as much of the buffer as the connection takes
 * now, and remove it from the buffer; false when the connection has failed. */
bool control_flush(int fd, struct buf *);

#endif
