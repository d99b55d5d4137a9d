/*
 * Hashes of the URLs that a new site lists, in a temporary file, so that the
 * tally of the site (site_tally.h) counts different URLs without unpacking all
 * segments, which were unpacked a moment ago when they were validated.
 *
 * The hashes of a site are those of all entries of some of its documents, as
 * these are now.  They are complete if they are as many as the entries of the
 * site.  They are lost with the process, or if the file fails; then the tally
 * unpacks the segments.
 *
 * Each hash is kept as a place: a number of 64 bits that depends on a secret
 * key, so that no site can choose URLs whose places are close together; the
 * lowest bit says whether the document may list the URL.
 */
#ifndef FRESHET_URL_HASHES_H
#define FRESHET_URL_HASHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct block_list;
struct store;
struct url_hashes;

/* url_place(key, hash): the place of a hash, whose lowest bit is kept. */
static inline uint64_t
url_place(uint64_t key, uint64_t hash)
{
	uint64_t place = (hash >> 1 ^ key) * UINT64_C(0x9e3779b97f4a7c15);

	place ^= place >> 32;
	place *= UINT64_C(0x94d049bb133111eb);
	return (place & ~UINT64_C(1)) | (hash & 1);
}

/* store_keep_hashes(store, file): keep hashes of the URLs of new sites, so that
 * their tally costs less; call it once.  file() makes their file when that is
 * needed: a descriptor, which the collection owns, of an empty file that can be
 * read and written; -1: there can be none. */
void store_keep_hashes(struct store *, int (*file)(void));
void url_hashes_free(struct url_hashes *);

/* url_hashes_add(hashes, key, site_id, segment): add those of a document of the
 * site, unless blocks of its segment come without (see struct block); the key
 * is the same for all documents of the site. */
void url_hashes_add(struct url_hashes *, uint64_t key, int64_t site_id,
    const struct block_list *segment);

/* url_hashes_drop(hashes, site_id): forget a site, because it was counted, or
 * because one of its documents has another segment now. */
void url_hashes_drop(struct url_hashes *, int64_t site_id);

/* url_hashes_count(hashes, site_id): how many there are. */
uint64_t url_hashes_count(const struct url_hashes *, int64_t site_id);

/* A walk over the places of a site, of which there must be some, and which the
 * walk takes away from the collection.  Equal places come in the same window,
 * and a window is so small that a table of it fits into memory, and mostly into
 * the processor's caches. */
#define URL_HASHES_SOME 8192

/* Places that lie side by side in the file. */
struct hash_run {
	off_t at;
	uint32_t count;
	/* Owned.  Part i is [starts[i], starts[i + 1]).  NULL: not parted. */
	uint32_t *starts;
};

struct runs {
	int64_t site_id; /* 0: the item is free */
	struct hash_run *items; /* owned */
	size_t count, cap;
	uint64_t hashes, parted; /* in all of them; in those that are parted */
};

struct url_hashes_walk {
	struct url_hashes *hashes; /* borrowed */
	struct runs runs; /* owned */
	/* window w has the places from w / windows of 2^64 on */
	uint64_t windows, window;
	size_t run; /* the next place is in this run, ... */
	uint32_t at, end; /* ... behind `at` others; it is left at `end` */
	bool is_failed;
	uint64_t some[URL_HASHES_SOME];
};

struct url_hashes_walk *url_hashes_walk_new(
    struct url_hashes *, int64_t site_id);
void url_hashes_walk_free(struct url_hashes_walk *);

/* url_hashes_next_window(walk): the places of the next window come next; false:
 * that was the last. */
bool url_hashes_next_window(struct url_hashes_walk *);

/* url_hashes_next(walk, count): the next places of the window, borrowed until
 * the next call; NULL at the end, or if the file cannot be read: is_failed.
 * *count says how many there are, from 0 to URL_HASHES_SOME. */
const uint64_t *url_hashes_next(struct url_hashes_walk *, size_t *count);

/* A set of URLs by their places: a hash table with open addressing.  A free
 * place is 0.  The table may be larger than the caches, so that its places are
 * fetched from memory while some URLs wait. */
#define URL_SET_WAITING 32 /* more than memory fetches at the same time */

struct url_set {
	uint64_t *places; /* owned */
	size_t size, used; /* size is a power of two */
	uint64_t waiting[URL_SET_WAITING]; /* what their places will hold */
	size_t waiting_count;
	/* Of all windows: different URLs, and those of them that no document
	 * may list. */
	uint64_t urls, refused;
};

/*
 * url_set_init(set, urls): an empty set with room for so many; it grows.
 * url_set_add(set, place): add a URL by its url_place().
 * url_set_clear(set): count the URLs that were added, and forget them.
 */
void url_set_init(struct url_set *, uint64_t urls);
void url_set_add(struct url_set *, uint64_t place);
void url_set_clear(struct url_set *);

#endif
