/* Looking up many URLs at once: which sitemaps list them. */
#ifndef FRESHET_LISTED_H
#define FRESHET_LISTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/w3cdate.h"

struct store;

struct listed {
	struct slice url; /* normalised, borrowed */
	int64_t document_id; /* 0: no sitemap lists it */
	struct date lastmod; /* as listed there */
};

#define LISTED_BLOCK 200

struct listed_search;

/*
 * listed_search_new(store, rows, count): find for each URL of rows the first
 * document, by id, that is known to list it and may, even if it was lacking
 * there lately, and no index.  Rows are the caller's, and stay where they are
 * until the search is over.  A block of entries is decoded once, however many
 * URLs it holds: where one URL costs a third of a millisecond, of ten thousand
 * each costs a hundredth.
 *
 * listed_search_some(search, fences): go on, past so many fences at most, which
 * takes a microsecond for each; a block that is decoded counts for
 * LISTED_BLOCK of them; false when it is over.  Rows are filled by then.  The
 * store may be used, and committed, in between.
 *
 * listed_search_holds(search): no document was read since it began, whose
 * entries may be others now.
 */
struct listed_search *listed_search_new(
    struct store *, struct listed *rows, size_t count);
void listed_search_free(struct listed_search *);
bool listed_search_some(struct listed_search *, uint32_t block_indexes);
bool listed_search_holds(const struct listed_search *);

/* listed_find(store, row): all of a search, for one URL. */
void listed_find(struct store *, struct listed *row);

#endif
