/*
 * The driver: documents that are read one by one, without a crawl of their
 * site, see run_document().
 */
#ifndef FRESHET_RUN_DOCUMENT_H
#define FRESHET_RUN_DOCUMENT_H

#include <stdint.h>

struct run;

/* document_begin_some(run, crawl): for a few milliseconds, begin documents that
 * were given to the crawl and that no other task reads. */
void document_begin_some(struct run *, uint32_t crawl);

#endif
