/*
 * Serving the socket of a store: requests and answers are lines.  The process
 * that owns the store does what other commands ask for.
 */
#ifndef FRESHET_CONTROL_H
#define FRESHET_CONTROL_H

#include "base/slice.h"
#include "crawler/event/loop.h"

#define CONTROL_MAX_REQUEST (16u << 20) /* bytes: 100,000 targets and more */

struct control;
struct control_peer;

struct control_options {
	struct loop *loop;
	const char *store_path; /* borrowed */

	/*
	 * The loop calls these.
	 * request: the first line of a peer, without its line feed; returns the
	 * client that the peer belongs to from now on, or NULL.
	 * line: one more line of a peer with a client.  NULL: further lines are
	 * dropped.
	 * gone: a peer with a client went away before control_end; nothing more
	 * can be sent to it.  control_free calls this, too.
	 */
	void *(*request)(void *arg, struct control_peer *, struct slice line);
	void (*line)(void *arg, void *client, struct slice line);
	void (*gone)(void *arg, void *client);
	void *arg;
};

/* control_new(options): NULL with errno when no socket can be made. */
struct control *control_new(const struct control_options *);

/* control_free(control): remove the socket, and close all peers when what waits
 * for them is sent, as far as they read it.  NULL is ignored. */
void control_free(struct control *);

/* control_send(peer, text): send whole lines.  A peer that does not read them
 * is closed later, when too much waits for it. */
void control_send(struct control_peer *, struct slice text);

/* control_end(peer): close the peer when all is sent; gone is not called. */
void control_end(struct control_peer *);

#endif
