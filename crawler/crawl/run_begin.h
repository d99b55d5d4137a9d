/* The driver: visits that begin by and by. */
#ifndef FRESHET_RUN_BEGIN_H
#define FRESHET_RUN_BEGIN_H

#include "crawler/crawl/run_tables.h"

/* begin_later(run, visit): task_begin for it, in a later round of the loop:
 * of those that come by the thousand, each of which has to be judged by a
 * robots.txt that may be large. */
void begin_later(struct run *, uint32_t task);

/* begin_some(run): in their order, for a few milliseconds. */
void begin_some(struct run *);

/* begin_forget_free(run): visits that are free now, see run_reuse.h, do not
 * wait for anything any more. */
void begin_forget_free(struct run *);

#endif
