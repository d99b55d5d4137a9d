/*
 * The changes of a site by which pages came to it and left it, and which of
 * them are moves (store/site_moves.h) and no change of what the site lists.
 * The same URL in another document is no change at all (store/site_tally.h).
 */
#ifndef FRESHET_SITE_CHANGES_H
#define FRESHET_SITE_CHANGES_H

#include <stdbool.h>

#include "store/changes.h"
#include "store/segment/entry.h"
#include "store/site_moves.h"

struct site_changes;

#define CHANGES_MOST 200000 /* how many changes are compared; 70 MB */

/*
 * site_changes_new(store, site_id, renamings, from_s): find the pairs of which
 * at least one change was read at from_s or later; the renamings are those of
 * the site.
 * site_changes_are_compared(changes): false if there are more than CHANGES_MOST
 * changes: then none is compared, and there is no pair.
 */
struct site_changes *site_changes_new(
    struct store *, int64_t site_id, const struct renamings *, int64_t from_s);
void site_changes_free(struct site_changes *);
bool site_changes_are_compared(const struct site_changes *);

/*
 * site_changes_move(changes, i): pair i, in the order of the times when the new
 * pages came; NULL past the last.
 * site_changes_find(changes, reading_id, at, *move): does the change at a
 * position of the reading's delta belong to a pair?  Returns the kind of the
 * change, or DELTA_KINDS if it belongs to none.
 *
 * Pairs are borrowed from changes.
 */
const struct move *site_changes_move(const struct site_changes *, size_t i);
enum delta_kind site_changes_find(const struct site_changes *,
    int64_t reading_id, uint64_t at, const struct move **);

/* One walk over what readings changed, for everything that shows changes. */

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
