/* When pages may be handed out: see desk_hand.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/desk_homes.h"
#include "crawler/desk_hosts.h"
#include "crawler/desk_lease.h"
#include "crawler/desk_parts.h"
#include "crawler/desk_strays.h"
#include "crawler/desk_wanted.h"
#include "sched/scheduler_some.h"

struct when {
	struct desk *desk;
	const struct desk_taker *taker;
	int64_t *ready_s; /* owned: of each site; DESK_NEVER: it is not asked */
	int64_t
	    freed_s; /* the first lease is over; DESK_NEVER: there is none */
};

static int64_t
later(int64_t a_s, int64_t b_s)
{
	return a_s > b_s ? a_s : b_s;
}

/* When its host may be asked, and the taker may have one more of it. */
static int64_t
host_s(const struct when *when, uint32_t name)
{
	const struct desk_taker *taker = when->taker;
	const struct host_at *host = &when->desk->hosts[name];
	int64_t at_s = host_ready_s(when->desk, name, taker->is_spaced);

	if ((taker->per_host > 0 && host->leases >= taker->per_host) ||
	    !taker_may(taker, name) || !taker_has_time(when->desk, taker, name))
		at_s = later(at_s, when->freed_s);
	return at_s;
}

static int64_t
page_s(const struct when *when, uint32_t number)
{
	struct desk *desk = when->desk;
	const struct page_at *page = &desk->pages[number];
	int64_t ready_s = when->ready_s[desk->documents[page->document].site];
	int64_t at_s = desk->now_s;

	if (ready_s == DESK_NEVER || !home_is_wanted(desk, number) ||
	    (page->flags & (PAGE_CLOSED | PAGE_LEFT)) != 0)
		return DESK_NEVER;
	if ((page->flags & PAGE_LEASED) != 0)
		at_s = later(
		    (int64_t)ranking_key(&desk->leases, number), ready_s);
	else if ((page->flags & PAGE_SHELVED) == 0)
		at_s = later(
		    scheduler_page_due_s(desk->scheduler, number), ready_s);
	if (at_s == DESK_NEVER)
		return at_s;
	return later(at_s, host_s(when, desk->origins[page->origin].host));
}

/* Of what it lists, and is no page yet. */
static int64_t
listed_s(const struct when *when, uint32_t number)
{
	const struct document_at *document = &when->desk->documents[number];
	int64_t ready_s = when->ready_s[document->site];
	int64_t at_s;

	if (ready_s == DESK_NEVER || document->is_index)
		return DESK_NEVER;
	at_s = scheduler_listed_due_s(when->desk->scheduler, number);
	if (at_s == DESK_NEVER)
		return at_s;
	return later(later(at_s, ready_s),
	    host_s(when, when->desk->sites[document->site].host));
}

static void
note(int64_t *next_s, int64_t at_s)
{
	if (at_s < *next_s)
		*next_s = at_s;
}

int64_t
desk_next_s(struct desk *desk, struct desk_taker *taker, int64_t now_s)
{
	const struct ranking_item *first;
	struct when when = {
	    .desk = desk, .taker = taker, .freed_s = DESK_NEVER};
	int64_t next_s = DESK_NEVER;

	now_s = desk_clock(desk, now_s);
	strays_settle(desk);
	wanted_refresh(desk, taker);
	first = ranking_first(&desk->leases);
	if (first != NULL)
		when.freed_s = (int64_t)first->key;
	when.ready_s = mem_alloc((desk->site_count + 1) * sizeof(int64_t));
	for (uint32_t i = 0; i < desk->site_count; i++)
		when.ready_s[i] = wanted_has(taker, i) &&
			!desk->sites[i].is_removed
		    ? scheduler_site_ready_s(
			  desk->scheduler, desk->sites[i].number)
		    : DESK_NEVER;
	for (uint32_t i = 0; i < desk->page_count; i++)
		note(&next_s, page_s(&when, i));
	for (uint32_t i = 0; i < desk->document_count; i++)
		note(&next_s, listed_s(&when, i));
	free(when.ready_s);
	/* it might have been had, and was not: the time is not over */
	return later(next_s, now_s + 1);
}
