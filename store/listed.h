/* Finding the sitemaps that list URLs, for many URLs at once. */
#ifndef FRESHET_LISTED_H
#define FRESHET_LISTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/w3cdate.h"

struct entry;
struct store;

struct listed {
	struct slice url; /* normalised, borrowed */
	int64_t document_id; /* 0: no sitemap lists it */
	struct date lastmod; /* as listed there */
	int64_t first_seen_s; /* there; 0: no sitemap lists it */
};

#define LISTED_BLOCK 200

struct listed_search;

/*
 * listed_search_new(store, rows, count):
 * Search, for each URL of the rows, the document with the least id that lists
 * the URL and may list it; missed entries count, indexes do not.  The caller
 * owns the rows, and keeps them in place until the search is over.  A block is
 * decoded once for all URLs: one URL alone takes a third of a millisecond, one
 * of ten thousand a hundredth of that.
 *
 * listed_search_some(search, block_indexes):
 * Check up to so many rows of the block index, which take a microsecond each; a
 * block that must be decoded counts as LISTED_BLOCK of them.  Returns false if
 * the search is over and the rows are filled.  The store may be used and
 * committed between two calls.
 *
 * listed_search_holds(search): false if a segment was replaced since the search
 * began, so that its results may be outdated.
 */
struct listed_search *listed_search_new(
    struct store *, struct listed *rows, size_t count);
void listed_search_free(struct listed_search *);
bool listed_search_some(struct listed_search *, uint32_t block_indexes);
bool listed_search_holds(const struct listed_search *);

/*
 * listed_each_new(store, rows, count, fn, arg): search all sitemaps for the
 * URLs, and call fn for each entry with one of them; the rows are not filled
 * in.  Of an index that was a sitemap, its missed entries count.  fn may not
 * use the store.
 */
typedef void listed_entry_fn(void *arg, struct listed *, int64_t site_id,
    int64_t document_id, const struct entry *);
struct listed_search *listed_each_new(struct store *, struct listed *rows,
    size_t count, listed_entry_fn *, void *arg);

/* listed_find(store, row): the same for one URL, at once: a tenth of a
 * millisecond for a million URLs in the store. */
void listed_find(struct store *, struct listed *row);

#endif
