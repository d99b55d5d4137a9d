/* A server of raw bytes on loopback. */
#include "tests/http_fixture.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

#define MAX_REQUEST 65536
#define MAX_FLOOD_S 10 /* for a client that takes it all */
#define MAX_WAIT_MS 20000

struct http_server {
	const struct script *scripts;
	int fd;
	uint16_t port;
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t quiet; /* connections became 0 */
	unsigned connections;
	unsigned accepted;
	uint64_t sent;
	char **requests; /* owned */
	size_t count;
	size_t cap;
};

struct connection {
	struct http_server *server;
	int fd;
};

static void
keep_request(struct http_server *server, const char *text)
{
	pthread_mutex_lock(&server->lock);
	server->requests = mem_grow(server->requests, &server->cap,
	    server->count + 1, sizeof(*server->requests));
	server->requests[server->count++] = mem_copy(text);
	pthread_mutex_unlock(&server->lock);
}

/* read_request(fd, text): up to the empty line; false at the end. */
static bool
read_request(int fd, char *text)
{
	size_t len = 0;
	ssize_t n;

	do {
		n = recv(fd, text + len, MAX_REQUEST - 1 - len, 0);
		if (n <= 0)
			return false;
		len += (size_t)n;
		text[len] = '\0';
	} while (strstr(text, "\r\n\r\n") == NULL && len < MAX_REQUEST - 1);
	return true;
}

static bool
send_all(struct connection *connection, const char *p, size_t len)
{
	while (len > 0) {
		ssize_t n = send(connection->fd, p, len, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
		pthread_mutex_lock(&connection->server->lock);
		connection->server->sent += (uint64_t)n;
		pthread_mutex_unlock(&connection->server->lock);
	}
	return true;
}

/* wait_ms(fd, ms): false when the client has closed by then. */
static bool
wait_ms(int fd, int ms)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	return poll(&poll_fd, 1, ms) == 0;
}

static void
flood(struct connection *connection, const char *again)
{
	size_t len = strlen(again);
	size_t room = (16384 / len + 1) * len;
	char *batch = mem_alloc(room);
	time_t end_s = time(NULL) + MAX_FLOOD_S;

	for (size_t at = 0; at < room; at += len)
		memcpy(batch + at, again, len);
	while (send_all(connection, batch, room) && time(NULL) < end_s)
		continue;
	free(batch);
}

/* answer(connection, script): true when another request may follow. */
static bool
answer(struct connection *connection, const struct script *script)
{
	struct linger now = {.l_onoff = 1, .l_linger = 0};
	size_t len = script->len != 0 ? script->len : strlen(script->text);

	if (!send_all(connection, script->text, len))
		return false;
	switch (script->end) {
	case SCRIPT_KEEP:
		return true;
	case SCRIPT_CLOSE:
		return false;
	case SCRIPT_RESET:
		/* what was sent shall arrive before the reset does */
		(void)wait_ms(connection->fd, 100);
		(void)setsockopt(
		    connection->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
		return false;
	case SCRIPT_HANG:
		(void)wait_ms(connection->fd, MAX_WAIT_MS);
		return false;
	case SCRIPT_FLOOD:
		flood(connection, script->again);
		return false;
	case SCRIPT_DRIP:
		for (int ms = 0; ms < MAX_WAIT_MS; ms += 100)
			if (!send_all(connection, script->again,
				strlen(script->again)) ||
			    !wait_ms(connection->fd, 100))
				break;
		return false;
	}
	return false;
}

static const struct script *
find(const struct script *scripts, const char *request)
{
	static const struct script none = {
	    .text = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"};
	const char *path = strchr(request, ' ');

	for (; path != NULL && scripts->path != NULL; scripts++) {
		size_t len = strlen(scripts->path);

		if (strncmp(path + 1, scripts->path, len) == 0 &&
		    path[1 + len] == ' ')
			return scripts;
	}
	return &none;
}

static void *
serve(void *arg)
{
	struct connection *connection = arg;
	struct http_server *server = connection->server;
	char *text = mem_alloc(MAX_REQUEST);
	bool goes_on = true;

	while (goes_on && read_request(connection->fd, text)) {
		keep_request(server, text);
		goes_on = answer(connection, find(server->scripts, text));
	}
	free(text);
	close(connection->fd);
	free(connection);
	pthread_mutex_lock(&server->lock);
	server->connections--;
	pthread_cond_signal(&server->quiet);
	pthread_mutex_unlock(&server->lock);
	return NULL;
}

static void *
listener(void *arg)
{
	struct http_server *server = arg;
	pthread_attr_t attr;
	pthread_t thread;
	int one = 1;
	int fd;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (;;) {
		struct connection *connection;

		fd = accept(server->fd, NULL, NULL);
		if (fd < 0)
			break;
		(void)setsockopt(
		    fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		connection = mem_alloc(sizeof(*connection));
		*connection = (struct connection){server, fd};
		pthread_mutex_lock(&server->lock);
		server->accepted++;
		server->connections++;
		pthread_mutex_unlock(&server->lock);
		if (pthread_create(&thread, &attr, serve, connection) != 0)
			assert(0 && "a thread for a connection");
	}
	pthread_attr_destroy(&attr);
	return NULL;
}

struct http_server *
http_server_new(
    const char *address, uint16_t port, const struct script *scripts)
{
	struct http_server *server = mem_zero(sizeof(*server));
	struct sockaddr_in in = {
	    .sin_family = AF_INET, .sin_port = htons(port)};
	struct sockaddr *where = (struct sockaddr *)&in;
	socklen_t len = sizeof(in);
	int answer_code, one = 1;

	server->scripts = scripts;
	pthread_mutex_init(&server->lock, NULL);
	pthread_cond_init(&server->quiet, NULL);
	server->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	(void)setsockopt(
	    server->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	answer_code = inet_pton(AF_INET, address, &in.sin_addr);
	assert(answer_code == 1);
	answer_code = bind(server->fd, where, len);
	if (answer_code != 0) {
		close(server->fd);
		free(server);
		return NULL;
	}
	answer_code = listen(server->fd, 512);
	assert(answer_code == 0);
	(void)getsockname(server->fd, where, &len);
	server->port = ntohs(in.sin_port);
	answer_code = pthread_create(&server->thread, NULL, listener, server);
	assert(answer_code == 0);
	return server;
}

void
http_server_free(struct http_server *server)
{
	shutdown(server->fd, SHUT_RDWR);
	pthread_join(server->thread, NULL);
	close(server->fd);
	pthread_mutex_lock(&server->lock);
	while (server->connections > 0)
		pthread_cond_wait(&server->quiet, &server->lock);
	pthread_mutex_unlock(&server->lock);
	for (size_t i = 0; i < server->count; i++)
		free(server->requests[i]);
	free(server->requests);
	pthread_cond_destroy(&server->quiet);
	pthread_mutex_destroy(&server->lock);
	free(server);
}

uint16_t
http_server_port(const struct http_server *server)
{
	return server->port;
}

unsigned
http_server_accepted(struct http_server *server)
{
	unsigned accepted;

	pthread_mutex_lock(&server->lock);
	accepted = server->accepted;
	pthread_mutex_unlock(&server->lock);
	return accepted;
}

uint64_t
http_server_sent(struct http_server *server)
{
	uint64_t sent;

	pthread_mutex_lock(&server->lock);
	sent = server->sent;
	pthread_mutex_unlock(&server->lock);
	return sent;
}

const char *
http_server_request(struct http_server *server, unsigned i)
{
	const char *request = NULL;

	pthread_mutex_lock(&server->lock);
	if (i < server->count)
		request = server->requests[i];
	pthread_mutex_unlock(&server->lock);
	return request;
}
