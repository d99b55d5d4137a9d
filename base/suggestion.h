/* What is nearest to a mistyped word. */
#ifndef FRESHET_SUGGESTION_H
#define FRESHET_SUGGESTION_H

#include <stddef.h>

#include "base/slice.h"

/*
 * suggestion_init, suggestion_try for each
 * known word, then nearest.best, NULL when none is near enough.
 */
struct suggestion {
	struct slice typed;
	const char *best; /* borrowed from suggestion_try's caller */
	size_t best_len;
	unsigned distance; /* of best */
};

void suggestion_init(struct suggestion *, struct slice typed);
void suggestion_try(struct suggestion *, const char *known, size_t len);

#endif
