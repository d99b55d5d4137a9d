/*
 * The driver: visits that begin by and by.  A robots.txt may have thousands of
 * rules with stars: milliseconds for a long URL, of which an index may list
 * 50,000.
 */
#include "crawler/crawl/run_begin.h"

#include "crawler/crawl/run_task.h"

#define BEGIN_MS 4 /* of one round of the loop */

void
begin_later(struct run *run, uint32_t number)
{
	fifo_put(&run->beginning, number);
	run_kick(run);
}

static bool
is_in_use(void *arg, uint32_t number)
{
	return run_task(arg, number)->site != NONE;
}

void
begin_forget_free(struct run *run)
{
	fifo_keep(&run->beginning, is_in_use, run);
	fifo_keep(&run->suspects, is_in_use, run);
}

void
begin_some(struct run *run)
{
	int64_t end_ms = loop_now_ms(run->options.loop) + BEGIN_MS;

	while (!fifo_is_empty(&run->beginning) &&
	    loop_now_ms(run->options.loop) < end_ms)
		task_begin(run, fifo_take(&run->beginning));
	if (!fifo_is_empty(&run->beginning))
		run_kick(run);
}
