/* The report: listed pages that the robots.txt of their origin forbids. */
#ifndef FRESHET_REPORT_BLOCKED_H
#define FRESHET_REPORT_BLOCKED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct report_blocked;
struct report_builder;
struct store;

/* report_blocked_new(store): by each robots.txt that the store has by then.
 * report_blocked_free: NULL is fine. */
struct report_blocked *report_blocked_new(struct store *);
void report_blocked_free(struct report_blocked *);

/*
 * All that follow do nothing if nobody judges.
 * report_blocked_begin(builder, part): its entries come, in order.
 * report_blocked_add(builder, part, url): each of them: that it is forbidden
 * is a finding of the part.  After a thousand million comparisons of a URL
 * with a rule none is looked at any more: report_blocked_is_over(builder).
 * report_blocked_finish(builder): all is read: what listed URLs of origins
 * whose robots.txt was not read yet is judged now.
 */
void report_blocked_begin(struct report_builder *, uint32_t part);
void report_blocked_add(struct report_builder *, uint32_t part, struct slice);
bool report_blocked_is_over(const struct report_builder *);
void report_blocked_finish(struct report_builder *);

#endif
