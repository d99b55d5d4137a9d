/* The driver's clock. */
#include "crawler/crawl/run_clock.h"

#include "crawler/event/loop.h"

#define SMALL_S 2 /* smaller corrections of the clock are normal */

void
run_clock_init(struct run_clock *clock, struct loop *loop, int64_t latest_s)
{
	*clock = (struct run_clock){
	    .loop = loop, .base_s = latest_s, .base_ms = loop_now_ms(loop)};
	(void)run_clock_now_s(clock);
}

int64_t
run_clock_now_s(struct run_clock *clock)
{
	int64_t now_s = loop_now_s(clock->loop);
	int64_t now_ms = loop_now_ms(clock->loop);
	int64_t flown_s = clock->base_s + (now_ms - clock->base_ms) / 1000;

	if (now_s >= flown_s) {
		clock->base_s = now_s;
		clock->base_ms = now_ms;
		return now_s;
	}
	if (flown_s - now_s >= SMALL_S && clock->behind_s == 0)
		clock->behind_s = flown_s - now_s;
	return flown_s;
}
