/*
 * The driver: pages that run_page() was asked for.
 *
 * Such a page is a task that waits for its host, and is asked for, as a
 * document is; run_page.c looks at what came.  A site entry with is_pages has
 * the pages of a site that are under way for one crawl.
 */
#ifndef FRESHET_RUN_ORDER_H
#define FRESHET_RUN_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct fetch_request;
struct fetch_result;
struct listed_page;
struct reader_job;
struct run;

/* order_request(run, task, request): what the next request of an ordered page
 * asks for. */
void order_request(struct run *, uint32_t task, struct fetch_request *);

/* order_reads(run, task, job): a reader gets the body of an ordered page. */
void order_reads(struct run *, uint32_t task, struct reader_job *);

/* order_meets_wall(run, task): does the redirect that came last lead to a place
 * where readers log in or consent?  Nothing lies behind it for a crawler. */
bool order_meets_wall(struct run *, uint32_t task);

/* order_exchange(run, task, page): tell of the answer that came last, once;
 * `page` is what came of it; NULL: it is a redirect. */
void order_exchange(struct run *, uint32_t task, const struct listed_page *);

/* order_tell(run, task, page): complete `page` with what is known of the order,
 * and report the last answer and the page to the crawl. */
void order_tell(struct run *, uint32_t task, struct listed_page *page);

/* order_return(run, task): the task ends: report an ordered page that was not
 * reported. Tasks of other kinds are passed over. */
void order_return(struct run *, uint32_t task);

#endif
