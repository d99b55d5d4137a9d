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

struct line_job;
struct sitemap_lines;

/* lines_add(run, job): use the lines of that origin in later rounds of the
 * loop. */
void lines_add(struct run *, const struct line_job *);

/* lines_some(run): handle lines for a few milliseconds; true: there are
 * more. */
bool lines_some(struct run *);

/* lines_drop(lines): free the URLs of the first job. */
void lines_drop(struct sitemap_lines *);

#endif
