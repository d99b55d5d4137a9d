/*
 * The number of different URLs that a site lists, and which changes of its
 * documents are changes of the site (SPEC 15.3).
 *
 * A page that two documents list counts once.  A page that leaves a document
 * has not left the site, and is not new in another document, if the other
 * document lists the page, or did in the reading before.  The tally finds that
 * out after the readings were committed: it searches their changes in the other
 * documents that may hold them.  If the changes are not known, as after the
 * first readings of a site, the tally counts all entries.
 */
#ifndef FRESHET_SITE_TALLY_H
#define FRESHET_SITE_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "store/segment/entry.h"

struct store;

/* Bits of reading.pages: which entries of the document are pages, no children.
 */
#define TALLY_PAGES 1u /* those listed now */
#define TALLY_PAGES_BEFORE 2u /* those listed in the reading before */
#define TALLY_PAGES_GONE 4u /* those missed in the reading before */

struct site_numbers {
	uint64_t listed; /* different URLs */
	uint64_t refused; /* of these: location rules refuse them wherever they
			     are listed */
};

/*
 * store_site_numbers(store, site_id): as all readings say that are committed;
 * what was not tallied yet is, which takes a second for some million pages.
 */
struct site_numbers store_site_numbers(struct store *, int64_t site_id);

/* store_site_stored(store, site_id): the same, as of when it was last tallied.
 * store_site_changed(store, site_id, after_id, changes): what readings behind
 * that one have changed of the site, but not only of a document, is added;
 * dates of each document that has the page, those of indexes not. */
struct site_numbers store_site_stored(struct store *, int64_t site_id);
void store_site_changed(struct store *, int64_t site_id, int64_t after_id,
    uint64_t changes[DELTA_KINDS]);

/* store_site_recount(store, site_id): from what documents list alone. */
struct site_numbers store_site_recount(struct store *, int64_t site_id);

/* store_untallied(store, after_id): the next site behind that one whose numbers
 * others than those that are stored; 0: none.  While a site is first read
 * through it is none of them. */
int64_t store_untallied(struct store *, int64_t after_id);
bool store_is_untallied(struct store *, int64_t site_id);

/* store_site_entries(store, site_id): of all its documents: what it costs. */
uint64_t store_site_entries(struct store *, int64_t site_id);

/*
 * tally_new(store, site_id): begin.  tally_some(tally, work): go on, for about
 * so many microseconds; false when it is over (tally_is_made).  Nobody may
 * write to the store meanwhile: one that is written to is looked at through
 * another connection, which sees it as it was (store_snapshot).
 * tally_put(tally, store): store the outcome there, in the open transaction.
 * tally_changes(tally): how many changes of readings it goes through, which is
 * what it costs besides the entries of the site.
 */
struct tally;
struct tally *tally_new(struct store *, int64_t site_id);
void tally_free(struct tally *);
uint64_t tally_changes(const struct tally *);
bool tally_some(struct tally *, uint64_t work);
bool tally_is_made(const struct tally *);
void tally_put(const struct tally *, struct store *);

#endif
