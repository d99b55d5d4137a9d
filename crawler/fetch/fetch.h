/*
 * One HTTP request, one hop, asynchronously (HOSTILE section 2).
 * Of the files behind this header only fetch.c knows libcurl.
 */
#ifndef FRESHET_FETCH_H
#define FRESHET_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/diag.h"
#include "base/late.h"
#include "base/slice.h"
#include "base/url.h"
#include "crawler/event/loop.h"
#include "crawler/event/spool.h"
#include "crawler/fetch/fetch_headers.h"
#include "crawler/fetch/policy.h"
#include "crawler/identity/identity.h"

struct fetcher;

struct fetcher_options {
	const char *user_agent;
	const char *ca_file; /* NULL: the system's */
	const char *proxy; /* NULL: none, and none from the environment */
	/* NULL-terminated lists, or NULL */
	const char *const *connect_to, *const *resolve;
	uint64_t hash_key; /* secret, for tables of names */
	struct policy *policy; /* outlives the fetcher */
	int64_t connect_timeout_ms; /* 10,000 */
	int64_t max_time_ms; /* 300,000 */
	int64_t low_speed_limit; /* bytes in a second: 1,024 */
	int64_t low_speed_time_s; /* 30 */
	uint64_t max_header_bytes; /* headers, trailers, 1xx: 65,536 */
	uint64_t max_error_body; /* bytes, unless the status is 200: 65,536 */
};

/* The numbers named above. */
extern const struct fetcher_options fetcher_defaults;

/* fetcher_new(loop, options): NULL when libcurl cannot be set up. */
struct fetcher *fetcher_new(struct loop *, const struct fetcher_options *);

/* fetcher_free(fetcher): requests under way end without a call of done. */
void fetcher_free(struct fetcher *);

/* fetch_admit_fn: may the request open a connection to this address now? arg is
 * the argument given to fetch_start(). */
typedef bool fetch_admit_fn(void *arg, const struct addr *);

struct fetch_request {
	const struct url *url; /* copied */
	fetch_admit_fn *admit; /* NULL: always */
	/* called at the last moment, over an open connection: may the request
	 * still be sent? NULL: always */
	bool (*may_send)(void *arg);
	const char *etag; /* If-None-Match, or NULL */
	const char *last_modified; /* If-Modified-Since when etag is NULL */
	/* "user:password" or NULL: the caller has checked that they belong to
	 * this origin */
	const char *credentials;
	/* NULL-terminated, or NULL; the caller has checked that they may be
	 * sent to this origin */
	const char *const *headers;
	struct signature signature; /* borrowed; zeroed: none */
	/* the body of a POST, borrowed until done; NULL: the request is a
	 * GET */
	const char *post;
	/* receives the body of a 200; borrowed until done */
	struct spool_file *spool;
	uint64_t max_bytes; /* on the wire: 67,108,864 */
	bool is_single; /* close the connection afterwards */
	bool takes_any; /* accept the body of any 2xx, cut at max_bytes */
	/* the spool gets the body of every status, that of a 2xx cut at
	 * max_bytes, any other at max_error_body at most */
	bool takes_all;
	bool is_head; /* the method is HEAD: no body comes */
	bool wants_heads; /* tell request_head and answer_head */
	bool is_identity; /* offer no content coding */
	bool is_page; /* a listed page: see local_start() */
	/* the product token, as a name in X-Robots-Tag; borrowed until done;
	 * NULL: none */
	const char *agent;
};

/* Why the request was not sent though nothing is wrong. The caller tries again
 * a little later. */
enum fetch_deferral {
	DEFERRED_NOT,
	DEFERRED_ADDRESS, /* admit said no */
	DEFERRED_LOOKUP, /* too many names of one owner wait to be looked up */
	DEFERRED_DESCRIPTORS, /* no descriptor left (HOSTILE T31) */
	DEFERRED_RIGHT /* may_send said no */
};

/* clang-format off */
#define FETCH_TEXT_BORROWED(name) const char *name;
/* clang-format on */

struct fetch_result {
	enum fetch_deferral deferral; /* if any, code is FETCH_NETWORK_ERROR */
	/* DIAG_OK: a whole answer came, see status. Otherwise
	 * FETCH_NETWORK_ERROR, HEADERS_TOO_BIG, BODY_TOO_BIG, PRIVATE_ADDRESS,
	 * DISK_FULL. */
	enum diag_code code;
	char detail[160]; /* printable: "could not resolve host" */
	/* the body of a 200 began but broke off; the spool has the part that
	 * came */
	bool is_truncated;
	/* nothing was sent: DNS, connect or TLS failed */
	bool is_connect_failure;
	bool is_nameless; /* no address was found for the host */
	bool is_untrusted; /* the server has a bad certificate */
	int status; /* 0: none */
	/* headers (fetch_headers.h), borrowed until done returns */
	FETCH_TEXTS(FETCH_TEXT_BORROWED)
	int64_t date_s; /* Date; 0: none */
	/* static: the maker of the bot wall that answered; NULL: none did */
	const char *wall;
	bool is_challenge; /* a header says that the answer is the wall's own */
	int64_t retry_after_s; /* SPEC R-76, cut at 24 h; -1: none */
	int64_t max_age_s; /* of Cache-Control; -1: none */
	uint64_t wire_bytes; /* of the body */
	uint32_t duration_ms;
	/* Times by loop_now_ms. */
	/* a connection was opened, or the request went out over an old one; 0:
	 * neither */
	int64_t asked_ms;
	/* the answer began, or the request ended without one. The server had
	 * the request by then, so a delay that is counted from here is long
	 * enough for the server, too */
	int64_t answered_ms;
	int64_t ended_ms;
	struct addr peer;
	bool has_peer;
	/* With wants_heads, the request as it was sent, without the fields that
	 * are secret (fetch_call_sent()), and the last status line with
	 * its fields as they came; each ends with the empty line.  Borrowed
	 * until done returns; empty if nothing was sent, or no whole header
	 * came. */
	struct slice request_head, answer_head;
	/* With takes_all, why the spool has not all of a body: "length" (a
	 * limit), "time", "disconnect" (the words of WARC-Truncated); NULL: it
	 * has.  Only a 2xx that is cut has another code than DIAG_OK. */
	const char *truncated;
};

typedef void fetch_done_fn(void *arg, const struct fetch_result *);

/* fetch_start(fetcher, request, done, arg): start a request.  The loop calls
 * done once, never from within fetch_start, and not at all if the fetcher is
 * freed first. */
void fetch_start(
    struct fetcher *, const struct fetch_request *, fetch_done_fn *, void *arg);

/* fetch_active(fetcher): the number of requests under way.
 * fetch_capacity(fetcher): the highest number that there should be, by the
 * descriptor limit of this process, which fetcher_new raises (HOSTILE T31). */
unsigned fetch_active(const struct fetcher *);
unsigned fetch_capacity(const struct fetcher *);

/* fetch_transfers(): raise the descriptor limit of this process as far as that
 * helps, and return how many transfers it allows at once, from 1 to 1,024. */
unsigned fetch_transfers(void);

/*
 * fetch_owner(fetcher, url): 0 when a request for url needs no look-up;
 * otherwise a key of the registrant of the name that must be looked up (HOSTILE
 * T5).
 * fetch_may_look_up(fetcher, owner): should one more request of this owner be
 * started now? If the caller starts one although the answer is false, the
 * request waits, counts as active, and may end as DEFERRED_LOOKUP.
 */
uint64_t fetch_owner(const struct fetcher *, const struct url *);
bool fetch_may_look_up(const struct fetcher *, uint64_t owner);

struct fetch_facts {
	struct library library;
	const char *tls; /* "OpenSSL/3.0.17"; NULL: no https */
	const char *ca_file; /* libcurl's trusted certificates, or NULL */
	const char *ca_folder; /* the same as a folder, or NULL */
};

/* fetch_facts(facts): describe the libcurl that runs; the texts are static. */
void fetch_facts(struct fetch_facts *);

#endif
