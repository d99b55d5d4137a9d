/*
 * Self-listed documents: those that the robots.txt of their own origin names,
 * of all origins that a site touches (SPEC R-66).  The scopes of all documents
 * of the site share one copy.
 */
#ifndef FRESHET_SELF_LISTED_H
#define FRESHET_SELF_LISTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/wire.h"

/* The most documents, and bytes, that count for a site; more prove nothing
 * (HOSTILE E26). */
#define SELF_LISTED_MAX 20000
#define SELF_LISTED_BYTES (2u << 20)

struct self_listed;

/*
 * self_listed_new(): an empty set with one reference.
 * self_listed_add(listed, url): false if the set is full.
 * self_listed_seal(listed): call this function after the last self_listed_add,
 * and before the set is shared or searched.
 */
struct self_listed *self_listed_new(void);
bool self_listed_add(struct self_listed *, struct slice url);
void self_listed_seal(struct self_listed *);

/* self_listed_share(listed): add a reference.  self_listed_release(listed):
 * drop one; the last frees the set.  NULL counts as an empty set. */
struct self_listed *self_listed_share(struct self_listed *);
void self_listed_release(struct self_listed *);

bool self_listed_has(const struct self_listed *, struct slice url);

/* self_listed_digest(listed, directory): a digest of the documents that do not
 * begin with the directory; 0 if there are none.  Its time is logarithmic. */
uint64_t self_listed_digest(const struct self_listed *, struct slice directory);

/* self_listed_put(out, listed), self_listed_get(wire, *listed): for frames
 * between processes.  An empty set becomes NULL; false: the bytes are no set.
 */
void self_listed_put(struct buf *, const struct self_listed *);
bool self_listed_get(struct wire *, struct self_listed **);

#endif
