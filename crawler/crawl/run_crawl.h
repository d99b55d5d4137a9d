/*
 * The driver's table of crawls: the options, the callbacks and the counts of
 * each crawl.
 *
 * A crawl is named by its number; a pointer to a crawl is valid until the next
 * one is added.
 */
#ifndef FRESHET_RUN_CRAWL_H
#define FRESHET_RUN_CRAWL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/target.h"
#include "crawler/crawl/crawl_options.h"
#include "crawler/crawl/totals.h"

struct crawled_site;
struct crawls;
struct reading;
struct run_clock;
struct task;

#define ROBOTS_WAIT_MS 30000 /* longest wait of a crawl for all robots.txt */

struct crawl_target {
	struct target target;
	uint32_t site; /* NONE: the target waits because its site is busy */
};

/*
 *	NEW -> ROBOTS (robots.txt of the targets) -> DOCUMENTS
 *	    -> OVER (the first crawl), or FREE (the entry can be used again)
 */
enum crawl_state {
	CRAWL_NEW,
	CRAWL_ROBOTS,
	CRAWL_DOCUMENTS,
	CRAWL_OVER,
	CRAWL_FREE
};

/* One request for targets or documents, and how far it has come. */
struct crawl {
	struct crawl_options options;
	struct run_totals totals;
	struct crawl_target *targets; /* owned */
	size_t target_count, target_cap;
	size_t waiting; /* targets whose sites are busy */
	int64_t *given; /* owned: ids of documents that have not begun */
	size_t given_count, given_cap;
	uint64_t serial; /* larger than the serials of earlier crawls */
	size_t robots_open; /* robots.txt of targets that are not known yet */
	size_t open; /* tasks that are not done */
	size_t pending; /* jobs that may add further tasks */
	uint64_t claimed; /* URLs of readings, committed or not */
	uint64_t claims; /* readings with URLs */
	int64_t robots_until_ms; /* end of the wait for robots.txt */
	int64_t robots_end_ms; /* the latest such end */
	uint32_t *late; /* owned: origins whose robots.txt came later */
	size_t late_count, late_cap;
	int64_t before_id; /* the last reading when the crawl began */
	/* the crawl ends when run.commits reaches this value; 0: it goes on */
	uint64_t ended;
	uint64_t sealed; /* the same for the commit that records the end */
	uint8_t state; /* enum crawl_state */
	bool is_closed; /* no further requests are sent */
	bool is_dropped; /* nobody waits for the result */
	/* it was reported that the clock was set back */
	bool is_clock_reported;
	bool is_sampled; /* the pages were chosen */
};

struct crawls *crawls_new(void);
void crawls_free(struct crawls *);

/* crawls_count(crawls): the numbers of crawls are below this count; some of
 * them are free. */
uint32_t crawls_count(const struct crawls *);
struct crawl *crawls_at(const struct crawls *, uint32_t number);

/* crawls_add(crawls, options, before_id): the number of a new crawl; before_id
 * is the last reading in the store. */
uint32_t crawls_add(
    struct crawls *, const struct crawl_options *, int64_t before_id);

/* crawls_site_is_busy(crawls, site): is that crawl of the site under way? */
bool crawls_site_is_busy(const struct crawls *, const struct crawled_site *);

/* crawl_release(crawl): free all that the crawl owns; the totals stay. */
void crawl_release(struct crawl *);

/* crawl_give(crawl, document_id): add a document to read. */
void crawl_give(struct crawl *, int64_t document_id);

/*
 * These functions call the callbacks of the crawl's options, unless the crawl
 * was dropped.
 * crawl_report(crawl, task, reading, profile): a reading of the task, which was
 * read under that profile, is committed: count it, and call `document`.
 * crawl_problem() calls `problem`, crawl_returns() calls `returned`.
 * crawl_report_clock(crawl, clock): report once that the clock was set back, if
 * it was.
 */
void crawl_report(struct crawl *, struct task *, const struct reading *,
    const struct profile *);
void crawl_problem(
    struct crawl *, enum diag_code, struct slice url, struct slice text);
void crawl_returns(const struct crawl *, int64_t document_id);
void crawl_report_clock(struct crawl *, struct run_clock *);

/* crawl_robots_known(crawl, origin, is_closed, now_ms): the robots.txt that the
 * crawl waits for is known now. is_closed: robots.txt cannot be fetched, so
 * nothing else of the origin may be fetched. */
void crawl_robots_known(
    struct crawl *, uint32_t origin, bool is_closed, int64_t now_ms);

/* crawl_starts_anew(crawl): does the crawl ignore what earlier crawls have
 * read? */
bool crawl_starts_anew(const struct crawl *);

#endif
