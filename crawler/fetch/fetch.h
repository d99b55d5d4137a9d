/*
 * One HTTP request, one hop, asynchronously (HOSTILE section 2).
 * The only file behind this header that knows libcurl is fetch.c.
 */
#ifndef FRESHET_FETCH_H
#define FRESHET_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/diag.h"
#include "base/slice.h"
#include "base/url.h"
#include "crawler/event/loop.h"
#include "crawler/event/spool.h"
#include "crawler/fetch/policy.h"

struct fetcher;

struct fetcher_options {
	const char *user_agent;
	const char *ca_file; /* NULL: the system's */
	const char *proxy; /* NULL: none, and none from the environment */
	const char *const *connect_to, *const *resolve; /* NULL ends; or NULL */
	uint64_t hash_key; /* nobody else's: for tables of names */
	struct policy *policy; /* outlives the fetcher */
	int64_t connect_timeout_ms; /* 10,000 */
	int64_t max_time_ms; /* 300,000 */
	int64_t low_speed_limit; /* bytes a second: 1,024 */
	int64_t low_speed_time_s; /* 30 */
	uint64_t max_header_bytes; /* headers, trailers, 1xx: 65,536 */
	uint64_t max_error_body; /* of answers that are no 200: 65,536 */
};

/* fetcher_options_default(options): the numbers named above. */
void fetcher_options_default(struct fetcher_options *);

/* fetcher_new(loop, options): NULL when libcurl cannot be had. */
struct fetcher *fetcher_new(struct loop *, const struct fetcher_options *);

/* fetcher_free(fetcher): what is under way is dropped without done. */
void fetcher_free(struct fetcher *);

/* With the arg of done: may the request go to a new connection there now? */
typedef bool fetch_admit_fn(void *arg, const struct addr *);

struct fetch_request {
	const struct url *url; /* copied */
	fetch_admit_fn *admit; /* NULL: it always may */
	const char *etag; /* If-None-Match, or NULL */
	const char *last_modified; /* If-Modified-Since when etag is NULL */
	const char *credentials; /* "user:password" or NULL: the caller has
				    checked that they belong to this origin */
	const char *const *headers; /* NULL-terminated, or NULL; as above */
	struct spool_file *spool; /* takes the body of a 200; borrowed until
				     done */
	uint64_t max_bytes; /* on the wire: 67,108,864 */
	bool is_single; /* its connection is of no use afterwards */
	bool takes_any; /* a body of any 2xx, or as much as max_bytes of it */
	bool is_identity; /* offer no content coding: nobody inflates it */
};

/* Why nothing was sent, though nothing is wrong: ask again a little later. */
enum fetch_deferral {
	DEFERRED_NOT,
	DEFERRED_ADDRESS, /* admit said no */
	DEFERRED_LOOKUP, /* too many names of one owner wait to be looked up */
	DEFERRED_DESCRIPTORS /* none left for a connection (HOSTILE T31) */
};

struct fetch_result {
	enum fetch_deferral deferral; /* code is FETCH_NETWORK_ERROR then */
	/* DIAG_OK: an answer came whole, see status.  Else FETCH_NETWORK_ERROR,
	 * HEADERS_TOO_BIG, BODY_TOO_BIG, PRIVATE_ADDRESS, DISK_FULL. */
	enum diag_code code;
	char detail[160]; /* printable: "could not resolve host" */
	bool is_truncated; /* the body of a 200 began but did not end well:
			      what came is in the spool */
	bool is_connect_failure; /* nothing was ever sent: DNS, connect, TLS */
	bool is_nameless; /* no address was found for the host, nor will be */
	bool is_connect_to_refused; /* nobody listens or TLS failed there */
	bool is_untrusted; /* somebody answers there, with a bad certificate */
	int status; /* 0: none */
	/* Headers, borrowed until done returns; NULL: absent or unfit. */
	const char *location;
	const char *etag, *last_modified;
	const char *content_type, *content_encoding;
	const char *noindex; /* X-Robots-Tag, if it says so */
	const char *canonical; /* target of Link: …; rel=canonical */
	const char *wall; /* static: whose bot wall answered; NULL: none */
	int64_t retry_after_s; /* SPEC R-76, cut at 24 h; -1: none */
	int64_t max_age_s; /* of Cache-Control; -1: none */
	uint64_t wire_bytes; /* of the body */
	uint32_t duration_ms;
	/* loop_now_ms when a connection was opened for it, or it went out over
	 * an old one (0: nobody was asked); when its answer began, or all
	 * ended: the server had the request by then, so a delay from here on
	 * holds there, too; and when all ended */
	int64_t asked_ms, answered_ms, ended_ms;
	struct addr peer;
	bool has_peer;
};

typedef void fetch_done_fn(void *arg, const struct fetch_result *);

/*
 * fetch_start(fetcher, request, done, arg): done comes from the loop, once,
 * never from within fetch_start, unless the fetcher is freed first.
 */
void fetch_start(
    struct fetcher *, const struct fetch_request *, fetch_done_fn *, void *arg);

/* fetch_active(fetcher): requests under way.  fetch_capacity(fetcher): how
 * many there should be at most, by the descriptors of this process, whose
 * limit fetcher_new raises (HOSTILE T31). */
unsigned fetch_active(const struct fetcher *);
unsigned fetch_capacity(const struct fetcher *);

#endif
