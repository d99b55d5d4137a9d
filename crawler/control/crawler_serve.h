/* The requests of other commands to a crawler. */
#ifndef FRESHET_CRAWLER_SERVE_H
#define FRESHET_CRAWLER_SERVE_H

struct crawler;

/*
 * crawler_serve(crawler): serve the socket of the store from now on: further
 * crawls, the frontier (frontier_service.h), the watch list (watch_serve.h),
 * the total budget (total_budget.h), and what the crawler does (status.h).
 * If no socket can be made, one line on stderr says so, and other commands wait
 * for the store.
 *
 * A crawl is asked for with one line.  Its options must equal those of this
 * crawler, since they hold for the whole process:
 *
 *	{"v":1,"command":"crawl","version":V,"json":B,"quiet":B,"force":B,
 *	    "continued":B,<totals of the process that began it>,
 *	    "targets":[TARGET,...],"options":["NAME=VALUE",...]}
 *
 * The answer has what the command has to print, and the counts, so that the
 * command can go on alone when this process leaves:
 *
 *	{"v":1,"type":"said","stream":1 or 2,"text":TEXT}
 *	{"v":1,"type":"totals",...}, twice a second
 *	{"v":1,"type":"end","exit":N}
 */
void crawler_serve(struct crawler *);

#endif
