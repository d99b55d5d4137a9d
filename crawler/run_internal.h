/* The driver's own structures; included by run*.c only. */
#ifndef FRESHET_RUN_INTERNAL_H
#define FRESHET_RUN_INTERNAL_H

#include "base/names.h"
#include "base/robots.h"
#include "crawler/idmap.h"
#include "crawler/run_parts.h"
#include "sched/frontier.h"
#include "store/ledger.h"

#define MAX_HOPS 10 /* SPEC R-73 */
#define MAX_ROBOTS_HOPS 5 /* SPEC R-100 */
#define MAX_INDEX_DEPTH 4 /* SPEC R-41 */
#define MAX_PARK_MS 60000 /* longer than that nobody waits in a crawl */
#define COMMIT_MS 20 /* DESIGN 7 */
#define FULL_GET_S (30 * 86400) /* HOSTILE T35 */
#define ROBOTS_WAIT_MS 30000 /* for the first of those of all targets, */
#define ROBOTS_QUIET_MS 100 /* and for the next one */
#define NONE UINT32_MAX

/* One crawl of one site. */
struct site {
	int64_t id;
	uint32_t name; /* of site_names */
	uint32_t party; /* that asked for it */
	int64_t begun_s; /* of the crawl, see store/site.h */
	const struct site_rules *rules;
	uint32_t children;
	uint64_t claimed, claims; /* URLs; readings with URLs */
	uint32_t at_readers; /* its documents that wait for one, or have it */
	bool is_closed; /* its limit is reached */
	uint32_t open; /* visits that are not done, robots.txt included */
	bool is_resumed;
	uint64_t listed_at; /* run.proofs when it was asked for: */
	struct string_set listed; /* what store_self_listed says */
};

enum origin_state { ORIGIN_NEW, ORIGIN_ASKED, ORIGIN_KNOWN };

struct origin {
	const char *text; /* of origin_names: "https://host:port" */
	uint32_t host; /* in the frontier */
	uint32_t site; /* whose robots.txt readings it gets */
	uint32_t party; /* for which it was asked last */
	uint32_t seed_site; /* to be sown: its Sitemap lines are seeds of it */
	uint32_t named_by; /* names, see site.name: the site whose target it
			      is, and whose headers may go there */
	uint8_t state;
	enum diag_code closed_by; /* SPEC R-102: why all is; or DIAG_OK */
	int64_t fresh_until_s; /* its robots.txt (SPEC R-104) */
	bool may_be_http; /* a bare host: try http when https fails */
	unsigned probes; /* default locations tried */
	uint32_t *gates; /* owned: parties whose documents wait for it */
	size_t gate_count, gate_cap;
	struct robots *robots; /* owned; NULL: all allowed */
	uint32_t *waiting; /* owned: visits */
	size_t waiting_count, waiting_cap;
};

/* Beside the frontier's host of the same number. */
struct peer {
	const struct site_rules *rules;
	unsigned failures, throttles; /* in a row: of the network; 429, 503 */
	uint32_t crawl_delay_ms; /* of its robots.txt, 0: none */
	int64_t parked_until_ms; /* asked to be left alone for long */
	int64_t asked_ms, ended_ms; /* the last request; 0: never */
	struct ledger_note noted; /* not in the store yet; no requests: none */
	bool is_local, is_file; /* a file: nobody is asked, see local.h */
};

struct run {
	struct run_options options;
	struct frontier *frontier; /* owned */
	struct gate *gate; /* owned */
	struct begins *begins; /* owned */
	enum diag_code fatal; /* DIAG_OK, or why the run cannot go on */
	int error; /* errno behind `fatal`, 0: none */
	struct visit *visits; /* owned */
	size_t visit_count, visit_cap;
	struct party *parties; /* owned */
	size_t party_count, party_cap;
	struct names site_names, origin_names; /* numbered as the origins are */
	uint32_t *latest; /* owned, by number of the name: a site */
	size_t latest_count, latest_cap;
	struct site *sites; /* owned */
	size_t site_count, site_cap;
	struct origin *origins; /* owned */
	size_t origin_count, origin_cap;
	struct peer *peers; /* owned, by frontier host */
	size_t peer_count, peer_cap;
	bool has_closed; /* a party or a site, since its visits were drained */
	uint64_t proofs; /* moves when they may have changed; not 0 */
	struct idmap by_document; /* document id -> visit */
	struct loop_timer *pump, *commit, *patience; /* see run_new */
	uint32_t *steps; /* owned: visits that are ACCEPTING, in turn */
	size_t step_first, step_count, step_cap;
	uint32_t *noted; /* owned: hosts with something noted */
	size_t noted_count, noted_cap;
	unsigned short_of; /* descriptors, so often in vain */
	int64_t base_s; /* the latest time that the clock said, */
	int64_t base_ms; /* and when that was; see run_now_s */
	int64_t behind_s; /* that the clock was set back by, 0: it was not */
	bool is_stopping, is_committing; /* the 20 ms timer runs */
	bool is_full; /* the store: nothing more is asked for */
};

/* run_time.c: run_now_s(run): what is stored as the time of anything: that of
 * the clock, unless it was later before: then it goes on from there (T21). */
void run_time_begin(struct run *);
int64_t run_now_s(struct run *);

/* run.c */
void run_kick(struct run *); /* look for work in the next round */
void run_commit_now(struct run *); /* in the next round */
enum diag_code run_flush(struct run *); /* store_flush, at once */
void run_fail_spool(struct run *); /* with errno: no room for a body */
void run_fail(struct run *, enum diag_code); /* the run cannot go on */

#endif
