/* crawler/fetch/http_server.c: what the server answers, and what it refuses
 * (HOSTILE F22, T25, D1 to D9). */
#include "tests/fixtures/fixture.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "crawler/fetch/http_server.h"

#define IDLE_MS 400
#define DEADLINE_MS 700
/* Of who waits for what comes, however busy the machine is. */
#define PATIENCE_MS 60000
#define ROOM 4096
#define BIG (1 << 20)

/* A client in a thread.  The client sends, perhaps again and again, and reads
 * until the server closes or give_up_ms have passed. */
struct client {
	uint16_t port;
	const char *text; /* sent first */
	size_t len; /* of text; 0: strlen */
	const char *drip; /* then sent every 50 ms; NULL: nothing */
	bool is_flood; /* send drip without a pause */
	int64_t give_up_ms; /* 0: PATIENCE_MS */
	const struct client *until; /* give up when it is done; or NULL */
	char got[ROOM];
	size_t got_len;
	size_t sent; /* of text */
	int64_t took_ms;
	bool is_closed; /* by the server */
	atomic_bool is_done;
};

struct server {
	struct loop *loop;
	struct http_server *http;
	uint16_t port;
	struct loop_timer *timer;
	struct client *clients;
	size_t count;
	unsigned questions;
	char last[256]; /* target */
	struct http_request *later; /* to be answered when a client is done */
	/* to be answered at once, each with the BIG bytes of big, when there
	 * are two of them */
	struct http_request *large[2];
	unsigned larges;
	const char *big;
	bool is_leaving; /* wait until a client has left */
	unsigned left; /* requests whose clients left */
};

static int64_t
now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
answer(
    void *arg, const struct http_question *question, struct http_answer *answer)
{
	struct server *server = arg;

	server->questions++;
	(void)snprintf(
	    server->last, sizeof(server->last), "%s", question->target);
	answer->type = "text/plain";
	answer->etag = "\"e1\"";
	answer->body = question->is_post ? slice_of("posted")
					 : slice_of("hello");
	if (question->if_none_match != NULL &&
	    strcmp(question->if_none_match, "\"e1\"") == 0)
		answer->status = 304;
	if (strcmp(question->target, "/later") == 0)
		server->later = question->request;
	answer->is_later = strcmp(question->target, "/later") == 0 ||
	    strcmp(question->target, "/never") == 0;
	if (strcmp(question->target, "/big") == 0) {
		answer->is_later = true;
		server->large[server->larges++] = question->request;
	}
}

static void
leave(void *arg, const struct http_request *request)
{
	struct server *server = arg;

	assert_non_null(request);
	server->left++;
}

static void
read_some(struct client *client, int fd, int wait_ms)
{
	struct pollfd in = {.fd = fd, .events = POLLIN};
	char bytes[512];
	ssize_t n;

	if (poll(&in, 1, wait_ms) != 1)
		return;
	n = recv(fd, bytes, sizeof(bytes), 0);
	if (n <= 0) {
		client->is_closed = true;
		return;
	}
	if (client->got_len + (size_t)n < ROOM) {
		memcpy(client->got + client->got_len, bytes, (size_t)n);
		client->got_len += (size_t)n;
	}
}

/* As much as the kernel takes: of the text, or of what comes after it. */
static void
send_some(struct client *client, int fd)
{
	size_t len = client->len > 0 ? client->len : strlen(client->text);
	ssize_t n;

	if (client->sent < len) {
		n = send(fd, client->text + client->sent, len - client->sent,
		    MSG_NOSIGNAL | MSG_DONTWAIT);
		client->sent += n > 0 ? (size_t)n : 0;
	} else if (client->drip != NULL) {
		(void)send(fd, client->drip, strlen(client->drip),
		    MSG_NOSIGNAL | MSG_DONTWAIT);
	}
}

static void *
client_run(void *arg)
{
	struct client *client = arg;
	struct sockaddr_in at = {.sin_family = AF_INET,
	    .sin_port = htons(client->port),
	    .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int64_t begin = now_ms();

	client->is_closed = connect(fd, (struct sockaddr *)&at, sizeof(at)) !=
	    0;
	while (!client->is_closed && now_ms() - begin < client->give_up_ms &&
	    (client->until == NULL || !client->until->is_done)) {
		send_some(client, fd);
		read_some(client, fd, client->is_flood ? 0 : 50);
	}
	client->took_ms = now_ms() - begin;
	(void)close(fd);
	client->is_done = true;
	return NULL;
}

static void
look(void *arg)
{
	struct server *server = arg;
	struct http_answer late = {.status = 200, .body = slice_of("late")};

	if (server->later != NULL && server->clients[0].is_done) {
		http_server_reply(server->later, &late);
		server->later = NULL;
	}
	if (server->larges == COUNT(server->large)) {
		late.body = slice_make(server->big, BIG);
		while (server->larges > 0)
			http_server_reply(
			    server->large[--server->larges], &late);
	}
	for (size_t i = 0; i < server->count; i++)
		if (!server->clients[i].is_done ||
		    (server->is_leaving && server->left == 0)) {
			loop_timer_set(server->timer, 5);
			return;
		}
	loop_stop(server->loop);
}

static void
open_server(struct server *server, const struct http_server_options *more)
{
	static const char *const hosts[] = {"here.example", NULL};
	struct http_server_options options = {.hosts = hosts,
	    .takes_post = more != NULL && more->takes_post,
	    .max_connections = more != NULL ? more->max_connections : 0,
	    .max_unsent = more != NULL ? more->max_unsent : 0,
	    .answer = answer,
	    .left = more != NULL ? more->left : NULL,
	    .arg = server,
	    .idle_ms = more != NULL && more->idle_ms > 0 ? more->idle_ms
							 : 2 * PATIENCE_MS,
	    .deadline_ms = more != NULL && more->deadline_ms > 0
		? more->deadline_ms
		: 2 * PATIENCE_MS,
	    .crowd_ms = more != NULL ? more->crowd_ms : 0,
	    .answer_ms = 2 * PATIENCE_MS};

	*server = (struct server){.loop = loop_new()};
	server->timer = loop_timer_new(server->loop, look, server);
	server->http = http_server_new(server->loop, &options, &server->port);
	assert_non_null(server->http);
}

/* serve(server, clients, count): run until all of them are done. */
static void
serve(struct server *server, struct client *clients, size_t count)
{
	pthread_t threads[32];

	server->clients = clients;
	server->count = count;
	for (size_t i = 0; i < count; i++) {
		clients[i].port = server->port;
		if (clients[i].give_up_ms == 0)
			clients[i].give_up_ms = PATIENCE_MS;
		assert_int_equal(
		    pthread_create(&threads[i], NULL, client_run, &clients[i]),
		    0);
	}
	loop_timer_set(server->timer, 5);
	loop_run(server->loop);
	for (size_t i = 0; i < count; i++)
		(void)pthread_join(threads[i], NULL);
}

static void
close_server(struct server *server)
{
	http_server_free(server->http);
	loop_timer_free(server->timer);
	loop_free(server->loop);
}

#define HOST "Host: here.example\r\n"
#define CLOSE "Connection: close\r\n"

struct row {
	const char *name;
	const char *text;
	const char *begins; /* of the answer */
	const char *has; /* the answer contains this; NULL: anything */
	const char *ends;
	unsigned questions;
};

static const struct row rows[] = {
    {"get", "GET /a?b HTTP/1.1\r\n" HOST CLOSE "\r\n", "HTTP/1.1 200 ",
	"ETag: \"e1\"\r\n", "\r\n\r\nhello", 1},
    {"its type is not guessed", "GET / HTTP/1.1\r\n" HOST CLOSE "\r\n",
	"HTTP/1.1 200 ", "X-Content-Type-Options: nosniff\r\n", "hello", 1},
    {"any port", "GET / HTTP/1.1\r\nHost: HERE.example:81\r\n" CLOSE "\r\n",
	"HTTP/1.1 200 ", NULL, "hello", 1},
    {"head", "HEAD / HTTP/1.1\r\n" HOST CLOSE "\r\n", "HTTP/1.1 200 ",
	"Content-Length: 5\r\n", "\r\n\r\n", 1},
    {"unchanged",
	"GET / HTTP/1.1\r\n" HOST CLOSE "If-None-Match: \"e1\"\r\n\r\n",
	"HTTP/1.1 304 ", "ETag: \"e1\"\r\n", "\r\n\r\n", 1},
    {"twice",
	"GET /1 HTTP/1.1\r\n" HOST "\r\nGET /2 HTTP/1.1\r\n" HOST CLOSE "\r\n",
	"HTTP/1.1 200 ", "helloHTTP/1.1 200 ", "hello", 2},
    {"D6 other host", "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
	"HTTP/1.1 421 ", NULL, "refused\n", 0},
    {"D6 no host", "GET / HTTP/1.0\r\n\r\n", "HTTP/1.0 421 ", NULL, "refused\n",
	0},
    {"D6 another host in the target",
	"GET http://evil.example/ HTTP/1.1\r\n" HOST "\r\n", "HTTP/1.1 421 ",
	NULL, "refused\n", 0},
    {"D5 post", "POST / HTTP/1.1\r\n" HOST "Content-Length: 1\r\n\r\nx",
	"HTTP/1.1 405 ", "Allow: GET, HEAD\r\n", "refused\n", 0},
    {"D5 put", "PUT / HTTP/1.1\r\n" HOST "Content-Length: 1\r\n\r\nx",
	"HTTP/1.1 405 ", NULL, "refused\n", 0},
    {"D5 trace", "TRACE / HTTP/1.1\r\n" HOST "\r\n", "HTTP/1.1 405 ", NULL,
	"refused\n", 0},
    {"D5 options", "OPTIONS / HTTP/1.1\r\n" HOST "\r\n", "HTTP/1.1 405 ", NULL,
	"refused\n", 0},
    {"D10 another origin",
	"GET / HTTP/1.1\r\n" HOST "Origin: http://evil.example\r\n\r\n",
	"HTTP/1.1 403 ", NULL, "refused\n", 0},
    {"D10 no origin", "GET / HTTP/1.1\r\n" HOST "Origin: null\r\n\r\n",
	"HTTP/1.1 403 ", NULL, "refused\n", 0},
    {"D10 its own origin",
	"GET / HTTP/1.1\r\n" HOST CLOSE "Origin: http://here.example\r\n\r\n",
	"HTTP/1.1 200 ", NULL, "hello", 1},
    {"D8 two lengths",
	"GET / HTTP/1.1\r\n" HOST "Content-Length: 3\r\nTransfer-Encoding: "
	"chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n" HOST "\r\n",
	"HTTP/1.1 400 ", NULL, "", 0},
    {"D8 chunks",
	"POST / HTTP/1.1\r\n" HOST
	"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"HTTP/1.1 ", NULL, "", 0},
    {"D8 a body of a GET, which is no request",
	"GET / HTTP/1.1\r\n" HOST "Content-Length: 46\r\n\r\n"
	"GET /smuggled HTTP/1.1\r\n" HOST "\r\n",
	"HTTP/1.1 400 ", NULL, "refused\n", 0},
    {"D8 a body of a HEAD, which is no request",
	"HEAD / HTTP/1.1\r\n" HOST "Content-Length: 46\r\n\r\n"
	"GET /smuggled HTTP/1.1\r\n" HOST "\r\n",
	"HTTP/1.1 400 ", NULL, "\r\n\r\n", 0},
    {"D8 a GET that says that it has no body",
	"GET / HTTP/1.1\r\n" HOST CLOSE "Content-Length: 00\r\n\r\n",
	"HTTP/1.1 200 ", NULL, "hello", 1},
    {"D8 a blank before the colon",
	"GET / HTTP/1.1\r\n" HOST "Transfer-Encoding : chunked\r\n\r\n"
	"30\r\nGET /smuggled HTTP/1.1\r\n" HOST "\r\n\r\n0\r\n\r\n",
	"HTTP/1.1 400 ", NULL, "refused\n", 0},
    {"D8 a return within a header",
	"GET / HTTP/1.1\r\n" HOST "X: a\rContent-Length: 3\r\n\r\n",
	"HTTP/1.1 400 ", NULL, "", 0},
    {"D8 two lengths that differ",
	"POST / HTTP/1.1\r\n" HOST
	"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxy",
	"HTTP/1.1 400 ", NULL, "refused\n", 0},
    {"D6 two hosts", "GET / HTTP/1.1\r\n" HOST "Host: evil.example\r\n\r\n",
	"HTTP/1.1 400 ", NULL, "refused\n", 0},
    {"D10 an image in a page of another origin",
	"GET / HTTP/1.1\r\n" HOST "Sec-Fetch-Site: cross-site\r\n"
	"Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n\r\n",
	"HTTP/1.1 403 ", NULL, "refused\n", 0},
    {"D10 a frame in a page of another port",
	"GET / HTTP/1.1\r\n" HOST "Sec-Fetch-Site: same-site\r\n"
	"Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n\r\n",
	"HTTP/1.1 403 ", NULL, "refused\n", 0},
    {"D10 a link in a page of another origin",
	"GET / HTTP/1.1\r\n" HOST CLOSE "Sec-Fetch-Site: cross-site\r\n"
	"Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n\r\n",
	"HTTP/1.1 200 ", NULL, "hello", 1},
    {"D10 its own image",
	"GET / HTTP/1.1\r\n" HOST CLOSE "Sec-Fetch-Site: same-origin\r\n"
	"Sec-Fetch-Dest: image\r\n\r\n",
	"HTTP/1.1 200 ", NULL, "hello", 1},
    {"no HTTP", "hello there\r\n\r\n", "", NULL, "", 0},
};

static void
requests_are_answered(void **state)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct client client = {.text = row->text};
		struct slice got;
		struct server server;

		open_server(&server, NULL);
		serve(&server, &client, 1);
		got = slice_make(client.got, client.got_len);
		if (!client.is_closed || server.questions != row->questions ||
		    !slice_starts(got, slice_of(row->begins)) ||
		    (row->has != NULL &&
			memmem(got.p, got.len, row->has, strlen(row->has)) ==
			    NULL) ||
		    got.len < strlen(row->ends) ||
		    !slice_is(slice_from(got, got.len - strlen(row->ends)),
			row->ends))
			fail_msg("%s: %u questions, answer '%.*s'", row->name,
			    server.questions, (int)got.len, got.p);
		close_server(&server);
	}
}

static void
posts_are_taken_where_wanted(void **state)
{
	struct http_server_options more = {.takes_post = true};
	struct client client = {.text = "POST /x HTTP/1.1\r\n" HOST CLOSE
					"Content-Length: 3\r\n\r\nabc"};
	struct server server;

	open_server(&server, &more);
	serve(&server, &client, 1);
	client.got[client.got_len] = '\0';
	assert_non_null(strstr(client.got, "posted"));
	assert_string_equal(server.last, "/x");
	close_server(&server);
}

/* F22: neither many headers nor a long one costs memory or time. */
static void
floods_are_cut(void **state)
{
	char *uri = malloc(10 << 20);
	struct client clients[2] = {
	    {.text = "GET / HTTP/1.1\r\n" HOST,
		.drip =
		    "X-Header: 0123456789012345678901234567890123456789\r\n",
		.is_flood = true},
	    {.len = 10 << 20, .is_flood = true}};
	struct server server;

	assert_non_null(uri);
	memset(uri, 'a', 10 << 20);
	memcpy(uri, "GET /", 5);
	clients[1].text = uri;
	open_server(&server, NULL);
	serve(&server, clients, 2);
	assert_int_equal(server.questions, 0);
	for (size_t i = 0; i < 2; i++)
		assert_true(clients[i].is_closed);
	close_server(&server);
	free(uri);
}

/* D2, D3: neither silence nor a drip holds a connection. */
static void
slowness_is_cut(void **state)
{
	struct client clients[3] = {{.text = ""},
	    {.text = "GET / HTTP/1.1\r\n" HOST, .drip = "X: y\r\n"},
	    /* A drip after one answer. */
	    {.text = "GET / HTTP/1.1\r\n" HOST "\r\nGET /", .drip = "a"}};
	struct http_server_options more = {
	    .idle_ms = IDLE_MS, .deadline_ms = DEADLINE_MS};
	struct server server;

	open_server(&server, &more);
	serve(&server, clients, 3);
	assert_int_equal(server.questions, 1);
	for (size_t i = 0; i < 3; i++) {
		assert_true(clients[i].is_closed);
		assert_true(clients[i].took_ms >= IDLE_MS - 50);
	}
	close_server(&server);
}

/* D3: above the ceiling no connection is accepted; when the silent ones have
 * been closed, the others are served. */
static void
connections_have_a_ceiling(void **state)
{
	struct http_server_options more = {.max_connections = 4,
	    .idle_ms = IDLE_MS,
	    .deadline_ms = DEADLINE_MS};
	struct client clients[12] = {{0}};
	struct server server;

	for (size_t i = 0; i < COUNT(clients); i++)
		clients[i].text = i < 8 ? "GET / HTTP/1.1\r\n"
					: "GET / HTTP/1.1\r\n" HOST CLOSE
					  "\r\n";
	open_server(&server, &more);
	serve(&server, clients, COUNT(clients));
	assert_int_equal(server.questions, 4);
	for (size_t i = 0; i < COUNT(clients); i++) {
		assert_true(clients[i].is_closed);
		assert_int_equal(clients[i].got_len > 0 &&
			memmem(clients[i].got, clients[i].got_len, "hello",
			    5) != NULL,
		    i >= 8);
	}
	close_server(&server);
}

/* D3: where others wait, silence is cut long before its time. */
static void
silence_gives_way(void **state)
{
	struct http_server_options more = {
	    .max_connections = 4, .crowd_ms = 50};
	struct client clients[6] = {{0}};
	struct server server;

	for (size_t i = 0; i < COUNT(clients); i++) {
		clients[i].text = i < 4 ? "GET / HTTP/1.1\r\n"
					: "GET / HTTP/1.1\r\n" HOST CLOSE
					  "\r\n";
		/* not all of them need be cut */
		clients[i].until = i < 4 ? &clients[5] : NULL;
	}
	open_server(&server, &more);
	serve(&server, clients, COUNT(clients));
	assert_int_equal(server.questions, 2);
	for (size_t i = 0; i < COUNT(clients); i++)
		assert_true(clients[i].is_closed || i < 4);
	close_server(&server);
}

/* What clients do not take fills no memory, even if all of them ask before the
 * first answer is there.  Both are answered before anything is sent: how much
 * the kernel would take does not matter. */
static void
answers_have_a_ceiling(void **state)
{
	static const char text[] = "GET /big HTTP/1.1\r\n" HOST CLOSE "\r\n";
	struct http_server_options more = {.max_unsent = BIG / 4};
	struct client clients[2] = {{.text = text}, {.text = text}};
	char *big = malloc(BIG);
	unsigned refused = 0;
	struct server server;

	assert_non_null(big);
	memset(big, 'a', BIG);
	open_server(&server, &more);
	server.big = big;
	serve(&server, clients, 2);
	assert_int_equal(server.questions, 2);
	for (size_t i = 0; i < 2; i++)
		refused += slice_starts(
		    slice_make(clients[i].got, clients[i].got_len),
		    slice_of("HTTP/1.1 503 "));
	assert_int_equal(refused, 1);
	close_server(&server);
	free(big);
}

/* The server notices a client that does not wait for its answer. */
static void
clients_leave(void **state)
{
	struct http_server_options more = {.left = leave};
	struct client client = {
	    .text = "GET /never HTTP/1.1\r\n" HOST "\r\n", .give_up_ms = 100};
	struct server server;

	open_server(&server, &more);
	server.is_leaving = true;
	serve(&server, &client, 1);
	assert_int_equal(server.left, 1);
	close_server(&server);
}

/* The first client ends before the second one is answered; the third one leaves
 * before its answer, and the server ends before that of the fourth. */
static void
answers_come_later(void **state)
{
	struct client clients[2] = {
	    {.text = "GET / HTTP/1.1\r\n" HOST CLOSE "\r\n"},
	    {.text = "GET /later HTTP/1.1\r\n" HOST CLOSE "\r\n"}};
	struct client leaving[2] = {
	    {.text = "GET /later HTTP/1.1\r\n" HOST "\r\n", .give_up_ms = 100},
	    {.text = "GET / HTTP/1.1\r\n" HOST CLOSE "\r\n"}};
	struct client waiting = {
	    .text = "GET /never HTTP/1.1\r\n" HOST "\r\n", .give_up_ms = 100};
	struct server server;

	open_server(&server, NULL);
	serve(&server, clients, 2);
	assert_true(clients[1].is_closed);
	assert_true(slice_ends(slice_make(clients[1].got, clients[1].got_len),
	    slice_of("\r\n\r\nlate")));
	serve(&server, leaving, 2);
	assert_int_equal(leaving[0].got_len, 0);
	serve(&server, &waiting, 1);
	assert_int_equal(server.questions, 5);
	close_server(&server);
}

static void
a_taken_port_is_an_error(void **state)
{
	static const char *const hosts[] = {"x", NULL};
	struct http_server_options options = {.hosts = hosts};
	struct server server;

	open_server(&server, NULL);
	options.port = server.port;
	assert_null(http_server_new(server.loop, &options, &server.port));
	close_server(&server);
	http_server_free(NULL);
}

static struct rlimit descriptors;

/* There are descriptors again; stop when the visitor has asked. */
static void
give_descriptors(void *arg)
{
	struct server *server = arg;

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &descriptors), 0);
	if (server->questions > 0)
		loop_stop(server->loop);
	else
		loop_timer_set(server->timer, 5);
}

static void
visitors_wait_for_descriptors(void **state)
{
	const char *text = "GET / HTTP/1.1\r\n" HOST CLOSE "\r\n";
	struct sockaddr_in at = {.sin_family = AF_INET};
	struct rlimit none;
	struct server server;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	open_server(&server, NULL);
	loop_timer_free(server.timer);
	server.timer = loop_timer_new(server.loop, give_descriptors, &server);
	at.sin_port = htons(server.port);
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	/* The kernel takes the connection, before the server accepts it. */
	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(send(fd, text, strlen(text), 0), strlen(text));
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &descriptors), 0);
	none = (struct rlimit){.rlim_max = descriptors.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	loop_timer_set(server.timer, 50);
	loop_run(server.loop);
	assert_int_equal(server.questions, 1);
	(void)close(fd);
	close_server(&server);
}

UNIT_TESTS(http_server, cmocka_unit_test(requests_are_answered),
    cmocka_unit_test(posts_are_taken_where_wanted),
    cmocka_unit_test(floods_are_cut), cmocka_unit_test(slowness_is_cut),
    cmocka_unit_test(connections_have_a_ceiling),
    cmocka_unit_test(silence_gives_way),
    cmocka_unit_test(answers_have_a_ceiling), cmocka_unit_test(clients_leave),
    cmocka_unit_test(answers_come_later),
    cmocka_unit_test(a_taken_port_is_an_error),
    cmocka_unit_test(visitors_wait_for_descriptors));
