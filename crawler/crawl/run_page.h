/* The driver: listed pages that are looked at, see run_internal.h. */
#ifndef FRESHET_RUN_PAGE_H
#define FRESHET_RUN_PAGE_H

#include "crawler/crawl/run_tables.h"

struct page_look;

/*
 * page_sample(run, crawl): its documents are done; as many of the pages that
 * they list as it wants to see are visited, the same for the same documents,
 * spread over them all.  False: there are none, or none any more.
 */
bool page_sample(struct run *, uint32_t crawl);

/* page_answered(run, visit, result): from task_fetch, as read_answered. */
void page_answered(struct run *, uint32_t task, const struct fetch_result *);

/* page_give_up(run, visit, code, text): there will be no answer. */
void page_give_up(
    struct run *, uint32_t task, enum diag_code, struct slice text);

void page_look_free(struct page_look *);

#endif
