/* What another crawler knows of pages, for the store and the scheduler. */
#ifndef FRESHET_FRONTIER_IMPORT_H
#define FRESHET_FRONTIER_IMPORT_H

#include <stdint.h>

#include "crawler/frontier/import_batch.h"
#include "crawler/frontier/import_page.h"

struct frontier;

/* frontier_import(frontier, importer, row, now_s): import_page of a good row,
 * and the page may be handed out from now on, as a frontier that is made later
 * would have it.  In the open transaction. */
void frontier_import(struct frontier *, struct importer *,
    const struct import_row *, int64_t now_s);

#endif
