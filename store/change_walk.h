/* One walk over what readings changed, for everything that shows changes. */
#ifndef FRESHET_CHANGE_WALK_H
#define FRESHET_CHANGE_WALK_H

#include <stdbool.h>

#include "store/changes.h"
#include "store/site_changes.h"

/* One change; all of it is borrowed.  move: the pair that it is a part of, as
 * GONE, ADDED or REMOVED page; NULL: it is part of none.  Return false to
 * stop. */
typedef bool change_walk_fn(void *arg, const struct reading_row *,
    const struct change *, const struct move *);

/*
 * site_change_walk(store, reading, moves, fn, arg):
 * Call fn for each change of the reading that is one of its site, in order of
 * URLs.  Left out is what concerns the document alone: pages that another
 * document lists, and children.  A verdict is a change wherever it is given.
 *
 * document_change_walk(store, reading, moves, fn, arg): the same for all
 * changes of the document.
 *
 * A first reading has no delta: its changes are the entries that it was the
 * first to see, as added, if they are still known.
 *
 * moves: the pairs of the site; NULL: none is looked for.  A block that cannot
 * be decoded ends the walk, and makes store_failed() return STORE_DAMAGED.
 */
void site_change_walk(struct store *, const struct reading_row *,
    const struct site_changes *moves, change_walk_fn *, void *arg);
void document_change_walk(struct store *, const struct reading_row *,
    const struct site_changes *moves, change_walk_fn *, void *arg);

#endif
