/* Explain: when it is due, or why not: the first line. */
#ifndef FRESHET_EXPLAIN_WHEN_H
#define FRESHET_EXPLAIN_WHEN_H

#include <stdint.h>

#include "base/buf.h"

struct explain_due;

/* explain_when(text, due, now_s): returns the label, which is static. */
const char *explain_when(
    struct buf *, const struct explain_due *, int64_t now_s);

/* explain_held(text, due): "its host is held until 2025-01-01T12:01:00Z". */
void explain_held(struct buf *, const struct explain_due *);

/* explain_times(text, n): "once", "2 times".  explain_time(text, before, at_s):
 * that and the time. */
void explain_times(struct buf *, unsigned n);
void explain_time(struct buf *, const char *before, int64_t at_s);

#endif
