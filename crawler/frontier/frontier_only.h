/* Some sites of a store, for a frontier with is_shown. */
#ifndef FRESHET_FRONTIER_ONLY_H
#define FRESHET_FRONTIER_ONLY_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/slice.h"

struct store;

/* Zeroed: no site. */
struct frontier_only {
	int64_t *ids; /* owned */
	size_t count, cap;
	struct idmap seen; /* the same ids */
};

/*
 * frontier_only_add(only, site_id): add a site.  What is no id, as 0, is
 * ignored, and so is a site that was added before.
 * frontier_only_url(only, store, url): add the sites that concern a normalised
 * URL: that of its host, and those with a document that has this URL, lists it,
 * or listed it when it was promoted.
 */
void frontier_only_add(struct frontier_only *, int64_t site_id);
void frontier_only_url(
    struct frontier_only *, struct store *, struct slice url);
void frontier_only_release(struct frontier_only *);

#endif
