/* What readings say, for the scheduler. */
#ifndef FRESHET_DESK_TOLD_H
#define FRESHET_DESK_TOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/w3cdate.h"

struct desk;

/* told_date(date, is_day): when it begins; SCHEDULER_NO_DATE: there is none,
 * or it is no day. */
int64_t told_date(const struct date *, bool *is_day);

/* told_listed(desk, page, document, lastmod): the document lists it, so dated;
 * was it thought to be listed no more, or by none? */
void told_listed(struct desk *, uint32_t page, uint32_t document,
    const struct date *lastmod);

#endif
