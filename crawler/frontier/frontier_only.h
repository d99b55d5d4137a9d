/* Some sites of a store, for a frontier that is looked at. */
#ifndef FRESHET_FRONTIER_ONLY_H
#define FRESHET_FRONTIER_ONLY_H

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct store;

/* Zeroed: none. */
struct frontier_only {
	int64_t *ids; /* owned */
	size_t count, cap;
};

/* frontier_only_add(only, site_id): one more; 0 is none, and one may come
 * twice. frontier_only_host: the site of that host, if the store has one.
 * frontier_only_url: sites that have to do with a normalised URL: its host's,
 * and those whose documents are it, list it, or had it when it was promoted. */
void frontier_only_add(struct frontier_only *, int64_t site_id);
void frontier_only_host(
    struct frontier_only *, struct store *, struct slice host);
void frontier_only_url(
    struct frontier_only *, struct store *, struct slice url);
void frontier_only_release(struct frontier_only *);

#endif
