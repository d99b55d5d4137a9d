/* Hosts that a run and its desk ask together: see crawl_share.h. */
#include "crawler/control/crawl_share.h"

#include "crawler/control/crawl.h"
#include "crawler/crawl/run_shared.h"
#include "crawler/frontier/desk_pace.h"

static bool
on_handed(void *arg, struct slice host, int64_t wait_ms)
{
	const struct crawl *crawl = arg;

	return run_spare(crawl->run, host, wait_ms);
}

void
crawl_share(struct crawl *crawl, struct desk *desk)
{
	crawl->desk = desk;
	desk_set_handed(desk, on_handed, crawl);
}

int64_t
crawl_asked(void *arg, struct slice host)
{
	const struct crawl *crawl = arg;

	return crawl->desk == NULL ? 0 : desk_asked(crawl->desk, host);
}
