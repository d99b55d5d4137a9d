/* Inside the store: rows of origins, that is of scheme, host and port. */
#ifndef FRESHET_ORIGIN_H
#define FRESHET_ORIGIN_H

#include <stdint.h>

#include "base/slice.h"

struct store;

/* store_origin_find(store, origin): the id of an origin, 0: there is none.
 * store_origin_make(store, origin): the same, but a new origin is made; 0 if
 * the store has failed. */
int64_t store_origin_find(struct store *, struct slice origin);
int64_t store_origin_make(struct store *, struct slice origin);

#endif
