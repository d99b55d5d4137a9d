/* The driver: visits whose hosts have names that are to be looked up first. */
#ifndef FRESHET_RUN_GATE_H
#define FRESHET_RUN_GATE_H

#include "crawler/crawl/run_tables.h"

/* gate_holds(run, visit): the frontier gave it, and a request for it would
 * only wait for a look-up: it waits here instead, without a place among the
 * transfers, a file or a journey; false: it need not. */
bool gate_holds(struct run *, uint32_t visit);

/* gate_next(run, *visit): one that may be started now, as if the frontier had
 * just given it; false: there is none. */
bool gate_next(struct run *, uint32_t *visit);

/* gate_is_empty(run): nobody waits.  Nobody says when there is room for the
 * next: it is to be looked for. */
bool gate_is_empty(const struct run *);

/* gate_open(run): all go back into the frontier. */
void gate_open(struct run *);

struct gate *gate_new(void);
void gate_free(struct gate *);

#endif
