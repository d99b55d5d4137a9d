/* Which requests may have a name looked up now: libcurl has a thread for each
 * name (HOSTILE T5, F5), so there is a ceiling. */
#ifndef FRESHET_FETCH_NAMES_H
#define FRESHET_FETCH_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/url.h"

#define NAMES_MAX_RESOLVING 16
#define NAMES_CACHE_S 300 /* how long libcurl shall keep an address */

struct names;

struct names *names_new(void);
void names_free(struct names *);

/* names_is_known(names, url, now_ms): is its host a literal, or a name that
 * libcurl still has the address of?  Then no thread is needed. */
bool names_is_known(struct names *, const struct url *, int64_t now_ms);

/* names_take(names): a place for a look-up; false when all are taken. */
bool names_take(struct names *);

/* names_found, names_lost: the look-up that took a place ended, with an
 * address for url, or without one. */
void names_found(struct names *, const struct url *, int64_t now_ms);
void names_lost(struct names *);

#endif
