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

enum line_use {
	/* the crawl of a site reads the documents that the lines name, or once
	 * named; if there are none, default locations are tried */
	USE_SEED,
	/* the same for a site whose documents are read one by one: the
	 * documents become known, and are not read now */
	USE_SEED_SINGLE,
	/* if documents that the lines name were read before the lines were
	 * known, and the proof makes a difference, they are read again */
	USE_PROVE
};

struct line_job {
	enum line_use use;
	uint32_t origin;
	/* the crawl that waits for the job; NONE: no crawl waits */
	uint32_t crawl;
	uint32_t site; /* USE_SEED */
	int64_t site_id; /* USE_SEED_SINGLE */
};

/* lines_add(run, job): use the lines of that origin in later rounds of the
 * loop. */
void lines_add(struct run *, const struct line_job *);

/* lines_some(run): handle lines for a few milliseconds; true: there are
 * more. */
bool lines_some(struct run *);

/* lines_mark(run, origins): write true for each origin whose lines are
 * needed. */
void lines_mark(const struct run *, bool *origins);

#endif
