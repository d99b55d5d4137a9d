/* Whoever wants to see the bodies of a run. */
#ifndef FRESHET_RUN_BODY_H
#define FRESHET_RUN_BODY_H

#include <stdint.h>

#include "base/slice.h"

struct reader_job;
struct spool_file;

/*
 * run_body_fn: from the loop, before a document's bytes, which are the
 * spool's, are read under the job's scope; more than once when a proof comes
 * late.  Everything is borrowed.  It may stop the loop, and use nothing of the
 * run.
 */
typedef void run_body_fn(void *body_arg, int64_t document_id, struct slice url,
    const struct reader_job *, struct spool_file *);

#endif
