/* How `due` prints a page. */
#ifndef FRESHET_DUE_FORMAT_H
#define FRESHET_DUE_FORMAT_H

#include "base/buf.h"
#include "crawler/cli/options.h"

struct ndjson;

/*
 * due_format_page(out, options, line, page): a page, as the frontier's line and
 * as the same parsed, in the format of the options: ndjson: the line; urls: its
 * URL; curl: an entry of a curl configuration (curl -K -) that fetches it into
 * a file named by its lease, and has curl print what `done` reads.
 */
void due_format_page(struct buf *, const struct options *, struct slice line,
    const struct ndjson *page);

#endif
