/* The driver: documents that are read by themselves, see run_document(). */
#ifndef FRESHET_RUN_DOCUMENT_H
#define FRESHET_RUN_DOCUMENT_H

#include <stdint.h>

struct run;

/* document_begin_some(run, crawl): begin documents that were given to the
 * crawl and that nobody else is at work on, for a few milliseconds. */
void document_begin_some(struct run *, uint32_t crawl);

#endif
