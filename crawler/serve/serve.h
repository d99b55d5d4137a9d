/*
 * `freshet serve`: what a store says, over HTTP, in a process of its own.
 *
 * The server reads requests, which may be hostile (HOSTILE T24, T25, D1 to
 * D11), and never the store: another process makes each answer
 * (serve_workers.h).
 */
#ifndef FRESHET_SERVE_H
#define FRESHET_SERVE_H

#include "crawler/serve/serve_routes.h"

/* serve_run(options, command): listen and answer until SIGINT or SIGTERM.
 * Returns an exit status, after one line on stderr if it is not that of a
 * signal. */
int serve_run(const struct options *, serve_command_fn *);

/* serve_is_allowed(how): false after one line on stderr if the address that
 * these options name needs a token, and they have none. */
bool serve_is_allowed(const char *listen, const char *token_file);

#endif
