/* Can the longest intervals of a watched site be kept? */
#ifndef FRESHET_LIST_ROUNDS_H
#define FRESHET_LIST_ROUNDS_H

#include <stdint.h>

#include "base/buf.h"

struct frontier;

/* list_rounds_text(out, frontier, site_id, now_s): behind that of its pages, if
 * one cannot; nothing if frontier is NULL.  list_rounds_json(out, frontier,
 * site_id, now_s): the members "every_kept" and "pages_every_kept", null then.
 */
void list_rounds_text(
    struct buf *, struct frontier *, int64_t site_id, int64_t now_s);
void list_rounds_json(
    struct buf *, struct frontier *, int64_t site_id, int64_t now_s);

#endif
