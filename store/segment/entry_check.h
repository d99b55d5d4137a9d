/* What no entry and no change can say, whoever says it: a reader that was got
 * at, or a damaged store. */
#ifndef FRESHET_ENTRY_CHECK_H
#define FRESHET_ENTRY_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "store/segment/entry.h"

/* entry_has_times(entry, latest_s): seen and re-dated between 1970 and then? */
bool entry_has_times(const struct entry *, int64_t latest_s);

/* entry_has_hints(entry): hints and extensions that there are? */
bool entry_has_hints(const struct entry *);

/* entry_has_date(entry): none, or one of the years 1 to 9999? */
bool entry_has_date(const struct entry *);

/* change_has_dates(change): those that its kind has? */
bool change_has_dates(const struct change *);

/* change_has_verdict(change): one that its kind has? */
bool change_has_verdict(const struct change *);

#endif
