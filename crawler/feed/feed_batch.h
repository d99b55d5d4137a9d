/* One batch of the feed: what a consumer must know since its cursor (SPEC
 * section 17).  A page comes once, the order of pages does not matter, and a
 * consumer that applies all batches has the present state. */
#ifndef FRESHET_FEED_BATCH_H
#define FRESHET_FEED_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/purposes.h"
#include "base/slice.h"
#include "base/w3cdate.h"

struct feed_consumer;
struct store;

struct feed_options {
	/* Nobody may write to it before the batch is freed: store_snapshot() */
	struct store *store;
	const struct feed_consumer *consumer; /* borrowed */
	uint32_t limit; /* pages */
	/* a consumer that begins anew is told nothing of what is there now */
	bool begins_now;
};

struct feed_batch;

/* feed_batch_new(options, *batch, *reset): false if the cursor of the consumer
 * is none, or is ahead of the store: then the store is an older copy.  *reset
 * is NULL, or why the consumer begins anew, with all pages: "new" or
 * "history-pruned". */
bool feed_batch_new(
    const struct feed_options *, struct feed_batch **, const char **reset);
void feed_batch_free(struct feed_batch *);

/* A page; all of it is borrowed. */
struct feed_page {
	bool is_delete;
	struct slice url;
	int64_t site_id;
	/* Of an upsert: snapshot, new, accepted, allowed, fit, content,
	 * returned, lastmod.  Of a delete: gone, unknown, refused,
	 * disallowed, not-found, moved, noindex, site-left. */
	const char *why;
	struct date lastmod; /* the newest; DATE_NONE: none, or a delete */
	/* every sitemap that lists it is refused by the directory rule */
	bool is_outside;
	double believed; /* that the page is new or changed: 0 to 1 */
	struct purposes purposes; /* of an upsert: what robots.txt says */
};

/* feed_batch_run(batch, fn, arg, cursor, has_more): call fn for each page;
 * false from fn stops.  Returns false if it stopped, or the store has failed;
 * otherwise the cursor behind the batch is appended, and *has_more says whether
 * there is more behind it already. */
typedef bool feed_page_fn(void *arg, const struct feed_page *);
bool feed_batch_run(struct feed_batch *, feed_page_fn *, void *arg,
    struct buf *cursor, bool *has_more);

/* feed_ack(store, consumer, text, now_s): in the open transaction of a store,
 * set the cursor of the consumer and its members.  False if the text is no
 * cursor of this consumer, or is ahead of the store. */
bool feed_ack(struct store *, const struct feed_consumer *, struct slice text,
    int64_t now_s);

#endif
