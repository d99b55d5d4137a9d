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

size_t
candidate_bytes(struct slice url)
{
	return url.len + sizeof(struct tail);
}

void
candidate_queue_make(struct candidate_queue *line, size_t bytes)
{
	*line = (struct candidate_queue){.cap = (uint32_t)bytes};
	if (bytes > 0)
		line->bytes = mem_alloc(bytes);
}

void
candidate_queue_add(
    struct candidate_queue *line, const struct candidate_page *page)
{
	struct tail tail = {.lastmod = page->lastmod,
	    .first_seen_s = page->first_seen_s,
	    .url_len = (uint32_t)page->url.len};

	memcpy(line->bytes + line->len, page->url.p, page->url.len);
	memcpy(line->bytes + line->len + page->url.len, &tail, sizeof(tail));
	line->len += (uint32_t)candidate_bytes(page->url);
}

static struct tail
tail_at(const struct candidate_queue *line, uint32_t end)
{
	struct tail tail;

	memcpy(&tail, line->bytes + end - sizeof(tail), sizeof(tail));
	return tail;
}

static void
candidate_queue_release(
    struct candidate_cache *cache, struct candidate_queue *queue)
{
	cache->bytes -= queue->cap;
	free(queue->bytes);
	*queue = (struct candidate_queue){0};
}

/* Free the memory behind the remaining candidates. */
static void
queue_fit(struct candidate_cache *cache, struct candidate_queue *queue)
{
	if (queue->len == 0) {
		candidate_queue_release(cache, queue);
		return;
	}
	cache->bytes -= queue->cap - queue->len;
	queue->bytes = mem_resize(queue->bytes, queue->len);
	queue->cap = queue->len;
}

/* Forget the last candidates of a queue that has more than that many bytes. */
static void
queue_cut(
    struct candidate_cache *cache, struct candidate_queue *queue, size_t most)
{
	uint32_t from = queue->len;

	if (queue->cap <= most)
		return;
	while (from > 0) {
		uint32_t size = tail_at(queue, from).url_len +
		    (uint32_t)sizeof(struct tail);

		if (queue->len - from + size > most)
			break;
		from -= size;
	}
	queue->len -= from;
	memmove(queue->bytes, queue->bytes + from, queue->len);
	queue_fit(cache, queue);
}

/* Rows. */

static void
row_release(struct candidate_cache *cache, struct candidate_row *row)
{
	for (int i = 0; i < CANDIDATE_QUEUES; i++)
		candidate_queue_release(cache, &row->queues[i]);
}

static struct candidate_row *
candidate_find(const struct candidate_cache *cache, uint32_t document)
{
	uint32_t at = idmap_get(&cache->of, (int64_t)document + 1);

	return at == IDMAP_NONE ? NULL : &cache->items[at];
}

/* The even share of one of that many documents. */
static size_t
candidate_share(size_t count)
{
	return CANDIDATE_BYTES_MAX / 2 / (count > 0 ? count : 1);
}

size_t
candidate_cache_room(const struct candidate_cache *cache, uint32_t document)
{
	const struct candidate_row *row = candidate_find(cache, document);
	size_t room = candidate_share(cache->count + (row == NULL));
	size_t left = CANDIDATE_BYTES_MAX - cache->bytes;
	size_t twice = row == NULL ? 0 : (size_t)row->room * 2;

	if (room < twice)
		room = twice < left ? twice : room < left ? left : room;
	return room;
}

static void
row_cut(struct candidate_cache *cache, struct candidate_row *row, size_t most)
{
	for (int i = 0; i < CANDIDATE_QUEUES; i++)
		queue_cut(cache, &row->queues[i],
		    row->is_one ? most : most / CANDIDATE_QUEUES);
	if (row->room > most)
		row->room = (uint32_t)most;
}

void
candidate_cache_put(
    struct candidate_cache *cache, const struct candidate_row *with)
{
	struct candidate_row *row = candidate_find(cache, with->document);

	cache->fills++;
	if (row != NULL) {
		row_release(cache, row);
	} else {
		/* if there are too many, another one is forgotten */
		if (cache->count == CANDIDATE_DOCUMENTS_MAX) {
			size_t other = (cache->fills * SPREAD >> 32) %
			    cache->count;

			candidate_cache_forget(
			    cache, cache->items[other].document);
		}
		cache->items = mem_grow(cache->items, &cache->cap,
		    cache->count + 1, sizeof(*cache->items));
		idmap_put(&cache->of, (int64_t)with->document + 1,
		    (uint32_t)cache->count);
		row = &cache->items[cache->count++];
	}
	*row = *with;
	for (int i = 0; i < CANDIDATE_QUEUES; i++)
		cache->bytes += row->queues[i].cap;
	/* Cut one row after the other to the even share until memory suffices.
	 */
	size_t most = candidate_share(cache->count);

	for (size_t i = 0;
	     i < cache->count && cache->bytes > CANDIDATE_BYTES_MAX; i++)
		row_cut(cache, &cache->items[cache->next_cut++ % cache->count],
		    most);
}

bool
candidate_cache_take(struct candidate_cache *cache, uint32_t document,
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
	tail = tail_at(queue, queue->len);
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

void
candidate_cache_forget(struct candidate_cache *cache, uint32_t document)
{
	struct candidate_row *row = candidate_find(cache, document);
	struct candidate_row *last;

	if (row == NULL)
		return;
	row_release(cache, row);
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
		row_release(cache, &cache->items[i]);
	free(cache->items);
	free(cache->of.slots);
	free(cache->text);
	*cache = (struct candidate_cache){0};
}
