/* A map from positive 64-bit ids to small numbers. */
#ifndef FRESHET_IDMAP_H
#define FRESHET_IDMAP_H

#include <stddef.h>
#include <stdint.h>

#define IDMAP_NONE UINT32_MAX

struct idmap {
	struct idmap_slot *slots; /* whoever owns the map frees them */
	size_t count;
	size_t cap; /* below 2^32 */
};

/* A zeroed idmap is empty. idmap_get returns IDMAP_NONE for an id that is not
 * in the map; id 0 never is. idmap_put adds or replaces. idmap_remove does
 * nothing if the id is not in the map. */
uint32_t idmap_get(const struct idmap *, int64_t id);
void idmap_put(struct idmap *, int64_t id, uint32_t value);
void idmap_remove(struct idmap *, int64_t id);

#endif
