/*
 * The documents that the robots.txt of their own origin names, of all origins
 * that a site touches (SPEC R-66): one copy, which the scopes of the site's
 * documents share, however many these are.
 */
#ifndef FRESHET_SELF_LISTED_H
#define FRESHET_SELF_LISTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/wire.h"

/* What counts of one site; what is more proves nothing (HOSTILE E26). */
#define SELF_LISTED_MAX 20000
#define SELF_LISTED_BYTES (2u << 20)

struct self_listed;

/*
 * self_listed_new(): empty, of one user.  self_listed_add(listed, url): false
 * when it is full.  self_listed_seal(listed): all were added; from here on it
 * is only looked at.
 */
struct self_listed *self_listed_new(void);
bool self_listed_add(struct self_listed *, struct slice url);
void self_listed_seal(struct self_listed *);

/* self_listed_share(listed): for one user more.  self_listed_release: one less,
 * freed with the last.  NULL is nothing, as one that is empty. */
struct self_listed *self_listed_share(struct self_listed *);
void self_listed_release(struct self_listed *);

bool self_listed_has(const struct self_listed *, struct slice url);

/* self_listed_digest(listed, directory): of those that do not begin with it; 0:
 * there are none.  In time that hardly grows with their number. */
uint64_t self_listed_digest(const struct self_listed *, struct slice directory);

/* self_listed_put/get: for frames between processes; get gives NULL for none,
 * and false for what is none. */
void self_listed_put(struct buf *, const struct self_listed *);
bool self_listed_get(struct wire *, struct self_listed **);

#endif
