/*
 * The driver: what hosts may use of it that nobody named.
 *
 * Whoever registered a name has as many hosts below it as it likes: what they
 * use is counted for all of them together, and an address counts alone.  Hosts
 * that the operator named have budgets of their own.  All begin anew each day;
 * what is over a budget until then is refused, nothing else is.
 */
#ifndef FRESHET_RUN_OWNER_H
#define FRESHET_RUN_OWNER_H

#include "crawler/crawl/run_base.h"

/* Of one owner's hosts, a day (docs/security.md). */
#define OWNER_HOSTS 1000 /* that are asked for a robots.txt */
#define OWNER_ROBOTS_BYTES (16u << 20) /* of these */
#define OWNER_SITEMAPS 20000 /* lines of these */
#define OWNER_WORK 1000000000 /* of rules with stars: about a second */

struct owners;
struct owners *owners_new(uint64_t hash_key);
void owners_free(struct owners *);

/*
 * owner_may_ask(run, origin): may its robots.txt be asked for?
 * owner_takes(run, origin, bytes): does a robots.txt of that size count?
 * owner_sitemaps(run, origin, lines): how many of its Sitemap lines do.
 * owner_works(run, origin, work): has a verdict of that work been too much?
 * Each of them counts what it is asked about; the same of an origin once only.
 */
bool owner_may_ask(struct run *, uint32_t origin);
bool owner_takes(struct run *, uint32_t origin, size_t bytes);
uint32_t owner_sitemaps(struct run *, uint32_t origin, uint32_t lines);
bool owner_works(struct run *, uint32_t origin, uint32_t work);

#endif
