/* Sorted runs in a scratch file: write, lseek and read are all it needs. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/url.h"
#include "store/segment/record.h"

#define BUFFER_BYTES (64u << 10) /* holds any record */

static_assert(
    BUFFER_BYTES > sizeof(struct record) + URL_MAX_BYTES, "a record fits");

/* A record takes a multiple of 8 bytes, so that it can be read in place. */
static size_t
record_bytes(size_t url_len)
{
	return (sizeof(struct record) + url_len + 7) & ~(size_t)7;
}

struct run {
	off_t at; /* of what is not yet in the buffer */
	off_t end;
	char *buffer; /* owned */
	size_t used; /* of the buffer: records given out */
	size_t have;
	const struct record *head; /* NULL: the run has ended */
};

struct runs {
	int fd;
	bool is_failed;
	off_t size;
	struct run *items;
	size_t count;
	size_t cap;
	size_t *heap; /* runs, the one with the least head on top */
	size_t heap_count;
	bool is_taken; /* the head of the top run was given out */
	char *out; /* while a run is written */
	size_t out_used;
};

struct runs *
runs_new(int fd)
{
	struct runs *runs = mem_zero(sizeof(*runs));

	runs->fd = fd;
	runs->out = mem_alloc(BUFFER_BYTES);
	return runs;
}

void
runs_free(struct runs *runs)
{
	if (runs == NULL)
		return;
	for (size_t i = 0; i < runs->count; i++)
		free(runs->items[i].buffer);
	free(runs->items);
	free(runs->heap);
	free(runs->out);
	free(runs);
}

bool
runs_failed(const struct runs *runs)
{
	return runs->is_failed;
}

static void
write_out(struct runs *runs)
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

bool
runs_write(struct runs *runs, const struct sort_item *items, size_t count)
{
	off_t start = runs->size;

	if (runs->is_failed || lseek(runs->fd, start, SEEK_SET) != start) {
		runs->is_failed = true;
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		const struct record *record = items[i].record;
		size_t n = sizeof(*record) + record->url_len;
		size_t room = record_bytes(record->url_len);

		if (runs->out_used + room > BUFFER_BYTES)
			write_out(runs);
		memcpy(runs->out + runs->out_used, record, n);
		memset(runs->out + runs->out_used + n, 0, room - n);
		runs->out_used += room;
	}
	write_out(runs);
	runs->items = mem_grow(
	    runs->items, &runs->cap, runs->count + 1, sizeof(*runs->items));
	runs->items[runs->count++] = (struct run){
	    .at = start,
	    .end = runs->size,
	};
	return !runs->is_failed;
}

/* Move what is left to the front of the buffer and read on behind it. */
static void
fill(struct runs *runs, struct run *run)
{
	size_t want = BUFFER_BYTES;

	memmove(run->buffer, run->buffer + run->used, run->have - run->used);
	run->have -= run->used;
	run->used = 0;
	want -= run->have;
	if ((off_t)want > run->end - run->at)
		want = (size_t)(run->end - run->at);
	if (want > 0 && lseek(runs->fd, run->at, SEEK_SET) != run->at)
		runs->is_failed = true;
	while (want > 0 && !runs->is_failed) {
		ssize_t n = read(runs->fd, run->buffer + run->have, want);

		if (n > 0) {
			run->have += (size_t)n;
			run->at += n;
			want -= (size_t)n;
		} else if (n == 0 || errno != EINTR) {
			runs->is_failed = true;
		}
	}
}

static bool
has_record(const struct run *run)
{
	size_t left = run->have - run->used;
	const void *p = run->buffer + run->used;
	const struct record *record = p;

	return left >= sizeof(*record) && left >= record_bytes(record->url_len);
}

/* Step a run to its next record. */
static void
advance(struct runs *runs, struct run *run)
{
	if (run->head != NULL)
		run->used += record_bytes(run->head->url_len);
	run->head = NULL;
	if (!has_record(run) && run->at < run->end)
		fill(runs, run);
	if (runs->is_failed || run->used == run->have)
		return;
	if (!has_record(run)) {
		runs->is_failed = true;
		return;
	}
	const void *p = run->buffer + run->used;
	run->head = p;
}

/* The earlier run first: among repeats the first of the document leads. */
static bool
is_before(const struct runs *runs, size_t a, size_t b)
{
	int order = slice_order(
	    record_url(runs->items[a].head), record_url(runs->items[b].head));

	return order != 0 ? order < 0 : a < b;
}

static void
sift_down(struct runs *runs, size_t i)
{
	size_t *heap = runs->heap;

	for (;;) {
		size_t least = i;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2; k++)
			if (k < runs->heap_count &&
			    is_before(runs, heap[k], heap[least]))
				least = k;
		if (least == i)
			return;
		size_t swap = heap[i];
		heap[i] = heap[least];
		heap[least] = swap;
		i = least;
	}
}

bool
runs_merge(struct runs *runs)
{
	runs->heap = mem_alloc(runs->count * sizeof(*runs->heap));
	for (size_t i = 0; i < runs->count; i++) {
		runs->items[i].buffer = mem_alloc(BUFFER_BYTES);
		advance(runs, &runs->items[i]);
		if (runs->items[i].head != NULL)
			runs->heap[runs->heap_count++] = i;
	}
	for (size_t i = runs->heap_count; i-- > 0;)
		sift_down(runs, i);
	return !runs->is_failed;
}

const struct record *
runs_next(struct runs *runs)
{
	if (runs->is_taken) {
		struct run *top = &runs->items[runs->heap[0]];

		advance(runs, top);
		if (top->head == NULL)
			runs->heap[0] = runs->heap[--runs->heap_count];
		sift_down(runs, 0);
	}
	runs->is_taken = !runs->is_failed && runs->heap_count > 0;
	return runs->is_taken ? runs->items[runs->heap[0]].head : NULL;
}
