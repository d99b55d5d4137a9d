/*
 * Hashes of the URLs that a new site lists, in a temporary file, so that the
 * tally of the site (site_tally.h) counts different URLs without unpacking all
 * segments, which were unpacked a moment ago when they were validated.
 *
 * The hashes of a site are those of all entries of some of its documents, as
 * these are now.  They are complete if they are as many as the entries of the
 * site.  They are lost with the process, or if the file fails; then the tally
 * unpacks the segments.
 */
#ifndef FRESHET_URL_HASHES_H
#define FRESHET_URL_HASHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block_list;
struct url_hashes;

/* url_hashes_new(file): a collection; file() makes its file when that is
 * needed: a descriptor, which the collection owns, of an empty file that can be
 * read and written; -1: there can be none. */
struct url_hashes *url_hashes_new(int (*file)(void));
void url_hashes_free(struct url_hashes *);

/* url_hashes_add(hashes, site_id, segment): add those of a document of the
 * site, unless blocks of its segment come without (see struct block). */
void url_hashes_add(
    struct url_hashes *, int64_t site_id, const struct block_list *segment);

/* url_hashes_drop(hashes, site_id): forget a site, because it was counted, or
 * because one of its documents has another segment now. */
void url_hashes_drop(struct url_hashes *, int64_t site_id);

/* url_hashes_count(hashes, site_id): how many there are. */
uint64_t url_hashes_count(const struct url_hashes *, int64_t site_id);

/* A walk over the hashes that a site has when the walk begins. */
struct url_hashes_walk;

struct url_hashes_walk *url_hashes_walk_new(
    struct url_hashes *, int64_t site_id);
void url_hashes_walk_free(struct url_hashes_walk *);

/* url_hashes_rewind(walk): the first hash comes next. */
void url_hashes_rewind(struct url_hashes_walk *);

/*
 * url_hashes_next(walk, count): the next hashes, borrowed until the next call;
 * *count says how many they are: 0 at the end, or if the file cannot be read,
 * which url_hashes_failed() tells apart.
 */
const uint64_t *url_hashes_next(struct url_hashes_walk *, size_t *count);
bool url_hashes_failed(const struct url_hashes_walk *);

#endif
