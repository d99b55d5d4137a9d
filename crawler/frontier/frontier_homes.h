/* Which document a page is one of. */
#ifndef FRESHET_FRONTIER_HOMES_H
#define FRESHET_FRONTIER_HOMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct frontier;

/* Of so many pages that leave a document at once it is looked up whether
 * another has them; others are found when all are gone through. */
#define HOMES_LOOKUPS 1000

/* home_set(frontier, page, document): that one lists it now, and its dates are
 * believed as that one's are.  home_move: the same of a page that both list. */
void home_set(struct frontier *, uint32_t page, uint32_t document);
void home_move(struct frontier *, uint32_t page, uint32_t document);

/* home_former(frontier, index): what it was before it was an index: its pages
 * are still of that, until another document lists them; NONE: the store has it
 * no more. */
uint32_t home_former(struct frontier *, uint32_t index);

/* home_find(frontier, page, url): move it to another document of its site that
 * lists it and is read; false: there is none. */
bool home_find(struct frontier *, uint32_t page, struct slice url);

/* home_is_wanted(frontier, page): are pages of that document handed out at all?
 * home_wanted(frontier, page): it is to be handed out, or not, as they are.  To
 * be called when that may have changed.  home_begin: the same of one that is
 * new.
 */
bool home_is_wanted(const struct frontier *, uint32_t page);
void home_wanted(struct frontier *, uint32_t page);
void home_begin(struct frontier *, uint32_t page);

/* home_need_robots(frontier, origin): a page of it is wanted: its robots.txt is
 * read, though no target leads to it. */
void home_need_robots(struct frontier *, uint32_t origin);

#endif
