/* What a document listed at a time in the past: what it lists now, without the
 * changes since then. */
#ifndef FRESHET_LISTED_AT_H
#define FRESHET_LISTED_AT_H

#include <stdbool.h>
#include <stdint.h>

#include "store/changes.h"

struct store;

/*
 * store_each_listed_at(store, document_id, at_s, fn, arg): the entries that the
 * last reading up to at_s left as listed, in the order of URLs, with their
 * lastmod and verdict of that time.  The verdict is VERDICTS if the entry was
 * refused then and is accepted since: by which rule is not known any more.  An
 * entry that is gone is not listed from the time on when it was first absent,
 * though that was known later. first_seen_s is 0 if an entry has left the
 * document since; redated_s, ordinal, extensions and hints are always 0.
 *
 * Returns false, and passes nothing, if readings that would tell were removed
 * (store/prune.h).  Entries are borrowed; false from fn stops.
 */
bool store_each_listed_at(struct store *, int64_t document_id, int64_t at_s,
    store_entry_fn *, void *arg);

/* store_listed_pages_at(store, document_id, at_s): were these entries pages,
 * and not the children of an index?  Without a reading by then, are they so
 * now? */
bool store_listed_pages_at(struct store *, int64_t document_id, int64_t at_s);

#endif
