/* The driver: targets, and the documents that they lead to. */
#ifndef FRESHET_RUN_TARGET_H
#define FRESHET_RUN_TARGET_H

#include <stdbool.h>
#include <stdint.h>

struct crawl_target;
struct run;
struct target;

/* target_start(run, crawl, target): begin the crawl of the target's site; false
 * while the site is busy. */
bool target_start(struct run *, uint32_t crawl, struct crawl_target *);

/* target_name(run, site_id, target): the operator named the target, which is
 * not crawled now. Its origin gets the headers, credentials and budgets that
 * only named origins get. */
void target_name(struct run *, int64_t site_id, const struct target *);

/* target_seed(run, crawl): the crawl has all robots.txt that it waits for: its
 * documents begin. */
void target_seed(struct run *, uint32_t crawl);

/* target_seed_origin(run, origin): the Sitemap lines of the origin become
 * seeds, unless its crawl still waits for a robots.txt. */
void target_seed_origin(struct run *, uint32_t origin);

#endif
