/* Between the files of the frontier's service; nobody else includes it. */
#ifndef FRESHET_FRONTIER_SERVICE_INTERNAL_H
#define FRESHET_FRONTIER_SERVICE_INTERNAL_H

#include "base/buf.h"
#include "crawler/control/frontier_service.h"
#include "crawler/frontier/frontier_hand.h"

#define FRONTIER_FOREVER INT64_MAX

struct customer_import;

enum customer_kind {
	CUSTOMER_TAKES,
	CUSTOMER_TELLS,
	CUSTOMER_IMPORTS,
	CUSTOMER_CALLS
};

struct frontier_client {
	struct frontier_service *service;
	struct frontier_client *next;
	struct frontier_caller caller;
	enum customer_kind kind;
	struct buf out; /* said after the COMMIT */
	bool is_over; /* gone after that */
	/* CUSTOMER_TAKES */
	struct frontier_consumer consumer;
	struct strings sites, tags; /* owned: of consumer */
	uint32_t wanted; /* pages; 0: none now */
	uint32_t given; /* of these, so far */
	int64_t until_ms; /* it waits for them */
	/* CUSTOMER_TELLS, _IMPORTS */
	uint64_t line; /* of the next one */
	/* CUSTOMER_IMPORTS */
	struct buf in; /* lines that are not taken yet, from `at` on */
	size_t at;
	struct customer_import *import; /* owned */
};

struct frontier_service {
	struct frontier_service_options options;
	struct frontier_client *customers; /* owned */
	struct loop_timer *commit; /* owned */
	struct loop_timer *wait; /* owned */
	struct loop_timer *bite; /* owned: some lines of those that import */
	bool is_marked; /* commit runs */
	int64_t committed_ms;
	struct frontier_counts counts;
};

/* service_mark(service): something is to be committed, and said, with what
 * comes soon after; service_mark_now: somebody waits for it, and says nothing
 * before it is answered. */
void service_mark(struct frontier_service *);
void service_mark_now(struct frontier_service *);

int64_t service_now_s(const struct frontier_service *);
int64_t service_now_ms(const struct frontier_service *);

/* service_finish(customer, status, code): the last line; code: what failed, or
 * DIAG_OK. */
void service_finish(struct frontier_client *, int status, enum diag_code);

/* service_greet(customer, request): say which of its sites and tags are not
 * known, and that not its budget holds.  service_take(customer, object): it
 * asks for pages. service_wait(service): the timer: pages for those that wait.
 */
void service_greet(struct frontier_client *, const struct ndjson *request);
void service_take(struct frontier_client *, const struct ndjson *);
void service_wait(void *service);

/* service_result(customer, text): a line that may be a result. */
void service_result(struct frontier_client *, struct slice text);

/* service_give_back(customer, object): leases that it did not pass on.
 * service_release, service_hold: the commands. */
void service_give_back(struct frontier_client *, const struct ndjson *);
void service_release(struct frontier_client *, const struct ndjson *);
void service_hold(struct frontier_client *, const struct ndjson *);

#endif
