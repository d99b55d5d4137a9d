/* Documents of the frontier that nothing leads to any more: see store/reach.h.
 */
#ifndef FRESHET_FRONTIER_ORPHANS_H
#define FRESHET_FRONTIER_ORPHANS_H

#include <stdint.h>

struct frontier;

/* orphans_doubt(frontier, site): others may be orphans than were, since its
 * targets, an index or its robots.txt are not what they were.  Cheap. */
void orphans_doubt(struct frontier *, uint32_t site);

/* orphans_settle(frontier): find out: orphans are not read, and their pages are
 * not handed out but where another document lists them.  To be called before
 * what chooses; cheap when there is no doubt. */
void orphans_settle(struct frontier *);

#endif
