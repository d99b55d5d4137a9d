/* What is asked for: pages of HTML that link to each other; the JSON API, which
 * has the lines that commands print with --json, and metrics; and the rows of
 * queries on the store. */
#ifndef FRESHET_SERVE_API_H
#define FRESHET_SERVE_API_H

#include "crawler/serve/serve_query.h"

struct sql;

/* serve_page_trouble(out, status, text): append a page that says why there is
 * no other; the text may be foreign. */
void serve_page_trouble(struct buf *, int status, struct slice text);

/* serve_page: the page of the path, in HTML.  serve_api: the lines of a path of
 * the API, which docs/reference/openapi.json describes.  serve_api_description:
 * openapi.json.  serve_metrics: numbers of the store and of each site, in the
 * text format of Prometheus; no URL is a label.  serve_health: "ok" if the
 * store can be read. */
serve_print_fn serve_page, serve_api, serve_api_description, serve_metrics,
    serve_health;

/* A command line of freshet. */
struct serve_words {
	char *items[22]; /* owned; NULL behind the last word */
	size_t count;
};

/*
 * serve_words_begin(words, context, command): begin a command on the store of
 * `serve`, with its configuration.
 * serve_words_add(words, format, ...): append a word, as printf() would write
 * it.  Operands stand behind "--", and values of options behind '=', so that no
 * value is taken for an option.
 * serve_words_run(words, context): run the command, and free the words.
 * Returns its exit status.
 */
void serve_words_begin(
    struct serve_words *, const struct serve_context *, const char *command);
void serve_words_add(struct serve_words *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int serve_words_run(struct serve_words *, const struct serve_context *);

typedef void serve_row_fn(void *arg, const struct sql *);

/* serve_rows(context, query, fn, arg): call fn for each row, in a snapshot of
 * its own.  Returns an exit status, other than EXIT_DONE after one line on
 * stderr. */
int serve_rows(const struct serve_context *, struct slice query, serve_row_fn *,
    void *arg);

/* serve_rows_literal(query, text): append a text as a literal of SQL. */
void serve_rows_literal(struct buf *query, const char *text);

/* serve_rows_where(query, name, value): append " AND NAME = 'VALUE'", unless
 * the value is NULL. */
void serve_rows_where(struct buf *query, const char *name, const char *value);

/* serve_rows_query(query, text, now_s): append a query in which "freshet_now"
 * stands for the time. */
void serve_rows_query(struct buf *query, const char *text, int64_t now_s);

#endif
