/* Walls, told apart by the failures that they cause. */
#include "base/wall.h"

#include <string.h>

#define NETWORK                                               \
	{                                                     \
		"network",                                    \
		    "this network may be refused: ask the "   \
		    "site to let its address in, or read it " \
		    "from another one"                        \
	}

#define WANTED                                                         \
	{                                                              \
		"signature-wanted",                                    \
		    "signed requests are let in: of identity (make a " \
		    "key with 'freshet identity new'), "               \
		    "signature-agent and sign, set what is missing"    \
	}
#define REFUSED                                                      \
	{                                                            \
		"signature-refused",                                 \
		    "ask who guards the site to admit the key of "   \
		    "'freshet identity show', and look whether its " \
		    "directory is published"                         \
	}

/* The first row that fits counts. */
static const struct {
	enum diag_code code; /* DIAG_OK: any */
	const char *word; /* that the text has; NULL: any text */
	struct wall wall;
} walls[] = {
    {DIAG_SIGNATURE_WANTED, NULL, WANTED},
    {DIAG_SIGNATURE_REFUSED, NULL, REFUSED},
    {DIAG_OK, WALL_OF_SIGNATURES, WANTED},
    {DIAG_OK, WALL_OF_SIGNED, REFUSED},
    {DIAG_SIGNATURE_CLOCK, NULL,
	{"clock", "set the clock: a signature is valid for minutes"}},
    {DIAG_OK, WALL_OF_BOTS,
	{"bots",
	    "ask the site to let this crawler through its bot wall, by "
	    "address or by signature"}},
    {DIAG_FETCH_UNAUTHORIZED, "status 401",
	{"login",
	    "set user-file or header for the site if you have an account"}},
    {DIAG_FETCH_REDIRECT_LOOP, WALL_OF_COOKIE,
	{"cookie",
	    "set the cookie with header for the site if its owner agrees"}},
    {DIAG_FETCH_HTTP_ERROR, "status 451",
	{"region",
	    "the law of a region forbids it: read the site from "
	    "another one, or leave it out"}},
    {DIAG_FETCH_NETWORK_ERROR, "connection refused", NETWORK},
    {DIAG_FETCH_NETWORK_ERROR, "connection reset", NETWORK},
    {DIAG_FETCH_NETWORK_ERROR, "TLS handshake failed", NETWORK},
};

const struct wall *
wall_of(enum diag_code code, struct slice text)
{
	for (size_t i = 0; i < LENGTH(walls); i++) {
		const char *word = walls[i].word;

		if (code != DIAG_OK &&
		    (walls[i].code == DIAG_OK || walls[i].code == code) &&
		    (word == NULL ||
			(text.len > 0 &&
			    memmem(text.p, text.len, word, strlen(word)) !=
				NULL)))
			return &walls[i].wall;
	}
	return NULL;
}

const struct wall *
wall_named(struct slice name)
{
	for (size_t i = 0; i < sizeof(walls) / sizeof(walls[0]); i++)
		if (slice_is(name, walls[i].wall.name))
			return &walls[i].wall;
	return NULL;
}
