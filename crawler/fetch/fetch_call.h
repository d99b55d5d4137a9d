/* One request as far as libcurl does not matter: what it may do, what it
 * counts, and what its end means. */
#ifndef FRESHET_FETCH_CALL_H
#define FRESHET_FETCH_CALL_H

#include "crawler/fetch/fetch.h"
#include "crawler/fetch/fetch_headers.h"

struct fetch_call {
	const struct fetcher_options *options;
	struct url url; /* owned */
	struct spool_file *spool;
	uint64_t max_bytes;
	bool takes_any;
	struct fetch_headers head; /* owned */
	fetch_admit_fn *admit;
	/* With a proxy: its name is looked up here first, and nothing is
	 * connected to; place is its first IPv4 address that may be, or its
	 * first. */
	bool is_looking;
	bool has_place;
	struct addr place;
	uint16_t place_port;
	enum diag_code stop; /* why we ended the transfer */
	bool is_refused; /* the policy said no to an address */
	bool has_socket; /* and yes to one */
	bool was_sent;
	int os_error; /* of a socket that could not be had */
	struct buf field; /* owned */
	struct fetch_result result;
};

/* What went wrong in the library. */
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
	TROUBLE_UNREADABLE, /* no HTTP */
	TROUBLE_LONG_LINE,
	TROUBLE_TOO_BIG, /* by its Content-Length */
	TROUBLE_CUT, /* closed before the end of the body */
	TROUBLE_RECEIVE, /* a reset, or chunks that are none */
	TROUBLE_SEND
};

struct fetch_end {
	enum fetch_trouble trouble;
	int number; /* the library's own */
	int os_error; /* errno of the connection, 0: none */
	long certificate; /* X509_V_ERR_..., 0: the chain is trusted */
	int64_t duration_ms;
};

/* fetch_call_init, _release: what a call owns. */
void fetch_call_init(struct fetch_call *, const struct fetcher_options *);
void fetch_call_release(struct fetch_call *);

/* fetch_call_begin(call, request, now_s, now_ms): a new request in a call
 * that is initialised or was used before. */
void fetch_call_begin(struct fetch_call *, const struct fetch_request *,
    int64_t now_s, int64_t now_ms);

/*
 * fetch_call_may_start(call, now_ms): by its port; with a proxy also by the
 * host, since the proxy finds its address and may stand inside.  A name that
 * is no target's is looked up here first then (is_looking).  False:
 * PRIVATE_ADDRESS is set.
 */
bool fetch_call_may_start(struct fetch_call *, int64_t now_ms);

/*
 * fetch_call_looked(call): a name was looked up, and all of its addresses were
 * asked for with fetch_call_may_connect.  True: there are some, and they are
 * such that a proxy may be asked for it; no longer is_looking.  False: the call
 * is to end.
 */
bool fetch_call_looked(struct fetch_call *);

/* fetch_call_may_connect(call, addr, port, now_ms): may bytes go there?  The
 * one question before each socket and each request. */
bool fetch_call_may_connect(
    struct fetch_call *, const struct addr *, uint16_t port, int64_t now_ms);

/* fetch_call_field(call, request, i): the i-th header line to send, borrowed
 * until the next call; NULL past the last. */
const char *fetch_call_field(
    struct fetch_call *, const struct fetch_request *, unsigned i);

/* fetch_call_sent(call, peer): the request goes out. */
void fetch_call_sent(struct fetch_call *, const struct addr *peer);

/* fetch_call_header, _body, _progress: what came; false ends the transfer.
 * _progress takes the sum of the body, also of what nobody else sees. */
bool fetch_call_header(struct fetch_call *, struct slice line);
bool fetch_call_body(struct fetch_call *, struct slice bytes);
bool fetch_call_progress(struct fetch_call *, uint64_t bytes);

/* fetch_call_fail(call, detail): refused by us before it began. */
void fetch_call_fail(struct fetch_call *, const char *detail);

/* fetch_call_end(call, end): fill in result. */
void fetch_call_end(struct fetch_call *, const struct fetch_end *);

#endif
