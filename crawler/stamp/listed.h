/* The listed pages of a folder: their dates, and the digests of their files. */
#ifndef FRESHET_LISTED_H
#define FRESHET_LISTED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/profile.h"

struct local;
struct loop;
struct manifest;
struct readers;
struct store;

/* listed_gather(manifest, store): add the pages that the sitemaps in the store
 * list, with their dates, and sort them. Text lists and feeds are passed over.
 */
void listed_gather(struct manifest *, struct store *);

/* What listed_digest() needs; all is borrowed. */
struct listed_digest {
	struct loop *loop;
	struct readers *readers;
	const struct local *local;
	const struct profile *profile;
};

/*
 * listed_digest(with, manifest, lost): let the readers digest the file of each
 * page of manifest->site, within the loop. *lost: pages that have a file, but
 * could not be read. False: a signal stopped the loop before the end; the loop
 * must not run again.
 */
bool listed_digest(
    const struct listed_digest *, struct manifest *, size_t *lost);

#endif
