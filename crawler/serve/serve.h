/*
 * `freshet serve`: what a store says, over HTTP, in a process of its own.
 *
 * The server reads requests, which may be hostile (HOSTILE T24, T25, D1 to
 * D11), and never the store: another process makes each answer
 * (serve_workers.h).
 */
#ifndef FRESHET_SERVE_H
#define FRESHET_SERVE_H

#include <sys/types.h>

#include "crawler/serve/serve_query.h"

/* serve_run(options, command): listen and answer until SIGINT or SIGTERM.  Of a
 * store in PostgreSQL the options name the copy that is shown; a minute after
 * one is there the next one is begun, or later.
 * Returns an exit status, after one line on stderr if it is not that of a
 * signal. */
int serve_run(struct options *, serve_command_fn *);

/* serve_is_allowed(how): false after one line on stderr if the address that
 * these options name needs a token, and they have none. */
bool serve_is_allowed(const char *listen, const char *token_file);

/* What can be asked for. */
enum serve_form {
	SERVE_PAGE, /* HTML */
	SERVE_LINES, /* JSON lines, which become a list */
	SERVE_TEXT /* as it is printed */
};

struct serve_route {
	const char *path;
	enum serve_form form;
	const char *type; /* Content-Type */
	const char *parameters; /* "site|since"; "": none */
	bool is_open; /* without a token */
	const char *only; /* of lines: as in struct serve_work */
	serve_print_fn *print;
};

/* serve_route_find(path): NULL: there is none. */
const struct serve_route *serve_route_find(const char *path);

#endif
