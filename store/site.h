/* Sites: their rows, the crawls of a site, and its totals. */
#ifndef FRESHET_SITE_H
#define FRESHET_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "store/link.h"
#include "store/segment/entry.h"
#include "store/store.h"

/* store_site_find(store, host): the id of a site, 0: there is no such site. */
int64_t store_site_find(struct store *, struct slice host);

/* An interrupted crawl older than this is not resumed but started anew. */
#define CRAWL_RESUME_S 86400

/*
 * store_crawl_begin(store, site_id, now_s, is_resumed):
 * Start a crawl of the site, or resume an interrupted one (*is_resumed).
 * Returns when it was started: what was read since then need not be requested
 * again.  A crawl may be resumed in the second in which it was started.
 *
 * store_crawl_end(store, site_id): the crawl is complete.  Both become durable
 * with the next commit.
 */
int64_t store_crawl_begin(
    struct store *, int64_t site_id, int64_t now_s, bool *is_resumed);
void store_crawl_end(struct store *, int64_t site_id);

/* store_first_read(store, site_id): Note that the site was read as a whole.
 * Returns true the first time.  The documents that are known by then are the
 * site's baseline: what they list is not new. */
bool store_first_read(struct store *, int64_t site_id);

/* The totals of a site's documents.  Documents that nothing leads to, and
 * robots.txt, are not among them. */
struct site_totals {
	uint64_t documents;
	uint64_t indexes; /* of these */
	/* of these: the latest attempt failed; and of the failing ones: */
	uint64_t failing, failing_indexes;
	int64_t failing_since_s; /* the first of them; 0: not known, or none */
	uint64_t refused; /* entries that the documents list and rules refuse */
	enum verdict refused_by; /* most of these; VERDICT_ACCEPTED: none */
	int64_t last_read_s; /* 0: never */
	uint64_t failing_robots; /* robots.txt that cannot be read */
	uint64_t waiting; /* documents that owe a second reading */
	uint64_t waiting_urls; /* URLs that depend on these readings */
	/* The oldest last complete reading of a document or robots.txt that
	 * cannot be read now; 0: all can be read. */
	int64_t stale_since_s;
};

void store_site_totals(struct store *, int64_t site_id, struct site_totals *);

/* store_each_site_pages(store, fn, arg): each site that has pages, in order of
 * ids, and their number.  The cost grows with the number of pages. */
typedef void store_site_pages_fn(void *arg, int64_t site_id, uint64_t pages);
void store_each_site_pages(struct store *, store_site_pages_fn *, void *arg);

struct site_numbers {
	uint64_t listed; /* different URLs */
	/* how many of these the location rules refuse in every document that
	 * lists them */
	uint64_t refused;
};

/* What a crawl of some sites adds up. */
struct site_sum {
	struct site_numbers numbers; /* as the latest tally stored them */
	uint64_t waiting, waiting_urls; /* see struct site_totals */
	/* Of each kind, the changes of the site.  A page with a new date counts
	 * once for each document that lists the page; dates of an index's
	 * children do not count. */
	uint64_t changes[DELTA_KINDS];
};

/* store_site_sum(store, site_id, after_id, sum): add those of a site; changes
 * are those by readings with greater ids than after_id. */
void store_site_sum(
    struct store *, int64_t site_id, int64_t after_id, struct site_sum *);

/*
 * What the documents of a site make the store keep: their segments, and the
 * changes of each reading.  A site that lists other long URLs at each reading
 * would fill the store otherwise, and nothing of any site would be read any
 * more (HOSTILE T18).
 *
 * A day ends at midnight UTC.  What the first reading of a document brings
 * counts in the total alone.
 */

struct content;
struct store;

struct kept_bytes {
	uint64_t total; /* bytes */
	uint64_t today;
};

/*
 * store_kept(store, site_id, document_id, content, now_s): what the documents
 * of the site made the store keep, if the content of a reading of the document
 * is stored, too; NULL: no content is.
 *
 * store_keep(store, site_id, document_id, reading_id, content): the content of
 * the reading will be stored now: count it.
 *
 * store_kept_fill(store, site_id, now_s, bytes): from now on today's bytes are
 * at least so many; durable with the next store_flush.
 */
struct kept_bytes store_kept(struct store *, int64_t site_id,
    int64_t document_id, const struct content *, int64_t now_s);
void store_keep(struct store *, int64_t site_id, int64_t document_id,
    int64_t reading_id, const struct content *);
void store_kept_fill(
    struct store *, int64_t site_id, int64_t now_s, uint64_t bytes);

#endif
