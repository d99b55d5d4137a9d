/* The history of a store: what documents listed, and what fetches found. */
#include "tests/sim/kept_history.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/changes.h"
#include "store/outcome.h"
#include "store/page.h"
#include "tests/sim/true_moves.h"

/* One reading of a document. */
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

/* What happened to one URL in one document, or its present state. */
struct url_step {
	uint32_t url;
	/* place of the attempt; STANDING: the present state */
	uint32_t attempt;
	uint8_t kind; /* enum delta_kind */
	bool is_missed;
	struct date before, after;
};

#define STANDING UINT32_MAX

struct builder {
	struct kept_history *history;
	struct store *store;
	/* owned; sorted by document, then by time */
	struct document_attempt *attempts;
	size_t attempt_count;
	size_t attempt_cap;
	/* the document at hand: */
	struct document_attempt *first;
	size_t count;
	size_t base; /* place of the first attempt that brought entries */
	uint32_t document;
	uint32_t at; /* place of the attempt whose changes are read */
	struct url_step *steps; /* owned */
	size_t step_count;
	size_t step_cap;
};

void
kept_history_init(struct kept_history *history, uint64_t hash_key)
{
	*history = (struct kept_history){.count = 0};
	history->urls = (struct names){.key = hash_key};
	history->documents = (struct names){.key = hash_key};
}

void
kept_history_release(struct kept_history *history)
{
	names_release(&history->urls);
	names_release(&history->documents);
	free(history->events);
	*history = (struct kept_history){.count = 0};
}

/* Add an event; sort_events() puts all in order. */
static void
add_event(struct kept_history *history, const struct kept_event *event)
{
	history->events = mem_grow(history->events, &history->cap,
	    history->count + 1, sizeof(*history->events));
	history->events[history->count++] = *event;
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

/* Sort by second; within a second, pages before documents, and the events of
 * each reading together. */
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
sort_events(struct kept_history *history)
{
	if (history->count > 0)
		qsort(history->events, history->count, sizeof(*history->events),
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
	*step = (struct url_step){
	    .url = names_put(&builder->history->urls, url),
	    .attempt = builder->at};
	return step;
}

/* For the history, a refused URL is not listed. */
static enum delta_kind
kind_of(const struct change *change)
{
	if (change->kind == DELTA_REFUSED)
		return DELTA_REMOVED;
	if (change->verdict != VERDICT_ACCEPTED || change->kind == DELTA_LEFT)
		return DELTA_GONE;
	if (change->kind == DELTA_BACK)
		return DELTA_ADDED;
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

/* Entries of a reading that was committed after the history was begun are left
 * out. */
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

/* Add an event of the document, at the time of that attempt. */
static void
add_document_event(
    struct builder *builder, uint32_t attempt, struct kept_event event)
{
	event.t_s = builder->first[attempt].at_s;
	event.reading_id = builder->first[attempt].id;
	event.document = builder->document;
	add_event(builder->history, &event);
}

static void
add_listed_event(struct builder *builder, const struct url_step *step,
    uint32_t attempt, const struct date *date)
{
	add_document_event(builder, attempt,
	    (struct kept_event){.kind = KEPT_ADDED, .url = step->url});
	if (date->precision != DATE_NONE)
		add_document_event(builder, attempt,
		    (struct kept_event){
			.kind = KEPT_CLAIMED, .url = step->url, .date = *date});
}

/* The URL's state after the first reading that is kept follows from the first
 * change after it. */
static bool
begin_url(struct builder *builder, const struct url_step *step)
{
	bool is_there = step->attempt == STANDING
	    ? !step->is_missed
	    : step->kind == DELTA_REMOVED || step->kind == DELTA_REDATED;

	if (is_there)
		add_listed_event(builder, step, (uint32_t)builder->base,
		    step->attempt == STANDING ? &step->after : &step->before);
	return is_there;
}

/* Add the events of one change. Returns whether the URL is listed after it. */
static bool
follow_url(struct builder *builder, const struct url_step *step, bool is_there)
{
	switch ((enum delta_kind)step->kind) {
	case DELTA_ADDED:
	case DELTA_RETURNED:
		if (!is_there)
			add_listed_event(
			    builder, step, step->attempt, &step->after);
		return true;
	case DELTA_REDATED:
		if (is_there)
			add_document_event(builder, step->attempt,
			    (struct kept_event){.kind = KEPT_CLAIMED,
				.url = step->url,
				.date = step->after});
		return is_there;
	case DELTA_REMOVED:
	case DELTA_GONE:
		if (is_there)
			add_document_event(builder, step->attempt,
			    (struct kept_event){
				.kind = KEPT_REMOVED, .url = step->url});
		return false;
	case DELTA_REFUSED: /* kind_of() maps these to other kinds */
	case DELTA_ACCEPTED:
	case DELTA_LEFT:
	case DELTA_BACK:
	case DELTA_KINDS:
		break;
	}
	return is_there;
}

static void
add_step_events(struct builder *builder)
{
	bool is_there = false;

	if (builder->step_count > 0)
		qsort(builder->steps, builder->step_count,
		    sizeof(*builder->steps), compare_steps);
	for (size_t i = 0; i < builder->step_count; i++) {
		const struct url_step *step = &builder->steps[i];

		if (i == 0 || step->url != builder->steps[i - 1].url)
			is_there = begin_url(builder, step);
		if (step->attempt != STANDING)
			is_there = follow_url(builder, step, is_there);
	}
}

/* Add when the document was published with other bytes, was withdrawn, or came
 * back. */
static void
add_publications(struct builder *builder)
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
			add_document_event(builder, (uint32_t)i,
			    (struct kept_event){
				.kind = KEPT_PUBLISHED, .value = entries});
		else if (attempt->is_missing && !is_withdrawn)
			add_document_event(builder, (uint32_t)i,
			    (struct kept_event){.kind = KEPT_WITHDRAWN});
		is_withdrawn = attempt->is_missing ||
		    (is_withdrawn && !is_back);
	}
}

/* Find the attempts of the document, and the first one with entries. */
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

/* Make times rise even if the clock was set back. */
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
	/* a URL may be a document of two sites: the first one counts */
	if (names_find(&builder->history->documents,
		slice_of(row->document.url)) != NAMES_NONE)
		return true;
	straighten(builder);
	builder->document = names_put(
	    &builder->history->documents, slice_of(row->document.url));
	builder->step_count = 0;
	/* the present state comes first, so that ids follow the order of
	 * URLs */
	builder->at = STANDING;
	store_each_entry(builder->store, row->document.id, take_entry, builder);
	for (size_t i = builder->base + 1; i < builder->count; i++) {
		builder->at = (uint32_t)i;
		if (builder->first[i].has_changes)
			store_each_change(builder->store, builder->first[i].id,
			    take_change, builder);
	}
	add_step_events(builder);
	add_publications(builder);
	return true;
}

/* What fetches found of the pages. */

#define DAY_S 86400

/* One fetch of a page that told something. */
struct observation {
	int64_t at_s;
	int64_t id; /* of the outcome */
	uint32_t url;
	bool is_end;
	bool is_same; /* the fetch found no change, without a hash */
	bool has_hash;
	uint64_t hash;
};

/* A date of a page moved. */
struct date_move {
	int64_t t_s;
	int64_t date_s; /* end of the date it moved to */
	uint32_t url;
	uint32_t document;
};

/* The moves of a page between two fetches. */
struct moved {
	const struct date_move *first, *end;
	int64_t from_s; /* time of the first fetch */
	/* moves to a date after from_s; others were seen by that fetch */
	uint32_t count;
};

/* A page that a document listed. */
struct kept_page {
	int64_t page_id;
	uint32_t url;
};

struct observations {
	struct kept_history *history;
	const struct selection *selection;
	struct kept_page *pages; /* owned; sorted by id */
	size_t page_count;
	size_t page_cap;
	struct observation *items; /* owned */
	size_t count;
	size_t cap;
	struct date_move *moves; /* owned; sorted by URL, then by time */
	size_t move_count;
	size_t move_cap;
	/* owned: by URL, when it was listed first; INT64_MAX: never */
	int64_t *listed_s;
	struct true_moves right;
};

/* Is the host of a normalised URL one of the selected sites? */
static bool
is_of_selection(const struct selection *selection, struct slice url)
{
	const char *at = memmem(url.p, url.len, "://", 3);
	const char *end = url.p + url.len;
	const char *host;
	bool is_in_brackets = false;

	if (selection->site == NULL && selection->sites.count == 0)
		return true;
	if (at == NULL)
		return false;
	host = at += 3;
	for (; at < end && *at != '/' && (*at != ':' || is_in_brackets); at++)
		is_in_brackets = *at != ']' && (is_in_brackets || *at == '[');
	url = slice_make(host, (size_t)(at - host));
	return strings_has(&selection->sites, url) ||
	    (selection->site != NULL && slice_is(url, selection->site));
}

static void
take_page(void *arg, const struct page_row *row)
{
	struct observations *observations = arg;
	uint32_t url = names_find(&observations->history->urls, row->url);

	observations->history->unlisted += url == NAMES_NONE &&
	    is_of_selection(observations->selection, row->url);
	if (url == NAMES_NONE)
		return;
	observations->pages = mem_grow(observations->pages,
	    &observations->page_cap, observations->page_count + 1,
	    sizeof(*observations->pages));
	observations->pages[observations->page_count++] = (struct kept_page){
	    row->id, url};
}

/* NAMES_NONE: no document listed the page. */
static uint32_t
url_of(const struct observations *observations, int64_t page_id)
{
	size_t low = 0, high = observations->page_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (observations->pages[middle].page_id < page_id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < observations->page_count &&
		observations->pages[low].page_id == page_id
	    ? observations->pages[low].url
	    : NAMES_NONE;
}

/* A store_outcome_fn; arg is the struct observations. */
static bool
take_outcome(void *arg, const struct outcome_row *row)
{
	struct observations *observations = arg;
	uint32_t url = url_of(observations, row->page_id);

	if (row->kind == PAGE_FAILED || url == NAMES_NONE)
		return true;
	observations->items = mem_grow(observations->items, &observations->cap,
	    observations->count + 1, sizeof(*observations->items));
	observations->items[observations->count++] = (struct observation){
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
compare_observations(const void *pa, const void *pb)
{
	const struct observation *a = pa, *b = pb;
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

/* Find when each URL was listed first, and when its date moved. */
static void
take_events(struct observations *observations)
{
	const struct kept_history *history = observations->history;

	observations->listed_s = mem_alloc(
	    (history->urls.count + 1) * sizeof(*observations->listed_s));
	for (size_t i = 0; i < history->urls.count; i++)
		observations->listed_s[i] = INT64_MAX;
	for (size_t i = 0; i < history->count; i++) {
		const struct kept_event *event = &history->events[i];
		int64_t *listed_s = &observations->listed_s[event->url];

		if (event->kind == KEPT_ADDED && event->t_s < *listed_s)
			*listed_s = event->t_s;
		if (event->kind != KEPT_CLAIMED)
			continue;
		observations->moves = mem_grow(observations->moves,
		    &observations->move_cap, observations->move_count + 1,
		    sizeof(*observations->moves));
		observations->moves[observations->move_count++] =
		    (struct date_move){event->t_s, end_of(&event->date),
			event->url, event->document};
	}
	if (observations->move_count > 0)
		qsort(observations->moves, observations->move_count,
		    sizeof(*observations->moves), compare_moves);
}

static bool
is_news(const struct moved *moved, const struct date_move *move)
{
	return move->date_s > moved->from_s;
}

/* The moves after from_s, up to to_s. */
static struct moved
moves_between(const struct observations *observations, uint32_t url,
    int64_t from_s, int64_t to_s)
{
	const struct date_move wanted = {.t_s = from_s + 1, .url = url};
	struct moved moved = {.from_s = from_s};
	size_t low = 0, high = observations->move_count;

	if (high == 0)
		return moved;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_moves(&observations->moves[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	moved.first = moved.end = observations->moves + low;
	while (moved.end < observations->moves + observations->move_count &&
	    moved.end->url == url && moved.end->t_s <= to_s)
		moved.count += is_news(&moved, moved.end++);
	return moved;
}

/* Let each pair of fetches judge the moves between them: all of these moves get
 * the same verdict. */
static void
weigh_moves(struct observations *observations)
{
	const struct observation *text = NULL; /* the last text seen */

	true_moves_init(
	    &observations->right, observations->history->documents.count);
	for (size_t i = 0; i < observations->count; i++) {
		const struct observation *observation = &observations->items[i];
		const struct observation *before = i > 0 ? observation - 1
							 : observation;
		int64_t from_s = observations->listed_s[observation->url];
		struct moved moved;

		if (text != NULL &&
		    (text->url != observation->url || observation->is_end))
			text = NULL;
		if (text != NULL &&
		    (observation->has_hash || observation->is_same) &&
		    from_s != INT64_MAX) {
			from_s = before->at_s > from_s ? before->at_s : from_s;
			moved = moves_between(observations, observation->url,
			    from_s, observation->at_s);
			if (moved.count > 0)
				true_moves_learn(&observations->right,
				    moved.first->document, moved.count,
				    observation->has_hash &&
					observation->hash != text->hash);
		}
		if (observation->has_hash && !observation->is_end)
			text = observation;
	}
}

/* The state of a page while its fetches are read in order. */
struct fetched_state {
	bool is_there;
	uint64_t hash;
	int64_t from_s; /* since then */
	int64_t event_s; /* time of the page's last event */
};

static void
add_page_event(struct observations *observations, uint32_t url,
    struct fetched_state *state, enum kept_kind kind)
{
	add_event(observations->history,
	    &(struct kept_event){.t_s = state->event_s,
		.url = url,
		.kind = kind,
		.value = state->hash});
}

/* The state of the page when it was listed; the first fetch tells it if nothing
 * else does. */
static struct fetched_state
begin_page(
    struct observations *observations, uint32_t url, size_t first, size_t count)
{
	/* NULL: the page was not fetched */
	const struct observation *items = observations->items;
	struct fetched_state state = {
	    .is_there = true, .hash = KEPT_UNKNOWN_TEXT};
	size_t i = 0;

	state.from_s = state.event_s = observations->listed_s[url];
	while (i < count && !items[first + i].has_hash)
		i++;
	if (i < count)
		state.hash = items[first + i].hash;
	observations->history->known += i < count;
	observations->history->fetched += count > 0;
	if (count > 0 && items[first].at_s <= state.from_s &&
	    items[first].is_end)
		state.is_there = false;
	add_page_event(
	    observations, url, &state, state.is_there ? KEPT_TEXT : KEPT_ENDED);
	return state;
}

/* Set the time of an event. It must be later than the time of the event
 * before. */
static void
put_at(struct fetched_state *state, int64_t t_s)
{
	state->event_s = t_s > state->event_s ? t_s : state->event_s + 1;
}

/* A fetch found another text. The text changed at each earlier move that was
 * probably true, and at the first move. Returns the time of the last change. */
static int64_t
pass_texts(struct observations *observations, struct fetched_state *state,
    const struct observation *observation, const struct moved *moved)
{
	uint64_t share = true_moves_share(
	    &observations->right, moved->first->document, moved->count);
	uint64_t at = 0, passed = 0;
	int64_t t_s = moved->first->t_s;

	for (const struct date_move *move = moved->first; move < moved->end;
	     move++) {
		if (!is_news(moved, move))
			continue;
		/* the true moves are spread evenly */
		if (at++ * share / moved->count < passed)
			continue;
		if (passed++ > 0) {
			put_at(state, t_s);
			state->hash = observation->hash ^ (passed - 1) << 32;
			add_page_event(observations, observation->url, state,
			    KEPT_CHANGED);
		}
		t_s = move->t_s;
	}
	return t_s;
}

static void
follow_page(struct observations *observations, struct fetched_state *state,
    const struct observation *observation)
{
	bool is_other = observation->has_hash &&
	    observation->hash != state->hash;
	int64_t t_s = state->from_s +
	    (observation->at_s - state->from_s + 1) / 2;
	struct moved moved;

	if (observation->at_s <= state->from_s)
		return;
	moved = moves_between(
	    observations, observation->url, state->from_s, observation->at_s);
	state->from_s = observation->at_s;
	if (observation->is_end ? !state->is_there
				: state->is_there && !is_other)
		return;
	if (moved.first < moved.end)
		t_s = moved.first->t_s;
	if (moved.count > 0 && state->is_there && !observation->is_end)
		t_s = pass_texts(observations, state, observation, &moved);
	put_at(state, t_s);
	if (observation->has_hash && !observation->is_end)
		state->hash = observation->hash;
	add_page_event(observations, observation->url, state,
	    observation->is_end   ? KEPT_ENDED
		: state->is_there ? KEPT_CHANGED
				  : KEPT_TEXT);
	state->is_there = !observation->is_end;
}

static void
read_pages(struct kept_history *history, struct store *store,
    const struct selection *selection)
{
	struct observations observations = {
	    .history = history, .selection = selection};
	size_t at = 0;

	take_events(&observations);
	store_each_page(store, take_page, &observations);
	store_each_outcome(store, 0, 0, take_outcome, &observations);
	if (observations.count > 0)
		qsort(observations.items, observations.count,
		    sizeof(*observations.items), compare_observations);
	weigh_moves(&observations);
	for (uint32_t url = 0; url < history->urls.count; url++) {
		size_t first = at;
		struct fetched_state state;

		while (at < observations.count &&
		    observations.items[at].url == url)
			at++;
		if (observations.listed_s[url] == INT64_MAX)
			continue;
		state = begin_page(&observations, url, first, at - first);
		for (size_t i = first; i < at; i++)
			follow_page(
			    &observations, &state, &observations.items[i]);
	}
	free(observations.pages);
	free(observations.items);
	free(observations.moves);
	free(observations.listed_s);
	true_moves_release(&observations.right);
}

void
kept_history_read(struct kept_history *history, struct store *store,
    const struct selection *selection)
{
	struct builder builder = {.history = history, .store = store};

	store_each_reading(store, (struct reading_from){.after_id = 0},
	    take_reading, &builder);
	if (builder.attempt_count > 0)
		qsort(builder.attempts, builder.attempt_count,
		    sizeof(*builder.attempts), compare_attempts);
	selection_documents(selection, store, take_document, &builder);
	free(builder.attempts);
	free(builder.steps);
	sort_events(history);
	read_pages(history, store, selection);
	sort_events(history);
}
