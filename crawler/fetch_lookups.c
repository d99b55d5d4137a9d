/* Which requests may have a name looked up now. */
#include "crawler/fetch_lookups.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

/* Two origins that fall on one slot only wait for a place more often. */
#define SLOTS 4096

/* The address is forgotten here before libcurl forgets it. */
#define KNOWN_MS ((LOOKUPS_CACHE_S - 20) * INT64_C(1000))

struct slot {
	uint64_t key; /* of the origin */
	int64_t until_ms;
};

struct lookups {
	struct slot slots[SLOTS];
	unsigned resolving;
};

struct lookups *
lookups_new(void)
{
	return mem_zero(sizeof(struct lookups));
}

void
lookups_free(struct lookups *lookups)
{
	free(lookups);
}

bool
lookups_is_known(struct lookups *lookups, const struct url *url, int64_t now_ms)
{
	uint64_t key = hash_key(url_origin(url), 0);
	const struct slot *slot = &lookups->slots[key % SLOTS];

	return url->host_kind != HOST_NAME ||
	    (slot->key == key && now_ms < slot->until_ms);
}

bool
lookups_take(struct lookups *lookups)
{
	if (lookups->resolving >= LOOKUPS_MAX)
		return false;
	lookups->resolving++;
	return true;
}

void
lookups_lost(struct lookups *lookups)
{
	assert(lookups->resolving > 0);
	lookups->resolving--;
}

void
lookups_found(struct lookups *lookups, const struct url *url, int64_t now_ms)
{
	uint64_t key = hash_key(url_origin(url), 0);

	lookups->slots[key % SLOTS] = (struct slot){
	    .key = key, .until_ms = now_ms + KNOWN_MS};
	lookups_lost(lookups);
}
