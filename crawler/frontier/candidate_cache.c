/* The candidate cache. */
#include "crawler/frontier/candidate_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Follows the URL of a candidate. */
struct tail {
	struct date lastmod;
	int64_t first_seen_s;
	uint32_t url_len;
};

/* An odd number near 2^64 divided by the golden ratio.  Its multiples spread
 * evenly, so the rows that are replaced do not come in the order in which
 * documents take turns. */
#define SPREAD 11400714819323198485u

/* Queues. */

void
candidate_queue_fill(struct candidate_queue *queue,
    const struct candidate_page *pages, size_t count, size_t most)
{
	size_t first = count, bytes = 0;

	for (; first > 0; first--) {
		size_t size = pages[first - 1].url.len + sizeof(struct tail);

		if (bytes + size > most)
			break;
		bytes += size;
	}
	*queue = (struct candidate_queue){.cap = (uint32_t)bytes};
	if (bytes > 0)
		queue->bytes = mem_alloc(bytes);
	for (const struct candidate_page *page = pages + first;
	     page < pages + count; page++) {
		struct tail tail = {.lastmod = page->lastmod,
		    .first_seen_s = page->first_seen_s,
		    .url_len = (uint32_t)page->url.len};

		memcpy(queue->bytes + queue->len, page->url.p, page->url.len);
		queue->len += tail.url_len;
		memcpy(queue->bytes + queue->len, &tail, sizeof(tail));
		queue->len += (uint32_t)sizeof(tail);
	}
}

/* Free the memory behind the remaining candidates. */
static void
queue_fit(struct candidate_cache *cache, struct candidate_queue *queue)
{
	cache->bytes -= queue->cap - queue->len;
	queue->cap = queue->len;
	if (queue->len > 0) {
		queue->bytes = mem_resize(queue->bytes, queue->len);
	} else {
		free(queue->bytes);
		queue->bytes = NULL;
	}
}

/* Rows. */

/* Forget the last candidates of a row that has more than that many bytes; with
 * 0, all of them. */
static void
row_cut(struct candidate_cache *cache, struct candidate_row *row, size_t most)
{
	size_t most_each = row->is_one ? most : most / CANDIDATE_QUEUES;

	for (int i = 0; i < CANDIDATE_QUEUES; i++) {
		struct candidate_queue *queue = &row->queues[i];
		uint32_t from = queue->len;
		struct tail tail;

		if (queue->cap <= most_each)
			continue;
		/* Those that are next stand at the end. */
		while (from > 0) {
			memcpy(&tail, queue->bytes + from - sizeof(tail),
			    sizeof(tail));
			uint32_t size = tail.url_len + (uint32_t)sizeof(tail);

			if (queue->len - from + size > most_each)
				break;
			from -= size;
		}
		queue->len -= from;
		memmove(queue->bytes, queue->bytes + from, queue->len);
		queue_fit(cache, queue);
	}
	if (row->room > most)
		row->room = (uint32_t)most;
}

static struct candidate_row *
candidate_find(const struct candidate_cache *cache, uint64_t document)
{
	uint32_t at = idmap_get(&cache->of, (int64_t)document + 1);

	return at == IDMAP_NONE ? NULL : &cache->items[at];
}

size_t
candidate_cache_room(const struct candidate_cache *cache, uint64_t document)
{
	const struct candidate_row *row = candidate_find(cache, document);
	/* the even share, with this document among the others */
	size_t room = CANDIDATE_BYTES_MAX / 2 / (cache->count + (row == NULL));
	size_t left = CANDIDATE_BYTES_MAX - cache->bytes;
	size_t twice = row == NULL ? 0 : (size_t)row->room * 2;

	if (room < twice)
		room = twice < left ? twice : room < left ? left : room;
	return room;
}

void
candidate_cache_put(
    struct candidate_cache *cache, const struct candidate_row *with)
{
	struct candidate_row *row = candidate_find(cache, with->document);

	cache->fills++;
	if (row != NULL) {
		row_cut(cache, row, 0);
	} else {
		/* if there are too many, another one is forgotten */
		if (cache->count == CANDIDATE_DOCUMENTS_MAX) {
			size_t other = (cache->fills * SPREAD >> 32) %
			    cache->count;

			candidate_cache_forget(
			    cache, cache->items[other].document);
		}
		idmap_put(&cache->of, (int64_t)with->document + 1,
		    (uint32_t)cache->count);
		row = MEM_PUSH(cache->items, cache->count, cache->cap);
	}
	*row = *with;
	for (int i = 0; i < CANDIDATE_QUEUES; i++)
		cache->bytes += row->queues[i].cap;
	/* Cut one row after the other to the even share until memory suffices.
	 */
	size_t most = CANDIDATE_BYTES_MAX / 2 / cache->count;

	for (size_t i = 0;
	     i < cache->count && cache->bytes > CANDIDATE_BYTES_MAX; i++)
		row_cut(cache, &cache->items[cache->next_cut++ % cache->count],
		    most);
}

bool
candidate_cache_take(struct candidate_cache *cache, uint64_t document,
    int number, struct candidate_page *page)
{
	struct candidate_row *row = candidate_find(cache, document);
	struct candidate_queue *queue;
	struct tail tail;

	if (row == NULL)
		return false;
	queue = &row->queues[row->is_one ? 0 : number];
	if (queue->len == 0)
		return false;
	memcpy(&tail, queue->bytes + queue->len - sizeof(tail), sizeof(tail));
	queue->len -= tail.url_len + (uint32_t)sizeof(tail);
	free(cache->text);
	cache->text = slice_dup(
	    slice_make(queue->bytes + queue->len, tail.url_len));
	if (queue->len <= queue->cap / 2)
		queue_fit(cache, queue);
	*page = (struct candidate_page){.url = slice_of(cache->text),
	    .lastmod = tail.lastmod,
	    .first_seen_s = tail.first_seen_s};
	return true;
}

bool
candidate_cache_is_empty(const struct candidate_cache *cache, uint64_t document)
{
	const struct candidate_row *row = candidate_find(cache, document);

	return row != NULL && row->is_empty;
}

void
candidate_cache_forget(struct candidate_cache *cache, uint64_t document)
{
	struct candidate_row *row = candidate_find(cache, document);
	struct candidate_row *last;

	if (row == NULL)
		return;
	row_cut(cache, row, 0);
	idmap_remove(&cache->of, (int64_t)document + 1);
	last = &cache->items[--cache->count];
	if (row == last)
		return;
	*row = *last;
	idmap_put(&cache->of, (int64_t)row->document + 1,
	    (uint32_t)(row - cache->items));
}

void
candidate_cache_release(struct candidate_cache *cache)
{
	for (size_t i = 0; i < cache->count; i++)
		row_cut(cache, &cache->items[i], 0);
	free(cache->items);
	free(cache->of.slots);
	free(cache->text);
	*cache = (struct candidate_cache){0};
}
