/* Importing a URL that another crawler knows into a store and its frontier. */
#ifndef FRESHET_IMPORT_PAGE_H
#define FRESHET_IMPORT_PAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/names.h"

struct frontier;
struct import_row;
struct store;

struct import_totals {
	uint64_t added; /* new pages */
	uint64_t known; /* pages that were there */
	uint64_t history; /* of both: with a fetch that was not known */
	uint64_t unlisted; /* of the new ones: no document lists them */
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
 * frontier_import(frontier, importer, row, now_s): import a good row of a batch
 * (import_batch.h), in the open transaction.
 *
 * A new URL becomes a page of the document that lists it, which is looked up if
 * the row was not searched for; else of the root of its origin, a document that
 * nobody reads and that stands for the unlisted pages there.  A weight replaces
 * that of the page; a fetch counts if it is later than all that are known.  The
 * page may be leased from now on.
 */
void frontier_import(struct frontier *, struct importer *,
    const struct import_row *, int64_t now_s);

#endif
