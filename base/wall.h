/*
 * Walls: why a site answers this crawler with less than it answers others with,
 * and what the operator can do.  One table tells them apart, by what is stored
 * of a failure: its diagnostic, and the text of the finding (SPEC R-141).
 */
#ifndef FRESHET_WALL_H
#define FRESHET_WALL_H

#include "base/diag.h"
#include "base/slice.h"

/* Words of those texts, for whoever writes them. */
#define WALL_OF_BOTS "the bot wall of "
#define WALL_OF_COOKIE ", until the cookie '"
#define WALL_OF_SIGNATURES ", and the host wants signed requests: "
#define WALL_OF_SIGNED " although signed with the key "
#define WALL_OF_REFUSAL "connection refused"
#define WALL_OF_RESET "connection reset"
#define WALL_OF_TLS "TLS handshake failed"

struct wall {
	const char *name; /* a word for programs: "login", "region" */
	const char *advice; /* what the operator can do, one sentence */
};

/* wall_of(code, text): the wall that stands behind such a failure; static;
 * NULL: none is known.
 * wall_named(name): the wall of that name; NULL: there is none. */
const struct wall *wall_of(enum diag_code, struct slice text);
const struct wall *wall_named(struct slice name);

#endif
