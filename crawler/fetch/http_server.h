/*
 * A small HTTP server on the loop, for freshet's own pages on an address of
 * this machine.  Its clients may be hostile (HOSTILE T25, D1 to D9): headers,
 * bodies, connections and time are limited.
 */
#ifndef FRESHET_HTTP_SERVER_H
#define FRESHET_HTTP_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawler/event/loop.h"

struct http_server;
struct http_request; /* one that is not answered yet */

/* A request.  All texts are hostile, and borrowed until http_answer_fn has
 * returned. */
struct http_question {
	struct http_request *request; /* for http_server_reply() */
	bool is_head;
	bool is_post;
	const char *target; /* "/path?query", unchanged */
	const char *if_none_match; /* NULL: not sent */
	const char *authorization; /* the same */
	const char *signature; /* X-Hub-Signature; the same */
	const char *peer; /* the address of the client, as text */
	struct slice body; /* of a POST */
};

/* The answer; its texts are copied after http_answer_fn has returned. */
struct http_answer {
	/* true: http_server_reply() will answer; nothing else matters */
	bool is_later;
	int status; /* 200 unless the function sets another */
	const char *type; /* Content-Type; NULL: none */
	const char *etag; /* NULL: none */
	const char *last_modified; /* NULL: none */
	const char *challenge; /* WWW-Authenticate; NULL: none */
	/* further ones, as those of all answers, in whose place they stand */
	const char *const *headers;
	struct slice body; /* not sent with 304 or to HEAD */
};

typedef void http_answer_fn(
    void *arg, const struct http_question *, struct http_answer *);

struct http_server_options {
	const char *address; /* numeric; NULL: 127.0.0.1 */
	uint16_t port; /* 0: the kernel chooses */
	/* The host names of this server, NULL-terminated. Requests for other
	 * names get 421, and requests of pages of other origins 403: otherwise
	 * a foreign web site whose name resolves to this address could read
	 * the pages (DNS rebinding). NULL: any name, for servers that want a
	 * secret from each client. */
	const char *const *hosts;
	/* names and values of headers of all answers, in turns, ended by NULL;
	 * NULL: none */
	const char *const *headers;
	bool takes_post; /* other methods than GET and HEAD get 405 */
	http_answer_fn *answer; /* called from within loop_run */
	/* called from within loop_run when the client of a request that is to
	 * be answered later has left: the request must not be answered any
	 * more.  NULL: such requests are answered like others. */
	void (*left)(void *arg, const struct http_request *);
	void *arg;
	/* HOSTILE section 2; 0 means the number in the comment. */
	uint32_t max_body; /* 65,536 */
	uint32_t max_connections; /* 64; more wait to be accepted */
	/* bytes of answers that clients have not taken yet; while there are
	 * more, others get 503: 16,777,216.  So an answer has no size at which
	 * it is refused. */
	uint32_t max_unsent;
	int64_t idle_ms; /* without a byte: 10,000 */
	/* from the accept, or from the end of an answer, to the end of the next
	 * request: 15,000 */
	int64_t deadline_ms;
	/* the same while others wait to be accepted: 1,000 */
	int64_t crowd_ms;
	/* from a request to its answer, and to take that: 15,000 each */
	int64_t answer_ms;
};

/* http_server_new(loop, options, port): a server that listens at *port; NULL
 * with errno.
 * http_server_free(server): requests that are not answered end with it. */
struct http_server *http_server_new(
    struct loop *, const struct http_server_options *, uint16_t *port);
void http_server_free(struct http_server *);

/* http_server_reply(request, answer): answer a request whose answer was to come
 * later, once.  If the client has gone, the answer is dropped. */
void http_server_reply(struct http_request *, const struct http_answer *);

#endif
