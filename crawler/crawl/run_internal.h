/* The driver's own structures; included by run*.c only, and a test. */
#ifndef FRESHET_RUN_INTERNAL_H
#define FRESHET_RUN_INTERNAL_H

#include "base/fifo.h"
#include "base/idmap.h"
#include "base/names.h"
#include "base/robots.h"
#include "crawler/crawl/run_crawls.h"
#include "crawler/crawl/run_hosts.h"
#include "crawler/crawl/run_parts.h"
#include "crawler/crawl/run_site.h"
#include "sched/host_queue.h"
#include "store/request_log.h"

#define MAX_HOPS 10 /* SPEC R-73 */
#define MAX_ROBOTS_HOPS 5 /* SPEC R-100 */
#define MAX_INDEX_DEPTH 4 /* SPEC R-41 */
#define MAX_PARK_MS 60000 /* longer than that nobody waits in a crawl */
#define COMMIT_MS 20 /* DESIGN 7 */
#define FULL_GET_S (30 * 86400) /* HOSTILE T35 */
#define ROBOTS_WAIT_MS 30000 /* for the first of those of all targets, */
#define ROBOTS_QUIET_MS 100 /* and for the next one */
#define NONE UINT32_MAX

struct run {
	struct run_options options;
	struct host_queue *host_queue; /* owned */
	struct dns_queue *dns_queue; /* owned */
	struct owners *owners; /* owned */
	struct sitemap_lines *lines; /* owned */
	struct run_tally *tally; /* owned */
	enum diag_code fatal; /* DIAG_OK, or why the run cannot go on */
	int error; /* errno behind `fatal`, 0: none */
	struct task *tasks; /* owned */
	size_t task_count, task_cap;
	struct crawl *crawls; /* owned */
	size_t crawl_count, crawl_cap;
	uint64_t serials; /* of crawls */
	uint64_t commits; /* so far */
	struct names origin_names; /* numbered as the origins are */
	struct site *sites; /* owned */
	size_t site_count, site_cap;
	struct place *places; /* owned: sites that are at work */
	size_t place_count, place_cap;
	struct idmap by_site; /* site id -> place */
	uint32_t free_task, free_site, free_place; /* NONE: none, see
							run_reuse.h */
	struct origin *origins; /* owned */
	size_t origin_count, origin_cap;
	uint32_t *unsown; /* owned: all origins with a seed_site, and some */
	size_t unsown_count, unsown_cap; /* that had one */
	size_t rules_bytes; /* of all their robots */
	uint64_t rules_stamps; /* so far */
	size_t origins_used, origins_kept; /* now; when it was last looked
					      whether they are in use */
	struct host_state *host_states; /* owned, by frontier host */
	size_t host_state_count, host_state_cap;
	bool has_closed; /* a crawl or a site, since its visits were drained */
	bool has_given; /* documents that could perhaps begin now */
	uint64_t proofs; /* moves when they may have changed; not 0 */
	struct idmap by_document; /* document id -> visit */
	struct loop_timer *pump, *commit, *patience; /* see run_new */
	struct fifo beginning; /* visits, see run_begin.h */
	struct fifo accepting, leading; /* visits in these states, in turn */
	struct fifo suspects; /* visits with is_suspect */
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
