/* A server of raw bytes on loopback, for what no real server would send. */
#ifndef FRESHET_HTTP_FIXTURE_H
#define FRESHET_HTTP_FIXTURE_H

#include <stdint.h>

/* How an answer goes on after its text. */
enum script_end {
	SCRIPT_KEEP, /* the connection waits for the next request */
	SCRIPT_CLOSE,
	SCRIPT_RESET, /* RST */
	SCRIPT_HANG, /* silence until the client closes */
	SCRIPT_FLOOD, /* `again` without end */
	SCRIPT_DRIP /* `again` every 100 ms */
};

struct script {
	const char *path; /* "/x"; NULL ends an array of scripts */
	const char *text;
	enum script_end end;
	const char *again;
	uint32_t len; /* of text; 0: up to its NUL */
};

struct http_server;

/*
 * http_server_new(address, port, scripts): listen at address, at port or, 0,
 * at one of the kernel's choice; each connection has a thread.  What is no
 * script's path is answered with an empty 404.  NULL: the port is taken.
 */
struct http_server *http_server_new(
    const char *address, uint16_t port, const struct script *);

/* http_server_free(server): no client may still be connected. */
void http_server_free(struct http_server *);

uint16_t http_server_port(const struct http_server *);

/* http_server_accepted, http_server_sent: connections, bytes of answers. */
unsigned http_server_accepted(struct http_server *);
uint64_t http_server_sent(struct http_server *);

/* http_server_request(server, i): the i-th request's header in order of their
 * arrival, NULL past the last; lives as long as the server. */
const char *http_server_request(struct http_server *, unsigned i);

#endif
