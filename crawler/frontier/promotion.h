/* Listed URLs that are no pages yet, and which of them comes first. */
#ifndef FRESHET_PROMOTION_H
#define FRESHET_PROMOTION_H

#include <stdint.h>

struct frontier;
struct frontier_consumer;

/*
 * promotion_next(frontier, document): promote the next entry of the document
 * to a page that the scheduler has chosen.  Entries are taken in two orders by
 * turns:
 *
 * - what a later reading added first; then the newest dates, unless these are
 *   distrusted (SPEC R-116); then entries of the folders that change least;
 *   then evenly over the document;
 * - entries of the folders that change least first (scheduling-formulas.md);
 * then as before.
 *
 * Returns its number; NONE: the document lists nothing more that its site wants
 * and robots.txt allows, or nothing of that which the consumer wants, which
 * passes over the document then.
 */
uint32_t promotion_next(
    struct frontier *, uint32_t document, const struct frontier_consumer *);

#endif
