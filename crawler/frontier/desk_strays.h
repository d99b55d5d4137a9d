/* Documents of the desk that nothing leads to any more: see store/reach.h. */
#ifndef FRESHET_DESK_STRAYS_H
#define FRESHET_DESK_STRAYS_H

#include <stdint.h>

struct desk;

/* strays_doubt(desk, site): others may be strays than were, since its targets,
 * an index or its robots.txt are not what they were.  Cheap. */
void strays_doubt(struct desk *, uint32_t site);

/* strays_settle(desk): find out: strays are not read, and their pages are not
 * handed out but where another document lists them.  To be called before what
 * chooses; cheap when there is no doubt. */
void strays_settle(struct desk *);

#endif
