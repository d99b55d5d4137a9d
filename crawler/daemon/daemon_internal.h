/* The daemon's own structures; included by daemon*.c only. */
#ifndef FRESHET_DAEMON_INTERNAL_H
#define FRESHET_DAEMON_INTERNAL_H

#include "base/idmap.h"
#include "crawler/daemon/daemon.h"
#include "crawler/frontier/site_crawl.h"
#include "sched/heap.h"

struct watch;

/* A document that the driver was asked to read. */
struct asked {
	int64_t document_id;
	const char *why; /* static */
};

/* A whole crawl that is over, to be told when that is committed. */
struct crawled {
	struct crawled *next;
	uint32_t site;
	int64_t next_s;
	struct run_totals totals;
};

/* A crawl of the driver, for one site. */
struct job {
	struct daemon *daemon;
	struct job *next, *before;
	uint32_t site; /* its place in daemon.sites */
	uint32_t crawl;
	bool is_whole; /* from its targets */
	struct asked *asked; /* owned */
	size_t count, cap;
};

/*
 *	NEW -> crawled whole -> FOUND
 *	        |        ^
 *	        +-> LOST + (later)
 */
struct daemon_site {
	int64_t id;
	int64_t whole_s; /* it is crawled whole then; NEVER_S: FOUND */
	int64_t looked_s; /* FOUND: whether anything of it is read still */
	int64_t most_s; /* LOST: it is tried again as often; 0: as we like */
	struct job *job; /* owned; NULL: none under way */
	int64_t lost_s; /* LOST: since then; 0: not known */
	uint8_t tries; /* LOST: so often in a row */
	bool is_watched;
};

struct daemon {
	struct daemon_options options;
	struct daemon_counts counts;
	struct loop_timer *turn, *commit; /* owned */
	struct daemon_site *sites; /* owned */
	uint32_t *positions; /* owned, by site: in the heap, see sched/heap.h */
	size_t site_count, site_cap, position_cap;
	struct idmap by_site; /* id -> place in sites */
	struct heap whole; /* sites to be crawled whole: the first one first */
	struct job *jobs; /* owned */
	struct crawled *crawled; /* owned: the last one first */
	unsigned job_count, whole_count; /* of these: is_whole */
	unsigned asked; /* documents of all of them */
	struct idmap seen; /* is_once: documents that were asked for */
	int64_t base_s; /* of the heap's values */
	int64_t last_s, last_ms; /* what the clocks said last */
	int64_t forget_ms; /* when some are forgotten next */
	int64_t rest_ms; /* when the store's log may be cut again */
	int64_t forgot_id; /* how far that came, see store_prune_some */
	bool has_seen_all; /* is_once: all that was due was asked for */
	bool is_stopped;
};

#define NEVER_S SITE_CRAWL_NEVER
#define NO_SITE UINT32_MAX

/* daemon.c */
void daemon_tell(struct daemon *, struct daemon_event *, uint32_t site);

/* daemon_job.c */

/* job_whole(daemon, site): crawl it from its targets. */
void job_whole(struct daemon *, uint32_t site);

/* job_document(daemon, site, document): read that one. */
void job_document(
    struct daemon *, uint32_t site, const struct frontier_document *);

/* job_tell(daemon): what was crawled, now that it is committed. */
void job_tell(struct daemon *);

/* job_drop(job): nobody wants it any more; documents go back. */
void job_drop(struct job *);

#endif
