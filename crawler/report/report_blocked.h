/* The report: listed pages that the robots.txt of their origin forbids. */
#ifndef FRESHET_REPORT_BLOCKED_H
#define FRESHET_REPORT_BLOCKED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct report_blocked;
struct report_builder;
struct store;

/* Both the rules and the URLs are a stranger's: half a million bytes of rules
 * for ten million URLs would take hours.  This is a hundred rules for three
 * million URLs, some seconds. */
#define REPORT_BLOCKED_STEPS UINT64_C(1000000000)

/* report_blocked_new(store, agent, most): by the rules for that product token,
 * borrowed, of each robots.txt that the store has by then; most: comparisons of
 * a URL with a rule, or 32 bytes of either.  report_blocked_free: NULL is
 * fine. */
struct report_blocked *report_blocked_new(
    struct store *, const char *agent, uint64_t most);
void report_blocked_free(struct report_blocked *);

/*
 * All that follow do nothing if nobody judges.
 * report_blocked_begin(builder, part): its entries come, in order.
 * report_blocked_add(builder, part, url): each of them: that it is forbidden
 * is a finding of the part.  After the most comparisons none is looked at any
 * more: report_blocked_is_over(builder).
 * report_blocked_finish(builder): all is read: what listed URLs of origins
 * whose robots.txt was not read yet is judged now, and the report says how many
 * were looked at, and how many were not.
 */
void report_blocked_begin(struct report_builder *, uint32_t part);
void report_blocked_add(struct report_builder *, uint32_t part, struct slice);
bool report_blocked_is_over(const struct report_builder *);
void report_blocked_finish(struct report_builder *);

#endif
