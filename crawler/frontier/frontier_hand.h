/* Pages handed to fetchers, and what they say of them: see desk.h. */
#ifndef FRESHET_FRONTIER_HAND_H
#define FRESHET_FRONTIER_HAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/strings.h"
#include "base/w3cdate.h"

struct frontier;

#define FRONTIER_TOKEN_SIZE 40
/* No lease is longer: who holds a page for longer has lost it. */
#define FRONTIER_LEASE_MAX_S (7 * 86400)

/*
 * Somebody who takes pages: one answer, or a stream of them.  Zeroed but for
 * lease_s it has no limits; it must not move until frontier_consumer_release.
 */
struct frontier_consumer {
	uint32_t per_host; /* pages of one host that are out at once, whoever
			    * has them; 0: one of a host that has a delay if
			    * is_spaced, else no limit */
	uint32_t hosts; /* whose pages this one has out at once; 0: no limit */
	int64_t lease_s; /* 1 to FRONTIER_LEASE_MAX_S */
	bool is_spaced; /* each host's delay passes between two of its pages,
			 * instead of options.burst_ms */
	/* Pages of sites that are among these, and have one of these tags;
	 * owned by the consumer, or NULL: all. */
	const struct strings *sites, *tags;
	bool is_later; /* set by frontier_lease_some */
	struct consumer_hosts
	    *at; /* owned by the frontier: where it has pages */
	struct eligible_sites *wanted; /* likewise: sites that it may have */
};

/* frontier_consumer_release(frontier, consumer): it takes no more; its leases
 * live on. */
void frontier_consumer_release(struct frontier *, struct frontier_consumer *);

/* A page that was handed out; what it borrows is valid until the next call. */
struct frontier_page {
	char token[FRONTIER_TOKEN_SIZE];
	struct slice url, host;
	int64_t due_s, lease_until_s;
	double value; /* finite: where its time has come, that of any request */
	const char *why; /* static: "new", "lastmod-moved", "value", "ceiling",
			  * "removed" */
	struct date lastmod; /* DATE_NONE: none */
	struct slice etag, last_modified; /* of its last fetch; empty: none */
	int64_t delay_ms; /* that its host wants between two requests */
};

/*
 * frontier_lease(frontier, consumer, now_s, page): the best page that this one
 * may have now; false: there is none, frontier_due_s says when to ask again. It
 * is leased in the open transaction: flush before anybody hears of it.
 * frontier_lease_some: the same for a few milliseconds: false, and is_later,
 * when there may be one that was not found in that time.
 */
bool frontier_lease(struct frontier *, struct frontier_consumer *,
    int64_t now_s, struct frontier_page *);
bool frontier_lease_some(struct frontier *, struct frontier_consumer *,
    int64_t now_s, struct frontier_page *);

/* frontier_knows_site(frontier, host), frontier_knows_tag(frontier, tag): of
 * the sites of the store; a tag: that a site of the watch list has. */
bool frontier_knows_site(struct frontier *, struct slice host);
bool frontier_knows_tag(struct frontier *, struct slice tag);

/* frontier_due_s(frontier, now_s): when frontier_lease may say yes again;
 * FRONTIER_NEVER: not before something is told. */
int64_t frontier_due_s(struct frontier *, int64_t now_s);

/* What a fetcher says of a page.  Slices are hostile. */
struct frontier_result {
	struct slice token; /* empty: a fetch nobody asked for, of a known URL
			     */
	struct slice url; /* empty, or it must be that of the token */
	int status; /* of HTTP; 0: no answer */
	bool has_hash;
	struct slice content_hash; /* any text */
	struct slice etag, last_modified, location;
	uint64_t bytes;
	uint32_t ms;
	int64_t at_s; /* when it was asked; 0: now */
	int64_t retry_after_s; /* 0: none */
};

/*
 * OK: it is believed.  SKIPPED: it comes too late or was said before, and
 * changes nothing.  FAIL: it cannot be.
 */
enum frontier_ack { FRONTIER_OK, FRONTIER_SKIPPED, FRONTIER_FAIL };

struct frontier_answer {
	/* Static, NULL when OK.  SKIPPED: "repeated-lease", "expired-lease" (or
	 * given back), "superseded-lease", "unknown-lease", "unknown-url",
	 * "older-result"; FAIL: "bad-lease", "bad-status",
	 * "bad-url", "url-of-another-page", "from-the-future",
	 * "nothing-named". */
	const char *reason;
	int64_t next_due_s; /* OK: about when it is due again; FRONTIER_NEVER:
			     * nobody knows */
};

/* frontier_done(frontier, result, now_s, answer): in the open transaction. */
enum frontier_ack frontier_done(struct frontier *,
    const struct frontier_result *, int64_t now_s, struct frontier_answer *);

/* frontier_release(frontier, token, now_s, answer): it will not be fetched:
 * anybody may have it.  frontier_release_all: the same of all that is out; how
 * many. */
enum frontier_ack frontier_release(struct frontier *, struct slice token,
    int64_t now_s, struct frontier_answer *);
size_t frontier_release_all(struct frontier *, int64_t now_s);

#endif
