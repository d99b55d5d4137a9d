/*
 * Pages of a site that moved (SPEC 15.28): a page that is gone and a page that
 * is new form a pair by their URLs, and are no change of what the site lists.
 *
 * The user says that the one URL became the other (base/renaming.h).  Or the
 * URLs of a pair differ only in spelling (base/spelling.h); or they have
 * different prefixes and the same rest, where one prefix was renamed for five
 * pages or more, one to one, and there is evidence for that; or a fetcher
 * reported that the one redirects to the other.  Both changes are at most two
 * weeks apart.  The same URL in another document is no change at all
 * (store/site_tally.h).
 */
#ifndef FRESHET_SITE_CHANGES_H
#define FRESHET_SITE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/w3cdate.h"
#include "store/segment/entry.h"

struct renamings;
struct store;
struct site_changes;

#define CHANGES_APART_S (14 * INT64_C(86400))
#define CHANGES_MOST 200000 /* how many changes are compared; 70 MB */

/* A change that is part of a pair: of kind GONE, ADDED or REMOVED. */
struct moved_page {
	struct slice url;
	int64_t reading_id, document_id;
	int64_t at_s; /* when the change happened: see reading_at_s */
	int64_t read_s; /* when the reading was made */
	uint32_t at; /* position in the delta of the reading */
	uint8_t kind, verdict;
	struct date lastmod;
};

/* What the star of a renaming stands for, in bytes. */
struct move_star {
	uint32_t len;
	uint32_t from_tail, to_tail; /* what follows it in both URLs */
};

struct move {
	struct moved_page from, to; /* GONE, ADDED */
	/* when the pair was complete; pairs of a renamed prefix are known when
	 * there was enough evidence, or when a redirect proves them */
	int64_t known_s;
	bool is_redirected; /* by then, a redirect alone proved it */
	bool is_configured; /* the user says so */
	struct move_star star; /* if so */
	/* A reading had missed the page before it was gone, by this change. */
	bool was_removed;
	struct moved_page removed;
};

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

#endif
