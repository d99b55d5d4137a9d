/* The known word that a mistyped word was most probably meant to be. */
#ifndef FRESHET_SUGGESTION_H
#define FRESHET_SUGGESTION_H

#include <stddef.h>

#include "base/slice.h"

/* Call suggestion_init, then suggestion_try for each known word, or for several
 * with '|' between them; `best` is the closest word then, which may be followed
 * by others, NULL if none is close enough. */
struct suggestion {
	struct slice typed;
	const char *best; /* borrowed from the caller of suggestion_try */
	size_t best_len;
	unsigned distance; /* between typed and best */
};

void suggestion_init(struct suggestion *, struct slice typed);
void suggestion_try(struct suggestion *, const char *known);

#endif
