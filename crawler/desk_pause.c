/* Pauses, which are no holds: see desk_pause.h. */
#include "crawler/desk_pause.h"

#include "sched/scheduler_tell.h"

int64_t
host_held_s(const struct desk *desk, uint32_t number)
{
	const struct host_at *host = &desk->hosts[number];
	int64_t held_s;

	if (host->number == NONE)
		return INT64_MIN;
	held_s = scheduler_held_s(desk->scheduler, host->number);
	return host->paused_s != INT64_MIN && held_s == host->paused_s
	    ? host->unpaused_s
	    : held_s;
}

void
host_put_back(struct desk *desk, uint32_t number, int64_t back_s)
{
	struct host_at *host = &desk->hosts[number];

	if (host->paused_s <= desk->now_s) {
		host->paused_s = host->unpaused_s = INT64_MIN;
		return;
	}
	host->paused_s -= back_s;
	host->unpaused_s = host->unpaused_s > desk->now_s
	    ? host->unpaused_s - back_s
	    : INT64_MIN;
}

void
host_pause(struct desk *desk, uint32_t number, int64_t until_s)
{
	struct host_at *host = &desk->hosts[number];

	if (scheduler_held_s(desk->scheduler, host->number) >= until_s)
		return;
	host->unpaused_s = host_held_s(desk, number);
	host->paused_s = until_s;
	scheduler_hold(
	    desk->scheduler, host->number, desk->now_s, until_s - desk->now_s);
}

void
host_unpause(struct desk *desk, uint32_t number)
{
	struct host_at *host = &desk->hosts[number];

	if (host->paused_s <= desk->now_s ||
	    scheduler_held_s(desk->scheduler, host->number) != host->paused_s)
		return;
	host->paused_s = INT64_MIN;
	scheduler_unhold(desk->scheduler, host->number);
	if (host->unpaused_s > desk->now_s)
		scheduler_hold(desk->scheduler, host->number, desk->now_s,
		    host->unpaused_s - desk->now_s);
}
