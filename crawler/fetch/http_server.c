/*
 * A small HTTP server on the loop, with evhttp.
 *
 * evhttp 2.1.12 has neither a ceiling for connections nor a deadline for a
 * whole request (HOSTILE F22).  So each connection's bufferevent is made here,
 * kept with a reference, and checked every TICK_MS:
 *
 *	asks --request--> waits --answer--> takes --all of it has gone--> asks
 *	  |                 |                 |
 *	  +-----------------+-----------------+---- deadline passed:
 *	                        shutdown(2) of the socket; evhttp frees it
 *
 * Each state has a deadline of its own.  At the ceiling, those that ask and are
 * slow have little time, so that silent clients keep out nobody for long.
 * evhttp does not read while a client waits, and so does not notice that the
 * client has left: the tick looks for that.
 *
 * A bufferevent that evhttp has freed has no callbacks any more.
 */
#include "crawler/fetch/http_server.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/mem.h"

#define MAX_HEADERS 16384
#define MAX_BODY 65536
#define MAX_CONNECTIONS 64
#define MAX_UNSENT (16 << 20)
#define IDLE_MS 10000
#define DEADLINE_MS 15000
#define CROWD_MS 1000
#define TICK_MS 250

enum visitor_state { VISITOR_ASKS, VISITOR_WAITS, VISITOR_TAKES };

struct visitor {
	struct bufferevent *connection; /* with a reference of the server */
	enum visitor_state state;
	int64_t since_ms; /* that state */
	bool is_over; /* shut down */
};

/* A request whose answer comes later. */
struct http_request {
	struct http_server *server; /* its list has the request */
	struct evhttp_request *request;
	struct http_request *next;
};

struct http_server {
	struct http_server_options options;
	struct loop *loop;
	struct evhttp *http; /* owned */
	struct evconnlistener *listener; /* borrowed from http */
	struct loop_timer *timer; /* owned; runs while there are visitors */
	struct visitor *visitors; /* owned */
	size_t visitor_cap;
	uint32_t count;
	struct http_request *waiting; /* owned: not answered yet */
	bool is_deaf; /* the listener is disabled */
	struct http_server *next; /* in servers */
};

/* All servers: evhttp owns the argument of a listener's callbacks, so that
 * on_accept_error() knows a server by its listener alone. */
static struct http_server *servers;

/* Visitors. */

static void
deafen(struct http_server *server)
{
	server->is_deaf = true;
	(void)evconnlistener_disable(server->listener);
	loop_timer_set(server->timer, TICK_MS);
}

/* on_accept_error: no descriptor is left; accept no visitor until the next
 * tick. */
static void
on_accept_error(struct evconnlistener *listener, void *arg)
{
	(void)arg;
	for (struct http_server *server = servers; server != NULL;
	     server = server->next)
		if (server->listener == listener)
			deafen(server);
}

/* tidy(server): forget visitors that evhttp freed; shut down those whose
 * deadline has passed. */
static void
tidy(struct http_server *server)
{
	const struct http_server_options *options = &server->options;
	int64_t now_ms = loop_now_ms(server->loop);

	for (uint32_t i = 0; i < server->count;) {
		struct visitor *visitor = &server->visitors[i];
		bufferevent_event_cb on_event = NULL;
		int64_t most_ms = options->answer_ms;

		/* Has evhttp freed the connection? */
		bufferevent_getcb(
		    visitor->connection, NULL, NULL, &on_event, NULL);
		if (on_event == NULL) {
			(void)bufferevent_decref(visitor->connection);
			*visitor = server->visitors[--server->count];
			continue;
		}
		/* Has it taken all of its answer? */
		if (visitor->state == VISITOR_TAKES &&
		    evbuffer_get_length(
			bufferevent_get_output(visitor->connection)) == 0) {
			visitor->state = VISITOR_ASKS;
			visitor->since_ms = now_ms;
		}
		/* While others wait, who asks has little time. */
		if (visitor->state == VISITOR_ASKS)
			most_ms = server->is_deaf &&
				options->crowd_ms < options->deadline_ms
			    ? options->crowd_ms
			    : options->deadline_ms;
		if (!visitor->is_over &&
		    now_ms - visitor->since_ms >= most_ms) {
			visitor->is_over = true;
			(void)shutdown(
			    bufferevent_getfd(visitor->connection), SHUT_RDWR);
		}
		i++;
	}
}

static void dismiss(struct http_server *);

static void
tick(void *arg)
{
	struct http_server *server = arg;

	tidy(server);
	dismiss(server);
	if (server->is_deaf &&
	    server->count < server->options.max_connections) {
		server->is_deaf = false;
		(void)evconnlistener_enable(server->listener);
	}
	if (server->count > 0 || server->waiting != NULL)
		loop_timer_set(server->timer, TICK_MS);
}

static struct bufferevent *
on_visitor(struct event_base *base, void *arg)
{
	struct http_server *server = arg;
	struct bufferevent *connection = bufferevent_socket_new(
	    base, -1, BEV_OPT_CLOSE_ON_FREE);

	assert(connection != NULL);
	tidy(server);
	/* The listener is disabled at the ceiling, but libevent may have
	 * accepted more connections by then. */
	server->visitors = mem_grow(server->visitors, &server->visitor_cap,
	    (size_t)server->count + 1, sizeof(*server->visitors));
	bufferevent_incref(connection);
	server->visitors[server->count++] = (struct visitor){
	    .connection = connection,
	    .state = VISITOR_ASKS,
	    .since_ms = loop_now_ms(server->loop)};
	if (server->count >= server->options.max_connections)
		deafen(server);
	else if (server->count == 1)
		loop_timer_set(server->timer, TICK_MS);
	return connection;
}

/* Note the state of the client of the request, if that is still there. */
static void
note_state(struct http_server *server, struct evhttp_request *request,
    enum visitor_state state)
{
	struct evhttp_connection *client = evhttp_request_get_connection(
	    request);
	struct bufferevent *connection = client == NULL
	    ? NULL
	    : evhttp_connection_get_bufferevent(client);

	for (uint32_t i = 0; i < server->count; i++) {
		struct visitor *visitor = &server->visitors[i];

		if (visitor->connection == connection) {
			visitor->state = state;
			visitor->since_ms = loop_now_ms(server->loop);
		}
	}
}

/* Requests. */

/* is_ambiguous(request): could somebody else, such as a proxy, see another end
 * or another host of this request than evhttp, which takes a length with a
 * blank before its colon for none, reads no body of a GET, and takes the first
 * of two lengths or hosts?  (HOSTILE D8) */
static bool
is_ambiguous(struct evhttp_request *request)
{
	enum evhttp_cmd_type method = evhttp_request_get_command(request);
	unsigned lengths = 0, hosts = 0;
	const struct evkeyval *header;

	TAILQ_FOREACH(header, evhttp_request_get_input_headers(request), next)
	{
		size_t len = strlen(header->key);

		if (len == 0 ||
		    strcspn(header->key, " \t\r\v\f\"(),/;<=>?@[\\]{}") != len)
			return true;
		if (strcasecmp(header->key, "Transfer-Encoding") == 0)
			return true;
		hosts += strcasecmp(header->key, "Host") == 0;
		if (strcasecmp(header->key, "Content-Length") != 0)
			continue;
		lengths++;
		len = strspn(header->value, "0");
		if (header->value[len] != '\0' &&
		    (method == EVHTTP_REQ_GET || method == EVHTTP_REQ_HEAD))
			return true;
	}
	return lengths > 1 || hosts > 1;
}

/* The bytes that clients have not taken yet. */
static size_t
unsent(const struct http_server *server)
{
	size_t sum = 0;

	for (uint32_t i = 0; i < server->count; i++)
		sum += evbuffer_get_length(
		    bufferevent_get_output(server->visitors[i].connection));
	return sum;
}

/* http_refusal(server, request): the status to refuse with, 0: answer. */
static int
http_refusal(const struct http_server *server, struct evhttp_request *request)
{
	struct evkeyvalq *headers = evhttp_request_get_input_headers(request);
	enum evhttp_cmd_type method = evhttp_request_get_command(request);
	const char *const *ours = server->options.hosts;
	const char *name = evhttp_request_get_host(request);
	const char *host = evhttp_find_header(headers, "Host");
	const char *origin = evhttp_find_header(headers, "Origin");
	const char *site = evhttp_find_header(headers, "Sec-Fetch-Site");
	const char *dest = evhttp_find_header(headers, "Sec-Fetch-Dest");
	bool is_ours = ours == NULL;

	if (is_ambiguous(request))
		return HTTP_BADREQUEST;
	/* Is the Host one of the server's names, with any port? */
	for (; !is_ours && name != NULL && *ours != NULL; ours++)
		is_ours = strcasecmp(name, *ours) == 0;
	if (!is_ours)
		return 421;
	/* Is the Origin that of another page than those of the Host that was
	 * asked?  (HOSTILE D10) */
	if (origin != NULL) {
		origin = strstr(origin, "://");
		if (origin == NULL || host == NULL ||
		    strcasecmp(origin + 3, host) != 0)
			return 403;
	}
	/* Does a browser ask for a page of another origin, as for an image or a
	 * frame of it?  Only who follows a link there leaves that page. */
	if (site != NULL && strcmp(site, "same-origin") != 0 &&
	    strcmp(site, "none") != 0 &&
	    (dest == NULL || strcmp(dest, "document") != 0))
		return 403;
	if (method != EVHTTP_REQ_GET && method != EVHTTP_REQ_HEAD &&
	    !(method == EVHTTP_REQ_POST && server->options.takes_post))
		return HTTP_BADMETHOD;
	if (unsent(server) > server->options.max_unsent)
		return HTTP_SERVUNAVAIL;
	return 0;
}

static void
add_header(struct evhttp_request *request, const char *name, const char *value)
{
	if (value != NULL)
		(void)evhttp_add_header(
		    evhttp_request_get_output_headers(request), name, value);
}

/* Names and values in turns; each is in place of an earlier one. */
static void
add_headers(struct evhttp_request *request, const char *const *headers)
{
	for (; headers != NULL && headers[0] != NULL; headers += 2) {
		(void)evhttp_remove_header(
		    evhttp_request_get_output_headers(request), headers[0]);
		add_header(request, headers[0], headers[1]);
	}
}

static void
reply(struct http_server *server, struct evhttp_request *request,
    const struct http_answer *answer)
{
	struct evbuffer *body = evbuffer_new();
	char length[24];

	assert(body != NULL);
	add_headers(request, server->options.headers);
	add_headers(request, answer->headers);
	if (answer->status == HTTP_BADMETHOD)
		add_header(request, "Allow",
		    server->options.takes_post ? "GET, HEAD, POST"
					       : "GET, HEAD");
	add_header(request, "WWW-Authenticate", answer->challenge);
	add_header(request, "Content-Type", answer->type);
	add_header(request, "ETag", answer->etag);
	add_header(request, "Last-Modified", answer->last_modified);
	add_header(request, "X-Content-Type-Options", "nosniff");
	if (evhttp_request_get_command(request) == EVHTTP_REQ_HEAD) {
		(void)evutil_snprintf(
		    length, sizeof(length), "%zu", answer->body.len);
		add_header(request, "Content-Length", length);
	} else if (answer->status != HTTP_NOTMODIFIED && answer->body.len > 0) {
		(void)evbuffer_add(body, answer->body.p, answer->body.len);
	}
	note_state(server, request, VISITOR_TAKES);
	/* evhttp frees the request if its client has gone */
	evhttp_send_reply(request, answer->status, NULL, body);
	evbuffer_free(body);
}

/* http_refuse(server, request, status): answer with the status and close the
 * connection. */
static void
http_refuse(
    struct http_server *server, struct evhttp_request *request, int status)
{
	struct http_answer answer = {.status = status,
	    .type = "text/plain; charset=utf-8",
	    .body = slice_of("refused\n")};

	add_header(request, "Connection", "close");
	reply(server, request, &answer);
}

static void
http_forget(struct http_request *kept)
{
	struct http_request **at = &kept->server->waiting;

	while (*at != kept)
		at = &(*at)->next;
	*at = kept->next;
	free(kept);
}

/* dismiss(server): end the requests whose clients have left. */
static void
dismiss(struct http_server *server)
{
	struct http_request *kept = server->waiting;

	while (server->options.left != NULL && kept != NULL) {
		struct evhttp_request *request = kept->request;
		struct evhttp_connection
		    *client = evhttp_request_get_connection(request);
		struct pollfd at = {.events = POLLRDHUP};

		/* A client without a connection was shut down. */
		if (client != NULL) {
			at.fd = bufferevent_getfd(
			    evhttp_connection_get_bufferevent(client));
			if (poll(&at, 1, 0) != 1) {
				kept = kept->next;
				continue;
			}
		}
		server->options.left(server->options.arg, kept);
		http_forget(kept);
		http_refuse(server, request, HTTP_SERVUNAVAIL);
		/* left() may have had other requests answered */
		kept = server->waiting;
	}
}

static void
on_request(struct evhttp_request *request, void *arg)
{
	struct http_server *server = arg;
	struct evkeyvalq *headers = evhttp_request_get_input_headers(request);
	struct evbuffer *body = evhttp_request_get_input_buffer(request);
	enum evhttp_cmd_type method = evhttp_request_get_command(request);
	struct http_question question = {.is_head = method == EVHTTP_REQ_HEAD,
	    .is_post = method == EVHTTP_REQ_POST};
	struct http_answer answer = {.status = HTTP_OK};
	int status = http_refusal(server, request);
	struct http_request *kept;
	char *peer = NULL;
	uint16_t peer_port;
	struct buf text = BUF_UP_TO(SIZE_MAX);

	if (status != 0) {
		http_refuse(server, request, status);
		return;
	}
	note_state(server, request, VISITOR_WAITS);
	const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(request);
	const char *path = evhttp_uri_get_path(uri);
	const char *query = evhttp_uri_get_query(uri);

	(void)buf_print(&text, "%s%s%s",
	    path == NULL || path[0] == '\0' ? "/" : path,
	    query == NULL ? "" : "?", query == NULL ? "" : query);
	question.target = buf_str(&text);
	question.if_none_match = evhttp_find_header(headers, "If-None-Match");
	question.authorization = evhttp_find_header(headers, "Authorization");
	question.signature = evhttp_find_header(headers, "X-Hub-Signature");
	evhttp_connection_get_peer(
	    evhttp_request_get_connection(request), &peer, &peer_port);
	question.peer = peer;
	/* Keep the request until it is answered. */
	kept = mem_zero(sizeof(*kept));
	*kept = (struct http_request){server, request, server->waiting};
	server->waiting = kept;
	question.request = kept;
	question.body = slice_make(
	    (const char *)evbuffer_pullup(body, -1), evbuffer_get_length(body));
	server->options.answer(server->options.arg, &question, &answer);
	if (!answer.is_later)
		http_server_reply(kept, &answer);
	buf_release(&text);
}

void
http_server_reply(struct http_request *kept, const struct http_answer *answer)
{
	struct http_server *server = kept->server;
	struct evhttp_request *request = kept->request;

	http_forget(kept);
	if (unsent(server) > server->options.max_unsent)
		http_refuse(server, request, HTTP_SERVUNAVAIL);
	else
		reply(server, request, answer);
}

/* Beginning and end. */

struct http_server *
http_server_new(struct loop *loop, const struct http_server_options *options,
    uint16_t *port)
{
	struct http_server *server = mem_zero(sizeof(*server));
	struct evhttp_bound_socket *bound;
	struct sockaddr_storage at;
	struct timeval idle;
	socklen_t len = sizeof(at);

	server->options = *options;
	if (server->options.address == NULL)
		server->options.address = "127.0.0.1";
	if (server->options.max_body == 0)
		server->options.max_body = MAX_BODY;
	if (server->options.max_connections == 0)
		server->options.max_connections = MAX_CONNECTIONS;
	if (server->options.max_unsent == 0)
		server->options.max_unsent = MAX_UNSENT;
	if (server->options.idle_ms == 0)
		server->options.idle_ms = IDLE_MS;
	if (server->options.deadline_ms == 0)
		server->options.deadline_ms = DEADLINE_MS;
	if (server->options.answer_ms == 0)
		server->options.answer_ms = DEADLINE_MS;
	if (server->options.crowd_ms == 0)
		server->options.crowd_ms = CROWD_MS;
	server->loop = loop;
	server->timer = loop_timer_new(loop, tick, server);
	server->http = evhttp_new(loop_event_base(loop));
	assert(server->http != NULL);
	evhttp_set_max_headers_size(server->http, MAX_HEADERS);
	evhttp_set_max_body_size(server->http, server->options.max_body);
	idle.tv_sec = server->options.idle_ms / 1000;
	idle.tv_usec = server->options.idle_ms % 1000 * 1000;
	evhttp_set_timeout_tv(server->http, &idle);
	/* http_refusal() refuses the others, with the headers of this server */
	evhttp_set_allowed_methods(server->http,
	    EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST |
		EVHTTP_REQ_PUT | EVHTTP_REQ_DELETE | EVHTTP_REQ_OPTIONS |
		EVHTTP_REQ_TRACE | EVHTTP_REQ_PATCH);
	evhttp_set_bevcb(server->http, on_visitor, server);
	evhttp_set_gencb(server->http, on_request, server);
	bound = evhttp_bind_socket_with_handle(
	    server->http, server->options.address, server->options.port);
	if (bound == NULL) {
		int error = errno;

		http_server_free(server);
		errno = error;
		return NULL;
	}
	server->listener = evhttp_bound_socket_get_listener(bound);
	evconnlistener_set_error_cb(server->listener, on_accept_error);
	server->next = servers;
	servers = server;
	/* The kernel may have chosen the port. */
	*port = 0;
	if (getsockname(evhttp_bound_socket_get_fd(bound),
		(struct sockaddr *)&at, &len) == 0)
		*port = ntohs(at.ss_family == AF_INET6
			? ((struct sockaddr_in6 *)&at)->sin6_port
			: ((struct sockaddr_in *)&at)->sin_port);
	return server;
}

void
http_server_free(struct http_server *server)
{
	struct http_server **place = &servers;

	if (server == NULL)
		return;
	while (*place != NULL && *place != server)
		place = &(*place)->next;
	if (*place == server)
		*place = server->next;
	while (server->waiting != NULL) {
		struct http_request *kept = server->waiting;

		/* evhttp frees the requests of its connections alone */
		if (evhttp_request_get_connection(kept->request) == NULL)
			evhttp_request_free(kept->request);
		http_forget(kept);
	}
	evhttp_free(server->http);
	for (uint32_t i = 0; i < server->count; i++)
		(void)bufferevent_decref(server->visitors[i].connection);
	loop_timer_free(server->timer);
	free(server->visitors);
	free(server);
}
