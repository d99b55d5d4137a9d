/* Hosts of which the scheduler is to choose no more for a moment. */
#ifndef FRESHET_DESK_PAUSE_H
#define FRESHET_DESK_PAUSE_H

#include "crawler/desk_internal.h"

/* host_pause(desk, host, until_s): the scheduler chooses nothing of it before,
 * since enough waits on its shelf; host_unpause: it may again.
 * host_held_s(desk, host): the scheduler holds it until then, that apart.
 * host_put_back(desk, host, back_s): the clock is about to be, by so much. */
void host_pause(struct desk *, uint32_t host, int64_t until_s);
void host_unpause(struct desk *, uint32_t host);
int64_t host_held_s(const struct desk *, uint32_t host);
void host_put_back(struct desk *, uint32_t host, int64_t back_s);

#endif
