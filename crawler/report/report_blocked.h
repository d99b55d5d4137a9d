/* Listed pages that the robots.txt of their origin forbids. */
#ifndef FRESHET_REPORT_BLOCKED_H
#define FRESHET_REPORT_BLOCKED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct entry;
struct report_blocked;
struct report_builder;

/* Both the rules and the URLs come from strangers: half a megabyte of rules for
 * ten million URLs would take hours. So many steps are a hundred rules for
 * three million URLs, which takes some seconds. */
#define REPORT_BLOCKED_STEPS UINT64_C(1000000000)

/* report_blocked_free(blocked): free what report_builder_judge() made; NULL is
 * allowed. */
void report_blocked_free(struct report_blocked *);

/*
 * These functions do nothing if builder->blocked is NULL.
 * report_blocked_begin(builder, part): the entries of a document follow.
 * report_blocked_add(builder, part, entry): judge an entry; a URL
 * that one of the agents may not fetch becomes a finding of the document; if
 * there are several agents, it stands in report.closed_pages, too.
 * report_blocked_is_over(builder): whether all steps are used, so that no
 * further URL is judged.
 * report_blocked_finish(builder): everything is read: judge the documents whose
 * robots.txt came late, and count in the report how many URLs were compared and
 * how many were not.
 */
void report_blocked_begin(struct report_builder *, uint32_t part);
void report_blocked_add(
    struct report_builder *, uint32_t part, const struct entry *);
bool report_blocked_is_over(const struct report_builder *);
void report_blocked_finish(struct report_builder *);

#endif
