/* The driver's own structures; included by run*.c only. */
#ifndef FRESHET_RUN_INTERNAL_H
#define FRESHET_RUN_INTERNAL_H

#include "base/robots.h"
#include "crawler/idmap.h"
#include "crawler/run_parts.h"
#include "crawler/target.h"
#include "sched/frontier.h"

#define MAX_HOPS 10 /* SPEC R-73 */
#define MAX_ROBOTS_HOPS 5 /* SPEC R-100 */
#define MAX_INDEX_DEPTH 4 /* SPEC R-41 */
#define MAX_CHILDREN 100000 /* of one site (HOSTILE T10) */
#define DEAD_AFTER 5 /* failures in a row (HOSTILE T11) */
#define MAX_PARK_MS 60000 /* longer than that nobody waits in a crawl */
#define COMMIT_MS 20 /* DESIGN 7 */
#define FULL_GET_S (30 * 86400) /* HOSTILE T35 */
#define NONE UINT32_MAX

struct site {
	int64_t id;
	char *name; /* owned */
	int64_t begun_s; /* of the crawl, see store/site.h */
	const struct site_rules *rules;
	uint32_t children;
	uint32_t open; /* visits that are not done */
	bool is_resumed;
	bool has_listed; /* of the current proofs: */
	struct string_set listed; /* what store_self_listed says */
};

enum origin_state { ORIGIN_NEW, ORIGIN_ASKED, ORIGIN_KNOWN };

struct origin {
	char *text; /* owned: "https://host:port" */
	uint32_t host; /* in the frontier */
	uint32_t site; /* whose robots.txt readings it gets */
	uint8_t state;
	bool is_closed; /* SPEC R-102: nothing may be fetched */
	bool has_seeds; /* its Sitemap lines are seeds of `site` */
	bool may_be_http; /* a bare host: try http when https fails */
	bool is_target; /* documents wait for its robots.txt */
	bool is_trusted; /* the operator's headers may go there */
	unsigned probes; /* default locations tried */
	struct robots *robots; /* owned; NULL: all allowed */
	uint32_t *waiting; /* owned: visits */
	size_t waiting_count, waiting_cap;
};

/* Beside the frontier's host of the same number. */
struct peer {
	const struct site_rules *rules;
	unsigned failures; /* network errors in a row */
	unsigned throttles; /* 429 and 503 in a row */
	uint32_t crawl_delay_ms; /* of its robots.txt, 0: none */
	int64_t parked_until_ms; /* asked to be left alone for long */
	bool is_local;
};

struct run {
	struct run_options options;
	struct frontier *frontier;
	struct run_totals totals;
	struct visit *visits; /* owned */
	size_t visit_count, visit_cap;
	struct site *sites; /* owned */
	size_t site_count, site_cap;
	struct origin *origins; /* owned */
	size_t origin_count, origin_cap;
	struct peer *peers; /* owned, by frontier host */
	size_t peer_count, peer_cap;
	struct target *targets; /* owned; released by run_start */
	size_t target_count, target_cap;
	struct idmap by_document; /* document id -> visit */
	struct loop_timer *pump;
	struct loop_timer *commit;
	uint32_t *steps; /* owned: visits that are ACCEPTING */
	size_t step_count, step_cap;
	size_t robots_open; /* targets' robots.txt not known yet */
	uint64_t claimed; /* URLs of readings, committed or not */
	size_t open; /* visits that are not done */
	bool has_started_documents;
	bool is_stopping;
	bool is_committing; /* the 20 ms timer runs */
};

/* run.c */
void run_kick(struct run *); /* look for work in the next round */
void run_commit_now(struct run *); /* in the next round */
void run_fail_spool(struct run *); /* with errno: no room for a body */
void run_fail(struct run *, enum diag_code); /* the run cannot go on */
void run_problem(
    struct run *, enum diag_code, struct slice url, struct slice text);
void run_count(struct run *, const struct reading *, bool is_robots);

#endif
