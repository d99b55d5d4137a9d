/* The driver: targets, and the documents that they lead to. */
#ifndef FRESHET_RUN_TARGET_H
#define FRESHET_RUN_TARGET_H

#include <stdbool.h>
#include <stdint.h>

struct crawl_target;
struct run;

/* target_start(run, crawl, target): begin the crawl of the target's site; false
 * while the site is busy. */
bool target_start(struct run *, uint32_t crawl, struct crawl_target *);

/* target_single(run, crawl, site_id, is_pages): a new site entry, for a single
 * document and its robots.txt, or for pages that are ordered. */
uint32_t target_single(
    struct run *, uint32_t crawl, int64_t site_id, bool is_pages);

/* target_seed(run, crawl): the crawl has all robots.txt that it waits for: its
 * documents begin. */
void target_seed(struct run *, uint32_t crawl);

/* target_seed_origin(run, origin): the Sitemap lines of the origin become
 * seeds, unless its crawl still waits for a robots.txt. */
void target_seed_origin(struct run *, uint32_t origin);

#endif
