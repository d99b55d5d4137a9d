/* The socket beside a store (CLI section 2). */
#ifndef FRESHET_CONTROL_SOCKET_H
#define FRESHET_CONTROL_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

/*
 * control_listen(store_path): a listening, non-blocking socket at
 * STORE.sock, for this user alone; one that was left there is replaced, since
 * whoever holds the store's lock owns the name.  -1 with errno.
 * control_unlink(store_path): take the name away.
 */
int control_listen(const char *store_path);
void control_unlink(const char *store_path);

/* control_accept(fd): a non-blocking connection of the same user, or of root;
 * -1 when there is none, others are turned away. */
int control_accept(int fd);

/* control_connect(store_path): a blocking connection, -1 with errno: nobody
 * serves. */
int control_connect(const char *store_path);

/* control_flush(fd, buf): as much of it as the connection takes now leaves the
 * buffer; false when it is of no use any more. */
bool control_flush(int fd, struct buf *);

/* control_be_patient(fd, patience_ms): to hear something takes so long at most.
 */
void control_be_patient(int fd, int64_t patience_ms);

/* control_put(fd, text, patience_ms): all of it, over a blocking connection;
 * false when it went away, or takes nothing for so long. */
bool control_put(int fd, struct slice text, int64_t patience_ms);

/* control_ask_way(store_path, line, patience_ms): ask who serves for what its
 * kind may be unable to do, and wait until it hangs up: it has said no, or has
 * gone; at most for so long. */
void control_ask_way(
    const char *store_path, struct slice line, int64_t patience_ms);

#endif
