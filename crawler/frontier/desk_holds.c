/* Hosts that are left alone: see desk_held.h. */
#include "crawler/frontier/desk_holds.h"

#include "crawler/frontier/desk_hosts.h"
#include "crawler/frontier/desk_parts.h"
#include "sched/scheduler_holds.h"
#include "store/aside.h"
#include "store/site.h"

#define YEAR_S (366 * 86400)
/* A hold that is longer by less is no news. */
#define HOLD_NEWS_S 60

/* hold: the number of the host, and the kind, in the ranking. */
static void
tell_hold(struct desk *desk, uint32_t hold, int64_t until_s, const char *why)
{
	struct desk_held held = {
	    .host = slice_of(names_text(&desk->host_names, hold / HELD_KINDS)),
	    .is_pages = hold % HELD_KINDS == HELD_PAGES,
	    .until_s = until_s,
	    .why = why};

	desk->options.held(desk->options.arg, &held);
}

static void
note_hold(struct desk *desk, uint32_t hold, int64_t until_s, const char *why)
{
	bool is_known = ranking_has(&desk->holds, hold);
	bool is_news = !is_known ||
	    (double)until_s > ranking_key(&desk->holds, hold) + HOLD_NEWS_S;

	if (desk->options.held == NULL)
		return;
	if (until_s > desk->now_s) {
		ranking_put(&desk->holds, hold, (double)until_s);
		if (is_news)
			tell_hold(desk, hold, until_s, why);
	} else if (is_known) {
		ranking_remove(&desk->holds, hold);
		tell_hold(desk, hold, 0, why);
	}
}

void
holds_over(struct desk *desk)
{
	while (desk_hold_over_s(desk) <= desk->now_s) {
		uint32_t hold = ranking_first(&desk->holds)->number;

		ranking_remove(&desk->holds, hold);
		tell_hold(desk, hold, 0, "over");
	}
}

int64_t
desk_hold_over_s(const struct desk *desk)
{
	const struct ranking_item *first = ranking_first(&desk->holds);

	return first == NULL ? DESK_NEVER : (int64_t)first->key;
}

static void
tell_scheduler(struct desk *desk, uint32_t number, enum held_kind kind)
{
	const struct host_at *host = &desk->hosts[number];
	enum scheduler_hold_kind what = kind == HELD_PAGES
	    ? SCHEDULER_HOLD_PAGES
	    : SCHEDULER_HOLD_ALL;

	if (host->number == NONE)
		return;
	if (host->held_s[kind] <= desk->now_s)
		scheduler_unhold(desk->scheduler, host->number, what);
	else
		scheduler_hold(desk->scheduler, host->number, what, desk->now_s,
		    host->held_s[kind] - desk->now_s);
}

void
host_hold(struct desk *desk, uint32_t number, enum held_kind kind,
    int64_t until_s, const char *why)
{
	desk->hosts[number].held_s[kind] = until_s;
	note_hold(desk, number * HELD_KINDS + kind, until_s, why);
	tell_scheduler(desk, number, kind);
}

void
host_tell_held(struct desk *desk, uint32_t number)
{
	for (int kind = 0; kind < HELD_KINDS; kind++)
		if (desk->hosts[number].held_s[kind] > desk->now_s)
			tell_scheduler(desk, number, (enum held_kind)kind);
}

struct hold_times
host_times(const struct desk *desk, uint32_t number)
{
	const int64_t *held_s = desk->hosts[number].held_s;
	struct hold_times times = {0};

	if (held_s[HELD_ALL] > desk->now_s)
		times.all_s = held_s[HELD_ALL];
	if (held_s[HELD_PAGES] > desk->now_s)
		times.pages_s = held_s[HELD_PAGES];
	return times;
}

void
host_keep(struct desk *desk, uint32_t number)
{
	store_hold(desk->options.store,
	    slice_of(names_text(&desk->host_names, number)),
	    host_times(desk, number));
}

int64_t
host_held_s(const struct desk *desk, uint32_t number)
{
	const int64_t *held_s = desk->hosts[number].held_s;

	return held_s[HELD_ALL] > held_s[HELD_PAGES] ? held_s[HELD_ALL]
						     : held_s[HELD_PAGES];
}

static void
put_back(
    struct desk *desk, uint32_t number, enum held_kind kind, int64_t back_s)
{
	int64_t *held_s = &desk->hosts[number].held_s[kind];
	uint32_t hold = number * HELD_KINDS + kind;

	if (*held_s == INT64_MIN)
		return;
	/* what is over must not begin again */
	*held_s = *held_s > desk->now_s ? *held_s - back_s : 0;
	desk->has_moved_holds = true;
	if (ranking_has(&desk->holds, hold))
		ranking_put(&desk->holds, hold, (double)*held_s);
}

void
host_put_back(struct desk *desk, uint32_t number, int64_t back_s)
{
	put_back(desk, number, HELD_ALL, back_s);
	put_back(desk, number, HELD_PAGES, back_s);
}

bool
desk_hold(struct desk *desk, struct slice name, int64_t until_s, int64_t now_s,
    const char *why)
{
	uint32_t number;

	now_s = desk_clock(desk, now_s);
	if (until_s > now_s + YEAR_S)
		return false;
	number = host_put(desk, name);
	if (until_s > now_s && until_s < desk->hosts[number].held_s[HELD_ALL])
		return true;
	host_hold(desk, number, HELD_ALL, until_s, why);
	if (until_s <= now_s) {
		host_hold(desk, number, HELD_PAGES, until_s, why);
		aside_over(desk->options.store, name);
	}
	host_keep(desk, number);
	return true;
}

struct hold_times
desk_held(struct desk *desk, struct slice name)
{
	return host_times(desk, host_put(desk, name));
}

bool
desk_knows(struct desk *desk, struct slice name)
{
	uint32_t number = names_find(&desk->host_names, name);

	return (number != NAMES_NONE && desk->hosts[number].number != NONE) ||
	    store_site_find(desk->options.store, name) != 0;
}

void
host_pause(struct desk *desk, uint32_t number, int64_t until_s)
{
	scheduler_hold(desk->scheduler, desk->hosts[number].number,
	    SCHEDULER_HOLD_PAUSE, desk->now_s, until_s - desk->now_s);
}

void
host_unpause(struct desk *desk, uint32_t number)
{
	uint32_t host = desk->hosts[number].number;

	if (scheduler_held_s(desk->scheduler, host, SCHEDULER_HOLD_PAUSE) >
	    desk->now_s)
		scheduler_unhold(desk->scheduler, host, SCHEDULER_HOLD_PAUSE);
}
