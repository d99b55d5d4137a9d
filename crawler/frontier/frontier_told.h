/* What readings say, for the scheduler. */
#ifndef FRESHET_FRONTIER_TOLD_H
#define FRESHET_FRONTIER_TOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/w3cdate.h"

struct frontier;

/* told_date(date, is_day): when it begins; SCHEDULER_NO_DATE: there is none,
 * or it is no day. */
int64_t told_date(const struct date *, bool *is_day);

/* told_listed(frontier, page, document, lastmod): the document lists it, so
 * dated; was it thought to be listed no more, or by none? */
void told_listed(struct frontier *, uint32_t page, uint32_t document,
    const struct date *lastmod);

#endif
