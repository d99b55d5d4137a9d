/* Pages that no document listed when they were imported. */
#ifndef FRESHET_FRONTIER_UNLISTED_H
#define FRESHET_FRONTIER_UNLISTED_H

#include <stdint.h>

struct frontier;

/* unlisted_found(frontier, document): it was read: those of its site that it
 * lists are its pages from now on, with the dates that it gives them. */
void unlisted_found(struct frontier *, uint32_t document);

#endif
