/* The rows of a query on the store of `serve`. */
#ifndef FRESHET_SERVE_ROWS_H
#define FRESHET_SERVE_ROWS_H

#include "crawler/serve/serve_routes.h"

struct sql;

typedef void serve_row_fn(void *arg, const struct sql *);

/* serve_rows(context, query, fn, arg): call fn for each row, in a snapshot of
 * its own.  Returns an exit status, other than EXIT_DONE after one line on
 * stderr. */
int serve_rows(const struct serve_context *, struct slice query, serve_row_fn *,
    void *arg);

/* serve_rows_literal(query, text): append a text as a literal of SQL. */
void serve_rows_literal(struct buf *query, const char *text);

/* serve_rows_query(query, text, now_s): append a query in which "freshet_now"
 * stands for the time. */
void serve_rows_query(struct buf *query, const char *text, int64_t now_s);

#endif
