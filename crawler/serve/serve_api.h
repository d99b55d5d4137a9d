/* The JSON API: the lines that commands print with --json. */
#ifndef FRESHET_SERVE_API_H
#define FRESHET_SERVE_API_H

#include "crawler/serve/serve_routes.h"

/* Each prints the lines of a path (serve_routes.c), and returns an exit
 * status.  docs/reference/openapi.json describes them. */
int serve_api_sites(const struct serve_context *, const struct serve_query *);
int serve_api_documents(
    const struct serve_context *, const struct serve_query *);
int serve_api_series(const struct serve_context *, const struct serve_query *);
int serve_api_events(const struct serve_context *, const struct serve_query *);
int serve_api_diff(const struct serve_context *, const struct serve_query *);
int serve_api_findings(
    const struct serve_context *, const struct serve_query *);
int serve_api_explain(const struct serve_context *, const struct serve_query *);

/* serve_api_description(context, query): print openapi.json. */
int serve_api_description(
    const struct serve_context *, const struct serve_query *);

/* serve_api_run(context, words, count): run a command on the store of `serve`,
 * with its configuration.  words[0] is the name of the command.  Operands
 * stand behind "--", and values of options behind '=', so that no value is
 * taken for an option. */
int serve_api_run(
    const struct serve_context *, const char *const *words, size_t count);

#endif
