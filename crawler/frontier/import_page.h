/* Importing a URL that another crawler knows into a store and its frontier. */
#ifndef FRESHET_IMPORT_PAGE_H
#define FRESHET_IMPORT_PAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "base/slice.h"

struct frontier;
struct import_row;
struct store;

struct import_totals {
	uint64_t added; /* new pages */
	uint64_t known; /* pages that existed before */
	/* of both: pages with a fetch that was not known before */
	uint64_t history;
	uint64_t unlisted; /* new pages that no document lists */
};

/* One import.  It remembers the roots of origins, which are looked up once. */
struct importer {
	struct store *store;
	struct names origins;
	int64_t *roots; /* owned: documents, by the number of the origin */
	size_t root_cap;
	struct import_totals totals;
};

void importer_init(struct importer *, struct store *);
void importer_release(struct importer *);

/*
 * frontier_import(frontier, importer, row, now_s): import a good row of a
 * batch (import_batch.h), in the open transaction.
 *
 * A new URL becomes a page of the document that lists it; the function looks
 * for that document if the row came without a search.  A URL that no document
 * lists becomes a page of the root of its origin, a document that is never
 * read.  A weight replaces that of the page; a fetch counts if it is later
 * than all that are known.  The page may be leased from now on.
 */
void frontier_import(struct frontier *, struct importer *,
    const struct import_row *, int64_t now_s);

/* frontier_promote_listed(frontier, url): make a normalised URL that a document
 * lists, and that is no page yet, a page, in the open transaction.  Returns its
 * number; NONE: no document lists it, or the store has failed. */
uint32_t frontier_promote_listed(struct frontier *, struct slice url);

#endif
