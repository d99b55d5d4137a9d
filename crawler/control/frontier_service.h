/*
 * The frontier's service is what the owner of the store does for the commands
 * `due`, `done`, `import`, `hold` and `release`.  Lines go in and lines come
 * out (control.h).
 *
 * The first line of a client is its request:
 *
 *	{"command":"due","per_host":N,"hosts":N,"lease_s":N,"spaced":B,
 *	    "sites":[HOST,...],"tags":[TAG,...],"filter":["include=/x",...],
 *	    "sign":"always" or "challenge"}.
 *	    Answer: a line
 *	    {"type":"unknown","site":HOST} or "tag" for each that the store does
 *	    not know; {"type":"unsigned"} if pages are to be signed, and the
 *	    owner has no identity.  If it knows none of them, {"type":"end"}
 *	    follows.  Else the client goes on, one line at a time, each after
 *	    the answer to the line before:
 *	{"take":N,"wait_ms":N}	lease at most N pages; wait_ms 0: those that are
 *				due now, -1: wait as long as it takes; with
 *				"at_once":true not even for those whose hosts
 *				were asked a moment ago.  Answer: lines of
 *				pages, then {"type":"more"} with the
 *				time when there may be more; if no page came and
 *				a budget is used up until then, with
 *				"spent":"total", "site" or "tag", "name", "rate"
 *	{"release":[LEASE,...]}	the client did not pass these leases on, and
 *				wants no more.  Answer: {"type":"released"}
 *
 *	{"command":"done"}, then results, unchanged, each with the number of its
 *		line and a space before it.  Answer: a line for each, in order
 *
 *	{"command":"import","line":N,"json":B}, then the imported lines,
 *		unchanged.  Answers: {"type":"bad","line":N,"why":TEXT}, and
 *		when the next N lines are through, blank and bad lines included,
 *		{"type":"taken","lines":N,"bad":N,"new":N,"known":N,"history":N,
 *		"unlisted":N}
 *
 *	{"command":"hold","host":HOST,"for_s":N}.  Answer: {"type":"held"},
 *		{"type":"end"}
 *	{"command":"release","leases":[LEASE,...],"all":B}.  Answer: a line for
 *		each lease, {"type":"released"}, {"type":"end"}
 *
 * Each answer comes after the COMMIT of what it says.
 */
#ifndef FRESHET_FRONTIER_SERVICE_H
#define FRESHET_FRONTIER_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/site_rules.h"
#include "base/slice.h"
#include "crawler/crawl/run_sign.h"
#include "crawler/event/loop.h"
#include "crawler/frontier/frontier.h"

/* Pages in one answer: a longer one would keep others from the loop. */
#define FRONTIER_ANSWER_PAGES 2048

struct frontier_service;
struct control_client;
struct control_peer;
struct ndjson;

struct frontier_service_options {
	struct loop *loop;
	struct store *store;
	struct frontier *frontier;
	/* how often the service looks for new readings while a client waits
	 * for pages; 0: frontier_service_wake is called when there are any */
	int64_t poll_ms;
	/* signs pages for clients that want that, by the rules of their
	 * sites */
	struct signer signer;
	site_rules_fn *rules;
	void *rules_arg;
	/* NULL, or called when the store cannot be written any more, after the
	 * clients were told. */
	void (*failed)(void *arg);
	void *failed_arg;
};

struct frontier_service *frontier_service_new(
    const struct frontier_service_options *);

/* frontier_service_free(service): drop the clients without a word; answers that
 * wait for a COMMIT are lost.  NULL is ignored. */
void frontier_service_free(struct frontier_service *);

/* frontier_service_settle(service): commit now, and write the answers that wait
 * for it; an answer of which some pages are leased ends with these.  To be
 * called before the clients are left, since they would send unanswered lines
 * again to the next owner.  NULL is ignored. */
void frontier_service_settle(struct frontier_service *);

/* frontier_service_acked(service): COMMITs of the store have become durable, or
 * the store has failed: write the answers that waited for that.  NULL is
 * ignored. */
void frontier_service_acked(struct frontier_service *);

/* frontier_service_is_told(service): does a client report results? */
bool frontier_service_is_told(const struct frontier_service *);

/* frontier_service_wake(service): there may be pages for clients that wait. */
void frontier_service_wake(struct frontier_service *);

/* frontier_service_client(service, request, peer): serve a peer whose first
 * line is a request for one of the commands above. */
struct control_client *frontier_service_client(struct frontier_service *,
    const struct ndjson *request, struct control_peer *);

/* What the service did so far. */
struct frontier_counts {
	uint64_t leased, released; /* pages */
	uint64_t ok, skipped, failed; /* results */
};

struct frontier_counts frontier_service_counts(const struct frontier_service *);

#endif
