/* The past of a store: what fetches found of the pages. */
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/sim/past.h"
#include "crawler/sim/past_right.h"
#include "store/outcome.h"
#include "store/page.h"

#define DAY_S 86400

/* One look at a page that told something. */
struct look {
	int64_t at_s;
	int64_t id; /* of the outcome */
	uint32_t url;
	bool is_end;
	bool is_same; /* as before, though nobody said how */
	bool has_hash;
	uint64_t hash;
};

/* A date of a page moved. */
struct move {
	int64_t t_s;
	int64_t date_s; /* the end of what it was moved to */
	uint32_t url;
	uint32_t document;
};

/* Moves of a page between two looks at it. */
struct moved {
	const struct move *first, *end;
	int64_t from_s; /* the first look */
	uint32_t count; /* to a date after it: what was there before was seen */
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
	struct past_right right;
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

static int64_t
end_of(const struct date *date)
{
	if (date->precision == DATE_NONE)
		return INT64_MIN;
	return date->epoch_s + (date->precision == DATE_DAY ? DAY_S - 1 : 0);
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
		looks->moves[looks->move_count++] = (struct move){event->t_s,
		    end_of(&event->date), event->url, event->document};
	}
	if (looks->move_count > 0)
		qsort(looks->moves, looks->move_count, sizeof(*looks->moves),
		    compare_moves);
}

static bool
is_news(const struct moved *moved, const struct move *move)
{
	return move->date_s > moved->from_s;
}

/* Those after from_s, until to_s. */
static struct moved
moves_between(
    const struct looks *looks, uint32_t url, int64_t from_s, int64_t to_s)
{
	const struct move wanted = {.t_s = from_s + 1, .url = url};
	const struct move *all = looks->moves + looks->move_count;
	struct moved moved = {.from_s = from_s};
	size_t low = 0, high = looks->move_count;

	if (high == 0)
		return moved;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_moves(&looks->moves[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	moved.first = moved.end = looks->moves + low;
	while (
	    moved.end < all && moved.end->url == url && moved.end->t_s <= to_s)
		moved.count += is_news(&moved, moved.end++);
	return moved;
}

/* What fetches say of moves: all between two of them share a verdict. */
static void
weigh_moves(struct looks *looks)
{
	const struct look *text = NULL; /* as it was seen last */

	past_right_init(&looks->right, looks->past->documents.count);
	for (size_t i = 0; i < looks->count; i++) {
		const struct look *look = &looks->items[i];
		const struct look *before = i > 0 ? look - 1 : look;
		int64_t from_s = looks->listed_s[look->url];
		struct moved moved;

		if (text != NULL && (text->url != look->url || look->is_end))
			text = NULL;
		if (text != NULL && (look->has_hash || look->is_same) &&
		    from_s != INT64_MAX) {
			from_s = before->at_s > from_s ? before->at_s : from_s;
			moved = moves_between(
			    looks, look->url, from_s, look->at_s);
			if (moved.count > 0)
				past_right_told(&looks->right,
				    moved.first->document, moved.count,
				    look->has_hash && look->hash != text->hash);
		}
		if (look->has_hash && !look->is_end)
			text = look;
	}
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

/* When it happened: not in the same second as what it ends. */
static void
put_at(struct life *life, int64_t t_s)
{
	life->event_s = t_s > life->event_s ? t_s : life->event_s + 1;
}

/* Its text is another one: it was yet another at each move before that is
 * likely to have been true, the first among them; when the last of these was.
 */
static int64_t
pass_texts(struct looks *looks, struct life *life, const struct look *look,
    const struct moved *moved)
{
	uint64_t share = past_right_share(
	    &looks->right, moved->first->document, moved->count);
	uint64_t at = 0, passed = 0;
	int64_t t_s = moved->first->t_s;

	for (const struct move *move = moved->first; move < moved->end;
	     move++) {
		if (!is_news(moved, move))
			continue;
		/* spread evenly over all that tell something */
		if (at++ * share / moved->count < passed)
			continue;
		if (passed++ > 0) {
			put_at(life, t_s);
			life->hash = look->hash ^ (passed - 1) << 32;
			say(looks, look->url, life, PAST_CHANGED);
		}
		t_s = move->t_s;
	}
	return t_s;
}

static void
go_on(struct looks *looks, struct life *life, const struct look *look)
{
	bool is_other = look->has_hash && look->hash != life->hash;
	int64_t t_s = life->from_s + (look->at_s - life->from_s + 1) / 2;
	struct moved moved;

	if (look->at_s <= life->from_s)
		return;
	moved = moves_between(looks, look->url, life->from_s, look->at_s);
	life->from_s = look->at_s;
	if (look->is_end ? !life->is_there : life->is_there && !is_other)
		return;
	if (moved.first < moved.end)
		t_s = moved.first->t_s;
	if (moved.count > 0 && life->is_there && !look->is_end)
		t_s = pass_texts(looks, life, look, &moved);
	put_at(life, t_s);
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
	weigh_moves(&looks);
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
	past_right_release(&looks.right);
}
