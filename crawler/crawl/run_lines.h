/*
 * The driver: the documents that the Sitemap lines of a robots.txt name.
 *
 * A robots.txt may name 10,000 documents, each of which is looked up in the
 * store or made there. So the lines are handled a few at a time: one robots.txt
 * after the other, line by line.
 */
#ifndef FRESHET_RUN_LINES_H
#define FRESHET_RUN_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct run;

struct sitemap_lines;
struct sitemap_lines *lines_new(void);
void lines_free(struct sitemap_lines *);

/*
 * lines_seed(run, origin, site): the crawl of that site reads the documents
 * that the lines name, or once named; if there are none, default locations are
 * tried.
 * lines_seed_single(run, origin, site_id): the same for a site whose documents
 * are read one by one: the documents become known, and are not read now.
 * lines_prove(run, origin, crawl): if documents that the lines name were read
 * before the lines were known, and the proof makes a difference, they are read
 * again.
 */
void lines_seed(struct run *, uint32_t origin, uint32_t site);
void lines_seed_single(struct run *, uint32_t origin, int64_t site_id);
void lines_prove(struct run *, uint32_t origin, uint32_t crawl);

/* lines_some(run): handle lines for a few milliseconds; true: there are
 * more. */
bool lines_some(struct run *);

/* lines_mark(run, origins): write true for each origin whose lines are
 * needed. */
void lines_mark(const struct run *, bool *origins);

#endif
