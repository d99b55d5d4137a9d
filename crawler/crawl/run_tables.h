/* The driver: what is where in its tables, see run_internal.h. */
#ifndef FRESHET_RUN_TABLES_H
#define FRESHET_RUN_TABLES_H

#include "crawler/crawl/run_internal.h"

/* Found by number; a pointer is valid until the next one is added. */
struct task *run_task(struct run *, uint32_t number);
uint32_t run_add_task(struct run *, const struct task *);
void run_reopen(struct run *, uint32_t task); /* it is due once more */

/* run_find(run, site, document_id): the visit of this crawl of the site to
 * the document, or NONE. */
uint32_t run_find(struct run *, uint32_t site, int64_t document_id);

/* run_site(run, crawl, host): the crawl of that site for that crawl, begun
 * when there is none; NONE while another crawl is at it, or single documents.
 * run_site_is_busy(run, site): is that crawl under way? */
uint32_t run_site(struct run *, uint32_t crawl, struct slice host);

bool run_site_is_busy(const struct run *, const struct site *);

/* Found by name, or made. */
uint32_t run_origin(struct run *, const struct url *);
uint32_t run_host(struct run *, struct slice name); /* in the frontier */

struct host_state *run_host_state(struct run *, uint32_t host);

/* Of a visit. */
struct crawl *run_crawl_of(struct run *, uint32_t task);
const struct site_rules *run_rules(struct run *, uint32_t task);

#endif
