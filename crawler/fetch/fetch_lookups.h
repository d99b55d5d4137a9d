/* Which requests may have a name looked up now: libcurl has a thread for each
 * name (HOSTILE T5, F5), so there is a ceiling. */
#ifndef FRESHET_FETCH_LOOKUPS_H
#define FRESHET_FETCH_LOOKUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/url.h"

#define LOOKUPS_MAX 16 /* at once */
#define LOOKUPS_MAX_OWNER 4 /* of these: names that one owner registered */
#define LOOKUPS_MAX_WAITING 64 /* names of one owner that wait */
#define LOOKUPS_MAX_AHEAD 64 /* of all owners, of those that hold more back */
#define LOOKUPS_LOST_S 600 /* how long a name without one is not asked for */

struct lookups;

/* lookups_new(hash_key): nobody else's. */
struct lookups *lookups_new(uint64_t hash_key);
void lookups_free(struct lookups *);

/* lookups_is_lost(lookups, url, now_ms): was there no address for its host a
 * little while ago? */
bool lookups_is_lost(
    const struct lookups *, const struct url *, int64_t now_ms);

/* lookups_owner(lookups, url): the key of whoever registered the name of its
 * host. */
uint64_t lookups_owner(const struct lookups *, const struct url *);

/* lookups_wait(lookups, owner): one more of them waits; false when too many
 * do. */
bool lookups_wait(struct lookups *, uint64_t owner);

/*
 * lookups_has_room(lookups, owner, most): may one more of them wait, for
 * somebody who has many more, and no more than `most` be looked up or wait?  So
 * few of one owner that those of others are not kept from waiting.
 */
bool lookups_has_room(const struct lookups *, uint64_t owner, unsigned most);

/*
 * lookups_has_place(lookups, now_ms): for one more at all?
 * lookups_take(lookups, owner): it, for one that waited; false when that owner
 * has its share. lookups_leave(lookups, owner): the look-up is over.
 */
bool lookups_has_place(struct lookups *, int64_t now_ms);
bool lookups_take(struct lookups *, uint64_t owner);
void lookups_leave(struct lookups *, uint64_t owner);

/* lookups_lost(lookups, url, now_ms, gave_up): there is no address for it; gave
 * up: the look-up goes on, and nobody listens. */
void lookups_lost(
    struct lookups *, const struct url *, int64_t now_ms, bool gave_up);

/* lookups_left_behind(lookups): do threads run on that were given up?  They
 * end without a word, so that places become free by and by. */
bool lookups_left_behind(const struct lookups *);

#endif
