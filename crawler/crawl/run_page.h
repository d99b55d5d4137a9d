/*
 * The driver: looking at pages, those of a sample and those that run_page() was
 * asked for.
 *
 * A page waits for its host, and is asked for, as a document is; the result is
 * reported to the crawl, and not committed.  A site entry with is_pages has the
 * ordered pages of a site that are under way for one crawl.
 */
#ifndef FRESHET_RUN_PAGE_H
#define FRESHET_RUN_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"

struct content;
struct fetch_request;
struct fetch_result;
struct run;

/* page_sample(run, crawl): called when the documents of the crawl are done.
 * Choose as many of the listed pages as the crawl's options say, spread over
 * all documents, and those that it asks for besides, and begin their tasks. The
 * same documents give the same choice. False: no page was chosen. */
bool page_sample(struct run *, uint32_t crawl);

/* page_answered(run, task, result): the request for a page has ended, with or
 * without an answer. */
void page_answered(struct run *, uint32_t task, const struct fetch_result *);

/* page_finished(run, task, result, content): a reader has read the body, see
 * readers_done_fn.  Takes content over. */
void page_finished(
    struct run *, uint32_t task, enum diag_code result, struct content *);

/* page_give_up(run, task, code, text): report that no answer will come. */
void page_give_up(
    struct run *, uint32_t task, enum diag_code, struct slice text);

/* order_request(run, task, request): what the next request of an ordered page
 * asks for.
 * order_yields(run, task): is the task an ordered page that comes back now,
 * because its host is held?  Other pages take its place.
 * order_return(run, task): the task ends: report an ordered page that was not
 * reported. Tasks of other kinds are passed over. */
void order_request(struct run *, uint32_t task, struct fetch_request *);
bool order_yields(struct run *, uint32_t task);
void order_return(struct run *, uint32_t task);

#endif
