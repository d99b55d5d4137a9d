/* What documents list and nobody asked for yet: which of it comes first. */
#ifndef FRESHET_FRONTIER_LISTED_H
#define FRESHET_FRONTIER_LISTED_H

#include "crawler/frontier/frontier_internal.h"

/*
 * listed_take(frontier, document): promote the next page that it lists, as one
 * that the scheduler has chosen.  One time it is what a later reading added
 * first, then the newest dates, if these are not distrusted, then those
 * in whose folders the least changes (T12), then evenly over the document; the
 * other time those in whose folders the least changes, then as before.  NONE:
 * it lists none that its site wants and robots.txt allows.
 */
uint32_t listed_take(struct frontier *, uint32_t document);

/* listed_forget(frontier, document): it was read, or others of its pages are
 * wanted. */
void listed_forget(struct frontier *, uint32_t document);

void listed_release(struct frontier *);

#endif
