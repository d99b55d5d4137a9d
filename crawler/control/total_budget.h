/* The total budget, of all sites together, that holds now.  It is that of the
 * owner of the store, which may have the budget from its command line only. */
#ifndef FRESHET_TOTAL_BUDGET_H
#define FRESHET_TOTAL_BUDGET_H

#include "base/buf.h"

struct options;

#define TOTAL_BUDGET_REQUEST "total-budget"

/*
 * total_budget(options, room): the budget of the command line, else the one
 * that the owner of the store answers within a second, else the configured one;
 * NULL: there is none.  Borrowed from options or room.
 */
const char *total_budget(const struct options *, struct buf *room);

#endif
