/* Hosts that a run and its frontier ask together: see crawl_share.h. */
#include "crawler/control/crawl_share.h"

#include "crawler/control/crawl.h"
#include "crawler/crawl/run_shared.h"
#include "crawler/frontier/frontier_pace.h"

static bool
on_handed(void *arg, struct slice host, int64_t wait_ms)
{
	const struct crawl *crawl = arg;

	return run_spare(crawl->run, host, wait_ms);
}

void
crawl_share(struct crawl *crawl, struct frontier *frontier)
{
	crawl->frontier = frontier;
	frontier_set_leased(frontier, on_handed, crawl);
}

int64_t
crawl_asked(void *arg, struct slice host)
{
	const struct crawl *crawl = arg;

	return crawl->frontier == NULL ? 0
				       : frontier_asked(crawl->frontier, host);
}
