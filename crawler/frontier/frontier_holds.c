/* Hosts that are left alone: see frontier_held.h. */
#include "crawler/frontier/frontier_holds.h"

#include "crawler/frontier/frontier_hosts.h"
#include "crawler/frontier/frontier_parts.h"
#include "sched/scheduler_hosts.h"
#include "store/aside.h"
#include "store/site.h"

#define YEAR_S (366 * 86400)
/* A hold that is longer by less is no news. */
#define HOLD_NEWS_S 60

/* hold: the number of the host, and the kind, in the ranking. */
static void
tell_hold(
    struct frontier *frontier, uint32_t hold, int64_t until_s, const char *why)
{
	struct frontier_held held = {
	    .host = slice_of(
		names_text(&frontier->host_names, hold / HELD_KINDS)),
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
			tell_hold(frontier, hold, until_s, why);
	} else if (is_known) {
		ranking_remove(&frontier->holds, hold);
		tell_hold(frontier, hold, 0, why);
	}
}

void
holds_over(struct frontier *frontier)
{
	while (frontier_hold_over_s(frontier) <= frontier->now_s) {
		uint32_t hold = ranking_first(&frontier->holds)->number;

		ranking_remove(&frontier->holds, hold);
		tell_hold(frontier, hold, 0, "over");
	}
}

int64_t
frontier_hold_over_s(const struct frontier *frontier)
{
	const struct ranking_item *first = ranking_first(&frontier->holds);

	return first == NULL ? FRONTIER_NEVER : (int64_t)first->key;
}

static void
tell_scheduler(struct frontier *frontier, uint32_t number, enum held_kind kind)
{
	const struct host_at *host = &frontier->hosts[number];
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
	frontier->hosts[number].held_s[kind] = until_s;
	note_hold(frontier, number * HELD_KINDS + kind, until_s, why);
	tell_scheduler(frontier, number, kind);
}

void
host_tell_held(struct frontier *frontier, uint32_t number)
{
	for (int kind = 0; kind < HELD_KINDS; kind++)
		if (frontier->hosts[number].held_s[kind] > frontier->now_s)
			tell_scheduler(frontier, number, (enum held_kind)kind);
}

struct hold_times
host_times(const struct frontier *frontier, uint32_t number)
{
	const int64_t *held_s = frontier->hosts[number].held_s;
	struct hold_times times = {0};

	if (held_s[HELD_ALL] > frontier->now_s)
		times.all_s = held_s[HELD_ALL];
	if (held_s[HELD_PAGES] > frontier->now_s)
		times.pages_s = held_s[HELD_PAGES];
	return times;
}

void
host_keep(struct frontier *frontier, uint32_t number)
{
	store_hold(frontier->options.store,
	    slice_of(names_text(&frontier->host_names, number)),
	    host_times(frontier, number));
}

int64_t
host_held_s(const struct frontier *frontier, uint32_t number)
{
	const int64_t *held_s = frontier->hosts[number].held_s;

	return held_s[HELD_ALL] > held_s[HELD_PAGES] ? held_s[HELD_ALL]
						     : held_s[HELD_PAGES];
}

static void
put_back(struct frontier *frontier, uint32_t number, enum held_kind kind,
    int64_t back_s)
{
	int64_t *held_s = &frontier->hosts[number].held_s[kind];
	uint32_t hold = number * HELD_KINDS + kind;

	if (*held_s == INT64_MIN)
		return;
	/* what is over must not begin again */
	*held_s = *held_s > frontier->now_s ? *held_s - back_s : 0;
	frontier->has_moved_holds = true;
	if (ranking_has(&frontier->holds, hold))
		ranking_put(&frontier->holds, hold, (double)*held_s);
}

void
host_put_back(struct frontier *frontier, uint32_t number, int64_t back_s)
{
	put_back(frontier, number, HELD_ALL, back_s);
	put_back(frontier, number, HELD_PAGES, back_s);
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
	    until_s < frontier->hosts[number].held_s[HELD_ALL])
		return true;
	host_hold(frontier, number, HELD_ALL, until_s, why);
	if (until_s <= now_s) {
		host_hold(frontier, number, HELD_PAGES, until_s, why);
		aside_over(frontier->options.store, name);
	}
	host_keep(frontier, number);
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
	uint32_t number = names_find(&frontier->host_names, name);

	return (number != NAMES_NONE &&
		   frontier->hosts[number].number != NONE) ||
	    store_site_find(frontier->options.store, name) != 0;
}

void
host_pause(struct frontier *frontier, uint32_t number, int64_t until_s)
{
	scheduler_hold(frontier->scheduler, frontier->hosts[number].number,
	    SCHEDULER_HOLD_PAUSE, frontier->now_s, until_s - frontier->now_s);
}

void
host_unpause(struct frontier *frontier, uint32_t number)
{
	uint32_t host = frontier->hosts[number].number;

	if (scheduler_held_s(frontier->scheduler, host, SCHEDULER_HOLD_PAUSE) >
	    frontier->now_s)
		scheduler_unhold(
		    frontier->scheduler, host, SCHEDULER_HOLD_PAUSE);
}
