/* What pages said: their titles and descriptions, and what those of an event
 * answered when they were asked whether they are there. */
#ifndef FRESHET_PAGE_SAYS_H
#define FRESHET_PAGE_SAYS_H

#include <stdint.h>

#include "base/slice.h"

struct store;

/* Foreign texts, of which vis_put() made harmless what controls or reorders. */
struct page_says {
	int64_t asked_s;
	struct slice title, description; /* empty: it says none */
};

/*
 * store_page_says_put(store, page_id, at_s, title, description):
 * Write what a page says, in place of what it said, also if that is nothing;
 * long texts are cut.  Nothing is written if it says the same as before.
 * Durable with the next store_flush.
 *
 * store_page_says(store, url): what the page of a normalised URL says, valid
 * until the next call; asked_s: since when it says that, 0: it was never read.
 */
void store_page_says_put(struct store *, int64_t page_id, int64_t at_s,
    struct slice title, struct slice description);
struct page_says store_page_says(struct store *, struct slice url);

/* A page of an event.  All of it is borrowed. */
struct verified {
	int64_t site_id;
	/* its name: a letter, a space, the number of the reading that it began
	 * with, and a text of the caller's; it is pruned with that reading */
	struct slice event;
	unsigned number; /* of the page, from 0 */
	struct slice url; /* normalised */
	int64_t at_s; /* of the answer; 0: it is still to be asked */
	int status; /* 0: there is no answer */
	struct slice location; /* where the page redirects to; empty: nowhere */
	struct slice why; /* a word of the caller's; empty: none */
};

/*
 * store_verified_put(store, verified): write a page of an event, in place of
 * what was there.  Durable with the next store_flush.
 * store_each_verified(store, site_id, event, fn, arg): the pages of an event,
 * in the order of numbers; with site_id 0, of all events those that are still
 * to be asked.  fn may use the store.
 */
void store_verified_put(struct store *, const struct verified *);
typedef void store_verified_fn(void *arg, const struct verified *);
void store_each_verified(struct store *, int64_t site_id, struct slice event,
    store_verified_fn *, void *arg);

#endif
