/* What a request asks, and whether whoever asks may know it: its path, its
 * parameters and its token. */
#ifndef FRESHET_SERVE_QUERY_H
#define FRESHET_SERVE_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct options;

#define SERVE_PARAMETERS 12 /* of a request, at most */

struct serve_parameter {
	char *name, *value; /* owned; decoded */
};

/* The path is as it was sent: it is compared as a whole with those that there
 * are, so that no form of ".." means anything. */
struct serve_query {
	char *path; /* owned */
	struct serve_parameter items[SERVE_PARAMETERS];
	size_t count;
};

/* serve_query_parse(query, target): read "/path?name=value&...".  Returns false
 * if a name comes twice, if there are too many, or if a value has an escape
 * that is none or a control character, NUL included; the path is there all the
 * same.  Call serve_query_release() in any case. */
bool serve_query_parse(struct serve_query *, const char *target);
void serve_query_release(struct serve_query *);

/* serve_query_get(query, name): the value; NULL: there is none, or it is
 * empty. */
const char *serve_query_get(const struct serve_query *, const char *name);

/* serve_query_needs(query, names): has each of the names, as in "site|kind", a
 * value?  One line on stderr says if not. */
bool serve_query_needs(const struct serve_query *, const char *names);

/* serve_query_number(query, name, n): read the value, if there is one, as a
 * number from least to most.  Returns false if it is none; *n stays then, and
 * if there is no value. */
bool serve_query_number(const struct serve_query *, const char *name,
    uint64_t least, uint64_t most, uint64_t *n);

/* serve_query_is_among(query, names): are all parameters among the names, as in
 * "site|since"? */
bool serve_query_is_among(const struct serve_query *, const char *names);

/* Runs a command of freshet in this process; returns its exit status. */
typedef int serve_command_fn(int argc, char **argv, int64_t now_s);

/* What an answer is made from.  serve_print_fn: prints the answer to a query on
 * stdout, in a process of its own; returns an exit status. */
struct serve_context {
	const struct options *options; /* of `serve` */
	serve_command_fn *command;
	int64_t now_s;
};
typedef int serve_print_fn(
    const struct serve_context *, const struct serve_query *);

/* The texts that an Authorization header may be: for programs "Bearer TOKEN",
 * for browsers "Basic " with the user "freshet" and the token as password. */
struct serve_token {
	/* owned, and freed by whoever has the struct; NULL: no token is
	 * wanted */
	char *bearer, *basic;
};

/* serve_token_read(token, path): take the token from the first line of a file:
 * 16 to 256 printable characters without spaces.  Returns false after one line
 * on stderr. */
bool serve_token_read(struct serve_token *, const char *path);
/* serve_token_set(token, text): the same from a text, which has that form. */
void serve_token_set(struct serve_token *, const char *text);

/* serve_token_admits(token, header): whether the Authorization header (NULL:
 * none) has the token, or none is wanted.  The time that this takes says
 * nothing about the token but its length. */
bool serve_token_admits(const struct serve_token *, const char *header);

#endif
