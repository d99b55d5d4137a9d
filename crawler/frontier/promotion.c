/* Listed URLs become pages. */
#include "crawler/frontier/promotion.h"

#include <stdlib.h>
#include <string.h>

#include "base/page_filter.h"
#include "base/sort.h"
#include "base/url.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_tables.h"
#include "crawler/frontier/page_parents.h"
#include "sched/scheduler_next.h"
#include "store/changes.h"
#include "store/page.h"

/* The candidate cache remembers so many of the best candidates of a document
 * in each order, or fewer where many documents take turns.  When they are used
 * up, the document is read again, which takes a few milliseconds for the
 * largest documents. */
#define CANDIDATES_MAX 1000
/* The work of matching rules with stars while a document is gone through.
 * URLs that are not matched in the pass are matched before their lease. */
#define LOOK_WORK 2000000
/* The least memory of a remembered candidate, to know how many there may be. */
#define PAGE_LEAST_BYTES 48

/* The orders take turns.  With one order alone, the first candidates of the
 * other one would wait as long as new pages come, or as long as pages remain
 * that change little. */
enum order {
	ORDER_NEWS, /* what was added last first */
	ORDER_LASTING, /* what stays right for longest first */
	ORDERS,
};

struct candidate {
	/* owned; lastmod is DATE_NONE if none can be believed */
	struct candidate_page *page;
	int64_t first_seen_s;
	/* its time, or SCHEDULER_NO_DATE where dates carry no weight */
	int64_t order_s;
	double rate; /* changes a day of its folder */
	uint32_t position; /* among candidates that are alike */
};

/* The best candidates in one order. */
struct shortlist {
	enum order order;
	/* owned, and their pages; at last sorted, with the best at the end */
	struct candidate *items;
	size_t count, cap;
	bool is_cut; /* some were left out; the first is better than these */
};

/* One pass through the entries of a document. */
struct pick {
	struct frontier *f;
	uint32_t document;
	uint32_t most; /* candidates in a shortlist */
	uint32_t found; /* candidates, with those that were not kept */
	const struct frontier_consumer *consumer;
	uint32_t refused; /* candidates that the consumer does not want */
	bool is_distrusted; /* SPEC R-116: its dates carry no weight */
	bool are_alike; /* all rates so far: both orders are the same */
	double rate; /* of the first candidate */
	uint64_t work_most; /* rules are matched until origins.work is this */
	uint32_t origin; /* of the last entry */
	uint32_t unknown; /* the last origin of: */
	struct fifo unknowns; /* origins without a robots.txt yet */
	struct section_memo folder;
	struct shortlist lists[ORDERS];
};

/* The orders: what comes next stands last. A first fetch stays right for
 * 1/rate, and is worth as much. */
static const struct sort_key orders[ORDERS][5] = {
    [ORDER_NEWS] = {{SORT_KEY(struct candidate, first_seen_s)},
	{SORT_KEY(struct candidate, order_s)},
	{SORT_KEY(struct candidate, rate), .is_falling = true},
	{SORT_KEY(struct candidate, position), .is_falling = true}},
    [ORDER_LASTING] = {{SORT_KEY(struct candidate, rate), .is_falling = true},
	{SORT_KEY(struct candidate, first_seen_s)},
	{SORT_KEY(struct candidate, order_s)},
	{SORT_KEY(struct candidate, position), .is_falling = true}}};

/* Sort a shortlist, and keep only the best of it. */
static void
shortlist_cut(struct shortlist *line, size_t most)
{
	size_t over = line->count > most ? line->count - most : 0;

	sort_rows(line->items, line->count, sizeof(*line->items),
	    orders[line->order]);
	for (size_t i = 0; i < over; i++)
		free(line->items[i].page);
	line->count -= over;
	if (over > 0)
		memmove(line->items, line->items + over,
		    line->count * sizeof(*line->items));
	line->is_cut = line->is_cut || over > 0;
}

/* Put a candidate into the shortlist, unless so many are better. */
static void
remember(struct shortlist *line, size_t most, const struct candidate *one,
    struct slice url, const struct date *lastmod)
{
	struct candidate *item;

	if (line->is_cut &&
	    sort_compare(one, &line->items[0],
		(void *)(uintptr_t)orders[line->order]) < 0)
		return;
	item = MEM_PUSH(line->items, line->count, line->cap);
	*item = *one;
	item->page = candidate_page_new(url, lastmod, one->first_seen_s);
	if (line->count == 2 * most)
		shortlist_cut(line, most);
}

/* Choosing candidates. */

/* Does robots.txt allow the URL?  Most entries are of the same origin as the
 * entry before. */
static bool
promotion_is_allowed(struct pick *pick, struct slice url, uint32_t site)
{
	struct frontier *f = pick->f;
	struct slice origin = {0};
	const struct origin_item *of;
	enum frontier_robots verdict;

	if (pick->origin != NONE)
		origin = names_slice(&f->origins.names, pick->origin);
	if (pick->origin == NONE || !slice_starts(url, origin) ||
	    origin.len == url.len || url.p[origin.len] != '/') {
		origin = url_parts(url).origin;
		pick->origin = origin_put(f, origin, site);
	}
	/* When the work is used up, what was not matched is allowed: the page
	 * is judged again before it is leased. */
	of = origin_at(f, pick->origin);
	verdict = FRONTIER_ROBOTS_ALLOW;
	if (!of->is_judged || of->fallback != FRONTIER_ROBOTS_ALLOW ||
	    f->origins.work < pick->work_most)
		verdict = origin_judge(f, pick->origin,
		    slice_from(url, origin.len),
		    site_filter(f, site_at(f, site), false), NULL);
	if (verdict == FRONTIER_ROBOTS_UNKNOWN &&
	    pick->origin != pick->unknown) {
		fifo_put(&pick->unknowns, pick->origin);
		pick->unknown = pick->origin;
	}
	return verdict == FRONTIER_ROBOTS_ALLOW ||
	    (verdict == FRONTIER_ROBOTS_UNKNOWN && f->is_own);
}

static bool
consider(void *arg, const struct entry *entry)
{
	struct pick *pick = arg;
	struct frontier *f = pick->f;
	uint32_t site = document_at(f, pick->document)->site;
	/* Candidates that are alike come in this order: the first of the
	 * document, the one in the middle, those at the quarters, and so on:
	 * the position is the ordinal with its bits reversed.  Sitemaps list
	 * folder after folder, and the first pages should show in which folders
	 * much changes. */
	uint32_t position = 0;

	for (int bit = 0; bit < 32; bit++)
		position |= (entry->ordinal >> bit & 1) << (31 - bit);
	struct candidate one = {.first_seen_s = entry->first_seen_s,
	    .order_s = SCHEDULER_NO_DATE,
	    .position = position};
	struct date lastmod = {0};
	uint32_t known;
	bool is_day;

	if (entry->missed > 0 || entry->verdict != VERDICT_ACCEPTED)
		return true;
	known = idmap_get(&f->page_by_url, page_key(f, entry->url));
	if (known != NONE)
		page_listed_by(f, known, pick->document, &entry->lastmod);
	if (known != NONE ||
	    !site_wants(f, site_at(f, site), entry->url, &entry->lastmod,
		entry->first_seen_s) ||
	    !promotion_is_allowed(pick, entry->url, site))
		return true;
	if (!page_filter_wants(pick->consumer->filter, entry->url,
		&entry->lastmod, entry->first_seen_s, f->now_s)) {
		pick->refused++;
		return true;
	}
	pick->found++;
	if (date_doubt(&entry->lastmod, f->now_s) == DIAG_OK)
		lastmod = entry->lastmod;
	if (!pick->is_distrusted)
		one.order_s = signal_date(&lastmod, &is_day);
	/* Rates that differ by less than a float can tell are alike. */
	one.rate = (float)section_rate(f, site, entry->url, &pick->folder);
	bool is_alike = !(one.rate < pick->rate) && !(one.rate > pick->rate);

	if (pick->found == 1)
		pick->rate = one.rate;
	else if (pick->are_alike && !is_alike) {
		/* The rates of candidates differ: fill both shortlists from now
		 * on. */
		const struct shortlist *from = &pick->lists[ORDER_NEWS];
		struct shortlist *to = &pick->lists[ORDER_LASTING];

		pick->are_alike = false;
		if (from->count != 0) {
			to->items = mem_grow(to->items, &to->cap, from->count,
			    sizeof(*to->items));
			to->is_cut = from->is_cut;
			for (; to->count < from->count; to->count++) {
				struct candidate *copy = &to->items[to->count];

				*copy = from->items[to->count];
				copy->page = candidate_page_new(
				    slice_make(
					copy->page->url, copy->page->url_len),
				    &copy->page->lastmod, copy->first_seen_s);
			}
		}
	}
	remember(
	    &pick->lists[ORDER_NEWS], pick->most, &one, entry->url, &lastmod);
	if (!pick->are_alike)
		remember(&pick->lists[ORDER_LASTING], pick->most, &one,
		    entry->url, &lastmod);
	return true;
}

/* Go through a document, and tell the scheduler how many candidates it has. */
static void
promotion_look(struct frontier *f, struct pick *pick)
{
	struct scheduler_terms terms;

	scheduler_explain_document(
	    f->scheduler, pick->document, f->now_s, &terms);
	pick->is_distrusted = terms.is_distrusted;
	for (int order = 0; order < ORDERS; order++)
		pick->lists[order].order = (enum order)order;
	store_each_entry(
	    f->store, document_at(f, pick->document)->id, consider, pick);
	for (size_t i = 0; i < pick->unknowns.end; i++)
		document_of_robots(f, pick->unknowns.items[i],
		    document_at(f, pick->document)->site);
	free(pick->unknowns.items);
	for (int order = 0; order < ORDERS; order++)
		shortlist_cut(&pick->lists[order], pick->most);
	/* without the candidate that is promoted now */
	scheduler_listed(f->scheduler, pick->document,
	    pick->refused + (pick->found > 0 ? pick->found - 1 : 0));
}

/* Make a page of a candidate, which is freed; NONE: it is one already, or the
 * store failed. */
static uint32_t
candidate_promote(
    struct frontier *f, uint32_t document, struct candidate_page *one)
{
	struct page_listing listing = {.is_listed = true,
	    .lastmod = one->lastmod,
	    .first_seen_s = one->first_seen_s};
	struct page_row row = {.document_id = document_at(f, document)->id,
	    .url = slice_make(one->url, one->url_len),
	    .weight = 1,
	    .is_listed = true,
	    .lastmod = one->lastmod,
	    .first_seen_s = one->first_seen_s};
	uint32_t page = NONE;

	/* the URL was promoted in the other order, or from another document */
	if (idmap_get(&f->page_by_url, page_key(f, row.url)) == NONE)
		row.id = store_page_add(f->store, row.document_id, row.url);
	if (row.id > 0) {
		store_page_set(
		    f->store, row.id, &(struct page_told){.listing = &listing});
		page = page_promote(f, &row, true);
	}
	free(one);
	return page;
}

/* Go through the document, promote the best candidate in that order, and
 * remember the next ones in both. */
static uint32_t
promotion_fill(struct frontier *f, uint64_t key, enum order order,
    const struct frontier_consumer *consumer)
{
	uint32_t document = (uint32_t)key;
	size_t room = candidate_cache_room(&f->candidates, key);
	size_t most = room / PAGE_LEAST_BYTES + 1;
	struct pick pick = {.f = f,
	    .document = document,
	    .consumer = consumer,
	    .most = most < CANDIDATES_MAX ? (uint32_t)most : CANDIDATES_MAX,
	    .work_most = f->origins.work + LOOK_WORK,
	    .are_alike = true,
	    .origin = NONE,
	    .unknown = NONE};
	struct candidate_row row = {.document = key, .room = (uint32_t)room};
	struct shortlist *list;
	uint32_t page = NONE;

	promotion_look(f, &pick);
	row.is_one = pick.are_alike;
	list = &pick.lists[row.is_one ? ORDER_NEWS : order];
	while (page == NONE && list->count > 0)
		page = candidate_promote(
		    f, document, list->items[--list->count].page);
	for (int i = 0; i < ORDERS; i++) {
		const struct shortlist *from = &pick.lists[i];

		/* the best one is the last, and comes first in the queue */
		for (size_t k = 0; k < from->count; k++) {
			from->items[k].page->next = row.queues[i].first;
			row.queues[i].first = from->items[k].page;
		}
		free(from->items);
	}
	row.is_empty = page == NONE && pick.refused > 0;
	candidate_cache_put(&f->candidates, &row);
	return page;
}

uint32_t
promotion_next(struct frontier *f, uint32_t document,
    const struct frontier_consumer *consumer)
{
	uint64_t key = (uint64_t)passed_filter(f, consumer) << 32 | document;
	/* The number of promoted entries alternates the orders, and a promotion
	 * that fails does not change it. */
	enum order order = document_at(f, document)->promoted % ORDERS;
	struct candidate_page *next;
	uint32_t page = NONE;

	while (page == NONE &&
	    (next = candidate_cache_take(&f->candidates, key, (int)order)) !=
		NULL)
		page = candidate_promote(f, document, next);
	if (page == NONE && !candidate_cache_is_empty(&f->candidates, key))
		page = promotion_fill(f, key, order, consumer);
	/* the scheduler does not choose the document again at once */
	if (page == NONE)
		scheduler_listed(f->scheduler, document, 0);
	if (page == NONE && candidate_cache_is_empty(&f->candidates, key))
		passed_add(f, consumer, item_of(ITEM_LISTED, document));
	else if (page == NONE ||
	    document_at(f, document)->promoted >=
		document_at(f, document)->listed)
		candidate_cache_forget(&f->candidates, key);
	return page;
}
