/*
 * Hashes of the URLs of new sites.
 *
 * The file only grows, since the documents of many sites come in any order; it
 * is empty again when no site is left in it.  The places of a large document
 * are parted before they are written, so that those of a window lie side by
 * side; those of a small one are read for each window.
 */
#include "store/url_hashes.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/idmap.h"
#include "base/mem.h"
#include "store/db.h"
#include "store/segment/block.h"

#define MOST_BYTES ((off_t)4 << 30) /* of the file */
#define PART_BITS 8
#define PARTS (1u << PART_BITS) /* of a large document */
#define LARGE (16 * PARTS) /* places */
#define RUN_MOST (16 * BLOCK_ENTRIES) /* places, so that memory has a bound */
/* Places of a window: as many as a table in the caches holds, where most are
 * parted, or so many that the others are not read too often. */
#define WINDOW_PARTED 65536
#define WINDOW_WHOLE 524288

struct url_hashes {
	int (*file)(void); /* makes the file */
	int fd; /* owned; -1: there is no file yet */
	off_t end;
	struct runs *sites; /* owned */
	size_t count, cap; /* of sites */
	struct idmap by_id; /* where a site is among sites */
	size_t used; /* items that are not free, and walks */
};

void
store_keep_hashes(struct store *store, int (*file)(void))
{
	store->url_hashes = mem_zero(sizeof(*store->url_hashes));
	store->url_hashes->file = file;
	store->url_hashes->fd = -1;
}

static void
runs_release(struct runs *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		free(runs->items[i].starts);
	free(runs->items);
	*runs = (struct runs){0};
}

void
url_hashes_free(struct url_hashes *hashes)
{
	if (hashes == NULL)
		return;
	for (size_t i = 0; i < hashes->count; i++)
		runs_release(&hashes->sites[i]);
	free(hashes->sites);
	free(hashes->by_id.slots);
	if (hashes->fd >= 0)
		(void)close(hashes->fd);
	free(hashes);
}

static void
release(struct url_hashes *hashes)
{
	if (--hashes->used > 0)
		return;
	hashes->end = 0;
	hashes->count = 0;
	free(hashes->by_id.slots);
	hashes->by_id = (struct idmap){0};
	(void)!ftruncate(hashes->fd, 0);
}

/* Write places as a run of the site, parted if they are many; `room` is for as
 * many others. */
static bool
put_run(struct url_hashes *hashes, int64_t site_id, const uint64_t *places,
    uint32_t count, uint64_t *room)
{
	struct hash_run run = {.at = hashes->end, .count = count};

	if (count >= LARGE) {
		/* Copy the places of the run, part by part, to `room`. */
		uint32_t *starts = mem_zero((PARTS + 2) * sizeof(*starts));

		for (uint32_t i = 0; i < run.count; i++)
			starts[(places[i] >> (64 - PART_BITS)) + 2]++;
		for (unsigned p = 2; p < PARTS + 2; p++)
			starts[p] += starts[p - 1];
		/* starts[p + 1] is where the next place of part p goes, and at
		 * last where the part ends */
		for (uint32_t i = 0; i < run.count; i++)
			room[starts[(places[i] >> (64 - PART_BITS)) + 1]++] =
			    places[i];
		run.starts = starts;
		places = room;
	}
	const char *p = (const char *)places;
	size_t left = count * sizeof(*places);

	while (left > 0) {
		ssize_t n = pwrite(hashes->fd, p, left, hashes->end);

		if (n <= 0) {
			free(run.starts);
			return false;
		}
		p += n;
		left -= (size_t)n;
		hashes->end += n;
	}
	/* The site gets the run, and an item if this is its first one. */
	uint32_t at = idmap_get(&hashes->by_id, site_id);

	if (at == IDMAP_NONE) {
		at = (uint32_t)hashes->count;
		idmap_put(&hashes->by_id, site_id, at);
		*MEM_PUSH(hashes->sites, hashes->count,
		    hashes->cap) = (struct runs){.site_id = site_id};
		hashes->used++;
	}
	struct runs *runs = &hashes->sites[at];

	*MEM_PUSH(runs->items, runs->count, runs->cap) = run;
	runs->hashes += run.count;
	if (run.starts != NULL)
		runs->parted += run.count;
	return true;
}

void
url_hashes_add(struct url_hashes *hashes, uint64_t key, int64_t site_id,
    const struct block_list *segment)
{
	uint64_t *places;
	size_t most = 0;
	uint32_t count = 0;
	bool is_put = true;

	for (size_t i = 0; i < segment->count; i++) {
		if (segment->items[i].hashes == NULL)
			return;
		most += segment->items[i].count;
	}
	/* Is there a file with room? */
	if (most > 0 && hashes->fd < 0)
		hashes->fd = hashes->file();
	if (most == 0 || hashes->fd < 0 || hashes->end >= MOST_BYTES)
		return;
	most = most < RUN_MOST ? most : RUN_MOST;
	places = mem_alloc(2 * most * sizeof(*places));
	for (size_t i = 0; i < segment->count && is_put; i++) {
		const struct block_copy *block = &segment->items[i];

		if (count + block->count > most) {
			is_put = put_run(
			    hashes, site_id, places, count, places + most);
			count = 0;
		}
		for (uint32_t k = 0; k < block->count; k++)
			places[count++] = url_place(key, block->hashes[k]);
	}
	if (is_put)
		(void)put_run(hashes, site_id, places, count, places + most);
	free(places);
}

void
url_hashes_drop(struct url_hashes *hashes, int64_t site_id)
{
	uint32_t at = idmap_get(&hashes->by_id, site_id);

	if (at == IDMAP_NONE)
		return;
	idmap_remove(&hashes->by_id, site_id);
	runs_release(&hashes->sites[at]);
	release(hashes);
}

uint64_t
url_hashes_count(const struct url_hashes *hashes, int64_t site_id)
{
	uint32_t at = idmap_get(&hashes->by_id, site_id);

	return at == IDMAP_NONE ? 0 : hashes->sites[at].hashes;
}

/* Walks. */

/* Go to the first place of the run that may be of the window. */
static void
enter(struct url_hashes_walk *walk, size_t number)
{
	const struct hash_run *run = &walk->runs.items[number];
	uint64_t first = walk->window * PARTS / walk->windows;
	uint64_t last = ((walk->window + 1) * PARTS - 1) / walk->windows;

	walk->run = number;
	if (number == walk->runs.count)
		return;
	walk->at = run->starts == NULL ? 0 : run->starts[first];
	walk->end = run->starts == NULL ? run->count : run->starts[last + 1];
}

struct url_hashes_walk *
url_hashes_walk_new(struct url_hashes *hashes, int64_t site_id)
{
	uint32_t at = idmap_get(&hashes->by_id, site_id);
	struct url_hashes_walk *walk = mem_alloc(sizeof(*walk));

	assert(at != IDMAP_NONE);
	idmap_remove(&hashes->by_id, site_id);
	walk->hashes = hashes;
	walk->runs = hashes->sites[at];
	hashes->sites[at] = (struct runs){0};
	walk->windows = 1 +
	    walk->runs.hashes /
		(walk->runs.parted > walk->runs.hashes / 2 ? WINDOW_PARTED
							   : WINDOW_WHOLE);
	walk->window = 0;
	walk->is_failed = false;
	enter(walk, 0);
	return walk;
}

void
url_hashes_walk_free(struct url_hashes_walk *walk)
{
	if (walk == NULL)
		return;
	release(walk->hashes);
	runs_release(&walk->runs);
	free(walk);
}

bool
url_hashes_next_window(struct url_hashes_walk *walk)
{
	if (++walk->window == walk->windows)
		return false;
	enter(walk, 0);
	return true;
}

const uint64_t *
url_hashes_next(struct url_hashes_walk *walk, size_t *count)
{
	size_t had = 0, kept = 0;

	while (had < URL_HASHES_SOME && walk->run < walk->runs.count) {
		size_t n = walk->end - walk->at, bytes;

		/* The next places of the run, as many as there is room for. */
		n = n < URL_HASHES_SOME - had ? n : URL_HASHES_SOME - had;
		bytes = n * sizeof(*walk->some);
		if (n > 0 &&
		    pread(walk->hashes->fd, walk->some + had, bytes,
			walk->runs.items[walk->run].at +
			    (off_t)(walk->at * sizeof(*walk->some))) !=
			(ssize_t)bytes) {
			walk->is_failed = true;
			return NULL;
		}
		had += n;
		walk->at += (uint32_t)n;
		if (walk->at == walk->end)
			enter(walk, walk->run + 1);
	}
	/* This needs no jump that depends on a place. */
	for (size_t i = 0; i < had; i++) {
		walk->some[kept] = walk->some[i];
		kept += (walk->some[i] >> 32) * walk->windows >> 32 ==
		    walk->window;
	}
	*count = kept;
	return had == 0 ? NULL : walk->some;
}

/* Sets of URLs. */

#define SET_LEAST 1024 /* places of a new table */

/* Where in a table the search for a URL begins. */
static size_t
url_set_first(const struct url_set *set, uint64_t place)
{
	return (size_t)(place >> 1) & (set->size - 1);
}

void
url_set_init(struct url_set *set, uint64_t urls)
{
	*set = (struct url_set){.size = SET_LEAST};
	while ((urls + URL_SET_WAITING) * 4 >= set->size * 3)
		set->size *= 2;
	set->places = mem_zero(set->size * sizeof(*set->places));
}

/* Put the URLs that wait into the table, and make it larger if it is full. */
static void
url_set_settle(struct url_set *set)
{
	for (size_t i = 0; i < set->waiting_count; i++) {
		uint64_t place = set->waiting[i];
		size_t at = url_set_first(set, place);

		while (
		    set->places[at] != 0 && set->places[at] >> 1 != place >> 1)
			at = (at + 1) & (set->size - 1);
		if (set->places[at] == 0) {
			set->used++;
			set->urls++;
			set->refused += (place & 1) == 0;
			set->places[at] = place;
		} else if ((place & 1) > (set->places[at] & 1)) {
			set->refused--;
			set->places[at] |= 1;
		}
	}
	set->waiting_count = 0;
	/* too small for its URLs, and those that will wait next */
	while ((set->used + URL_SET_WAITING) * 4 >= set->size * 3) {
		struct url_set larger = *set;

		larger.size = 2 * set->size;
		larger.places = mem_zero(larger.size * sizeof(*larger.places));
		for (size_t i = 0; i < set->size; i++) {
			size_t at = url_set_first(&larger, set->places[i]);

			if (set->places[i] == 0)
				continue;
			while (larger.places[at] != 0)
				at = (at + 1) & (larger.size - 1);
			larger.places[at] = set->places[i];
		}
		free(set->places);
		*set = larger;
	}
}

void
url_set_add(struct url_set *set, uint64_t place)
{
	place += place < 2 ? 2 : 0; /* 0 is a free place */
	if (set->waiting_count == URL_SET_WAITING)
		url_set_settle(set);
	__builtin_prefetch(&set->places[url_set_first(set, place)]);
	set->waiting[set->waiting_count++] = place;
}

void
url_set_clear(struct url_set *set)
{
	url_set_settle(set);
	memset(set->places, 0, set->size * sizeof(*set->places));
	set->used = 0;
}
