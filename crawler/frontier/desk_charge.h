/* What was asked for before the desk was loaded counts still. */
#ifndef FRESHET_DESK_CHARGE_H
#define FRESHET_DESK_CHARGE_H

#include "crawler/frontier/desk_internal.h"

/* host_asked(desk, host, at_s): a page of it was asked for then; when the desk
 * is loaded.  hosts_charge(desk): then all of these are counted, once, in the
 * budgets of the hosts, of tags and of all, so that what holds of requests an
 * hour holds over many commands. */
void host_asked(struct desk *, uint32_t host, int64_t at_s);
void hosts_charge(struct desk *);

#endif
