/*
 * A walk over the entries of all documents of a site that list pages.
 *
 * The walk goes through windows of URLs: first the entries below some URL,
 * document by document, then those of the next window, so that memory does not
 * grow with the site.  A block is decoded once for each window that it reaches
 * into.
 */
#ifndef FRESHET_SITE_WALK_H
#define FRESHET_SITE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "store/segment/entry.h"

struct store;
struct site_walk;

/* site_walk_new(store, site_id, entries): a walk with windows of about so many
 * entries, or fewer.  Nobody may write to the store during the walk. */
struct site_walk *site_walk_new(
    struct store *, int64_t site_id, uint64_t entries);
void site_walk_free(struct site_walk *);

/* site_walk_window(walk): move to the first or the next window; false if there
 * is none. */
bool site_walk_window(struct site_walk *);

/*
 * site_walk_next(walk, document_id, entry): an entry of the window, missed ones
 * too, borrowed until the next; those of a document in order of URLs.  False at
 * its end.  site_walk_work(walk): blocks that were decoded, and fences that
 * were passed, of which a hundred are about as much work.
 */
bool site_walk_next(struct site_walk *, int64_t *document_id, struct entry *);
uint64_t site_walk_work(const struct site_walk *);

#endif
