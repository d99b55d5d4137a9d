/* Which requests may have a name looked up now: libcurl has a thread for each
 * name (HOSTILE T5, F5), so there is a ceiling. */
#ifndef FRESHET_FETCH_LOOKUPS_H
#define FRESHET_FETCH_LOOKUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/url.h"

#define LOOKUPS_MAX 16
#define LOOKUPS_CACHE_S 300 /* how long libcurl shall keep an address */

struct lookups;

struct lookups *lookups_new(void);
void lookups_free(struct lookups *);

/* lookups_is_known(lookups, url, now_ms): is its host a literal, or a name that
 * libcurl still has the address of?  Then no thread is needed. */
bool lookups_is_known(struct lookups *, const struct url *, int64_t now_ms);

/* lookups_take(lookups): a place for a look-up; false when all are taken. */
bool lookups_take(struct lookups *);

/* lookups_found, lookups_lost: the look-up that took a place ended, with an
 * address for url, or without one. */
void lookups_found(struct lookups *, const struct url *, int64_t now_ms);
void lookups_lost(struct lookups *);

#endif
