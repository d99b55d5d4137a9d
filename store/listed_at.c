/*
 * What a document listed at a time in the past.
 *
 * Of each URL only the first change after that time counts: it says what was
 * there before.  A URL without such a change is as it is now, unless it was
 * first seen later.
 */
#include "store/listed_at.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/verdict.h"
#include "store/db.h"

/* What an entry was, which changed since. */
struct former {
	char *url; /* owned */
	struct date lastmod;
	bool was_listed;
	uint8_t verdict; /* VERDICTS: a refusal, of which the rule is lost */
};

/* In the order of URLs, each once. */
struct formers {
	struct former *items; /* owned */
	size_t count, cap;
};

struct past {
	struct store *store;
	int64_t at_s;
	struct formers formers;
	/* of the reading at hand */
	const struct reading_row *row;
	struct formers merged;
	size_t next; /* of formers: not yet merged */
	/* of the entries of now */
	store_entry_fn *fn;
	void *arg;
	bool is_stopped;
};

static void
add(struct formers *formers, struct former former)
{
	formers->items = mem_grow(formers->items, &formers->cap,
	    formers->count + 1, sizeof(*formers->items));
	formers->items[formers->count++] = former;
}

/* What it was at at_s, before the change by a reading. */
static struct former
before(const struct change *change, const struct reading_row *row, int64_t at_s)
{
	struct former former = {.lastmod = change->before,
	    .was_listed = true,
	    .verdict = change->verdict};

	switch ((enum delta_kind)change->kind) {
	case DELTA_ADDED:
	case DELTA_BACK:
	case DELTA_RETURNED:
		former.was_listed = false;
		break;
	case DELTA_ACCEPTED:
		former.verdict = VERDICTS;
		break;
	case DELTA_REFUSED:
		former.verdict = VERDICT_ACCEPTED;
		break;
	case DELTA_GONE:
		/* what is gone was absent before it was known to be gone, even
		 * if it was held, or if its document could not be read */
		former.was_listed = change->was_listed &&
		    reading_at_s(row, DELTA_GONE) > at_s;
		break;
	case DELTA_LEFT:
		former.was_listed &= change->was_listed &&
		    (row->outcome != OUTCOME_ENDED ||
			reading_at_s(row, DELTA_LEFT) > at_s);
		break;
	case DELTA_REMOVED:
	case DELTA_REDATED:
	case DELTA_KINDS:
		break;
	}
	return former;
}

/* Take over what comes before the URL, and what is known of it already. */
static bool
take_up_to(struct past *past, struct slice url)
{
	while (past->next < past->formers.count) {
		struct former *former = &past->formers.items[past->next];
		int order = slice_order(slice_of(former->url), url);

		if (order > 0)
			return false;
		add(&past->merged, *former);
		past->next++;
		if (order == 0)
			return true;
	}
	return false;
}

static bool
on_change(void *arg, const struct change *change)
{
	struct past *past = arg;
	struct former former;

	if (take_up_to(past, change->url))
		return true;
	former = before(change, past->row, past->at_s);
	former.url = slice_dup(change->url);
	add(&past->merged, former);
	return true;
}

static bool
on_reading(void *arg, const struct reading_row *row)
{
	struct past *past = arg;

	if (!row->has_delta)
		return true;
	past->next = 0;
	past->row = row;
	store_each_change(past->store, row->id, on_change, past);
	for (; past->next < past->formers.count; past->next++)
		add(&past->merged, past->formers.items[past->next]);
	free(past->formers.items);
	past->formers = past->merged;
	past->merged = (struct formers){0};
	return true;
}

/* What the first reading that is kept tells of a time. */
struct kept {
	int64_t at_s;
	enum {
		KEPT_NOTHING_READ, /* nothing was listed yet */
		KEPT_KNOWN,
		KEPT_REMOVED /* readings that would tell */
	} verdict;
};

/* Did the reading find all entries new?  A document's first one does, with a
 * delta or without. */
static bool
is_first(const struct reading_row *row)
{
	uint64_t changes = 0;

	for (int kind = 0; kind < DELTA_KINDS; kind++)
		changes += row->changes[kind];
	return !row->has_delta ||
	    (row->changes[DELTA_ADDED] == row->entries &&
		changes == row->entries);
}

static bool
on_kept(void *arg, const struct reading_row *row)
{
	struct kept *kept = arg;

	/* failures tell nothing, and may come before the first reading */
	if (!row->is_read && row->outcome != OUTCOME_UNCHANGED)
		return true;
	if (row->at_s <= kept->at_s)
		kept->verdict = KEPT_KNOWN;
	else if (!row->is_read || !is_first(row))
		kept->verdict = KEPT_REMOVED;
	return false;
}

/* Pass on what comes before the URL, and the entry of the URL itself if it has
 * changed since. */
static bool
pass_up_to(struct past *past, struct slice url, int64_t first_seen_s)
{
	while (!past->is_stopped && past->next < past->formers.count) {
		const struct former *former = &past->formers.items[past->next];
		int order = slice_order(slice_of(former->url), url);
		struct entry entry = {.url = slice_of(former->url),
		    .lastmod = former->lastmod,
		    .verdict = former->verdict};

		if (order > 0)
			return false;
		past->next++;
		if (order == 0 && first_seen_s <= past->at_s)
			entry.first_seen_s = first_seen_s;
		if (former->was_listed)
			past->is_stopped = !past->fn(past->arg, &entry);
		if (order == 0)
			return true;
	}
	return false;
}

static bool
on_entry(void *arg, const struct entry *entry)
{
	struct past *past = arg;
	struct entry then = {.url = entry->url,
	    .lastmod = entry->lastmod,
	    .first_seen_s = entry->first_seen_s,
	    .verdict = entry->verdict};

	if (!pass_up_to(past, entry->url, entry->first_seen_s) &&
	    !past->is_stopped && entry->missed == 0 &&
	    entry->first_seen_s <= past->at_s)
		past->is_stopped = !past->fn(past->arg, &then);
	return !past->is_stopped;
}

bool
store_each_listed_at(struct store *store, int64_t document_id, int64_t at_s,
    store_entry_fn *fn, void *arg)
{
	struct past past = {.store = store, .at_s = at_s, .fn = fn, .arg = arg};
	struct kept kept = {.at_s = at_s};
	struct slice last = slice_of("\xFF"); /* above all URLs */

	store_each_document_reading(
	    store, document_id, (struct reading_from){0}, on_kept, &kept);
	if (kept.verdict != KEPT_KNOWN)
		return kept.verdict == KEPT_NOTHING_READ;
	store_each_document_reading(store, document_id,
	    (struct reading_from){.at_s = at_s + 1}, on_reading, &past);
	past.next = 0;
	store_each_entry(store, document_id, on_entry, &past);
	(void)pass_up_to(&past, last, 0);
	for (size_t i = 0; i < past.formers.count; i++)
		free(past.formers.items[i].url);
	free(past.formers.items);
	return true;
}

bool
store_listed_pages_at(struct store *store, int64_t document_id, int64_t at_s)
{
	return db_first(store,
		   db_use_ints(store, SQL_LISTED_PAGES_AT, 2,
		       (int64_t[]){document_id, at_s})) != 0;
}
