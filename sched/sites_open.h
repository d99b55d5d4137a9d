/* Which of some sites may be asked for a page, as far as this second goes. */
#ifndef FRESHET_SITES_OPEN_H
#define FRESHET_SITES_OPEN_H

#include <stdbool.h>
#include <stddef.h>

struct scheduler;
struct scheduler_some;

/*
 * sites_best(scheduler, some, at): the place of the site of them whose best
 * page is the best; false: none may be asked for one.  Of many sites a few are
 * compared, others the next time; and one that had nothing to ask for is not
 * looked at again in the same second, unless something came to wait there, or
 * limits are wider.  sites_next(some, at): that one had its turn.
 */
bool sites_best(struct scheduler *, struct scheduler_some *, size_t *at);
void sites_next(struct scheduler_some *, size_t at);

#endif
