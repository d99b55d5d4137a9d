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

/* told_first_s(desk, now_s): when the first reading was made that the scheduler
 * does not know; now_s at the latest. */
int64_t told_first_s(struct desk *, int64_t now_s);

#endif
