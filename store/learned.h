/* What the scheduler learned beyond pages, and hosts that are left alone. */
#ifndef FRESHET_LEARNED_H
#define FRESHET_LEARNED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

struct store;

/*
 * store_learned(store, kind, id, data): keep these bytes under that kind, a
 * word of the caller's, and number, in place of what was there; empty ones
 * are forgotten.  In the open transaction.
 * store_learned_get: appended to data; false: there is nothing.
 */
void store_learned(
    struct store *, const char *kind, int64_t id, struct slice data);
bool store_learned_get(
    struct store *, const char *kind, int64_t id, struct buf *data);

/* store_each_learned(store, kind, fn, arg): in order of numbers; borrowed.
 * fn may use the store. */
typedef void store_learned_fn(void *arg, int64_t id, struct slice data);
void store_each_learned(
    struct store *, const char *kind, store_learned_fn *, void *arg);

/* Until when a host is left alone; 0: it is not.  Each is over by itself. */
struct hold_times {
	int64_t all_s; /* asked for nothing */
	int64_t pages_s; /* for no page, though for its sitemaps */
};

/* store_hold(store, host, times): in the open transaction.  store_each_hold:
 * all, those that are over too, in order of hosts; borrowed. */
void store_hold(struct store *, struct slice host, struct hold_times);
typedef void store_hold_fn(
    void *arg, struct slice host, const struct hold_times *);
void store_each_hold(struct store *, store_hold_fn *, void *arg);

#endif
