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

/* A change of a reading that belongs to a move. */
struct move_part {
	int64_t reading_id;
	uint32_t at; /* position in the reading's delta */
	uint32_t move;
	enum delta_kind kind;
};

struct site_changes {
	/* Owned, and their URLs: changes of kind GONE and ADDED in order of
	 * readings, and those of kind REMOVED in order of URLs. */
	struct moved_page *pages, *removed;
	size_t count, cap, removed_count, removed_cap;
	/* false if there are more than CHANGES_MOST changes: then none is
	 * compared, and there is no pair */
	bool is_compared;
	struct move *moves; /* owned; the pairs, as the new pages came */
	size_t move_count;
	struct move_part *parts; /* owned; in order of readings and places */
	size_t part_count;
};

#define CHANGES_MOST 200000 /* how many changes are compared; 70 MB */

/* site_changes_new(store, site_id, renamings, from_s): find the pairs of which
 * at least one change was read at from_s or later; the renamings are those of
 * the site. */
struct site_changes *site_changes_new(
    struct store *, int64_t site_id, const struct renamings *, int64_t from_s);
void site_changes_free(struct site_changes *);

/* site_changes_find(changes, reading_id, at, *move): does the change at a
 * position of the reading's delta belong to a pair?  Returns the kind of the
 * change, or DELTA_KINDS if it belongs to none.  The pair is borrowed. */
enum delta_kind site_changes_find(const struct site_changes *,
    int64_t reading_id, uint64_t at, const struct move **);

/* One walk over what readings changed, for everything that shows changes. */

/* One change; all of it is borrowed.  move: the pair that it is a part of, as
 * GONE, ADDED or REMOVED page; NULL: it is part of none.  Return false to
 * stop. */
typedef bool change_walk_fn(void *arg, const struct reading_row *,
    const struct change *, const struct move *);

/*
 * reading_change_walk(store, reading, is_of_site, moves, fn, arg):
 * Call fn for each change of the reading, in order of URLs: for each that is
 * one of its site, or for all changes of the document.  Of a site, what
 * concerns the document alone is left out: pages that another document lists,
 * and children.  A verdict is a change wherever it is given.
 *
 * The first reading of a site has no delta, and no changes.
 *
 * moves: the pairs of the site; NULL: none is looked for.  A block that cannot
 * be decoded ends the walk, and makes store_failed() return STORE_DAMAGED.
 */
void reading_change_walk(struct store *, const struct reading_row *,
    bool is_of_site, const struct site_changes *moves, change_walk_fn *,
    void *arg);

#endif
