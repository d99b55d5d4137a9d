/* The socket beside a store: both ends of it. */
#ifndef FRESHET_CONTROL_SOCKET_H
#define FRESHET_CONTROL_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

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

/* control_connect(store_path): a blocking connection; -1 with errno when no
 * process serves the socket, or one that store_trusts() does not. */
int control_connect(const char *store_path);

/* control_flush(fd, buf): send as much of the buffer as the connection takes
 * now, and remove it from the buffer; false when the connection has failed. */
bool control_flush(int fd, struct buf *);

/* control_be_patient(fd, patience_ms): let recv(2) wait at most this long. */
void control_be_patient(int fd, int64_t patience_ms);

/* control_put(fd, text, patience_ms): send all of the text over a blocking
 * connection; false when the connection failed, or took nothing for so long. */
bool control_put(int fd, struct slice text, int64_t patience_ms);

/* control_ask_way(store_path, line, patience_ms): send a request that the owner
 * of the store may be unable to serve, which makes it leave the store.  Waits
 * until the owner closes the connection, having refused or left, at most so
 * long. */
void control_ask_way(
    const char *store_path, struct slice line, int64_t patience_ms);

#endif
