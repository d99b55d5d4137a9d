/*
 * The driver: what follows from the Sitemap lines of a robots.txt.
 *
 * One may name 10,000 documents, each of which is looked up in the store or
 * made there: so they are gone through by and by, in their order, one
 * robots.txt after the other.
 */
#ifndef FRESHET_RUN_LINES_H
#define FRESHET_RUN_LINES_H

#include "crawler/crawl/run_base.h"

struct sitemap_lines;
struct sitemap_lines *lines_new(void);
void lines_free(struct sitemap_lines *);

/*
 * lines_sow(run, origin, site): what they name is read by that crawl, and what
 * they named; when that is nothing, the usual places are tried.
 * lines_sow_single(run, origin, site_id): it becomes known to that site, whose
 * documents are read one by one.
 * lines_prove(run, origin, crawl): what they name was perhaps read before they
 * were known: it is read again if that makes a difference.
 */
void lines_sow(struct run *, uint32_t origin, uint32_t site);
void lines_sow_single(struct run *, uint32_t origin, int64_t site_id);
void lines_prove(struct run *, uint32_t origin, uint32_t crawl);

/* lines_some(run): for a few milliseconds; true: more to do. */
bool lines_some(struct run *);

/* lines_mark(run, origins): those that it needs are true in it. */
void lines_mark(const struct run *, bool *origins);

#endif
