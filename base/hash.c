/* Digests of bodies and keys of rows: xxHash. */
#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>

/* The header has all of the library: no call for a short key, nothing to load.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"

struct digester {
	XXH3_state_t *state; /* owned; XXH3 demands an alignment */
};

struct digester *
digester_new(void)
{
	struct digester *digester = mem_alloc(sizeof(*digester));

	digester->state = XXH3_createState();
	if (digester->state == NULL)
		(void)mem_alloc(SIZE_MAX / 2); /* ends the process */
	(void)XXH3_128bits_reset(digester->state);
	return digester;
}

void
digester_free(struct digester *digester)
{
	if (digester == NULL)
		return;
	(void)XXH3_freeState(digester->state);
	free(digester);
}

void
digester_feed(struct digester *digester, struct slice bytes)
{
	if (bytes.len > 0)
		(void)XXH3_128bits_update(digester->state, bytes.p, bytes.len);
}

struct digest
digester_value(const struct digester *digester)
{
	XXH128_canonical_t canonical;
	struct digest digest;

	XXH128_canonicalFromHash(
	    &canonical, XXH3_128bits_digest(digester->state));
	memcpy(digest.bytes, canonical.digest, sizeof(digest.bytes));
	return digest;
}

uint64_t
hash_key(struct slice bytes, uint64_t key)
{
	return XXH3_64bits_withSeed(
	    bytes.len == 0 ? "" : bytes.p, bytes.len, key);
}

void
hash_library(struct library *library)
{
	*library = (struct library){.name = "xxHash"};
	(void)snprintf(library->built, sizeof(library->built), "%d.%d.%d",
	    XXH_VERSION_MAJOR, XXH_VERSION_MINOR, XXH_VERSION_RELEASE);
	(void)snprintf(library->running, sizeof(library->running), "%u.%u.%u",
	    XXH_versionNumber() / 10000, XXH_versionNumber() / 100 % 100,
	    XXH_versionNumber() % 100);
}
