/* Documents of the frontier that nothing leads to any more: see store/reach.h.
 */
#ifndef FRESHET_FRONTIER_STRAYS_H
#define FRESHET_FRONTIER_STRAYS_H

#include <stdint.h>

struct frontier;

/* strays_doubt(frontier, site): others may be strays than were, since its
 * targets, an index or its robots.txt are not what they were.  Cheap. */
void strays_doubt(struct frontier *, uint32_t site);

/* strays_settle(frontier): find out: strays are not read, and their pages are
 * not handed out but where another document lists them.  To be called before
 * what chooses; cheap when there is no doubt. */
void strays_settle(struct frontier *);

#endif
