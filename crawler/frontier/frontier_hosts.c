/* Hosts, their limits and holds: see frontier_hosts.h. */
#include "crawler/frontier/frontier_hosts.h"

#include "sched/host_queue.h"
#include "sched/scheduler_hosts.h"
#include "store/aside.h"
#include "store/site.h"

#define HOUR_MS 3600000.0
#define SECOND_MS 1000
#define YEAR_S (366 * 86400)
/* options.held is not called for a hold that is longer by less. */
#define HOLD_NEWS_S 60

/* Limits. */

/* A host of this machine that was named as such: no delay is needed. */
static bool
is_local(struct slice host)
{
	return slice_is(host, "localhost") || slice_is(host, "[::1]") ||
	    slice_starts(host, slice_of("127."));
}

/* The delay of a crawl: the rule of the host or the default, and no less than
 * its Crawl-delay. */
static int64_t
delay_of(const struct frontier *frontier, uint32_t number)
{
	struct slice name = slice_of(host_name(frontier->hosts, number));
	const struct site_rules *rules = frontier->options.rules(
	    frontier->options.rules_arg, name);
	int64_t delay_ms = host_queue_options_default().delay_ms;

	if (rules->has_delay)
		delay_ms = rules->delay_ms;
	else if (is_local(name))
		delay_ms = 0;
	if (host_at(frontier->hosts, number)->crawl_delay_ms > delay_ms)
		delay_ms = host_at(frontier->hosts, number)->crawl_delay_ms;
	return delay_ms;
}

void
host_limit(struct frontier *frontier, uint32_t number)
{
	struct host_item *host = host_at(frontier->hosts, number);
	double per_hour = host->per_hour;
	struct scheduler_host limit;
	bool is_budget = per_hour > 0;

	host->delay_ms = delay_of(frontier, number);
	if (host->delay_ms > 0 &&
	    (per_hour <= 0 || per_hour > HOUR_MS / (double)host->delay_ms)) {
		per_hour = HOUR_MS / (double)host->delay_ms;
		is_budget = false;
	}
	host->rate = per_hour;
	/* The budget counts seconds; frontier_pace.h keeps the delay to the
	 * millisecond. */
	budget_change(&host->spacing, frontier->now_s * SECOND_MS, per_hour,
	    host->delay_ms + 2 * SECOND_MS);
	if (host->number == NONE)
		return;
	limit = (struct scheduler_host){.requests_per_hour = per_hour,
	    .burst_ms = frontier->options.burst_ms,
	    .is_budget = is_budget};
	scheduler_set_host(frontier->scheduler, host->number, &limit);
}

uint32_t
host_put(struct frontier *frontier, struct slice name)
{
	bool is_new;
	uint32_t number = host_add(frontier->hosts, name, &is_new);

	if (!is_new)
		return number;
	budget_init(&host_at(frontier->hosts, number)->spacing, 0, 0);
	host_limit(frontier, number);
	return number;
}

/* Reporting holds.  A hold is numbered host * HELD_KINDS + kind. */

static void
report_hold(
    struct frontier *frontier, uint32_t hold, int64_t until_s, const char *why)
{
	struct frontier_held held = {
	    .host = slice_of(host_name(frontier->hosts, hold / HELD_KINDS)),
	    .is_pages = hold % HELD_KINDS == HELD_PAGES,
	    .until_s = until_s,
	    .why = why};

	frontier->options.held(frontier->options.arg, &held);
}

static void
note_hold(
    struct frontier *frontier, uint32_t hold, int64_t until_s, const char *why)
{
	bool is_known = ranking_has(&frontier->holds, hold);
	bool is_news = !is_known ||
	    (double)until_s > ranking_key(&frontier->holds, hold) + HOLD_NEWS_S;

	if (frontier->options.held == NULL)
		return;
	if (until_s > frontier->now_s) {
		ranking_put(&frontier->holds, hold, (double)until_s);
		if (is_news)
			report_hold(frontier, hold, until_s, why);
	} else if (is_known) {
		ranking_remove(&frontier->holds, hold);
		report_hold(frontier, hold, 0, why);
	}
}

int64_t
frontier_hold_over_s(const struct frontier *frontier)
{
	const struct ranking_item *first = ranking_first(&frontier->holds);

	return first == NULL ? FRONTIER_NEVER : (int64_t)first->key;
}

void
holds_over(struct frontier *frontier)
{
	while (frontier_hold_over_s(frontier) <= frontier->now_s) {
		uint32_t hold = ranking_first(&frontier->holds)->number;

		ranking_remove(&frontier->holds, hold);
		report_hold(frontier, hold, 0, "over");
	}
}

/* Holding. */

static void
hold_scheduler(struct frontier *frontier, uint32_t number, enum held_kind kind)
{
	const struct host_item *host = host_at(frontier->hosts, number);
	enum scheduler_hold_kind what = kind == HELD_PAGES
	    ? SCHEDULER_HOLD_PAGES
	    : SCHEDULER_HOLD_ALL;

	if (host->number == NONE)
		return;
	if (host->held_s[kind] <= frontier->now_s)
		scheduler_unhold(frontier->scheduler, host->number, what);
	else
		scheduler_hold(frontier->scheduler, host->number, what,
		    frontier->now_s, host->held_s[kind] - frontier->now_s);
}

void
host_hold(struct frontier *frontier, uint32_t number, enum held_kind kind,
    int64_t until_s, const char *why)
{
	host_at(frontier->hosts, number)->held_s[kind] = until_s;
	note_hold(frontier, number * HELD_KINDS + kind, until_s, why);
	hold_scheduler(frontier, number, kind);
}

void
host_hold_again(struct frontier *frontier, uint32_t number)
{
	const int64_t *held_s = host_at(frontier->hosts, number)->held_s;

	for (int kind = 0; kind < HELD_KINDS; kind++)
		if (held_s[kind] > frontier->now_s)
			hold_scheduler(frontier, number, (enum held_kind)kind);
}

struct hold_times
host_times(const struct frontier *frontier, uint32_t number)
{
	const int64_t *held_s = host_at(frontier->hosts, number)->held_s;
	struct hold_times times = {0};

	if (held_s[HELD_ALL] > frontier->now_s)
		times.all_s = held_s[HELD_ALL];
	if (held_s[HELD_PAGES] > frontier->now_s)
		times.pages_s = held_s[HELD_PAGES];
	return times;
}

void
host_save_hold(struct frontier *frontier, uint32_t number)
{
	store_hold(frontier->options.store,
	    slice_of(host_name(frontier->hosts, number)),
	    host_times(frontier, number));
}

int64_t
host_held_s(const struct frontier *frontier, uint32_t number)
{
	const int64_t *held_s = host_at(frontier->hosts, number)->held_s;

	return held_s[HELD_ALL] > held_s[HELD_PAGES] ? held_s[HELD_ALL]
						     : held_s[HELD_PAGES];
}

bool
frontier_hold(struct frontier *frontier, struct slice name, int64_t until_s,
    int64_t now_s, const char *why)
{
	uint32_t number;

	now_s = frontier_clock(frontier, now_s);
	if (until_s > now_s + YEAR_S)
		return false;
	number = host_put(frontier, name);
	if (until_s > now_s &&
	    until_s < host_at(frontier->hosts, number)->held_s[HELD_ALL])
		return true;
	host_hold(frontier, number, HELD_ALL, until_s, why);
	if (until_s <= now_s) {
		host_hold(frontier, number, HELD_PAGES, until_s, why);
		aside_over(frontier->options.store, name);
	}
	host_save_hold(frontier, number);
	return true;
}

struct hold_times
frontier_held(struct frontier *frontier, struct slice name)
{
	return host_times(frontier, host_put(frontier, name));
}

bool
frontier_knows(struct frontier *frontier, struct slice name)
{
	uint32_t number = host_find(frontier->hosts, name);

	return (number != NONE &&
		   host_at(frontier->hosts, number)->number != NONE) ||
	    store_site_find(frontier->options.store, name) != 0;
}

int64_t
host_ready_s(struct frontier *frontier, uint32_t number, bool is_spaced)
{
	struct host_item *host = host_at(frontier->hosts, number);
	int64_t ready_s = frontier->now_s;

	if (host_held_s(frontier, number) > ready_s)
		ready_s = host_held_s(frontier, number);
	if (is_spaced || host->number == NONE) {
		int64_t free_ms = budget_ready_ms(
		    &host->spacing, frontier->now_s * SECOND_MS);

		free_ms = (free_ms + SECOND_MS - 1) / SECOND_MS;
		ready_s = free_ms > ready_s ? free_ms : ready_s;
	}
	return ready_s;
}

/* Pauses. */

void
host_pause(struct frontier *frontier, uint32_t number, int64_t until_s)
{
	scheduler_hold(frontier->scheduler,
	    host_at(frontier->hosts, number)->number, SCHEDULER_HOLD_PAUSE,
	    frontier->now_s, until_s - frontier->now_s);
}

void
host_unpause(struct frontier *frontier, uint32_t number)
{
	uint32_t host = host_at(frontier->hosts, number)->number;

	if (scheduler_held_s(frontier->scheduler, host, SCHEDULER_HOLD_PAUSE) >
	    frontier->now_s)
		scheduler_unhold(
		    frontier->scheduler, host, SCHEDULER_HOLD_PAUSE);
}
