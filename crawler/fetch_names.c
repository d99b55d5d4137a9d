/* Which requests may have a name looked up now. */
#include "crawler/fetch_names.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

/* Two origins that fall on one slot only wait for a place more often. */
#define SLOTS 4096

/* The address is forgotten here before libcurl forgets it. */
#define KNOWN_MS ((NAMES_CACHE_S - 20) * INT64_C(1000))

struct slot {
	uint64_t key; /* of the origin */
	int64_t until_ms;
};

struct names {
	struct slot slots[SLOTS];
	unsigned resolving;
};

struct names *
names_new(void)
{
	return mem_zero(sizeof(struct names));
}

void
names_free(struct names *names)
{
	free(names);
}

bool
names_is_known(struct names *names, const struct url *url, int64_t now_ms)
{
	uint64_t key = hash_key(url_origin(url), 0);
	const struct slot *slot = &names->slots[key % SLOTS];

	return url->host_kind != HOST_NAME ||
	    (slot->key == key && now_ms < slot->until_ms);
}

bool
names_take(struct names *names)
{
	if (names->resolving >= NAMES_MAX_RESOLVING)
		return false;
	names->resolving++;
	return true;
}

void
names_lost(struct names *names)
{
	assert(names->resolving > 0);
	names->resolving--;
}

void
names_found(struct names *names, const struct url *url, int64_t now_ms)
{
	uint64_t key = hash_key(url_origin(url), 0);

	names->slots[key % SLOTS] = (struct slot){
	    .key = key, .until_ms = now_ms + KNOWN_MS};
	names_lost(names);
}
