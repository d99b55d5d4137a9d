/*
 * The process that owns a store serves commands: those of other processes,
 * through the socket beside the store, and its own.  Requests and answers are
 * lines (crawler_serve.h).
 */
#ifndef FRESHET_CONTROL_H
#define FRESHET_CONTROL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/event/loop.h"

#define CONTROL_MAX_REQUEST (16u << 20) /* bytes: 100,000 targets and more */

struct control;
struct control_peer;

/* What serves a peer: the first member of a larger struct. */
struct control_client {
	/* one more line of the peer; NULL: further lines are dropped */
	void (*line)(struct control_client *, struct slice line);
	/* the peer went away before control_end; nothing more can be sent to
	 * it.  control_free calls this, too. */
	void (*gone)(struct control_client *);
};

/* The loop calls this with the first line of a peer, without its line feed;
 * returns what serves the peer from now on, or NULL. */
typedef struct control_client *control_request_fn(
    void *arg, struct control_peer *, struct slice line);

/* control_new(loop, store_path, request, arg, *error): serves peers of this
 * process in any case, and those of others if a socket can be made; else *error
 * is an errno. The path is borrowed. */
struct control *control_new(struct loop *, const char *store_path,
    control_request_fn *, void *arg, int *error);

/* control_free(control): remove the socket, and close all peers when what waits
 * for them is sent, as far as they read it.  Peers learn that the owner leaves
 * in order.  NULL is ignored. */
void control_free(struct control *);

/* control_join(control, fd, write, arg): a peer at the other end of a socket,
 * which the peer owns; or, if fd is -1, in this process: it gets what is sent
 * to it through write(), at once. control_line(peer, line): a line of that
 * peer, without its line feed. control_leave(peer): the peer goes; it is freed.
 */
typedef void control_write_fn(void *arg, struct slice text);
struct control_peer *control_join(
    struct control *, int fd, control_write_fn *write, void *arg);
void control_line(struct control_peer *, struct slice line);
void control_leave(void *peer);

/* control_send(peer, text): send whole lines.  A peer that does not read them
 * is closed later, when too much waits for it. */
void control_send(struct control_peer *, struct slice text);

/* control_rest(peer): so many answers wait until they can be sent that no line
 * of the peer is taken before they are. */
void control_rest(struct control_peer *);

/* control_waiting(peer): bytes that the peer has not read yet. */
size_t control_waiting(const struct control_peer *);

/* control_end(peer, status, why): the last line, {"type":"end"}, with the exit
 * status of the command and what it says on stderr; empty: nothing.  The peer
 * is closed when all is sent; gone is not called. */
void control_end(struct control_peer *, int status, struct slice why);

/* control_connect(store_path): a connection; -1 with errno when no process
 * serves the socket, or one that store_trusts() does not. */
int control_connect(const char *store_path);

/* control_flush(fd, buf): send as much of the buffer as the connection takes
 * now, and remove it from the buffer; false when the connection has failed. */
bool control_flush(int fd, struct buf *);

/* What a request gets that no command of this version sends: the sender may be
 * hostile, or no freshet at all. */
#define CONTROL_UNKNOWN \
	"the process that holds the store does not know what is asked of it"

#endif
