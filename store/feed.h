/*
 * The feed's tables: the consumers of the feed with their cursors (SPEC section
 * 17), and the steps that change what a consumer must know.
 */
#ifndef FRESHET_STORE_FEED_H
#define FRESHET_STORE_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/strings.h"
#include "store/document.h"

struct store;

#define FEED_SITE "site,"

struct feed_consumer {
	int64_t id;
	/* Random: a cursor of a consumer that was forgotten does not fit one of
	 * the same name. */
	int64_t serial;
	char *name; /* owned */
	/* Owned; separated by spaces; empty: all sites.  FEED_SITE and a host:
	 * that site alone; no tag has a comma. */
	char *tags;
	/* Owned; the cursor that was acknowledged last; empty: none was. */
	char *cursor;
	int64_t made_s, acked_s; /* acked_s 0: never */
};

void feed_consumer_release(struct feed_consumer *);

/* store_feed_get(store, name, consumer): the caller releases it; false if there
 * is no such consumer.
 * store_each_feed(store, fn, arg): all of them, in the order of names;
 * borrowed. */
bool store_feed_get(struct store *, struct slice name, struct feed_consumer *);
typedef void store_feed_fn(void *arg, const struct feed_consumer *);
void store_each_feed(struct store *, store_feed_fn *, void *arg);

/* A consumer's members are the sites whose pages it was told: store_each_id()
 * with IDS_OF_FEED. */

/*
 * Changes of consumers; durable with the next store_flush.
 *
 * store_feed_make(store, name, tags, now_s): add a consumer.
 * store_feed_forget(store, feed_id): remove it.
 * store_feed_ack(store, feed_id, cursor, now_s): set its cursor.
 * store_feed_member(store, feed_id, site_id, is_member): let a site be one of
 * its members, or not, if there is such a site; 0 and false: none is a member.
 */
void store_feed_make(
    struct store *, struct slice name, struct slice tags, int64_t now_s);
void store_feed_forget(struct store *, int64_t feed_id);
void store_feed_ack(
    struct store *, int64_t feed_id, struct slice cursor, int64_t now_s);
void store_feed_member(
    struct store *, int64_t feed_id, int64_t site_id, bool is_member);

/* The latest steps of each sequence; 0: there is none.  What was removed from
 * the history has ids up to `pruned`, but not all of these. */
struct feed_ends {
	int64_t reading_id, outcome_id, robots_id, unknown_id;
	int64_t pruned_reading_id, pruned_outcome_id, pruned_robots_id;
	int64_t pruned_unknown_id;
};
void store_feed_ends(struct store *, struct feed_ends *);

/* The sequences of steps. */
enum feed_sequence {
	FEED_READINGS, /* that may have changed what their document lists */
	/* Outcomes of fetches after which a page has another text, or is fit
	 * for an index again, or is not any more. */
	FEED_OUTCOMES,
	FEED_ROBOTS, /* texts of robots.txt that another one replaced */
	/* Pages that left a window, and of which nothing was known for too
	 * long. */
	FEED_UNKNOWN
};

struct feed_step {
	int64_t id;
	int64_t site_id; /* but for FEED_ROBOTS */
	int64_t at_s; /* but for FEED_UNKNOWN */
	struct slice url; /* borrowed: of the page, or the origin */
	/* Of FEED_READINGS: */
	int64_t document_id;
	bool has_delta;
	uint64_t redated, dated;
	unsigned pages; /* bits: see entry.h */
	/* Of FEED_OUTCOMES: what is another now, the text or the fitness. */
	bool is_changed, has_turned;
	/* Of FEED_ROBOTS: */
	int64_t origin_id;
	struct slice body; /* borrowed */
};

/* store_each_feed_step(store, sequence, after_id, fn, arg): in the order of
 * ids, from the first step with a greater id on; for readings, from one with
 * that id on.  fn may use the store; false from fn stops. */
typedef bool store_feed_step_fn(void *arg, const struct feed_step *);
void store_each_feed_step(struct store *, enum feed_sequence, int64_t after_id,
    store_feed_step_fn *, void *arg);

/* Why a page is unfit for an index, as its last fetch that did not fail tells:
 * store_number() with STORE_UNFIT. */
enum page_unfit {
	PAGE_FIT,
	PAGE_NOT_FOUND,
	PAGE_NOINDEX,
	PAGE_ELSEWHERE /* it moved for good, to another page */
};

#endif
