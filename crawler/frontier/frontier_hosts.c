/* The frontier's hosts: their limits, their holds and their delays. */
#include "crawler/frontier/frontier_hosts.h"

#include "base/civil.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_tables.h"

/* Hosts with long delays are looked at together, every GRAIN_MS. */
#define GRAIN_MS 20
#define LONG_MS 200
/* A host that freshet waits for is looked at again after this time. */
#define BUSY_MS 100
/* options.held is not called for a hold that is longer by less. */
#define HOLD_NEWS_S 60

/* Limits. */

void
host_limit(struct frontier *f, uint32_t number)
{
	struct host *host = f->hosts->items[number];
	double per_hour = host->per_hour;
	bool is_budget = per_hour > 0;

	host_set_delay(f->hosts, host);
	if (host->delay_ms > 0 &&
	    (per_hour <= 0 || per_hour > HOUR_MS / (double)host->delay_ms)) {
		per_hour = HOUR_MS / (double)host->delay_ms;
		is_budget = false;
	}
	host->rate = per_hour;
	if (host->limit != NONE)
		scheduler_set_host(f->scheduler, host->limit,
		    &(struct scheduler_host){.requests_per_hour = per_hour,
			.burst_ms = f->context.options.burst_ms,
			.is_budget = is_budget});
}

uint32_t
host_keep(struct frontier *f, struct slice name)
{
	uint32_t number = host_put(f->hosts, name);
	struct host *host = f->hosts->items[number];

	if (host->is_kept)
		return number;
	host->is_kept = true;
	host_limit(f, number);
	return number;
}

bool
host_lets(struct frontier *f, const struct frontier_consumer *consumer,
    uint32_t number)
{
	struct host *host = f->hosts->items[number];
	int64_t now_ms = host_table_now_ms(f->hosts);
	int64_t ready_ms, delay_ms;
	enum host_why why;

	/* The driver of another process may have asked the host: the request
	 * log knows that, also of documents that could not be read. */
	if (!host->is_recalled && f->hosts->clock_ms != NULL) {
		int64_t last_s = store_asked_s(f->store,
		    slice_of(names_text(&f->hosts->names, number)),
		    f->context.now_s, &delay_ms);

		host_recall(f->hosts, host, last_s, f->context.now_s, delay_ms);
	}
	ready_ms = host_ready_ms(f->hosts, host, HOST_PAGES, &why);
	if (why == HOST_FREE)
		return true;
	/* A consumer spaces the pages itself that it has at once, and the
	 * scheduler sees to it that it does not get too many. */
	if (why != HOST_BUSY && why != HOST_HELD && !consumer->is_spaced &&
	    host->limit != NONE &&
	    (host->leases > 0 || f->hosts->clock_ms == NULL))
		return true;
	if (why == HOST_BUSY)
		ready_ms = now_ms + BUSY_MS;
	else if (host->delay_ms >= LONG_MS)
		ready_ms += GRAIN_MS - 1 - (ready_ms + GRAIN_MS - 1) % GRAIN_MS;
	if (ready_ms < f->paced_ms)
		f->paced_ms = ready_ms;
	return false;
}

bool
frontier_has_paced(const struct frontier *f)
{
	return f->paced_ms != INT64_MAX;
}

int64_t
frontier_paced_ms(struct frontier *f)
{
	int64_t wait_ms = INT64_MAX;

	if (f->paced_ms != INT64_MAX)
		wait_ms = f->paced_ms - host_table_now_ms(f->hosts);
	f->paced_ms = INT64_MAX;
	return wait_ms > 0 ? wait_ms : 1;
}

/* Reporting holds. */

void
host_report_hold(
    struct frontier *f, uint32_t hold, int64_t until_s, const char *why)
{
	struct frontier_held held = {
	    .host = slice_of(names_text(&f->hosts->names, hold / HELD_KINDS)),
	    .is_pages = hold % HELD_KINDS == HELD_PAGES,
	    .until_s = until_s,
	    .why = why};

	f->context.options.held(f->context.options.arg, &held);
}

int64_t
frontier_hold_over_s(const struct frontier *f)
{
	const struct ranking_item *first = ranking_first(&f->holds);

	return first == NULL ? FRONTIER_NEVER : (int64_t)first->key;
}

/* Holding. */

void
host_tell_hold(struct frontier *f, const struct host *host, enum held_kind kind)
{
	if (host->limit == NONE)
		return;
	if (host->held_s[kind] <= f->context.now_s)
		scheduler_unhold(f->scheduler, host->limit, kind);
	else
		scheduler_hold(f->scheduler, host->limit, kind,
		    f->context.now_s, host->held_s[kind] - f->context.now_s);
}

void
host_on_held(void *arg, struct host *host, enum held_kind kind, const char *why)
{
	struct frontier *f = arg;
	int64_t until_s = host->held_s[kind];
	uint32_t hold = host->number * HELD_KINDS + kind;
	const struct ranking_item *known = ranking_find(&f->holds, hold);
	bool is_known = known != NULL;
	bool is_news = !is_known || (double)until_s > known->key + HOLD_NEWS_S;

	/* A host that only the driver knew must not lose its number before the
	 * end of the hold is reported. */
	(void)host_keep(
	    f, slice_of(names_text(&f->hosts->names, host->number)));
	if (f->context.options.held != NULL) {
		if (until_s > f->context.now_s) {
			ranking_put(&f->holds, hold, (double)until_s);
			if (is_news)
				host_report_hold(f, hold, until_s, why);
		} else if (is_known) {
			ranking_remove(&f->holds, hold);
			host_report_hold(f, hold, 0, why);
		}
	}
	host_tell_hold(f, host, kind);
}

struct hold_times
host_times(const struct frontier *f, uint32_t number)
{
	const int64_t *held_s = f->hosts->items[number]->held_s;
	struct hold_times times = {0};

	if (held_s[HELD_ALL] > f->context.now_s)
		times.all_s = held_s[HELD_ALL];
	if (held_s[HELD_PAGES] > f->context.now_s)
		times.pages_s = held_s[HELD_PAGES];
	return times;
}

int64_t
host_held_s(const struct host *host)
{
	return host->held_s[HELD_ALL] > host->held_s[HELD_PAGES]
	    ? host->held_s[HELD_ALL]
	    : host->held_s[HELD_PAGES];
}
