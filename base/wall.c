/* Walls, told apart by the failures that they cause. */
#include "base/wall.h"

#include <string.h>

static const struct wall wanted = {"signature-wanted",
    "signed requests are let in: of identity (make a key with 'freshet "
    "identity new'), signature-agent and sign, set what is missing"};
static const struct wall refused = {"signature-refused",
    "ask who guards the site to admit the key of 'freshet identity show', and "
    "look whether its directory is published"};
static const struct wall clock_off = {
    "clock", "set the clock: a signature is valid for minutes"};
static const struct wall bots = {"bots",
    "ask the site to let this crawler through its bot wall, by address or by "
    "signature"};
static const struct wall login = {
    "login", "set user-file or header for the site if you have an account"};
static const struct wall cookie = {
    "cookie", "set the cookie with header for the site if its owner agrees"};
static const struct wall region = {"region",
    "the law of a region forbids it: read the site from another one, or leave "
    "it out"};
static const struct wall network = {"network",
    "this network may be refused: ask the site to let its address in, or read "
    "it from another one"};

/* The first row that fits counts. */
static const struct {
	enum diag_code code; /* DIAG_OK: any */
	const char *word; /* that the text has; NULL: any text */
	const struct wall *wall;
} rows[] = {
    {DIAG_SIGNATURE_WANTED, NULL, &wanted},
    {DIAG_SIGNATURE_REFUSED, NULL, &refused},
    {DIAG_OK, WALL_OF_SIGNATURES, &wanted},
    {DIAG_OK, WALL_OF_SIGNED, &refused},
    {DIAG_SIGNATURE_CLOCK, NULL, &clock_off},
    {DIAG_OK, WALL_OF_BOTS, &bots},
    {DIAG_FETCH_UNAUTHORIZED, "status 401", &login},
    {DIAG_FETCH_REDIRECT_LOOP, WALL_OF_COOKIE, &cookie},
    {DIAG_FETCH_HTTP_ERROR, "status 451", &region},
    {DIAG_FETCH_NETWORK_ERROR, WALL_OF_REFUSAL, &network},
    {DIAG_FETCH_NETWORK_ERROR, WALL_OF_RESET, &network},
    {DIAG_FETCH_NETWORK_ERROR, WALL_OF_TLS, &network},
};

const struct wall *
wall_of(enum diag_code code, struct slice text)
{
	for (size_t i = 0; code != DIAG_OK && i < LENGTH(rows); i++) {
		const char *word = rows[i].word;

		if ((rows[i].code == DIAG_OK || rows[i].code == code) &&
		    (word == NULL ||
			(text.len > 0 &&
			    memmem(text.p, text.len, word, strlen(word)) !=
				NULL)))
			return rows[i].wall;
	}
	return NULL;
}

const struct wall *
wall_named(struct slice name)
{
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (slice_is(name, rows[i].wall->name))
			return rows[i].wall;
	return NULL;
}
