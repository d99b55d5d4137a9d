/* The driver: what it asked of each host, noted for the store's ledger. */
#ifndef FRESHET_RUN_REQUEST_LOG_H
#define FRESHET_RUN_REQUEST_LOG_H

#include "crawler/crawl/run_internal.h"

/* request_log_resume(run, host, name): a host that this run meets for the first
 * time: the delay after what an earlier one asked of it holds on. */
void request_log_resume(struct run *, uint32_t host, struct slice name);

/* request_log_note(run, attempt, result): its host was asked; before anything
 * else is learnt of the result. */
void request_log_note(
    struct run *, const struct attempt *, const struct fetch_result *);

/* request_log_write(run): what was noted goes into the transaction at hand. */
void request_log_write(struct run *);

#endif
