/* The delay between two requests to a host: see desk_pace.h. */
#include "crawler/frontier/desk_pace.h"

#include "crawler/frontier/desk_hand.h"
#include "crawler/frontier/desk_internal.h"

#define SECOND_MS 1000
/* Who streams pages asks again within a second. */
#define STREAM_MS 2000
/* Hosts of long delays are looked at together, so often at most. */
#define GRAIN_MS 20
#define LONG_MS 200
/* While a fetcher has a page of a host we ask it nothing, for a minute. */
#define ALONE_MS 60000

static int64_t
now_ms(const struct desk *desk)
{
	return desk->pacer.now_ms == NULL
	    ? desk->now_s * SECOND_MS
	    : desk->pacer.now_ms(desk->pacer.clock);
}

/* What another desk handed out before, at the end of the second that is known:
 * whoever has it does not know that the desk is another one. */
static void
follow_former(struct desk *desk)
{
	int64_t at_ms = now_ms(desk);

	for (size_t i = 0; i < desk->host_count; i++) {
		struct host_at *host = &desk->hosts[i];
		int64_t age_ms = (desk->now_s - host->asked_s - 1) * SECOND_MS;

		if (host->asked_s == 0 || host->paces != 0)
			continue;
		host->paced_ms = at_ms - (age_ms > 0 ? age_ms : 0);
		host->paces = 1;
	}
}

void
desk_set_clock(struct desk *desk, int64_t (*clock_ms)(void *), void *clock)
{
	desk->pacer.now_ms = clock_ms;
	desk->pacer.clock = clock;
	follow_former(desk);
}

void
desk_set_handed(
    struct desk *desk, bool (*handed)(void *, struct slice, int64_t), void *arg)
{
	desk->pacer.handed = handed;
	desk->pacer.arg = arg;
}

/* When the delay of that host is over; now_ms: it is. */
static int64_t
over_ms(const struct desk *desk, uint32_t number, int64_t now_ms)
{
	const struct host_at *host = &desk->hosts[number];
	int64_t until_ms = host->paced_ms + host->delay_ms * host->paces;

	/* it was never asked, or the clock is another one */
	if (host->paces == 0 || host->paced_ms > now_ms || until_ms < now_ms)
		return now_ms;
	return until_ms;
}

bool
pace_allows(struct desk *desk, const struct desk_taker *taker, uint32_t number)
{
	int64_t at_ms, until_ms;

	/* or the scheduler does not space it */
	if (!taker->is_spaced && desk->hosts[number].number != NONE)
		return true;
	at_ms = now_ms(desk);
	until_ms = over_ms(desk, number, at_ms);
	if (until_ms <= at_ms)
		return true;
	if (desk->hosts[number].delay_ms >= LONG_MS)
		until_ms += GRAIN_MS - 1 - (until_ms + GRAIN_MS - 1) % GRAIN_MS;
	if (until_ms < desk->soon_ms)
		desk->soon_ms = until_ms;
	return false;
}

/* We ask it nothing for so long; what we want to ask goes before a page. */
static void
spare(struct desk *desk, uint32_t number, int64_t wait_ms)
{
	struct slice name = slice_of(names_text(&desk->host_names, number));

	desk->hosts[number].paces = 1;
	if (desk->pacer.handed != NULL &&
	    desk->pacer.handed(desk->pacer.arg, name, wait_ms))
		desk->hosts[number].paces = 2;
}

void
pace_handed(struct desk *desk, uint32_t number, bool is_alone)
{
	struct host_at *host = &desk->hosts[number];

	if (host->delay_ms <= 0)
		return;
	host->paced_ms = now_ms(desk);
	spare(desk, number,
	    is_alone && host->delay_ms < ALONE_MS ? ALONE_MS : host->delay_ms);
}

/* A result may lie about for a while before it is heard: it was asked for no
 * later than any of its times say. */
void
pace_told(struct desk *desk, uint32_t number, const struct desk_result *result)
{
	struct host_at *host = &desk->hosts[number];
	int64_t at_ms = now_ms(desk);
	int64_t age_ms = result->ms;

	/* the second of at_s may just have begun, or be over */
	if (result->at_s > 0 && result->at_s < desk->now_s &&
	    (desk->now_s - result->at_s - 1) * SECOND_MS > age_ms)
		age_ms = (desk->now_s - result->at_s - 1) * SECOND_MS;
	if (host->delay_ms > 0 && at_ms - age_ms > host->paced_ms)
		host->paced_ms = at_ms - age_ms;
}

void
pace_over(struct desk *desk, uint32_t number)
{
	struct host_at *host = &desk->hosts[number];
	int64_t at_ms = now_ms(desk);
	int64_t over_ms = host->paced_ms + host->delay_ms;

	if (host->delay_ms > 0 && host->paces > 0)
		spare(desk, number, over_ms > at_ms ? over_ms - at_ms : 0);
}

void
pace_asked_for(struct desk *desk, const struct desk_taker *taker)
{
	if (taker->is_spaced)
		desk->streamed_ms = now_ms(desk);
}

int64_t
desk_asked(struct desk *desk, struct slice name)
{
	uint32_t number = names_find(&desk->host_names, name);
	struct host_at *host;
	int64_t at_ms = now_ms(desk);

	if (number == NAMES_NONE || number >= desk->host_count)
		return 0;
	host = &desk->hosts[number];
	if (host->delay_ms <= 0)
		return 0;
	host->paced_ms = at_ms;
	host->paces = 1;
	if (host->shelf_count == 0 || desk->streamed_ms > at_ms ||
	    desk->streamed_ms < at_ms - STREAM_MS)
		return 0;
	return 2 * host->delay_ms;
}

int64_t
desk_paced_ms(struct desk *desk)
{
	int64_t wait_ms = INT64_MAX;

	if (desk->soon_ms != INT64_MAX)
		wait_ms = desk->soon_ms - now_ms(desk);
	desk->soon_ms = INT64_MAX;
	return wait_ms > 0 ? wait_ms : 1;
}
