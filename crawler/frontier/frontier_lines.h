/* Lines of JSON, as `due` and `done` print them (json.md). */
#ifndef FRESHET_FRONTIER_LINES_H
#define FRESHET_FRONTIER_LINES_H

#include <stdint.h>

#include "base/buf.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_result.h"

struct frontier_spent;

/* How lines of pages and answers begin; all others have a "type" there. */
#define FRONTIER_LINE_BEGIN "{\"v\":1,\"lease\":"

/* frontier_line_page(out, page): a leased page. */
void frontier_line_page(struct buf *, const struct frontier_page *);

/* The reply to one line of input. */
struct frontier_reply {
	uint64_t line; /* its number, from 1; 0: none */
	struct slice lease, url; /* as given, or empty */
	enum frontier_ack ack;
	const char *reason; /* NULL: none */
	int64_t next_due_s;
};

/* frontier_line_ack(out, reply): the reply to a result, or to a lease that was
 * given back. */
void frontier_line_ack(struct buf *, const struct frontier_reply *);

/* frontier_line_more(out, pages, due_s, spent): how many pages came, when there
 * may be more (FRONTIER_NEVER: nobody knows), and which budget is used up until
 * then. */
void frontier_line_more(
    struct buf *, uint32_t pages, int64_t due_s, const struct frontier_spent *);

/* frontier_line_total(out, per_hour): the budget of everything; 0: none. */
void frontier_line_total(struct buf *, double per_hour);

/* frontier_line_time(out, key, at_s): a member with a time; null for
 * FRONTIER_NEVER. */
void frontier_line_time(struct buf *, const char *key, int64_t at_s);

#endif
