/*
 * The driver: budgets of owners of host names.
 *
 * The owner of a registered name can have any number of hosts below it, so the
 * budget is for all hosts of the owner together. An address is an owner by
 * itself. Hosts that the operator named have budgets of their own. All budgets
 * begin anew each day; until then, requests that exceed a budget are refused.
 */
#ifndef FRESHET_RUN_OWNER_H
#define FRESHET_RUN_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For the hosts of one owner, a day (security.md). */
#define OWNER_HOSTS 1000 /* hosts that are asked for a robots.txt */
#define OWNER_ROBOTS_BYTES (16u << 20) /* bytes of these robots.txt */
#define OWNER_SITEMAPS 20000 /* Sitemap lines of these robots.txt */
#define OWNER_WORK 1000000000 /* work of rules with stars, about a second */

struct owners;
struct run;

/* owners_new(run): no owner is known yet; the run is borrowed. */
struct owners *owners_new(struct run *);
void owners_free(struct owners *);

/*
 * owner_may_ask(owners, origin): may robots.txt of the origin be asked for?
 * owner_takes(owners, origin, bytes): may a robots.txt of that size be read?
 * owner_sitemaps(owners, origin, lines): how many of `lines` Sitemap lines of
 * the origin may be used?
 * owner_works(owners, origin, work): add the work of a verdict; false: the
 * verdicts have cost too much. The functions count what they allow against the
 * budget; the first three count it once for an origin.
 */
bool owner_may_ask(struct owners *, uint32_t origin);
bool owner_takes(struct owners *, uint32_t origin, size_t bytes);
uint32_t owner_sitemaps(struct owners *, uint32_t origin, uint32_t lines);
bool owner_works(struct owners *, uint32_t origin, uint32_t work);

#endif
