/* What the scheduler learned about sites, documents and hosts. */
#ifndef FRESHET_LEARNED_H
#define FRESHET_LEARNED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

struct store;

/*
 * store_learned(store, kind, id, data):
 * Store bytes under a kind, which is a word of the caller's, and a number.
 * Empty bytes remove what is stored there.  Durable with the next store_flush.
 *
 * store_learned_get(store, kind, id, data): append the bytes to data; false if
 * there are none.
 */
void store_learned(
    struct store *, const char *kind, int64_t id, struct slice data);
bool store_learned_get(
    struct store *, const char *kind, int64_t id, struct buf *data);

/* store_each_learned(store, kind, fn, arg): all of a kind, in order of numbers;
 * data are borrowed, fn may use the store. */
typedef void store_learned_fn(void *arg, int64_t id, struct slice data);
void store_each_learned(
    struct store *, const char *kind, store_learned_fn *, void *arg);

#endif
