/* The past of a store: what fetches found of the pages. */
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/past.h"
#include "store/outcome.h"
#include "store/page.h"

/* One look at a page that told something. */
struct look {
	int64_t at_s;
	int64_t id; /* of the outcome */
	uint32_t url;
	bool is_end;
	bool has_hash;
	uint64_t hash;
};

/* A date of a page moved. */
struct move {
	int64_t t_s;
	uint32_t url;
};

/* A page that a document listed. */
struct listed {
	int64_t page_id;
	uint32_t url;
};

struct looks {
	struct past *past;
	const struct selection *selection;
	struct listed *pages; /* owned; by id, as they come */
	size_t page_count;
	size_t page_cap;
	struct look *items; /* owned */
	size_t count;
	size_t cap;
	struct move *moves; /* owned; by URL, then time */
	size_t move_count;
	size_t move_cap;
	int64_t *listed_s; /* owned: by URL, first; INT64_MAX: never */
};

static void
take_page(void *arg, const struct page_row *row)
{
	struct looks *looks = arg;
	uint32_t url = names_find(&looks->past->urls, row->url);

	looks->past->unlisted += url == NAMES_NONE &&
	    selection_has_host(looks->selection, row->url);
	if (url == NAMES_NONE)
		return;
	looks->pages = mem_grow(looks->pages, &looks->page_cap,
	    looks->page_count + 1, sizeof(*looks->pages));
	looks->pages[looks->page_count++] = (struct listed){row->id, url};
}

/* url_of(looks, page_id): NAMES_NONE: no document listed it. */
static uint32_t
url_of(const struct looks *looks, int64_t page_id)
{
	size_t low = 0, high = looks->page_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (looks->pages[middle].page_id < page_id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < looks->page_count && looks->pages[low].page_id == page_id
	    ? looks->pages[low].url
	    : NAMES_NONE;
}

static bool
take_outcome(void *arg, const struct outcome_row *row)
{
	struct looks *looks = arg;
	uint32_t url = url_of(looks, row->page_id);

	if (row->kind == PAGE_FAILED || url == NAMES_NONE)
		return true;
	looks->items = mem_grow(
	    looks->items, &looks->cap, looks->count + 1, sizeof(*looks->items));
	looks->items[looks->count++] = (struct look){
	    .at_s = row->at_s,
	    .id = row->id,
	    .url = url,
	    .is_end = row->kind == PAGE_GONE || row->kind == PAGE_MOVED,
	    .has_hash = row->has_hash,
	    .hash = row->hash,
	};
	return true;
}

static int
order(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int
compare_looks(const void *pa, const void *pb)
{
	const struct look *a = pa, *b = pb;
	int by = order(a->url, b->url);

	if (by == 0)
		by = order(a->at_s, b->at_s);
	return by != 0 ? by : order(a->id, b->id);
}

static int
compare_moves(const void *pa, const void *pb)
{
	const struct move *a = pa, *b = pb;
	int by = order(a->url, b->url);

	return by != 0 ? by : order(a->t_s, b->t_s);
}

/* When each URL was listed first, and when its date moved. */
static void
take_events(struct looks *looks)
{
	const struct past *past = looks->past;

	looks->listed_s = mem_alloc(
	    (past->urls.count + 1) * sizeof(*looks->listed_s));
	for (size_t i = 0; i < past->urls.count; i++)
		looks->listed_s[i] = INT64_MAX;
	for (size_t i = 0; i < past->count; i++) {
		const struct past_event *event = &past->events[i];
		int64_t *listed_s = &looks->listed_s[event->url];

		if (event->kind == PAST_ADDED && event->t_s < *listed_s)
			*listed_s = event->t_s;
		if (event->kind != PAST_CLAIMED)
			continue;
		looks->moves = mem_grow(looks->moves, &looks->move_cap,
		    looks->move_count + 1, sizeof(*looks->moves));
		looks->moves[looks->move_count++] = (struct move){
		    event->t_s, event->url};
	}
	if (looks->move_count > 0)
		qsort(looks->moves, looks->move_count, sizeof(*looks->moves),
		    compare_moves);
}

/* between(looks, url, from_s, to_s): when what was found at to_s, and not yet
 * at from_s, has happened. */
static int64_t
between(const struct looks *looks, uint32_t url, int64_t from_s, int64_t to_s)
{
	const struct move wanted = {from_s + 1, url};
	size_t low = 0, high = looks->move_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_moves(&looks->moves[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < looks->move_count && looks->moves[low].url == url &&
	    looks->moves[low].t_s <= to_s)
		return looks->moves[low].t_s;
	return from_s + (to_s - from_s + 1) / 2;
}

/* What is known of a page while its looks are gone through. */
struct life {
	bool is_there;
	uint64_t hash;
	int64_t from_s; /* so it was then */
	int64_t event_s; /* and what was said last, was of then */
};

static void
say(struct looks *looks, uint32_t url, struct life *life, enum past_kind kind)
{
	past_add(looks->past,
	    &(struct past_event){.t_s = life->event_s,
		.url = url,
		.kind = kind,
		.value = life->hash});
}

/* begin(looks, first, count): as it was when it was listed: the first look
 * tells, if nothing better is known. */
static struct life
begin(struct looks *looks, uint32_t url, size_t first, size_t count)
{
	const struct look *items = looks->items; /* NULL: there is none */
	struct life life = {.is_there = true, .hash = PAST_UNKNOWN_TEXT};
	size_t i = 0;

	life.from_s = life.event_s = looks->listed_s[url];
	while (i < count && !items[first + i].has_hash)
		i++;
	if (i < count)
		life.hash = items[first + i].hash;
	looks->past->known += i < count;
	looks->past->fetched += count > 0;
	if (count > 0 && items[first].at_s <= life.from_s &&
	    items[first].is_end)
		life.is_there = false;
	say(looks, url, &life, life.is_there ? PAST_TEXT : PAST_ENDED);
	return life;
}

static void
go_on(struct looks *looks, struct life *life, const struct look *look)
{
	bool is_other = look->has_hash && look->hash != life->hash;
	int64_t t_s;

	if (look->at_s <= life->from_s)
		return;
	t_s = between(looks, look->url, life->from_s, look->at_s);
	life->from_s = look->at_s;
	if (look->is_end ? !life->is_there : life->is_there && !is_other)
		return;
	/* what follows must not share a second with what it ends */
	life->event_s = t_s > life->event_s ? t_s : life->event_s + 1;
	if (look->has_hash && !look->is_end)
		life->hash = look->hash;
	say(looks, look->url, life,
	    look->is_end         ? PAST_ENDED
		: life->is_there ? PAST_CHANGED
				 : PAST_TEXT);
	life->is_there = !look->is_end;
}

void
past_pages(
    struct past *past, struct store *store, const struct selection *selection)
{
	struct looks looks = {.past = past, .selection = selection};
	size_t at = 0;

	take_events(&looks);
	store_each_page(store, take_page, &looks);
	store_each_outcome(store, 0, take_outcome, &looks);
	if (looks.count > 0)
		qsort(looks.items, looks.count, sizeof(*looks.items),
		    compare_looks);
	for (uint32_t url = 0; url < past->urls.count; url++) {
		size_t first = at;
		struct life life;

		while (at < looks.count && looks.items[at].url == url)
			at++;
		if (looks.listed_s[url] == INT64_MAX)
			continue;
		life = begin(&looks, url, first, at - first);
		for (size_t i = first; i < at; i++)
			go_on(&looks, &life, &looks.items[i]);
	}
	free(looks.pages);
	free(looks.items);
	free(looks.moves);
	free(looks.listed_s);
}
