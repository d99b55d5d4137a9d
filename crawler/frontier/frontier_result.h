/* What fetchers report of leased pages. */
#ifndef FRESHET_FRONTIER_RESULT_H
#define FRESHET_FRONTIER_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "store/outcome.h"

struct frontier;

/* The result of a fetch.  All slices are hostile. */
struct frontier_result {
	/* of the lease; empty: the fetch had no lease, and only the URL is
	 * known */
	struct slice token;
	struct slice url; /* empty, or the URL of the token's page */
	int status; /* of HTTP; 0: no answer */
	bool has_hash;
	struct slice content_hash; /* any text */
	struct slice etag, last_modified, location;
	uint64_t bytes;
	uint32_t ms;
	int64_t at_s; /* when the page was requested; 0: now */
	int64_t retry_after_s; /* 0: none */
	bool is_noindex; /* it asks search engines not to index it */
	/* the host is well, but this is not the page: it asks for a login, or
	 * robots.txt forbids it */
	bool is_walled;
	/* The driver fetched the page: it has noted the request, and holds the
	 * host if that asked for it. */
	bool is_own;
};

/* OK: the result is believed.  SKIPPED: it comes too late or was reported
 * before, and changes nothing.  FAIL: it cannot be true. */
enum frontier_ack { FRONTIER_OK, FRONTIER_SKIPPED, FRONTIER_FAIL };

struct frontier_answer {
	/* Static, NULL when OK.  SKIPPED: "repeated-lease", "expired-lease" (or
	 * given back), "superseded-lease", "unknown-lease", "unknown-url",
	 * "older-result"; FAIL: "bad-lease", "bad-status",
	 * "bad-url", "url-of-another-page", "from-the-future",
	 * "nothing-named". */
	const char *reason;
	/* OK: about when the page is due again; FRONTIER_NEVER: nobody
	 * knows */
	int64_t next_due_s;
	/* OK: of the page; borrowed until the store is asked for another */
	struct slice url;
};

/* frontier_done(frontier, result, now_s, answer): apply a result, in the open
 * transaction. */
enum frontier_ack frontier_done(struct frontier *,
    const struct frontier_result *, int64_t now_s, struct frontier_answer *);

/* frontier_outcome(frontier, page_id, result): what frontier_done() would make
 * of the result now. */
enum page_outcome frontier_outcome(
    struct frontier *, int64_t page_id, const struct frontier_result *);

/* frontier_release(frontier, token, now_s, answer): give a lease back: any
 * consumer may have the page.  frontier_release_all: give back all leases;
 * returns how many. */
enum frontier_ack frontier_release(struct frontier *, struct slice token,
    int64_t now_s, struct frontier_answer *);
size_t frontier_release_all(struct frontier *, int64_t now_s);

/* frontier_token_url(frontier, token, url): the URL of the page that was
 * leased with that token, even if the lease is over; borrowed until the store
 * is asked for another page.  False: there is none. */
bool frontier_token_url(
    struct frontier *, struct slice token, struct slice *url);

#endif
