/* Between the files of the desk's service; nobody else includes it. */
#ifndef FRESHET_DESK_SERVICE_INTERNAL_H
#define FRESHET_DESK_SERVICE_INTERNAL_H

#include "base/buf.h"
#include "crawler/control/desk_service.h"
#include "crawler/frontier/desk_hand.h"

#define DESK_FOREVER INT64_MAX

struct customer_import;

enum customer_kind {
	CUSTOMER_TAKES,
	CUSTOMER_TELLS,
	CUSTOMER_IMPORTS,
	CUSTOMER_CALLS
};

struct desk_customer {
	struct desk_service *service;
	struct desk_customer *next;
	struct desk_caller caller;
	enum customer_kind kind;
	struct buf out; /* said after the COMMIT */
	bool is_over; /* gone after that */
	/* CUSTOMER_TAKES */
	struct desk_taker taker;
	struct strings sites, tags; /* owned: of taker */
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

struct desk_service {
	struct desk_service_options options;
	struct desk_customer *customers; /* owned */
	struct loop_timer *commit; /* owned */
	struct loop_timer *wait; /* owned */
	struct loop_timer *bite; /* owned: some lines of those that import */
	bool is_marked; /* commit runs */
	int64_t committed_ms;
	struct desk_counts counts;
};

/* service_mark(service): something is to be committed, and said, with what
 * comes soon after; service_mark_now: somebody waits for it, and says nothing
 * before it is answered. */
void service_mark(struct desk_service *);
void service_mark_now(struct desk_service *);

int64_t service_now_s(const struct desk_service *);
int64_t service_now_ms(const struct desk_service *);

/* service_finish(customer, status, code): the last line; code: what failed, or
 * DIAG_OK. */
void service_finish(struct desk_customer *, int status, enum diag_code);

/* service_greet(customer, request): say which of its sites and tags are not
 * known, and that not its budget holds.  service_take(customer, object): it
 * asks for pages. service_wait(service): the timer: pages for those that wait.
 */
void service_greet(struct desk_customer *, const struct ndjson *request);
void service_take(struct desk_customer *, const struct ndjson *);
void service_wait(void *service);

/* service_result(customer, text): a line that may be a result. */
void service_result(struct desk_customer *, struct slice text);

/* service_give_back(customer, object): leases that it did not pass on.
 * service_release, service_hold: the commands. */
void service_give_back(struct desk_customer *, const struct ndjson *);
void service_release(struct desk_customer *, const struct ndjson *);
void service_hold(struct desk_customer *, const struct ndjson *);

#endif
