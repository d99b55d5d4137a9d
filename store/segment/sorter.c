/* Entries in, sorted and united entries out. */
#include "store/segment/sorter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/url.h"
#include "store/segment/finding.h"
#include "store/segment/record.h"

#define CHUNK_BYTES (256u << 10)

static_assert(CHUNK_BYTES > URL_MAX_BYTES + 2 * sizeof(struct record),
    "a record fits into a chunk");

struct sorter {
	struct sorter_options options;
	char **chunks; /* owned; records lie in them one after the other */
	size_t chunk_count;
	size_t chunk_cap;
	size_t chunk_at; /* the one being filled */
	size_t chunk_used;
	struct sort_item *items; /* owned */
	size_t count;
	size_t cap;
	size_t next; /* in items, while they are read out */
	size_t prefix_len; /* bytes that all URLs so far share */
	bool is_sorted;
	bool is_finished;
	struct runs *runs; /* NULL: all is in memory */
	const struct record *ahead; /* read, but not yet given out */
	struct buf url; /* what was given out, when it came from scratch */
	uint64_t repeats;
	char *repeated[FINDING_SAMPLES]; /* owned: the first of their URLs */
	size_t repeated_count;
};

struct sorter *
sorter_new(const struct sorter_options *options)
{
	struct sorter *sorter = mem_zero(sizeof(*sorter));

	sorter->options = *options;
	sorter->is_sorted = true;
	buf_init(&sorter->url, URL_MAX_BYTES);
	return sorter;
}

void
sorter_free(struct sorter *sorter)
{
	if (sorter == NULL)
		return;
	for (size_t i = 0; i < sorter->chunk_count; i++)
		free(sorter->chunks[i]);
	free(sorter->chunks);
	free(sorter->items);
	for (size_t i = 0; i < sorter->repeated_count; i++)
		free(sorter->repeated[i]);
	runs_free(sorter->runs);
	buf_release(&sorter->url);
	free(sorter);
}

static struct record *
record_new(struct sorter *sorter, size_t url_len)
{
	size_t n = sizeof(struct record) + url_len;

	n = (n + 7) & ~(size_t)7;
	if (sorter->chunk_count > 0 && sorter->chunk_used + n > CHUNK_BYTES) {
		sorter->chunk_at++;
		sorter->chunk_used = 0;
	}
	if (sorter->chunk_at == sorter->chunk_count) {
		sorter->chunks = mem_grow(sorter->chunks, &sorter->chunk_cap,
		    sorter->chunk_count + 1, sizeof(*sorter->chunks));
		sorter->chunks[sorter->chunk_count++] = mem_alloc(CHUNK_BYTES);
	}
	void *p = sorter->chunks[sorter->chunk_at] + sorter->chunk_used;
	sorter->chunk_used += n;
	return p;
}

/* Sorting takes a second array of items. */
static size_t
memory_used(const struct sorter *sorter)
{
	return sorter->chunk_at * CHUNK_BYTES + sorter->chunk_used +
	    2 * sorter->count * sizeof(*sorter->items);
}

static void
sort(struct sorter *sorter)
{
	if (!sorter->is_sorted)
		records_sort(sorter->items, sorter->count, sorter->prefix_len);
}

static bool
spill(struct sorter *sorter)
{
	sort(sorter);
	if (sorter->runs == NULL)
		sorter->runs = runs_new(sorter->options.scratch_fd);
	bool is_written = runs_write(
	    sorter->runs, sorter->items, sorter->count);
	sorter->count = 0;
	sorter->chunk_at = sorter->chunk_used = 0;
	sorter->is_sorted = true;
	return is_written;
}

/* Sorting needs to know what all have in common and whether it is needed. */
static void
note_order(struct sorter *sorter, struct slice url)
{
	if (sorter->count == 0) {
		sorter->prefix_len = url.len;
		return;
	}
	const char *first = sorter->items[0].record->url;
	size_t n = sorter->prefix_len < url.len ? sorter->prefix_len : url.len;

	if (memcmp(first, url.p, n) != 0) {
		size_t i = 0;

		while (first[i] == url.p[i])
			i++;
		n = i;
	}
	sorter->prefix_len = n;
	if (sorter->is_sorted)
		sorter->is_sorted =
		    slice_order(
			record_url(sorter->items[sorter->count - 1].record),
			url) <= 0;
}

bool
sorter_add(struct sorter *sorter, const struct entry *entry)
{
	assert(!sorter->is_finished);
	assert(entry->url.len > 0 && entry->url.len <= URL_MAX_BYTES);
	if (sorter->options.scratch_fd >= 0 && sorter->count > 0 &&
	    memory_used(sorter) > sorter->options.max_bytes && !spill(sorter))
		return false;
	note_order(sorter, entry->url);

	struct record *record = record_new(sorter, entry->url.len);
	record->epoch_s = entry->lastmod.epoch_s;
	record->nanos = entry->lastmod.nanos;
	record->ordinal = entry->ordinal;
	record->url_len = (uint32_t)entry->url.len;
	record->extensions = (uint8_t)entry->extensions;
	record->verdict = entry->verdict;
	record->hints = entry->hints;
	record->date_form = (uint8_t)(entry->lastmod.precision |
	    entry->lastmod.zone << 4);
	memcpy(record->url, entry->url.p, entry->url.len);
	sorter->items = mem_grow(sorter->items, &sorter->cap, sorter->count + 1,
	    sizeof(*sorter->items));
	sorter->items[sorter->count++].record = record;
	return true;
}

/* The next record of all, or NULL. */
static const struct record *
take(struct sorter *sorter)
{
	if (sorter->runs != NULL)
		return runs_next(sorter->runs);
	if (sorter->next == sorter->count)
		return NULL;
	/* Records lie in the order of the document: each is a cache miss. */
	if (sorter->next + 8 < sorter->count) {
		const struct record *soon = sorter->items[sorter->next + 8]
						.record;

		__builtin_prefetch(soon);
		__builtin_prefetch((const char *)soon + 64);
	}
	return sorter->items[sorter->next++].record;
}

bool
sorter_finish(struct sorter *sorter)
{
	assert(!sorter->is_finished);
	sorter->is_finished = true;
	if (sorter->runs != NULL) {
		if (sorter->count > 0 && !spill(sorter))
			return false;
		if (!runs_merge(sorter->runs))
			return false;
	} else {
		sort(sorter);
	}
	sorter->ahead = take(sorter);
	return true;
}

static struct date
record_date(const struct record *record)
{
	return (struct date){
	    .epoch_s = record->epoch_s,
	    .nanos = record->nanos,
	    .precision = record->date_form & 15,
	    .zone = record->date_form >> 4,
	};
}

/* SPEC R-31: none < not to be used < usable. */
static int
date_rank(const struct date *date, int64_t now_s)
{
	if (date->precision == DATE_NONE)
		return 0;
	return date_doubt(date, now_s) == DIAG_OK ? 2 : 1;
}

/* SPEC R-51. */
static void
unite(const struct sorter *sorter, struct entry *entry,
    const struct record *repeat)
{
	struct date date = record_date(repeat);
	int rank = date_rank(&date, sorter->options.now_s);
	int rank_before = date_rank(&entry->lastmod, sorter->options.now_s);

	if (rank > rank_before ||
	    (rank == 2 && rank_before == 2 &&
		date_order(&date, &entry->lastmod) > 0))
		entry->lastmod = date;
	if (repeat->ordinal < entry->ordinal)
		entry->ordinal = repeat->ordinal;
	entry->extensions |= repeat->extensions;
}

bool
sorter_next(struct sorter *sorter, struct entry *entry)
{
	const struct record *record = sorter->ahead;

	assert(sorter->is_finished);
	if (record == NULL)
		return false;
	*entry = (struct entry){
	    .url = record_url(record),
	    .lastmod = record_date(record),
	    .ordinal = record->ordinal,
	    .extensions = record->extensions,
	    .verdict = record->verdict,
	    .hints = record->hints,
	};
	/* The record is gone when the next one is read from scratch. */
	if (sorter->runs != NULL) {
		buf_clear(&sorter->url);
		bool is_put = buf_put_slice(&sorter->url, entry->url);
		assert(is_put);
		entry->url = buf_text(&sorter->url);
	}
	for (bool is_known = false;; is_known = true) {
		sorter->ahead = take(sorter);
		if (sorter->ahead == NULL ||
		    !slice_equal(record_url(sorter->ahead), entry->url))
			return true;
		unite(sorter, entry, sorter->ahead);
		/* What is refused is refused once more: nothing new. */
		if (entry->verdict != VERDICT_ACCEPTED)
			continue;
		sorter->repeats++;
		if (!is_known && sorter->repeated_count < FINDING_SAMPLES)
			sorter->repeated[sorter->repeated_count++] = slice_dup(
			    entry->url);
	}
}

bool
sorter_failed(const struct sorter *sorter)
{
	return sorter->runs != NULL && runs_failed(sorter->runs);
}

uint64_t
sorter_repeats(const struct sorter *sorter)
{
	return sorter->repeats;
}

const char *
sorter_repeated(const struct sorter *sorter, size_t i)
{
	return i < sorter->repeated_count ? sorter->repeated[i] : NULL;
}
