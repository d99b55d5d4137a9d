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

/* store_site_numbers(store, site_id, is_recount): the numbers by all committed
 * readings.  If a tally is due, it is made, but not stored; that takes a second
 * for some million pages.  A recount counts all entries that the documents
 * list, without what is stored. */
struct site_numbers store_site_numbers(
    struct store *, int64_t site_id, bool is_recount);

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

/* site_tally_state(tally): does it still read the store?  If it is alone, the
 * store may be written to before it is done. */
enum site_tally_state { TALLY_NEEDS_STORE, TALLY_IS_ALONE, TALLY_IS_DONE };
enum site_tally_state site_tally_state(const struct site_tally *);

/* site_tally_size(tally): what the tally costs: the number of the entries of
 * the site, or of the changes of readings that it goes through, whichever is
 * greater. */
uint64_t site_tally_size(const struct site_tally *);

/* site_tally_put(tally, store): store the outcome of a tally that is done, in
 * the open transaction of a store that may be another one than it read.  If the
 * hashes could not be read, nothing is stored, and the tally stays due. */
void site_tally_put(const struct site_tally *, struct store *);

#endif
