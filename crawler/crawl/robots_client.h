/*
 * robots.txt of origins, asked for now: politely, with the redirects, retries
 * and outcomes of a crawl (SPEC ), and without a store.
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
#include "store/segment/finding.h"

struct robots_client;

/* Everything in it is borrowed and outlives the client. */
struct robots_client_options {
	struct loop *loop;
	struct fetcher *fetcher;
	struct policy *policy;
	struct spool *spool;
	struct profile profile;
	uint64_t hash_key; /* nobody else's: for tables of hosts */
	const char *agent; /* the product token to judge for */
	bool has_delay; /* delay_ms was asked for */
	int64_t delay_ms; /* between two requests to one host */
	unsigned retry; /* further tries after a network error */
	const char *const *headers; /* for the origins asked about only */
	const char *credentials; /* the same */
};

enum robots_fallback {
	FALLBACK_UNKNOWN, /* not asked yet */
	FALLBACK_RULES, /* there is a file */
	FALLBACK_NONE, /* there is none: everything is allowed */
	FALLBACK_CLOSED /* it cannot be had: nothing is allowed */
};

struct robots_answer {
	enum robots_fallback fallback;
	struct url origin; /* its root; http instead of https where a host
			      without a scheme answers only there */
	struct url final; /* where the answer came from, or did not */
	struct robots *robots; /* owned; NULL without a file */
	struct buf body; /* the file as it came, cut at its limit */
	struct findings findings;
	enum diag_code failure; /* DIAG_OK, or why nothing came */
	char why[160]; /* in words; printable */
	int status; /* 0: no answer */
	bool is_local; /* judged from a file of ours */
};

struct robots_client *robots_client_new(const struct robots_client_options *);

/* robots_client_free(client): after its fetcher was freed. */
void robots_client_free(struct robots_client *);

/*
 * robots_client_add(client, url, may_be_http): the origin of url, which the
 * operator named, is to be asked; may_be_http: over http when https does not
 * answer (SPEC 15.6).  Returns its number; an origin is asked once.
 */
size_t robots_client_add(
    struct robots_client *, const struct url *, bool may_be_http);

/* robots_client_run(client): ask all; runs the loop until they answered. */
void robots_client_run(struct robots_client *);

/* robots_client_use(client, number, body): judge by these bytes instead of
 * asking. */
void robots_client_use(struct robots_client *, size_t, struct slice body);

/* robots_client_answer(client, number): borrowed until the client is freed. */
const struct robots_answer *robots_client_answer(
    const struct robots_client *, size_t number);

#endif
