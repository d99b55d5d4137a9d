/* The driver: hosts that others ask, too: see run_shared.h. */
#include "crawler/crawl/run_shared.h"

#include "crawler/crawl/run_internal.h"
#include "crawler/crawl/run_tables.h"
#include "sched/host_queue.h"

static void
share(struct run *run, uint32_t host, int64_t wait_ms)
{
	host_queue_share(
	    run->host_queue, host, loop_now_ms(run->options.loop) + wait_ms);
}

bool
run_spare(struct run *run, struct slice name, int64_t wait_ms)
{
	uint32_t host = run_host(run, name);

	share(run, host, wait_ms);
	return host_queue_waits(run->host_queue, host);
}

void
run_shared_asked(struct run *run, uint32_t host)
{
	int64_t wait_ms;

	if (run->options.asked == NULL)
		return;
	wait_ms = run->options.asked(
	    run->options.asked_arg, host_queue_name(run->host_queue, host));
	if (wait_ms > 0)
		share(run, host, wait_ms);
}
