/* The desk's lines of JSON, as `due` and `done` print them (docs/json.md). */
#ifndef FRESHET_DESK_LINES_H
#define FRESHET_DESK_LINES_H

#include <stdint.h>

#include "base/buf.h"
#include "crawler/frontier/desk_hand.h"

struct desk_spent;

/* Lines of a page and of an answer begin so, all others with "type". */
#define DESK_LINE_BEGIN "{\"v\":1,\"lease\":"

/* desk_line_page(out, page): a page that was handed out. */
void desk_line_page(struct buf *, const struct desk_page *);

/* What became of one line that was read. */
struct desk_said {
	uint64_t line; /* its number, from 1; 0: none */
	struct slice lease, url; /* as given, or empty */
	enum desk_ack ack;
	const char *reason; /* NULL: none */
	int64_t next_due_s;
};

/* desk_line_ack(out, said): the answer to a result, or to a lease that was
 * given back. */
void desk_line_ack(struct buf *, const struct desk_said *);

/* desk_line_more(out, pages, due_s, spent): so many pages came, and when there
 * may be more; DESK_NEVER: nobody knows; and what is used up until then. */
void desk_line_more(
    struct buf *, uint32_t pages, int64_t due_s, const struct desk_spent *);

/* desk_line_total(out, per_hour): the budget of all; 0: there is none. */
void desk_line_total(struct buf *, double per_hour);

/* desk_line_time(out, key, at_s): a member of an object; null for DESK_NEVER.
 */
void desk_line_time(struct buf *, const char *key, int64_t at_s);

#endif
