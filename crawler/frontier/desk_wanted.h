/* Which sites a taker may have pages of. */
#ifndef FRESHET_DESK_WANTED_H
#define FRESHET_DESK_WANTED_H

#include <stdbool.h>
#include <stdint.h>

struct desk;
struct desk_taker;
struct scheduler_some;

/* wanted_refresh(desk, taker): as the sites are now; before the others. */
void wanted_refresh(struct desk *, struct desk_taker *);

/* wanted_has(taker, site): a number of the desk. */
bool wanted_has(const struct desk_taker *, uint32_t site);

/* wanted_sites(taker): for the scheduler, borrowed; NULL: all. */
struct scheduler_some *wanted_sites(struct desk_taker *);

void wanted_release(struct desk_taker *);

#endif
