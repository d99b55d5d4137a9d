/* Whose bot wall answered instead of the site. */
#ifndef FRESHET_FETCH_WALL_H
#define FRESHET_FETCH_WALL_H

#include "base/slice.h"

/* How sure a header is. */
enum wall_sign {
	WALL_NONE,
	WALL_IN_FRONT, /* it stands before the site: of use with a refusal */
	WALL_CHALLENGE /* this answer is its own */
};

/*
 * wall_sign(name, value, whose): what one header says; whose, static, is
 * written unless that is WALL_NONE.
 */
enum wall_sign wall_sign(
    struct slice name, struct slice value, const char **whose);

#endif
