/* Outcomes: the results of fetches of pages, in order. */
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
	PAGE_FETCHED, /* fetched; whether the text changed is not known */
	PAGE_MOVED, /* 301, 308 */
	PAGE_GONE, /* 404, 410 */
	PAGE_FAILED, /* the fetch says nothing about the page */
	PAGE_OUTCOMES
};

/* page_outcome_name(outcome): "changed", "same", "not-modified", "fetched",
 * "moved", "gone", "failed". */
const char *page_outcome_name(enum page_outcome);

/*
 * page_text_hash(text, key):
 * The hash to store for a page's text, or for a digest that a fetcher sends in
 * place of the text: hash_key, but its last bits tell which digest the text
 * looks like, by its length.
 *
 * page_outcome_of(before, status, hash): the outcome that follows from an HTTP
 * status and, if that is 2xx, from the hash of the text: CHANGED or SAME;
 * FETCHED if the hash is NULL, if no earlier one is known, or if that is of
 * another digest.
 */
uint64_t page_text_hash(struct slice text, uint64_t key);
enum page_outcome page_outcome_of(
    const struct page_row *before, int status, const uint64_t *hash);

struct outcome_row {
	int64_t id; /* set when read: outcomes are numbered in order */
	int64_t page_id;
	uint32_t number; /* of the lease that it answers; 0: of none */
	int64_t at_s;
	/* not stored: known times after it come from a wrong clock and do not
	 * count; 0: all times count */
	int64_t now_s;
	enum page_outcome kind;
	int status; /* 0: none came */
	bool has_hash;
	uint64_t hash; /* of the content */
	/* stored for the page only, and not read back here; empty: none */
	struct slice etag, last_modified;
	bool is_noindex; /* it asks search engines not to index it; likewise */
	/* what the scheduler learned of the page, likewise; empty: as before */
	struct slice learned;
	struct slice location; /* where it moved; empty: nowhere */
	uint64_t bytes;
	uint32_t ms;
};

/* store_outcome(store, before, row): Append an outcome and update the state of
 * its page: the lease is answered, and the page was fetched, unless the outcome
 * is FAILED.  Status, hash and validators are those of the outcome with the
 * latest at_s; a hash stays until another comes, validators stay over FAILED,
 * and over a 304 that names no others.  before is the page as store_page_get
 * read it, or NULL, and it is read here.  Durable with the next store_flush. */
void store_outcome(
    struct store *, const struct page_row *before, const struct outcome_row *);

/* store_each_outcome(store, page_id, after_id, fn, arg): The outcomes of a
 * page, the latest first; if page_id is 0, those of all pages with ids greater
 * than after_id, in order.  The row is borrowed.  fn may use the store; false
 * from fn stops.  The outcomes of a page are found by a scan of all outcomes:
 * an index would slow down writing them, which is much more frequent. */
typedef bool store_outcome_fn(void *arg, const struct outcome_row *);
void store_each_outcome(struct store *, int64_t page_id, int64_t after_id,
    store_outcome_fn *, void *arg);

#endif
