/* The past of a store: what documents listed and claimed. */
#include "crawler/sim/kept_history.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/sim/true_moves.h"
#include "store/outcome.h"
#include "store/page.h"
#include "store/since.h"

/* One reading of any document. */
struct document_attempt {
	int64_t document_id;
	int64_t id;
	int64_t at_s;
	uint64_t entries;
	bool is_read;
	bool is_unchanged;
	bool is_missing; /* 404, 410 */
	bool has_changes;
};

/* What happened to one URL in one document, or how it stands now. */
struct url_step {
	uint32_t url;
	uint32_t attempt; /* its place; STANDING: after all of them */
	uint8_t kind; /* enum delta_kind */
	bool is_missed;
	struct date before, after;
};

#define STANDING UINT32_MAX

struct builder {
	struct kept_history *past;
	struct store *store;
	struct document_attempt
	    *attempts; /* owned; by document, then in order */
	size_t attempt_count;
	size_t attempt_cap;
	/* of the document at hand */
	struct document_attempt *first;
	size_t count;
	size_t base; /* place of the first attempt that brought entries */
	uint32_t document;
	uint32_t at; /* place of the attempt whose delta is read */
	struct url_step *steps; /* owned */
	size_t step_count;
	size_t step_cap;
};

void
kept_history_init(struct kept_history *past, uint64_t hash_key)
{
	*past = (struct kept_history){.count = 0};
	names_init(&past->urls, hash_key);
	names_init(&past->documents, hash_key);
}

void
kept_history_release(struct kept_history *past)
{
	names_release(&past->urls);
	names_release(&past->documents);
	free(past->events);
	*past = (struct kept_history){.count = 0};
}

/* add_event(past, event): another one, in any order; sort_events puts them in
 * order.  read_pages(past, store, selection): what fetches found of what is
 * listed; events are sorted before and after.  For kept_history_read. */
static void
add_event(struct kept_history *past, const struct kept_event *event)
{
	past->events = mem_grow(
	    past->events, &past->cap, past->count + 1, sizeof(*past->events));
	past->events[past->count++] = *event;
}

static int
order(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int
date_rank(const struct date *a, const struct date *b)
{
	int by = date_order(a, b);

	return by != 0 ? by : order(a->precision, b->precision);
}

/* By second; pages before documents; each reading by itself. */
static int
compare_events(const void *pa, const void *pb)
{
	const struct kept_event *a = pa, *b = pb;
	int by = order(a->t_s, b->t_s);

	if (by == 0)
		by = order(a->reading_id, b->reading_id);
	if (by == 0)
		by = order(a->kind, b->kind);
	if (by == 0)
		by = date_rank(&a->date, &b->date);
	return by != 0 ? by : order(a->url, b->url);
}

static void
sort_events(struct kept_history *past)
{
	if (past->count > 0)
		qsort(past->events, past->count, sizeof(*past->events),
		    compare_events);
}

static bool
take_reading(void *arg, const struct reading_row *row)
{
	struct builder *builder = arg;
	bool has_changes = false;

	for (int kind = 0; kind < DELTA_KINDS; kind++)
		has_changes = has_changes || row->changes[kind] > 0;
	builder->attempts = mem_grow(builder->attempts, &builder->attempt_cap,
	    builder->attempt_count + 1, sizeof(*builder->attempts));
	builder->attempts[builder->attempt_count++] = (struct document_attempt){
	    .document_id = row->document_id,
	    .id = row->id,
	    .at_s = row->at_s,
	    .entries = verdict_accepted(row->entries, row->refused),
	    .is_read = row->is_read,
	    .is_unchanged = row->outcome == OUTCOME_UNCHANGED,
	    .is_missing = row->status == 404 || row->status == 410,
	    .has_changes = has_changes,
	};
	return true;
}

static int
compare_attempts(const void *pa, const void *pb)
{
	const struct document_attempt *a = pa, *b = pb;
	int by = order(a->document_id, b->document_id);

	return by != 0 ? by : order(a->id, b->id);
}

static int
compare_steps(const void *pa, const void *pb)
{
	const struct url_step *a = pa, *b = pb;
	int by = order(a->url, b->url);

	return by != 0 ? by : order(a->attempt, b->attempt);
}

static struct url_step *
add_step(struct builder *builder, struct slice url)
{
	struct url_step *step;

	builder->steps = mem_grow(builder->steps, &builder->step_cap,
	    builder->step_count + 1, sizeof(*builder->steps));
	step = &builder->steps[builder->step_count++];
	*step = (struct url_step){.url = names_put(&builder->past->urls, url),
	    .attempt = builder->at};
	return step;
}

/* kind_of(change): what is refused is not there. */
static enum delta_kind
kind_of(const struct change *change)
{
	if (change->kind == DELTA_REFUSED)
		return DELTA_REMOVED;
	if (change->verdict != VERDICT_ACCEPTED)
		return DELTA_GONE;
	return change->kind == DELTA_ACCEPTED ? DELTA_RETURNED
					      : (enum delta_kind)change->kind;
}

static bool
take_change(void *arg, const struct change *change)
{
	struct url_step *step = add_step(arg, change->url);

	step->kind = (uint8_t)kind_of(change);
	step->before = change->before;
	step->after = change->after;
	return true;
}

/* What a reading brought that was committed meanwhile is not of this past. */
static bool
take_entry(void *arg, const struct entry *entry)
{
	struct builder *builder = arg;
	struct url_step *step;

	if (entry->first_seen_s > builder->first[builder->count - 1].at_s)
		return true;
	step = add_step(builder, entry->url);
	step->after = entry->lastmod;
	step->is_missed = entry->missed > 0 ||
	    entry->verdict != VERDICT_ACCEPTED;
	return true;
}

/* say(builder, attempt, event): of this document, by that reading. */
static void
say(struct builder *builder, uint32_t attempt, struct kept_event event)
{
	event.t_s = builder->first[attempt].at_s;
	event.reading_id = builder->first[attempt].id;
	event.document = builder->document;
	add_event(builder->past, &event);
}

static void
say_listed(struct builder *builder, const struct url_step *step,
    uint32_t attempt, const struct date *date)
{
	say(builder, attempt,
	    (struct kept_event){.kind = KEPT_ADDED, .url = step->url});
	if (date->precision != DATE_NONE)
		say(builder, attempt,
		    (struct kept_event){
			.kind = KEPT_CLAIMED, .url = step->url, .date = *date});
}

/* How the URL stood after the first reading that is kept: what happened to it
 * first tells. */
static bool
begin(struct builder *builder, const struct url_step *step)
{
	bool is_there = step->attempt == STANDING
	    ? !step->is_missed
	    : step->kind == DELTA_REMOVED || step->kind == DELTA_REDATED;

	if (is_there)
		say_listed(builder, step, (uint32_t)builder->base,
		    step->attempt == STANDING ? &step->after : &step->before);
	return is_there;
}

/* go_on(builder, step, is_there): is it listed afterwards? */
static bool
go_on(struct builder *builder, const struct url_step *step, bool is_there)
{
	switch ((enum delta_kind)step->kind) {
	case DELTA_ADDED:
	case DELTA_RETURNED:
		if (!is_there)
			say_listed(builder, step, step->attempt, &step->after);
		return true;
	case DELTA_REDATED:
		if (is_there)
			say(builder, step->attempt,
			    (struct kept_event){.kind = KEPT_CLAIMED,
				.url = step->url,
				.date = step->after});
		return is_there;
	case DELTA_REMOVED:
	case DELTA_GONE:
		if (is_there)
			say(builder, step->attempt,
			    (struct kept_event){
				.kind = KEPT_REMOVED, .url = step->url});
		return false;
	case DELTA_REFUSED: /* kind_of makes others of them */
	case DELTA_ACCEPTED:
	case DELTA_KINDS:
		break;
	}
	return is_there;
}

static void
tell_steps(struct builder *builder)
{
	bool is_there = false;

	if (builder->step_count > 0)
		qsort(builder->steps, builder->step_count,
		    sizeof(*builder->steps), compare_steps);
	for (size_t i = 0; i < builder->step_count; i++) {
		const struct url_step *step = &builder->steps[i];

		if (i == 0 || step->url != builder->steps[i - 1].url)
			is_there = begin(builder, step);
		if (step->attempt != STANDING)
			is_there = go_on(builder, step, is_there);
	}
}

/* Published with other bytes; withdrawn, and there again as it was. */
static void
tell_publications(struct builder *builder)
{
	bool is_withdrawn = false;
	uint64_t entries = 0;

	for (size_t i = builder->base; i < builder->count; i++) {
		const struct document_attempt *attempt = &builder->first[i];
		bool is_back = attempt->is_read ||
		    (attempt->is_unchanged &&
			(is_withdrawn || attempt->has_changes));

		if (attempt->is_read)
			entries = attempt->entries;
		if (is_back)
			say(builder, (uint32_t)i,
			    (struct kept_event){
				.kind = KEPT_PUBLISHED, .value = entries});
		else if (attempt->is_missing && !is_withdrawn)
			say(builder, (uint32_t)i,
			    (struct kept_event){.kind = KEPT_WITHDRAWN});
		is_withdrawn = attempt->is_missing ||
		    (is_withdrawn && !is_back);
	}
}

/* find_attempts(builder, id): of that document, the first with entries. */
static bool
find_attempts(struct builder *builder, int64_t id)
{
	size_t low = 0, high = builder->attempt_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (builder->attempts[middle].document_id < id)
			low = middle + 1;
		else
			high = middle;
	}
	builder->count = 0;
	if (low == builder->attempt_count)
		return false;
	builder->first = builder->attempts + low;
	while (low + builder->count < builder->attempt_count &&
	    builder->first[builder->count].document_id == id)
		builder->count++;
	builder->base = 0;
	while (builder->base < builder->count &&
	    !builder->first[builder->base].is_read)
		builder->base++;
	return builder->base < builder->count;
}

/* A clock that was set back did not set back what happened. */
static void
straighten(struct builder *builder)
{
	struct document_attempt *attempts = builder->first;

	for (size_t i = 1; i < builder->count; i++)
		if (attempts[i].at_s < attempts[i - 1].at_s)
			attempts[i].at_s = attempts[i - 1].at_s;
}

static bool
take_document(void *arg, const struct document_row *row)
{
	struct builder *builder = arg;

	if (row->document.kind == KIND_INDEX ||
	    row->document.kind == KIND_ROBOTS ||
	    !find_attempts(builder, row->document.id))
		return true;
	/* a URL may be a document of two sites: the first one tells */
	if (names_find(&builder->past->documents,
		slice_of(row->document.url)) != NAMES_NONE)
		return true;
	straighten(builder);
	builder->document = names_put(
	    &builder->past->documents, slice_of(row->document.url));
	builder->step_count = 0;
	/* what stands comes first, so that numbers follow the URLs */
	builder->at = STANDING;
	store_each_entry(builder->store, row->document.id, take_entry, builder);
	for (size_t i = builder->base + 1; i < builder->count; i++) {
		builder->at = (uint32_t)i;
		if (builder->first[i].has_changes)
			store_each_change(builder->store, builder->first[i].id,
			    take_change, builder);
	}
	tell_steps(builder);
	tell_publications(builder);
	return true;
}

/* The past of a store: what fetches found of the pages. */

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
struct date_move {
	int64_t t_s;
	int64_t date_s; /* the end of what it was moved to */
	uint32_t url;
	uint32_t document;
};

/* Moves of a page between two looks at it. */
struct moved {
	const struct date_move *first, *end;
	int64_t from_s; /* the first look */
	uint32_t count; /* to a date after it: what was there before was seen */
};

/* A page that a document listed. */
struct listed_url {
	int64_t page_id;
	uint32_t url;
};

struct looks {
	struct kept_history *past;
	const struct selection *selection;
	struct listed_url *pages; /* owned; by id, as they come */
	size_t page_count;
	size_t page_cap;
	struct look *items; /* owned */
	size_t count;
	size_t cap;
	struct date_move *moves; /* owned; by URL, then time */
	size_t move_count;
	size_t move_cap;
	int64_t *listed_s; /* owned: by URL, first; INT64_MAX: never */
	struct true_moves right;
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
	looks->pages[looks->page_count++] = (struct listed_url){row->id, url};
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
	const struct date_move *a = pa, *b = pb;
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
	const struct kept_history *past = looks->past;

	looks->listed_s = mem_alloc(
	    (past->urls.count + 1) * sizeof(*looks->listed_s));
	for (size_t i = 0; i < past->urls.count; i++)
		looks->listed_s[i] = INT64_MAX;
	for (size_t i = 0; i < past->count; i++) {
		const struct kept_event *event = &past->events[i];
		int64_t *listed_s = &looks->listed_s[event->url];

		if (event->kind == KEPT_ADDED && event->t_s < *listed_s)
			*listed_s = event->t_s;
		if (event->kind != KEPT_CLAIMED)
			continue;
		looks->moves = mem_grow(looks->moves, &looks->move_cap,
		    looks->move_count + 1, sizeof(*looks->moves));
		looks->moves[looks->move_count++] = (struct date_move){
		    event->t_s, end_of(&event->date), event->url,
		    event->document};
	}
	if (looks->move_count > 0)
		qsort(looks->moves, looks->move_count, sizeof(*looks->moves),
		    compare_moves);
}

static bool
is_news(const struct moved *moved, const struct date_move *move)
{
	return move->date_s > moved->from_s;
}

/* Those after from_s, until to_s. */
static struct moved
moves_between(
    const struct looks *looks, uint32_t url, int64_t from_s, int64_t to_s)
{
	const struct date_move wanted = {.t_s = from_s + 1, .url = url};
	const struct date_move *all = looks->moves + looks->move_count;
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

	true_moves_init(&looks->right, looks->past->documents.count);
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
				true_moves_learn(&looks->right,
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
say_page(
    struct looks *looks, uint32_t url, struct life *life, enum kept_kind kind)
{
	add_event(looks->past,
	    &(struct kept_event){.t_s = life->event_s,
		.url = url,
		.kind = kind,
		.value = life->hash});
}

/* begin_page(looks, first, count): as it was when it was listed: the first look
 * tells, if nothing better is known. */
static struct life
begin_page(struct looks *looks, uint32_t url, size_t first, size_t count)
{
	const struct look *items = looks->items; /* NULL: there is none */
	struct life life = {.is_there = true, .hash = KEPT_UNKNOWN_TEXT};
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
	say_page(looks, url, &life, life.is_there ? KEPT_TEXT : KEPT_ENDED);
	return life;
}

/* When it happened: not in the same second as what it ends. */
static void
put_at(struct life *life, int64_t t_s)
{
	life->event_s = t_s > life->event_s ? t_s : life->event_s + 1;
}

/* Its text is another one: it was yet another at each move before that is
 * likely to have been true, the first among them; when the last of these
 * was. */
static int64_t
pass_texts(struct looks *looks, struct life *life, const struct look *look,
    const struct moved *moved)
{
	uint64_t share = true_moves_share(
	    &looks->right, moved->first->document, moved->count);
	uint64_t at = 0, passed = 0;
	int64_t t_s = moved->first->t_s;

	for (const struct date_move *move = moved->first; move < moved->end;
	     move++) {
		if (!is_news(moved, move))
			continue;
		/* spread evenly over all that tell something */
		if (at++ * share / moved->count < passed)
			continue;
		if (passed++ > 0) {
			put_at(life, t_s);
			life->hash = look->hash ^ (passed - 1) << 32;
			say_page(looks, look->url, life, KEPT_CHANGED);
		}
		t_s = move->t_s;
	}
	return t_s;
}

static void
follow_page(struct looks *looks, struct life *life, const struct look *look)
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
	say_page(looks, look->url, life,
	    look->is_end         ? KEPT_ENDED
		: life->is_there ? KEPT_CHANGED
				 : KEPT_TEXT);
	life->is_there = !look->is_end;
}

static void
read_pages(struct kept_history *past, struct store *store,
    const struct selection *selection)
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
		life = begin_page(&looks, url, first, at - first);
		for (size_t i = first; i < at; i++)
			follow_page(&looks, &life, &looks.items[i]);
	}
	free(looks.pages);
	free(looks.items);
	free(looks.moves);
	free(looks.listed_s);
	true_moves_release(&looks.right);
}

void
kept_history_read(struct kept_history *past, struct store *store,
    const struct selection *selection)
{
	struct builder builder = {.past = past, .store = store};

	store_each_reading_after(store, 0, take_reading, &builder);
	if (builder.attempt_count > 0)
		qsort(builder.attempts, builder.attempt_count,
		    sizeof(*builder.attempts), compare_attempts);
	selection_documents(selection, store, take_document, &builder);
	free(builder.attempts);
	free(builder.steps);
	sort_events(past);
	read_pages(past, store, selection);
	sort_events(past);
}
