/*
 * Socket addresses, the limit for the number of sockets, and the sockets of a
 * fetcher, including those that wait for their next request.
 */
#ifndef FRESHET_FETCH_SOCKETS_H
#define FRESHET_FETCH_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/addr.h"
#include "crawler/event/loop.h"

/* sockaddr_read(from, addr, port): convert a socket address; false when it is
 * neither IPv4 nor IPv6.  `from` has as many bytes as its family has. */
bool sockaddr_read(const struct sockaddr *from, struct addr *, uint16_t *port);

/* sockets_transfers(): raise the descriptor limit of this process as far as
 * that helps, and return how many transfers it allows at once, from 1 to 1,024
 * (HOSTILE T31). */
unsigned sockets_transfers(void);

struct socket_place {
	struct loop_watch *watch; /* owned, or NULL */
	bool is_connection; /* opened, and not closed yet */
	bool is_left; /* between two requests */
	uint16_t dead_port; /* the local port once it is shut down, else 0 */
	uint32_t at_work; /* the site that it works for (at_work.h) */
};

/* A server must not send anything over a connection that waits for its next
 * request. libcurl 7.88 would use the connection nevertheless, and take such
 * bytes for the answer to the next request (HOSTILE N9). So freshet shuts the
 * connection down, as if the server had closed it. libcurl opens a new one when
 * it notices, perhaps only after it has chosen the old one for a request. */
/* The first three are the caller's; the others are zeroed before their first
 * use. */
struct sockets {
	struct loop *loop;
	loop_io_fn *ready; /* called for a socket that a request waits for */
	void *arg;
	/* owned, with their watches; indexed by descriptor */
	struct socket_place *places;
	size_t count;
	size_t cap;
	uint8_t dead[8192]; /* a bit for the local port of each shut socket */
};

/* sockets_place_of(sockets, fd): the place of a descriptor, which moves when
 * there is one for a larger descriptor. Whoever opens a connection sets its
 * is_connection.
 * sockets_close(arg, fd): close it; returns what close(2) returns. arg is the
 * struct sockets: libcurl calls the function. */
struct socket_place *sockets_place_of(struct sockets *, int fd);
int sockets_close(void *arg, int fd);

/* sockets_watch(sockets, fd, interest, at_work): watch fd for the bits of enum
 * loop_interest, on behalf of a site (at_work.h). With 0 no request uses fd any
 * more; if fd is no connection (see above), its owner then closes it
 * soon. */
void sockets_watch(struct sockets *, int fd, int interest, uint32_t at_work);

/* sockets_is_dead(sockets, own_port): was the socket with this local port shut
 * down?  The answer is true once; then the port is forgotten. */
bool sockets_is_dead(struct sockets *, uint16_t own_port);

#endif
