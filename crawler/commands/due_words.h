/* What commands that want pages say on stderr of the answers of the owner. */
#ifndef FRESHET_DUE_WORDS_H
#define FRESHET_DUE_WORDS_H

#include <stdbool.h>

struct ndjson;

/* due_say_unknown(object): the site, or the tag, of a line {"type":"unknown"}
 * is not known. */
void due_say_unknown(const struct ndjson *);

/* due_say_nothing(next, more, waits): nothing is due; the next page may be at
 * `next`, empty: nobody knows.  The line {"type":"more"} says which budget is
 * used up, or what is handed out; NULL: that is not known. */
void due_say_nothing(const char *next, const struct ndjson *more, bool waits);

#endif
