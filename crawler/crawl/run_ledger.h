/* The driver: what it asked of each host, noted for the store's ledger. */
#ifndef FRESHET_RUN_LEDGER_H
#define FRESHET_RUN_LEDGER_H

#include "crawler/crawl/run_internal.h"

/* ledger_resume(run, host, name): a host that this run meets for the first
 * time: the delay after what an earlier one asked of it holds on. */
void ledger_resume(struct run *, uint32_t host, struct slice name);

/* ledger_note(run, attempt, result): its host was asked; before anything else
 * is learnt of the result. */
void ledger_note(
    struct run *, const struct attempt *, const struct fetch_result *);

/* ledger_write(run): what was noted goes into the transaction at hand. */
void ledger_write(struct run *);

#endif
