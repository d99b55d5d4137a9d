/*
 * Hashes of the URLs of new sites.
 *
 * The file only grows, since the documents of many sites come in any order; it
 * is empty again when no site is left in it.
 */
#include "store/url_hashes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/idmap.h"
#include "base/mem.h"
#include "store/segment/block.h"

#define SOME 8192 /* hashes that are read at once */
#define MOST_BYTES ((off_t)4 << 30) /* of the file */

/* Hashes that lie side by side in the file. */
struct hash_run {
	off_t at;
	uint32_t count;
};

struct runs {
	int64_t site_id; /* 0: the place is free */
	struct hash_run *items; /* owned */
	size_t count, cap;
	uint64_t hashes; /* in all of them */
};

struct url_hashes {
	int (*file)(void); /* makes the file */
	int fd; /* owned; -1: there is no file yet */
	off_t end;
	struct runs *sites; /* owned */
	size_t count, cap; /* places */
	struct idmap places; /* of sites, by their ids */
	size_t used; /* places that are not free, and walks */
};

struct url_hashes_walk {
	struct url_hashes *hashes; /* borrowed */
	struct hash_run *runs; /* owned */
	size_t count;
	size_t run; /* the next hash is in this run, ... */
	uint32_t at; /* ... behind so many others */
	bool is_failed;
	uint64_t some[SOME];
};

struct url_hashes *
url_hashes_new(int (*file)(void))
{
	struct url_hashes *hashes = mem_zero(sizeof(*hashes));

	hashes->file = file;
	hashes->fd = -1;
	return hashes;
}

void
url_hashes_free(struct url_hashes *hashes)
{
	if (hashes == NULL)
		return;
	for (size_t i = 0; i < hashes->count; i++)
		free(hashes->sites[i].items);
	free(hashes->sites);
	idmap_release(&hashes->places);
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
	idmap_release(&hashes->places);
	(void)!ftruncate(hashes->fd, 0);
}

static const struct runs *
find(const struct url_hashes *hashes, int64_t site_id)
{
	uint32_t place = idmap_get(&hashes->places, site_id);

	return place == IDMAP_NONE ? NULL : &hashes->sites[place];
}

static struct runs *
find_or_add(struct url_hashes *hashes, int64_t site_id)
{
	uint32_t place = idmap_get(&hashes->places, site_id);

	if (place != IDMAP_NONE)
		return &hashes->sites[place];
	hashes->sites = mem_grow(hashes->sites, &hashes->cap, hashes->count + 1,
	    sizeof(*hashes->sites));
	idmap_put(&hashes->places, site_id, (uint32_t)hashes->count);
	hashes->sites[hashes->count] = (struct runs){.site_id = site_id};
	hashes->used++;
	return &hashes->sites[hashes->count++];
}

static bool
has_hashes(const struct block_list *segment)
{
	for (size_t i = 0; i < segment->count; i++)
		if (segment->items[i].hashes == NULL)
			return false;
	return segment->count > 0;
}

/* Is there a file with room? */
static bool
has_room(struct url_hashes *hashes)
{
	if (hashes->fd < 0)
		hashes->fd = hashes->file();
	return hashes->fd >= 0 && hashes->end < MOST_BYTES;
}

static bool
put(struct url_hashes *hashes, const struct block_copy *block)
{
	const char *p = (const char *)block->hashes;
	size_t left = block->count * sizeof(*block->hashes);

	while (left > 0) {
		ssize_t n = pwrite(hashes->fd, p, left, hashes->end);

		if (n <= 0)
			return false;
		p += n;
		left -= (size_t)n;
		hashes->end += n;
	}
	return true;
}

void
url_hashes_add(struct url_hashes *hashes, int64_t site_id,
    const struct block_list *segment)
{
	struct hash_run run = {.at = hashes->end};
	struct runs *runs;

	if (!has_hashes(segment) || !has_room(hashes))
		return;
	for (size_t i = 0; i < segment->count; i++) {
		if (!put(hashes, &segment->items[i]))
			return;
		run.count += segment->items[i].count;
	}
	runs = find_or_add(hashes, site_id);
	runs->items = mem_grow(
	    runs->items, &runs->cap, runs->count + 1, sizeof(*runs->items));
	runs->items[runs->count++] = run;
	runs->hashes += run.count;
}

void
url_hashes_drop(struct url_hashes *hashes, int64_t site_id)
{
	uint32_t place = idmap_get(&hashes->places, site_id);

	if (place == IDMAP_NONE)
		return;
	idmap_remove(&hashes->places, site_id);
	free(hashes->sites[place].items);
	hashes->sites[place] = (struct runs){0};
	release(hashes);
}

uint64_t
url_hashes_count(const struct url_hashes *hashes, int64_t site_id)
{
	const struct runs *runs = find(hashes, site_id);

	return runs == NULL ? 0 : runs->hashes;
}

struct url_hashes_walk *
url_hashes_walk_new(struct url_hashes *hashes, int64_t site_id)
{
	const struct runs *runs = find(hashes, site_id);
	struct url_hashes_walk *walk = mem_alloc(sizeof(*walk));

	walk->hashes = hashes;
	walk->count = runs == NULL ? 0 : runs->count;
	walk->runs = mem_alloc((walk->count + 1) * sizeof(*walk->runs));
	if (runs != NULL)
		memcpy(
		    walk->runs, runs->items, walk->count * sizeof(*walk->runs));
	walk->is_failed = false;
	hashes->used++;
	url_hashes_rewind(walk);
	return walk;
}

void
url_hashes_walk_free(struct url_hashes_walk *walk)
{
	if (walk == NULL)
		return;
	release(walk->hashes);
	free(walk->runs);
	free(walk);
}

void
url_hashes_rewind(struct url_hashes_walk *walk)
{
	walk->run = 0;
	walk->at = 0;
}

const uint64_t *
url_hashes_next(struct url_hashes_walk *walk, size_t *count)
{
	size_t had = 0;

	while (had < SOME && walk->run < walk->count) {
		const struct hash_run *run = &walk->runs[walk->run];
		size_t n = run->count - walk->at;

		if (n > SOME - had)
			n = SOME - had;
		if (pread(walk->hashes->fd, walk->some + had,
			n * sizeof(walk->some[0]),
			run->at + (off_t)(walk->at * sizeof(walk->some[0]))) !=
		    (ssize_t)(n * sizeof(walk->some[0]))) {
			walk->is_failed = true;
			*count = 0;
			return NULL;
		}
		had += n;
		walk->at += (uint32_t)n;
		if (walk->at < run->count)
			break;
		walk->run++;
		walk->at = 0;
	}
	*count = had;
	return walk->some;
}

bool
url_hashes_failed(const struct url_hashes_walk *walk)
{
	return walk->is_failed;
}
