/* A result that outlives its call of done. */
#ifndef FRESHET_FETCH_KEPT_H
#define FRESHET_FETCH_KEPT_H

#include "base/buf.h"
#include "crawler/fetch/fetch.h"

/* Zeroed: none. */
struct fetch_kept {
	struct fetch_result result;
	struct buf texts; /* owned: what `result` borrows */
};

/* fetch_keep(kept, result): keep a copy, in place of the one before.
 * fetch_kept_release(kept): free it. */
void fetch_keep(struct fetch_kept *, const struct fetch_result *);
void fetch_kept_release(struct fetch_kept *);

#endif
