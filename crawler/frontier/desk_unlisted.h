/* Pages that no document listed when they were imported. */
#ifndef FRESHET_DESK_UNLISTED_H
#define FRESHET_DESK_UNLISTED_H

#include <stdint.h>

struct desk;

/* unlisted_found(desk, document): it was read: those of its site that it lists
 * are its pages from now on, with the dates that it gives them. */
void unlisted_found(struct desk *, uint32_t document);

#endif
