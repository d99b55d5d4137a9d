/* Some sites of a store, for a desk that is looked at. */
#ifndef FRESHET_DESK_ONLY_H
#define FRESHET_DESK_ONLY_H

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct store;

/* Zeroed: none. */
struct desk_only {
	int64_t *ids; /* owned */
	size_t count, cap;
};

/* desk_only_add(only, site_id): one more; 0 is none, and one may come twice.
 * desk_only_host: the site of that host, if the store has one.
 * desk_only_url: sites that have to do with a normalised URL: its host's, and
 * those whose documents are it, list it, or had it when it was promoted. */
void desk_only_add(struct desk_only *, int64_t site_id);
void desk_only_host(struct desk_only *, struct store *, struct slice host);
void desk_only_url(struct desk_only *, struct store *, struct slice url);
void desk_only_release(struct desk_only *);

#endif
