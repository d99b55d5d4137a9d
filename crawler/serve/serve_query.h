/* The path and the parameters of a request. */
#ifndef FRESHET_SERVE_QUERY_H
#define FRESHET_SERVE_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

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

/*
 * serve_query_parse(query, target): read "/path?name=value&...".  Returns false
 * if a name comes twice, if there are too many, or if a value has an escape
 * that is none or a control character, NUL included; the path is there all the
 * same.  Call serve_query_release() in any case.
 */
bool serve_query_parse(struct serve_query *, const char *target);
void serve_query_release(struct serve_query *);

/* serve_query_get(query, name): the value; NULL: there is none, or it is
 * empty. */
const char *serve_query_get(const struct serve_query *, const char *name);

/* serve_query_needs(query, name): is there a value?  One line on stderr says if
 * not. */
bool serve_query_needs(const struct serve_query *, const char *name);

/* serve_query_number(query, name, n): read the value, if there is one, as a
 * number from least to most.  Returns false if it is none; *n stays then, and
 * if there is no value. */
bool serve_query_number(const struct serve_query *, const char *name,
    uint64_t least, uint64_t most, uint64_t *n);

/* serve_query_is_among(query, names): are all parameters among the names, as in
 * "site|since"? */
bool serve_query_is_among(const struct serve_query *, const char *names);

#endif
