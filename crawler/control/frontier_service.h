/*
 * What a holder of the store does for `due`, `done`, `import`, `hold` and
 * `release`:
 * lines in, lines out, over its socket or in the command itself.
 *
 * The first line of a customer says what it wants:
 *
 *	{"command":"due","per_host":N,"hosts":N,"lease_s":N,"spaced":B,
 *	    "sites":[HOST,...],"tags":[TAG,...]}.  Answer: for each that the
 *	    store does not know {"type":"unknown","site":HOST} or "tag"; when
 *	    none of them is known that is all, and {"type":"end"}.  Then, once
 *	    the answer to the one before is there,
 *	{"take":N,"wait_ms":N}	N pages at most; 0: what there is now, -1:
 *				however long it takes.  Answer: lines of
 *				pages, then {"type":"more"}: when there may be
 *				more; if none came, and a budget is used up
 *				until then, with "spent":"total", "site" or
 *				"tag", "name" and "rate"
 *	{"release":[LEASE,...]}	these were not passed on, and no more are
 *				wanted.  Answer: {"type":"released"}
 *
 *	{"command":"done","line":N}, then results as they were read, the first
 *		is line N.  Answer: a line for each that is not blank, in order
 *
 *	{"command":"import","line":N,"json":B}, then lines as they were read.
 *		Answers: {"type":"bad","line":N,"why":TEXT}, and when the next
 *		N lines are through, blank and bad ones too,
 *		{"type":"taken","lines":N,"bad":N,"new":N,"known":N,"history":N,
 *		"unlisted":N}
 *
 *	{"command":"hold","host":HOST,"for_s":N}.  Answer: {"type":"held"},
 *		{"type":"end"}
 *	{"command":"release","leases":[LEASE,...],"all":B}.  Answer: a line for
 *		each lease, {"type":"released"}, {"type":"end"}
 *
 * Each answer is given after the COMMIT of what it says.  {"type":"hello"}
 * comes before all of them, at once; {"type":"end","exit":N} is the last line.
 */
#ifndef FRESHET_FRONTIER_SERVICE_H
#define FRESHET_FRONTIER_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawler/event/loop.h"
#include "crawler/frontier/frontier.h"

#define FRONTIER_TAKE_MAX \
	512 /* pages in one answer: others want the loop, too */

struct frontier_service;
struct frontier_client;
struct ndjson;

struct frontier_service_options {
	struct loop *loop;
	struct store *store;
	struct frontier *frontier;
	int64_t
	    poll_ms; /* while somebody waits for pages, readings are looked
		      * for so often; 0: frontier_service_wake tells of them */
	/* The store cannot be written any more, and customers have been told;
	 * NULL: nobody wants to know. */
	void (*failed)(void *arg);
	void *failed_arg;
};

struct frontier_service *frontier_service_new(
    const struct frontier_service_options *);

/* frontier_service_free(service): customers are forgotten, not told; what was
 * not committed was not said.  NULL is fine. */
void frontier_service_free(struct frontier_service *);

/* frontier_service_settle(service): what waits for a COMMIT has it now, and is
 * said: before its customers are left, who would say it again to the next one.
 * NULL is fine. */
void frontier_service_settle(struct frontier_service *);

/* frontier_service_wake(service): there may be pages for those that wait. */
void frontier_service_wake(struct frontier_service *);

/* How a customer is spoken to: say from the loop, and from
 * frontier_service_client: whole lines; end: the customer is gone, after its
 * last line, from the loop. */
struct frontier_caller {
	void (*say)(void *arg, struct slice text);
	void (*end)(void *arg);
	void *arg;
};

/* frontier_service_takes(request): is its command one of these?  NULL is none.
 */
bool frontier_service_takes(const struct ndjson *request);

/* frontier_service_client(service, request, caller): NULL when its command is
 * none of these, and nothing was said. */
struct frontier_client *frontier_service_client(struct frontier_service *,
    const struct ndjson *request, const struct frontier_caller *);

/* frontier_client_line(customer, line): one more of its lines. */
void frontier_client_line(struct frontier_client *, struct slice line);

/* frontier_client_free(customer): it has left; end is not called. */
void frontier_client_free(struct frontier_client *);

/* What went over the counter so far. */
struct frontier_counts {
	uint64_t leased, released;
	uint64_t ok, skipped, failed; /* results */
};

struct frontier_counts frontier_service_counts(const struct frontier_service *);

#endif
