/* When pages may be handed out: see desk_when.h. */
#include "crawler/frontier/desk_when.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/frontier/desk_holds.h"
#include "crawler/frontier/desk_homes.h"
#include "crawler/frontier/desk_hosts.h"
#include "crawler/frontier/desk_lease.h"
#include "crawler/frontier/desk_parts.h"
#include "crawler/frontier/desk_strays.h"
#include "crawler/frontier/desk_tags.h"
#include "crawler/frontier/desk_wanted.h"
#include "sched/scheduler_some.h"

struct when {
	struct desk *desk;
	const struct desk_taker *taker;
	int64_t *ready_s; /* owned: of each site; DESK_NEVER: it is not asked */
	int64_t
	    freed_s; /* the first lease is over; DESK_NEVER: there is none */
	int64_t next_s; /* the first of all, and */
	uint32_t site; /* whose it is; NONE: there is none */
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
	int64_t at_s = host_ready_s(when->desk, name, taker->is_spaced);

	if (!taker_has_room(when->desk, taker, name) ||
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
note(struct when *when, int64_t at_s, uint32_t document)
{
	if (at_s >= when->next_s)
		return;
	when->next_s = at_s;
	when->site = when->desk->documents[document].site;
}

/* spent_tag(desk, site, ready_s, spent): false: no tag holds it for so long. */
static bool
spent_tag(const struct desk *desk, const struct site_at *site, int64_t ready_s,
    struct desk_spent *spent)
{
	for (size_t i = 0; i < desk->tag_count; i++) {
		const struct tag_at *tag = &desk->tags[i];
		struct slice name = slice_of(tag->name);

		if (tag->per_hour <= 0 || !strings_has(&site->tags, name) ||
		    scheduler_tag_ready_s(desk->scheduler, tag->number) <
			ready_s)
			continue;
		*spent = (struct desk_spent){"tag", name, tag->per_hour};
		return true;
	}
	return false;
}

/* What the first one waits for, if that is a budget. */
static struct desk_spent
spent_of(const struct when *when)
{
	struct desk *desk = when->desk;
	struct desk_spent spent = {0};
	const struct site_at *site;
	const struct host_at *host;
	int64_t ready_s;

	if (when->site == NONE)
		return spent;
	site = &desk->sites[when->site];
	host = &desk->hosts[site->host];
	ready_s = when->ready_s[when->site];
	if (ready_s <= desk->now_s || ready_s < when->next_s ||
	    host_held_s(desk, site->host) >= ready_s)
		return spent;
	if (desk->options.requests_per_hour > 0 &&
	    scheduler_all_ready_s(desk->scheduler) >= ready_s)
		spent = (struct desk_spent){
		    .of = "total", .per_hour = desk->options.requests_per_hour};
	else if (!spent_tag(desk, site, ready_s, &spent) &&
	    host->per_hour > 0 && host->rate >= host->per_hour)
		/* else its delay is longer than what the budget gives */
		spent = (struct desk_spent){"site",
		    slice_of(names_text(&desk->host_names, site->host)),
		    host->per_hour};
	return spent;
}

int64_t
desk_next_s(struct desk *desk, struct desk_taker *taker, int64_t now_s,
    struct desk_spent *spent)
{
	const struct ranking_item *first;
	struct when when = {.desk = desk,
	    .taker = taker,
	    .freed_s = DESK_NEVER,
	    .next_s = DESK_NEVER,
	    .site = NONE};

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
		note(&when, page_s(&when, i), desk->pages[i].document);
	for (uint32_t i = 0; i < desk->document_count; i++)
		note(&when, listed_s(&when, i), i);
	*spent = spent_of(&when);
	free(when.ready_s);
	/* it might have been had, and was not: the time is not over */
	return later(when.next_s, now_s + 1);
}
