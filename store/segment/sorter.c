/*
 * Sorting the entries of a document by URL.
 *
 * Entries are kept as records in chunks of memory.  When they take more than
 * sorter_options allows, they are sorted and written to the scratch file as a
 * run; at the end the runs are merged.  In this order: records, the sort, runs,
 * the sorter.
 */
#include "store/segment/sorter.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/url.h"

/* An entry as memory and the scratch file hold it. */
struct entry_record {
	int64_t epoch_s;
	uint32_t nanos;
	uint32_t ordinal;
	uint16_t url_len;
	uint8_t date_offset;
	uint8_t extensions; /* five bits: enum entry_extension */
	uint8_t verdict;
	uint8_t hints;
	uint8_t date_form; /* precision, zone << 4 */
	char url[]; /* never NUL */
};

_Static_assert(EXT_OTHER <= UINT8_MAX, "extensions fit into a record");
_Static_assert(URL_MAX_BYTES <= UINT16_MAX, "lengths fit into a record");

static inline struct slice
record_url(const struct entry_record *record)
{
	return slice_make(record->url, record->url_len);
}

/* An item of the sort: a record and 8 bytes of its URL as a big-endian key. */
struct sort_item {
	uint64_t key;
	const struct entry_record *record;
};

/*
 * Radix sort of URLs, most significant byte first.
 *
 * Each item holds eight bytes of its URL as a key, so that most passes touch no
 * URL.  A group of URLs that agree so far is split at the first byte in which
 * their keys differ; where all eight bytes agree, the next eight are fetched.
 * Groups wait in a list, not on the stack: for URLs that share 32 KiB a
 * recursion would go as deep.
 */

/* Sizes from 12 to 32 are equally fast. */
#define SMALL_GROUP 20
#define PREFETCH 8 /* items ahead */

struct group {
	size_t first;
	size_t count;
	size_t at; /* offset of the keys in the URLs */
};

struct sort {
	struct sort_item *items;
	struct sort_item *spare;
	struct group *groups; /* groups that wait */
	size_t group_count;
	size_t group_cap;
};

/* The key has 0 for bytes behind the end.  No URL holds 0, so the shorter URL
 * comes first. */
static uint64_t
key_at(const struct entry_record *record, size_t at)
{
	uint64_t key = 0;

	if (at + sizeof(key) <= record->url_len)
		memcpy(&key, record->url + at, sizeof(key));
	else if (at < record->url_len)
		memcpy(&key, record->url + at, record->url_len - at);
	return __builtin_bswap64(key);
}

static void
push(struct sort *sort, size_t first, size_t count, size_t at)
{
	if (count < 2)
		return;
	*MEM_PUSH(sort->groups, sort->group_count,
	    sort->group_cap) = (struct group){first, count, at};
}

/* Set the keys of items; records lie in the order of the document, so each one
 * would be a cache miss. */
static void
set_keys(struct sort_item *items, size_t count, size_t at)
{
	for (size_t i = 0; i < count; i++) {
		if (i + PREFETCH < count)
			__builtin_prefetch(
			    items[i + PREFETCH].record->url + at);
		items[i].key = key_at(items[i].record, at);
	}
}

static void
sort_group(struct sort *sort, struct group group)
{
	struct sort_item *items = sort->items + group.first;
	uint64_t bits = 0; /* in which the keys of the group differ */

	for (;;) {
		for (size_t i = 1; i < group.count; i++)
			bits |= items[i].key ^ items[0].key;
		if (bits != 0)
			break;
		if ((items[0].key & 0xff) == 0)
			return;
		group.at += 8;
		set_keys(items, group.count, group.at);
	}
	if (group.count <= SMALL_GROUP) {
		for (size_t i = 1; i < group.count; i++) {
			struct sort_item item = items[i];
			size_t k = i;

			for (; k > 0; k--) {
				const struct sort_item *before = &items[k - 1];

				if (item.key > before->key)
					break;
				/* Where the keys are equal and a URL has ended,
				 * both have. */
				if (item.key == before->key &&
				    ((item.key & 0xff) == 0 ||
					slice_order(
					    slice_from(record_url(item.record),
						group.at + 8),
					    slice_from(
						record_url(before->record),
						group.at + 8)) >= 0))
					break;
				items[k] = *before;
			}
			items[k] = item;
		}
	} else {
		unsigned leading = (unsigned)__builtin_clzll(bits);

		unsigned shift = 56 - leading / 8 * 8;
		size_t counts[256] = {0};
		size_t at[256];
		size_t sum = 0;

		for (size_t i = 0; i < group.count; i++)
			counts[items[i].key >> shift & 0xff]++;
		for (unsigned b = 0; b < 256; b++) {
			at[b] = sum;
			sum += counts[b];
		}
		for (size_t i = 0; i < group.count; i++)
			sort->spare[at[items[i].key >> shift & 0xff]++] =
			    items[i];
		memcpy(items, sort->spare, group.count * sizeof(*items));
		/* URLs with byte 0 have ended, so they are equal. */
		for (unsigned b = 1; b < 256; b++)
			push(sort, group.first + at[b] - counts[b], counts[b],
			    group.at);
	}
}

/* Sorted runs in the scratch file.  Only write, lseek and read are needed: the
 * sandbox allows these. */
#define BUFFER_BYTES (64u << 10) /* holds any record */

static_assert(BUFFER_BYTES > sizeof(struct entry_record) + URL_MAX_BYTES,
    "a record fits");

/* A record takes a multiple of 8 bytes, so that it can be read in place. */
static size_t
record_bytes(size_t url_len)
{
	return (sizeof(struct entry_record) + url_len + 7) & ~(size_t)7;
}

/* A sorted run in the scratch file. */
struct sorted_run {
	off_t at; /* of the first byte that is not yet in the buffer */
	off_t end;
	char *buffer; /* owned */
	size_t used; /* bytes of the buffer that were read */
	size_t have; /* bytes in the buffer */
	const struct entry_record *head; /* NULL: the run has ended */
};

struct sorted_runs {
	int fd; /* borrowed */
	bool is_failed;
	off_t size;
	struct sorted_run *items;
	size_t count;
	size_t cap;
	size_t *heap; /* runs, the one with the least head on top */
	size_t heap_count;
	bool is_taken; /* the head of the top run was given out */
	char *out; /* while a run is written */
	size_t out_used;
};

static void
write_out(struct sorted_runs *runs)
{
	size_t done = 0;

	while (done < runs->out_used && !runs->is_failed) {
		ssize_t n = write(
		    runs->fd, runs->out + done, runs->out_used - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			runs->is_failed = true;
	}
	runs->size += (off_t)done;
	runs->out_used = 0;
}

/* Append a run; returns false if the scratch file cannot be written. */
static bool
runs_write(
    struct sorted_runs *runs, const struct sort_item *items, size_t count)
{
	off_t start = runs->size;

	if (runs->is_failed || lseek(runs->fd, start, SEEK_SET) != start) {
		runs->is_failed = true;
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		const struct entry_record *record = items[i].record;
		size_t n = sizeof(*record) + record->url_len;
		size_t room = record_bytes(record->url_len);

		if (runs->out_used + room > BUFFER_BYTES)
			write_out(runs);
		memcpy(runs->out + runs->out_used, record, n);
		memset(runs->out + runs->out_used + n, 0, room - n);
		runs->out_used += room;
	}
	write_out(runs);
	*MEM_PUSH(runs->items, runs->count, runs->cap) = (struct sorted_run){
	    .at = start,
	    .end = runs->size,
	};
	return !runs->is_failed;
}

static bool
has_record(const struct sorted_run *run)
{
	size_t left = run->have - run->used;
	const void *p = run->buffer + run->used;
	const struct entry_record *record = p;

	return left >= sizeof(*record) && left >= record_bytes(record->url_len);
}

/* Step a run to its next record. */
static void
advance(struct sorted_runs *runs, struct sorted_run *run)
{
	if (run->head != NULL)
		run->used += record_bytes(run->head->url_len);
	run->head = NULL;
	if (!has_record(run) && run->at < run->end) {
		/* Move the unread bytes to the front of the buffer and fill the
		 * rest. */
		size_t want = BUFFER_BYTES;

		memmove(run->buffer, run->buffer + run->used,
		    run->have - run->used);
		run->have -= run->used;
		run->used = 0;
		want -= run->have;
		if ((off_t)want > run->end - run->at)
			want = (size_t)(run->end - run->at);
		if (want > 0 && lseek(runs->fd, run->at, SEEK_SET) != run->at)
			runs->is_failed = true;
		while (want > 0 && !runs->is_failed) {
			ssize_t n = read(
			    runs->fd, run->buffer + run->have, want);

			if (n > 0) {
				run->have += (size_t)n;
				run->at += n;
				want -= (size_t)n;
			} else if (n == 0 || errno != EINTR) {
				runs->is_failed = true;
			}
		}
	}
	if (runs->is_failed || run->used == run->have)
		return;
	if (!has_record(run)) {
		runs->is_failed = true;
		return;
	}
	const void *p = run->buffer + run->used;
	run->head = p;
}

static void
sift_down(struct sorted_runs *runs, size_t i)
{
	size_t *heap = runs->heap;

	for (;;) {
		size_t least = i;

		for (size_t k = 2 * i + 1;
		     k <= 2 * i + 2 && k < runs->heap_count; k++) {
			int order = slice_order(
			    record_url(runs->items[heap[k]].head),
			    record_url(runs->items[heap[least]].head));

			/* Of equal URLs, the earlier run comes first, so that
			 * the first entry of the document leads. */
			if (order < 0 || (order == 0 && heap[k] < heap[least]))
				least = k;
		}
		if (least == i)
			return;
		size_t swap = heap[i];
		heap[i] = heap[least];
		heap[least] = swap;
		i = least;
	}
}

#define CHUNK_BYTES (256u << 10)

static_assert(CHUNK_BYTES > URL_MAX_BYTES + 2 * sizeof(struct entry_record),
    "a record fits into a chunk");

struct sorter {
	struct sorter_options options;
	char **chunks; /* owned; records lie in them one after the other */
	size_t chunk_count;
	size_t chunk_cap;
	size_t chunk_at; /* the chunk that is being filled */
	size_t chunk_used;
	struct sort_item *items; /* owned */
	size_t count;
	size_t cap;
	size_t next; /* in items, while they are read out */
	size_t prefix_len; /* bytes that all URLs so far share */
	size_t keyed; /* the items from here on have their keys behind these */
	bool is_sorted;
	bool is_finished;
	struct sorted_runs *runs; /* NULL: all is in memory */
	const struct entry_record *ahead; /* read, but not yet returned */
	struct buf url; /* of the entry returned last, if it is from scratch */
	struct sorter_end end;
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
	for (size_t i = 0; i < sorter->end.sample_count; i++)
		free(sorter->end.samples[i].url);
	if (sorter->runs != NULL) {
		for (size_t i = 0; i < sorter->runs->count; i++)
			free(sorter->runs->items[i].buffer);
		free(sorter->runs->items);
		free(sorter->runs->heap);
		free(sorter->runs->out);
		free(sorter->runs);
	}
	buf_release(&sorter->url);
	free(sorter);
}

static void
sort(struct sorter *sorter)
{
	if (sorter->is_sorted)
		return;
	set_keys(sorter->items, sorter->keyed, sorter->prefix_len);
	/* Sort items by URL, stable; all URLs share their first prefix_len
	 * bytes, and the keys begin behind them.  Time and memory grow with the
	 * number of bytes that tell the URLs apart, in the worst case, too. */
	struct sort_item *items = sorter->items;
	size_t count = sorter->count;
	struct sort sort = {
	    .items = items,
	    .spare = mem_alloc(count * sizeof(*items)),
	};

	push(&sort, 0, count, sorter->prefix_len);
	while (sort.group_count > 0)
		sort_group(&sort, sort.groups[--sort.group_count]);
	free(sort.groups);
	free(sort.spare);
}

static bool
spill(struct sorter *sorter)
{
	sort(sorter);
	if (sorter->runs == NULL) {
		sorter->runs = mem_zero(sizeof(*sorter->runs));
		sorter->runs->fd = sorter->options.scratch_fd;
		sorter->runs->out = mem_alloc(BUFFER_BYTES);
	}
	bool is_written = runs_write(
	    sorter->runs, sorter->items, sorter->count);
	sorter->count = 0;
	sorter->chunk_at = sorter->chunk_used = 0;
	sorter->is_sorted = true;
	return is_written;
}

/* Keep the length of the prefix that all URLs share, and whether the URLs are
 * sorted already. */
static void
note_order(struct sorter *sorter, struct slice url)
{
	if (sorter->count == 0) {
		sorter->prefix_len = url.len;
		sorter->keyed = 0;
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
	if (n < sorter->prefix_len)
		sorter->keyed = sorter->count;
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
	/* The sort needs a second array of items. */
	if (sorter->options.scratch_fd >= 0 && sorter->count > 0 &&
	    (sorter->chunk_at * CHUNK_BYTES + sorter->chunk_used +
		2 * sorter->count * sizeof(*sorter->items)) >
		sorter->options.max_bytes &&
	    !spill(sorter))
		return false;
	note_order(sorter, entry->url);

	size_t n = record_bytes(entry->url.len);

	if (sorter->chunk_count > 0 && sorter->chunk_used + n > CHUNK_BYTES) {
		sorter->chunk_at++;
		sorter->chunk_used = 0;
	}
	if (sorter->chunk_at == sorter->chunk_count) {
		*MEM_PUSH(sorter->chunks, sorter->chunk_count,
		    sorter->chunk_cap) = mem_alloc(CHUNK_BYTES);
	}
	void *p = sorter->chunks[sorter->chunk_at] + sorter->chunk_used;
	struct entry_record *record = p;

	sorter->chunk_used += n;
	record->epoch_s = entry->lastmod.epoch_s;
	record->nanos = entry->lastmod.nanos;
	record->ordinal = entry->ordinal;
	record->url_len = (uint16_t)entry->url.len;
	record->extensions = (uint8_t)entry->extensions;
	record->verdict = entry->verdict;
	record->hints = entry->hints;
	record->date_form = (uint8_t)(entry->lastmod.precision |
	    entry->lastmod.zone << 4);
	record->date_offset = entry->lastmod.offset;
	memcpy(record->url, entry->url.p, entry->url.len);
	/* The URL is in the cache now, and will not be when it is sorted. */
	*MEM_PUSH(
	    sorter->items, sorter->count, sorter->cap) = (struct sort_item){
	    .key = key_at(record, sorter->prefix_len), .record = record};
	return true;
}

/* The next record in order of URL, or NULL. */
static const struct entry_record *
take(struct sorter *sorter)
{
	if (sorter->runs != NULL) {
		/* The least head of all runs; it is valid until the next call.
		 * NULL also means that the scratch file cannot be read. */
		struct sorted_runs *runs = sorter->runs;

		if (runs->is_taken) {
			struct sorted_run *top = &runs->items[runs->heap[0]];

			advance(runs, top);
			if (top->head == NULL)
				runs->heap[0] = runs->heap[--runs->heap_count];
			sift_down(runs, 0);
		}
		runs->is_taken = !runs->is_failed && runs->heap_count > 0;
		return runs->is_taken ? runs->items[runs->heap[0]].head : NULL;
	}
	if (sorter->next == sorter->count)
		return NULL;
	/* see set_keys() */
	if (sorter->next + PREFETCH < sorter->count) {
		const struct entry_record
		    *soon = sorter->items[sorter->next + PREFETCH].record;

		/* three lines: those of a usual record */
		__builtin_prefetch(soon);
		__builtin_prefetch((const char *)soon + 64);
		__builtin_prefetch((const char *)soon + 128);
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
		/* All runs go into a heap, each with its first record. */
		struct sorted_runs *runs = sorter->runs;

		runs->heap = mem_alloc(runs->count * sizeof(*runs->heap));
		for (size_t i = 0; i < runs->count; i++) {
			runs->items[i].buffer = mem_alloc(BUFFER_BYTES);
			advance(runs, &runs->items[i]);
			if (runs->items[i].head != NULL)
				runs->heap[runs->heap_count++] = i;
		}
		for (size_t i = runs->heap_count; i-- > 0;)
			sift_down(runs, i);
		if (runs->is_failed)
			return false;
	} else {
		sort(sorter);
	}
	sorter->ahead = take(sorter);
	return true;
}

static struct date
record_date(const struct entry_record *record)
{
	return (struct date){
	    .epoch_s = record->epoch_s,
	    .nanos = record->nanos,
	    .precision = record->date_form & 15,
	    .zone = record->date_form >> 4,
	    .offset = record->date_offset,
	};
}

/* SPEC R-31: no date ranks below a date that is not usable, and that below a
 * usable one. */
static int
date_rank(const struct date *date, int64_t now_s)
{
	if (date->precision == DATE_NONE)
		return 0;
	return date_doubt(date, now_s) == DIAG_OK ? 2 : 1;
}

bool
sorter_next(struct sorter *sorter, struct entry *entry)
{
	const struct entry_record *record = sorter->ahead;

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
	/* A record from scratch is overwritten when the next one is read. */
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
		uint32_t before = entry->ordinal;
		uint32_t again = sorter->ahead->ordinal;

		/* SPEC R-51: a repeat may give the entry a newer date, and more
		 * extensions. */
		struct date date = record_date(sorter->ahead);
		int rank = date_rank(&date, sorter->options.now_s);
		int rank_before = date_rank(
		    &entry->lastmod, sorter->options.now_s);

		if (rank > rank_before ||
		    (rank == 2 && rank_before == 2 &&
			date_order(&date, &entry->lastmod) > 0))
			entry->lastmod = date;
		if (sorter->ahead->ordinal < entry->ordinal)
			entry->ordinal = sorter->ahead->ordinal;
		entry->extensions |= sorter->ahead->extensions;
		/* A refused URL that repeats is no finding of its own. */
		if (entry->verdict != VERDICT_ACCEPTED)
			continue;
		struct sorter_end *end = &sorter->end;

		end->repeats++;
		if (!is_known && end->sample_count < FINDING_SAMPLES)
			end->samples[end->sample_count++] =
			    (struct sorter_repeat){.url = slice_dup(entry->url),
				.first = before < again ? before : again,
				.again = before < again ? again : before};
	}
}

const struct sorter_end *
sorter_end(struct sorter *sorter)
{
	sorter->end.is_failed = sorter->runs != NULL && sorter->runs->is_failed;
	return &sorter->end;
}
