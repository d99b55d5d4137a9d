/* Hosts that a run and the fetchers of its frontier ask together
 * (frontier_pace.h). */
#ifndef FRESHET_CRAWL_SHARE_H
#define FRESHET_CRAWL_SHARE_H

#include <stdint.h>

#include "base/slice.h"

struct crawl;
struct frontier;

/* crawl_share(crawl, frontier): that is its frontier from now on; owned. */
void crawl_share(struct crawl *, struct frontier *);

/* crawl_asked(crawl, host): of run_options. */
int64_t crawl_asked(void *crawl, struct slice host);

#endif
