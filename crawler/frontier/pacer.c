/* The delay between two requests to a host. */
#include "crawler/frontier/pacer.h"

#include <stdlib.h>

#include "base/civil.h"
#include "base/mem.h"
#include "crawler/frontier/frontier_context.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_result.h"
#include "crawler/frontier/host_table.h"
#include "store/hold.h"
#include "store/store.h"

/* A consumer that streams pages asks again within a second. */
#define STREAM_MS 2000
/* Hosts with long delays are looked at together, every GRAIN_MS. */
#define GRAIN_MS 20
#define LONG_MS 200
/* While a fetcher has a page of a host freshet does not ask it, for a minute;
 * if it has several, for the time that they take and a minute. */
#define ALONE_MS 60000
/* No Crawl-delay is longer (SPEC R-105). */
#define DELAY_MOST_MS 60000
/* A host that freshet waits for is looked at again after this time. */
#define ASKED_MS 100

struct pacer {
	const struct frontier_context *context;
	struct host_table *hosts;
	int64_t (*now_ms)(void *clock); /* NULL: none */
	void *clock;
	bool (*leased)(void *arg, struct slice host, int64_t wait_ms);
	void *arg;
	int64_t soon_ms; /* for pacer_paced_ms() */
	int64_t streamed_ms; /* when a consumer last asked for a stream */
};

struct pacer *
pacer_new(const struct frontier_context *context, struct host_table *hosts)
{
	struct pacer *pacer = mem_zero(sizeof(*pacer));

	pacer->context = context;
	pacer->hosts = hosts;
	pacer->soon_ms = INT64_MAX;
	pacer->streamed_ms = INT64_MIN;
	return pacer;
}

void
pacer_free(struct pacer *pacer)
{
	free(pacer);
}

static int64_t
pacer_now_ms(const struct pacer *pacer)
{
	return pacer->now_ms == NULL ? pacer->context->now_s * SECOND_MS
				     : pacer->now_ms(pacer->clock);
}

/* When the delay of a host is over; not before now_ms. */
static int64_t
over_ms(const struct pacer *pacer, uint32_t number, int64_t now_ms)
{
	const struct host_item *host = host_at(pacer->hosts, number);
	int64_t until_ms = host->paced_ms + host->delay_ms * host->paces;

	/* the host was never asked, or the clock is another one */
	if (host->paces == 0 || host->paced_ms > now_ms || until_ms < now_ms)
		return now_ms;
	return until_ms;
}

/* For how long freshet does not ask the host; is_alone: all of its pages that
 * are leased are with one consumer, whose fetcher asks for one after another.
 */
static int64_t
wait_of(const struct pacer *pacer, uint32_t number, bool is_alone)
{
	const struct host_item *host = host_at(pacer->hosts, number);
	int64_t wait_ms = host->delay_ms;

	if (!is_alone || host->leases == 0)
		return wait_ms;
	if (wait_ms < ALONE_MS)
		wait_ms = ALONE_MS;
	return wait_ms + (host->leases - 1) * host->delay_ms;
}

/* The driver of another process may have asked the host: the request log knows
 * that, also of documents that could not be read. */
static void
pacer_recall(struct pacer *pacer, uint32_t number, int64_t at_ms)
{
	struct host_item *host = host_at(pacer->hosts, number);
	int64_t delay_ms, age_ms;
	int64_t last_s = store_request_log_last(pacer->context->options.store,
	    slice_of(host_name(pacer->hosts, number)), &delay_ms);

	host->is_recalled = true;
	age_ms = (pacer->context->now_s - last_s - 1) * SECOND_MS;
	if (age_ms < 0)
		age_ms = 0;
	if (last_s == 0 ||
	    (host->paces > 0 && host->paced_ms >= at_ms - age_ms))
		return;
	host->paced_ms = at_ms - age_ms;
	if (host->paces == 0)
		host->paces = 1;
}

void
pacer_set_clock(struct pacer *pacer, int64_t (*clock_ms)(void *), void *clock)
{
	pacer->now_ms = clock_ms;
	pacer->clock = clock;
	/* Pages leased by the previous owner of the store: their fetchers do
	 * not know that the owner changed.  The store has the second of the
	 * lease; the delay counts from its end.  An owner that was killed may
	 * have sent any host a request a moment ago, of which the store knows
	 * nothing. */
	int64_t at_ms = pacer_now_ms(pacer);
	int64_t killed_s = store_killed_s(
	    pacer->context->options.store, pacer->context->now_s);

	for (uint32_t i = 0; i < host_count(pacer->hosts); i++) {
		struct host_item *host = host_at(pacer->hosts, i);
		bool was_killed = killed_s > host->asked_s;
		int64_t last_s = was_killed ? killed_s : host->asked_s;
		int64_t age_ms = (pacer->context->now_s - last_s - 1) *
		    SECOND_MS;
		int64_t delay_ms, wait_ms;

		if (host->paces != 0 || last_s == 0 || host->delay_ms <= 0)
			continue;
		host->paced_ms = at_ms;
		if (age_ms > 0)
			host->paced_ms -= age_ms;
		host->paces = 1;
		/* the driver knows of the kill itself */
		wait_ms = 0;
		if (host->leases > 0) {
			wait_ms = wait_of(pacer, i, true);
		} else if (!was_killed && age_ms < DELAY_MOST_MS) {
			/* no robots.txt was read yet; the log knows what one
			 * said */
			(void)store_request_log_last(
			    pacer->context->options.store,
			    slice_of(host_name(pacer->hosts, i)), &delay_ms);
			if (delay_ms < host->delay_ms)
				delay_ms = host->delay_ms;
			wait_ms = host->paced_ms + delay_ms - at_ms;
		}
		if (wait_ms > 0 && pacer->leased != NULL)
			(void)pacer->leased(pacer->arg,
			    slice_of(host_name(pacer->hosts, i)), wait_ms);
	}
}

void
pacer_set_leased(struct pacer *pacer,
    bool (*leased)(void *, struct slice, int64_t), void *arg)
{
	pacer->leased = leased;
	pacer->arg = arg;
}

static void
pacer_look_at(struct pacer *pacer, int64_t at_ms)
{
	if (at_ms < pacer->soon_ms)
		pacer->soon_ms = at_ms;
}

bool
pace_allows(struct pacer *pacer, const struct frontier_consumer *consumer,
    uint32_t number)
{
	int64_t at_ms, until_ms;

	if (!host_at(pacer->hosts, number)->is_recalled &&
	    pacer->now_ms != NULL)
		pacer_recall(pacer, number, pacer_now_ms(pacer));
	if (host_at(pacer->hosts, number)->is_asked &&
	    host_at(pacer->hosts, number)->delay_ms > 0) {
		pacer_look_at(pacer, pacer_now_ms(pacer) + ASKED_MS);
		return false;
	}
	/* A consumer spaces the pages itself that it has at once, and the
	 * scheduler sees to it that it does not get too many. */
	if (!consumer->is_spaced &&
	    host_at(pacer->hosts, number)->number != NONE &&
	    (host_at(pacer->hosts, number)->leases > 0 ||
		pacer->now_ms == NULL))
		return true;
	at_ms = pacer_now_ms(pacer);
	until_ms = over_ms(pacer, number, at_ms);
	if (until_ms <= at_ms)
		return true;
	if (host_at(pacer->hosts, number)->delay_ms >= LONG_MS)
		until_ms += GRAIN_MS - 1 - (until_ms + GRAIN_MS - 1) % GRAIN_MS;
	pacer_look_at(pacer, until_ms);
	return false;
}

/* A page of the host was leased, so freshet itself sends no request to the host
 * for wait_ms.  If freshet has a request to send, it comes after one delay, and
 * the next page is leased after two. */
static void
spare(struct pacer *pacer, uint32_t number, int64_t wait_ms)
{
	struct slice name = slice_of(host_name(pacer->hosts, number));
	struct host_item *host = host_at(pacer->hosts, number);

	host->paces = 1;
	if (pacer->leased != NULL && pacer->leased(pacer->arg, name, wait_ms))
		host->paces = 2;
}

void
pace_leased(struct pacer *pacer, uint32_t number, bool is_alone)
{
	struct host_item *host = host_at(pacer->hosts, number);

	if (host->delay_ms <= 0)
		return;
	host->paced_ms = pacer_now_ms(pacer);
	spare(pacer, number, wait_of(pacer, number, is_alone));
}

/* A result may come long after the fetch.  The page was requested no later than
 * any of the times in the result say. */
void
pace_result(
    struct pacer *pacer, uint32_t number, const struct frontier_result *result)
{
	struct host_item *host = host_at(pacer->hosts, number);
	int64_t at_ms = pacer_now_ms(pacer);
	int64_t age_ms = result->ms;

	/* at_s may be the beginning or the end of that second */
	if (result->at_s > 0 && result->at_s < pacer->context->now_s &&
	    (pacer->context->now_s - result->at_s - 1) * SECOND_MS > age_ms)
		age_ms = (pacer->context->now_s - result->at_s - 1) * SECOND_MS;
	if (host->delay_ms > 0 && at_ms - age_ms > host->paced_ms)
		host->paced_ms = at_ms - age_ms;
}

void
pace_returned(struct pacer *pacer, uint32_t number)
{
	struct host_item *host = host_at(pacer->hosts, number);
	int64_t at_ms = pacer_now_ms(pacer);
	int64_t over_ms = host->paced_ms + host->delay_ms;

	if (host->delay_ms > 0 && host->paces > 0)
		spare(pacer, number, over_ms > at_ms ? over_ms - at_ms : 0);
}

void
pace_asked(struct pacer *pacer, const struct frontier_consumer *consumer)
{
	if (consumer->is_spaced)
		pacer->streamed_ms = pacer_now_ms(pacer);
}

int64_t
pacer_asked(struct pacer *pacer, struct slice name, bool is_under_way)
{
	uint32_t number = host_find(pacer->hosts, name);
	struct host_item *host;
	int64_t at_ms = pacer_now_ms(pacer);

	if (number == NONE)
		return 0;
	host = host_at(pacer->hosts, number);
	host->is_asked = is_under_way;
	if (host->delay_ms <= 0)
		return 0;
	host->paced_ms = at_ms;
	host->paces = 1;
	if (fifo_is_empty(&host->ready) || pacer->streamed_ms > at_ms ||
	    pacer->streamed_ms < at_ms - STREAM_MS)
		return 0;
	return 2 * host->delay_ms;
}

bool
pacer_has_paced(const struct pacer *pacer)
{
	return pacer->soon_ms != INT64_MAX;
}

int64_t
pacer_paced_ms(struct pacer *pacer)
{
	int64_t wait_ms = INT64_MAX;

	if (pacer->soon_ms != INT64_MAX)
		wait_ms = pacer->soon_ms - pacer_now_ms(pacer);
	pacer->soon_ms = INT64_MAX;
	return wait_ms > 0 ? wait_ms : 1;
}
