/*
 * Serving the socket of a store: lines in, lines out (CLI section 2).
 * Whoever holds the store's lock does what others ask for.
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
	 * request: a peer's one line, without its line feed; answers what
	 * belongs to it from now on, or NULL.
	 * line: one more of its lines, of a peer that something belongs to;
	 * NULL: no more are expected, and they are dropped.
	 * gone: the peer went away before control_end; nothing more can be
	 * said to it.  All from the loop, gone also from control_free.
	 */
	void *(*request)(void *arg, struct control_peer *, struct slice line);
	void (*line)(void *arg, void *guest, struct slice line);
	void (*gone)(void *arg, void *guest);
	void *arg;
};

/* control_new(options): NULL with errno when there can be no socket. */
struct control *control_new(const struct control_options *);

/* control_free(control): the socket goes, peers are left; NULL is fine. */
void control_free(struct control *);

/* control_send(peer, text): whole lines.  A peer that does not read them is
 * left, later, when too much waits for it. */
void control_send(struct control_peer *, struct slice text);

/* control_end(peer): close when all of it is sent; gone is not called. */
void control_end(struct control_peer *);

#endif
