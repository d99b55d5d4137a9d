/* The delay between two requests to a host: see frontier_pace.h. */
#include "crawler/frontier/frontier_pace.h"

#include "crawler/frontier/frontier_hand.h"
#include "crawler/frontier/frontier_internal.h"

#define SECOND_MS 1000
/* Who streams pages asks again within a second. */
#define STREAM_MS 2000
/* Hosts of long delays are looked at together, so often at most. */
#define GRAIN_MS 20
#define LONG_MS 200
/* While a fetcher has a page of a host we ask it nothing, for a minute. */
#define ALONE_MS 60000

static int64_t
now_ms(const struct frontier *frontier)
{
	return frontier->pacer.now_ms == NULL
	    ? frontier->now_s * SECOND_MS
	    : frontier->pacer.now_ms(frontier->pacer.clock);
}

/* What another frontier handed out before, at the end of the second that is
 * known: whoever has it does not know that the frontier is another one. */
static void
follow_former(struct frontier *frontier)
{
	int64_t at_ms = now_ms(frontier);

	for (size_t i = 0; i < frontier->host_count; i++) {
		struct host_at *host = &frontier->hosts[i];
		int64_t age_ms = (frontier->now_s - host->asked_s - 1) *
		    SECOND_MS;

		if (host->asked_s == 0 || host->paces != 0)
			continue;
		host->paced_ms = at_ms - (age_ms > 0 ? age_ms : 0);
		host->paces = 1;
	}
}

void
frontier_set_clock(
    struct frontier *frontier, int64_t (*clock_ms)(void *), void *clock)
{
	frontier->pacer.now_ms = clock_ms;
	frontier->pacer.clock = clock;
	follow_former(frontier);
}

void
frontier_set_handed(struct frontier *frontier,
    bool (*handed)(void *, struct slice, int64_t), void *arg)
{
	frontier->pacer.handed = handed;
	frontier->pacer.arg = arg;
}

/* When the delay of that host is over; now_ms: it is. */
static int64_t
over_ms(const struct frontier *frontier, uint32_t number, int64_t now_ms)
{
	const struct host_at *host = &frontier->hosts[number];
	int64_t until_ms = host->paced_ms + host->delay_ms * host->paces;

	/* it was never asked, or the clock is another one */
	if (host->paces == 0 || host->paced_ms > now_ms || until_ms < now_ms)
		return now_ms;
	return until_ms;
}

bool
pace_allows(struct frontier *frontier, const struct frontier_consumer *consumer,
    uint32_t number)
{
	int64_t at_ms, until_ms;

	/* or the scheduler does not space it */
	if (!consumer->is_spaced && frontier->hosts[number].number != NONE)
		return true;
	at_ms = now_ms(frontier);
	until_ms = over_ms(frontier, number, at_ms);
	if (until_ms <= at_ms)
		return true;
	if (frontier->hosts[number].delay_ms >= LONG_MS)
		until_ms += GRAIN_MS - 1 - (until_ms + GRAIN_MS - 1) % GRAIN_MS;
	if (until_ms < frontier->soon_ms)
		frontier->soon_ms = until_ms;
	return false;
}

/* We ask it nothing for so long; what we want to ask goes before a page. */
static void
spare(struct frontier *frontier, uint32_t number, int64_t wait_ms)
{
	struct slice name = slice_of(names_text(&frontier->host_names, number));

	frontier->hosts[number].paces = 1;
	if (frontier->pacer.handed != NULL &&
	    frontier->pacer.handed(frontier->pacer.arg, name, wait_ms))
		frontier->hosts[number].paces = 2;
}

void
pace_handed(struct frontier *frontier, uint32_t number, bool is_alone)
{
	struct host_at *host = &frontier->hosts[number];

	if (host->delay_ms <= 0)
		return;
	host->paced_ms = now_ms(frontier);
	spare(frontier, number,
	    is_alone && host->delay_ms < ALONE_MS ? ALONE_MS : host->delay_ms);
}

/* A result may lie about for a while before it is heard: it was asked for no
 * later than any of its times say. */
void
pace_told(struct frontier *frontier, uint32_t number,
    const struct frontier_result *result)
{
	struct host_at *host = &frontier->hosts[number];
	int64_t at_ms = now_ms(frontier);
	int64_t age_ms = result->ms;

	/* the second of at_s may just have begun, or be over */
	if (result->at_s > 0 && result->at_s < frontier->now_s &&
	    (frontier->now_s - result->at_s - 1) * SECOND_MS > age_ms)
		age_ms = (frontier->now_s - result->at_s - 1) * SECOND_MS;
	if (host->delay_ms > 0 && at_ms - age_ms > host->paced_ms)
		host->paced_ms = at_ms - age_ms;
}

void
pace_over(struct frontier *frontier, uint32_t number)
{
	struct host_at *host = &frontier->hosts[number];
	int64_t at_ms = now_ms(frontier);
	int64_t over_ms = host->paced_ms + host->delay_ms;

	if (host->delay_ms > 0 && host->paces > 0)
		spare(frontier, number, over_ms > at_ms ? over_ms - at_ms : 0);
}

void
pace_asked_for(
    struct frontier *frontier, const struct frontier_consumer *consumer)
{
	if (consumer->is_spaced)
		frontier->streamed_ms = now_ms(frontier);
}

int64_t
frontier_asked(struct frontier *frontier, struct slice name)
{
	uint32_t number = names_find(&frontier->host_names, name);
	struct host_at *host;
	int64_t at_ms = now_ms(frontier);

	if (number == NAMES_NONE || number >= frontier->host_count)
		return 0;
	host = &frontier->hosts[number];
	if (host->delay_ms <= 0)
		return 0;
	host->paced_ms = at_ms;
	host->paces = 1;
	if (host->shelf_count == 0 || frontier->streamed_ms > at_ms ||
	    frontier->streamed_ms < at_ms - STREAM_MS)
		return 0;
	return 2 * host->delay_ms;
}

int64_t
frontier_paced_ms(struct frontier *frontier)
{
	int64_t wait_ms = INT64_MAX;

	if (frontier->soon_ms != INT64_MAX)
		wait_ms = frontier->soon_ms - now_ms(frontier);
	frontier->soon_ms = INT64_MAX;
	return wait_ms > 0 ? wait_ms : 1;
}
