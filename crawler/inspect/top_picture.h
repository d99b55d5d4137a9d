/* What a running process does at this moment, drawn as lines for a terminal. */
#ifndef FRESHET_TOP_PICTURE_H
#define FRESHET_TOP_PICTURE_H

#include <stddef.h>

#include "base/buf.h"

struct ndjson;

/* The room that there is; 0: no limit. */
struct top_room {
	size_t columns, rows;
};

/*
 * top_picture(out, status, room): append lines, each with its "\n", of at most
 * room->columns characters; at most room->rows lines.  status is an object of
 * type "status" (docs/reference/json.md); what it lacks is left out.  Lists
 * that have too many rows are cut, the longest first.  All texts are written by
 * vis_put(), whoever they came from.
 */
void top_picture(
    struct buf *out, const struct ndjson *status, const struct top_room *);

#endif
