/* The candidate cache. */
#include "crawler/frontier/candidate_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* What malloc takes for itself. */
#define ALLOCATION_BYTES 16
/* An odd number near 2^64 divided by the golden ratio.  Its multiples spread
 * evenly, so the rows that are replaced do not come in the order in which
 * documents take turns. */
#define SPREAD 11400714819323198485u

struct candidate_page *
candidate_page_new(
    struct slice url, const struct date *lastmod, int64_t first_seen_s)
{
	struct candidate_page *page = mem_alloc(sizeof(*page) + url.len);

	*page = (struct candidate_page){.lastmod = *lastmod,
	    .first_seen_s = first_seen_s,
	    .url_len = (uint32_t)url.len};
	memcpy(page->url, url.p, url.len);
	return page;
}

static uint32_t
page_bytes(const struct candidate_page *page)
{
	return (uint32_t)sizeof(*page) + page->url_len + ALLOCATION_BYTES;
}

/* Forget the last candidates of a row that has more than that many bytes; with
 * 0, all of them. */
static void
row_cut(struct candidate_cache *cache, struct candidate_row *row, size_t most)
{
	size_t most_each = row->is_one ? most : most / CANDIDATE_QUEUES;

	for (int i = 0; i < CANDIDATE_QUEUES; i++) {
		struct candidate_queue *queue = &row->queues[i];
		struct candidate_page **at = &queue->first, *page;

		cache->bytes -= queue->bytes;
		for (queue->bytes = 0;
		     *at != NULL && queue->bytes + page_bytes(*at) <= most_each;
		     at = &(*at)->next)
			queue->bytes += page_bytes(*at);
		cache->bytes += queue->bytes;
		while ((page = *at) != NULL) {
			*at = page->next;
			free(page);
		}
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
	row_cut(cache, row, row->room);
	/* Cut one row after the other to the even share until memory suffices.
	 */
	size_t most = CANDIDATE_BYTES_MAX / 2 / cache->count;

	for (size_t i = 0;
	     i < cache->count && cache->bytes > CANDIDATE_BYTES_MAX; i++)
		row_cut(cache, &cache->items[cache->next_cut++ % cache->count],
		    most);
}

struct candidate_page *
candidate_cache_take(
    struct candidate_cache *cache, uint64_t document, int number)
{
	struct candidate_row *row = candidate_find(cache, document);
	struct candidate_queue *queue;
	struct candidate_page *page;

	if (row == NULL)
		return NULL;
	queue = &row->queues[row->is_one ? 0 : number];
	page = queue->first;
	if (page == NULL)
		return NULL;
	queue->first = page->next;
	queue->bytes -= page_bytes(page);
	cache->bytes -= page_bytes(page);
	return page;
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
	*cache = (struct candidate_cache){0};
}
