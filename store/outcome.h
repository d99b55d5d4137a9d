/* Outcomes: what fetches of pages brought, one after the other. */
#ifndef FRESHET_OUTCOME_H
#define FRESHET_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct store;
struct page_row;

enum page_outcome {
	PAGE_CHANGED, /* another text than before */
	PAGE_SAME, /* the same text */
	PAGE_NOT_MODIFIED, /* 304 */
	PAGE_FETCHED, /* fetched; not known whether its text is another */
	PAGE_MOVED, /* 301, 308 */
	PAGE_GONE, /* 404, 410 */
	PAGE_FAILED, /* nothing was learned of it */
	PAGE_OUTCOMES
};

/* page_outcome_name(outcome): "changed", "same", "not-modified", "fetched",
 * "moved", "gone", "failed". */
const char *page_outcome_name(enum page_outcome);

/* page_outcome_of_status(status): what an HTTP status alone says; 2xx is
 * FETCHED. */
enum page_outcome page_outcome_of_status(int status);

/*
 * page_text_hash(text, key): of what a fetcher says of a page's text, in place
 * of it.  hash_key of it, but for the last bits: these say which digest it
 * looks like, by its length.
 *
 * page_outcome_of_text(before, hash): CHANGED or SAME; FETCHED, where no text
 * is known of before, or another digest of it.
 */
uint64_t page_text_hash(struct slice text, uint64_t key);
enum page_outcome page_outcome_of_text(
    const struct page_row *before, uint64_t hash);

struct outcome_row {
	int64_t id; /* not written: they are numbered in order */
	int64_t page_id;
	uint32_t number; /* of the lease that it answers; 0: of none */
	int64_t at_s;
	int64_t now_s; /* not kept: what is known from later than that was
			  told by a wrong clock; 0: nothing was */
	enum page_outcome kind;
	int status; /* 0: none came */
	bool has_hash;
	uint64_t hash; /* of the content */
	struct slice etag, last_modified; /* empty: none; kept of the latest
					     only, and not read back here */
	struct slice location; /* where it moved; empty: nowhere */
	uint64_t bytes;
	uint32_t ms;
};

/*
 * store_outcome(store, row): append it, and let the page's state follow: the
 * lease of that number is answered, and unless it failed, the page was looked
 * at then.  Status, hash and validators are those of the latest at_s; a hash
 * stays until another comes, validators stay over 304 and failures.  In the
 * open transaction.
 */
void store_outcome(struct store *, const struct outcome_row *);

/* store_each_outcome(store, after_id, fn, arg): those with greater ids, in
 * order; the row is borrowed.  False from fn stops.  fn may use the store. */
typedef bool store_outcome_fn(void *arg, const struct outcome_row *);
void store_each_outcome(
    struct store *, int64_t after_id, store_outcome_fn *, void *arg);

/* store_each_outcome_of(store, page_id, fn, arg): the same of one page, the
 * latest one first.  All are looked at: there is no index, for they are written
 * much more often. */
void store_each_outcome_of(
    struct store *, int64_t page_id, store_outcome_fn *, void *arg);

#endif
