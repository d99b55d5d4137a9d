/* Sockets of a fetcher, also between two requests. */
#ifndef FRESHET_FETCH_SOCKETS_H
#define FRESHET_FETCH_SOCKETS_H

#include <stddef.h>

#include "crawler/event/loop.h"

/*
 * A connection that waits for its next request has nothing to say.  What
 * comes over it then would pass for the answer to that request (HOSTILE N9),
 * since libcurl 7.88 uses it again all the same: so it is shut down, as one
 * that the server has closed.  libcurl takes a new one when it notices, which
 * may be after it asked to send over the old one.
 */
struct sockets {
	struct loop *loop;
	loop_io_fn *ready; /* for those that are watched for somebody */
	void *arg;
	struct socket_place *places; /* owned: by descriptor */
	size_t count;
	size_t cap;
	uint8_t dead[8192]; /* a bit for the own port of each that is shut */
};

/* sockets_release: all of them were closed before. */
void sockets_init(struct sockets *, struct loop *, loop_io_fn *, void *arg);
void sockets_release(struct sockets *);

/* sockets_opened(sockets, fd): of a connection.  sockets_close: close it;
 * what close(2) returns. */
void sockets_opened(struct sockets *, int fd);
int sockets_close(struct sockets *, int fd);

/* sockets_watch(sockets, fd, interest, at_work): bits of enum loop_interest,
 * and for which site (at_work.h).  0: nobody asks for it any more; one that was
 * not `opened` is about to be closed by its owner. */
void sockets_watch(struct sockets *, int fd, int interest, uint32_t at_work);

/* sockets_is_dead(sockets, own_port): is that one shut?  Says so once. */
bool sockets_is_dead(struct sockets *, uint16_t own_port);

#endif
