/* The past of a store: what documents listed and claimed. */
#include "crawler/sim/past.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/since.h"

/* One reading of any document. */
struct attempt {
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
struct step {
	uint32_t url;
	uint32_t attempt; /* its place; STANDING: after all of them */
	uint8_t kind; /* enum delta_kind */
	bool is_missed;
	struct date before, after;
};

#define STANDING UINT32_MAX

struct builder {
	struct past *past;
	struct store *store;
	struct attempt *attempts; /* owned; by document, then in order */
	size_t attempt_count;
	size_t attempt_cap;
	/* of the document at hand */
	struct attempt *first;
	size_t count;
	size_t base; /* place of the first attempt that brought entries */
	uint32_t document;
	uint32_t at; /* place of the attempt whose delta is read */
	struct step *steps; /* owned */
	size_t step_count;
	size_t step_cap;
};

void
past_init(struct past *past, uint64_t hash_key)
{
	*past = (struct past){.count = 0};
	names_init(&past->urls, hash_key);
	names_init(&past->documents, hash_key);
}

void
past_release(struct past *past)
{
	names_release(&past->urls);
	names_release(&past->documents);
	free(past->events);
	*past = (struct past){.count = 0};
}

void
past_add(struct past *past, const struct past_event *event)
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
	const struct past_event *a = pa, *b = pb;
	int by = order(a->t_s, b->t_s);

	if (by == 0)
		by = order(a->reading_id, b->reading_id);
	if (by == 0)
		by = order(a->kind, b->kind);
	if (by == 0)
		by = date_rank(&a->date, &b->date);
	return by != 0 ? by : order(a->url, b->url);
}

void
past_sort(struct past *past)
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
	builder->attempts[builder->attempt_count++] = (struct attempt){
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
	const struct attempt *a = pa, *b = pb;
	int by = order(a->document_id, b->document_id);

	return by != 0 ? by : order(a->id, b->id);
}

static int
compare_steps(const void *pa, const void *pb)
{
	const struct step *a = pa, *b = pb;
	int by = order(a->url, b->url);

	return by != 0 ? by : order(a->attempt, b->attempt);
}

static struct step *
add_step(struct builder *builder, struct slice url)
{
	struct step *step;

	builder->steps = mem_grow(builder->steps, &builder->step_cap,
	    builder->step_count + 1, sizeof(*builder->steps));
	step = &builder->steps[builder->step_count++];
	*step = (struct step){.url = names_put(&builder->past->urls, url),
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
	struct step *step = add_step(arg, change->url);

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
	struct step *step;

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
say(struct builder *builder, uint32_t attempt, struct past_event event)
{
	event.t_s = builder->first[attempt].at_s;
	event.reading_id = builder->first[attempt].id;
	event.document = builder->document;
	past_add(builder->past, &event);
}

static void
say_listed(struct builder *builder, const struct step *step, uint32_t attempt,
    const struct date *date)
{
	say(builder, attempt,
	    (struct past_event){.kind = PAST_ADDED, .url = step->url});
	if (date->precision != DATE_NONE)
		say(builder, attempt,
		    (struct past_event){
			.kind = PAST_CLAIMED, .url = step->url, .date = *date});
}

/* How the URL stood after the first reading that is kept: what happened to it
 * first tells. */
static bool
begin(struct builder *builder, const struct step *step)
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
go_on(struct builder *builder, const struct step *step, bool is_there)
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
			    (struct past_event){.kind = PAST_CLAIMED,
				.url = step->url,
				.date = step->after});
		return is_there;
	case DELTA_REMOVED:
	case DELTA_GONE:
		if (is_there)
			say(builder, step->attempt,
			    (struct past_event){
				.kind = PAST_REMOVED, .url = step->url});
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
		const struct step *step = &builder->steps[i];

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
		const struct attempt *attempt = &builder->first[i];
		bool is_back = attempt->is_read ||
		    (attempt->is_unchanged &&
			(is_withdrawn || attempt->has_changes));

		if (attempt->is_read)
			entries = attempt->entries;
		if (is_back)
			say(builder, (uint32_t)i,
			    (struct past_event){
				.kind = PAST_PUBLISHED, .value = entries});
		else if (attempt->is_missing && !is_withdrawn)
			say(builder, (uint32_t)i,
			    (struct past_event){.kind = PAST_WITHDRAWN});
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
	struct attempt *attempts = builder->first;

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

void
past_read(
    struct past *past, struct store *store, const struct selection *selection)
{
	struct builder builder = {.past = past, .store = store};

	store_each_reading_after(store, 0, take_reading, &builder);
	if (builder.attempt_count > 0)
		qsort(builder.attempts, builder.attempt_count,
		    sizeof(*builder.attempts), compare_attempts);
	selection_documents(selection, store, take_document, &builder);
	free(builder.attempts);
	free(builder.steps);
	past_sort(past);
	past_pages(past, store, selection);
	past_sort(past);
}
