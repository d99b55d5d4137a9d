/* What can be asked for. */
#ifndef FRESHET_SERVE_ROUTES_H
#define FRESHET_SERVE_ROUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawler/cli/options.h"
#include "crawler/serve/serve_query.h"

/* Runs a command of freshet in this process; returns its exit status. */
typedef int serve_command_fn(int argc, char **argv, int64_t now_s);

/* What an answer is made from. */
struct serve_context {
	const struct options *options; /* of `serve` */
	serve_command_fn *command;
	int64_t now_s;
};

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
	/* called in a process of its own; prints on stdout; returns an exit
	 * status */
	int (*print)(const struct serve_context *, const struct serve_query *);
};

/* serve_route_find(path): NULL: there is none. */
const struct serve_route *serve_route_find(const char *path);

#endif
