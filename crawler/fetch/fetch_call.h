/*
 * One request, independent of libcurl: what the request may do, what it counts,
 * and what its end means.
 */
#ifndef FRESHET_FETCH_CALL_H
#define FRESHET_FETCH_CALL_H

#include "crawler/fetch/fetch.h"
#include "crawler/fetch/fetch_headers.h"

struct fetch_call {
	const struct fetcher_options *options;
	struct url url; /* owned */
	/* takes_any also with takes_all; texts that are not borrowed until done
	 * are only there or not */
	struct fetch_request request;
	struct fetch_headers head; /* owned */
	/* With a proxy, freshet first looks the host's name up itself, without
	 * a connection; place is then the first allowed IPv4 address, or else
	 * the first allowed address. */
	bool is_looking;
	bool has_place;
	struct addr place;
	uint16_t place_port;
	enum diag_code stop; /* why freshet ended the transfer, or DIAG_OK */
	bool is_refused; /* the policy refused an address */
	bool has_socket; /* the policy allowed an address */
	bool was_sent; /* the request went out, to result.peer */
	int os_error; /* errno when no socket could be opened; 0: none */
	struct buf field; /* owned: the line of fetch_call_field */
	struct buf sent; /* owned: the head of the request, secrets included */
	struct buf answer; /* owned: the head of the answer, so far */
	struct fetch_result result;
};

/* What went wrong, as libcurl sees it. */
enum fetch_trouble {
	TROUBLE_OTHER,
	TROUBLE_NONE,
	TROUBLE_NAME,
	TROUBLE_CONNECT,
	TROUBLE_TLS,
	TROUBLE_CERTIFICATE,
	TROUBLE_CA_FILE,
	TROUBLE_TIME,
	TROUBLE_NOTHING, /* closed without a byte */
	TROUBLE_UNREADABLE, /* the answer is not HTTP */
	TROUBLE_LONG_LINE,
	TROUBLE_TOO_BIG, /* Content-Length is above the limit */
	TROUBLE_CUT, /* closed within the body */
	TROUBLE_RECEIVE, /* a reset, or broken chunks */
	TROUBLE_SEND
};

struct fetch_end {
	enum fetch_trouble trouble;
	int number; /* libcurl's code */
	int os_error; /* the errno of the connection; 0: none */
	long certificate; /* X509_V_ERR_..., 0: the chain is trusted */
	int64_t duration_ms;
};

/* fetch_call_init(call, options): prepare a call.
 * fetch_call_release(call): free what the call owns. */
void fetch_call_init(struct fetch_call *, const struct fetcher_options *);
void fetch_call_release(struct fetch_call *);

/* fetch_call_begin(call, request, now_s, now_ms): begin a new request, in a
 * call that was initialised or used before. */
void fetch_call_begin(struct fetch_call *, const struct fetch_request *,
    int64_t now_s, int64_t now_ms);

/* fetch_call_may_start(call, now_ms): may the request start? The policy judges
 * the port; with a proxy also the host, because the proxy looks its address up
 * and may be in a private network. In that case freshet first looks up the name
 * of a host that is no target itself (is_looking). False: stop is
 * PRIVATE_ADDRESS. */
bool fetch_call_may_start(struct fetch_call *, int64_t now_ms);

/* fetch_call_may_connect(call, addr, port, now_ms): may bytes go to this
 * address? Called before each socket is opened and each request is sent. */
bool fetch_call_may_connect(
    struct fetch_call *, const struct addr *, uint16_t port, int64_t now_ms);

/* fetch_call_field(call, request, i): the i-th header line to send, borrowed
 * until the next call of the function; NULL behind the last line. */
const char *fetch_call_field(
    struct fetch_call *, const struct fetch_request *, unsigned i);

/* fetch_call_sent(call, bytes): these bytes of the request's head were sent.
 * The result gets them without the fields of which the name says that their
 * value is secret: credentials, cookies, keys.
 * fetch_call_line(call, line): a line of the answer's header came (see
 * fetch_headers_line()). False ends the transfer. */
void fetch_call_sent(struct fetch_call *, struct slice bytes);
bool fetch_call_line(struct fetch_call *, struct slice line);

/* fetch_call_body: a piece of the body came. False ends the transfer.
 * fetch_call_too_big(call): the body has more than max_bytes; always false. */
bool fetch_call_body(struct fetch_call *, struct slice bytes);
bool fetch_call_too_big(struct fetch_call *);

/* fetch_call_fail(call, code, detail): the request fails before it begins, or
 * its header is refused; always false. */
bool fetch_call_fail(struct fetch_call *, enum diag_code, const char *detail);

/* fetch_call_end(call, end): the request ended; fill in the result. */
void fetch_call_end(struct fetch_call *, const struct fetch_end *);

#endif
