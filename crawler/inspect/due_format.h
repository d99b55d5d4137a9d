/* How `due` prints a page. */
#ifndef FRESHET_DUE_FORMAT_H
#define FRESHET_DUE_FORMAT_H

#include "base/buf.h"
#include "crawler/cli/options.h"

struct ndjson;

/* due_format_page(out, format, network, line, page): append a page, given as
 * the frontier's line and as the same line parsed, in that format: ndjson is
 * the line, and page may be NULL; urls is the page's URL; curl is an entry of a
 * curl configuration (curl -K -) that fetches the page into a file named by its
 * lease and makes curl print what `done` reads. */
void due_format_page(struct buf *, enum due_format,
    const struct options_network *, struct slice line,
    const struct ndjson *page);

/* due_format_unleased(room, line): the frontier's line of a page without the
 * members that are about its lease; valid as long as the room. */
struct slice due_format_unleased(struct buf *room, struct slice line);

#endif
