/* Taking a URL that another crawler knows into a store. */
#ifndef FRESHET_IMPORT_PAGE_H
#define FRESHET_IMPORT_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/names.h"
#include "crawler/frontier/import_line.h"
#include "store/listed.h"
#include "store/outcome.h"
#include "store/store.h"

struct import_totals {
	uint64_t added; /* pages that are new */
	uint64_t known; /* that were there */
	uint64_t history; /* of both: with a fetch that was not known */
	uint64_t unlisted; /* of the new ones: no document lists them */
};

struct import_taken {
	int64_t id; /* of its page; 0: the store has failed */
	bool is_new;
	enum page_outcome outcome; /* of its fetch; PAGE_OUTCOMES: it has none
				    * that is later than what is known */
};

/* One import: what it brought, and the roots of origins, which are looked for
 * once. */
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
 * import_page(importer, line, listed): promote its URL, under the document
 * that lists it, else under one of the root of its origin, which stands for
 * those that none lists: nobody has read that, and it lists nothing.  What
 * lists it is looked for when listed is NULL.  Its weight, when it has one,
 * takes the place of the page's; its fetch is taken when it is later than all
 * that is known.  In the open transaction.
 */
struct import_taken import_page(
    struct importer *, const struct import_line *, const struct listed *listed);

#endif
