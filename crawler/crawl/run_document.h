/* The driver: documents that are read by themselves, see run_document. */
#ifndef FRESHET_RUN_DOCUMENT_H
#define FRESHET_RUN_DOCUMENT_H

#include "crawler/crawl/run_tables.h"

/* documents_begin(run, crawl): those that it was given, as far as nobody else
 * is at them. */
void documents_begin(struct run *, uint32_t crawl);

/* document_over(run, visit): from task_finish: of a single document; the
 * visit is gone. */
void document_over(struct run *, uint32_t task);

/* document_sow(run, visit): it is the robots.txt of a site that is read alone:
 * what it names becomes known, and is not read. */
void document_sow(struct run *, const struct task *);

/* document_is_shared(run, visit, child_id): does an index besides that of the
 * visit list it, too? */
bool document_is_shared(struct run *, const struct task *, int64_t child_id);

/* document_is_single(run, visit) */
bool document_is_single(const struct run *, uint32_t task);

#endif
