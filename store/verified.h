/* What pages of an event answered when they were asked: up to some pages of
 * each event that is verified. */
#ifndef FRESHET_VERIFIED_H
#define FRESHET_VERIFIED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct store;

/* All of it is borrowed. */
struct verified {
	int64_t site_id;
	struct slice event; /* its name: a text of the caller's */
	unsigned number; /* of the page, from 0 */
	struct slice url; /* normalised */
	int64_t at_s; /* of the answer; 0: it is still to be asked */
	int status; /* 0: there is no answer */
	struct slice location; /* where the page redirects to; empty: nowhere */
	/* why there is no answer, or "noindex"; empty: nothing is to be said */
	struct slice why;
};

/*
 * store_verified_put(store, verified): write a page of an event, in place of
 * what was there.  Durable with the next store_flush.
 * store_each_verified(store, site_id, event, fn, arg): the pages of an event,
 * in the order of numbers.
 * store_each_unverified(store, fn, arg): all pages that are still to be asked.
 * All of it is borrowed; fn may use the store.
 */
void store_verified_put(struct store *, const struct verified *);
typedef void store_verified_fn(void *arg, const struct verified *);
void store_each_verified(struct store *, int64_t site_id, struct slice event,
    store_verified_fn *, void *arg);
void store_each_unverified(struct store *, store_verified_fn *, void *arg);

#endif
