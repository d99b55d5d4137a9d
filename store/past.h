/*
 * What is shown of the past of a site, as it was computed by crawler/events: a
 * row for each site, which holds until the site is read again.  Whoever looks
 * computes it without a row, so that rows may be missing.
 */
#ifndef FRESHET_STORE_PAST_H
#define FRESHET_STORE_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

struct store;

/*
 * store_past_get(store, site_id, key, now_s, data): append the data that were
 * computed with that key, if they hold at now_s; false: there are none, or they
 * are damaged.
 *
 * store_past_put(store, site_id, key, now_s, until_s, data): write them, after
 * the latest reading of the site; they hold from now_s on, before until_s.  A
 * clock that was set back shows an earlier time.
 *
 * store_past_drop(store, site_id): what follows from the readings of a site
 * changed though none was made.
 *
 * All are durable with the next store_flush.
 */
bool store_past_get(struct store *, int64_t site_id, uint64_t key,
    int64_t now_s, struct buf *data);
void store_past_put(struct store *, int64_t site_id, uint64_t key,
    int64_t now_s, int64_t until_s, struct slice data);
void store_past_drop(struct store *, int64_t site_id);

#endif
