/* The driver: documents that a site begins with: those of Sitemap lines, and
 * default locations. */
#ifndef FRESHET_RUN_SEED_H
#define FRESHET_RUN_SEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"
#include "sched/host_queue.h"

struct line_job;
struct run;
struct sitemap_lines;
struct task;
struct url;

/* seed_document(run, site, url, document_id, class): the task of this site
 * entry for the document, added if there is none; document_id 0: the document
 * is looked up by its URL, or made. */
uint32_t seed_document(struct run *, uint32_t site, struct slice url,
    int64_t document_id, enum host_queue_class);

/*
 * seed_probe_below(run, like, folder, place): try the default location of that
 * number below a target; after the last one, the target is a document itself,
 * unless it is a folder of files. `like` has the site and the origin.
 * seed_next(run, task): nothing is at the default location of the task: try the
 * next one. False: no location is left.
 */
bool seed_probe_below(
    struct run *, const struct task *like, struct slice folder, size_t place);
bool seed_next(struct run *, uint32_t task);

/* seed_end_probe(run, task, code): nothing is at this default location; the
 * next one is tried if the host answers at all. */
void seed_end_probe(struct run *, uint32_t task, enum diag_code);

/* seed_start_known(run, task, generator, sitemap): the start page of the task's
 * origin names this generator and this URL of a sitemap, each empty if there is
 * none, or if the page could not be read; the search goes on. */
void seed_start_known(
    struct run *, uint32_t task, struct slice generator, struct slice sitemap);

/* seed_is_left(run, task): called before the request of the task is sent:
 * should its connection be closed afterwards, because it will probably not be
 * used again? */
bool seed_is_left(struct run *, uint32_t task);

/* seed_http_of(run, origin, url): set url to the root URL of the same host with
 * http. */
void seed_http_of(const struct run *, uint32_t origin, struct url *);

/* A robots.txt may name 10,000 documents, each of which is looked up in the
 * store or made there. So the lines are handled a few at a time: one robots.txt
 * after the other, line by line. */

/* lines_add(run, job): use the lines of that origin in later rounds of the
 * loop. */
void lines_add(struct run *, const struct line_job *);

/* lines_some(run): handle lines for a few milliseconds; true: there are
 * more. */
bool lines_some(struct run *);

#endif
