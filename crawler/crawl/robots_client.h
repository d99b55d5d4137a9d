/*
 * Fetch robots.txt of origins now: politely, with the redirects, retries and
 * outcomes of a crawl (SPEC ), but without a store.
 */
#ifndef FRESHET_ROBOTS_CLIENT_H
#define FRESHET_ROBOTS_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/profile.h"
#include "base/robots.h"
#include "base/url.h"
#include "crawler/event/loop.h"
#include "crawler/event/spool.h"
#include "crawler/fetch/fetch.h"
#include "crawler/fetch/policy.h"
#include "crawler/sandbox/readers.h"
#include "store/segment/finding.h"

struct robots_client;

/* Everything is borrowed and outlives the client. */
struct robots_client_options {
	struct loop *loop;
	struct fetcher *fetcher;
	struct policy *policy;
	struct spool *spool;
	struct readers *readers; /* for what is packed, or looks like a page */
	struct profile profile;
	uint64_t hash_key; /* secret, for tables of hosts */
	const char *agent; /* product token whose rules are obeyed */
	bool has_delay; /* the operator set delay_ms */
	int64_t delay_ms; /* between two requests to one host */
	unsigned retry; /* further tries after a network error */
	const char *const
	    *headers; /* sent only to the origins that were added */
	const char *credentials; /* likewise */
};

enum robots_fallback {
	FALLBACK_UNKNOWN, /* not known yet */
	FALLBACK_RULES, /* there is a file */
	FALLBACK_NONE, /* there is no file: everything is allowed */
	FALLBACK_CLOSED /* the file cannot be fetched: nothing is allowed */
};

struct robots_answer {
	enum robots_fallback fallback;
	/* root URL of the origin; with http instead of https if a host that was
	 * given without a scheme answers only there */
	struct url origin;
	struct url final; /* URL of the last request */
	struct robots *robots; /* owned; NULL without a file */
	struct buf body; /* the file, cut at its limit */
	struct findings findings;
	enum diag_code failure; /* DIAG_OK, or why there is no answer */
	/* the failure in words, or what came instead of a file; printable */
	char why[160];
	int status; /* of the answer, 0: none */
	bool is_local; /* the body is that of robots_client_use() */
};

struct robots_client *robots_client_new(const struct robots_client_options *);

/* robots_client_free(client): its fetcher must have been freed before. */
void robots_client_free(struct robots_client *);

/* robots_client_add(client, url, may_be_http): ask the origin of url, which
 * the operator named; may_be_http: try http if https does not answer (SPEC
 * 15.6). Returns the number of the origin; an origin is asked once. */
size_t robots_client_add(
    struct robots_client *, const struct url *, bool may_be_http);

/* robots_client_run(client): ask all origins; runs the loop until all have
 * answered. */
void robots_client_run(struct robots_client *);

/* robots_client_use(client, number, body): judge by these bytes instead of
 * asking. */
void robots_client_use(struct robots_client *, size_t, struct slice body);

/* robots_client_judge(client, agent): from now on all answers are for this
 * agent; nobody is asked again. The agent is borrowed and outlives the
 * client. */
void robots_client_judge(struct robots_client *, const char *agent);

/* robots_client_answer(client, number): borrowed until the client is freed. */
const struct robots_answer *robots_client_answer(
    const struct robots_client *, size_t number);

#endif
