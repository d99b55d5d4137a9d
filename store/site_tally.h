/*
 * The number of different URLs that a site lists, and which changes of its
 * documents are changes of the site (SPEC 15.3).
 *
 * A page that two documents list counts once.  A page that leaves a document
 * has not left the site, and is not new in another document, if the other
 * document lists the page, or did in the reading before.  The tally finds that
 * out after the readings were committed: it searches their changes in the other
 * documents that may hold them.  If the changes are not known, as after the
 * first readings of a site, the tally counts all entries, by their hashes if
 * the store has kept these (url_hashes.h).
 */
#ifndef FRESHET_SITE_TALLY_H
#define FRESHET_SITE_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "store/segment/entry.h"
#include "store/site.h"

struct store;

/* store_site_numbers(store, site_id): the numbers by all committed readings.
 * If a tally is due, it is made, but not stored; that takes a second for some
 * million pages. */
struct site_numbers store_site_numbers(struct store *, int64_t site_id);

/*
 * store_site_changed(store, site_id, after_id, changes):
 * Add, to the count of each kind, the changes of the site by readings with
 * greater ids than after_id.  A page with a new date counts once for each
 * document that lists the page; dates of an index's children do not count.
 */
void store_site_changed(struct store *, int64_t site_id, int64_t after_id,
    uint64_t changes[DELTA_KINDS]);

/* store_site_recount(store, site_id): the numbers, by counting all entries that
 * the documents list, without what is stored. */
struct site_numbers store_site_recount(struct store *, int64_t site_id);

struct site_tally;

/*
 * site_tally_new(store, site_id): begin the tally of a site.  Nobody may write
 * to the store before the tally is freed; use a store_snapshot() of a store
 * that is written to.
 *
 * site_tally_some(tally, work): continue for about `work` microseconds.
 * Returns false if the tally is done, or the store has failed.
 */
struct site_tally *site_tally_new(struct store *, int64_t site_id);
void site_tally_free(struct site_tally *);
bool site_tally_some(struct site_tally *, uint64_t work);
bool site_tally_is_done(const struct site_tally *);

/* site_tally_needs_store(tally): does it still read the store?  If not, the
 * store may be written to before it is done. */
bool site_tally_needs_store(const struct site_tally *);

/* site_tally_changes(tally): how many changes of readings the tally goes
 * through, which tells its cost beside the entries of the site. */
uint64_t site_tally_changes(const struct site_tally *);

/* site_tally_put(tally, store): store the outcome of a tally that is done, in
 * the open transaction of a store that may be another one than it read.  If the
 * hashes could not be read, nothing is stored, and the tally of the site stays
 * due. */
void site_tally_put(const struct site_tally *, struct store *);

#endif
