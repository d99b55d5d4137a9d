/* For what a site lets its pages be used (SPEC ). */
#ifndef FRESHET_PURPOSES_H
#define FRESHET_PURPOSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct buf;

enum purpose { PURPOSE_SEARCH, PURPOSE_AI_INPUT, PURPOSE_AI_TRAIN, PURPOSES };

/* What was said; bit 1 << enum purpose.  Statements are joined by `or`, and
 * what is in both sets is refused. */
struct purposes {
	uint8_t yes, no;
};

/* purpose_find(name): PURPOSES: there is none of that name. */
enum purpose purpose_find(struct slice name);

/*
 * Add what a statement says to *said.
 * purposes_add_statement(said, value, is_usage): a Content-Usage, "search=y,
 * train-ai=n", or a Content-Signal, "search=yes, ai-train=no". False: it cannot
 * be understood; what can be of it counts.
 * purposes_add_directives(said, list): of X-Robots-Tag or <meta name=robots>.
 */
bool purposes_add_statement(
    struct purposes *said, struct slice value, bool is_usage);
void purposes_add_directives(struct purposes *said, struct slice list);

/* purposes_json(out, said): append the member "purposes" with true for what is
 * allowed and false for what is refused; nothing if nothing was said.
 * purposes_print(out, before, said): the same as "search=yes, ai-train=no",
 * behind `before`. */
void purposes_json(struct buf *out, struct purposes said);
void purposes_print(struct buf *out, const char *before, struct purposes said);

#endif
