/* What commands that want pages ask the owner for, and what they say on stderr
 * of its answers. */
#ifndef FRESHET_DUE_WORDS_H
#define FRESHET_DUE_WORDS_H

#include <stdbool.h>

#include "base/buf.h"
#include "crawler/cli/options.h"

struct ndjson;

/* due_put_wanted(request, options, sites): append of which pages they are: the
 * sites, the tags, and the filter of the call. */
void due_put_wanted(
    struct buf *, const struct options *, const struct strings *sites);

/* due_say_unknown(object): the site, or the tag, of a line {"type":"unknown"}
 * is not known. */
void due_say_unknown(const struct ndjson *);

/* due_say_nothing(next, more, waits): nothing is due; the next page may be at
 * `next`, empty: nobody knows.  The line {"type":"more"} says which budget is
 * used up, or what is handed out; NULL: that is not known. */
void due_say_nothing(const char *next, const struct ndjson *more, bool waits);

#endif
