/* The driver: what time it is, and when the clock was set back. */
#include <stdio.h>

#include "base/buf.h"
#include "base/civil.h"
#include "crawler/crawl/run_crawl.h"
#include "store/site.h"

#define SMALL_S 2 /* clocks are set right by less all the time */

void
run_time_begin(struct run *run)
{
	run->base_s = store_latest_s(run->options.store);
	run->base_ms = loop_now_ms(run->options.loop);
	(void)run_now_s(run);
}

int64_t
run_now_s(struct run *run)
{
	int64_t now_s = loop_now_s(run->options.loop);
	int64_t now_ms = loop_now_ms(run->options.loop);
	int64_t flown_s = run->base_s + (now_ms - run->base_ms) / 1000;

	if (now_s >= flown_s) {
		run->base_s = now_s;
		run->base_ms = now_ms;
		return now_s;
	}
	if (flown_s - now_s >= SMALL_S && run->behind_s == 0)
		run->behind_s = flown_s - now_s;
	return flown_s;
}

void
crawl_tell_time(struct run *run, uint32_t number)
{
	struct crawl *crawl = &run->crawls[number];
	struct buf text;

	if (run->behind_s == 0 || crawl->was_told_time)
		return;
	crawl->was_told_time = true;
	crawl->totals.codes[DIAG_CLOCK_JUMP]++;
	buf_init(&text, SIZE_MAX);
	(void)buf_print(&text, "the clock says ");
	time_print(&text, loop_now_s(run->options.loop));
	(void)buf_print(&text, ", and it has been ");
	time_print(&text, run_now_s(run));
	(void)buf_print(&text, " before; times go on from there");
	crawl_problem(
	    crawl, DIAG_CLOCK_JUMP, slice_make(NULL, 0), buf_text(&text));
	buf_release(&text);
}
