/* What documents list and nobody asked for yet: see frontier_listed.h. */
#include "crawler/frontier/frontier_listed.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/frontier/frontier_documents.h"
#include "crawler/frontier/frontier_hosts.h"
#include "crawler/frontier/frontier_parts.h"
#include "crawler/frontier/frontier_sections.h"
#include "crawler/frontier/frontier_sites.h"
#include "crawler/frontier/frontier_told.h"
#include "sched/scheduler_events.h"
#include "sched/scheduler_explain.h"
#include "store/since.h"

/* Of a document so many are remembered, in each order, and fewer where many
 * documents take turns (frontier_rows.h); then it is gone through once more: a
 * few milliseconds for the largest. */
#define LINE_MAX_ITEMS 1000
/* Of rules with stars that its pages are tried on meanwhile; what that leaves
 * is tried before it is handed out. */
#define LOOK_WORK 2000000
/* Of a page that is remembered, at least, to know how many there may be. */
#define PAGE_LEAST_BYTES 48

/* They take turns: one alone would leave what the other has first waiting for
 * as long as new pages come, or quiet ones are left. */
enum order {
	ORDER_NEWS, /* what was added last first */
	ORDER_LASTING, /* what is right for longest first */
	ORDERS,
};

struct candidate {
	char *url; /* owned */
	int64_t first_seen_s;
	int64_t lastmod_s; /* SCHEDULER_NO_DATE: none that can be believed */
	int64_t order_s; /* the same, where dates carry weight */
	float rate; /* changes a day, as pages of its folder */
	uint32_t place; /* among those that are alike: place_of */
	bool is_day;
};

/* Candidates in one order. */
struct shortlist {
	enum order order;
	struct candidate *items; /* owned, and their URLs; the last is next */
	size_t count, cap;
};

/* Going through a document. */
struct pick {
	struct frontier *frontier;
	uint32_t document;
	uint32_t most; /* that are remembered in each order */
	uint32_t found; /* also what is not remembered */
	bool is_distrusted; /* SPEC R-116: its dates carry no weight */
	bool are_alike; /* all rates: the second order is as the first */
	float rate; /* of the first that was found */
	uint32_t origin, unknown; /* the last; the last of these: */
	struct numbers unknowns; /* origins without a robots.txt yet */
	struct section_memo folder;
	struct shortlist lines[ORDERS];
};

/*
 * Of pages that are alike the first of the document comes first, then that in
 * its middle, those at its quarters, and so on: the bits of the ordinal from
 * the last to the first.  Documents list folder after folder, and the first
 * pages are to show in which of them much changes.
 */
static uint32_t
place_of(uint32_t ordinal)
{
	uint32_t place = 0;

	for (int bit = 0; bit < 32; bit++)
		place |= (ordinal >> bit & 1) << (31 - bit);
	return place;
}

/* Does a come after b? */
static bool
is_after(enum order order, const struct candidate *a, const struct candidate *b)
{
	/* A first fetch is worth 1/rate: it is right for so long. */
	bool is_shorter = a->rate > b->rate;
	bool is_longer = a->rate < b->rate;

	if (order == ORDER_LASTING && (is_shorter || is_longer))
		return is_shorter;
	if (a->first_seen_s != b->first_seen_s)
		return a->first_seen_s < b->first_seen_s;
	if (a->order_s != b->order_s)
		return a->order_s < b->order_s;
	if (is_shorter || is_longer)
		return is_shorter;
	return a->place > b->place;
}

static void
swap(struct candidate *a, struct candidate *b)
{
	struct candidate c = *a;

	*a = *b;
	*b = c;
}

/* A heap whose first comes after all others. */
static void
sink(const struct shortlist *line, size_t count, size_t at)
{
	struct candidate *items = line->items;

	for (;;) {
		size_t last = at;

		for (size_t i = 2 * at + 1; i <= 2 * at + 2 && i < count; i++)
			if (is_after(line->order, &items[i], &items[last]))
				last = i;
		if (last == at)
			return;
		swap(&items[at], &items[last]);
		at = last;
	}
}

static void
rise(const struct shortlist *line, size_t at)
{
	struct candidate *items = line->items;

	while (
	    at > 0 && is_after(line->order, &items[at], &items[(at - 1) / 2])) {
		swap(&items[at], &items[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

static void
remember(struct shortlist *line, size_t most, const struct entry *entry,
    const struct candidate *one)
{
	size_t at = 0;

	if (line->count == most) {
		if (!is_after(line->order, &line->items[0], one))
			return;
		free(line->items[0].url);
	} else {
		line->items = mem_grow(line->items, &line->cap, line->count + 1,
		    sizeof(*line->items));
		at = line->count++;
	}
	line->items[at] = *one;
	line->items[at].url = slice_dup(entry->url);
	if (at > 0)
		rise(line, at);
	else
		sink(line, line->count, 0);
}

/* Rates are not alike: both orders are needed from here on. */
static void
part(struct pick *pick)
{
	const struct shortlist *from = &pick->lines[ORDER_NEWS];
	struct shortlist *to = &pick->lines[ORDER_LASTING];

	pick->are_alike = false;
	if (from->count == 0)
		return;
	to->items = mem_grow(
	    to->items, &to->cap, from->count, sizeof(*to->items));
	for (; to->count < from->count; to->count++) {
		to->items[to->count] = from->items[to->count];
		to->items[to->count].url = mem_copy(from->items[to->count].url);
	}
}

static void
remember_all(
    struct pick *pick, const struct entry *entry, const struct candidate *one)
{
	bool is_alike = !(one->rate < pick->rate) && !(one->rate > pick->rate);

	if (pick->found == 1)
		pick->rate = one->rate;
	else if (pick->are_alike && !is_alike)
		part(pick);
	remember(&pick->lines[ORDER_NEWS], pick->most, entry, one);
	if (!pick->are_alike)
		remember(&pick->lines[ORDER_LASTING], pick->most, entry, one);
}

/* May it be asked for?  Most entries are of the origin of the one before. */
static bool
is_allowed(struct pick *pick, struct slice url, uint32_t site)
{
	struct frontier *frontier = pick->frontier;
	struct slice origin = {0};
	enum frontier_robots verdict;

	if (pick->origin != NONE)
		origin = slice_of(
		    names_text(&frontier->origin_names, pick->origin));
	if (pick->origin == NONE || !slice_starts(url, origin) ||
	    origin.len == url.len || url.p[origin.len] != '/') {
		origin = frontier_url(url).origin;
		pick->origin = origin_put(frontier, origin, site);
	}
	verdict = origin_judge_if_cheap(
	    frontier, pick->origin, slice_from(url, origin.len));
	if (verdict == FRONTIER_ROBOTS_UNKNOWN &&
	    pick->origin != pick->unknown) {
		frontier_dirty(&pick->unknowns, pick->origin);
		pick->unknown = pick->origin;
	}
	return verdict == FRONTIER_ROBOTS_ALLOW;
}

static bool
consider(void *arg, const struct entry *entry)
{
	struct pick *pick = arg;
	struct frontier *frontier = pick->frontier;
	uint32_t site = frontier->documents[pick->document].site;
	struct candidate one = {.first_seen_s = entry->first_seen_s,
	    .lastmod_s = SCHEDULER_NO_DATE,
	    .order_s = SCHEDULER_NO_DATE,
	    .place = place_of(entry->ordinal)};
	uint32_t known;

	if (entry->missed > 0 || entry->verdict != VERDICT_ACCEPTED)
		return true;
	known = page_by_url(frontier, entry->url);
	if (known != NONE)
		told_listed(frontier, known, pick->document, &entry->lastmod);
	if (known != NONE || !site_wants(&frontier->sites[site], entry->url) ||
	    !is_allowed(pick, entry->url, site))
		return true;
	pick->found++;
	if (date_doubt(&entry->lastmod, frontier->now_s) == DIAG_OK)
		one.lastmod_s = told_date(&entry->lastmod, &one.is_day);
	if (!pick->is_distrusted)
		one.order_s = one.lastmod_s;
	one.rate = (float)section_rate(
	    frontier, site, entry->url, &pick->folder);
	remember_all(pick, entry, &one);
	return true;
}

/* In order: the heap's first goes to the end of what is left. */
static void
sort(struct shortlist *line)
{
	for (size_t left = line->count; left > 1; left--) {
		swap(&line->items[0], &line->items[left - 1]);
		sink(line, left - 1, 0);
	}
	for (size_t i = 0; i < line->count / 2; i++)
		swap(&line->items[i], &line->items[line->count - 1 - i]);
}

/* What the document lists now; how many there are is told. */
static void
look(struct frontier *frontier, struct pick *pick)
{
	struct scheduler_terms terms;

	scheduler_explain_document(
	    frontier->scheduler, pick->document, frontier->now_s, &terms);
	pick->is_distrusted = terms.is_distrusted;
	for (int order = 0; order < ORDERS; order++)
		pick->lines[order].order = (enum order)order;
	store_each_entry(frontier->options.store,
	    frontier->documents[pick->document].id, consider, pick);
	for (size_t i = 0; i < pick->unknowns.count; i++)
		document_of_robots(frontier, pick->unknowns.items[i],
		    frontier->documents[pick->document].site);
	free(pick->unknowns.items);
	for (int order = 0; order < ORDERS; order++)
		sort(&pick->lines[order]);
	/* one of them was asked for */
	scheduler_listed(frontier->scheduler, pick->document,
	    pick->found > 0 ? pick->found - 1 : 0);
}

static uint32_t
promote(
    struct frontier *frontier, uint32_t document, const struct row_page *one)
{
	struct page_told told = {.is_listed = true,
	    .has_lastmod = one->lastmod_s != SCHEDULER_NO_DATE,
	    .is_day = one->is_day};
	struct page_row row = {.document_id = frontier->documents[document].id,
	    .url = one->url,
	    .weight = 1,
	    .is_listed = true,
	    .has_lastmod = told.has_lastmod,
	    .is_day = one->is_day};

	/* the other order, or another document, may have had it */
	if (page_by_url(frontier, one->url) != NONE)
		return NONE;
	if (told.has_lastmod)
		row.lastmod_s = told.lastmod_s = one->lastmod_s;
	row.id = store_page_add(
	    frontier->options.store, row.document_id, row.url);
	if (row.id <= 0)
		return NONE;
	if (told.has_lastmod)
		store_page_told(frontier->options.store, row.id, &told);
	return page_promote(frontier, &row, true);
}

static struct row_page
page_of(const struct candidate *one)
{
	return (struct row_page){.url = slice_of(one->url),
	    .lastmod_s = one->lastmod_s,
	    .is_day = one->is_day};
}

/* The best of them, as many as there is room for. */
static void
pack(const struct shortlist *from, size_t room, struct row_line *line)
{
	size_t first = from->count, bytes = 0;

	for (; first > 0; first--) {
		size_t size = row_page_bytes(
		    slice_of(from->items[first - 1].url));

		if (bytes + size > room)
			break;
		bytes += size;
	}
	row_line_make(line, bytes);
	for (size_t i = first; i < from->count; i++) {
		struct row_page page = page_of(&from->items[i]);

		row_line_add(line, &page);
	}
}

static void
pick_release(struct pick *pick)
{
	for (int order = 0; order < ORDERS; order++) {
		struct shortlist *line = &pick->lines[order];

		for (size_t i = 0; i < line->count; i++)
			free(line->items[i].url);
		free(line->items);
	}
}

/* Gone through anew: the next in that order, and what comes then is
 * remembered. */
static uint32_t
fill(struct frontier *frontier, uint32_t document, enum order order)
{
	size_t room = rows_room(&frontier->rows, document);
	size_t most = room / PAGE_LEAST_BYTES + 1;
	struct pick pick = {.frontier = frontier,
	    .document = document,
	    .most = most < LINE_MAX_ITEMS ? (uint32_t)most : LINE_MAX_ITEMS,
	    .are_alike = true,
	    .origin = NONE,
	    .unknown = NONE};
	struct row row = {.document = document, .room = (uint32_t)room};
	struct shortlist *line;
	uint32_t page = NONE;

	frontier->work_most = frontier->work + LOOK_WORK;
	look(frontier, &pick);
	row.is_one = pick.are_alike;
	line = &pick.lines[row.is_one ? ORDER_NEWS : order];
	while (page == NONE && line->count > 0) {
		struct candidate *one = &line->items[--line->count];
		struct row_page next = page_of(one);

		page = promote(frontier, document, &next);
		free(one->url);
	}
	for (int i = 0; i < ORDERS; i++)
		pack(&pick.lines[i], row.is_one ? room : room / ORDERS,
		    &row.lines[i]);
	pick_release(&pick);
	rows_put(&frontier->rows, &row);
	return page;
}

uint32_t
listed_take(struct frontier *frontier, uint32_t document)
{
	/* by what is promoted already, which stands when nothing else does */
	enum order order = frontier->documents[document].promoted % ORDERS;
	struct row_page next;
	uint32_t page = NONE;

	while (page == NONE &&
	    rows_take(&frontier->rows, document, (int)order, &next))
		page = promote(frontier, document, &next);
	if (page == NONE)
		page = fill(frontier, document, order);
	/* what cannot be promoted now is not asked for again at once */
	if (page == NONE)
		scheduler_listed(frontier->scheduler, document, 0);
	if (page == NONE ||
	    frontier->documents[document].promoted >=
		frontier->documents[document].listed)
		rows_forget(&frontier->rows, document);
	return page;
}

void
listed_forget(struct frontier *frontier, uint32_t document)
{
	rows_forget(&frontier->rows, document);
}

void
listed_release(struct frontier *frontier)
{
	rows_release(&frontier->rows);
}
