/* What documents list and nobody asked for yet: see desk_listed.h. */
#include "crawler/desk_listed.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/desk_documents.h"
#include "crawler/desk_hosts.h"
#include "crawler/desk_parts.h"
#include "crawler/desk_sections.h"
#include "crawler/desk_sites.h"
#include "crawler/desk_told.h"
#include "sched/scheduler_show.h"
#include "sched/scheduler_tell.h"
#include "store/since.h"

/* Of a document so many are remembered, in each order, and of so many
 * documents; then it is gone through once more: a few milliseconds for the
 * largest.  Where many documents take turns it is fewer of each. */
#define LINE_MAX_ITEMS 1000
#define LINE_LEAST 32
#define ROWS_MAX 2048
#define CANDIDATES_MAX 65536

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

struct row {
	uint32_t document;
	uint32_t most; /* that are remembered in each order */
	uint64_t used; /* when */
	struct shortlist lines[ORDERS];
};

struct listed_rows {
	struct row rows[ROWS_MAX];
	size_t count;
	uint64_t uses;
};

/* Going through a document. */
struct pick {
	struct desk *desk;
	struct row *row;
	uint32_t document;
	uint32_t found; /* also what is not remembered */
	bool is_distrusted; /* SPEC R-116: its dates carry no weight */
	uint32_t unknown; /* the last of these: */
	struct numbers unknowns; /* origins without a robots.txt yet */
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

static bool
consider(void *arg, const struct entry *entry)
{
	struct pick *pick = arg;
	struct desk *desk = pick->desk;
	uint32_t site = desk->documents[pick->document].site;
	struct desk_url url = desk_url(entry->url);
	struct candidate one = {.first_seen_s = entry->first_seen_s,
	    .lastmod_s = SCHEDULER_NO_DATE,
	    .order_s = SCHEDULER_NO_DATE,
	    .place = place_of(entry->ordinal)};
	uint32_t known, origin;
	enum desk_robots verdict;

	if (entry->missed > 0)
		return true;
	known = page_by_url(desk, entry->url);
	if (known != NONE)
		told_listed(desk, known, pick->document, &entry->lastmod);
	if (known != NONE || !site_wants(&desk->sites[site], entry->url))
		return true;
	origin = origin_put(desk, url.origin, site);
	verdict = origin_judge(desk, origin, url.target, NULL);
	if (verdict == DESK_ROBOTS_UNKNOWN && origin != pick->unknown) {
		desk_dirty(&pick->unknowns, origin);
		pick->unknown = origin;
	}
	if (verdict != DESK_ROBOTS_ALLOW)
		return true;
	pick->found++;
	if (date_doubt(&entry->lastmod, desk->now_s) == DIAG_OK)
		one.lastmod_s = told_date(&entry->lastmod, &one.is_day);
	if (!pick->is_distrusted)
		one.order_s = one.lastmod_s;
	one.rate = (float)section_rate(desk, site, entry->url);
	for (int order = 0; order < ORDERS; order++)
		remember(
		    &pick->row->lines[order], pick->row->most, entry, &one);
	return true;
}

static void
row_release(struct row *row)
{
	for (int order = 0; order < ORDERS; order++) {
		struct shortlist *line = &row->lines[order];

		for (size_t i = 0; i < line->count; i++)
			free(line->items[i].url);
		free(line->items);
	}
	*row = (struct row){.document = NONE};
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

/* A place for one more row: a free one, or that of the one not used longest. */
static struct row *
place(struct listed_rows *rows)
{
	struct row *oldest = &rows->rows[0];

	if (rows->count < ROWS_MAX)
		return &rows->rows[rows->count++];
	for (size_t i = 1; i < ROWS_MAX; i++)
		if (rows->rows[i].used < oldest->used)
			oldest = &rows->rows[i];
	row_release(oldest);
	return oldest;
}

static struct row *
row_of(struct listed_rows *rows, uint32_t document)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].document == document)
			return &rows->rows[i];
	return NULL;
}

/* Of each row, in each order. */
static uint32_t
most_of(const struct listed_rows *rows)
{
	uint32_t most = CANDIDATES_MAX / ORDERS / (uint32_t)rows->count;

	return most > LINE_MAX_ITEMS ? LINE_MAX_ITEMS
	    : most < LINE_LEAST      ? LINE_LEAST
				     : most;
}

/* What the document lists now; how many there are is told. */
static struct row *
fill(struct desk *desk, uint32_t document)
{
	struct row *row = row_of(desk->rows, document);
	struct pick pick = {
	    .desk = desk, .document = document, .unknown = NONE};
	struct scheduler_terms terms;

	scheduler_explain_document(
	    desk->scheduler, document, desk->now_s, &terms);
	pick.is_distrusted = terms.is_distrusted;
	if (row == NULL)
		row = place(desk->rows);
	else
		row_release(row);
	row->document = document;
	row->most = most_of(desk->rows);
	for (int order = 0; order < ORDERS; order++)
		row->lines[order].order = (enum order)order;
	pick.row = row;
	store_each_entry(
	    desk->options.store, desk->documents[document].id, consider, &pick);
	for (size_t i = 0; i < pick.unknowns.count; i++)
		document_of_robots(desk, pick.unknowns.items[i],
		    desk->documents[document].site);
	free(pick.unknowns.items);
	for (int order = 0; order < ORDERS; order++)
		sort(&row->lines[order]);
	/* one of them was asked for */
	scheduler_listed(
	    desk->scheduler, document, pick.found > 0 ? pick.found - 1 : 0);
	return row;
}

static uint32_t
promote(struct desk *desk, uint32_t document, const struct candidate *one)
{
	struct page_told told = {.is_listed = true,
	    .has_lastmod = one->lastmod_s != SCHEDULER_NO_DATE,
	    .is_day = one->is_day};
	struct page_row row = {.document_id = desk->documents[document].id,
	    .url = slice_of(one->url),
	    .weight = 1,
	    .is_listed = true,
	    .has_lastmod = told.has_lastmod,
	    .is_day = one->is_day};

	if (told.has_lastmod)
		row.lastmod_s = told.lastmod_s = one->lastmod_s;
	row.id = store_page_add(desk->options.store, row.document_id, row.url);
	if (row.id <= 0)
		return NONE;
	if (told.has_lastmod)
		store_page_told(desk->options.store, row.id, &told);
	return page_promote(desk, &row, true);
}

/* The next in that order; NONE: none is left that is remembered. */
static uint32_t
take(struct desk *desk, uint32_t document, struct shortlist *line)
{
	uint32_t page = NONE;

	while (page == NONE && line->count > 0) {
		struct candidate *one = &line->items[--line->count];

		/* the other order, or another document, may have had it */
		if (page_by_url(desk, slice_of(one->url)) == NONE)
			page = promote(desk, document, one);
		free(one->url);
	}
	return page;
}

uint32_t
listed_take(struct desk *desk, uint32_t document)
{
	/* by what is promoted already, which stands when nothing else does */
	enum order order = desk->documents[document].promoted % ORDERS;
	struct row *row;
	uint32_t page = NONE;

	if (desk->rows == NULL)
		desk->rows = mem_zero(sizeof(*desk->rows));
	row = row_of(desk->rows, document);
	if (row != NULL)
		page = take(desk, document, &row->lines[order]);
	if (page == NONE) {
		row = fill(desk, document);
		page = take(desk, document, &row->lines[order]);
		/* what cannot be promoted now is not asked for again at once */
		if (page == NONE)
			scheduler_listed(desk->scheduler, document, 0);
	}
	row->used = ++desk->rows->uses;
	return page;
}

void
listed_forget(struct desk *desk, uint32_t document)
{
	struct row *row;

	if (desk->rows == NULL)
		return;
	row = row_of(desk->rows, document);
	if (row != NULL)
		row_release(row);
}

void
listed_release(struct desk *desk)
{
	for (size_t i = 0; desk->rows != NULL && i < desk->rows->count; i++)
		row_release(&desk->rows->rows[i]);
	free(desk->rows);
}
