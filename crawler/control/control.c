/*
 * Serving the socket of a store.  The states of a peer:
 *
 *	ASKING --first line--> SERVED --control_end--> ENDING --sent--> freed
 *
 * A peer is freed from its own watch or timer only, never from within
 * control_send, which may be called in a loop.
 */
#include "crawler/control/control.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "crawler/control/control_socket.h"
#include "crawler/event/loop.h"

#define MAX_PEERS 256
/* how long nothing is accepted when no descriptor is left */
#define REST_MS 100
/* waiting for one peer that does not read */
#define MAX_WAITING_BYTES (16u << 20)
#define TAKE_BYTES 16384 /* how much is read from a peer in one round */
/* how long a peer that reads nothing keeps a process that ends */
#define FAREWELL_MS 200
#define ASK_MS 5000 /* how long a peer may take to send its first line */

enum peer_state { PEER_ASKING, PEER_SERVED, PEER_ENDING };

struct control_peer {
	struct control *control;
	struct control_peer *next;
	int fd; /* owned */
	struct loop_watch *watch; /* owned */
	/* owned: frees the peer if it asks too slowly, or is hopeless */
	struct loop_timer *timer;
	struct buf in, out;
	void *client;
	uint8_t state; /* enum peer_state */
	bool is_hopeless; /* the peer does not read what is sent to it */
};

struct control {
	struct control_options options;
	int fd; /* owned */
	struct loop_watch *watch; /* owned */
	struct loop_timer *rest; /* owned */
	struct control_peer *peers; /* owned */
	unsigned count;
};

static void
peer_free(struct control_peer *peer)
{
	struct control_peer **at = &peer->control->peers;

	while (*at != peer)
		at = &(*at)->next;
	*at = peer->next;
	peer->control->count--;
	if (peer->state == PEER_SERVED && peer->client != NULL)
		peer->control->options.gone(
		    peer->control->options.arg, peer->client);
	loop_watch_free(peer->watch);
	loop_timer_free(peer->timer);
	(void)close(peer->fd);
	buf_release(&peer->in);
	buf_release(&peer->out);
	free(peer);
}

static void
give_up(void *arg)
{
	peer_free(arg);
}

/* flush(peer): send what fits; false when the peer is to be freed. */
static bool
flush(struct control_peer *peer)
{
	if (!control_flush(peer->fd, &peer->out))
		return false;
	loop_watch_set(
	    peer->watch, LOOP_READ | (peer->out.len > 0 ? LOOP_WRITE : 0));
	return peer->out.len > 0 || peer->state != PEER_ENDING;
}

static void
take_line(struct control_peer *peer, struct slice line)
{
	const struct control_options *options = &peer->control->options;

	if (peer->state == PEER_ASKING) {
		loop_timer_stop(peer->timer);
		peer->state = PEER_SERVED;
		peer->client = options->request(options->arg, peer, line);
	} else if (peer->state == PEER_SERVED && peer->client != NULL) {
		options->line(options->arg, peer->client, line);
	}
}

/* has_more(peer): would another line of the peer be used? */
static bool
has_more(const struct control_peer *peer)
{
	if (peer->state == PEER_ASKING)
		return true;
	return peer->state == PEER_SERVED && peer->client != NULL &&
	    peer->control->options.line != NULL;
}

/* take_lines(peer): pass on all complete lines; false when the incomplete line
 * is longer than a line may be. */
static bool
take_lines(struct control_peer *peer)
{
	size_t at = 0;

	while (at < peer->in.len && has_more(peer)) {
		const char *from = peer->in.p + at;
		const char *end = memchr(from, '\n', peer->in.len - at);

		if (end == NULL)
			break;
		take_line(peer, slice_make(from, (size_t)(end - from)));
		at += (size_t)(end - from) + 1;
	}
	if (!has_more(peer))
		at = peer->in.len;
	peer->in.len -= at;
	if (at > 0 && peer->in.len > 0)
		memmove(peer->in.p, peer->in.p + at, peer->in.len);
	return peer->in.len < CONTROL_MAX_REQUEST;
}

/* take(peer): read some bytes; the rest waits for the next rounds, so that
 * other peers have their turn.  False when the peer has gone. */
static bool
take(struct control_peer *peer)
{
	char bytes[TAKE_BYTES];
	ssize_t n = recv(peer->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK ||
		    errno == EINTR;
	return n > 0 && buf_put(&peer->in, bytes, (size_t)n) &&
	    take_lines(peer);
}

static void
on_peer(void *arg, int fd, int ready)
{
	struct control_peer *peer = arg;

	(void)fd;
	loop_doing(peer->control->options.loop, "what a command asked");
	if (((ready & LOOP_READ) != 0 && !take(peer)) || !flush(peer))
		peer_free(peer);
}

static void
listen_again(void *arg)
{
	struct control *control = arg;

	loop_watch_set(control->watch, LOOP_READ);
}

static void
on_listener(void *arg, int listener, int ready)
{
	struct control *control = arg;
	int fd = control_accept(listener);
	struct control_peer *peer;

	(void)ready;
	if (fd < 0) {
		/* The connection that could not be accepted would make the
		 * listener ready again at once. */
		loop_watch_set(control->watch, 0);
		loop_timer_set(control->rest, REST_MS);
		return;
	}
	if (control->count >= MAX_PEERS) {
		(void)close(fd);
		return;
	}
	peer = mem_zero(sizeof(*peer));
	peer->control = control;
	peer->next = control->peers;
	control->peers = peer;
	control->count++;
	peer->fd = fd;
	buf_init(&peer->in, CONTROL_MAX_REQUEST);
	buf_init(&peer->out, SIZE_MAX);
	peer->watch = loop_watch_new(
	    control->options.loop, fd, LOOP_READ, on_peer, peer);
	peer->timer = loop_timer_new(control->options.loop, give_up, peer);
	loop_timer_set(peer->timer, ASK_MS);
}

struct control *
control_new(const struct control_options *options)
{
	int fd = control_listen(options->store_path);
	struct control *control;

	if (fd < 0)
		return NULL;
	control = mem_zero(sizeof(*control));
	control->options = *options;
	control->fd = fd;
	control->watch = loop_watch_new(
	    options->loop, fd, LOOP_READ, on_listener, control);
	control->rest = loop_timer_new(options->loop, listen_again, control);
	return control;
}

/* farewell(peer): send all that waits for the peer, as long as it reads: what
 * waits may be leases, which nobody else gets before their time is over. */
static void
farewell(struct control_peer *peer)
{
	struct pollfd room = {.fd = peer->fd, .events = POLLOUT};

	while (control_flush(peer->fd, &peer->out) && peer->out.len > 0 &&
	    poll(&room, 1, FAREWELL_MS) > 0)
		;
}

void
control_free(struct control *control)
{
	if (control == NULL)
		return;
	control_unlink(control->options.store_path);
	loop_watch_free(control->watch);
	loop_timer_free(control->rest);
	(void)close(control->fd);
	while (control->peers != NULL) {
		farewell(control->peers);
		peer_free(control->peers);
	}
	free(control);
}

void
control_send(struct control_peer *peer, struct slice text)
{
	if (peer->is_hopeless)
		return;
	if (peer->out.len + text.len > MAX_WAITING_BYTES) {
		peer->is_hopeless = true;
		loop_timer_set(peer->timer, 0);
		return;
	}
	(void)buf_put_slice(&peer->out, text);
	loop_watch_set(peer->watch, LOOP_READ | LOOP_WRITE);
}

void
control_end(struct control_peer *peer)
{
	peer->state = PEER_ENDING;
	loop_watch_set(peer->watch, LOOP_READ | LOOP_WRITE);
}
