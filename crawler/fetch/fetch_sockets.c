/* Socket addresses, the number of sockets, and the sockets of a fetcher. */
#include "crawler/fetch/fetch_sockets.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/at_work.h"
#include "base/mem.h"

/* HOSTILE T31. */
#define WANTED 4096
#define KEPT 64 /* for the store, the loop, the readers, the resolver */
#define EACH 3 /* a connection, a spool file, and that file for the reader */
#define MAX_TRANSFERS 1024

bool
sockaddr_read(const struct sockaddr *from, struct addr *addr, uint16_t *port)
{
	const void *p = from;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	uint8_t bytes[4];

	if (from->sa_family == AF_INET) {
		memcpy(&in, p, sizeof(in));
		memcpy(bytes, &in.sin_addr, sizeof(bytes));
		*addr = addr_from_v4(bytes);
		*port = ntohs(in.sin_port);
		return true;
	}
	if (from->sa_family != AF_INET6)
		return false;
	memcpy(&in6, p, sizeof(in6));
	memcpy(addr->bytes, &in6.sin6_addr, sizeof(addr->bytes));
	*port = ntohs(in6.sin6_port);
	return true;
}

unsigned
sockets_transfers(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 1;
	if (limit.rlim_cur < WANTED && limit.rlim_cur < limit.rlim_max) {
		struct rlimit raised = {.rlim_max = limit.rlim_max,
		    .rlim_cur = limit.rlim_max < WANTED ? limit.rlim_max
							: WANTED};

		if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
			limit = raised;
	}
	if (limit.rlim_cur < KEPT + EACH)
		return 1;
	if (limit.rlim_cur >= KEPT + EACH * MAX_TRANSFERS)
		return MAX_TRANSFERS;
	return (unsigned)((limit.rlim_cur - KEPT) / EACH);
}

/* The sockets of a fetcher. */

struct socket_place *
sockets_place_of(struct sockets *sockets, int fd)
{
	size_t n = (size_t)fd;

	sockets->places = mem_grow(
	    sockets->places, &sockets->cap, n + 1, sizeof(*sockets->places));
	while (sockets->count <= n)
		sockets->places[sockets->count++] = (struct socket_place){0};
	return &sockets->places[n];
}

/* sockets_on_ready: if a connection becomes ready between two requests, the
 * server has sent bytes without a request, or has closed the connection. */
static void
sockets_on_ready(void *arg, int fd, int ready)
{
	struct sockets *sockets = arg;
	struct socket_place *place = sockets_place_of(sockets, fd);

	if (place->is_left) {
		/* Shut the connection down, and remember its local
		 * port, by which before_request() in fetch.c recognises the
		 * connection. */
		struct sockaddr_storage own;
		socklen_t len = sizeof(own);
		struct addr addr;

		loop_watch_set(place->watch, 0);
		if (getsockname(fd, (struct sockaddr *)&own, &len) == 0 &&
		    sockaddr_read(
			(struct sockaddr *)&own, &addr, &place->dead_port))
			sockets->dead[place->dead_port / 8] |= (uint8_t)(1U
			    << place->dead_port % 8);
		(void)shutdown(fd, SHUT_RDWR);
	} else {
		at_work_site(place->at_work);
		sockets->ready(sockets->arg, fd, ready);
	}
}

bool
sockets_is_dead(struct sockets *sockets, uint16_t own_port)
{
	uint8_t *bits = &sockets->dead[own_port / 8];
	unsigned bit = 1U << own_port % 8;
	bool is_dead = (*bits & bit) != 0;

	*bits &= (uint8_t)~bit;
	return is_dead;
}

int
sockets_close(void *arg, int fd)
{
	struct sockets *sockets = arg;
	struct socket_place *place = sockets_place_of(sockets, fd);

	(void)sockets_is_dead(sockets, place->dead_port);
	loop_watch_free(place->watch);
	*place = (struct socket_place){0};
	return close(fd);
}

void
sockets_watch(struct sockets *sockets, int fd, int interest, uint32_t at_work)
{
	struct socket_place *place = sockets_place_of(sockets, fd);

	place->at_work = at_work;
	place->is_left = interest == 0;
	if (interest == 0 && !place->is_connection) {
		loop_watch_free(place->watch);
		place->watch = NULL;
		return;
	}
	if (interest == 0)
		interest = LOOP_READ;
	if (place->watch == NULL)
		place->watch = loop_watch_new(
		    sockets->loop, fd, interest, sockets_on_ready, sockets);
	else
		loop_watch_set(place->watch, interest);
}
