/* The token that clients show. */
#ifndef FRESHET_SERVE_TOKEN_H
#define FRESHET_SERVE_TOKEN_H

#include <stdbool.h>

/* The texts that an Authorization header may be: for programs "Bearer TOKEN",
 * for browsers "Basic " with the user "freshet" and the token as password. */
struct serve_token {
	char *bearer, *basic; /* owned; NULL: no token is wanted */
};

/* serve_token_read(token, path): take the token from the first line of a file:
 * 16 to 256 printable characters without spaces.  Returns false after one line
 * on stderr. */
bool serve_token_read(struct serve_token *, const char *path);
/* serve_token_set(token, text): the same from a text, which has that form. */
void serve_token_set(struct serve_token *, const char *text);
void serve_token_release(struct serve_token *);

/* serve_token_admits(token, header): whether the Authorization header (NULL:
 * none) has the token, or none is wanted.  The time that this takes says
 * nothing about the token but its length. */
bool serve_token_admits(const struct serve_token *, const char *header);

#endif
