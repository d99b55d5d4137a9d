/* The driver: the limits of URLs of a crawl and of a site, the size of the
 * store (HOSTILE T18), and the budgets of owners of host names. */
#ifndef FRESHET_RUN_LIMITS_H
#define FRESHET_RUN_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct content;
struct run;

/* limits_claim(run, task, urls): count the URLs of a reading of the task
 * against the limits of its crawl and of its site. */
void limits_claim(struct run *, uint32_t task, uint64_t urls);

/* limits_room(run): the number of documents that the crawl nearest to its limit
 * has room for, if they are as large as those read so far. */
uint64_t limits_room(const struct run *);

/* limits_defer(run, task): must the task wait, because the documents of its
 * site that readers have may already reach the site's limit? */
bool limits_defer(struct run *, uint32_t task);

/* limits_forbid(run, task): does a limit of its crawl, of its site or of the
 * store forbid to ask for the task? */
bool limits_forbid(struct run *, uint32_t task);

/* limits_may_keep(run, task, content): may the content of a reading of the
 * task be stored?  Else the task is given up, and so are the next ones of the
 * site until tomorrow.  content NULL, before the request: does the store keep
 * so little of the task's site that more may be asked for?  Else the task is
 * given up. */
bool limits_may_keep(struct run *, uint32_t task, const struct content *);

/* limits_skip(run, task): if limits_forbid() says so, report the limit once for
 * the crawl, post DONE and return true. */
bool limits_skip(struct run *, uint32_t task);

/* The owner of a registered name can have any number of hosts below it, so the
 * budget is for all hosts of the owner together. An address is an owner by
 * itself. Hosts that the operator named have budgets of their own. All budgets
 * begin anew each day; until then, requests that exceed a budget are refused.
 */

/* For the hosts of one owner, a day (security.md). */
#define OWNER_HOSTS 1000 /* hosts that are asked for a robots.txt */
#define OWNER_ROBOTS_BYTES (16u << 20) /* bytes of these robots.txt */
#define OWNER_SITEMAPS 20000 /* Sitemap lines of these robots.txt */
#define OWNER_WORK 1000000000 /* work of rules with stars, about a second */

/*
 * owner_may_ask(run, origin): may robots.txt of the origin be asked for?
 * owner_takes(run, origin, bytes): may a robots.txt of that size be read?
 * owner_sitemaps(run, origin, lines): how many of `lines` Sitemap lines of
 * the origin may be used?
 * owner_works(run, origin, work): add the work of a verdict; false: the
 * verdicts have cost too much. The functions count what they allow against the
 * budget; the first three count it once for an origin.
 */
bool owner_may_ask(struct run *, uint32_t origin);
bool owner_takes(struct run *, uint32_t origin, size_t bytes);
uint32_t owner_sitemaps(struct run *, uint32_t origin, uint32_t lines);
bool owner_works(struct run *, uint32_t origin, uint32_t work);

#endif
