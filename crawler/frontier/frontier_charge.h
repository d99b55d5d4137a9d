/* What was asked for before the frontier was loaded counts still. */
#ifndef FRESHET_FRONTIER_CHARGE_H
#define FRESHET_FRONTIER_CHARGE_H

#include "crawler/frontier/frontier_internal.h"

/* host_asked(frontier, host, at_s): a page of it was asked for then; when the
 * frontier is loaded.  hosts_charge(frontier): then all of these are counted,
 * once, in the budgets of the hosts, of tags and of all, so that what holds of
 * requests an hour holds over many commands. */
void host_asked(struct frontier *, uint32_t host, int64_t at_s);
void hosts_charge(struct frontier *);

#endif
