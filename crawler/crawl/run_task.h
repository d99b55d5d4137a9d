/* The driver: from the frontier to the answer, see run_internal.h. */
#ifndef FRESHET_RUN_TASK_H
#define FRESHET_RUN_TASK_H

#include "crawler/crawl/run_tables.h"

/* run_task.c: from the frontier to the answer */
void task_begin(struct run *, uint32_t task);
void task_fetch(struct run *, uint32_t task);
bool task_is_file(const struct run *, const struct url *);
void task_queue(struct run *, uint32_t task);
void task_rest(struct run *, uint32_t task);
void task_put_back(struct run *, uint32_t task, uint32_t host);
void task_give_up(
    struct run *, uint32_t task, enum diag_code, struct slice text);
void task_finish(struct run *, uint32_t task);
struct attempt *task_attempt(struct run *, uint32_t task);
void task_drop_spool(struct attempt *);

/* run_hop.c: false: nothing was done, the answer stands */
bool task_redirect(struct run *, uint32_t task, const struct fetch_result *);
bool task_retry(struct run *, uint32_t task, const struct fetch_result *);

#endif
